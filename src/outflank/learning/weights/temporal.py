"""Temporal-difference learning, TD(lambda), from self-play.

The chance to win is a logistic function of the heuristic's value. After each batch of games every position's chance is
moved towards its lambda-return: what the positions after it said, each later one counting lambda times less, and in
the end the result.
"""

from typing import Any

import numpy as np

from outflank.learning.games.positions import Positions
from outflank.learning.games.scored import ScoredGames
from outflank.learning.methods import Data, State
from outflank.learning.weights.fit import chance_of, design
from outflank.learning.weights.games import OwnGames, random_openings
from outflank.learning.weights.learner import WeightLearner

Array = Any
GAMES_A_TASK = 25


class TemporalDifference(WeightLearner):
    """State: `vector`, and `slope`, by which a value becomes a chance."""

    def begin(self) -> Data:
        return {**super().begin(), "slope": 1.0 / self.spread}

    def step(self, state: State, room: int | None) -> State:
        vector = np.array(state.data["vector"])
        count = self.number("batch")
        games = self._played(vector, count, state.step)
        positions = Positions.of(games, trace=1.0, of_result=1.0)
        slope, rate = float(state.data["slope"]), self.real("rate")
        made = design(self.model, positions, "logistic")
        rows = made.rows[:, : len(vector)] * self.units
        fixed = made.rows[:, len(vector)] if made.has_fixed else np.zeros(len(rows))
        values = rows @ (vector / self.units) + fixed
        chances = chance_of(slope * values)
        differences = lambda_returns(positions, chances, self.real("lambda")) - chances
        # A step along the gradient of the mean squared difference, in units in which all parameters matter alike.
        change = rate * len(self.model.columns) * (rows * (slope * differences)[:, None]).mean(axis=0)
        if made.has_fixed:  # the fixed terms are a unit that the others must fit: how much it says is learnt too
            slope += rate * slope * float((values * slope * differences).mean())
        error = float(np.sqrt((differences**2).mean()))
        note = f"batch {state.step + 1}: mean difference {error:.3f}"
        return state.after(count, note, vector=(vector + change * self.units).tolist(), slope=slope)

    def _played(self, vector: Array, count: int, step: int) -> ScoredGames:
        strays = round(1000 * self.real("strays"))
        openings = random_openings(self.task.variant, self.task.seed, step * count, count)
        tasks = [
            OwnGames(self.target, vector, self.depth, strays, openings[at : at + GAMES_A_TASK], self._seed(step, at))
            for at in range(0, count, GAMES_A_TASK)
        ]
        return ScoredGames.joined(list(self.workers.map(tasks)))

    def _seed(self, step: int, first: int) -> int:
        return int(self.task.dice(1, step, first).integers(1 << 62))


def lambda_returns(positions: Positions, chances: Array, trace: float) -> Array:
    """What each position's chance is drawn to. Positions lie game after game; one with no more discs than the one
    before it begins the next game."""
    results = (positions.margin > 0) + 0.5 * (positions.margin == 0)
    returns = np.empty(len(chances))
    discs = positions.discs.astype(np.int64)
    later = 0.0
    for at in range(len(chances) - 1, -1, -1):
        last = at + 1 == len(chances) or discs[at + 1] <= discs[at]
        if last:
            returns[at] = results[at]
        else:
            # The other side moves next, unless it had to pass: then the discs of the side to move are still its own.
            passed = bool(positions.own[at] & ~positions.own[at + 1] == 0)
            next_chance, next_return = chances[at + 1], later
            if not passed:
                next_chance, next_return = 1 - next_chance, 1 - next_return
            returns[at] = (1 - trace) * next_chance + trace * next_return
        later = returns[at]
    return returns
