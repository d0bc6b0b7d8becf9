"""Monte Carlo tree search: the compiled tree is the plain one's, node for node, and its options mean what they say."""

import math
from dataclasses import replace
from typing import Any

import gridboard
import naive_montecarlo as naive
import numba
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from strategies import ALL_VARIANTS, played_positions, words

from outflank.board import kernels, vectors
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import OTHELLO, REVERSED, Variant
from outflank.search.driver import Interruption, followed, interruptible
from outflank.search.limits import Clock, Limit, Report
from outflank.search.montecarlo import kernels as compiled
from outflank.search.montecarlo import memory
from outflank.search.montecarlo.search import DEFAULT_PLAYOUTS, PORTION, Candidate, MonteCarlo, Options, best_of
from outflank.search.montecarlo.selection import ucb1

START = Position.start()
SMALL = [variant for variant in ALL_VARIANTS if variant.square_count <= 30]

options = st.builds(
    Options,
    c=st.sampled_from([0.0, 0.1, 0.5, 1.0, 1.4142135623730951]),
    tree=st.booleans(),
    spread=st.sampled_from(["even", "ucb"]),
    draw=st.sampled_from(["half", "loss"]),
    reward=st.sampled_from(["win", "margin"]),
    cut=st.sampled_from([0, 0, 1, 5]),
    proven=st.booleans(),
)


def reference(search: MonteCarlo, position: Position) -> naive.Search:
    """The plain search with the options and the random words of a compiled one."""
    chosen = search.options
    variant = position.variant
    return naive.Search(
        position.own,
        position.opp,
        gridboard.grid(variant.rows, variant.columns),
        variant.reversed,
        naive.Dice(search._random_state(position, 0)),
        chosen.c,
        chosen.tree,
        chosen.spread,
        chosen.draw,
        chosen.reward,
        chosen.cut,
        chosen.proven,
    )


def compiled_tree(search: MonteCarlo, node: int | None = None) -> Any:
    """A tree as nested tuples: move, whose turn, visits, sum, bounds, children."""
    node = search.root if node is None else node
    visits, total, link, bounds = search._nodes[node].item()
    first, count = link & 0xFFFFFFFF, link >> 32 & 255
    children = [compiled_tree(search, child) for child in range(first, first + count)]
    return (
        link >> 40 & 255,
        bool(link >> 48 & 1),
        visits,
        total,
        memory.low_of(bounds),
        memory.high_of(bounds),
        children,
    )


def plain_tree(node: naive.Node) -> Any:
    children = [plain_tree(child) for child in node.children]
    return node.move, node.ours, node.visits, node.total, node.low, node.high, children


def root_visits(search: MonteCarlo) -> int:
    return int(search._nodes[search.root]["visits"])


def words_drawn(search: MonteCarlo, position: Position) -> int:
    """How many random words a search used: the generator's state counts in steps of a constant."""
    steps = search._threads[0].random[0] - search._random_state(position, 0)
    return steps * pow(naive.GOLDEN, -1, 1 << 64) & naive.WORD


@settings(max_examples=150)
@given(played_positions(st.sampled_from(SMALL)), options, st.integers(1, 150), words)
def test_the_tree_is_the_reference_s(position: Position, chosen: Options, playouts: int, seed: int) -> None:
    assume(position.legal)
    search = MonteCarlo(chosen, seed)
    report = search.run(position, Limit(playouts=playouts))
    truth = reference(search, position)
    assert truth.run(playouts) == report.nodes == search.simulations
    assert compiled_tree(search) == plain_tree(truth.root)
    assert report.move in position.legal_moves


