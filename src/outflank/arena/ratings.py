"""Ratings of many players at once: the Bradley–Terry model by maximum likelihood.

A player's chance against another is a logistic function of the difference of their ratings, and the ratings are those
under which the results seen are likeliest; a draw counts as half a win. No order of games enters, unlike in Elo's
sequential formula. The prior: every player has also drawn one game against a player of average strength. That keeps
all-win players and groups that never met finite, and for two players it is the half win and half loss of Jeffreys.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from outflank.arena.statistics import NORMAL_95

ELO = 400 / math.log(10)
"""Elo a unit of the logistic scale."""
PRIOR_GAMES = 1.0
STEPS = 100
CLOSE = 1e-10
LONGEST_STEP = 2.0
"""On the logistic scale; Newton's step overshoots far from the maximum, where the likelihood is almost straight."""


@dataclass(frozen=True)
class Rating:
    """A rating in Elo and its 95 % interval."""

    value: float
    low: float
    high: float


def bradley_terry(points: NDArray[np.float64], anchor: int | None = None, prior: float = PRIOR_GAMES) -> list[Rating]:
    """Ratings from a table in which `points[i, j]` is what player i scored against player j.

    The anchor has rating 0 and the others are measured against it; without one the mean rating is 0. Intervals come
    from the Fisher information, prior included, of the difference to the anchor or to the mean.
    """
    count = len(points)
    if not count:
        return []
    if prior <= 0:
        raise ValueError(f"the prior of the ratings is more than 0 games, not {prior:g}")
    games = points + points.T
    strengths = _strengths(points, games, prior)
    covariance = np.linalg.inv(_information(strengths, games, prior))
    origin = np.full(count, 1 / count) if anchor is None else np.eye(count)[anchor]
    contrasts = np.eye(count) - origin
    variances = ((contrasts @ covariance) * contrasts).sum(axis=1)
    values = ELO * (contrasts @ strengths)
    reaches = ELO * NORMAL_95 * np.sqrt(np.maximum(variances, 0.0))
    return [
        Rating(value, value - reach, value + reach)
        for value, reach in zip(values.tolist(), reaches.tolist(), strict=True)
    ]


def _strengths(points: NDArray[np.float64], games: NDArray[np.float64], prior: float) -> NDArray[np.float64]:
    """The maximum on the logistic scale, by Newton's method: the prior makes the likelihood strictly concave."""
    strengths = np.zeros(len(points))
    for _ in range(STEPS):
        expected = (games * _chances(strengths)).sum(axis=1) + prior / (1 + np.exp(-strengths))
        gradient = points.sum(axis=1) + prior / 2 - expected
        step = np.linalg.solve(_information(strengths, games, prior), gradient)
        longest = float(np.abs(step).max())
        strengths += step * min(1.0, LONGEST_STEP / longest) if longest > 0 else 0.0
        if longest < CLOSE:
            break
    return strengths


def _chances(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """The expected score of each player against each other one."""
    differences = strengths[:, None] - strengths[None, :]
    return np.asarray(1 / (1 + np.exp(-differences)))


def _information(strengths: NDArray[np.float64], games: NDArray[np.float64], prior: float) -> NDArray[np.float64]:
    """The Fisher information: minus the second derivatives of the log-likelihood."""
    chances = _chances(strengths)
    weights = games * chances * (1 - chances)
    np.fill_diagonal(weights, 0.0)
    own = 1 / (1 + np.exp(-strengths))
    return np.asarray(np.diag(weights.sum(axis=1) + prior * own * (1 - own)) - weights)
