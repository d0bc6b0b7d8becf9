"""Ratings: known cases, recovered strengths, and intervals that cover what they claim."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from outflank.arena import ratings
from outflank.arena.ratings import Rating, Scores, bradley_terry
from outflank.arena.statistics import elo, expected_score


def expected(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + 10 ** (-differences / 400)))


def simulated(ratings: list[float], games: int, dice: np.random.Generator, draws: float = 0.0) -> NDArray[np.float64]:
    """A round robin of players whose strengths are known; a share of the games is drawn, taken evenly from both."""
    count = len(ratings)
    points = np.zeros((count, count))
    for one in range(count):
        for other in range(one):
            chance = expected_score(ratings[one] - ratings[other])
            drawn = draws * 2 * min(chance, 1 - chance)
            shares = [chance - drawn / 2, drawn, 1 - chance - drawn / 2]
            won, tied, lost = dice.multinomial(games, shares)
            points[one, other] = won + tied / 2
            points[other, one] = lost + tied / 2
    return points


def test_two_players_have_the_difference_that_their_score_shows() -> None:
    first, second = bradley_terry(np.array([[0.0, 7500.0], [2500.0, 0.0]]))
    assert first.value - second.value == pytest.approx(elo(0.75), abs=0.5)
    assert first.value + second.value == pytest.approx(0)


def test_the_anchor_is_zero_and_certain() -> None:
    points = np.array([[0, 3, 8], [7, 0, 6], [2, 4, 0]], float)
    anchored = bradley_terry(points, anchor=1)
    assert (anchored[1].value, anchored[1].low, anchored[1].high) == (0, 0, 0)
    free = bradley_terry(points)
    for one, same in zip(anchored, free, strict=True):
        assert one.value == pytest.approx(same.value - free[1].value)


def test_a_player_that_wins_or_loses_every_game_has_a_finite_rating() -> None:
    best, middle, worst = bradley_terry(np.array([[0, 10, 10], [0, 0, 10], [0, 0, 0]], float))
    assert best.value > middle.value > worst.value
    assert middle.value == pytest.approx(0, abs=1e-6)
    assert best.value == pytest.approx(-worst.value)
    assert best.value < 1500
    assert best.high - best.low > 200


def test_players_who_have_not_met_anybody_are_average_and_uncertain() -> None:
    ratings = bradley_terry(np.array([[0, 6, 0], [4, 0, 0], [0, 0, 0]], float))
    assert ratings[2].value == pytest.approx(0, abs=20)
    assert ratings[2].high - ratings[2].low > 1.5 * (ratings[0].high - ratings[0].low)


def test_nobody_has_no_ratings() -> None:
    assert bradley_terry(np.zeros((0, 0))) == []


def test_a_prior_is_needed() -> None:
    with pytest.raises(ValueError, match="prior"):
        bradley_terry(np.zeros((2, 2)), prior=0)


@given(st.lists(st.floats(-600, 600), min_size=2, max_size=8), st.integers(0, 2**32 - 1))
def test_the_ratings_are_a_maximum(strengths: list[float], seed: int) -> None:
    """Every player's expected points are the points that it has, its prior game included."""
    points = simulated(strengths, 10, np.random.default_rng(seed), draws=0.2)
    games = points + points.T
    found = np.array([rating.value for rating in bradley_terry(points)])
    against = expected(found[:, None] - found[None, :])
    missing = points.sum(axis=1) - (games * against).sum(axis=1)
    # The prior's opponent stands where its drawn games against all players balance.
    low, high = -2000.0, 2000.0
    for _ in range(100):
        average = (low + high) / 2
        low, high = (average, high) if expected(found - average).sum() > len(found) / 2 else (low, average)
    assert missing == pytest.approx(expected(found - average) - 0.5, abs=1e-6)