@pytest.mark.parametrize("variant", [OTHELLO, REVERSED, Variant(7, 8), Variant(6, 6)], ids=str)
@pytest.mark.parametrize(
    "chosen",
    [Options(c=0.1, draw="loss", cut=32, proven=False), Options(), Options(reward="margin", cut=10)],
    ids=["mini-go", "default", "margin"],
)
def test_the_tree_is_the_reference_s_on_large_boards(variant: Variant, chosen: Options) -> None:
    position = Position.start(variant)
    search = MonteCarlo(chosen, 11)
    search.run(position, Limit(playouts=40))
    truth = reference(search, position)
    truth.run(40)
    assert compiled_tree(search) == plain_tree(truth.root)


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0, 1), st.floats(0, 10))
@example(1, 1, 0.5, 0.1)
def test_ucb1_is_the_seed_s_formula(visits: int, more: int, mean: float, c: float) -> None:
    parent = visits + more
    value = ucb1(mean, visits, 2 * math.log(parent), c)
    assert value == mean + c * math.sqrt(2 * math.log(parent) / visits)
    assert value == pytest.approx(naive.ucb1(mean * visits, visits, parent, c), rel=1e-12)


def test_the_nth_square_without_an_instruction_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_deposits_fast", lambda context: False)
    by_loop = numba.njit("uint64(uint64, uint64)")(lambda mask, n: vectors.nth_square(mask, n))
    mask = 0x8100_0042_1800_0081
    assert [by_loop(mask, n) for n in range(8)] == [kernels.nth_square(mask, n) for n in range(8)]


# Repeatable by its seed


def test_the_same_seed_gives_the_same_search() -> None:
    first, second = (MonteCarlo(Options(), 5).run(START, Limit(playouts=3000)) for _ in range(2))
    assert (first.move, first.score, first.pv, first.values) == (second.move, second.score, second.pv, second.values)


def test_asked_twice_it_answers_the_same() -> None:
    search = MonteCarlo(Options(), 5)
    first, second = (search.run(START, Limit(playouts=3000)) for _ in range(2))
    assert (first.score, first.pv) == (second.score, second.pv)


def test_other_seeds_give_other_searches_and_other_moves() -> None:
    reports = [MonteCarlo(Options(), seed).run(START, Limit(playouts=50)) for seed in range(40)]
    assert len({report.score for report in reports}) > 10
    # The four first moves are alike by symmetry: only chance can tell them apart.
    assert {report.move for report in reports} == set(START.legal_moves)


def test_ties_are_broken_by_the_seed() -> None:
    first_moves = {MonteCarlo(Options(), seed).run(START, Limit(playouts=1)).pv[0] for seed in range(40)}
    assert first_moves == set(START.legal_moves)
    stopped = Interruption()
    stopped.set()
    with interruptible(stopped):
        moves = {MonteCarlo(Options(), seed).run(START).move for seed in range(40)}
    assert moves == set(START.legal_moves)


# Playouts


def test_a_cut_of_32_plays_33_random_moves() -> None:
    search = MonteCarlo(Options(cut=32, tree=False), 3)
    search.run(START, Limit(playouts=1))
    assert words_drawn(search, START) == 1 + 33  # one chooses among the four first moves


def test_without_a_cut_the_game_is_played_to_its_end() -> None:
    search = MonteCarlo(Options(tree=False), 3)
    search.run(START, Limit(playouts=1))
    assert 50 <= words_drawn(search, START) - 1 <= 59


def test_a_cut_counts_the_discs_as_they_stand() -> None:
    """A first move and two random ones leave seven discs on the board, with a difference of seven at most."""
    search = MonteCarlo(Options(cut=1, tree=False, reward="margin", proven=False), 1)
    search.run(START, Limit(playouts=400))
    assert all(abs(one.value) <= 7 for one in search.candidates())
    assert words_drawn(search, START) >= 400 * 2


def test_a_draw_is_half_a_win_or_a_loss() -> None:
    half, loss = (MonteCarlo(Options(draw=draw, tree=False), 9) for draw in ("half", "loss"))
    for search in (half, loss):
        search.run(START, Limit(playouts=20_000))
    totals = [int(search._nodes[0]["total"]) for search in (half, loss)]
    draws = totals[0] - totals[1]  # the same games, each draw a point lower
    assert 0.01 * 20_000 < draws < 0.1 * 20_000


