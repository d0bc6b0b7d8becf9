"""Lessons on the real game: written-out trees say what the searches that play say, and Monte Carlo adds up."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import positions

from outflank.agents.spec import parse
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, parse_square
from outflank.board.variant import Variant
from outflank.heuristics.named import NAMED
from outflank.patterns.explanation import PatternTables, explain_patterns
from outflank.search.limits import Limit
from outflank.search.teaching import trees as teaching
from outflank.search.teaching.montecarlo import grow, grow_with
from outflank.search.teaching.positions import MOST_NODES, position_tree
from outflank.search.trees.search import TreeSearch
from outflank.web.apart import advice_of
from outflank.web.lab import _tree_lesson

MOBILITY = NAMED["mobility"]


def mobility(position: Position) -> float:
    return MOBILITY.value(position.own, position.opp, position.variant)


@given(positions(), st.integers(1, 2))
def test_the_lesson_and_the_player_find_the_same_value(position: Position, depth: int) -> None:
    if not position.legal or any(position.play(move).must_pass for move in position.legal_moves):
        return  # a pass is a ply of a lesson; the player looks through it
    lesson = teaching.search(position_tree(position, depth, mobility), "alphabeta")
    report = TreeSearch(MOBILITY, "minimax").run(position, Limit(depth=min(depth, position.empties)))
    if depth <= position.empties:
        assert lesson.value == pytest.approx(report.rank)


def test_alphabeta_prunes_and_finds_what_minimax_finds() -> None:
    tree = position_tree(Position.start(Variant.named("6x6")), 4, mobility)
    full, pruned = teaching.search(tree, "minimax"), teaching.search(tree, "alphabeta")
    assert full.value == pruned.value and full.best == pruned.best
    assert len(pruned.visited) + len(pruned.pruned) == len(full.visited)
    assert pruned.pruned


def test_only_the_widest_best_moves_are_looked_at() -> None:
    nodes = list(position_tree(Position.start(), 3, mobility, width=2).walk())
    assert all(len(node.children) <= 2 for node in nodes)
    assert len(nodes) == 1 + 2 + 4 + 8


def test_a_tree_too_large_to_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match=f"{MOST_NODES:,}"):
        position_tree(Position.start(), 7, mobility)


@given(positions(), st.integers(1, 60), st.integers(0, 5))
def test_monte_carlo_counts_every_playout_once(position: Position, playouts: int, seed: int) -> None:
    if position.is_over:
        with pytest.raises(ValueError, match="over"):
            grow(position, playouts, 0.7, seed)
        return
    grown = grow(position, playouts, 0.7, seed)
    assert grown.root.visits == playouts == len(grown.playouts)
    assert sum(child.visits for child in grown.root.children) == playouts
    for branch in grown.branches:
        own = 1 if branch.born else 0
        if branch.children:
            assert branch.visits == own + sum(child.visits for child in branch.children)
        assert branch.position.is_over or branch.move is None or abs(branch.mean) <= 1
        assert branch.children == [] or branch.children[0].move in (*branch.position.legal_moves, PASS)
    assert [one.expanded for one in grown.playouts if one.expanded] == [one.id for one in grown.branches[1:]]
    again = grow(position, playouts, 0.7, seed)
    assert again.playouts == grown.playouts


def test_monte_carlo_finds_the_winning_move() -> None:
    position = Position.from_text("XXXX XXXX XOO- ---- X".replace(" ", "")[:-1] + " X", Variant.named("4x4"))
    grown = grow(position, 300, 0.7, 1)
    best = grown.best
    assert best.visits == max(child.visits for child in grown.root.children)


def test_with_advice_every_playout_goes_where_puct_is_greatest() -> None:
    """Told again from the playouts alone, with the tables as `outflank explain` reads them."""
    variant = Variant.named("6x6")
    position, tables = Position.start(variant), PatternTables.named("alphazero", variant)
    found = advice_of(parse("alphazero"), variant)
    assert found is not None
    advice, doubt = found
    assert doubt == 0.2
    grown = grow_with(position, 60, 1.5, advice, doubt)
    chances = {parse_square(move): chance for move, chance in explain_patterns(position, tables).moves.items()}
    moves = {branch.id: branch.move for branch in grown.branches}
    visits: Counter[int] = Counter()
    sums: Counter[int] = Counter()
    for number, playout in enumerate(grown.playouts):
        mean = sum(sums.values()) / number if number else 0.0
        values = {
            move: (sums[move] / visits[move] if visits[move] else mean - doubt)
            + 1.5 * chance * math.sqrt(number) / (1 + visits[move])
            for move, chance in chances.items()
        }
        chosen = moves[playout.path[1]]
        assert chosen is not None and values[chosen] == pytest.approx(max(values.values()))
        visits[chosen] += 1
        sums[chosen] += playout.result  # type: ignore[assignment]
        assert -1 <= playout.result <= 1
    first = grown.branches[1].position
    assert grown.playouts[0].result == pytest.approx(-(explain_patterns(first, tables).expected or 0.0))


def test_the_page_sees_the_margin_of_a_finished_game() -> None:
    """In the lesson a result still stands above every estimate; no number of it is larger than the board."""
    game = Game(Variant.named("4x4"))
    while game.position.empties > 3:
        game.push(game.position.legal_moves[0])
    found = position_tree(game.position, 4, lambda position: 1000.0)
    lesson = _tree_lesson(found, "alphabeta")
    decided = [node.value or 0 for node in lesson.nodes if node.decided]
    decided += [step.value or 0 for step in lesson.steps if step.decided]
    assert decided
    assert all(0 < abs(value) <= 16 for value in decided)
    assert not [step for step in lesson.steps if max(abs(step.alpha or 0), abs(step.beta or 0)) > 1000]
