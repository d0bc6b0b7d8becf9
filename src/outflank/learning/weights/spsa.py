"""SPSA on match results: simultaneous perturbation stochastic approximation.

All weights are changed at random by ±c at once, the two results play each other, and all of them move towards the
winner. The gains fall as J. C. Spall advises: c / k^0.101 and a / (A + k)^0.602.
"""

import numpy as np

from outflank.learning.methods import State
from outflank.learning.weights.games import random_openings
from outflank.learning.weights.learner import WeightLearner, points

C_FALLS, A_FALLS = 0.101, 0.602
STABLE = 20
"""Spall's A: steps before the gains begin to fall in earnest."""


class Spsa(WeightLearner):
    """State: `vector`; the number of the step is k."""

    def step(self, state: State, room: int | None) -> State:
        k = state.step + 1
        reach = self.real("c") / k**C_FALLS
        gain = self.real("a") * ((STABLE + 1) / (STABLE + k)) ** A_FALLS
        pairs, directions = self.number("pairs"), self.number("directions")
        vector = np.array(state.data["vector"])
        signs = self.task.dice(1, state.step).choice([-1.0, 1.0], (directions, len(vector)))
        openings = random_openings(self.task.variant, self.task.seed, state.step * pairs, pairs)
        moved = signs * self.units * reach
        found = self.played(list(vector + moved), list(vector - moved), openings)
        # Points a game from -1 to 1; each direction is a slope along its signs, and their mean the step.
        slopes = np.array([2 * points(scores).mean() - 1 for scores in found])
        change = gain * (slopes[:, None] * signs).mean(axis=0) * self.units
        note = f"step {k}: mean result of a direction {np.abs(slopes).mean():.2f}, gain {gain:.2g}"
        return state.after(2 * pairs * directions, note, vector=(vector + change).tolist())
