"""Fits the pattern weights: least squares of the positions' labels, stage by stage.

Each position gives one equation: the weights of its patterns add up to its margin. The normal equations are solved by
conjugate gradients with a diagonal preconditioner, never written out. The last stage is fitted first, and each one
begins from the stage after it: a ridge keeps what is rarely seen near what it is worth there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.board.compiled import kernel
from outflank.board.kernels import ONE
from outflank.board.variant import Variant
from outflank.board.vectors import lowest
from outflank.learning.games.positions import Positions
from outflank.patterns.shapes import PLIES_A_STAGE, PatternSet, require_patterns, table_shape
from outflank.patterns.weights import LARGEST, UNITS_A_DISC, Weights, whole_row

Array = Any

RIDGE = 100.0
"""How many equations a weight needs before it leaves where it begins. On games
held out 8 and 30 were worse and 300 about as good (docs/training.md)."""
ITERATIONS = 15
OFTEN = 8
"""A position that counts for more than so many does not: openings would outweigh the rest."""
STEP = 16
"""Weights change from one stage to the next by multiples of so many units, an eighth of a disc: files are half as
large, and a value is off by a quarter of a disc where its error is several."""
NEIGHBOURING_DISCS = 2
"""Positions with so many discs less or more than the stage's own are used as well: there are never enough."""


@kernel("void(uint64[::1], uint64[::1], uint16[:, ::1], int64[::1], int32[::1], int32[:, ::1])")
def _indices(own: Array, opp: Array, powers: Array, offsets: Array, canonical: Array, found: Array) -> None:
    """The weight that each slot looks up in each position."""
    numbers = np.empty(powers.shape[1], np.uint16)
    for row in range(own.size):
        numbers[:] = np.uint16(0)
        discs = own[row] | opp[row]
        while discs:
            square = lowest(discs)
            discs &= discs - ONE
            for slot in range(numbers.size):
                numbers[slot] += powers[square, slot]
            if (opp[row] >> square) & ONE:
                for slot in range(numbers.size):
                    numbers[slot] += powers[square, slot]
        for slot in range(offsets.size):
            found[row, slot] = canonical[offsets[slot] + numbers[slot]]


@kernel("void(int32[:, ::1], float32[::1], float32[::1])")
def _values(indices: Array, weights: Array, values: Array) -> None:
    """The sum of each position's weights."""
    for row in range(indices.shape[0]):
        total = np.float32(0)
        for slot in range(indices.shape[1]):
            total += weights[indices[row, slot]]
        values[row] = total


@kernel("void(int32[:, ::1], float32[::1], float32[::1])")
def _spread(indices: Array, values: Array, weights: Array) -> None:
    """Adds each position's value to all of its weights: the transpose of `_values`."""
    weights[:] = np.float32(0)
    for row in range(indices.shape[0]):
        for slot in range(indices.shape[1]):
            weights[indices[row, slot]] += values[row]


def weight_indices(patterns: PatternSet, own: Array, opp: Array) -> Array:
    """Which weights make up each position's value: one column a slot, then the parity of the discs."""
    found = np.empty((len(own), len(patterns.places) + 1), np.int32)
    found[:, -1] = np.bitwise_count(own | opp) % 2
    found[:, -1] += patterns.weights
    powers, offsets = patterns.powers().view(np.uint16), patterns.offsets().astype(np.int64)
    _indices(own, opp, powers, offsets, patterns.canonical().astype(np.int32), found)
    return found


def sums_of(indices: Array, weights: Array) -> Array:
    """Each position's value, in discs."""
    values = np.empty(len(indices), np.float32)
    _values(np.ascontiguousarray(indices), weights, values)
    return values


def in_steps(wanted: Array) -> Array:
    """A table of units, a row a stage, as near to the wanted one as `STEP` allows."""
    table, later = np.zeros(wanted.shape, np.int16), np.zeros(wanted.shape[1])
    for number in reversed(range(len(wanted))):
        later = later + STEP * np.rint((np.clip(wanted[number], -LARGEST, LARGEST) - later) / STEP)
        table[number] = later
    return table


