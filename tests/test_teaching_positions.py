"""Lessons on the real game: written-out trees say what the searches that play say, and Monte Carlo adds up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import positions

from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.heuristics.named import NAMED
from outflank.search.limits import Limit
from outflank.search.teaching import trees as teaching
from outflank.search.teaching.montecarlo import grow
from outflank.search.teaching.positions import MOST_NODES, position_tree
from outflank.search.trees.search import TreeSearch

MOBILITY = NAMED["mobility"]


def mobility(position: Position) -> float:
    return MOBILITY.value(position.own, position.opp, position.variant)


@given(positions(), st.integers(1, 2))
def test_the_lesson_and_the_player_find_the_same_value(position: Position, depth: int) -> None:
    if not position.legal or any(position.play(move).must_pass for move in position.legal_moves):
        return  # a pass is a ply of a lesson; the player looks through it
    lesson = teaching.search(position_tree(position, depth, mobility).root, "alphabeta")
    report = TreeSearch(MOBILITY, "minimax").run(position, Limit(depth=min(depth, position.empties)))
    if depth <= position.empties:
        assert lesson.value == pytest.approx(report.score)


def test_alphabeta_prunes_and_finds_what_minimax_finds() -> None:
    tree = position_tree(Position.start(Variant.named("6x6")), 4, mobility).root
    full, pruned = teaching.search(tree, "minimax"), teaching.search(tree, "alphabeta")
    assert full.value == pruned.value and full.best == pruned.best
    assert len(pruned.visited) + len(pruned.pruned) == len(full.visited)
    assert pruned.pruned


def test_only_the_widest_best_moves_are_looked_at() -> None:
    found = position_tree(Position.start(), 3, mobility, width=2)
    assert all(len(node.children) <= 2 for node in found.root.walk())
    assert len(found.positions) == 1 + 2 + 4 + 8


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
