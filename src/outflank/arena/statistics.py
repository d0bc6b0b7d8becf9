"""Who is better, and how sure is that: the statistics of a match.

A match is played in pairs: one opening, two games, colours swapped. The pair is the unit of variance, because its two
games share the opening: counting games as if they were independent would claim too much or too little.

Intervals and superiority rest on the likelihood of all five results of a pair, not on a variance, which a few equal
pairs make tiny. docs/arena.md has the simulations.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
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
FAR_END = 0.2
"""Of a pair, added to the worse end before the lower bound of a score is sought and to the better end before the upper
one: the prior that a result not seen yet may come. With 0.05 some matches of 2 to 12 pairs are covered in 89 to 92 %
(docs/arena.md); with more, long ones are covered too often."""
REGULAR = 1e-3
"""What stands for a count of zero in the SPRT, so that a result not seen yet is rare and not impossible."""
OVERSHOOT = 0.583
"""Standard deviations of its steps by which a random walk passes a bound on average (Siegmund)."""
SETTLED = 1e-9
"""How little probabilities change where they count as found."""
TURNS = 200
"""Of a search that otherwise ends by itself, within ten or twenty."""
ELO_SLOPE = math.log(10) / 800
"""Points a game that one normalised Elo is worth, in standard deviations of a game's score."""


@dataclass(frozen=True)
class Moments:
    """The number of pairs, and the mean and variance of a pair's score, in points a game (0 to 1)."""

    pairs: float
    mean: float
    variance: float


def moments(counts: Counts, worths: Sequence[float] = PAIR_SCORES) -> Moments:
    """The moments of a pentanomial of one pair or more; or of something else that each result of a pair is worth."""
    pairs = sum(counts)
    mean = sum(count * worth for count, worth in zip(counts, worths, strict=True)) / pairs
    square = sum(count * (worth - mean) ** 2 for count, worth in zip(counts, worths, strict=True)) / pairs
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
    """The 95 % interval of the mean score: the means under which the counts are not much less likely than under their
    own. A better result never has a lower bound than a worse one of as many pairs."""
    upper = 1 - _lower_bound(tuple(reversed(counts)))
    return _lower_bound(tuple(counts)), upper


def elo_interval(counts: Counts) -> Interval:
    """The 95 % interval of the difference in Elo."""
    low, high = score_interval(counts)
    return elo(low), elo(high)


def superiority(counts: Counts) -> float:
    """The likelihood that the first player is the better one: above 97.5 % where the interval of its score lies above
    one half."""
    better, worse = _deviations(tuple(counts)), _deviations(tuple(reversed(counts)))
    return normal_below(better - worse)


@dataclass(frozen=True)
class _Tilt:
    """Of all distributions whose mean is so low, that under which counts are likeliest. It has the probabilities
    count / (score + `shift`), up to a factor: the smaller the shift, the lower the mean."""

    mean: float
    ratio: float
    """Twice the logarithm of how much likelier the counts are without the bound on the mean."""

    @classmethod
    def of(cls, counts: Counts, shift: float) -> "_Tilt":
        weights = [count / (score + shift) for count, score in zip(counts, PAIR_SCORES, strict=True)]
        total = sum(weights)
        logs = [math.log((score + shift) * total / sum(counts)) for score in PAIR_SCORES]
        mean = sum(weight * score for weight, score in zip(weights, PAIR_SCORES, strict=True)) / total
        return cls(mean, 2 * sum(count * log for count, log in zip(counts, logs, strict=True)))


def _tilted(counts: Counts, far: Callable[[_Tilt], bool]) -> _Tilt:
    """The least tilt that goes far enough: by bisection on the logarithm of the shift."""
    low, high = -30.0, 30.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if far(_Tilt.of(counts, math.exp(middle))) else (low, middle)
    return _Tilt.of(counts, math.exp(low))


@lru_cache(maxsize=4096)
def _lower_bound(counts: tuple[float, ...]) -> float:
    """The lower end of the interval of the mean score."""
    return _tilted(_with_far_end(counts), lambda tilt: tilt.ratio >= NORMAL_95**2).mean


@lru_cache(maxsize=4096)
def _deviations(counts: tuple[float, ...]) -> float:
    """How surely the mean score is above one half, in standard deviations; 0 where it is not."""
    counts = _with_far_end(counts)
    if moments(counts).mean <= 0.5:
        return 0.0
    return math.sqrt(max(_tilted(counts, lambda tilt: tilt.mean <= 0.5).ratio, 0.0))


