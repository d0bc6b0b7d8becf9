"""Features: the small facts about a position that heuristics add up, each a kernel for every board size.

A feature takes `(own, opp, board)` and counts for the side given as `own`; its caller takes the difference of
both sides. It returns int64, so that differences cannot underflow. Where what it counts are squares, a kernel gives
them as a mask, and the count is made of it: names that end in `_discs` or `_squares` give masks, all others counts.
Where one of the five counts it so, its name stands there (docs/the-five.md).
Each kernel has a plain-Python reference of the same name in tests/naive_features.py.
"""

from collections.abc import Callable, Mapping

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import frontier as frontier_discs
from outflank.board.kernels import legal_moves, neighbours, stable_discs, symmetry
from outflank.board.vectors import count as _count
from outflank.board.vectors import reachable
from outflank.heuristics.lines import flippable, run_lengths, runs
from outflank.heuristics.matrices import MATRICES, SquareSum, square_weights

# Numba mixes uint64 with a plain int into int64 or float64, so every constant has its type.
ZERO, ONE, TWO, FOUR, SEVEN, EIGHT = (uint64(n) for n in (0, 1, 2, 4, 7, 8))
SIXTEEN, THIRTY_TWO = uint64(16), uint64(32)
FOURTEEN, TWENTY_EIGHT = uint64(14), uint64(28)
NOT_COLUMN_A, NOT_COLUMN_H = uint64(0xFEFEFEFEFEFEFEFE), uint64(0x7F7F7F7F7F7F7F7F)
COLUMN_A, COLUMNS_AB, COLUMNS_ABCD = (uint64(n * 0x0101010101010101) for n in (0x01, 0x03, 0x0F))
NOT_COLUMNS_GH, NOT_COLUMNS_EFGH = (uint64(n * 0x0101010101010101) for n in (0x3F, 0x0F))
ROW_1, ROWS_12, ROWS_1234 = uint64(0xFF), uint64(0xFFFF), uint64(0xFFFFFFFF)

Counting = Callable[[int, int, int], int]
"""Squares, or how many of them."""
COUNTS: dict[str, Counting] = {}
"""The features that count, by name."""
MASKS: dict[str, Counting] = {}
"""For those that count squares, the squares counted."""


def _feature(function: Counting, identity: str = "") -> Counting:
    """Compiles a feature that counts."""
    name = function.__name__
    COUNTS[name] = kernel("int64(uint64, uint64, uint64)", identity)(function)
    return COUNTS[name]


def _counted(name: str, squares: Counting) -> Counting:
    """The feature that counts the squares of a mask."""

    def feature(own: int, opp: int, board: int) -> int:
        return int64(_count(squares(own, opp, board)))

    feature.__name__, feature.__doc__ = name, f"How many there are: {squares.__doc__}"
    MASKS[name] = squares
    return _feature(feature, name)


# Discs


@kernel("int64(uint64)")
def count(mask: int) -> int:
    """How many squares a mask has, as a signed number."""
    return int64(_count(mask))


@_feature
def disc_count(own: int, opp: int, board: int) -> int:
    """Own discs (`mini-go`, `self-taught`; `dynamic`'s piece parity)."""
    return int64(_count(own))


@_feature
def disc_difference(own: int, opp: int, board: int) -> int:
    """Own discs minus enemy discs: `self-taught`'s score."""
    return int64(_count(own)) - int64(_count(opp))


@_feature
def empties(own: int, opp: int, board: int) -> int:
    """Empty squares left (`corner-shy` plans its depth by them); the same for both sides."""
    return int64(_count(board & ~(own | opp)))


# Mobility


mobility = _counted("mobility", legal_moves)
"""`phased`'s liberty, `self-taught`'s and `dynamic`'s mobility."""
remaining_moves = mobility
"""`corner-shy`'s "remaining steps", the length of its action list."""


@kernel("uint64(uint64, uint64, uint64)")
def potential_mobility_squares(own: int, opp: int, board: int) -> int:
    """The empty squares next to at least one enemy disc (`dynamic`)."""
    return neighbours(opp) & board & ~(own | opp)


potential_mobility = _counted("potential_mobility", potential_mobility_squares)


@kernel("int64(uint64, uint64)")
def _contacts(discs: int, empty: int) -> int:
    """Pairs of a disc and an empty square beside it."""
    # The empty squares are moved, not the discs: eight shifts of one mask, each meeting the same discs.
    left, right = (empty & NOT_COLUMN_A) >> ONE, (empty & NOT_COLUMN_H) << ONE
    beside = _count(discs & left) + _count(discs & right)
    above = _count(discs & (empty >> EIGHT)) + _count(discs & (left >> EIGHT)) + _count(discs & (right >> EIGHT))
    below = _count(discs & (empty << EIGHT)) + _count(discs & (left << EIGHT)) + _count(discs & (right << EIGHT))
    return int64(beside + above + below)


