"""Facts about the features: they equal their plain references, and the reports' worked examples come out as printed."""

import math
import subprocess
import sys
from random import Random
from typing import Any

import naive
import naive_features
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import SIZES, positions, words

from outflank import features
from outflank.board import kernels
from outflank.board.compiled import kernel
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.timing import nanoseconds, random_positions
from outflank.board.variant import Variant
from outflank.heuristics.features import COUNTS, MASKS, WEIGHTS
from outflank.heuristics.matrices import MATRICES, scaled, square_weights

Boards = tuple[int, int, int]

FULL = 2**64 - 1
TOP_EDGE = 0xFF
NOT_IN_FEATURES = {"stable": naive.stable_discs, "frontier": naive.frontier, "mobility": naive.legal_moves}
MATRIX_OF = {f"{name.replace('-', '_')}_weights": matrix for name, matrix in MATRICES.items()}


@st.composite
def crowded(draw: st.DrawFn) -> Boards:
    """One side has most of the board, so that corners, edges and long runs are often its own."""
    board = draw(st.sampled_from([Variant(*size).board for size in SIZES]))
    scattered = draw(words) & draw(words) & draw(words)
    theirs = board & scattered & draw(words)
    mine = board & ~scattered
    return (mine, theirs, board) if draw(st.booleans()) else (theirs, mine, board)


any_boards = positions().map(lambda position: (position.own, position.opp, position.variant.board)) | crowded()


def transposed(boards: Boards) -> Boards:
    own, opp, board = (kernels.symmetry(mask, 4, 8, 8) for mask in boards)
    return own, opp, board


def mirrored(boards: Boards, which: int) -> Boards:
    own, opp, board = boards
    size = naive_features.size(board)
    return kernels.symmetry(own, which, *size), kernels.symmetry(opp, which, *size), board


def on_a_disc(square: int) -> Boards:
    return 1 << square, 0, FULL


# Against the references


@given(boards=any_boards)
@settings(max_examples=300)
def test_every_count_equals_its_reference(boards: Boards) -> None:
    for name, count in COUNTS.items():
        assert count(*boards) == getattr(naive_features, name)(*boards), name


@given(boards=any_boards)
@settings(max_examples=300)
def test_every_mask_equals_its_reference_and_is_what_is_counted(boards: Boards) -> None:
    for name, mask in MASKS.items():
        reference = NOT_IN_FEATURES.get(name) or getattr(naive_features, mask.__name__)
        assert mask(*boards) == reference(*boards), name
        assert COUNTS[name](*boards) == mask(*boards).bit_count(), name


@pytest.mark.parametrize("size", SIZES)
def test_every_feature_is_right_on_every_board_size(size: tuple[int, int]) -> None:
    variant = Variant(*size)
    owns, opps = random_positions(100, variant, seed=sum(size))
    for own, opp in list(zip(owns.tolist(), opps.tolist(), strict=True))[7::9]:
        for name, count in COUNTS.items():
            assert count(own, opp, variant.board) == getattr(naive_features, name)(own, opp, variant.board), name
        for name, weights in WEIGHTS.items():
            matrix = naive_features.by_distance_to_the_rim(MATRIX_OF[name], *size)
            expected = naive_features.weighted_sum(matrix, own)
            assert math.isclose(weights(own, opp, variant.board), expected, abs_tol=1e-9), name


def test_every_feature_is_public_and_documented() -> None:
    for name, feature in {**COUNTS, **WEIGHTS}.items():
        assert getattr(features, name) is feature
        assert feature.__doc__


# Symmetry


@given(boards=any_boards)
@settings(max_examples=200)
def test_no_feature_sees_a_difference_between_symmetric_positions(boards: Boards) -> None:
    rows, columns = naive_features.size(boards[2])
    for name, feature in {**COUNTS, **WEIGHTS}.items():
        if name == "odd_quadrants" and (rows % 2 or columns % 2):
            continue  # the middle line of an odd board belongs to the quarters on one side
        expected = feature(*boards)
        for which in range(4):
            assert feature(*mirrored(boards, which)) == expected, name
            assert feature(*transposed(mirrored(boards, which))) == expected, name


# Stability: what the definitions have to do with each other


