"""The engine's evaluation: a sum of table look-ups over patterns of squares, one set of tables for each stage.

A pattern is a list of squares; what stands on them is a number in base 3 (empty, own, enemy), and the number's weight
is looked up. Every pattern is laid on the board in all its symmetric places, which share one table. The numbers are
kept up to date from move to move as one vector of small integers: a disc adds a constant vector.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from outflank.board.variant import Variant
from outflank.errors import Fault

SLOTS = 64
"""Places for patterns in the vector: 64 numbers of 16 bits."""
PLIES_A_STAGE = 2
PARITIES = 2
"""Weights of a stage that follow those of its patterns: what an even and an odd number of discs add."""

SMALLEST_SIDE = 5
"""On narrower boards there is nothing to learn: their start is solved at once."""
MOST_SQUARES = 10
"""A shape with more has too large a table for the games that fill it."""
SHORTEST_DIAGONAL = 4

Square = tuple[int, int]
"""A row and a column, from 0."""
Shapes = Iterator[list[Square]]


# Each function makes shapes of a board so many rows high and columns wide, in one of their places; the others follow by
# symmetry. What lies along the upper edge here lies along the left one in the shapes of the board turned over.


def _corner(rows: int, columns: int) -> Shapes:
    yield [(row, column) for row in range(3) for column in range(3)]


def _arms(rows: int, columns: int) -> Shapes:
    """The corner with both of its edges, and the X square."""
    yield [*((0, column) for column in range(5)), *((row, 0) for row in range(1, 5)), (1, 1)]


def _triangle(rows: int, columns: int) -> Shapes:
    yield [(row, column) for row in range(4) for column in range(4 - row)]


def _edge(rows: int, columns: int) -> Shapes:
    """With both X squares."""
    yield [*((0, column) for column in range(columns)), (1, 1), (1, columns - 2)]


def _block(rows: int, columns: int) -> Shapes:
    """Two by five at the end of an edge."""
    yield [(row, column) for row in range(2) for column in range(5)]


def _flank(rows: int, columns: int) -> Shapes:
    """An edge without its C squares, and what lies behind it: of a short edge more."""
    inner = range(2, columns - 2)
    edge = [(0, column) for column in (0, *inner, columns - 1)]
    second = range(1, columns - 1) if columns <= 6 else inner
    third = inner if columns <= 6 else ()
    yield [*edge, *((1, column) for column in second), *((2, column) for column in third)]


def _middle(rows: int, columns: int) -> Shapes:
    """The second and the third row without their ends."""
    yield [(row, column) for row in (1, 2) for column in range(1, columns - 1)]


def _lines(rows: int, columns: int) -> Shapes:
    """The rows between the edges."""
    for row in range(1, (rows + 1) // 2):
        yield [(row, column) for column in range(columns)]


def _diagonals(rows: int, columns: int) -> Shapes:
    """From the left edge, the longest first."""
    for row in range(rows - SHORTEST_DIAGONAL + 1):
        yield [(row + step, step) for step in range(min(rows - row, columns))]


ROOMY = (_corner, _arms, _edge, _flank, _triangle, _lines, _diagonals)
CRAMPED = (_corner, _edge, _block, _arms, _triangle, _flank, _middle, _lines, _diagonals)
"""On a board with a side of six or less: what lies behind the edges decides sooner, and there are slots for it. The
order is that of the tables in the files of weights."""


def _shapes(rows: int, columns: int) -> Shapes:
    """All shapes of a board that is no higher than wide; some lie where others do."""
    for make in CRAMPED if rows <= 6 else ROOMY:
        yield from make(rows, columns)
        for shape in make(columns, rows):
            yield [(column, row) for row, column in shape]


@dataclass(frozen=True, eq=False)
class Pattern:
    """A shape: where its table begins among the weights, and the lists of squares where it lies on the board."""

    offset: int
    places: tuple[tuple[int, ...], ...]
    canonical: Any
    """For each number the smallest one that means the same, the shape being read from its other end."""

    @property
    def size(self) -> int:
        return len(self.canonical)


@dataclass(frozen=True, eq=False)
class PatternSet:
    """All patterns of a board, laid out in one vector."""

    patterns: tuple[Pattern, ...]

    @property
    def weights(self) -> int:
        """How many weights the patterns have at a stage."""
        return self.patterns[-1].offset + self.patterns[-1].size

    @property
    def places(self) -> list[tuple[Pattern, tuple[int, ...]]]:
        """What is in each slot of the vector."""
        return [(pattern, place) for pattern in self.patterns for place in pattern.places]

    def slots(self, squares: int) -> list[int]:
        """The slots of the shapes with so many squares at most."""
        return [slot for slot, (_, place) in enumerate(self.places) if len(place) <= squares]

    def up_to(self, squares: int) -> "PatternSet":
        """Only the shapes with so many squares at most, their tables one after the other."""
        kept, offset = [], 0
        for pattern in self.patterns:
            if len(pattern.places[0]) <= squares:
                kept.append(replace(pattern, offset=offset))
                offset += pattern.size
        return PatternSet(tuple(kept))

    def powers(self) -> Any:
        """For each square, what a disc of value 1 on it adds to each slot's number: (64, SLOTS) of int16."""
        table = np.zeros((64, SLOTS), np.int16)
        for slot, (_, place) in enumerate(self.places):
            for digit, square in enumerate(place):
                table[square, slot] = 3**digit
        return table

    def offsets(self) -> Any:
        """Where each slot's table begins."""
        return np.array([pattern.offset for pattern, _ in self.places], np.uint64)

    def canonical(self) -> Any:
        """For each weight of the patterns the one it shares its value with."""
        return np.concatenate([pattern.offset + pattern.canonical for pattern in self.patterns])

    def colours_exchanged(self) -> Any:
        """For each weight the one of the same squares with own and enemy exchanged."""
        return np.concatenate([pattern.offset + _exchanged(pattern.size) for pattern in self.patterns])


