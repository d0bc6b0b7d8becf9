"""Ratings: known cases, recovered strengths, and intervals that cover what they claim."""

import math
import tracemalloc

import numpy as np
import pytest
from calibration import SWISS, Swiss
from numpy.typing import NDArray

from outflank.arena import information, ratings
from outflank.arena.gap import Gap, gap
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


@pytest.mark.parametrize("strengths", [[0, 300], [-600, 0, 0, 100, 500], [0, 20, -20, 10, 0, 0, -700]])
def test_expected_points_are_those_seen(strengths: list[float]) -> None:
    """Over the strengths as they are known: each player's expected points, and what the prior takes from it, are the
    points that it has. By the long way, with many strengths drawn from what is known."""
    points = simulated(strengths, 10, np.random.default_rng(len(strengths)), draws=0.2)
    games = points + points.T
    known = ratings._Met(Scores.of_table(points)).known()
    drawn = np.random.default_rng(1).multivariate_normal(known.strengths, np.linalg.inv(known.information._dense), 4000)
    chances = (1 / (1 + np.exp(drawn[:, None, :] - drawn[:, :, None]))).mean(axis=0)
    missing = points.sum(axis=1) - (games * chances).sum(axis=1) - known.population.pull(known.strengths)
    assert missing == pytest.approx(0, abs=0.02 * games.sum(axis=1).max())


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
    for _ in range(200):
        ratings = bradley_terry(simulated(strengths, 30, dice), anchor)
        for index, truth in enumerate(strengths):
            if index != anchor:
                covered += ratings[index].low <= truth - origin <= ratings[index].high
                trials += 1
    share = covered / trials
    assert abs(share - 0.95) < 3 * math.sqrt(0.05 * 0.95 / 200)


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


