"""Ratings of many players at once: the Bradley–Terry model by maximum likelihood.

A player's chance against another is a logistic function of the difference of their ratings, and the ratings are those
under which the results seen are likeliest; a draw counts as half a win. No order of games enters, unlike in Elo's
sequential formula. The prior: every player has also drawn one game against a player of average strength. That keeps
all-win players and groups that never met finite.

All that is computed goes over the pairs that have met: of ten thousand players in a Swiss tournament these are few.
Up to `MOST_DENSE` players the linear equations are solved directly; beyond that by conjugate gradients, and the
intervals' widths, which need the diagonal of a huge inverse, are estimated with `PROBES` random vectors.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from outflank.arena.statistics import NORMAL_95
from outflank.errors import Fault

ELO = 400 / math.log(10)
"""Elo a unit of the logistic scale."""
PRIOR_GAMES = 1.0
STEPS = 100
CLOSE = 1e-10
LONGEST_STEP = 2.0
"""On the logistic scale; Newton's step overshoots far from the maximum, where the likelihood is almost straight."""
MOST_DENSE = 1000
"""Players up to whom a matrix of all pairs is solved directly, in well under a second."""
PROBES = 128
"""Random vectors for the widths of intervals beyond that, which are then right to three percent (docs/scaling.md)."""
AT_A_TIME = 16
"""Vectors that are multiplied together: more do not stay in the processor's cache."""
SOLVED = 1e-10
PROBED = 1e-3
"""How small, beside the right side, what is left of a linear equation must be: for ratings, and for widths."""
ITERATIONS = 2000

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """A rating in Elo and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Scores:
    """Who scored what against whom: `points[k]` is what player `rows[k]` scored against player `columns[k]`. Those who
    have not met have no entry, and an entry of no points may be left out."""

    players: int
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    points: Vector

    @classmethod
    def of_table(cls, table: Vector) -> "Scores":
        """From a matrix: `table[i, j]` is what player i scored against player j."""
        rows, columns = np.nonzero(table)
        return cls(len(table), rows, columns, table[rows, columns])

    @classmethod
    def of_pairs(cls, players: int, points: Mapping[tuple[int, int], float]) -> "Scores":
        """From what the first of each two scored against the second."""
        numbers = np.array(list(points), np.int64).reshape(-1, 2)
        return cls(players, numbers[:, 0], numbers[:, 1], np.array(list(points.values()), np.float64))


def bradley_terry(scores: Scores | Vector, anchor: int | None = None, prior: float = PRIOR_GAMES) -> list[Rating]:
    """Ratings from scores, or from a matrix of them (see `Scores.of_table`).

    The anchor has rating 0 and the others are measured against it; without one the mean rating is 0. Intervals come
    from the Fisher information, prior included, of the difference to the anchor or to the mean.
    """
    if isinstance(scores, np.ndarray):
        scores = Scores.of_table(scores)
    if not scores.players:
        return []
    if prior <= 0:
        raise Fault("ratings.prior", prior=prior)
    met = _Met(scores, prior)
    strengths, origin = met.maximum(), _origin(scores.players, anchor)
    # The variance of a player's strength minus the origin's is C[i, i] − 2·(C·o)[i] + o·C·o, C being the inverse of
    # the information.
    information = met.information(strengths)
    towards = information.solved(origin)
    variances = information.inverse_diagonal() - 2 * towards + origin @ towards
    if anchor is not None:
        variances[anchor] = 0.0
    values = ELO * (strengths - origin @ strengths)
    reaches = ELO * NORMAL_95 * np.sqrt(np.maximum(variances, 0.0))
    return [
        Rating(value, value - reach, value + reach)
        for value, reach in zip(values.tolist(), reaches.tolist(), strict=True)
    ]


def without_intervals(scores: Scores, anchor: int | None = None) -> list[float]:
    """The values of `bradley_terry`'s ratings; the intervals take far longer than these."""
    strengths = _Met(scores, PRIOR_GAMES).maximum()
    return list((ELO * (strengths - _origin(scores.players, anchor) @ strengths)).tolist())


