"""What Monte Carlo tree search claims to have proven is true, by brute force; on one thread and on several."""

from functools import cache

import gridboard
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import ALL_VARIANTS, played_positions, random_line

from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.search.limits import Limit
from outflank.search.montecarlo import memory
from outflank.search.montecarlo.search import MonteCarlo, Options

SMALLEST = [variant for variant in ALL_VARIANTS if variant.square_count == 16]


@cache
def brute_force(own: int, opp: int, rows: int, columns: int, sign: int) -> int:
    """The margin of best play for the side to move, under the objective."""
    board = gridboard.grid(rows, columns)
    moves = gridboard.moves(own, opp, board)
    if moves:
        replies = (gridboard.play(own, opp, move, turned) for move, turned in moves.items())
        return max(-brute_force(*after, rows, columns, sign) for after in replies)
    if gridboard.moves(opp, own, board):
        return -brute_force(opp, own, rows, columns, sign)
    margin = own.bit_count() - opp.bit_count()
    empties = rows * columns - (own | opp).bit_count()
    return sign * (margin + (margin > 0) * empties - (margin < 0) * empties)


def truth(position: Position) -> int:
    variant = position.variant
    return brute_force(position.own, position.opp, variant.rows, variant.columns, variant.sign)


def endings(among: list[Variant], empties: int) -> st.SearchStrategy[Position]:
    """Positions of random games with so many empty squares, or somewhat fewer where a game ended early."""

    def ending(variant: Variant, choices: bytes) -> Position:
        plies = variant.square_count - 4 - empties
        return random_line(variant, choices[:plies])[0]

    return st.builds(ending, st.sampled_from(among), st.binary(min_size=64, max_size=64)).filter(
        lambda one: one.legal > 0
    )


def result(margin: int, chosen: Options) -> int:
    if chosen.reward == "margin":
        return margin
    if margin == 0:
        return -1 if chosen.draw == "loss" else 0
    return 1 if margin > 0 else -1


REWARDS = [Options(), Options(draw="loss"), Options(reward="margin"), Options(reward="margin", threads=3)]


@settings(max_examples=60)
@given(endings(ALL_VARIANTS, 6), st.sampled_from(REWARDS), st.integers(0, 9))
def test_a_proven_score_is_the_truth(position: Position, chosen: Options, seed: int) -> None:
    report = MonteCarlo(chosen, seed).run(position, Limit(playouts=300_000))
    expected = truth(position)
    assert report.score == result(expected, chosen)
    assert report.exact == (chosen.draw == "half" or expected > 0)
    assert "proven" in report.text
    after = position.play(report.move)
    reached = -truth(after)
    assert result(reached, chosen) == report.score, "the move chosen keeps what is proven"


@settings(max_examples=60)
@given(played_positions(st.sampled_from(SMALLEST)), st.sampled_from(REWARDS), st.integers(1, 400))
def test_bounds_always_hold_the_truth(position: Position, chosen: Options, playouts: int) -> None:
    assume(position.legal and position.empties <= 9)
    search = MonteCarlo(chosen, 3)
    search.run(position, Limit(playouts=playouts))
    for one in search.candidates():
        margin = -truth(position.play(one.move))
        assert one.low <= result(margin, chosen) <= one.high


@pytest.mark.parametrize(("name", "margin"), [("4x4", -10), ("reversed-4x4", 4)])
def test_the_smallest_boards_are_solved(name: str, margin: int) -> None:
    position = Position.start(Variant.named(name))
    assert truth(position) == margin
    report = MonteCarlo(Options(reward="margin"), 1).run(position, Limit(playouts=10**6))
    assert (report.score, report.exact) == (margin, True)
    report = MonteCarlo(Options(), 1).run(position, Limit(playouts=10**6))
    assert (report.score, report.exact) == ((margin > 0) - (margin < 0), True)


def test_the_line_of_a_proven_margin_ends_with_it() -> None:
    position = Position.start(Variant.named("4x4"))
    report = MonteCarlo(Options(reward="margin"), 4).run(position, Limit(playouts=10**6))
    for move in report.pv:
        position = position.play(move)
    outcome = position.outcome()
    assert outcome is not None and outcome.score == report.score


