"""Who is better, and how sure is that: the statistics of a match.

A match is played in pairs: one opening, two games, colours swapped. The pair is the unit of variance, because its two
games share the opening: counting games as if they were independent would claim too much or too little.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from outflank.errors import Fault

Counts = Sequence[float]
"""A pentanomial: how many pairs brought the first player 0, ½, 1, 1½ and 2 points."""
Interval = tuple[float | None, float | None]
"""Two bounds; None where there is none."""

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The five results of a pair, in points a game."""
NORMAL_95 = 1.959964
"""Standard deviations to either side that hold 95 % of a normal distribution."""
TAIL = 0.025
REGULAR = 1e-3
"""What stands for a count of zero in the SPRT, so that a result not seen yet is rare and not impossible."""
FEWEST_PAIRS = 16
"""Pairs before an SPRT may decide. The ratio rests on the variance seen, which a few equal pairs make tiny. Simulated
at normalised Elo 0,100, the risk meant to be 5 % is 26 to 30 % without this, 7 % with 8 pairs and 5.4 % with 16; at
0,20 it makes no difference."""
ELO_SLOPE = math.log(10) / 800
"""Points a game that one normalised Elo is worth, in standard deviations of a game's score."""


@dataclass(frozen=True)
class Moments:
    """The number of pairs, and the mean and variance of a pair's score, in points a game (0 to 1)."""

    pairs: float
    mean: float
    variance: float

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return math.sqrt(self.variance / self.pairs)


def moments(counts: Counts) -> Moments:
    """The moments of a pentanomial of one pair or more."""
    pairs = sum(counts)
    mean = sum(count * score for count, score in zip(counts, PAIR_SCORES, strict=True)) / pairs
    square = sum(count * (score - mean) ** 2 for count, score in zip(counts, PAIR_SCORES, strict=True)) / pairs
    return Moments(pairs, mean, square)


def elo(score: float) -> float | None:
    """The difference in Elo that a mean score shows; None where it is infinite."""
    if not 0 < score < 1:
        return None
    return -400 * math.log10(1 / score - 1) + 0.0


def expected_score(difference: float) -> float:
    """Points a game that a difference in Elo predicts."""
    return 1 / (1 + 10 ** (-difference / 400))


def score_interval(counts: Counts) -> tuple[float, float]:
    """The 95 % interval of the mean score.

    Where all pairs ended alike the variance seen is zero and says nothing. The bounds are then the means at which such
    a run would still have happened one time in forty, all other pairs being won, or lost.
    """
    found = moments(counts)
    if found.variance == 0:
        alike = TAIL ** (1 / found.pairs)
        return found.mean * alike, 1 - (1 - found.mean) * alike
    reach = NORMAL_95 * found.error
    return max(found.mean - reach, 0.0), min(found.mean + reach, 1.0)


def elo_interval(counts: Counts) -> Interval:
    """The 95 % interval of the difference in Elo. One pair alone has no variance, and bounds nothing."""
    if sum(counts) < 2:
        return None, None
    low, high = score_interval(counts)
    return elo(low), elo(high)


def superiority(counts: Counts) -> float:
    """The likelihood that the first player is the better one."""
    found = moments(counts)
    if found.variance == 0:
        return 0.5 if found.mean == 0.5 else float(found.mean > 0.5)
    return normal_below((found.mean - 0.5) / found.error)


def normal_below(deviations: float) -> float:
    """The share of a normal distribution below so many standard deviations from its mean."""
    return (1 + math.erf(deviations / math.sqrt(2))) / 2


def student_95(free: int) -> float:
    """Standard deviations to either side that hold 95 % of Student's distribution with so many degrees of freedom: by
    the expansion of Cornish and Fisher, good to a thousandth from 4 on; before that as tables have it."""
    if free < 4:
        return (12.7062, 4.3027, 3.1824)[free - 1]
    z = NORMAL_95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(free) ** power for power, term in enumerate(terms, 1))


Model = Literal["normalized", "logistic"]
Decision = Literal["H0", "H1"]


