"""Challenger learning, as in the report on `self-taught`: a winner, and challengers with random weights against it.

Its own rule: two games with exchanged sides; who wins both replaces the winner; it ends after so many tries without a
replacement. Two games from one opening say little, so there is an honest rule too: balanced openings, pairs, and a
sequential test (SPRT) that must be sure of the challenger.
"""

import json
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from outflank.arena.statistics import Sprt
from outflank.learning.methods import State, Task
from outflank.learning.portions import write_text
from outflank.learning.trials import tally
from outflank.learning.weights.games import balanced_openings, from_start
from outflank.learning.weights.learner import WeightLearner
from outflank.work.workers import Workers

Array = Any

TRIES_A_STEP = 32
PAIRS_A_TEST = 8


class Challenger(WeightLearner):
    """State: `vector` (the winner), `tries` so far, `since` the last replacement, `replaced` how often."""

    def __init__(self, task: Task, folder: Path, workers: Workers) -> None:
        super().__init__(task, folder, workers)
        self.honest = bool(task.options["honest"])
        self.sprt = Sprt.parse(str(task.options["sprt"]))

    def begin(self) -> dict[str, Any]:
        return {**super().begin(), "tries": 0, "since": 0, "replaced": 0}

    def ended(self, state: State) -> str:
        if state.data["since"] >= self.number("tries"):
            return f"no challenger won in {state.data['since']} tries"
        return ""

    def step(self, state: State, room: int | None) -> State:
        return self._tested(state) if self.honest else self._tried(state, room)

    def _challenger(self, winner: Array, number: int) -> Array:
        dice, options = self.task.dice(1, number), self.task.options
        fresh = self.random_vector(dice)
        usual = "near" if self.honest else "anew"
        if (usual if options["draw"] == "usual" else options["draw"]) == "anew":
            return fresh
        return winner + self.real("size") * fresh

    def _tried(self, state: State, room: int | None) -> State:
        """Some tries by the author's rule, up to the first replacement.

        All of them are against the same winner, so they can be played at once; those after the replacement have not
        happened, and how many are played at once makes no difference.
        """
        winner, tries, since = np.array(state.data["vector"]), state.data["tries"], state.data["since"]
        count = min(TRIES_A_STEP, self.number("tries") - since)
        if room is not None:
            count = max(min(count, room // 2), 1)
        rivals = [self._challenger(winner, tries + number) for number in range(count)]
        for number, [(one, other)] in enumerate(self.played(rivals, [winner] * count, from_start(1))):
            if one > 0 and other > 0:
                used = number + 1
                return state.after(
                    2 * used,
                    f"try {tries + used}: replaced for the {_th(state.data['replaced'] + 1)} time",
                    vector=rivals[number].tolist(),
                    tries=tries + used,
                    since=0,
                    replaced=state.data["replaced"] + 1,
                )
        note = f"try {tries + count}: {since + count} since the last replacement"
        return state.after(2 * count, note, tries=tries + count, since=since + count)

    def _tested(self, state: State) -> State:
        """One challenger and its test."""
        winner, tries = np.array(state.data["vector"]), state.data["tries"]
        rival = self._challenger(winner, tries)
        pool = self._pool
        order = self.task.dice(2, tries).permutation(len(pool))
        parts, most = [], len(pool)
        decision, at = None, 0
        while decision is None and at < most:
            chosen = pool[order[at : min(at + PAIRS_A_TEST * 2, most)]]
            parts += self.played([rival], [winner], chosen)
            at += len(chosen)
            decision = self.sprt.decision(tally(parts).counts)
        count = tally(parts)
        won = decision == "H1"
        note = f"try {tries + 1}: {100 * (count.score or 0):.0f} % in {at} pairs, {'replaced' if won else 'stays'}"
        return state.after(
            2 * at,
            note,
            vector=(rival if won else winner).tolist(),
            tries=tries + 1,
            since=0 if won else state.data["since"] + 1,
            replaced=state.data["replaced"] + won,
        )

    @cached_property
    def _pool(self) -> Array:
        """The run's openings, as many as a test may need: they take a while to find. Each test has an order of its
        own."""
        file = self.folder / "openings.json"
        if not file.exists():
            found = balanced_openings(self.task.variant, self.task.seed, self.number("pairs"))
            write_text(file, json.dumps(found.tolist()) + "\n")
        return np.array(json.loads(file.read_text()), np.uint8)


def _th(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10 if number % 100 not in (11, 12, 13) else 0, "th")
    return f"{number}{ending}"