def test_plain_monte_carlo_spreads_its_playouts_evenly() -> None:
    search = MonteCarlo(Options(tree=False), 2)
    search.run(START.play("d3"), Limit(playouts=1001))
    visits = sorted(one.visits for one in search.candidates())
    assert visits == [333, 334, 334]
    assert search.used == 1 + 3


def test_plain_monte_carlo_with_ucb_prefers_the_better_moves() -> None:
    position = Game.from_transcript("f5d6c3d3c4f4f6f3e6e7").position
    search = MonteCarlo(Options(tree=False, spread="ucb", c=0.2), 2)
    search.run(position, Limit(playouts=5000))
    by_visits = sorted(search.candidates(), key=lambda one: one.visits)
    assert by_visits[-1].visits > 4 * by_visits[0].visits
    assert search.used == 1 + len(position.legal_moves)


def test_a_larger_constant_explores_more() -> None:
    shares = []
    for c in (0.0, 0.1, 1.0, 10.0):
        search = MonteCarlo(Options(c=c), 4)
        search.run(START, Limit(playouts=4000))
        shares.append(max(one.visits for one in search.candidates()) / 4000)
    assert shares[0] > shares[2] > shares[3] > 0.25
    assert shares[1] > shares[2]


# Limits


@pytest.mark.parametrize(
    ("limit", "simulations"),
    [
        (Limit(playouts=123), 123),
        (Limit(nodes=77), 77),
        (Limit(playouts=50, nodes=77), 50),
        (Limit(), DEFAULT_PLAYOUTS),
        (Limit(depth=3), DEFAULT_PLAYOUTS),
        (Limit(playouts=99, time=100), 99),
    ],
    ids=str,
)
def test_a_limit_of_playouts_is_kept_exactly(limit: Limit, simulations: int) -> None:
    assert MonteCarlo(Options(), 1).run(START, limit).nodes == simulations


@pytest.mark.parametrize("limit", [Limit(time=1.0), Limit(clock=Clock(30.0))], ids=str)
def test_a_limit_of_time_ends_the_search(limit: Limit) -> None:
    report = MonteCarlo(Options(), 1).run(START, limit)
    assert report.nodes > 100
    assert report.move in START.legal_moves


@pytest.mark.parametrize("threads", [1, 3])
def test_a_stop_that_is_set_already_gives_a_legal_move_at_once(threads: int) -> None:
    stop = Interruption()
    stop.set()
    with interruptible(stop):
        report = MonteCarlo(Options(threads=threads), 1).run(START, Limit())
    assert (report.nodes, report.score, report.exact) == (0, None, False)
    assert report.move in START.legal_moves and report.pv == (report.move,)


def test_a_finished_game_has_no_move_to_choose() -> None:
    over = Position.from_text("X" * 64 + "O")
    with pytest.raises(ValueError, match="no move to choose"):
        MonteCarlo().run(over)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"c": -1.0}, "c must be a number"),
        ({"c": math.nan}, "c must be a number"),
        ({"cut": -1}, "cut must be 0 or more"),
        ({"threads": 0}, "threads must be 1 or more"),
        ({"draw": "win"}, "draw must be one of half, loss"),
        ({"memory": 0.0}, "memory must be more than 0"),
    ],
    ids=str,
)
def test_wrong_options_are_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Options(**wrong)


# Memory


@pytest.mark.parametrize("threads", [1, 2])
def test_a_full_tree_goes_on_simulating(threads: int) -> None:
    search = MonteCarlo(Options(memory=0.02, threads=threads), 6)
    report = search.run(START, Limit(playouts=5000))
    assert report.nodes == 5000
    assert search.used <= search.capacity < 800
    assert "tree full" in report.text
    assert sum(one.visits for one in search.candidates()) == 5000