@dataclass(frozen=True)
class Sprt:
    """A sequential test: is the first player better by `elo1` (H1) or by no more than `elo0` (H0)?

    It is the generalised test of the Fishtest framework on pairs. Normalised Elo counts the difference in standard
    deviations, so that a test takes as many games whatever the share of draws; logistic Elo is the usual one.
    """

    elo0: float
    elo1: float
    model: Model = "normalized"
    alpha: float = 0.05
    """The risk of H1 where H0 is true."""
    beta: float = 0.05
    """The risk of H0 where H1 is true."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1 or not math.isfinite(self.elo1 - self.elo0):
            raise Fault("sprt.order", elo0=self.elo0, elo1=self.elo1)
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise Fault("sprt.risks", alpha=self.alpha, beta=self.beta)

    @classmethod
    def parse(cls, text: str) -> "Sprt":
        """Reads `0,10` or `0,10,logistic`."""
        parts = [part.strip() for part in text.split(",")]
        model = parts.pop() if len(parts) == 3 else "normalized"
        try:
            elo0, elo1 = map(float, parts)
        except ValueError:
            raise Fault("sprt.form", text=text) from None
        if model not in ("normalized", "logistic"):
            raise Fault("sprt.model", model=model)
        return cls(elo0, elo1, "logistic" if model == "logistic" else "normalized")

    def __str__(self) -> str:
        return f"{self.elo0:g},{self.elo1:g}" + (",logistic" if self.model == "logistic" else "")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Counts) -> float:
        """The log-likelihood ratio of H1 to H0; 0 before the first pair."""
        if not any(counts):
            return 0.0
        found = moments([count or REGULAR for count in counts])
        low, high = self._expected(self.elo0, found.variance), self._expected(self.elo1, found.variance)
        return found.pairs * (high - low) * (2 * found.mean - low - high) / (2 * found.variance)

    def _expected(self, difference: float, variance: float) -> float:
        if self.model == "logistic":
            return expected_score(difference)
        return 0.5 + difference * ELO_SLOPE * math.sqrt(2 * variance)

    def decision(self, counts: Counts) -> Decision | None:
        """H0 or H1 where the test has decided, None where it goes on."""
        if sum(counts) < FEWEST_PAIRS:
            return None
        lower, upper = self.bounds
        ratio = self.llr(counts)
        return "H0" if ratio <= lower else "H1" if ratio >= upper else None


@dataclass
class Margins:
    """Disc margins of games, grouped in pairs. Pairs may miss a game, since forfeits have no margin: the mean is then
    a ratio of two sums, and its variance the usual linear approximation of one."""

    pairs: int = 0
    games: int = 0
    total: float = 0.0
    _squares: float = field(default=0.0, repr=False)
    _products: float = field(default=0.0, repr=False)
    _sizes: float = field(default=0.0, repr=False)

    def add(self, margins: Sequence[float]) -> None:
        """Counts the margins of one pair, one or two of them; none count nothing."""
        if not margins:
            return
        size, total = len(margins), sum(margins)
        self.pairs += 1
        self.games += size
        self.total += total
        self._squares += total * total
        self._products += total * size
        self._sizes += size * size

    @property
    def mean(self) -> float | None:
        """Discs a game, or None without a game."""
        return self.total / self.games if self.games else None

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the mean, wider where there are few pairs to tell the spread from: Student's."""
        mean = self.mean
        if mean is None or self.pairs < 2:
            return None, None
        squares = max(self._squares - 2 * mean * self._products + mean * mean * self._sizes, 0.0)
        free = self.pairs - 1
        reach = student_95(free) * math.sqrt(squares * self.pairs / free) / self.games
        return mean - reach, mean + reach


@dataclass
class Tally:
    """The running count of a match, from the first player's view."""

    counts: list[int] = field(default_factory=lambda: [0] * 5)
    wins: int = 0
    draws: int = 0
    losses: int = 0
    margins: Margins = field(default_factory=Margins)

    def add(self, points: Sequence[float], margins: Sequence[float | None]) -> None:
        """Counts a pair: the points of its two games, and their margins, None for a forfeit."""
        self.counts[round(2 * sum(points))] += 1
        self.wins += sum(point == 1 for point in points)
        self.draws += sum(point == 0.5 for point in points)
        self.losses += sum(point == 0 for point in points)
        self.margins.add([margin for margin in margins if margin is not None])

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float | None:
        """Points a game, or None before the first pair."""
        return (self.wins + self.draws / 2) / self.games if self.games else None