def number_on(place: Sequence[int], own: int, opp: int) -> int:
    """The number of what stands on a list of squares."""
    return sum((own >> square & 1 or 2 * (opp >> square & 1)) * 3**digit for digit, square in enumerate(place))


def _exchanged(size: int) -> Any:
    numbers, exchanged, power = np.arange(size), np.zeros(size, np.int64), 1
    while power < size:
        exchanged += (numbers // power % 3) * 2 % 3 * power
        power *= 3
    return exchanged


def _canonical(squares: tuple[int, ...], board: Variant) -> Any:
    numbers = np.arange(3 ** len(squares))
    digits = [numbers // 3**k % 3 for k in range(len(squares))]
    smallest = numbers
    for which in board.symmetries[1:]:
        images = [board.mirrored(square, which) for square in squares]
        if set(images) == set(squares):
            moved = np.zeros_like(numbers)
            for k, image in enumerate(images):
                moved += digits[squares.index(image)] * 3**k
            smallest = np.minimum(smallest, moved)
    return smallest


@cache
def pattern_set(rows: int, columns: int) -> PatternSet | None:
    """The patterns of a board, or None where the engine has none. Those of a board that is higher than wide are those
    of the one turned over, in the same order: one file of weights serves both."""
    if min(rows, columns) < SMALLEST_SIDE:
        return None
    board, turned = Variant(rows, columns), rows > columns
    patterns: list[Pattern] = []
    known: set[frozenset[int]] = set()
    for shape in _shapes(*sorted((rows, columns))):
        squares = tuple(8 * column + row if turned else 8 * row + column for row, column in shape)
        if len(squares) > MOST_SQUARES or frozenset(squares) in known:
            continue
        images = (tuple(board.mirrored(square, which) for square in squares) for which in board.symmetries)
        places: dict[frozenset[int], tuple[int, ...]] = {}
        for place in images:
            places.setdefault(frozenset(place), place)
        known |= places.keys()
        offset = patterns[-1].offset + patterns[-1].size if patterns else 0
        patterns.append(Pattern(offset, tuple(places.values()), _canonical(squares, board)))
    made = PatternSet(tuple(patterns))
    assert len(made.places) <= SLOTS
    return made


def require_patterns(variant: Variant) -> PatternSet:
    """The patterns of a variant's board, or a ValueError that says which boards have some."""
    found = pattern_set(variant.rows, variant.columns)
    if found is None:
        raise Fault("patterns.no-patterns", variant=variant, least=SMALLEST_SIDE)
    return found


def table_shape(variant: Variant) -> tuple[int, int]:
    """How many stages the engine's tables have, one for every two discs from the four of the start on, and how many
    weights each of them."""
    return (variant.square_count - 4) // PLIES_A_STAGE + 1, require_patterns(variant).weights + PARITIES