def far_end(pairs: float) -> float:
    """What is added to the far end of so many pairs: of a few, whose results are coarse, a little more."""
    return FAR_END * (1 + 2 / pairs)


def _with_far_end(counts: tuple[float, ...]) -> tuple[float, ...]:
    return (counts[0] + far_end(sum(counts)), *counts[1:])


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

    It is the generalised test of the Fishtest framework on pairs: the ratio is that of the likelihoods of the counts,
    each as large as its hypothesis allows. Normalised Elo counts the difference in standard deviations, so that a test
    takes as many games whatever the share of draws; logistic Elo is the usual one.
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
        steps = self._steps(counts)
        return steps.pairs * steps.mean

    def decision(self, counts: Counts) -> Decision | None:
        """H0 or H1 where the test has decided, None where it goes on. The risks belong to a ratio that stops right on
        a bound; as it moves by whole pairs it stops beyond, so the bounds are drawn in by as much as that is on
        average."""
        if not any(counts):
            return None
        steps = self._steps(counts)
        ratio, beyond = steps.pairs * steps.mean, OVERSHOOT * math.sqrt(steps.variance)
        lower, upper = self.bounds
        if ratio <= min(lower + beyond, lower / 2):
            return "H0"
        return "H1" if ratio >= max(upper - beyond, upper / 2) else None

    def _steps(self, counts: Counts) -> Moments:
        """What a pair adds to the log-likelihood ratio."""
        regular = [count or REGULAR for count in counts]
        pairs = sum(regular)
        shares = [count / pairs for count in regular]
        under_h0, under_h1 = (self._likeliest(shares, difference) for difference in (self.elo0, self.elo1))
        return moments(regular, [math.log(one / zero) for zero, one in zip(under_h0, under_h1, strict=True)])

    def _likeliest(self, shares: Sequence[float], difference: float) -> Sequence[float]:
        """Of all distributions with this difference in Elo, that under which such shares are likeliest."""
        if self.model == "logistic":
            mean = expected_score(difference)
            return _balanced(shares, [score - mean for score in PAIR_SCORES])
        # A pair's mean is above one half by `wanted` of its standard deviations. How much each result adds to that
        # depends on the distribution itself, which is found by turns.
        wanted = difference * ELO_SLOPE * math.sqrt(2)
        chances = _apart(wanted)
        for _ in range(TURNS):
            found = moments(chances)
            spread = math.sqrt(found.variance)
            worths = [score - 0.5 - wanted * (spread + (score - found.mean) ** 2 / spread) / 2 for score in PAIR_SCORES]
            before, chances = chances, _balanced(shares, worths)
            if max(abs(new - old) for new, old in zip(chances, before, strict=True)) < SETTLED:
                break
        return chances


def _balanced(shares: Sequence[float], worths: Sequence[float]) -> list[float]:
    """Of all distributions whose mean worth is 0, that under which such shares are likeliest: by Newton's method, held
    between the multipliers at which a probability would not be one."""
    low, high = -1 / max(worths), -1 / min(worths)
    multiplier = 0.0
    for _ in range(TURNS):
        terms = [worth / (1 + multiplier * worth) for worth in worths]
        value = sum(share * term for share, term in zip(shares, terms, strict=True))
        slope = sum(share * term * term for share, term in zip(shares, terms, strict=True))
        low, high = (multiplier, high) if value > 0 else (low, multiplier)
        step = value / slope
        if abs(step) <= 1e-14 * abs(multiplier) or value == 0:
            break
        multiplier = multiplier + step if low < multiplier + step < high else (low + high) / 2
    return [share / (1 + multiplier * worth) for share, worth in zip(shares, worths, strict=True)]


@lru_cache(maxsize=64)
def _apart(wanted: float) -> list[float]:
    """Some distribution whose mean is above one half by so many standard deviations: to begin with."""

    def mixed(share: float) -> list[float]:
        end = len(PAIR_SCORES) - 1 if wanted > 0 else 0
        return [(1 - share) / len(PAIR_SCORES) + share * (at == end) for at in range(len(PAIR_SCORES))]

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        found = moments(mixed(middle))
        if abs(found.mean - 0.5) < abs(wanted) * math.sqrt(found.variance):
            low = middle
        else:
            high = middle
    return mixed(low)


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
        """Discs per game, or None without a game."""
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
        """Points per game, or None before the first pair."""
        return (self.wins + self.draws / 2) / self.games if self.games else None
