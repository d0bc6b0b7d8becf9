"""Ratings of many players at once: the Bradley–Terry model.

A player's chance against another is a logistic function of the difference of their strengths; a draw counts as half a
win. No order of games enters, unlike in Elo's sequential formula. The prior: strengths are spread normally, as widely
as the results themselves suggest. Without it, who was lucky against the lucky, as in a Swiss tournament, would come
out too far from the mean; and all-win players and groups that never met would have no rating at all.

One normal spread has nobody far above with a valley below. Two such groups it would pull together, each player a
little, all players far; so the results are also held against a spread about two means, which are then left to the
games. Both count as much as the results speak for them: in an ordinary table the second does not count at all.

What is known of the strengths is taken as a normal distribution, that which comes closest to the true one. Its mean
is not where the likelihood is greatest: two strengths that are hardly known differ by more than the expected points
say, as much as the chance at their means is softened by what is not known (`_Known.softened`).
"""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from outflank.arena.information import MOST_DENSE, Information, Vector
from outflank.arena.statistics import NORMAL_95

ELO = 400 / math.log(10)
"""Elo a unit of the logistic scale."""
USUAL_SPREAD = 300 / ELO
SPREAD_PLAYERS = 2
"""What is known of the spread of strengths before a game is played, and as if from how many players."""
WIDEST_SPREAD = 1000 / ELO
"""Of a few players who won or lost everything the results would suggest any spread at all."""
ROUNDS = 100
SETTLED = 1e-5
"""How little the logarithm of the spread changes where it is found, within so many rounds."""
HASTE, MOST_HASTE = 1.5, 5.0
"""How much further than it says a round goes, because it sees a part of the way only: the first, and any."""
STEPS = 100
CLOSE, ROUGHLY = 1e-5, 1e-3
"""How short a step of Newton's method is the last; beyond one group, where rounds are many, and follow each other."""
LONGEST_STEP = 2.0
"""On the logistic scale; Newton's step overshoots far from the maximum, where the likelihood is almost straight."""
SMALLEST = 4
"""Players of a group."""
APART = 3.5
"""How far apart two groups are at least, in standard deviations of each. An even spread, cut in half, has 3.46."""
TOGETHER = 2.0
"""Groups that have come so close become one."""
GROUP_ROUNDS = 60
SETTLING = 6
"""Rounds for two groups, and those in which nobody changes sides: their means have to find their places first."""
HOPELESS = 10.0
"""How much less may speak for two groups by then; who changes sides later does not make up for more."""
GROUPED = 1e-3
"""How little the sides and the logarithm of the spread change where they are found."""
LEAST_SHARE = 0.01
"""Of belief: what the results speak for less is left out."""
EVEN = 1e-3
"""Differences that are as good as none."""
TINY = 1e-12
_NODES, _SHARES = np.polynomial.hermite_e.hermegauss(12)
_SHARES /= _SHARES.sum()
"""For means over a normal distribution."""


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


def bradley_terry(scores: Scores | Vector, anchor: int | None = None) -> list[Rating]:
    """Ratings from scores, or from a matrix of them (see `Scores.of_table`).

    The anchor has rating 0 and the others are measured against it; without one the mean rating is 0. Intervals are of
    the difference to the anchor or to the mean.
    """
    if isinstance(scores, np.ndarray):
        scores = Scores.of_table(scores)
    if not scores.players:
        return []
    met = _Met(scores)
    origin = _origin(scores.players, anchor)
    values, squares = np.zeros(scores.players), np.zeros(scores.players)
    for share, found in met.beliefs():
        here = found.strengths - origin @ found.strengths
        values += share * here
        squares += share * (here * here + met.variances(found, origin))
    variances = squares - values * values
    if anchor is not None:
        variances[anchor] = 0.0
    reaches = ELO * NORMAL_95 * np.sqrt(np.maximum(variances, 0.0))
    return [
        Rating(value, value - reach, value + reach)
        for value, reach in zip((ELO * values).tolist(), reaches.tolist(), strict=True)
    ]


@dataclass(frozen=True)
class Population:
    """How strengths are spread: normally, about 0, or about the means of groups, which are not known themselves."""

    variance: float
    """Within a group, on the logistic scale."""
    shares: Vector
    """How likely each player (rows) is of each group (columns); no columns where there are none."""

    @property
    def groups(self) -> int:
        return int(self.shares.shape[1])

    @cached_property
    def certainty(self) -> Vector:
        """The inverse of the variance of each group's mean where its players' strengths are known."""
        return np.asarray(self.shares.sum(axis=0) / self.variance + 1 / USUAL_SPREAD**2)

    @cached_property
    def part(self) -> Vector:
        """What each player's strength counts for in each group's mean."""
        return np.asarray(self.shares / self.variance / self.certainty)

    @property
    def shared(self) -> Vector:
        """What the players of a group have in common, as `Information` takes it."""
        return np.asarray(self.part * np.sqrt(self.certainty))

    def pull(self, strengths: Vector) -> Vector:
        """Of the prior, towards the means."""
        return np.asarray((strengths - self.shares @ (self.part.T @ strengths)) / self.variance)


