"""A weighted heuristic whose weights are memory and not code: thousands of them can be tried without compiling.

A position becomes a row of numbers, its *columns*: what each term counts, and for a table of square values the
difference in discs on each class of squares. A heuristic is then a row of weights for each phase, its value their
product. Columns are compiled once for a heuristic's terms and a board; learning changes the weights alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from outflank.board.compiled import callback, kernel, uint64
from outflank.board.kernels import count
from outflank.board.records import Real, Row, at_address
from outflank.board.variant import Variant
from outflank.heuristics.compiling import SIGNATURE
from outflank.heuristics.heuristic import Heuristic
from outflank.heuristics.named import BOTH_FACTOR, BOTH_SQUARE
from outflank.heuristics.weighted import COMBINATIONS, Term, WeightedHeuristic, compiled_text

Array = Any
Reals = Any
SIXTY_FOUR = uint64(64)
SIGNATURE_OF_COLUMNS = "void(uint64, uint64, uint64, CPointer(float64))"


reals_at = at_address(Row[Real])


@dataclass(frozen=True)
class Column:
    """One number of a position: a term, or the discs of a term with a table on one class of squares."""

    term: int
    squares: int = 0
    """The class; 0 for a whole term."""


@cache
def symmetry_classes(rows: int, columns: int) -> tuple[int, ...]:
    """The squares of a board that its symmetries make equal, a mask each, in the order of their first squares."""
    classes: dict[int, int] = {}
    for row in range(rows):
        for column in range(columns):
            forms = [(row, column)]
            if rows == columns:
                forms.append((column, row))
            first = min(
                8 * one + other
                for down, across in forms
                for one in (down, rows - 1 - down)
                for other in (across, columns - 1 - across)
            )
            classes[first] = classes.get(first, 0) | 1 << (8 * row + column)
    return tuple(classes[first] for first in sorted(classes))


class Columns:
    """The columns of a heuristic's terms on a variant's board; the tables of the terms in `opened` are taken apart."""

    def __init__(self, heuristic: WeightedHeuristic, variant: Variant, opened: Sequence[int]) -> None:
        self.heuristic, self.variant, self.opened = heuristic, variant, tuple(opened)
        self.columns: list[Column] = []
        for index in range(len(heuristic.terms)):
            if index in opened:
                classes = symmetry_classes(variant.rows, variant.columns)
                self.columns += [Column(index, squares) for squares in classes]
            else:
                self.columns.append(Column(index))

    def __len__(self) -> int:
        return len(self.columns)

    def _source(self) -> str:
        lines = ["def function(own, opp, board, out):"]
        # Terms with tables first: another one may add to their columns.
        for index, term in sorted(enumerate(self.heuristic.terms), key=lambda one: one[0] not in self.opened):
            numbers = [number for number, column in enumerate(self.columns) if column.term == index]
            if self.columns[numbers[0]].squares:
                for number in numbers:
                    mask = f"uint64({self.columns[number].squares:#x})"
                    lines.append(f"    out[{number}] = float(count(own & {mask})) - float(count(opp & {mask}))")
                continue
            lines += term.counting(index)
            both = term.both
            if self.links(term):
                both = 0.0
                linked = next(at for at, column in enumerate(self.columns) if column.squares >> BOTH_SQUARE & 1)
                lines.append(f"    if mine >= 1.0 and theirs >= 1.0: out[{linked}] += {BOTH_FACTOR!r}")
            rule = COMBINATIONS[term.combination].replace("both", repr(both))
            factor = term.sign(self.heuristic.objective, self.variant) * term.scale
            lines.append(f"    out[{numbers[0]}] = {factor!r} * ({rule})")
        return "\n".join(lines) + "\n"

    def links(self, term: Term) -> bool:
        """In `self-taught` the value of corners that both sides have is a multiple of a piece value, learnt with it.

        Not where the piece values change with the phase: a file has one number for it.
        """
        return term.combination == "unless-both" and bool(self.opened) and not self.heuristic.phases

    @cached_property
    def kernel(self) -> Any:
        """`columns(own, opp, board, out)`, compiled."""
        features = [term.feature for term in self.heuristic.terms]
        return compiled_text(self._source(), features, lambda columns, key: kernel(SIGNATURE_OF_COLUMNS, key)(columns))

    def of(self, own: Array, opp: Array) -> Array:
        """The columns of many positions: a row each."""
        out = np.empty((len(own), len(self)), np.float64)
        _filler(self.kernel)(np.ascontiguousarray(own), np.ascontiguousarray(opp), self.variant.board, out)
        return out


@cache
def _filler(columns: Any) -> Any:
    identity = f"fill_{columns.py_func.cache_identity}"

    def fill(owns: Array, opps: Array, board: int, out: Array) -> None:
        for index in range(owns.size):
            columns(owns[index], opps[index], board, reals_at(uint64(out[index].ctypes.data)))

    return kernel("void(uint64[::1], uint64[::1], uint64, float64[:, ::1])", identity)(fill)


class Adjustable(Heuristic):
    """An evaluation whose weights can be set at any time. One thread at a time: its memory is its own."""

    def __init__(self, columns: Columns) -> None:
        self.name, self.summary = columns.heuristic.name, columns.heuristic.summary
        self.objective = columns.variant.objective
        self._columns = columns
        width, phases = len(columns), columns.heuristic.phases
        self._weights = np.zeros((len(phases) + 1, width))
        self._scratch = np.zeros(width)
        self._callback = _callback(columns.kernel, width, phases, self._weights.ctypes.data, self._scratch.ctypes.data)

    def set(self, weights: Array) -> None:
        """A row of weights for each phase."""
        self._weights[...] = weights

    def address(self, variant: Variant) -> int:
        assert variant == self._columns.variant
        return int(self._callback.address)

    def value(self, own: int, opp: int, variant: Variant) -> float:
        return float(self._callback.ctypes(own, opp, variant.board))


def _callback(columns: Any, width: int, phases: tuple[int, ...], weights: int, scratch: int) -> Any:
    """Machine code with addresses in it: of this process only, and never kept on disk."""
    size, weights_at, scratch_at = uint64(width), uint64(weights), uint64(scratch)
    begins = tuple(uint64(begin) for begin in (0, *phases))

    def evaluation(own: int, opp: int, board: int) -> float:
        rows: Reals = reals_at(weights_at)
        out: Reals = reals_at(scratch_at)
        columns(own, opp, board, out)
        discs, squares = uint64(count(own | opp)) * SIXTY_FOUR, uint64(count(board))
        at = uint64(0) - size
        for begin in begins:
            if discs >= begin * squares:
                at += size
        total = 0.0
        for index in range(size):
            total += rows[at + index] * out[index]
        return total

    return callback(SIGNATURE, evaluation)
