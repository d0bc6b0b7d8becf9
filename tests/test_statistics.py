"""The statistics of a match: known and published values, what must hold for all results, and simulations."""

import math
import random
from statistics import NormalDist

import numpy as np
import pytest
from calibration import (
    EXACT_PAIRS,
    PAIRS,
    SCORES,
    SPRT_CASES,
    SPRT_TESTS,
    SPRT_TRUTHS,
    lower_bounds,
    pair_chances,
    score_coverage,
    sprt_errors,
    sprt_risks,
)
from hypothesis import given
from hypothesis import strategies as st

from outflank.arena.statistics import (
    Margins,
    Sprt,
    Tally,
    elo,
    elo_interval,
    expected_score,
    far_end,
    moments,
    normal_below,
    score_interval,
    student_95,
    superiority,
)

CHECK = (39, 8843, 26675, 9240, 44)
"""The pentanomial of shared/facts/statistics.md."""

pairs = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0]), min_size=2, max_size=60)


def counts_of(scores: list[float]) -> list[int]:
    return [scores.count(value) for value in (0, 0.5, 1, 1.5, 2)]


PUBLISHED = [
    # Stockfish's tests on Fishtest, as their authors quote them.
    ((39, 8843, 26675, 9240, 44), "0.5,2.5", 2.94),
    ((207, 7132, 15665, 7469, 215), "0,2", 2.93),
    ((64, 11092, 27581, 11514, 80), "0.5,2.5", 2.94),
    ((18, 3084, 7620, 3273, 33), "-1.75,0.25", 2.96),
    ((98, 4277, 9977, 4464, 112), "-1.75,0.25", 2.93),
    ((9, 4779, 14516, 4970, 5), "-1.75,0.25", 2.95),
    ((168, 2442, 10094, 2567, 153), "-1.25,0.25,logistic", 2.95),
    ((74, 3600, 32361, 3650, 71), "-0.75,0.25,logistic", 2.96),
    ((2073, 13759, 27890, 13977, 1973), "-1.5,0.5,logistic", 2.97),
    # The tests of the program fastchess.
    ((365, 16618, 36229, 16974, 390), "0,2", 2.25),
    ((127, 4883, 10712, 5150, 104), "-1.75,0.25", 3.01),
    ((223, 9863, 21279, 10037, 246), "0.5,2.5,logistic", -3.07),
    ((871, 26175, 55983, 26678, 821), "0,2,logistic", -4.98),
    # Short matches, which a normal approximation gets wrong.
    ((0, 0, 2, 0, 37), "0,20", 2.96),
    ((0, 0, 1, 8, 1), "0,50", 1.24),
    ((352, 579, 1264, 743, 464), "9,16", 4.60),
]


@pytest.mark.parametrize(("counts", "test", "ratio"), PUBLISHED)
def test_the_sprt_has_the_ratios_that_others_publish(counts: tuple[int, ...], test: str, ratio: float) -> None:
    assert Sprt.parse(test).llr(counts) == pytest.approx(ratio, abs=0.0051)


@given(st.lists(st.integers(0, 30), min_size=5, max_size=5).filter(any), st.sampled_from([-300, 20, 100, 400, 800]))
def test_the_likeliest_distribution_has_the_difference_and_none_near_it_is_likelier(
    counts: list[int], difference: int
) -> None:
    """Against others with the same normalised Elo, found by moving a little and mending the mean."""
    regular = [count or 1e-3 for count in counts]
    shares = [count / sum(regular) for count in regular]
    wanted = difference * math.log(10) / 800 * math.sqrt(2)
    best = list(Sprt(-1000, 1000)._likeliest(shares, difference))
    assert sum(best) == pytest.approx(1) and min(best) > 0
    found = moments(best)
    assert (found.mean - 0.5) / math.sqrt(found.variance) == pytest.approx(wanted, abs=1e-5)
    likelihood = sum(share * math.log(chance) for share, chance in zip(shares, best, strict=True))
    dice = random.Random(1)
    for _ in range(20):
        moved = [chance * math.exp(0.02 * dice.gauss(0, 1)) for chance in best]
        low, high = -1.0, 1.0
        for _ in range(60):  # weights by score bring the difference back
            tilt = (low + high) / 2
            other = [chance * math.exp(tilt * at) for at, chance in enumerate(moved)]
            other = [chance / sum(other) for chance in other]
            seen = moments(other)
            reached = (seen.mean - 0.5) / math.sqrt(seen.variance) < wanted
            low, high = (tilt, high) if reached else (low, tilt)
        if abs((seen.mean - 0.5) / math.sqrt(seen.variance) - wanted) < 1e-6:
            assert sum(share * math.log(chance) for share, chance in zip(shares, other, strict=True)) <= (
                likelihood + 1e-7
            )