def test_there_is_always_room_for_the_root_s_moves() -> None:
    search = MonteCarlo(Options(memory=1e-6))
    assert search.run(START, Limit(playouts=100)).nodes == 100


# The tree from move to move


def played(search: MonteCarlo, position: Position, moves: int) -> tuple[Position, list[int]]:
    """The position after the first replies of the search's line."""
    line = search.run(position, Limit(playouts=4000)).pv[:moves]
    for move in line:
        position = position.play(move)
    return position, list(line)


@pytest.mark.parametrize(
    "chosen", [Options(), Options(reward="margin"), Options(threads=2)], ids=["win", "margin", "threads"]
)
def test_reuse_keeps_the_subtree_as_it_was(chosen: Options) -> None:
    search = MonteCarlo(chosen, 8)
    position, moves = played(search, START, 2)
    first = next(one for one in search.candidates() if one.move == moves[0])
    second = next(one for one in search.candidates(first.node) if one.move == moves[1])
    before = compiled_tree(search, second.node)
    stop = Interruption()
    stop.set()
    assert search.follow(moves)
    with interruptible(stop):
        search.run(position, Limit())
    assert compiled_tree(search) == before
    compiled.compact(search._desk.address)
    assert compiled_tree(search) == before
    assert search.root == 0 and search.used == size(before)


def size(tree: Any) -> int:
    return 1 + sum(map(size, tree[-1]))


@pytest.mark.parametrize("threads", [1, 2])
def test_room_is_made_when_it_runs_out(threads: int) -> None:
    """A memory for some moves only: the nodes still needed are moved together and nothing is lost."""
    search = MonteCarlo(Options(memory=0.5, threads=threads, c=0.2), 5)
    game = Game(OTHELLO)
    compactions = 0
    while not game.is_over:
        asked, root = len(game.moves), search.root
        report = search.run(game.position, Limit(playouts=1500))
        compactions += "kept" in report.text and root > search.root
        assert search.used <= search.capacity
        assert sum(one.visits for one in search.candidates()) <= root_visits(search)
        turn = game.position.turn
        game.push(report.move)
        while not game.is_over and game.position.turn is not turn:
            game.push(game.position.legal_moves[-1])
        search.follow(game.moves[asked:])
    assert compactions > 1


def test_reuse_adds_to_what_was_known() -> None:
    search = MonteCarlo(Options(), 8)
    position, moves = played(search, START, 2)
    first = next(one for one in search.candidates() if one.move == moves[0])
    known = next(one for one in search.candidates(first.node) if one.move == moves[1]).visits
    search.follow(moves)
    report = search.run(position, Limit(playouts=500))
    assert root_visits(search) == known + 500
    assert f"500 playouts, {known:,} kept" in report.text


def test_nothing_is_kept_where_it_must_not_be() -> None:
    search = MonteCarlo(Options(), 8)
    position, moves = played(search, START, 2)
    assert not MonteCarlo(Options(reuse=False)).follow(moves)
    search.follow(moves)
    other = START.play("d3").play("c5")
    search.run(other if other != position else START, Limit(playouts=10))  # not where the moves led
    assert root_visits(search) == 10
    after, reply = played(search, START, 1)  # now it is the other side's turn: its results are not ours
    assert search.follow(reply)
    search.run(after, Limit(playouts=10))
    assert root_visits(search) == 10


def test_moves_that_the_tree_does_not_know_are_forgotten() -> None:
    search = MonteCarlo(Options(), 8)
    search.run(START, Limit(playouts=2))
    assert not search.follow(Game.from_transcript("d3c5").moves)
    search.run(Game.from_transcript("d3c5").position, Limit(playouts=10))
    assert root_visits(search) == 10


# What it reports