def populations(scores: Scores) -> list[tuple[float, Population]]:
    """How the strengths of players may be spread by their results, each with how much it is believed."""
    return [(share, known.population) for share, known in _Met(scores).beliefs()] if scores.players else []


def without_intervals(
    scores: Scores, spreads: list[tuple[float, Population]], anchor: int | None = None
) -> list[float]:
    """The values that `bradley_terry`'s ratings have where strengths are known to be spread like that (see
    `populations`); to find that, and the intervals, takes far longer."""
    met = _Met(scores)
    strengths = sum(
        (share * met.known(population).strengths for share, population in spreads), np.zeros(scores.players)
    )
    return list((ELO * (strengths - _origin(scores.players, anchor) @ strengths)).tolist())


def _origin(players: int, anchor: int | None) -> Vector:
    """What ratings are measured from, as shares of the players: the anchor, or the mean."""
    if anchor is None:
        return np.full(players, 1 / players)
    origin = np.zeros(players)
    origin[anchor] = 1.0
    return origin


@dataclass(frozen=True)
class _Known:
    """What is known of the strengths: their means, the inverse of their covariances, how the chance of each two that
    have met is softened by what is not known, and how the strengths are spread."""

    strengths: Vector
    information: Information
    softened: Vector
    population: Population

    @cached_property
    def means(self) -> Vector:
        """Of the groups."""
        return np.asarray(self.population.part.T @ self.strengths)

    @property
    def apart(self) -> float:
        """How far two groups are from each other, in standard deviations of each."""
        return float(np.ptp(self.means)) / math.sqrt(self.population.variance)

    @cached_property
    def mean_variances(self) -> Vector:
        """Of the groups' means."""
        part = self.population.part
        return np.asarray((part * self.information.solved(part)).sum(axis=0) + 1 / self.population.certainty)

    @cached_property
    def squares(self) -> Vector:
        """The expected square of each player's distance from each group's mean."""
        shifts = self.mean_variances - 2 * self.information.solved(self.population.part)
        distances = self.strengths[:, None] - self.means
        return np.asarray(distances * distances + self.information.variances()[:, None] + shifts)


