"""Weighted squares: a matrix of square values as a compiled feature for every board size.

The sum over discs becomes a sum over values: value × number of own discs on the squares that have it. A matrix
made for one size serves the others too, because a square's role is its distance to the rim (see `scaled`).
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.variant import LARGEST, SMALLEST
from outflank.board.vectors import count
from outflank.errors import Fault

Matrix = tuple[tuple[float, ...], ...]
SquareSum = Callable[[int, int, int], float]
"""A feature that adds up the values of own discs' squares."""

SIZES = [(rows, columns) for rows in range(SMALLEST, LARGEST + 1) for columns in range(SMALLEST, LARGEST + 1)]
COLUMN_A, ROW_1 = uint64(0x0101010101010101), uint64(0xFF)
SIDES, SMALLEST_INDEX = uint64(LARGEST - SMALLEST + 1), uint64(SMALLEST * (LARGEST - SMALLEST + 1) + SMALLEST)

DIVISORS = [10**digits for digits in range(7)]
LARGEST_WHOLE = 2**47  # 64 of them add up without loss, as int64 and as float64


def _mirrored(quarter: Sequence[Sequence[float]]) -> Matrix:
    """The whole board from its top-left quarter."""
    half = [(*row, *reversed(row)) for row in quarter]
    return (*half, *reversed(half))


MATRICES: dict[str, Matrix] = {
    # `corner-shy` prints none: "the corner must have the lowest priority while the positions near the corners enjoy
    # higher priority", for Reversed Reversi. These keep that shape and were found by challenger matches inside the
    # heuristic `corner-shy`, which with them scores 0.82 against itself without a matrix (800 games at depth 3).
    "corner-shy": _mirrored(((-100, 8, -12, -17), (8, -4, -17, -8), (-12, -17, -7, -6), (-17, -8, -6, -5))),
    # `phased` prints corner 500 and C −50; the rest is ours, found by challenger matches inside `phased` (0.63
    # against the customary gentle numbers: X −100, A 30, the middle from 1 to 5).
    "phased": _mirrored(((500, -50, 20, 10), (-50, -250, -40, -20), (20, -40, -5, -5), (10, -20, -5, -5))),
    # `self-taught` prints none of its learnt values. Ours are in its unit, one legal move. The value of (2, 2) is the
    # one it lets us infer: it gives −85 times that where both sides have corners, and a search returned −17.6.
    "self-taught": _mirrored(((8, -2, 1, 0.5), (-2, -3, -0.4, -0.2), (1, -0.4, 0.2, 0.1), (0.5, -0.2, 0.1, 0))),
    # `dynamic`, as printed.
    "static": (
        (4, -3, 2, 2, 2, 2, -3, 4),
        (-3, -4, -1, -1, -1, -1, -4, -3),
        (2, -1, 1, 0, 0, 1, -1, 2),
        (2, -1, 0, 1, 1, 0, -1, 2),
        (2, -1, 0, 1, 1, 0, -1, 2),
        (2, -1, 1, 0, 0, 1, -1, 2),
        (-3, -4, -1, -1, -1, -1, -4, -3),
        (4, -3, 2, 2, 2, 2, -3, 4),
    ),
    # The table behind `dynamic`'s `d`, which it does not print; it stands in the public programs with its constants.
    "disc-squares": _mirrored(((20, -3, 11, 8), (-3, -7, -4, 1), (11, -4, 2, 2), (8, 1, 2, -3))),
}
"""Square values by name, for 8x8."""


def _source(index: int, length: int, source_length: int) -> int:
    """The row (or column) of the source that has the distance to the nearer rim that this one has."""
    from_end = length - 1 - index
    innermost = (source_length - 1) // 2
    if index <= from_end:
        return min(index, innermost)
    return source_length - 1 - min(from_end, innermost)


def scaled(matrix: Sequence[Sequence[float]], rows: int, columns: int) -> Matrix:
    """A matrix for another board size: corners, C and X squares and edges keep their values.

    A row takes the values of the row as far from the nearer rim, and so does a column. A smaller board loses the
    rows in the middle; a larger one repeats the innermost.
    """
    return tuple(
        tuple(
            matrix[_source(row, rows, len(matrix))][_source(column, columns, len(matrix[0]))]
            for column in range(columns)
        )
        for row in range(rows)
    )