@given(boards=any_boards)
@settings(max_examples=300)
def test_triangles_at_corners_are_provably_stable(boards: Boards) -> None:
    assert features.triangle_stable_discs(*boards) & ~features.stable_discs(*boards) == 0


@given(boards=any_boards)
@settings(max_examples=300)
def test_the_three_classes_of_stability_divide_the_discs(boards: Boards) -> None:
    classes = [features.stable_discs(*boards), features.semi_stable_discs(*boards), features.unstable_discs(*boards)]
    assert sum(classes) == classes[0] | classes[1] | classes[2] == boards[0]


@given(boards=any_boards)
@settings(max_examples=300)
def test_rays_along_the_rim_are_stable(boards: Boards) -> None:
    own, opp, board = boards
    on_the_rim = own & ~naive.to_mask(inner(board))
    assert features.ray_stable_discs(on_the_rim, 0, board) & ~features.stable_discs(own, opp, board) == 0


def inner(board: int) -> set[tuple[int, int]]:
    rows, columns = naive_features.size(board)
    return {(row, column) for row in range(1, rows - 1) for column in range(1, columns - 1)}


def test_a_diagonal_ray_need_not_be_stable() -> None:
    position = Position.from_text(
        """
        X.......
        .X......
        OXX.....
        ........
        ........
        ........
        ........
        ........ X
        """
    )
    loose = features.unstable_discs(position.own, position.opp, FULL)
    assert loose & features.ray_stable_discs(position.own, position.opp, FULL)


@given(boards=any_boards)
def test_an_unlikely_corner_is_empty_and_cannot_be_taken_now(boards: Boards) -> None:
    own, opp, _ = boards
    unlikely = features.unlikely_corner_squares(*boards)
    assert unlikely & (own | opp | features.potential_corner_squares(*boards)) == 0


# The examples of the reports


def test_000_an_own_edge_counts_16_as_printed_and_8_once_each() -> None:
    assert features.ray_stable_as_printed(TOP_EDGE, 0, FULL) == 16
    assert features.ray_stable(TOP_EDGE, 0, FULL) == 8


def test_000_a_full_board_counts_88_as_printed() -> None:
    assert features.ray_stable_as_printed(FULL, 0, FULL) == 88
    assert features.ray_stable(FULL, 0, FULL) == 28 + 12


def test_000_frontier_discs_and_contacts_on_the_start_board() -> None:
    start = Position.start()
    assert features.frontier(start.own, start.opp, FULL) == 2
    assert features.frontier_contacts(start.own, start.opp, FULL) == 10
    assert features.remaining_moves(start.own, start.opp, FULL) == 4


def test_000_corners_have_the_lowest_weight_and_squares_near_them_the_highest() -> None:
    matrix = MATRICES["corner-shy"]
    elsewhere = [matrix[row][column] for row in range(8) for column in range(8) if (row % 7, column % 7) != (0, 0)]
    beside = [matrix[0][1], matrix[1][0], matrix[1][1]]
    assert matrix[0][0] < min(elsewhere)
    assert min(beside) > max(value for value in elsewhere if value not in beside)


PICTURE_002 = """
    OOOOOXOO
    OOOOX...
    OOXX....
    OX......
    X.......
    X.......
    X.......
    ........ O
"""


def test_002_the_triangle_of_its_picture_has_5_4_2_1_discs() -> None:
    position = Position.from_text(PICTURE_002)
    triangles = features.triangle_stable_discs(position.own, position.opp, FULL)
    at_the_right_corner = triangles & 0xC0
    assert [(triangles >> 8 * row & 0x3F).bit_count() for row in range(8)] == [5, 4, 2, 1, 0, 0, 0, 0]
    assert at_the_right_corner.bit_count() == 2  # its other corner has two discs more, in the same picture


def test_002_a_column_edge_is_found_though_its_rows_are_short() -> None:
    column = 0x0101010101010101
    assert features.triangle_stable(column, FULL & ~column, FULL) == 8


def test_002_corner_and_c_square_weights_are_as_printed() -> None:
    assert features.phased_weights(*on_a_disc(0)) == 500
    assert features.phased_weights(*on_a_disc(1)) == features.phased_weights(*on_a_disc(8)) == -50