class _Met:
    """Every two players who have met, once: `low` and `high` are their numbers, `games` how often, `won` the points of
    the first."""

    def __init__(self, scores: Scores) -> None:
        self._count = scores.players
        telling = scores.rows != scores.columns  # who plays himself shows nothing
        rows, columns, points = scores.rows[telling], scores.columns[telling], scores.points[telling]
        pairs, which = np.unique(
            np.minimum(rows, columns) * self._count + np.maximum(rows, columns), return_inverse=True
        )
        self._low, self._high = np.divmod(pairs, self._count)
        self._games = np.bincount(which.ravel(), points, len(pairs))
        self._won = np.bincount(which.ravel(), np.where(rows < columns, points, 0.0), len(pairs))
        self._points = np.bincount(rows, points, self._count)

    def beliefs(self) -> list[tuple[float, _Known]]:
        """What is known if strengths have one spread or two, and how much the results speak for each."""
        one = self.known()
        found = [each for above in self._cuts(one) if (each := self._best_groups(one, above)) is not None]
        if not found:
            return [(1.0, one)]
        evidence, two = max(found, key=lambda each: each[0])
        share = float(_logistic(np.asarray(evidence - self._evidence(one))))
        both = [(1 - share, one), (share, two)]
        kept = [each for each in both if each[0] >= LEAST_SHARE]
        return both if len(kept) == 2 else [(1.0, kept[0][1])]

    def known(self, population: Population | None = None) -> _Known:
        """The strengths, where their spread is known or not."""
        nobody = Population(USUAL_SPREAD**2, np.zeros((self._count, 0)))
        now = self._nothing(population or nobody)
        haste, last = HASTE, 0.0
        for _ in range(ROUNDS):
            before, now = now, self._round(now)
            step = math.log(self._suggested(now) / now.population.variance) if population is None else 0.0
            if abs(step) < SETTLED and np.abs(now.strengths - before.strengths).max() < SETTLED:
                break
            if last not in (0.0, step):  # the secant through the last two steps
                haste = min(max(haste * last / (last - step), 1.0), MOST_HASTE)
            last = step
            now = self._spread(now, min(now.population.variance * math.exp(haste * step), WIDEST_SPREAD**2))
        return now

    def variances(self, known: _Known, origin: Vector) -> Vector:
        """Of the players' strengths minus the origin's: C[i, i] − 2·(C·o)[i] + o·C·o, C being the inverse of the
        information. Another spread would have moved them as well."""
        towards = known.information.solved(origin)
        found = known.information.inverse_diagonal() - 2 * towards + origin @ towards
        moved = known.information.solved(known.population.pull(known.strengths))
        return np.asarray(found + self._uncertainty(known) * (moved - origin @ moved) ** 2)

    # Two groups

    def _cuts(self, known: _Known) -> list[NDArray[np.bool_]]:
        """Where a table may fall into two: the place below which players scored least against those above, beside what
        was expected of them. In the upper quarter, the middle, and the lower quarter."""
        if not 2 * SMALLEST <= self._count <= MOST_DENSE:  # beyond, it would take minutes
            return []
        places = np.empty(self._count, np.int64)
        places[np.argsort(-known.strengths, kind="stable")] = np.arange(self._count)
        low, high = places[self._low], places[self._high]
        chances = self._chances(known.strengths, known)
        missing = np.where(low < high, self._won - self._games * chances, self._games * chances - self._won)

        def across(each: Vector) -> Vector:
            """Summed over all pairs of an upper and a lower player, for each number of upper ones."""
            size = self._count + 1
            return np.cumsum(
                np.bincount(np.minimum(low, high), each, size) - np.bincount(np.maximum(low, high), each, size)
            )

        surprise = across(missing) / np.sqrt(np.maximum(across(self._games * chances * (1 - chances)), TINY))
        quarter = max(self._count // 4, SMALLEST)
        ends = [SMALLEST, quarter, self._count - quarter, self._count - SMALLEST + 1]
        return [
            places < begin + int(np.argmax(surprise[begin - 1 : end - 1]))
            for begin, end in itertools.pairwise(ends)
            if begin < end
        ]

    def _best_groups(self, one: _Known, above: NDArray[np.bool_]) -> tuple[float, _Known] | None:
        """What is known if there are two groups, and how much speaks for it: players change sides while that helps."""
        best = None
        while (two := self._in_groups(one, above)) is not None:
            evidence = self._evidence(two)
            if best is not None and evidence <= best[0] + GROUPED:
                break
            best, above = (evidence, two), self._by_games(two)
        return best

    def _in_groups(self, one: _Known, above: NDArray[np.bool_]) -> _Known | None:
        """What is known if there are two groups, these to begin with; None if they come together."""
        shares = np.column_stack([above, ~above]).astype(np.float64)
        middle = shares.T @ one.strengths / shares.sum(axis=0)
        squares = float(((one.strengths - shares @ middle) ** 2).sum())
        now = replace(one, population=Population(self._with_prior(squares), shares))
        for round in range(GROUP_ROUNDS):
            now = self._round(now)
            if now.apart < TOGETHER or (round == SETTLING and self._evidence(now) < self._evidence(one) - HOPELESS):
                return None
            population = now.population
            variance = self._suggested(now)
            shares = population.shares if round < SETTLING else self._sides(now)
            changed = abs(math.log(variance / population.variance)) + np.abs(shares - population.shares).max()
            if round > SETTLING and changed < GROUPED:
                break
            now = replace(now, population=Population(variance, shares))
        now = self._round(now)
        return now if now.apart >= APART else None

    def _sides(self, known: _Known) -> Vector:
        """How likely each player is of each group."""
        likely = self._log_sizes(known) - known.squares / (2 * known.population.variance)
        likely = np.exp(likely - likely.max(axis=1, keepdims=True))
        return np.asarray(likely / likely.sum(axis=1, keepdims=True))

    def _by_games(self, known: _Known) -> NDArray[np.bool_]:
        """Who is of the first group by its games alone, without what its group has done to its strength."""
        population = known.population
        here = 1 / known.information.variances_alone()
        games = np.maximum(here - 1 / population.variance, TINY)
        shown = (known.strengths * here - population.shares @ known.means / population.variance) / games
        far = (shown[:, None] - known.means) ** 2 / (2 * (population.variance + 1 / games[:, None]))
        return np.asarray(np.argmax(self._log_sizes(known) - far, axis=1) == 0)

    def _log_sizes(self, known: _Known) -> Vector:
        """The logarithms of the groups' shares of all players, one more in each."""
        sizes = known.population.shares.sum(axis=0) + 1
        return np.asarray(np.log(sizes / sizes.sum()))

    def _evidence(self, known: _Known) -> float:
        """How much the results speak for such a spread: the lower bound of the logarithm of their likelihood that
        what is known implies, but for a part that is the same for every spread."""
        unknown = np.maximum(known.information.variances_of_differences(self._low, self._high), 0.0)
        drawn = _drawn(known.strengths[self._low] - known.strengths[self._high], unknown)
        logs = [-np.logaddexp(0, sign * drawn) @ _SHARES for sign in (-1, 1)]
        found = float(self._won @ logs[0] + (self._games - self._won) @ logs[1])
        found -= (known.information.log_determinant() + self._count * math.log(known.population.variance)) / 2
        if not known.population.groups:
            squares = float(known.strengths @ known.strengths + known.information.variances().sum())
            return found - squares / (2 * known.population.variance)
        shares = known.population.shares
        placed = self._log_sizes(known) - known.squares / (2 * known.population.variance)
        found += float((shares * (placed - np.log(np.maximum(shares, TINY)))).sum())
        means = (known.means**2 + known.mean_variances) / USUAL_SPREAD**2
        found -= float((means + np.log(known.population.certainty * USUAL_SPREAD**2) - 1).sum()) / 2
        return found + math.log(2)  # either group may be the upper one

    # What is known

    def _nothing(self, population: Population) -> _Known:
        strengths, softened = np.zeros(self._count), np.ones(len(self._games))
        weights = np.zeros(len(self._games))
        information = Information(self._low, self._high, weights, np.ones(self._count), population.shared)
        return _Known(strengths, information, softened, population)

    def _spread(self, known: _Known, variance: float) -> _Known:
        return replace(known, population=replace(known.population, variance=variance))

    def _round(self, known: _Known) -> _Known:
        """Strengths, then what is known of them, then what that softens."""
        strengths = self._maximum(known)
        information = self._information(strengths, known)
        differences = strengths[self._low] - strengths[self._high]
        unknown = np.maximum(information.variances_of_differences(self._low, self._high), 0.0)
        chances = _logistic(_drawn(differences, unknown)) @ _SHARES
        usual = 1 / np.sqrt(1 + unknown * math.pi / 8)  # near even chances, where nothing can be divided
        sure = np.abs(differences) > EVEN
        softened = np.divide(np.log(chances / (1 - chances)), differences, out=usual, where=sure)
        return _Known(strengths, information, softened, known.population)

    def _suggested(self, known: _Known) -> float:
        """The variance of strengths, within their group, about which so much is known."""
        if known.population.groups:
            return self._with_prior(float((known.population.shares * known.squares).sum()))
        return self._with_prior(float(known.strengths @ known.strengths) + known.information.trace_of_inverse())

    def _with_prior(self, squares: float) -> float:
        return (squares + SPREAD_PLAYERS * USUAL_SPREAD**2) / (self._count + SPREAD_PLAYERS)

    def _uncertainty(self, known: _Known) -> float:
        """The variance of the logarithm of the spread, from how much of a change of it the results let stand."""
        wider = self._spread(known, 1.1 * known.population.variance)
        for _ in range(3):
            wider = self._round(wider)
        kept = math.log(self._suggested(wider) / self._suggested(known)) / math.log(1.1)
        return 2 / ((self._count + SPREAD_PLAYERS) * max(1 - kept, 0.1))

    def _maximum(self, known: _Known) -> Vector:
        """The strengths whose expected points, chances softened, are those seen and those of the prior: by Newton's
        method, of a strictly concave function."""
        strengths = known.strengths.copy()
        for _ in range(STEPS):
            chances = self._chances(strengths, known)
            expected = self._sums(self._games * chances, self._games * (1 - chances))
            gradient = self._points - expected - known.population.pull(strengths)
            step = self._information(strengths, known).solved(gradient)
            longest = float(np.abs(step).max())
            strengths += step * min(1.0, LONGEST_STEP / longest) if longest > 0 else 0.0
            if longest < (ROUGHLY if known.population.groups else CLOSE):
                break
        return strengths

    def _chances(self, strengths: Vector, known: _Known) -> Vector:
        return _logistic(known.softened * (strengths[self._low] - strengths[self._high]))

    def _information(self, strengths: Vector, known: _Known) -> Information:
        """The inverse of the strengths' covariances."""
        chances = self._chances(strengths, known)
        weights = self._games * known.softened * chances * (1 - chances)
        population = known.population
        diagonal = self._sums(weights, weights) + 1 / population.variance
        return Information(self._low, self._high, weights, diagonal, population.shared)

    def _sums(self, to_low: Vector, to_high: Vector) -> Vector:
        """What each player has from all its pairs."""
        return np.asarray(np.bincount(self._low, to_low, self._count) + np.bincount(self._high, to_high, self._count))


def _drawn(means: Vector, variances: Vector) -> Vector:
    """What normal distributions (rows) are made of: `_SHARES` says how likely each value is."""
    return np.asarray(means[:, None] + np.sqrt(variances)[:, None] * _NODES)


def _logistic(difference: Vector) -> Vector:
    return np.asarray(1 / (1 + np.exp(-difference)))