def least_squares(indices: Array, targets: Array, importance: Array, begin: Array, iterations: int) -> Array:
    """The weights whose sums come nearest to the targets; what is rarely seen stays near where it begins."""
    weights = begin.copy()
    sums, product = np.empty(len(targets), np.float32), np.empty_like(weights)
    _values(indices, weights, sums)
    residual = np.empty_like(weights)
    _spread(indices, (targets - sums) * importance, residual)
    _spread(indices, importance, product)
    preconditioner = 1 / (product + np.float32(RIDGE))
    scaled = preconditioner * residual
    direction, steepness = scaled.copy(), float(residual @ scaled)
    for _ in range(iterations):
        if steepness <= 1e-9:
            break
        _values(indices, direction, sums)
        _spread(indices, sums * importance, product)
        product += np.float32(RIDGE) * direction
        length = np.float32(steepness / float(direction @ product))
        weights += length * direction
        residual -= length * product
        scaled = preconditioner * residual
        before, steepness = steepness, float(residual @ scaled)
        direction = scaled + np.float32(steepness / before) * direction
    return weights


@dataclass(frozen=True)
class Stage:
    """How the fit of one stage went; errors in discs, on positions it has not seen."""

    number: int
    discs: int
    positions: int
    held_out: int
    mean_error: float
    root_mean_square: float
    spread: float
    """The standard deviation of the margins: the error of knowing nothing."""


class Fit:
    """Weights for a variant's patterns from positions with labels. Iterate over `stages` to do the work.

    The error is measured on `held` positions, of games that the others do not come from: positions of one game are so
    alike that any other test would flatter. Where weights to `begin` with are given, rare patterns stay near those.
    """

    def __init__(
        self,
        positions: Positions,
        held: Positions,
        variant: Variant,
        iterations: int = ITERATIONS,
        begin: Weights | None = None,
    ) -> None:
        self.variant, self.patterns, self.iterations = variant, require_patterns(variant), iterations
        self._positions, self._held, self._begin = positions, held, begin
        self._table = np.zeros(table_shape(variant), np.int16)

    @property
    def stage_count(self) -> int:
        return len(self._table)

    def stages(self) -> Iterator[Stage]:
        """Fits one stage after the other, the last one first: its labels are the surest."""
        weights = np.zeros(self._table.shape[1], np.float32)
        wanted = np.zeros(self._table.shape)
        canonical = whole_row(self.patterns.canonical(), self._table)
        for number in reversed(range(len(self._table))):
            if self._begin is not None:
                weights = self._begin.table[number].astype(np.float32) / UNITS_A_DISC
            discs = 4 + PLIES_A_STAGE * number
            last = discs + PLIES_A_STAGE - 1
            near = self._positions.between(discs - NEIGHBOURING_DISCS, last + NEIGHBOURING_DISCS).distinct()
            if len(near):
                indices = weight_indices(self.patterns, near.own, near.opp)
                importance = np.minimum(near.importance, np.float32(OFTEN))
                weights = least_squares(indices, near.margin, importance, weights, self.iterations)
                test = self._held.between(discs, last).distinct()
                errors = self._errors(test, weights)
                yield Stage(
                    number,
                    discs,
                    len(near),
                    len(test),
                    float(np.abs(errors).mean()) if len(test) else 0.0,
                    float(np.sqrt((errors**2).mean())) if len(test) else 0.0,
                    float(test.margin.std()) if len(test) else 0.0,
                )
            wanted[number] = weights[canonical] * UNITS_A_DISC
        self._table = in_steps(wanted)

    def _errors(self, test: Positions, weights: Array) -> Array:
        return sums_of(weight_indices(self.patterns, test.own, test.opp), weights) - test.margin

    def weights(self, provenance: dict[str, Any]) -> Weights:
        """The result, with how it came about."""
        return Weights(self.variant, self._table.copy(), provenance)
