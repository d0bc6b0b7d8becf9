"""How well the arena's statistics keep what they promise, by simulation: intervals of scores, the sequential test, and
the ratings of Swiss tournaments. `python tests/calibration.py scores` (or `sprt`, `ratings`) prints the tables that
docs/arena.md shows in part; slow tests hold the statistics to them.
"""

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from outflank.arena.contest import Player
from outflank.arena.ratings import Scores, bradley_terry
from outflank.arena.schedule import Pairing, planned
from outflank.arena.statistics import NORMAL_95, PAIR_SCORES, Sprt, expected_score, far_end, moments

SCORES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
PAIRS = (2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 300, 1000)
DRAWS = (0.0, 0.2, 0.4, 0.6, 0.8)
"""Of what the score leaves room for: at 50 % up to 80 % of all games are drawn, at 99 % never more than 2 %."""
OPENINGS = (0.0, 0.3, 0.6, 0.9)
"""How much openings favour one colour, again of what the score leaves room for."""
EXACT_PAIRS = 16
"""Up to so many pairs every result there is is counted, with its chance; beyond that matches are simulated."""
MATCHES = 4000
"""Simulated for each share of draws and each kind of openings."""

Chances = NDArray[np.float64]
Counts = NDArray[np.int64]


def pair_chances(score: float, draws: float, openings: float) -> Chances:
    """How likely the five results of a pair are where a game brings so many points on average."""
    lean = openings * min(score, 1 - score)
    games: list[Chances] = []
    for own in (score + lean, score - lean):
        drawn = 2 * draws * min(own, 1 - own)
        games.append(np.array([1 - own - drawn / 2, drawn, own - drawn / 2]))
    return np.maximum(np.convolve(games[0], games[1]), 0.0)


def lower_bounds(counts: Counts) -> Chances:
    """The lower bounds of `score_interval` for many results at once, each a row: by the same bisection, in arrays."""
    seen = counts.astype(np.float64)
    seen[:, 0] += far_end(float(counts[0].sum()))
    pairs = seen.sum(axis=1)
    low, high = np.full(len(seen), -30.0), np.full(len(seen), 30.0)
    scores = np.array(PAIR_SCORES)
    for _ in range(44):
        middle = (low + high) / 2
        shifted = scores + np.exp(middle)[:, None]
        ratio = 2 * ((seen * np.log(shifted)).sum(axis=1) + pairs * np.log((seen / shifted).sum(axis=1) / pairs))
        far = ratio >= NORMAL_95**2
        low, high = np.where(far, middle, low), np.where(far, high, middle)
    weights = seen / (scores + np.exp(low)[:, None])
    return np.asarray(weights @ scores / weights.sum(axis=1))


@dataclass(frozen=True)
class Coverage:
    """How often intervals hold the truth: a row for each share of draws, a column for each kind of openings."""

    held: Chances

    @property
    def mean(self) -> float:
        return float(self.held.mean())

    @property
    def least(self) -> float:
        return float(self.held.min())


@cache
def _every_result(pairs: int) -> tuple[Counts, Chances, Chances, Chances]:
    """All results of a match, the logarithm of how many orders of pairs lead to each, and the bounds of each."""
    counts = np.array([one for one in product(range(pairs + 1), repeat=4) if sum(one) <= pairs], np.int64)
    counts = np.column_stack([counts, pairs - counts.sum(axis=1)])
    log_factorials = np.cumsum(np.log(np.maximum(np.arange(pairs + 1), 1)))
    orders = log_factorials[pairs] - log_factorials[counts].sum(axis=1)
    return counts, orders, lower_bounds(counts), 1 - lower_bounds(counts[:, ::-1])


def score_coverage(score: float, pairs: int, matches: int = MATCHES, seed: int = 0) -> Coverage:
    """Of the interval of a match's score, at a true score: exact for a few pairs, else simulated."""
    dice = np.random.default_rng([seed, pairs, round(1000 * score)])
    held = np.empty((len(DRAWS), len(OPENINGS)))
    for row, column in product(range(len(DRAWS)), range(len(OPENINGS))):
        chances = pair_chances(score, DRAWS[row], OPENINGS[column])
        if pairs <= EXACT_PAIRS:
            counts, orders, low, high = _every_result(pairs)
            weights = np.exp(orders + counts @ np.log(np.maximum(chances, 1e-300)))
        else:
            drawn = dice.multinomial(pairs, chances / chances.sum(), matches)
            counts, times = np.unique(drawn, axis=0, return_counts=True)
            low, high = lower_bounds(counts), 1 - lower_bounds(counts[:, ::-1])
            weights = times / matches
        held[row, column] = weights[(low - 1e-9 <= score) & (score <= high + 1e-9)].sum()
    return Coverage(held)