def test_the_bounds_of_the_sprt_at_five_percent() -> None:
    lower, upper = Sprt(0, 10).bounds
    assert (round(lower, 3), round(upper, 3)) == (-2.944, 2.944)


def test_the_sprt_decides_near_its_bounds() -> None:
    test = Sprt(0.5, 2.5)
    assert test.decision([round(0.9 * count) for count in CHECK]) is None
    assert test.decision(CHECK) == "H1", "a step is 0.02 here, and the ratio stops half of that beyond"
    assert Sprt(0, 20).decision([40, 20, 30, 5, 5]) == "H0"
    assert Sprt(0, 10).llr([0, 0, 0, 0, 0]) == 0
    assert Sprt(0, 10).decision([0, 0, 0, 0, 0]) is None


@pytest.mark.parametrize(
    ("text", "test"),
    [("0,10", Sprt(0, 10)), (" -3.5 , 2 ", Sprt(-3.5, 2)), ("0,5,logistic", Sprt(0, 5, "logistic"))],
)
def test_an_sprt_is_read_as_it_is_written(text: str, test: Sprt) -> None:
    assert Sprt.parse(text) == test
    assert Sprt.parse(str(test)) == test


@pytest.mark.parametrize("text", ["", "5", "10,0", "3,3", "a,b", "0,inf", "0,nan", "0,10,bayes", "0,5,10,15"])
def test_what_is_no_sprt_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"SPRT|--sprt"):
        Sprt.parse(text)


@pytest.mark.parametrize("truth", [0.0, 100.0])
def test_the_sprt_is_seldom_wrong(truth: float) -> None:
    """Pairs drawn from a distribution that has exactly the normalised Elo of one hypothesis: 5 % may go wrong."""
    errors = sprt_errors(Sprt(0, 100), truth, draws=0.05, openings=0.5, tests=300)
    assert errors.wrong <= 0.09  # three standard deviations are 3.8 %
    assert 20 < errors.pairs < 60


def test_a_pair_proves_nothing_and_a_few_little() -> None:
    for pairs in range(1, 6):
        assert Sprt(0, 100).decision([0, 0, 0, 0, pairs]) is None
    assert Sprt(0, 100).decision([0, 0, 0, 0, 12]) == "H1"


def test_elo_of_known_scores() -> None:
    assert elo(0.5) == 0
    assert elo(0.75) == pytest.approx(190.85, abs=0.01)
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(0) is None
    assert elo(1) is None


@given(st.floats(-800, 800))
def test_elo_and_expected_score_are_inverse(difference: float) -> None:
    back = elo(expected_score(difference))
    assert back == pytest.approx(difference, abs=1e-6)


@given(pairs)
def test_the_pair_is_the_unit_of_variance(scores: list[float]) -> None:
    found = moments(counts_of(scores))
    mean = sum(scores) / 2 / len(scores)
    assert found.mean == pytest.approx(mean)
    assert found.variance == pytest.approx(sum((score / 2 - mean) ** 2 for score in scores) / len(scores))


