"""What all methods share that learn a weighted heuristic: their target, their games, their trials and their file."""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from outflank.agents.options import Value, quoted
from outflank.errors import Fault
from outflank.heuristics.learnt import load_data, save
from outflank.learning.games.positions import Positions
from outflank.learning.methods import Data, Learner, State, Task
from outflank.learning.trials import PairScores
from outflank.learning.weights.games import Contests, random_games, random_openings
from outflank.learning.weights.target import PLAYERS, Model, Target
from outflank.work.workers import Workers

Array = Any

PAIRS_A_TASK = 25
SAMPLE_GAMES = 300
TRIALS = 7919
"""Parts the seeds of trials from those of learning."""


class WeightLearner(Learner):
    """A method whose states hold a row of parameters, `vector`, and the one it began with, `start`."""

    def __init__(self, task: Task, folder: Path, workers: Workers) -> None:
        super().__init__(task, folder, workers)
        options = task.options
        self.target = Target.named(task.target, task.variant, str(options["free"]), _phases(options["phases"]))
        self.depth = self.number("depth")

    @property
    def model(self) -> Model:
        return self.target.model

    @cached_property
    def _sample(self) -> tuple[Array, Array]:
        """The columns and phases of positions of random games."""
        positions = Positions.of(random_games(self.target, SAMPLE_GAMES), of_result=1.0)
        return self.model.columns.of(positions.own, positions.opp), self.model.phases_of(positions.own, positions.opp)

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the target's own values over random positions."""
        return self._spreads[None]

    @cached_property
    def _spreads(self) -> dict[int | None, float]:
        """That deviation over all positions (None), and over those of each phase: a heuristic may count by hundreds in
        one and by ones in the next, as `phased` does."""
        columns, phases = self._sample
        values = (columns * self.model.weights(self.model.start)[phases]).sum(axis=1)
        by_phase: dict[int | None, float] = {None: _deviation(values) or 1.0}
        for phase in range(self.model.phases):
            by_phase[phase] = _deviation(values[phases == phase]) or by_phase[None]
        return by_phase

    @cached_property
    def units(self) -> Array:
        """What a change by 1 means for each parameter, so that all of them matter alike: as much as moves the value
        by the target's own spread where the parameter counts, shared among the columns."""
        model = self.model
        columns, phases = self._sample
        units = np.ones(len(model))
        for number, parameter in enumerate(model.parameters):
            here = columns[:, parameter.column]
            deviation = _deviation(here if parameter.phase is None else here[phases == parameter.phase])
            spread = self._spreads[parameter.phase] / np.sqrt(len(model.columns))
            units[number] = spread / deviation if deviation > 0 else spread
        return units

    def begin(self) -> Data:
        how, model = self.task.options["start"], self.model
        if how == "own":
            start = model.start
        elif how == "nothing":
            start = np.zeros(len(model))
        else:
            start = self.random_vector(self.task.dice(0))
        return {"vector": start.tolist(), "start": start.tolist()}

    def random_vector(self, dice: np.random.Generator) -> Array:
        return dice.standard_normal(len(self.model)) * self.units

    def played(self, firsts: Sequence[Array], seconds: Sequence[Array], openings: Array) -> list[PairScores]:
        """Contests, each from all of the openings; those from a few go together."""
        rivals = list(zip(firsts, seconds, strict=True))
        size = max(min(PAIRS_A_TASK // len(openings), -(-len(rivals) // self.workers.jobs)), 1)
        tasks = [
            Contests(self.target, rivals[at : at + size], self.depth, openings[begin : begin + PAIRS_A_TASK])
            for at in range(0, len(rivals), size)
            for begin in range(0, len(openings), PAIRS_A_TASK)
        ]
        parts = list(chain(*self.workers.map(tasks)))
        of_each = -(-len(openings) // PAIRS_A_TASK)
        return [list(chain(*parts[at : at + of_each])) for at in range(0, len(parts), of_each)]

    def trial(self, state: State, first: int, pairs: int) -> PairScores:
        openings = random_openings(self.task.variant, self.task.seed + TRIALS, first, pairs)
        vectors = np.array(state.data["vector"]), np.array(state.data["start"])
        return self.played([vectors[0]], [vectors[1]], openings)[0]

    def write(self, state: State, path: Path, about: Data) -> str:
        begun = {"from": Path(self.task.target).name} if self.task.target != self.target.name else {}
        about = {**about, "target": self.target.name, **begun}
        save(self.model.data(np.array(state.data["vector"]), about), path)
        return spec_with(self.target.name, path)

    def spec_of_start(self) -> str:
        path = self.folder / "start.json"
        if not path.exists():
            save(self.model.data(np.array(self.begin()["start"])), path)
        return spec_with(self.target.name, path)


def _deviation(values: Array) -> float:
    """The standard deviation; none of nothing."""
    return float(values.std()) if len(values) else 0.0


def spec_with(target: str, path: Path) -> str:
    """The player that uses a weights file."""
    if target in PLAYERS:
        return f"{target}:{'values' if target == 'self-taught' else 'weights'}={quoted(str(path))}"
    return f"alphabeta:heuristic={load_data(path)['heuristic']},weights={quoted(str(path))}"


def _phases(text: Value | None) -> tuple[int, ...] | None:
    if not text:
        return None
    if text == "none":
        return ()
    try:
        return tuple(int(one) for one in str(text).split(","))
    except ValueError:
        raise Fault("learning.phases-form", text=text) from None


def points(scores: PairScores) -> Array:
    """The points of every game."""
    margins = np.array(scores).reshape(-1)
    return (margins > 0) + 0.5 * (margins == 0)