def as_matrix(matrix: str | Sequence[Any], rows: int | None = None, columns: int | None = None) -> Matrix:
    """A matrix by name, by its rows, or by its values one after the other and its size; checked."""
    if isinstance(matrix, str):
        if matrix not in MATRICES:
            raise Fault("squares.unknown", name=matrix, names=", ".join(MATRICES))
        matrix = MATRICES[matrix]
    try:
        values = np.asarray(matrix, np.float64)
    except (TypeError, ValueError):
        raise Fault("squares.ragged") from None
    if rows is not None or columns is not None:
        if rows is None or columns is None or values.size != rows * columns:
            raise Fault("squares.count", size=values.size, rows=rows, columns=columns)
        values = values.reshape(rows, columns)
    if values.ndim != 2 or values.shape not in SIZES:
        raise Fault("squares.shape", least=SMALLEST, most=LARGEST, shape=values.shape)
    if not np.isfinite(values).all():
        raise Fault("squares.finite")
    return tuple(tuple(row) for row in values.tolist())


def squares_by_value(matrix: Matrix) -> dict[float, int]:
    """The mask of the squares that have each value."""
    masks: dict[float, int] = defaultdict(int)
    for row, line in enumerate(matrix):
        for column, value in enumerate(line):
            masks[value] |= 1 << (8 * row + column)
    return masks


def _tables(matrix: Matrix) -> tuple[Any, Any, int]:
    """The values other than 0, for each board size (one after the other) the squares of each value, and a divisor.

    Decimal fractions become whole numbers over a divisor: those add up faster and without rounding.
    """
    values = sorted({value for row in matrix for value in row if value}) or [0.0]
    boards = [squares_by_value(scaled(matrix, rows, columns)) for rows, columns in SIZES]
    masks = np.array([board[value] for board in boards for value in values], np.uint64)
    for divisor in DIVISORS:
        whole = [round(value * divisor) for value in values]
        if max(map(abs, whole)) < LARGEST_WHOLE and [number / divisor for number in whole] == values:
            return np.array(whole, np.int64), masks, divisor
    return np.array(values, np.float64), masks, 1


_compiled: dict[str, SquareSum] = {}


def square_weights(matrix: str | Sequence[Any], rows: int | None = None, columns: int | None = None) -> SquareSum:
    """A feature `(own, opp, board)` that adds up the values of the own discs' squares, on every board size.

    `matrix` is a name of `MATRICES`, or rows of numbers, or (with `rows` and `columns`) a flat list of numbers.
    Boards of another size than the matrix get its `scaled` form.
    """
    values, masks, divisor = _tables(as_matrix(matrix, rows, columns))
    data = f"{values.dtype} {divisor} {values.tolist()} {masks.tolist()}"
    identity = hashlib.sha256(data.encode()).hexdigest()[:16]
    if identity not in _compiled:
        _compiled[identity] = _compile(values, masks, divisor, identity)
    return _compiled[identity]


def _compile(values: Any, masks: Any, divisor: int, identity: str) -> SquareSum:
    classes, nothing, unit = uint64(len(values)), values.dtype.type(0), np.float64(divisor)

    def weights(own: int, opp: int, board: int) -> float:
        size = SIDES * count(board & COLUMN_A) + count(board & ROW_1) - SMALLEST_INDEX
        total = nothing
        for index in range(classes):
            total += values[index] * int64(count(own & masks[size * classes + index]))
        return np.float64(total) / unit

    weights.__doc__ = "The values of the own discs' squares in a table, added up."
    return kernel("float64(uint64, uint64, uint64)", identity)(weights)


corner_shy_weights = square_weights("corner-shy")
"""The values of own discs' squares for Reversed Reversi, corners lowest (`corner-shy`; the numbers are ours)."""
phased_weights = square_weights("phased")
"""The values of own discs' squares, corner 500, C squares −50 (`phased`; the other numbers are ours)."""
self_taught_weights = square_weights("self-taught")
"""The piece values of own discs in units of a legal move (`self-taught`; the numbers are ours)."""
static_weights = square_weights("static")
"""The values of own discs' squares in `dynamic`'s printed table."""
disc_squares_weights = square_weights("disc-squares")
"""The values of own discs' squares in the table behind `dynamic`'s `d`."""
