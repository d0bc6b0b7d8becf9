"""`outflank learn alphazero patterns`: a guide from nothing but the rules, in rounds of self-play.

The first round has no guide: all moves alike, random games for a value.
"""

import shutil
from pathlib import Path

from outflank.errors import Fault
from outflank.learning.alphazero.fit import GuideFit, Lessons
from outflank.learning.alphazero.games import GuidedGames, Manner
from outflank.learning.methods import Data, State
from outflank.learning.rounds import CLIMBING, Rounds
from outflank.learning.trials import Gate, tally
from outflank.patterns.guides import Guide

RUNGS, RUNG_PAIRS = 8, 50
"""Earlier guides that the result plays at the end, evenly spread, and the pairs of games against each."""


class AlphaZero(Rounds):
    """Tables that guide a tree search."""

    target, kind, games = "patterns", Guide, GuidedGames
    games_a_portion, pairs_a_portion, numbered_on = 250, 25, True

    def style(self, learning: bool) -> Manner:
        if learning:
            return Manner.learning(self.task.variant, self.number("playouts"), self.number("quick"))
        return Manner.trial(self.task.variant, self.number("gate-playouts"))

    def seed(self, purpose: int, number: int = 0) -> int:
        return 4 * self.task.seed + purpose

    def fitted(self, state: State, champion: Guide | None) -> Guide:
        number = state.step + 1
        oldest = number - self.number("window") + 1
        parts = [part for played in self.games_of(range(max(oldest, 1), number + 1)) for part in played]
        fit = GuideFit(Lessons(GuidedGames.joined(parts), self.task.variant), champion, self.task.seed * 1000 + number)
        return fit.fitted(self.workers.jobs)

    def step(self, state: State, room: int | None) -> State:
        after = super().step(state, room)
        # Games that not even this step looks at again, if it is redone.
        shutil.rmtree(self.folder_of(after.step - self.number("window")), ignore_errors=True)
        return after

    def went(self, number: int, games: int, after: int, new: Guide, gate: Gate) -> tuple[str, Data]:
        fitted = new.provenance
        said = f"value {fitted['value_loss']:.3f}, policy {fitted['policy_loss']:.3f}"
        score = {name: gate.data[name] for name in ("score", "interval")}
        return said, {"generation": number, "games": after, **fitted, **score, "kept": gate.kept}

    def write(self, state: State, path: Path, about: Data) -> str:
        champion = self.champion(state)
        if champion is None:
            raise Fault("alphazero.no-generation-won")
        generations = state.data["rounds"]
        about = {**about, "generations": generations, "ladder": self._ladder(champion, generations)}
        Guide(champion.variant, champion.values, champion.policies, about).save(path)
        return f"alphazero:weights={path}"

    def spec_of_start(self) -> str:
        return "alphazero:weights=none"

    def _ladder(self, champion: Guide, generations: list[Data]) -> list[Data]:
        """How guides that were best on the way, and the start, do against the last: unlike the score against the start,
        which is soon near 100 %, this shows all of the way."""
        kept = [one for one in generations if one["kept"]]
        rungs = sorted({round(place * (len(kept) - 1) / RUNGS) for place in range(RUNGS)} - {len(kept) - 1})
        found = []
        for one in [None, *(kept[rung] for rung in rungs)]:
            rival = None if one is None else Guide.load(self.folder_of(one["generation"]).with_suffix(".npz"))
            count = tally(self.matched("ladder: pairs", rival, champion, self.seed(CLIMBING), 0, RUNG_PAIRS))
            found.append({"games": 0 if one is None else one["games"], "pairs": list(count.counts)})
        return [*found, {"games": kept[-1]["games"], "pairs": []}]
