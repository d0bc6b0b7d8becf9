"""The engine's evaluation: a sum of table look-ups over patterns of squares, one set of tables for each stage.

A pattern is a list of squares; what stands on them is a number in base 3 (empty, own, enemy), and the number's weight
is looked up. Every pattern is laid on the board in all its symmetric places, which share one table. The numbers are
kept up to date from move to move as one vector of small integers: a disc adds a constant vector.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from outflank.board.squares import parse_square
from outflank.board.variant import Variant
from outflank.errors import Fault

SLOTS = 64
"""Places for patterns in the vector: 64 numbers of 16 bits."""
PLIES_A_STAGE = 2
PARITIES = 2
"""Weights of a stage that follow those of its patterns: what an even and an odd number of discs add."""

# Each shape in one of its places; the others follow by symmetry. 8x8: the corner's 3x3, its arms, the edge with both
# X squares, the edge block between corners, the corner's triangle, then the inner lines and the diagonals. 6x6: much
# the same, with a 2x5 block at each end of an edge and two shapes of the middle.
SHAPES = {
    (8, 8): (
        "a1 b1 c1 a2 b2 c2 a3 b3 c3",
        "a1 b1 c1 d1 e1 a2 a3 a4 a5 b2",
        "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
        "a1 c1 d1 e1 f1 h1 c2 d2 e2 f2",
        "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4",
        "a2 b2 c2 d2 e2 f2 g2 h2",
        "a3 b3 c3 d3 e3 f3 g3 h3",
        "a4 b4 c4 d4 e4 f4 g4 h4",
        "a1 b2 c3 d4 e5 f6 g7 h8",
        "a2 b3 c4 d5 e6 f7 g8",
        "a3 b4 c5 d6 e7 f8",
        "a4 b5 c6 d7 e8",
        "a5 b6 c7 d8",
    ),
    (6, 6): (
        "a1 b1 c1 a2 b2 c2 a3 b3 c3",
        "a1 b1 c1 d1 e1 f1 b2 e2",
        "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2",
        "a1 b1 c1 d1 e1 a2 a3 a4 a5 b2",
        "a1 b1 c1 d1 a2 b2 c2 a3 b3 a4",
        "a1 c1 d1 f1 b2 c2 d2 e2 c3 d3",
        "b2 c2 d2 e2 b3 c3 d3 e3",
        "a2 b2 c2 d2 e2 f2",
        "a3 b3 c3 d3 e3 f3",
        "a1 b2 c3 d4 e5 f6",
        "a2 b3 c4 d5 e6",
        "a3 b4 c5 d6",
    ),
}


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


def _exchanged(size: int) -> Any:
    numbers, exchanged, power = np.arange(size), np.zeros(size, np.int64), 1
    while power < size:
        exchanged += (numbers // power % 3) * 2 % 3 * power
        power *= 3
    return exchanged


def _image(square: int, which: int, size: int) -> int:
    """A square under a symmetry, numbered as in `kernels.symmetry`."""
    row, column = divmod(square, 8)
    if which & 4:
        row, column = column, row
    if which & 1:
        column = size - 1 - column
    if which & 2:
        row = size - 1 - row
    return 8 * row + column


def _canonical(squares: tuple[int, ...], size: int) -> Any:
    numbers = np.arange(3 ** len(squares))
    digits = [numbers // 3**k % 3 for k in range(len(squares))]
    smallest = numbers
    for which in range(1, 8):
        images = [_image(square, which, size) for square in squares]
        if set(images) == set(squares):
            moved = np.zeros_like(numbers)
            for k, image in enumerate(images):
                moved += digits[squares.index(image)] * 3**k
            smallest = np.minimum(smallest, moved)
    return smallest


@cache
def pattern_set(rows: int, columns: int) -> PatternSet | None:
    """The patterns of a board, or None where the engine has none."""
    if (rows, columns) not in SHAPES:
        return None
    patterns: list[Pattern] = []
    for shape in SHAPES[rows, columns]:
        squares = tuple(parse_square(name) for name in shape.split())
        places: dict[frozenset[int], tuple[int, ...]] = {}
        for which in range(8):
            place = tuple(_image(square, which, rows) for square in squares)
            places.setdefault(frozenset(place), place)
        offset = patterns[-1].offset + patterns[-1].size if patterns else 0
        patterns.append(Pattern(offset, tuple(places.values()), _canonical(squares, rows)))
    made = PatternSet(tuple(patterns))
    assert len(made.places) <= SLOTS
    return made


def require_patterns(variant: Variant) -> PatternSet:
    """The patterns of a variant's board, or a ValueError that says which boards have some."""
    found = pattern_set(variant.rows, variant.columns)
    if found is None:
        boards = " and ".join(f"{rows}x{columns}" for rows, columns in SHAPES)
        raise Fault("patterns.no-patterns", variant=variant, boards=boards)
    return found


def table_shape(variant: Variant) -> tuple[int, int]:
    """How many stages the engine's tables have, one for every two discs from the four of the start on, and how many
    weights each of them."""
    return (variant.square_count - 4) // PLIES_A_STAGE + 1, require_patterns(variant).weights + PARITIES