@given(pairs)
def test_the_interval_of_a_score_holds_it_and_is_mirrored(scores: list[float]) -> None:
    counts = counts_of(scores)
    low, high = score_interval(counts)
    assert 0 <= low <= moments(counts).mean <= high <= 1
    assert low < high
    assert score_interval(counts[::-1]) == pytest.approx((1 - high, 1 - low))


@given(st.lists(st.integers(0, 40), min_size=5, max_size=5).filter(any), st.integers(0, 3))
def test_a_better_pair_never_lowers_a_bound(counts: list[int], at: int) -> None:
    if not counts[at]:
        counts[at] = 1
    better = list(counts)
    better[at] -= 1
    better[at + 1] += 1
    assert all(
        after >= before - 1e-12 for after, before in zip(score_interval(better), score_interval(counts), strict=True)
    )
    assert superiority(better) >= superiority(counts) - 1e-12


def test_bounds_near_the_ends_are_in_order() -> None:
    """199 games of 200 and 200 of 200, which once had 98.5 and 96.4 as their lower bounds."""
    below, above = score_interval([0, 0, 1, 0, 99])
    low, high = score_interval([0, 0, 0, 0, 100])
    assert 0.965 < below < low < 0.985
    assert 0.995 < above < high == 1


def test_of_many_pairs_the_interval_is_the_normal_one() -> None:
    counts = [1000, 2000, 4000, 2500, 1200]
    found = moments(counts)
    reach = 1.96 * math.sqrt(found.variance / found.pairs)
    assert score_interval(counts) == pytest.approx((found.mean - reach, found.mean + reach), abs=1e-4)


def test_the_bound_is_the_least_mean_that_is_likely_enough() -> None:
    """By the long way: over all distributions of a grid whose likelihood is within reach of the greatest."""
    counts = [far_end(6), 0.0, 2.0, 0.0, 4.0]
    total = sum(counts)
    greatest = sum(count * math.log(count / total) for count in counts if count)
    least = 1.0
    steps = 400
    for worst in range(1, steps):
        for middle in range(1, steps - worst):
            chances = [worst / steps, 0, middle / steps, 0, 1 - (worst + middle) / steps]
            likelihood = sum(count * math.log(chance) for count, chance in zip(counts, chances, strict=True) if count)
            if greatest - likelihood <= 1.959964**2 / 2:
                least = min(least, chances[2] / 2 + chances[4])
    assert score_interval([0, 0, 2, 0, 4])[0] == pytest.approx(least, abs=0.004)


def test_pairs_that_split_say_more_than_games_would() -> None:
    """Openings each won by Black: as single games a coin, as pairs almost certainty, and the more so the more."""
    low, high = elo_interval([0, 0, 1000, 0, 0])
    assert low is not None and high is not None
    assert -2 < low < 0 < high < 2


def test_a_few_pairs_alike_are_no_certainty() -> None:
    low, high = score_interval([0, 0, 2, 0, 0])
    assert low < 0.25 and high > 0.75
    low, high = score_interval([0, 0, 0, 0, 1])
    assert low < 0.25 and high == 1


def test_an_infinite_elo_is_none_and_still_bounded_on_one_side() -> None:
    low, high = elo_interval([0, 0, 0, 0, 50])
    assert high is None
    assert low is not None and 450 < low < 650
    mirrored = elo_interval([50, 0, 0, 0, 0])
    assert mirrored[0] is None
    assert mirrored[1] == pytest.approx(-low)


@given(pairs)
def test_superiority_of_the_mirrored_match_is_the_rest(scores: list[float]) -> None:
    counts = counts_of(scores)
    assert superiority(counts) + superiority(counts[::-1]) == pytest.approx(1)


@given(pairs)
def test_superiority_and_the_interval_agree(scores: list[float]) -> None:
    counts = counts_of(scores)
    low, high = score_interval(counts)
    if abs(low - 0.5) > 1e-6 and abs(high - 0.5) > 1e-6:
        assert (superiority(counts) > NormalDist().cdf(1.959964)) == (low > 0.5)
        assert (superiority(counts) < NormalDist().cdf(-1.959964)) == (high < 0.5)