def without_whole_matrices(scores: Scores, anchor: int | None, monkeypatch: pytest.MonkeyPatch) -> list[Rating]:
    """The ratings; only what two groups have in common may be solved directly."""
    inverse = np.linalg.inv

    def small(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        assert len(matrix) <= 2
        return np.asarray(inverse(matrix))

    monkeypatch.setattr(np.linalg, "inv", small)
    monkeypatch.setattr(np.linalg, "solve", None)
    return bradley_terry(scores, anchor)


@pytest.mark.parametrize("anchor", [None, 3])
def test_many_players_have_the_ratings_that_solving_directly_gives(
    anchor: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = swiss_like(300, 9, np.random.default_rng(5))
    direct = bradley_terry(scores, anchor)
    monkeypatch.setattr(information, "MOST_DENSE", 100)
    found = without_whole_matrices(scores, anchor, monkeypatch)
    assert [one.value for one in found] == pytest.approx([one.value for one in direct], abs=1.5)
    assert [reach(one) for one in found] == pytest.approx([reach(one) for one in direct], rel=0.03)


def test_thousands_of_players_need_no_matrix_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(information, "PROBES", 8)  # the widths are rough then; that there are any is the point here
    scores = swiss_like(3_000, 12, np.random.default_rng(6))
    tracemalloc.start()
    found = bradley_terry(scores)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 40e6, "a matrix of all pairs has 72 MB"
    assert len(found) == 3_000
    assert sum(one.value for one in found) == pytest.approx(0, abs=1e-3)
    assert all(50 < reach(one) < 2000 for one in found)


def test_scores_by_pairs_are_those_of_the_table() -> None:
    table = np.array([[0, 3, 8], [7, 0, 0], [2, 0, 0]], float)
    pairs = {(0, 1): 3.0, (1, 0): 7.0, (0, 2): 8.0, (2, 0): 2.0, (1, 1): 5.0}
    assert bradley_terry(Scores.of_pairs(3, pairs)) == bradley_terry(table)
    assert [one.value for one in bradley_terry(Scores.of_pairs(2, {}))] == [0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("swiss", SWISS, ids=str)
def test_intervals_of_swiss_tournaments_cover_their_truth(swiss: Swiss) -> None:
    held, best, _ = swiss.coverage()
    few = swiss.population == "two groups" and swiss.players * swiss.games < 100  # too few to show that they are two
    assert (0.88 if few else 0.92) < held < 0.98
    assert best > 0.8


def two_groups(players: int, rounds: int) -> tuple[Scores, NDArray[np.bool_]]:
    swiss, dice = Swiss(players, rounds, 2, 300, "two groups"), np.random.default_rng(7)
    strengths = swiss.strengths(dice)
    return swiss.played(strengths, dice), strengths > 200


def difference(found: list[Rating], strong: NDArray[np.bool_]) -> float:
    values = np.array([rating.value for rating in found])
    return float(values[strong].mean() - values[~strong].mean())


def test_two_groups_with_nobody_in_between_are_as_far_apart_as_their_games_say() -> None:
    """They are 750 Elo apart; one normal spread would have them at 400."""
    scores, strong = two_groups(60, 6)
    (share, population), *_ = reversed(ratings.populations(scores))
    assert share > 0.9 and population.groups == 2
    assert np.mean((population.shares[:, 0] > 0.5) == strong) > 0.95
    assert 650 < difference(bradley_terry(scores), strong) < 1100


def test_where_nobody_is_missing_in_between_there_is_one_group() -> None:
    swiss, dice = Swiss(60, 6, 2, 300), np.random.default_rng(7)
    (share, population), *others = ratings.populations(swiss.played(swiss.strengths(dice), dice))
    assert (share, population.groups, others) == (1, 0, [])


def test_many_players_fall_into_the_same_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, strong = two_groups(200, 8)
    direct = bradley_terry(scores)
    monkeypatch.setattr(information, "MOST_DENSE", 100)
    found = without_whole_matrices(scores, None, monkeypatch)
    assert difference(found, strong) == pytest.approx(difference(direct, strong), rel=0.03)
    assert [reach(one) for one in found] == pytest.approx([reach(one) for one in direct], rel=0.1)


def test_ratings_over_time_end_with_the_ratings() -> None:
    scores, _ = two_groups(60, 6)
    values = ratings.without_intervals(scores, ratings.populations(scores))
    assert values == pytest.approx([rating.value for rating in bradley_terry(scores)], abs=1)


def test_two_groups_that_met_in_two_games_are_told_apart() -> None:
    """Four players each: everybody met everybody of the own group in ten games, and only 0 and 4 met across."""
    inside = [((one, other), 5.0, 10) for one in range(8) for other in range(one + 1, 8) if (one < 4) == (other < 4)]
    values = [400.0, 410, 420, 430, -400, -410, -420, -430]
    assert gap(values, [*inside, ((0, 4), 1.5, 2)]) == Gap((0, 1, 2, 3), 2, 0.5)
    assert gap(values, inside) == Gap((0, 1, 2, 3), 0, 0.0), "they may not have met at all"
    assert gap(values, [*inside, ((4, 0), 4.0, 8)]) is None, "four points of the weaker ones say how far it is"
    everybody = [((one, other), 10.0, 10) for one in range(4) for other in range(4, 8)]
    assert gap(values, [*inside, *everybody]) is None, "who is beaten by everybody is weaker, and that is known"
    assert gap(values, []) is None and gap([], []) is None


def test_a_swiss_tournament_has_no_such_gap() -> None:
    """Its rounds pair neighbours, and still everybody is linked to everybody."""
    swiss, dice = Swiss(100, 7, 2, 300), np.random.default_rng(1)
    scores = swiss.played(swiss.strengths(dice), dice)
    points = {(one, other): won for one, other, won in zip(scores.rows, scores.columns, scores.points, strict=True)}
    met = [((one, other), won, 2) for (one, other), won in points.items() if one < other]
    assert gap([rating.value for rating in bradley_terry(scores)], met) is None
