"""Fits a target's parameters to positions with results: by logistic regression to who won, or by least squares.

What is not learnt keeps its weight: it enters as one more column, whose coefficient is the unit in which the others
are then measured.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from outflank.learning.games.positions import Positions
from outflank.learning.weights.target import Model

Array = Any
Kind = Literal["logistic", "squares"]
ITERATIONS = 30
CLOSE = 1e-7
CONSTANT = 1e-9
"""The ridge on constants, which are not learnt: just enough that the equations can be solved."""
LEAST_UNIT = 0.1
"""Where the fixed terms say next to nothing of the results, or the opposite of what they should, their coefficient is
held at this part of the one at which values of the usual spread would explain all."""


@dataclass(frozen=True)
class Design:
    """A fit's equations: a row a position, a column a parameter; then the fixed part, then a constant a phase."""

    rows: Array
    labels: Array
    importance: Array
    parameters: int
    has_fixed: bool


def design(model: Model, positions: Positions, kind: Kind) -> Design:
    """The equations of positions, whose margin is the side to move's."""
    columns, phases = model.columns.of(positions.own, positions.opp), model.phases_of(positions.own, positions.opp)
    has_fixed = bool(model.fixed.any())
    width = len(model) + has_fixed + model.phases
    rows = np.zeros((len(positions), width))
    for phase in range(model.phases):
        here = phases == phase
        for at in range(len(model.columns)):
            number = model.number[phase, at]
            if number >= 0:
                rows[here, number] += columns[here, at]
        rows[here, width - model.phases + phase] = 1.0
    if has_fixed:
        rows[:, len(model)] = (columns * model.fixed[phases]).sum(axis=1)
    margin = positions.margin.astype(np.float64)
    labels = margin if kind == "squares" else (margin > 0) + 0.5 * (margin == 0)
    return Design(rows, labels, positions.importance.astype(np.float64), len(model), has_fixed)


def fitted(model: Model, positions: Positions, kind: Kind, ridge: float, spread: float) -> tuple[Array, float]:
    """The parameters that fit best, and the mean error: in nats where the fit is logistic, in discs otherwise.

    Where everything is learnt, a heuristic says the same in any unit: the values then get the `spread` wanted.
    """
    made = design(model, positions, kind)
    found, error = _solved(made.rows, made, kind, ridge, np.zeros(len(positions)))
    if not made.has_fixed:
        now = (made.rows[:, : made.parameters] @ found[: made.parameters]).std()
        return found[: made.parameters] * (spread / now if now > 0 else 1.0), error
    unit = found[made.parameters]
    least = LEAST_UNIT * (1.0 if kind == "logistic" else float(made.labels.std())) / spread
    if unit < least:
        unit, others = least, np.delete(made.rows, made.parameters, axis=1)
        found, error = _solved(others, made, kind, ridge, unit * made.rows[:, made.parameters])
    return found[: made.parameters] / unit, error


def _solved(rows: Array, made: Design, kind: Kind, ridge: float, known: Array) -> tuple[Array, float]:
    """The coefficients, and the mean error; `known` is a part of each value that is not to be found."""
    scales = rows.std(axis=0)
    scales[scales == 0] = 1.0
    scaled = rows / scales
    penalty = np.full(rows.shape[1], ridge)
    penalty[np.ptp(rows, axis=0) == 0] = CONSTANT
    penalty[made.parameters + made.has_fixed :] = CONSTANT
    solve = _logistic if kind == "logistic" else _least_squares
    solution = solve(scaled, made, penalty, known)
    return solution / scales, _error(scaled @ solution + known, made, kind)


def _least_squares(rows: Array, made: Design, penalty: Array, known: Array) -> Array:
    weighted = rows * made.importance[:, None]
    return np.linalg.solve(rows.T @ weighted + np.diag(penalty), weighted.T @ (made.labels - known))


def _logistic(rows: Array, made: Design, penalty: Array, known: Array) -> Array:
    """Newton's method; the labels may be halves, for draws."""
    solution = np.zeros(rows.shape[1])
    for _ in range(ITERATIONS):
        chance = chance_of(rows @ solution + known)
        gradient = rows.T @ (made.importance * (made.labels - chance)) - penalty * solution
        curvature = made.importance * np.maximum(chance * (1 - chance), 1e-9)
        step = np.linalg.solve(rows.T @ (rows * curvature[:, None]) + np.diag(penalty), gradient)
        solution += step
        if abs(step).max() < CLOSE:
            break
    return solution


def chance_of(values: Array) -> Array:
    return 1 / (1 + np.exp(-np.clip(values, -30, 30)))


def _error(values: Array, made: Design, kind: Kind) -> float:
    if kind == "squares":
        return float(np.sqrt(np.average((values - made.labels) ** 2, weights=made.importance)))
    chance = np.clip(chance_of(values), 1e-12, 1 - 1e-12)
    nats = -(made.labels * np.log(chance) + (1 - made.labels) * np.log(1 - chance))
    return float(np.average(nats, weights=made.importance))