def test_superiority_grows_with_what_was_won() -> None:
    assert superiority([0, 0, 9, 0, 0]) == 0.5
    assert superiority([0, 0, 0, 0, 1]) == pytest.approx(0.62, abs=0.01), "one pair proves nothing"
    assert superiority([0, 0, 0, 0, 4]) < 0.975 < superiority([0, 0, 0, 0, 5])
    counts = [50, 100, 200, 150, 100]
    found = moments(counts)
    deviations = (found.mean - 0.5) / math.sqrt(found.variance / 600)
    assert superiority(counts) == pytest.approx(NormalDist().cdf(deviations), abs=0.005)


def test_of_those_who_are_probably_better_so_many_are() -> None:
    """Matches of eight pairs between players whose true score is anything: where superiority says 80 to 95 %, about as
    many are better."""
    dice = np.random.default_rng(4)
    said, better = [], []
    for score in dice.uniform(0.05, 0.95, 6000):
        counts = dice.multinomial(8, pair_chances(score, 0.05, 0.5)).tolist()
        shown = superiority(counts)
        if 0.8 <= shown <= 0.95:
            said.append(shown)
            better.append(score > 0.5)
    assert len(said) > 200
    assert sum(better) / len(better) == pytest.approx(sum(said) / len(said), abs=0.08)


@given(st.floats(-6, 6))
def test_the_normal_distribution(deviations: float) -> None:
    assert normal_below(deviations) == pytest.approx(NormalDist().cdf(deviations), abs=1e-12)


margins_of_pairs = st.lists(st.lists(st.integers(-64, 64), min_size=0, max_size=2), min_size=0, max_size=30)


@given(margins_of_pairs)
def test_margins_by_the_long_way(by_pair: list[list[int]]) -> None:
    margins = Margins()
    for pair in by_pair:
        margins.add(pair)
    flat = [margin for pair in by_pair for margin in pair]
    whole = [pair for pair in by_pair if pair]
    assert margins.games == len(flat)
    if not flat:
        assert margins.mean is None
        assert margins.interval == (None, None)
        return
    mean = sum(flat) / len(flat)
    assert margins.mean == pytest.approx(mean)
    if len(whole) < 2:
        assert margins.interval == (None, None)
        return
    squares = sum(sum(margin - mean for margin in pair) ** 2 for pair in whole)
    low, high = margins.interval
    assert low is not None
    assert high is not None
    assert (low + high) / 2 == pytest.approx(mean, abs=1e-6)
    free = len(whole) - 1
    assert (high - low) / 2 == pytest.approx(
        student_95(free) * math.sqrt(squares * len(whole) / free) / len(flat), abs=1e-5
    )


@pytest.mark.parametrize(
    ("free", "table"), [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (30, 2.042), (1000, 1.962)]
)
def test_students_distribution_as_in_tables(free: int, table: float) -> None:
    assert student_95(free) == pytest.approx(table, abs=0.0015)


@pytest.mark.parametrize("pairs", [2, 4, 10])
def test_the_margin_of_a_short_match_is_covered_too(pairs: int) -> None:
    dice = random.Random(pairs)
    covered = 0
    for _ in range(2000):
        margins = Margins()
        for _ in range(pairs):
            margins.add([3 + dice.gauss(0, 15), 3 + dice.gauss(0, 15)])
        low, high = margins.interval
        assert low is not None and high is not None
        covered += low <= 3.0 <= high
    assert 1865 <= covered <= 1935


