"""The inverse of what is known of many strengths: a matrix of few entries, and what whole groups have in common.

All that is computed goes over the pairs that have met: of ten thousand players in a Swiss tournament these are few.
Up to `MOST_DENSE` players the linear equations are solved directly; beyond that by conjugate gradients, and the
intervals' widths, which need the diagonal of a huge inverse, are estimated with `PROBES` random vectors.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

MOST_DENSE = 1000
"""Players up to whom a matrix of all pairs is solved directly, in well under a second."""
PROBES = 128
"""Random vectors for the widths of intervals beyond that, which are then right to three percent (docs/scaling.md)."""
FEW_PROBES = 16
"""The same for the spread of strengths, a single number."""
AT_A_TIME = 16
"""Vectors that are multiplied together: more do not stay in the processor's cache."""
SOLVED = 1e-8
PROBED = 1e-3
"""How small, beside the right side, what is left of a linear equation must be: for ratings, and for widths."""
ITERATIONS = 2000

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Information:
    """A symmetric matrix: `diagonal`, minus `weights` where the players `low` and `high` have met, minus `shared` times
    its transpose, whose few columns are what groups have in common. That last part is taken out of every inverse by
    Woodbury's formula; what is called sparse below is the matrix without it."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    weights: Vector
    diagonal: Vector
    shared: Vector

    @property
    def _is_small(self) -> bool:
        return len(self.diagonal) <= MOST_DENSE

    @cached_property
    def _dense(self) -> Vector:
        matrix = np.diag(self.diagonal)
        matrix[self.low, self.high] = matrix[self.high, self.low] = -self.weights
        return matrix

    @cached_property
    def _opponents(self) -> tuple[NDArray[np.int64], list[tuple[NDArray[np.int64], Vector]]]:
        """The players, those with most opponents first; then the first opponent of each of them with its weight, the
        second of all that have two, and so on: so few steps over long arrays multiply by the weights."""
        ones, others = np.append(self.low, self.high), np.append(self.high, self.low)
        order = np.argsort(ones, kind="stable")
        others, weights = others[order], np.append(self.weights, self.weights)[order]
        counts = np.bincount(ones, minlength=len(self.diagonal))
        first = np.cumsum(counts) - counts
        players = np.argsort(-counts, kind="stable")
        steps = []
        for number in range(int(counts.max(initial=0))):
            at = first[players[counts[players] > number]] + number
            steps.append((others[at], weights[at]))
        return players, steps

    def _weighted(self, vectors: Vector) -> Vector:
        """The weights, as a matrix, times vectors."""
        players, steps = self._opponents
        sums = np.zeros_like(vectors)
        for opponents, weights in steps:
            sums[: len(opponents)] += weights[:, None] * vectors[opponents]
        found = np.empty_like(sums)
        found[players] = sums
        return found

    def solved(self, right: Vector) -> Vector:
        """x with this matrix · x = right, a vector or several in columns."""
        columns = right if right.ndim == 2 else right[:, None]
        both = self._sparsely_solved(np.column_stack([columns, self.shared]))  # one decomposition for both
        found, towards = np.split(both, [columns.shape[1]], axis=1)
        if self.shared.size:
            left = np.eye(self.shared.shape[1]) - self.shared.T @ towards
            found = found + towards @ np.linalg.inv(left) @ (self.shared.T @ found)
        return found if right.ndim == 2 else found[:, 0]

    def _sparsely_solved(self, right: Vector) -> Vector:
        if not self._is_small:
            return self._by_conjugate_gradients(right, SOLVED)
        known = vars(self).get("_inverse")
        return np.asarray(np.linalg.solve(self._dense, right) if known is None else known @ right)

    @cached_property
    def _inverse(self) -> Vector:
        return np.asarray(np.linalg.inv(self._dense))

    @cached_property
    def _towards(self) -> Vector:
        """The sparse inverse times `shared`."""
        return self._sparsely_solved(self.shared)

    @cached_property
    def _left_alone(self) -> Vector:
        """What `shared` leaves of certainty in the directions that it has: a small matrix."""
        return np.asarray(np.eye(self.shared.shape[1]) - self.shared.T @ self._towards)

    @cached_property
    def _common(self) -> Vector:
        """By which the inverse is more than the sparse one: this times the transpose of `_towards`."""
        return np.asarray(self._towards @ np.linalg.inv(self._left_alone))

    def _common_variances(self) -> Vector:
        return np.asarray((self._common * self._towards).sum(axis=1))

    def log_determinant(self) -> float:
        """For many players by the beginning of its series."""
        if self._is_small:
            sparse = float(np.linalg.slogdet(self._dense)[1])
        else:
            shares = self.weights * self.weights / (self.diagonal[self.low] * self.diagonal[self.high])
            sparse = float(np.log(self.diagonal).sum() - shares.sum())
        return sparse + float(np.linalg.slogdet(self._left_alone)[1])

    def trace_of_inverse(self) -> float:
        """The sum of the inverse's diagonal: for many players an estimate."""
        if self._is_small:
            sparse = float(np.trace(self._inverse))
        else:
            signs = np.random.default_rng(1).choice((-1.0, 1.0), (len(self.diagonal), FEW_PROBES))
            sparse = float((signs * self._by_conjugate_gradients(signs, PROBED)).sum() / FEW_PROBES)
        return sparse + float(self._common_variances().sum())

    def variances(self) -> Vector:
        """The diagonal of the inverse; for many players by the beginning of its series, which is quick."""
        return np.asarray(self.variances_alone() + self._common_variances())

    def variances_alone(self) -> Vector:
        """The same where what groups have in common is known."""
        return np.asarray(np.diag(self._inverse) if self._is_small else self._series_diagonal())

    def variances_of_differences(self, ones: NDArray[np.int64], others: NDArray[np.int64]) -> Vector:
        """Of the strengths of those who have met; for many players by the beginning of the inverse's series."""
        if self._is_small:
            diagonal = np.diag(self._inverse)
            sparse = diagonal[ones] + diagonal[others] - 2 * self._inverse[ones, others]
        else:
            series = self._series_diagonal()
            sparse = series[ones] + series[others] - 2 * self.weights / (self.diagonal[ones] * self.diagonal[others])
        apart = self._common[ones] - self._common[others], self._towards[ones] - self._towards[others]
        return np.asarray(sparse + (apart[0] * apart[1]).sum(axis=1))

    def _series_diagonal(self) -> Vector:
        """The diagonal of 1/d + W/d² + W²/d³: d the diagonal, W the weights."""
        each = 1 / self.diagonal
        squares = self.weights * self.weights
        twice = np.bincount(self.low, squares * each[self.high], len(each))
        twice += np.bincount(self.high, squares * each[self.low], len(each))
        return np.asarray(each * (1 + each * twice))

    def inverse_diagonal(self) -> Vector:
        """The diagonal of the inverse, for intervals.

        For many players the inverse is taken apart. It begins as a series whose diagonal is known. Of what lies beyond,
        the strongest directions are found by random vectors and counted exactly: they are what whole groups of players
        have in common. Only the rest is left to chance, as the mean of z · (rest · z) over vectors z of random signs.
        """
        if self._is_small:
            return self.variances()
        series = self._series_diagonal()
        dice = np.random.default_rng(0)
        signs = dice.choice((-1.0, 1.0), (2, len(self.diagonal), PROBES))
        strongest, _ = np.linalg.qr(self._beyond_series(signs[0]))
        counted = (strongest * self._beyond_series(strongest)).sum(axis=1)
        rest = self._beyond_series(signs[1])
        rest -= strongest @ (strongest.T @ rest)
        return np.asarray(series + counted + (signs[1] * rest).mean(axis=1) + self._common_variances())

    def _beyond_series(self, vectors: Vector) -> Vector:
        """The inverse without the first three terms of its series, times vectors: a few at a time, which stay in the
        processor's cache."""
        each = 1 / self.diagonal[:, None]
        found = np.empty_like(vectors)
        for begin in range(0, vectors.shape[1], AT_A_TIME):
            some = np.ascontiguousarray(vectors[:, begin : begin + AT_A_TIME])
            series = each * some
            for _ in range(2):
                series = each * (some + self._weighted(series))
            found[:, begin : begin + AT_A_TIME] = self._by_conjugate_gradients(some, PROBED) - series
        return found

    def _by_conjugate_gradients(self, right: Vector, tolerance: float) -> Vector:
        """Solves for every column of the right side, each with steps of its own; the diagonal is the preconditioner."""
        diagonal = self.diagonal[:, None]
        solution = right / diagonal
        rest = right - self._times(solution)
        wanted = tolerance * np.sqrt((right * right / diagonal).sum(axis=0))
        direction = rest / diagonal
        size = (rest * direction).sum(axis=0)
        for _ in range(ITERATIONS):
            if (np.sqrt(size) <= wanted).all():
                break
            along = self._times(direction)
            bent = (direction * along).sum(axis=0)
            step = np.divide(size, bent, out=np.zeros_like(size), where=bent > 0)
            solution += step * direction
            rest -= step * along
            scaled = rest / diagonal
            before, size = size, (rest * scaled).sum(axis=0)
            direction = scaled + np.divide(size, before, out=np.zeros_like(size), where=before > 0) * direction
        return solution

    def _times(self, vectors: Vector) -> Vector:
        return self.diagonal[:, None] * vectors - self._weighted(vectors)