@settings(max_examples=150)
@given(played_positions(), st.sampled_from([Options(), Options(reward="margin", final="value"), Options(tree=False)]))
def test_the_line_can_be_played_passes_and_all(position: Position, chosen: Options) -> None:
    assume(position.legal)
    report = MonteCarlo(chosen, 1).run(position, Limit(playouts=300))
    assert report.pv[0] == report.move
    for move in report.pv:
        position = position.play(move)
    assert report.move in report.values


@pytest.mark.parametrize("variant", ALL_VARIANTS, ids=str)
def test_every_variant_is_played(variant: Variant) -> None:
    game = Game(variant)
    search = MonteCarlo(Options(), 1)
    for _ in range(4):
        report = search.run(game.position, Limit(playouts=60))
        assert report.move in game.position.legal_moves
        game.push(report.move)


def candidate(move: int, visits: int, value: float, low: int = -1, high: int = 1) -> Candidate:
    return Candidate(move, visits, value, low, high, move)


def test_the_final_choice_is_by_visits_or_by_value() -> None:
    often, good = candidate(1, 90, 0.2), candidate(2, 10, 0.4)
    assert best_of([often, good], "visits") == [often]
    assert best_of([often, good], "value") == [good]
    unseen = candidate(3, 0, 0.0)
    assert best_of([candidate(4, 5, -0.5), unseen], "value") == [candidate(4, 5, -0.5)]
    twin = candidate(5, 90, 0.2)
    assert best_of([often, twin, good], "visits") == [often, twin]
    assert best_of([often, candidate(6, 90, 0.3)], "visits") == [candidate(6, 90, 0.3)]


def test_the_final_choice_takes_what_is_proven() -> None:
    lost, won, drawn = (candidate(move, 500, value, value, value) for move, value in ((1, -1), (2, 1), (3, 0)))
    hope = candidate(4, 100, 0.4)
    doubt = candidate(5, 900, -0.4)
    assert best_of([lost, hope], "visits") == [hope]
    assert best_of([doubt, won, hope], "visits") == [won]
    assert best_of([drawn, doubt], "visits") == [drawn]
    assert best_of([drawn, hope], "visits") == [hope]
    assert best_of([lost, lost], "visits") == [lost, lost]
    assert best_of([lost, candidate(6, 3, -1.0)], "visits") == [candidate(6, 3, -1.0)]


def test_scores_are_seen_by_the_side_to_move() -> None:
    """Black is far ahead: White sees a negative score, and under the other objective a positive one."""
    text = "XXXXXXXX" * 6 + "XXXXXOX-" + "XXXXXX--"
    for variant, sign in ((OTHELLO, 1), (REVERSED, -1)):
        position = Position.from_text(text + "X", variant)
        report = MonteCarlo(Options(reward="margin"), 1).run(position)
        assert report.score is not None and sign * report.score > 40


def test_a_pass_is_a_word_in_the_line_and_no_node() -> None:
    """X fills the board alone: O has no disc to turn with, and passes three times."""
    position = Position.from_text("X-O- XOXO OOX- -OXX X")
    search = MonteCarlo(Options(reward="margin"))
    report = search.run(position)
    assert report.pv == (24, PASS, 1, PASS, 3, PASS, 19)
    assert report.score == 16 and report.exact
    turns = search._nodes["link"][: search.used] & np.uint64(memory.OURS) != 0
    assert turns[0] and turns[1], "after its first move it is to move again"


def test_whoever_follows_hears_of_it_meanwhile_and_changes_nothing() -> None:
    playouts, told = 2 * PORTION + 100, list[Report]()
    alone = MonteCarlo(seed=3).run(Position.start(), Limit(playouts=playouts))
    with followed(told.append):
        heard = MonteCarlo(seed=3).run(Position.start(), Limit(playouts=playouts))
    assert [report.nodes for report in told] == [PORTION, 2 * PORTION]
    assert replace(heard, seconds=0.0) == replace(alone, seconds=0.0)
    assert sum(heard.visits.values()) == playouts and told[0].visits.keys() == heard.visits.keys()