def _origin(players: int, anchor: int | None) -> Vector:
    """What ratings are measured from, as shares of the players: the anchor, or the mean."""
    if anchor is None:
        return np.full(players, 1 / players)
    origin = np.zeros(players)
    origin[anchor] = 1.0
    return origin


class _Met:
    """Every two players who have met, once: `low` and `high` are their numbers, `games` how often."""

    def __init__(self, scores: Scores, prior: float) -> None:
        self._count, self._prior = scores.players, prior
        telling = scores.rows != scores.columns  # who plays himself shows nothing
        rows, columns, points = scores.rows[telling], scores.columns[telling], scores.points[telling]
        pairs, which = np.unique(
            np.minimum(rows, columns) * self._count + np.maximum(rows, columns), return_inverse=True
        )
        self._low, self._high = np.divmod(pairs, self._count)
        self._games = np.bincount(which.ravel(), points, len(pairs))
        self._points = np.bincount(rows, points, self._count) + prior / 2

    def maximum(self) -> Vector:
        """The likeliest strengths on the logistic scale, by Newton's method: the prior makes the likelihood strictly
        concave."""
        strengths = np.zeros(self._count)
        for _ in range(STEPS):
            chances = _logistic(strengths[self._low] - strengths[self._high])
            expected = self._sums(self._games * chances, self._games * (1 - chances))
            gradient = self._points - expected - self._prior * _logistic(strengths)
            step = self.information(strengths).solved(gradient)
            longest = float(np.abs(step).max())
            strengths += step * min(1.0, LONGEST_STEP / longest) if longest > 0 else 0.0
            if longest < CLOSE:
                break
        return strengths

    def information(self, strengths: Vector) -> "_Information":
        """The Fisher information: minus the second derivatives of the log-likelihood."""
        chances = _logistic(strengths[self._low] - strengths[self._high])
        weights = self._games * chances * (1 - chances)
        own = _logistic(strengths)
        diagonal = self._sums(weights, weights) + self._prior * own * (1 - own)
        return _Information(self._low, self._high, weights, diagonal)

    def _sums(self, to_low: Vector, to_high: Vector) -> Vector:
        """What each player has from all its pairs."""
        return np.asarray(np.bincount(self._low, to_low, self._count) + np.bincount(self._high, to_high, self._count))


@dataclass(frozen=True)
class _Information:
    """A symmetric matrix: `diagonal`, and minus `weights` where the players `low` and `high` have met."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    weights: Vector
    diagonal: Vector

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
        """x with this matrix · x = right."""
        if self._is_small:
            return np.asarray(np.linalg.solve(self._dense, right))
        return self._by_conjugate_gradients(right[:, None], SOLVED)[:, 0]

    def inverse_diagonal(self) -> Vector:
        """The diagonal of the inverse.

        For many players the inverse is taken apart. It begins as the series 1/d + W/d² + W²/d³ (d the diagonal, W the
        weights), whose diagonal is known. Of what lies beyond, the strongest directions are found by random vectors
        and counted exactly: they are what whole groups of players have in common. Only the rest is left to chance, as
        the mean of z · (rest · z) over vectors z of random signs.
        """
        if self._is_small:
            return np.diag(np.linalg.inv(self._dense)).copy()
        each = 1 / self.diagonal
        squares = self.weights * self.weights
        twice = np.bincount(self.low, squares * each[self.high], len(each))
        twice += np.bincount(self.high, squares * each[self.low], len(each))
        series = each * (1 + each * twice)
        dice = np.random.default_rng(0)
        signs = dice.choice((-1.0, 1.0), (2, len(self.diagonal), PROBES))
        strongest, _ = np.linalg.qr(self._beyond_series(signs[0]))
        counted = (strongest * self._beyond_series(strongest)).sum(axis=1)
        rest = self._beyond_series(signs[1])
        rest -= strongest @ (strongest.T @ rest)
        return np.asarray(series + counted + (signs[1] * rest).mean(axis=1))

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


def _logistic(difference: Vector) -> Vector:
    return np.asarray(1 / (1 + np.exp(-difference)))
