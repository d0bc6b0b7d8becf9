"""The worked examples and tables that the five seed documents print. Their trees are in test_tree_search.py, their
features in test_features.py, their Monte Carlo in test_montecarlo.py."""

import re
from pathlib import Path

import naive_heuristics
import pytest
from searching import ordinary

from outflank.agents.classic import SearchPlayer
from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import REVERSED, Variant
from outflank.features import frontier, ray_stable, static_weights, triangle_stable
from outflank.heuristics.matrices import MATRICES
from outflank.heuristics.named import NAMED
from outflank.heuristics.weighted import WeightedHeuristic
from outflank.search.engine.solver import Solver

OTHELLO = Variant()
BOARD = OTHELLO.board
A1, H1, A8, H8 = (1 << square for square in (0, 7, 56, 63))


def square(row: int, column: int) -> int:
    """`self-taught` counts rows and columns from 0."""
    return 8 * row + column


def term(heuristic: str, name: str, own: int, opp: int, variant: Variant = OTHELLO) -> float:
    """What a term adds to a heuristic's value."""
    return next(line.share or 0.0 for line in NAMED[heuristic].lines(own, opp, variant) if line.name == name)


# `corner-shy`: Reversed Reversi


def test_000_wants_more_frontier_discs_fewer_stable_ones_and_more_moves() -> None:
    weights = {one.name: one.weights[0] for one in NAMED["corner-shy"].terms}
    assert weights["frontier"] > 0 > weights["stable"]
    assert weights["moves"] > 0
    assert NAMED["corner-shy"].objective == "fewest"


def test_000_the_corner_has_the_lowest_priority_and_the_squares_beside_it_a_higher_one() -> None:
    table = MATRICES["corner-shy"]
    everything = [value for row in table for value in row]
    assert table[0][0] == min(everything)
    assert everything.count(table[0][0]) == 4
    assert table[0][1] == table[1][0] == max(everything)


def test_000_a_corner_is_bad_in_its_own_game_and_good_in_the_other() -> None:
    own, opp = A1, 1 << 28
    assert term("corner-shy", "squares", own, opp, REVERSED) < 0 < term("corner-shy", "squares", own, opp)
    assert term("corner-shy", "stable", own, opp, REVERSED) < 0 < term("corner-shy", "stable", own, opp)
    assert ray_stable(own, opp, BOARD) == frontier(own, opp, BOARD) == 1


# `phased`: three phases


@pytest.mark.parametrize(
    ("discs", "weights"),
    [
        (4, (100, 1, 0, -10)),
        (19, (100, 1, 0, -10)),
        (20, (0.8, 40, 80, -15)),
        (39, (0.8, 40, 80, -15)),
        (40, (1, 30, 100, -15)),
        (64, (1, 30, 100, -15)),
    ],
)
def test_002_weights_by_the_number_of_discs(discs: int, weights: tuple[float, ...]) -> None:
    """Below 20, from 20 to 39, from 40; potential liberty counts against its owner."""
    own = (1 << discs // 2) - 1
    opp = ((1 << discs) - 1) ^ own
    lines = NAMED["phased"].lines(own, opp, OTHELLO)
    assert tuple(line.weight for line in lines) == weights
    assert [line.name for line in lines] == ["weighting", "liberty", "stable", "potential liberty"]


def test_002_phases_on_a_smaller_board_begin_at_the_same_part_of_it() -> None:
    small = Variant.named("6x6")
    phases = [NAMED["phased"].phase(discs, small) for discs in range(4, 37)]
    assert phases.index(1) + 4 == 12  # 20 of 64 is 11.25 of 36
    assert phases.index(2) + 4 == 23  # 40 of 64 is 22.5 of 36


def test_002_a_corner_is_worth_500_and_a_c_square_minus_50() -> None:
    table = MATRICES["phased"]
    assert {table[row][column] for row in (0, 7) for column in (0, 7)} == {500}
    c_squares = [(0, 1), (1, 0), (0, 6), (1, 7), (6, 0), (7, 1), (6, 7), (7, 6)]
    assert {table[row][column] for row, column in c_squares} == {-50}


def test_002_the_triangle_of_its_picture_has_twelve_stable_discs() -> None:
    rows = ("OOOOOXOO", "OOOOX---", "OOXX----", "OX------", "X-------", "X-------", "X-------", "--------")
    position = Position.from_text("".join(rows) + "O")
    corner_only = position.own & ~(0b11 << 6)  # its picture counts from the top-left corner alone
    assert triangle_stable(corner_only, position.opp, BOARD) == 12


# `self-taught`: 6x6 with the colours of the start exchanged


SIX_PLIES = [((1, 3), 4, 1), ((1, 2), 3, 3), ((0, 1), 5, 2), ((0, 4), 4, 4), ((0, 3), 6, 3), ((0, 2), 4, 6)]


def test_003_six_plies_and_their_counts() -> None:
    game = Game(Variant.named("6x6-mirrored"))
    assert str(game.position).splitlines()[3:5] == ["3 - - X O - -", "4 - - O X - -"]
    assert game.position.turn is Color.BLACK
    for (row, column), black, white in SIX_PLIES:
        game.push(square(row, column))
        assert (game.position.count(Color.BLACK), game.position.count(Color.WHITE)) == (black, white)


def test_003_the_end_of_its_game() -> None:
    end = Position.from_text("OXXXXX OOXXOX OXOXOX OXOOOX OOOOOX OOOOOO X", Variant.named("6x6-mirrored"))
    assert end.is_over
    assert (end.count(Color.BLACK), end.count(Color.WHITE)) == (14, 22)
    outcome = end.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.score) == (Color.WHITE, -8)