def scores_table() -> Iterator[str]:
    yield f"| pairs | {' | '.join(f'{100 * score:g} %' for score in SCORES)} |"
    yield "|---" * (len(SCORES) + 1) + "|"
    for pairs in PAIRS:
        cells = [score_coverage(score, pairs) for score in SCORES]
        yield f"| {pairs:,} | {' | '.join(f'{100 * cell.mean:.1f} ({100 * cell.least:.1f})' for cell in cells)} |"


# The sequential test


@dataclass(frozen=True)
class Errors:
    """How often a test decided wrongly, and after how many pairs on average."""

    wrong: float
    pairs: float


def chances_with(elo: float, model: str, draws: float, openings: float) -> Chances:
    """The results of a pair between players who differ by so much."""
    low, high = 0.5, 0.95
    if model == "logistic":
        return pair_chances(expected_score(elo), draws, openings)
    wanted = elo * math.log(10) / 800 * math.sqrt(2)
    for _ in range(50):
        middle = (low + high) / 2
        found = moments(pair_chances(middle, draws, openings).tolist())
        low, high = (middle, high) if found.mean - 0.5 < wanted * math.sqrt(found.variance) else (low, middle)
    return pair_chances(low, draws, openings)


def sprt_errors(test: Sprt, truth: float, draws: float, openings: float, tests: int, seed: int = 0) -> Errors:
    """Of tests of players who differ as one of the two hypotheses says. Where the ratio is far from both bounds, so
    many pairs go by unseen as could not bring it there."""
    chances = chances_with(truth, test.model, draws, openings)
    dice = np.random.default_rng([seed, round(truth)])
    lower, upper = test.bounds

    @cache
    def seen(counts: tuple[int, ...]) -> tuple[str | None, int]:
        ratio = test.llr(counts)
        largest = 3 * abs(ratio) / max(sum(counts), 1)
        largest = max(largest, _largest_step(test, tuple(chances.tolist())))
        decided = None if lower / 2 < ratio < upper / 2 else test.decision(counts)
        return decided, max(1, int((min(upper - ratio, ratio - lower) - largest) / (1.5 * largest)))

    wrong = total = 0
    stream = _results(dice, chances)
    for _ in range(tests):
        counts, due, decision = [0] * len(PAIR_SCORES), 1, None
        while decision is None:
            for _ in range(due):
                counts[next(stream)] += 1
            decision, due = seen(tuple(counts))
        wrong += decision != ("H0" if truth == test.elo0 else "H1")
        total += sum(counts)
    return Errors(wrong / tests, total / tests)


def _results(dice: np.random.Generator, chances: Chances) -> Iterator[int]:
    while True:
        yield from dice.choice(len(PAIR_SCORES), 1 << 16, p=chances / chances.sum()).tolist()


@cache
def _largest_step(test: Sprt, chances: tuple[float, ...]) -> float:
    """What one pair changes in the ratio at most, once there are some."""
    many = [1000 * chance for chance in chances]
    return max(abs(test.llr([*many[:at], many[at] + 1, *many[at + 1 :]]) - test.llr(many)) for at in (0, 2, 4))


SPRT_TESTS = 1000
"""For each truth, of which there are four."""
SPRT_CASES = (Sprt(0, 100), Sprt(0, 50), Sprt(0, 100, "logistic"))
SPRT_TRUTHS = tuple(product((0.05, 0.5), (0.3, 0.6)))
"""Shares of draws and kinds of openings."""


def sprt_risks(test: Sprt, tests: int = SPRT_TESTS) -> tuple[float, float, float, float]:
    """Both risks, over all truths, and the pairs that the test takes under either hypothesis."""
    found = [
        [sprt_errors(test, truth, *kind, tests, seed) for seed, kind in enumerate(SPRT_TRUTHS)]
        for truth in (test.elo0, test.elo1)
    ]
    alpha, beta = (sum(one.wrong for one in errors) / len(errors) for errors in found)
    under_h0, under_h1 = (sum(one.pairs for one in errors) / len(errors) for errors in found)
    return alpha, beta, under_h0, under_h1


