"""The statistics of a match: known values, formulas recomputed in the long way, and simulations."""

import math
import random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.arena.statistics import (
    Margins,
    Sprt,
    Tally,
    elo,
    elo_interval,
    expected_score,
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


def test_the_check_vector_of_the_sprt() -> None:
    assert Sprt(0.5, 2.5).llr(CHECK) == pytest.approx(2.94, abs=0.005)
    assert Sprt(0.5, 2.5, "logistic").llr(CHECK) == pytest.approx(0.56, abs=0.005)


def test_the_bounds_of_the_sprt_at_five_percent() -> None:
    lower, upper = Sprt(0, 10).bounds
    assert (round(lower, 3), round(upper, 3)) == (-2.944, 2.944)


def test_the_sprt_decides_at_its_bounds() -> None:
    assert Sprt(0.5, 2.5).decision(CHECK) is None
    assert Sprt(0.5, 2.4).decision([10 * count for count in CHECK]) == "H1"
    assert Sprt(0, 10).decision([40, 20, 30, 5, 5]) == "H0"
    assert Sprt(0, 10).llr([0, 0, 0, 0, 0]) == 0


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


@pytest.mark.parametrize(("truth", "wrong"), [(0.0, "H1"), (100.0, "H0")])
def test_the_sprt_is_seldom_wrong(truth: float, wrong: str) -> None:
    """Pairs drawn from a distribution that has exactly the normalised Elo of one hypothesis: 5 % may go wrong."""
    spread = math.sqrt(2 * moments([1, 2, 4, 2, 1]).variance)
    shift = truth * math.log(10) / 800 * spread
    weights = [0.1, 0.2, 0.4, 0.2, 0.1]
    tilt = shift / 0.75  # moving this much from a lost pair to a won one, and half to half, moves the mean by `shift`
    weights = [weights[0] - tilt / 2, weights[1] - tilt / 2, 0.4, weights[3] + tilt / 2, weights[4] + tilt / 2]
    assert moments(weights).mean == pytest.approx(0.5 + shift)
    dice = random.Random(5)
    errors = 0
    for _ in range(200):
        counts, test = [0] * 5, Sprt(0, 100)
        while (decision := test.decision(counts)) is None:
            counts[dice.choices(range(5), weights)[0]] += 1
        errors += decision == wrong
    assert errors <= 20  # 10 expected, three standard deviations are 9


def test_the_sprt_does_not_decide_on_a_handful_of_pairs() -> None:
    counts = [0, 0, 0, 0, 15]
    assert Sprt(0, 100).llr(counts) > Sprt(0, 100).bounds[1]
    assert Sprt(0, 100).decision(counts) is None
    assert Sprt(0, 100).decision([0, 0, 0, 0, 16]) == "H1"


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
    variance = sum((score / 2 - mean) ** 2 for score in scores) / len(scores)
    assert found.mean == pytest.approx(mean)
    assert found.variance == pytest.approx(variance)
    if variance > 0:
        low, high = score_interval(counts_of(scores))
        reach = 1.96 * math.sqrt(variance / len(scores))
        assert low == pytest.approx(max(mean - reach, 0), abs=1e-4)
        assert high == pytest.approx(min(mean + reach, 1), abs=1e-4)


def test_pairs_that_split_say_more_than_games_would() -> None:
    """Openings each won by Black: as single games a coin, as pairs almost certainty, and the more so the more."""
    low, high = elo_interval([0, 0, 1000, 0, 0])
    assert low is not None and high is not None
    assert -2 < low < 0 < high < 2


def test_a_few_pairs_alike_are_no_certainty() -> None:
    """Two openings that were shared say little, though the variance seen is zero."""
    low, high = score_interval([0, 0, 2, 0, 0])
    # At either bound two shared pairs in a row would be seen one time in forty, the others all being lost, or won.
    assert (low / 0.5) ** 2 == pytest.approx(0.025)
    assert ((1 - high) / 0.5) ** 2 == pytest.approx(0.025)


def test_an_infinite_elo_is_none_and_still_bounded_on_one_side() -> None:
    low, high = elo_interval([0, 0, 0, 0, 50])
    assert high is None
    assert low is not None
    # At this mean fifty won pairs in a row would be seen one time in forty.
    assert expected_score(low) ** 50 == pytest.approx(0.025)
    mirrored = elo_interval([50, 0, 0, 0, 0])
    assert mirrored[0] is None
    assert mirrored[1] == pytest.approx(-low)


def test_one_pair_bounds_nothing() -> None:
    assert elo_interval([0, 0, 0, 1, 0]) == (None, None)


@given(pairs)
def test_superiority_of_the_mirrored_match_is_the_rest(scores: list[float]) -> None:
    counts = counts_of(scores)
    assert superiority(counts) + superiority(counts[::-1]) == pytest.approx(1)


def test_superiority_is_the_normal_share() -> None:
    counts = [5, 10, 20, 15, 10]
    found = moments(counts)
    deviations = (found.mean - 0.5) / math.sqrt(found.variance / 60)
    assert superiority(counts) == pytest.approx(NormalDist().cdf(deviations))
    assert superiority([0, 0, 9, 0, 0]) == 0.5
    assert superiority([0, 0, 0, 0, 3]) == 1


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