def test_003_what_each_evaluation_counts() -> None:
    """Score, mobility and piece values in all three; corners in the second and third."""
    names = {number: [one.name for one in NAMED[f"evaluation-{number}"].terms] for number in (1, 2, 3)}
    assert names[1] == ["score", "mobility", "piece values"]
    assert names[2] == names[3] == ["score", "mobility", "corners", "piece values"]
    weights = {one.name: one.weights for one in NAMED["evaluation-3"].terms}
    assert weights == {"score": (0.1,), "mobility": (1,), "corners": (1,), "piece values": (1,)}


@pytest.mark.parametrize(
    ("own", "opp", "second", "third"),
    [
        (0, 0, 0, 0),
        (A1, 0, 1, 1),
        (0, A1 | H1, -2, -2),
        (A1, H8, 0, -85 * 0.2),
        (A1 | H1 | A8, H8, 2, -85 * 0.2),
        (A1, H1 | A8 | H8, -2, -85 * 0.2),
    ],
)
def test_003_when_both_sides_have_corners_the_bonus_is_a_fixed_value(
    own: int, opp: int, second: float, third: float
) -> None:
    own, opp = own | 1 << 27, opp | 1 << 28
    assert term("evaluation-2", "corners", own, opp) == second
    assert term("evaluation-3", "corners", own, opp) == third


@pytest.mark.parametrize(("values", "of_2_2"), [("self-taught", 0.2), ("static", 1)])
def test_003_the_fixed_value_is_minus_85_times_the_piece_value_of_2_2(values: str, of_2_2: float) -> None:
    assert MATRICES[values][2][2] == of_2_2
    player = agent(f"self-taught:values={values}")
    assert isinstance(player, SearchPlayer) and isinstance(player.heuristic, WeightedHeuristic)
    corners = next(one for one in player.heuristic.terms if one.name == "corners")
    assert corners.both == -85 * of_2_2


# `dynamic`: the table and the sum


def test_004_the_static_table() -> None:
    """Square by square as it is printed."""
    for row, line in enumerate(naive_heuristics.STATIC.strip().splitlines()):
        for column, value in enumerate(line.split()):
            assert static_weights(1 << square(row, column), 0, BOARD) == float(value)


def test_004_the_weighted_sum_on_random_positions() -> None:
    """10p + 801.724c + 382.026l + 78.922m + 74.396f + 10d, by a function that knows nothing of ours."""
    for position in ordinary(OTHELLO, 60, 70):
        plain = naive_heuristics.combined(position.own, position.opp, BOARD, fewest=False)
        assert NAMED["combined"].value(position.own, position.opp, OTHELLO) == pytest.approx(plain, rel=1e-9, abs=1e-6)


def test_004_parity_and_mobility_are_the_larger_sides_share() -> None:
    assert term("parity", "discs", 0b0111, 0b1000) == 75
    assert term("parity", "discs", 0b1000, 0b0111) == -75
    assert term("parity", "discs", 0b1000, 0b0100) == 0
    position = Position.start()
    assert term("mobility", "mobility", position.own, position.opp) == 0
    nobody_can_move = (1 << 0, 1 << 63)
    assert term("mobility", "mobility", *nobody_can_move) == 0, "0 / 0 is guarded"


def test_004_corners_weigh_most_and_discs_least() -> None:
    weights = [one.weights[0] for one in NAMED["combined"].terms]
    assert weights == [10, 801.724, 382.026, 78.922, 74.396, 10]


# What the documents say


DOCS = Path(__file__).resolve().parent.parent / "docs"


def test_the_suite_in_the_documents_states_the_true_score() -> None:
    ((board, stated),) = re.findall(r'echo "(\S+ X); ([+-]\d+);"', (DOCS / "submissions.md").read_text())
    assert Solver(1).solve(Position.from_text(board)).score == int(stated)