@_feature
def potential_mobility_by_disc(own: int, opp: int, board: int) -> int:
    """The empty neighbours of every enemy disc, added up: a square beside three of them counts three times."""
    return _contacts(opp, board & ~(own | opp))


@_feature
def potential_liberty(own: int, opp: int, board: int) -> int:
    """The empty neighbours of every own disc, added up: `phased`'s potential liberty, bad when big.

    It is the other side's `potential_mobility_by_disc`, so it must count against its owner.
    """
    return _contacts(own, board & ~(own | opp))


# Frontier

frontier = _counted("frontier", frontier_discs)
"""Frontier discs as `corner-shy`'s prose has them."""


@kernel("uint64(uint64)")
def _inner_squares(board: int) -> int:
    """The board without its rim."""
    rows = board & (board >> EIGHT) & (board << EIGHT)
    return rows & ((board & NOT_COLUMN_A) >> ONE) & ((board & NOT_COLUMN_H) << ONE)


@_feature
def frontier_contacts(own: int, opp: int, board: int) -> int:
    """Frontier as `corner-shy`'s code counts it: one per empty neighbour, for own discs off the rim only."""
    return _contacts(own & _inner_squares(board), board & ~(own | opp))


# Corners


@kernel("uint64(uint64)")
def corner_squares(board: int) -> int:
    """The four corners of a board."""
    sides = (board & COLUMN_A) | (board & ~((board & NOT_COLUMN_A) >> ONE))
    ends = (board & ROW_1) | (board & ~(board >> EIGHT))
    return sides & ends


@_feature
def corners(own: int, opp: int, board: int) -> int:
    """Own corners: `self-taught` and `dynamic`'s corners captured."""
    return int64(_count(own & corner_squares(board)))


@kernel("uint64(uint64, uint64, uint64)")
def potential_corner_squares(own: int, opp: int, board: int) -> int:
    """The corners that could be captured with the next move (`dynamic`)."""
    return reachable(own, opp) & corner_squares(board) & ~(own | opp)


potential_corners = _counted("potential_corners", potential_corner_squares)


@kernel("uint64(uint64, uint64, uint64)")
def unlikely_corner_squares(own: int, opp: int, board: int) -> int:
    """The empty corners that a side cannot soon capture (`dynamic`: "just the opposite" of potential; ours to define).

    A corner is taken over an enemy disc beside it. Where there is none, it cannot be captured at the next move,
    nor at any later one until the other side has put a disc there. An empty corner may be neither kind.
    """
    return corner_squares(board) & ~(own | opp) & ~neighbours(opp)


unlikely_corners = _counted("unlikely_corners", unlikely_corner_squares)


@kernel("uint64(uint64)")
def _beside(mask: int) -> int:
    """The squares that share a side with a square of the mask (on the 8x8 grid)."""
    return ((mask & NOT_COLUMN_H) << ONE) | ((mask & NOT_COLUMN_A) >> ONE) | (mask << EIGHT) | (mask >> EIGHT)


@kernel("uint64(uint64, uint64, uint64)")
def corner_closeness_discs(own: int, opp: int, board: int) -> int:
    """The own discs on the C and X squares of empty corners: behind `dynamic`'s `l`."""
    return own & neighbours(corner_squares(board) & ~(own | opp))


corner_closeness = _counted("corner_closeness", corner_closeness_discs)


@_feature
def c_square_count(own: int, opp: int, board: int) -> int:
    """Own discs on C squares, which share a side with a corner, whoever holds it (`phased`'s notation)."""
    return int64(_count(own & _beside(corner_squares(board))))


@_feature
def x_square_count(own: int, opp: int, board: int) -> int:
    """Own discs on X squares, diagonal to a corner, whoever holds it (`phased`'s notation)."""
    corner = corner_squares(board)
    return int64(_count(own & neighbours(corner) & ~_beside(corner)))


# Stable discs


@kernel("uint64(uint64, uint64, uint64)")
def ray_stable_discs(own: int, opp: int, board: int) -> int:
    """The own corners and the own discs on straight, unbroken walks from them: what `corner-shy` means by stable.

    Diagonals are walked too, and are not really stable.
    """
    corner = own & corner_squares(board)
    if corner == ZERO:
        return ZERO
    return corner | runs(own, corner)


ray_stable = _counted("ray_stable", ray_stable_discs)


@_feature
def ray_stable_as_printed(own: int, opp: int, board: int) -> int:
    """`corner-shy`'s own count: each corner, and each ray from it, whatever other rays have counted already.

    An edge between two own corners counts twice: a full 8x8 edge 16, a full 8x8 board 88.
    """
    corner = own & corner_squares(board)
    if corner == ZERO:
        return int64(0)
    return int64(_count(corner) + run_lengths(own, corner))