def drawn_ending() -> Position:
    """A 4x4 position in which best play draws, and each side can go wrong."""
    for number in range(4000):
        choices = bytes((number * 7 + ply * (number % 13 + 3)) % 251 for ply in range(6))
        position, _ = random_line(Variant(4, 4), choices)
        if position.legal and truth(position) == 0:
            return position
    raise AssertionError("no drawn ending found")


def test_a_proven_draw_is_half_or_a_loss() -> None:
    position = drawn_ending()
    half = MonteCarlo(Options(draw="half")).run(position, Limit(playouts=10**6))
    assert (half.score, half.exact) == (0.0, True) and "proven draw" in half.text
    loss = MonteCarlo(Options(draw="loss")).run(position, Limit(playouts=10**6))
    assert (loss.score, loss.exact) == (-1.0, False) and "proven loss or draw" in loss.text


def test_a_proven_root_ends_the_search() -> None:
    position = drawn_ending()
    report = MonteCarlo(Options(reward="margin")).run(position, Limit(playouts=10**9))
    assert report.nodes < 10**6


def test_without_proofs_the_search_goes_on() -> None:
    position = drawn_ending()
    search = MonteCarlo(Options(proven=False))
    report = search.run(position, Limit(playouts=20_000))
    assert (report.nodes, report.exact) == (20_000, False)
    assert report.score == pytest.approx(0.0, abs=0.2)


# Several threads on one tree


def check_sums(search: MonteCarlo, node: int, result_range: int) -> int:
    """Every visit of a node went on to a child or was a playout from there; no lent loss is left. Counts nodes."""
    visits, total, link, _ = search._nodes[node].item()
    first, count = link & 0xFFFFFFFF, link >> 32 & 255
    below = search._nodes[first : first + count]
    own_playouts = visits - int(below["visits"].sum())
    assert own_playouts >= 0
    assert abs(total - int(below["total"].sum())) <= own_playouts * result_range
    return 1 + sum(check_sums(search, child, result_range) for child in range(first, first + count))


@pytest.mark.parametrize(
    "chosen",
    [
        Options(threads=4, proven=False),
        Options(threads=4, proven=False, memory=0.3),
        Options(threads=4, proven=False, reward="margin", c=0.1),
    ],
    ids=["win", "full", "margin"],
)
@pytest.mark.parametrize("variant", [Variant(), Variant(4, 4)], ids=str)
def test_threads_lose_no_visit(chosen: Options, variant: Variant) -> None:
    search = MonteCarlo(chosen, 7)
    for playouts in (1, 5, 40_000):
        report = search.run(Position.start(variant), Limit(playouts=playouts))
        assert (
            report.nodes
            == playouts
            == int(search._nodes[search.root]["visits"])
            == sum(one.visits for one in search.candidates())
        )
        assert check_sums(search, 0, chosen.result_range(variant)) <= search.used


def test_threads_prove_what_one_proves() -> None:
    position = Position.start(Variant.named("reversed-4x4"))
    for seed in range(12):
        search = MonteCarlo(Options(threads=4, reward="margin"), seed)
        report = search.run(position, Limit(playouts=10**6))
        assert (report.score, report.exact) == (4.0, True)
        end = position
        for move in report.pv:
            end = end.play(move)
        outcome = end.outcome()
        assert outcome is not None and outcome.score == 4


def _bounds(word: int) -> tuple[int, int]:
    return memory.low_of(word), memory.high_of(word)


def test_threads_leave_no_bound_behind() -> None:
    """A node is as narrow as its children make it, whoever proved them."""
    for seed in range(8):
        search = MonteCarlo(Options(threads=4), seed)
        search.run(Position.start(Variant(4, 5)), Limit(playouts=30_000))
        rows = search._nodes[: search.used].tolist()
        for row in rows:
            first, count = row[2] & 0xFFFFFFFF, row[2] >> 32 & 255
            if count:
                choose = max if row[2] >> 48 & 1 else min
                below = [_bounds(rows[child][3]) for child in range(first, first + count)]
                low, high = choose(low for low, _ in below), choose(high for _, high in below)
                assert _bounds(row[3]) == (low, high)
