"""A weighted heuristic whose weights are memory and not code: thousands of them can be tried without compiling.

A position becomes a row of numbers, its *columns*: what each term counts, and for a table of square values the
difference in discs on each class of squares. A heuristic is then a row of weights for each phase, its value their
product. Columns are compiled once for a heuristic's terms and a board; learning changes the weights alone.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types

from outflank.board.compiled import callback, inline, kernel, uint64
from outflank.board.kernels import count
from outflank.board.variant import Variant
from outflank.heuristics.compiling import SIGNATURE
from outflank.heuristics.heuristic import Heuristic
from outflank.heuristics.named import BOTH_FACTOR, BOTH_SQUARE
from outflank.heuristics.weighted import COMBINATIONS, Feature, Term, WeightedHeuristic

Array = Any
Reals = Any
ONE, SIXTY_FOUR = uint64(1), uint64(64)


@inline
def reals_at(typing_context: Any, address: Any) -> Any:
    """The memory at an address as a pointer to float64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())

    return types.CPointer(types.float64)(types.uint64), generate


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
        lines = ["def columns(own, opp, board, out):"]
        # Terms with tables first: another one may add to their columns.
        for index, term in sorted(enumerate(self.heuristic.terms), key=lambda one: one[0] not in self.opened):
            numbers = [number for number, column in enumerate(self.columns) if column.term == index]
            if self.columns[numbers[0]].squares:
                for number in numbers:
                    mask = f"uint64({self.columns[number].squares:#x})"
                    lines.append(f"    out[{number}] = float(count(own & {mask})) - float(count(opp & {mask}))")
                continue
            lines.append(f"    mine = float(feature{index}(own, opp, board))")
            if term.combination != "own":
                lines.append(f"    theirs = float(feature{index}(opp, own, board))")
            both = term.both
            if self.links(term):
                both, linked = 0.0, self._column_with(BOTH_SQUARE)
                lines.append(f"    if mine >= 1.0 and theirs >= 1.0: out[{linked}] += {BOTH_FACTOR!r}")
            rule = COMBINATIONS[term.combination].replace("both", repr(both))
            lines.append(f"    out[{numbers[0]}] = {self._factor(term)!r} * ({rule})")
        return "\n".join(lines) + "\n"

    def links(self, term: Term) -> bool:
        """In `self-taught` the value of corners that both sides have is a multiple of a piece value, learnt with it.

        Not where the piece values change with the phase: a file has one number for it.
        """
        return term.combination == "unless-both" and bool(self.opened) and not self.heuristic.phases

    def _column_with(self, square: int) -> int:
        return next(number for number, column in enumerate(self.columns) if column.squares >> square & 1)

    def _factor(self, term: Term) -> float:
        return term.sign(self.heuristic.objective, self.variant) * term.scale

    @property
    def kernel(self) -> Any:
        """`columns(own, opp, board, out)`, compiled; kept on disk under the hash of its text and its features."""
        source = self._source()
        digest = hashlib.sha256(source.encode())
        features = {f"feature{index}": term.feature for index, term in enumerate(self.heuristic.terms)}
        for feature in features.values():
            function = getattr(feature, "py_func", feature)
            identity = getattr(function, "cache_identity", "")
            digest.update(f"{function.__module__}.{function.__qualname__} {identity}\n".encode())
        return _columns_kernel(source, digest.hexdigest()[:16], tuple(features.items()))

    def of(self, own: Array, opp: Array) -> Array:
        """The columns of many positions: a row each."""
        out = np.empty((len(own), len(self)), np.float64)
        _filler(self.kernel)(np.ascontiguousarray(own), np.ascontiguousarray(opp), self.variant.board, out)
        return out


@cache
def _columns_kernel(source: str, identity: str, features: tuple[tuple[str, Feature], ...]) -> Any:
    names: dict[str, Any] = {"count": count, "uint64": uint64, **dict(features)}
    exec(compile(source, "<columns>", "exec"), names)
    function = names["columns"]
    function.__module__ = __name__
    return kernel("void(uint64, uint64, uint64, CPointer(float64))", identity)(function)


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
    begins = tuple(uint64(begin) for begin in phases)

    if not begins:

        def evaluation(own: int, opp: int, board: int) -> float:
            row: Reals = reals_at(weights_at)
            out: Reals = reals_at(scratch_at)
            columns(own, opp, board, out)
            total = 0.0
            for index in range(size):
                total += row[index] * out[index]
            return total

    else:

        def evaluation(own: int, opp: int, board: int) -> float:
            row: Reals = reals_at(weights_at)
            out: Reals = reals_at(scratch_at)
            columns(own, opp, board, out)
            discs, squares = uint64(count(own | opp)) * SIXTY_FOUR, uint64(count(board))
            at = uint64(0)
            for begin in begins:
                if discs >= begin * squares:
                    at += size
            total = 0.0
            for index in range(size):
                total += row[at + index] * out[index]
            return total

    return callback(SIGNATURE, evaluation)