def sprt_table() -> Iterator[str]:
    yield "| `--sprt` | H1 where H0 is true | H0 where H1 is true | pairs, H0 true | pairs, H1 true |"
    yield "|---|---|---|---|---|"
    for test in SPRT_CASES:
        alpha, beta, under_h0, under_h1 = sprt_risks(test)
        yield f"| `{test}` | {100 * alpha:.1f} % | {100 * beta:.1f} % | {under_h0:.0f} | {under_h1:.0f} |"


# Ratings of Swiss tournaments


@dataclass(frozen=True)
class Swiss:
    """Tournaments of players whose strengths, in Elo, are spread in some way."""

    players: int
    rounds: int
    games: int
    """Of each two who meet."""
    spread: float
    population: str = "normal"
    tournaments: int = 20

    def strengths(self, dice: np.random.Generator) -> NDArray[np.float64]:
        if self.population == "even":
            return dice.uniform(-1, 1, self.players) * self.spread * math.sqrt(3)
        if self.population == "far ends":
            return dice.standard_t(3, self.players) * self.spread / math.sqrt(3)
        if self.population == "two groups":
            strong = dice.random(self.players) < 0.2
            return np.where(strong, 2.0, -0.5) * self.spread + dice.normal(0, self.spread / 5, self.players)
        return dice.normal(0, self.spread, self.players)

    def played(self, strengths: NDArray[np.float64], dice: np.random.Generator) -> Scores:
        """As `outflank tournament --format swiss` pairs them."""
        names = [Player(f"{number}") for number in range(self.players)]
        results: dict[Pairing, float] = {}

        def score(pair: Pairing) -> float:
            if pair not in results:
                one, other = (strengths[int(player.spec)] for player in pair)
                results[pair] = dice.binomial(self.games, expected_score(one - other)) / self.games
            return results[pair]

        planned("swiss", names, score, self.rounds)
        points = {}
        for (one, other), share in results.items():
            points[int(one.spec), int(other.spec)] = self.games * share
            points[int(other.spec), int(one.spec)] = self.games * (1 - share)
        return Scores.of_pairs(self.players, points)

    def coverage(self) -> tuple[float, float, float]:
        """How often intervals hold the truth, of all players and of the tenth that is rated best; and their reach."""
        dice = np.random.default_rng([self.players, self.games, round(self.spread)])
        all_held, best_held, reaches = [], [], []
        for _ in range(self.tournaments):
            strengths = self.strengths(dice)
            ratings = bradley_terry(self.played(strengths, dice))
            truths = strengths - strengths.mean()
            held = [rating.low <= truth <= rating.high for rating, truth in zip(ratings, truths, strict=True)]
            best = sorted(range(self.players), key=lambda number: -ratings[number].value)[: max(self.players // 10, 1)]
            all_held += held
            best_held += [held[number] for number in best]
            reaches += [(rating.high - rating.low) / 2 for rating in ratings]
        return float(np.mean(all_held)), float(np.mean(best_held)), float(np.mean(reaches))


SWISS = (
    *(
        Swiss(8, 3, 2, 300, tournaments=150),
        Swiss(32, 5, 2, 300, tournaments=60),
        Swiss(32, 5, 10, 300, tournaments=60),
    ),
    *(Swiss(100, 7, 2, spread) for spread in (200, 400)),
    *(Swiss(208, 8, 2, 300, tournaments=10), Swiss(300, 9, 2, 200, tournaments=6)),
    *(Swiss(100, 7, 2, 300, population) for population in ("even", "far ends")),
    *(Swiss(32, 5, games, 300, "two groups", 60) for games in (2, 10)),
    *(Swiss(100, 7, 2, 300, "two groups", 60), Swiss(208, 8, 2, 300, "two groups", 10)),
)


def swiss_table() -> Iterator[str]:
    yield "| players | rounds | games a pair | spread, Elo | covered | of the best tenth | ± |"
    yield "|---|---|---|---|---|---|---|"
    for one in SWISS:
        held, best, reach = one.coverage()
        spread = f"{one.spread:g}, {one.population}"
        cells = (one.players, one.rounds, one.games, spread, f"{100 * held:.1f}", f"{100 * best:.1f}", f"{reach:.0f}")
        yield f"| {' | '.join(map(str, cells))} |"


TABLES = {"scores": scores_table, "sprt": sprt_table, "ratings": swiss_table}


if __name__ == "__main__":
    for name in sys.argv[1:] or TABLES:
        for line in TABLES[name]():
            print(line, flush=True)