def test_the_order_of_the_players_does_not_matter() -> None:
    points = simulated([0, 100, -50, 300], 20, np.random.default_rng(3))
    shuffled = [2, 0, 3, 1]
    ratings = bradley_terry(points)
    again = bradley_terry(points[np.ix_(shuffled, shuffled)])
    assert [one.value for one in again] == pytest.approx([ratings[index].value for index in shuffled])


def test_known_strengths_are_recovered() -> None:
    strengths = [0.0, 150.0, -220.0, 400.0, 90.0, -500.0]
    points = simulated(strengths, 4000, np.random.default_rng(1), draws=0.3)
    for rating, truth in zip(bradley_terry(points, anchor=0), strengths, strict=True):
        assert rating.value == pytest.approx(truth, abs=25)


@pytest.mark.parametrize("anchor", [0, None])
def test_ninety_five_percent_of_the_intervals_hold_the_truth(anchor: int | None) -> None:
    strengths = [0.0, 120.0, -150.0, 260.0, -300.0]
    origin = strengths[anchor] if anchor is not None else sum(strengths) / len(strengths)
    dice = np.random.default_rng(20)
    covered = trials = 0
    for _ in range(400):
        ratings = bradley_terry(simulated(strengths, 30, dice), anchor)
        for index, truth in enumerate(strengths):
            if index != anchor:
                covered += ratings[index].low <= truth - origin <= ratings[index].high
                trials += 1
    share = covered / trials
    assert abs(share - 0.95) < 3 * math.sqrt(0.05 * 0.95 / 400)


def swiss_like(players: int, rounds: int, dice: np.random.Generator) -> Scores:
    """Two games a round between neighbours in the order of the points so far, some of whom meet again."""
    truths, totals = dice.normal(0, 200, players), np.zeros(players)
    rows, columns, points = [], [], []
    for _ in range(rounds):
        order = np.argsort(-totals + dice.random(players), kind="stable")
        ones, others = order[::2], order[1::2]
        won = dice.binomial(2, expected(truths[ones] - truths[others])).astype(float)
        totals[ones] += won
        totals[others] += 2 - won
        rows += [ones, others]
        columns += [others, ones]
        points += [won, 2 - won]
    return Scores(players, np.concatenate(rows), np.concatenate(columns), np.concatenate(points))


def reach(rating: Rating) -> float:
    return rating.high - rating.low


@pytest.mark.parametrize("anchor", [None, 3])
def test_many_players_have_the_ratings_that_solving_directly_gives(
    anchor: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = swiss_like(600, 10, np.random.default_rng(5))
    direct = bradley_terry(scores, anchor)
    monkeypatch.setattr(ratings, "MOST_DENSE", 100)
    monkeypatch.setattr(np.linalg, "inv", None)  # nothing may fall back on the whole matrix
    monkeypatch.setattr(np.linalg, "solve", None)
    found = bradley_terry(scores, anchor)
    assert [one.value for one in found] == pytest.approx([one.value for one in direct], abs=1e-4)
    assert [reach(one) for one in found] == pytest.approx([reach(one) for one in direct], rel=0.03)


def test_ten_thousand_players_need_no_matrix_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "PROBES", 8)  # the widths are rough then; that there are any is the point here
    scores = swiss_like(10_000, 14, np.random.default_rng(6))
    tracemalloc.start()
    found = bradley_terry(scores)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 100e6, "a matrix of all pairs has 800 MB"
    assert len(found) == 10_000
    assert sum(one.value for one in found) == pytest.approx(0, abs=1e-3)
    assert all(50 < reach(one) < 2000 for one in found)


def test_scores_by_pairs_are_those_of_the_table() -> None:
    table = np.array([[0, 3, 8], [7, 0, 0], [2, 0, 0]], float)
    pairs = {(0, 1): 3.0, (1, 0): 7.0, (0, 2): 8.0, (2, 0): 2.0, (1, 1): 5.0}
    assert bradley_terry(Scores.of_pairs(3, pairs)) == bradley_terry(table)
    assert [one.value for one in bradley_terry(Scores.of_pairs(2, {}))] == [0, 0]