def test_003_the_discs_of_its_example_game() -> None:
    position = Position.start(Variant(6, 6, start="mirrored"))
    counts = []
    for row, column in [(1, 3), (1, 2), (0, 1), (0, 4), (0, 3), (0, 2)]:
        position = position.play(8 * row + column)
        counts.append(
            (features.disc_count(position.black, position.white, position.variant.board), position.count(Color.WHITE))
        )
    assert counts == [(4, 1), (3, 3), (5, 2), (4, 4), (6, 3), (4, 6)]


def test_003_the_final_board_of_its_example_game() -> None:
    position = Position.from_text("OXXXXX OOXXOX OXOXOX OXOOOX OOOOOX OOOOOO".replace(" ", "\n") + " O", Variant(6, 6))
    boards = position.own, position.opp, position.variant.board
    assert features.disc_difference(*boards) == 22 - 14
    assert (features.corners(*boards), features.corners(boards[1], boards[0], boards[2])) == (3, 1)


PRINTED_004 = """
    4 -3 2 2 2 2 -3 4
    -3 -4 -1 -1 -1 -1 -4 -3
    2 -1 1 0 0 1 -1 2
    2 -1 0 1 1 0 -1 2
    2 -1 0 1 1 0 -1 2
    2 -1 1 0 0 1 -1 2
    -3 -4 -1 -1 -1 -1 -4 -3
    4 -3 2 2 2 2 -3 4
"""


def test_004_the_static_table_is_as_printed() -> None:
    printed = [int(value) for value in PRINTED_004.split()]
    assert [features.static_weights(*on_a_disc(square)) for square in range(64)] == printed


def test_004_potential_mobility_on_the_start_board() -> None:
    start = Position.start()
    assert features.potential_mobility(start.own, start.opp, FULL) == 10
    assert features.potential_mobility_by_disc(start.own, start.opp, FULL) == 10


def test_004_the_four_kinds_of_corner() -> None:
    position = Position.from_text(
        """
        X.....O.
        .......X
        ........
        ........
        ........
        ........
        .O......
        ..X..... X
        """
    )
    boards = position.own, position.opp, FULL
    assert features.corners(*boards) == 1
    assert features.potential_corners(*boards) == 0
    assert features.unlikely_corner_squares(*boards) == 1 << 63  # h1 and a8 have an enemy disc beside them
    assert features.corner_closeness_discs(*boards) == 1 << 15


def test_an_empty_corner_and_its_x_square_are_one_region() -> None:
    own = FULL & ~(1 | 1 << 9 | 1 << 63)
    assert features.odd_regions(own, 0, FULL) == 1


# Types


def test_differences_of_counts_may_be_negative_in_compiled_code() -> None:
    @kernel("float64(uint64, uint64, uint64)", identity="test-difference")
    def difference(own: int, opp: int, board: int) -> float:
        return 10 * (features.mobility(own, opp, board) - features.mobility(opp, own, board))

    start = Position.start()
    move = start.play("d3").play("c3")
    expected = 10 * (
        naive_features.mobility(move.own, move.opp, FULL) - naive_features.mobility(move.opp, move.own, FULL)
    )
    assert difference(move.own, move.opp, FULL) == expected != 0
    assert difference(move.opp, move.own, FULL) == -expected


def test_counts_are_whole_numbers_and_weights_are_floats() -> None:
    start = Position.start()
    assert {type(count(start.own, start.opp, FULL)) for count in COUNTS.values()} == {int}
    assert {type(weights(start.own, start.opp, FULL)) for weights in WEIGHTS.values()} == {float}


# Square weights


@pytest.mark.parametrize("name", MATRICES)
def test_a_named_matrix_is_symmetric(name: str) -> None:
    matrix = np.array(MATRICES[name])
    assert matrix.shape == (8, 8)
    for other in (matrix.T, matrix[::-1], matrix[:, ::-1]):
        assert (matrix == other).all()


