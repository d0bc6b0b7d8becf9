"""CMA-ES on match results, with the package `cma`.

A generation's candidates all play the same openings against the generation's mean, so that only their order matters
and the opponent may grow with them. The state holds every generation's results; replaying them restores the search,
which is how a run resumes.
"""

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from outflank.learning.methods import Data, State, Task
from outflank.learning.trials import PairScores
from outflank.learning.weights.games import random_openings
from outflank.learning.weights.learner import WeightLearner, points
from outflank.work.workers import Workers

MARGIN_COUNTS = 0.5
"""A game's margin, as a part of the board, counts for so many points: it tells candidates with equal points apart."""


class Evolution(WeightLearner):
    """State: `vector` (the mean), and `results`, one row of a generation's losses each."""

    def __init__(self, task: Task, folder: Path, workers: Workers) -> None:
        super().__init__(task, folder, workers)
        self._told = -1
        self._strategy: Any = None

    def begin(self) -> Data:
        return {**super().begin(), "results": []}

    def step(self, state: State, room: int | None) -> State:
        strategy = self._strategy_at(state)
        candidates = strategy.ask()
        vectors = [np.array(one) * self.units for one in candidates]
        mean = np.array(strategy.mean) * self.units
        pairs = self.number("pairs")
        openings = random_openings(self.task.variant, self.task.seed, state.step * pairs, pairs)
        found = self.played(vectors, [mean] * len(vectors), openings)
        losses = [-self._gain(scores) for scores in found]
        strategy.tell(candidates, losses)
        self._told = state.step + 1
        vector = (np.array(strategy.mean) * self.units).tolist()
        note = f"generation {state.step + 1}: sigma {strategy.sigma:.2g}"
        return state.after(2 * pairs * len(vectors), note, vector=vector, results=[*state.data["results"], losses])

    def _gain(self, scores: PairScores) -> float:
        margins = np.array(scores).mean() / self.task.variant.square_count
        return float(points(scores).mean() + MARGIN_COUNTS * margins)

    def _strategy_at(self, state: State) -> Any:
        """The search as it stands in a state: at hand, or told again from the beginning."""
        if self._told == state.step:
            return self._strategy
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it advises on plotting when it is imported
            import cma
        dice = self.task.dice(0, 1)
        options: dict[str, Any] = {
            "verbose": -9,
            "seed": np.nan,  # it shall leave NumPy's own generator alone, and use ours
            "randn": lambda *shape: dice.standard_normal(shape),
            **({"popsize": self.task.options["population"]} if self.task.options["population"] else {}),
        }
        start = np.array(state.data["start"]) / self.units
        self._strategy = cma.CMAEvolutionStrategy(start, self.real("sigma"), options)
        for losses in state.data["results"]:
            self._strategy.tell(self._strategy.ask(), losses)
        self._told = state.step
        return self._strategy
