"""Learning by regression: weights that best explain the results of games, given ones or its own.

With self-play it goes in rounds: play with the weights so far, fit them to the last rounds' games, and keep what wins
its match. Given games are fitted once. The ends of games can be solved first, so that they teach what was right and
not what was played.
"""

from pathlib import Path
from typing import Any

import numpy as np

from outflank.errors import Fault
from outflank.learning.games.files import games_in, paths_in
from outflank.learning.games.labelling import Labelling, valuing_tasks
from outflank.learning.games.positions import Positions
from outflank.learning.games.scored import ScoredGames
from outflank.learning.methods import State, Task
from outflank.learning.portions import done, portions
from outflank.learning.trials import Gate
from outflank.learning.weights.fit import Kind, fitted
from outflank.learning.weights.games import OwnGames, random_openings
from outflank.learning.weights.learner import WeightLearner
from outflank.patterns.weights import shipped
from outflank.work.workers import Workers

Array = Any

RECENT_ROUNDS = 4
MOST_POSITIONS = 150_000
GAMES_A_TASK = 100
LONGEST = 3
"""Openings have up to the empty squares, divided by this, of random plies: games to learn from vary."""
GATES = 104729
"""Parts the openings of gates from those of self-play."""


class Regression(WeightLearner):
    """State: `vector`, `rounds` (those whose games are fitted) and `kept`, how many won their match."""

    def __init__(self, task: Task, folder: Path, workers: Workers) -> None:
        super().__init__(task, folder, workers)
        self.kind: Kind = "squares" if task.options["fit"] == "squares" else "logistic"
        self.given = str(task.options["games"] or "")
        if self.given:
            self._games = ScoredGames.joined([games for games, _ in games_in(paths_in(self.given), task.variant)])

    def begin(self) -> dict[str, Any]:
        return {**super().begin(), "rounds": [], "kept": 0}

    def ended(self, state: State) -> str:
        return "the games are fitted" if self.given and state.step else ""

    def step(self, state: State, room: int | None) -> State:
        if self.given:
            return self._fit_given(state)
        size = self.number("round")
        count = size if room is None else max(min(size, room), 20)
        vector = np.array(state.data["vector"])
        name = f"round-{state.step:04}.npz"
        self._own_games(vector, count, state.step, self.folder / name)
        rounds = [*state.data["rounds"], name][-RECENT_ROUNDS:]
        positions = Positions.joined([self._positions(ScoredGames.load(self.folder / one)) for one in rounds])
        found, error = self._fitted(self._some(positions, state.step))
        gate = self._gate(found, vector, state.step)
        kept = gate is None or gate.kept
        note = f"round {state.step + 1}: {len(positions):,} positions, error {error:.4f}, "
        note += gate.text if gate else "kept"
        for old in set(state.data["rounds"]) - set(rounds):
            (self.folder / old).unlink(missing_ok=True)
        return state.after(
            count, note, vector=(found if kept else vector).tolist(), rounds=rounds, kept=state.data["kept"] + kept
        )

    def _some(self, positions: Positions, step: int) -> Positions:
        """Enough of them: what they say of a few dozen weights does not grow with more."""
        if len(positions) <= MOST_POSITIONS:
            return positions
        return positions.chosen(np.sort(self.task.dice(2, step).permutation(len(positions))[:MOST_POSITIONS]))

    def _fitted(self, positions: Positions) -> tuple[Array, float]:
        return fitted(self.model, positions, self.kind, self.real("ridge"), self.spread)

    def _gate(self, new: Array, old: Array, step: int) -> Gate | None:
        pairs = self.number("gate")
        if not pairs:
            return None
        openings = random_openings(self.task.variant, self.task.seed + GATES, step * pairs, pairs)
        return Gate(self.played([new], [old], openings))

    def _own_games(self, vector: Array, count: int, step: int, file: Path) -> None:
        """Plays a round, with openings of many lengths and some random moves."""
        if file.exists():
            return
        dice = self.task.dice(1, step)
        strays = round(1000 * self.real("strays"))
        empties = self.task.variant.square_count - 4
        tasks = []
        for _, size in portions(0, count, GAMES_A_TASK):
            plies = int(dice.integers(1, max(empties // LONGEST, 2)))
            seed = int(dice.integers(1 << 62))
            openings = random_openings(self.task.variant, seed, 0, size, plies)
            tasks.append(OwnGames(self.target, vector, self.depth, strays, openings, seed))
        ScoredGames.joined(list(self.workers.map(tasks))).save(file)

    def _positions(self, games: ScoredGames) -> Positions:
        if exact := self.number("exact"):
            how = Labelling(exact, 1, 0)
            tasks = valuing_tasks(games, shipped(self.task.variant), how, self.folder)
            games = ScoredGames.joined(list(done(self.workers, tasks, ScoredGames)))
        found = Positions.of(games, trace=1.0, of_result=1.0)
        return Positions(found.own, found.opp, found.margin, found.discs, np.ones(len(found), np.float32))

    def _fit_given(self, state: State) -> State:
        positions = self._positions(self._games)
        if not len(positions):
            raise Fault("learning.no-finished-game", path=self.given)
        found, error = self._fitted(self._some(positions, state.step))
        note = f"{len(self._games):,} games, {len(positions):,} positions, error {error:.4f}"
        return state.after(len(self._games), note, vector=found.tolist(), kept=1)