def test_intervals_of_the_score_and_the_margin_cover_their_truth() -> None:
    """A thousand matches of sixty pairs whose two games share an opening that favours one colour."""
    dice = random.Random(11)
    margin_of_a_game = NormalDist(3.0, math.hypot(20, 12))
    drawn = margin_of_a_game.cdf(0.5) - margin_of_a_game.cdf(-0.5)
    true_score = 1 - margin_of_a_game.cdf(0.5) + drawn / 2
    covered_score = covered_margin = 0
    for _ in range(1000):
        tally = Tally()
        for _ in range(60):
            opening, skill = dice.gauss(0, 20), 3.0
            margins = [round(skill + sign * opening + dice.gauss(0, 12)) for sign in (1, -1)]
            tally.add([0.5 if margin == 0 else float(margin > 0) for margin in margins], margins)
        low, high = tally.margins.interval
        assert low is not None
        assert high is not None
        covered_margin += low <= 3.0 <= high
        below, above = score_interval(tally.counts)
        covered_score += below <= true_score <= above
    assert 930 <= covered_margin <= 970
    assert 930 <= covered_score <= 970


@pytest.mark.parametrize("pairs", [2, 3, 5, 8])
def test_a_few_pairs_cover_every_true_score(pairs: int) -> None:
    """Exactly, also between the scores of the table: coverage goes up and down in small steps."""
    for percent in np.arange(50, 99.6, 0.5):
        found = score_coverage(percent / 100, pairs)
        assert found.least >= 0.94, (percent, found)


@pytest.mark.parametrize(("score", "pairs"), [(0.5, 40), (0.7, 20), (0.9, 40), (0.99, 100), (0.995, 30)])
def test_intervals_of_scores_cover_their_truth(score: float, pairs: int) -> None:
    found = score_coverage(score, pairs, matches=200)
    assert 0.94 < found.mean < 0.995


def test_the_bounds_that_coverage_is_counted_with_are_those_of_a_match() -> None:
    counts = np.random.default_rng(2).multinomial(20, [0.1, 0.2, 0.3, 0.2, 0.2], 20)
    assert lower_bounds(counts) == pytest.approx([score_interval(one)[0] for one in counts.tolist()], abs=1e-9)


# The limits that docs/arena.md names. Near 100 % only one side can miss, and a few pairs have few scores to miss with.
@pytest.mark.slow
@pytest.mark.parametrize("pairs", PAIRS)
@pytest.mark.parametrize("score", SCORES)
def test_intervals_of_scores_cover_their_truth_everywhere(score: float, pairs: int) -> None:
    found = score_coverage(score, pairs)
    assert found.least > (0.94 if pairs <= EXACT_PAIRS else 0.93), found  # simulated ones are good to 0.004
    if pairs >= 32 and pairs * (1 - score) >= 6:
        assert found.mean < 0.97, found


@pytest.mark.slow
@pytest.mark.parametrize("test", SPRT_CASES, ids=str)
def test_the_risks_of_the_sprt_are_those_asked_for(test: Sprt) -> None:
    alpha, beta, _, _ = sprt_risks(test)
    # Within a tenth of what was asked, and two standard errors of the simulation.
    near = 0.005 + 2 * math.sqrt(0.05 * 0.95 / (SPRT_TESTS * len(SPRT_TRUTHS)))
    assert abs(alpha - 0.05) < near
    assert abs(beta - 0.05) < near


def test_a_forfeit_counts_as_a_game_and_has_no_margin() -> None:
    tally = Tally()
    tally.add([1.0, 0.0], [None, -10])
    tally.add([0.5, 1.0], [0, 4])
    assert (tally.games, tally.wins, tally.draws, tally.losses) == (4, 2, 1, 1)
    assert tally.counts == [0, 0, 1, 1, 0]
    assert tally.score == 2.5 / 4
    assert tally.margins.mean == pytest.approx(-6 / 3)


@pytest.mark.parametrize("pairs", range(2, 40))
def test_a_match_won_throughout_has_no_upper_bound_and_one_lost_no_lower(pairs: int) -> None:
    low, high = elo_interval([0, 0, 0, 0, pairs])
    assert high is None and low is not None
    lowest, highest = elo_interval([pairs, 0, 0, 0, 0])
    assert lowest is None and highest == pytest.approx(-low)