@pytest.mark.parametrize("size", SIZES)
def test_a_scaled_matrix_keeps_corners_c_and_x_squares_and_edges(size: tuple[int, int]) -> None:
    rows, columns = size
    matrix = scaled(MATRICES["disc-squares"], rows, columns)
    assert matrix == tuple(map(tuple, naive_features.by_distance_to_the_rim(MATRICES["disc-squares"], rows, columns)))
    for row in (0, rows - 1):
        for column in (0, columns - 1):
            assert matrix[row][column] == 20
    assert matrix[0][1] == matrix[1][0] == matrix[rows - 1][columns - 2] == -3
    assert matrix[1][1] == matrix[rows - 2][columns - 2] == -7
    assert columns < 5 or matrix[0][2] == 11


def test_a_4x4_board_has_only_corners_c_and_x_squares() -> None:
    assert scaled(MATRICES["static"], 4, 4) == ((4, -3, -3, 4), (-3, -4, -4, -3), (-3, -4, -4, -3), (4, -3, -3, 4))


def made_up(rows: int, columns: int, seed: int) -> list[list[float]]:
    rng = Random(seed)
    return [[rng.uniform(-5, 5) for _ in range(columns)] for _ in range(rows)]


@pytest.mark.parametrize("size", [(8, 8), (6, 6), (4, 7), (5, 5)])
def test_any_matrix_can_be_used_however_irregular(size: tuple[int, int]) -> None:
    rows, columns = size
    matrix = made_up(rows, columns, seed=rows)
    weights = square_weights(matrix)
    assert scaled(matrix, rows, columns) == tuple(map(tuple, matrix))
    for other in (size, (8, 8), (6, 5)):
        board = Variant(*other).board
        for own in (board, board & 0x5A3C_9F01_7E24_88D3):
            expected = naive_features.weighted_sum(scaled(matrix, *other), own)
            assert math.isclose(weights(own, 0, board), expected, abs_tol=1e-9)


def test_a_flat_list_of_values_needs_its_size() -> None:
    values = [float(value % 7) for value in range(36)]
    nested = [values[row : row + 6] for row in range(0, 36, 6)]
    assert square_weights(values, rows=6, columns=6) is square_weights(nested)
    assert square_weights(values, 6, 6)(1 << 11, 0, Variant(6, 6).board) == nested[1][3]


def test_decimal_fractions_add_up_without_rounding() -> None:
    matrix = [[0.1] * 8] * 8
    assert square_weights(matrix)(0b111, 0, FULL) == 0.3  # and not 0.1 + 0.1 + 0.1


def test_a_matrix_of_zeros_weighs_nothing() -> None:
    assert square_weights([[0] * 8] * 8)(FULL, 0, FULL) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("statics",), "'statics' is not a table of square values: the tables are corner-shy, phased"),
        (([[1, 2], [3, 4]],), r"4 to 8 rows and columns, not the shape \(2, 2\)"),
        (([1.0] * 36,), r"not the shape \(36,\)"),
        (([1.0] * 35, 6, 6), "35 square values do not fill a board of 6 rows and 6 columns"),
        (([[1, 2, 3, 4], [1, 2, 3]],), "rows of equal length"),
        (([[math.nan] * 8] * 8,), "must be finite"),
    ],
)
def test_a_wrong_matrix_is_refused_with_the_reason(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        square_weights(*arguments)


TWO_TABLES = """
import sys
from outflank.board.compiled import kernel
from outflank.heuristics.matrices import square_weights
first, second = (square_weights([[float(value)] * 8] * 8) for value in sys.argv[1:])
@kernel("float64(uint64, uint64, uint64)", identity="two tables " + " ".join(sys.argv[1:]))
def both(own, opp, board):
    return 1000 * first(own, opp, board) + second(own, opp, board)
print(both(1, 0, 2**64 - 1))
"""


def test_machine_code_from_the_cache_is_that_of_its_own_table(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTFLANK_CACHE", str(tmp_path))
    # Without a name of its own, the new table of the second process got the number of the stored one.
    for first, second in ((3, 5), (7, 3)):
        command = [sys.executable, "-c", TWO_TABLES, str(first), str(second)]
        assert (
            float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) == 1000 * first + second
        )


def test_features_are_timed() -> None:
    times = nanoseconds({name: COUNTS[name] for name in ("mobility", "odd_regions")}, Variant(5, 7))
    assert times.keys() == {"mobility", "odd_regions"}
    assert all(0 < time < 10_000 for time in times.values())