@kernel("uint64(uint64)")
def _triangle(own: int) -> int:
    """`phased`'s triangle scan from the top-left corner, row by row and column by column.

    A row's run starts at the rim and is at most the run above minus one. A disc of it then has a stable disc or
    the rim to its left, above, and on both diagonals above: a square is in the triangle when it ends an own run
    from the rim and so do all squares up its diagonal. Each loop over 8 squares is three doublings.
    """
    by_row = own & ((own << ONE) | COLUMN_A)
    by_row &= (by_row << TWO) | COLUMNS_AB
    by_row &= (by_row << FOUR) | COLUMNS_ABCD
    by_row &= ((by_row << SEVEN) & NOT_COLUMN_H) | ROW_1
    by_row &= ((by_row << FOURTEEN) & NOT_COLUMNS_GH) | ROWS_12
    by_row &= ((by_row << TWENTY_EIGHT) & NOT_COLUMNS_EFGH) | ROWS_1234
    by_column = own & ((own << EIGHT) | ROW_1)
    by_column &= (by_column << SIXTEEN) | ROWS_12
    by_column &= (by_column << THIRTY_TWO) | ROWS_1234
    by_column &= (by_column >> SEVEN) | COLUMN_A
    by_column &= (by_column >> FOURTEEN) | COLUMNS_AB
    by_column &= (by_column >> TWENTY_EIGHT) | COLUMNS_ABCD
    return by_row | by_column


@kernel("uint64(uint64, uint64, uint64)")
def _left_triangles(own: int, rows: int, columns: int) -> int:
    """The triangles at the top-left and bottom-left corners."""
    return _triangle(own) | symmetry(_triangle(symmetry(own, TWO, rows, columns)), TWO, rows, columns)


@kernel("uint64(uint64, uint64, uint64)")
def triangle_stable_discs(own: int, opp: int, board: int) -> int:
    """The own discs that `phased`'s triangle scan finds from each corner, both ways; all of them really are stable."""
    corner = own & corner_squares(board)
    rows, columns = _count(board & COLUMN_A), _count(board & ROW_1)
    triangles = ZERO
    # Most positions have own corners on one side at most.
    if corner & COLUMN_A:
        triangles = _left_triangles(own, rows, columns)
    if corner & ~COLUMN_A:
        triangles |= symmetry(_left_triangles(symmetry(own, ONE, rows, columns), rows, columns), ONE, rows, columns)
    return triangles


triangle_stable = _counted("triangle_stable", triangle_stable_discs)
stable = _counted("stable", stable_discs)
"""`dynamic`'s stable class."""


@kernel("uint64(uint64, uint64, uint64)")
def semi_stable_discs(own: int, opp: int, board: int) -> int:
    """The own discs that cannot be turned at once, yet perhaps later: `dynamic`'s semi-stable class."""
    return own & ~stable_discs(own, opp, board) & ~flippable(own, opp, board & ~(own | opp))


semi_stable = _counted("semi_stable", semi_stable_discs)


@kernel("uint64(uint64, uint64, uint64)")
def unstable_discs(own: int, opp: int, board: int) -> int:
    """The own discs that the other side could turn at once, were it to move now: `dynamic`'s unstable class."""
    return flippable(own, opp, board & ~(own | opp))


unstable = _counted("unstable", unstable_discs)


# Parity


@_feature
def odd_regions(own: int, opp: int, board: int) -> int:
    """Regions of empty squares with an odd number of them; squares that touch at a corner belong together.

    So an empty corner and its empty X square are one region of two, as players see it. The same for both sides.
    """
    rest = board & ~(own | opp)
    odd = ZERO
    while rest:
        region = rest & (ZERO - rest)
        grown = region | (neighbours(region) & rest)
        while grown != region:
            region = grown
            grown = region | (neighbours(region) & rest)
        odd += _count(region) & ONE
        rest ^= region
    return int64(odd)


@_feature
def odd_quadrants(own: int, opp: int, board: int) -> int:
    """Quarters of the board with an odd number of empty squares: the engines' quick stand-in for odd regions.

    On an odd board the middle row and column belong to the lower and right quarters. The same for both sides.
    """
    empty = board & ~(own | opp)
    top = (ONE << (FOUR * _count(board & COLUMN_A) & ~SEVEN)) - ONE
    left = COLUMN_A * ((ONE << (_count(board & ROW_1) >> ONE)) - ONE)
    odd = (_count(empty & top & left) & ONE) + (_count(empty & top & ~left) & ONE)
    odd += (_count(empty & ~top & left) & ONE) + (_count(empty & ~top & ~left) & ONE)
    return int64(odd)


WEIGHTS: Mapping[str, SquareSum] = {
    f"{name.replace('-', '_')}_weights": square_weights(name) for name in sorted(MATRICES)
}
"""The features that add up square weights, by name."""
