"""`outflank learn alphazero patterns`: a guide from nothing but the rules, in generations of self-play.

A generation plays games with the best guide so far (the first one with none: all moves alike, random games for a
value), fits a new guide to the games of the last generations, and keeps it only if it wins its match against the best.
"""

import shutil
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from outflank.arena.statistics import score_interval
from outflank.learning.alphazero.fit import Fitted, GuideFit, Lessons
from outflank.learning.alphazero.games import GuidedGames, GuidedPlay, GuidedTrial, Manner
from outflank.learning.games.selfplay import PairScores, tally
from outflank.learning.methods import Data, Learner, State, Task
from outflank.learning.portions import done_by
from outflank.patterns.guides import Guide
from outflank.patterns.shapes import require_patterns
from outflank.work.workers import Workers

TARGET = "patterns"
GAMES_A_PORTION = 250
PAIRS_A_PORTION = 25
RUNGS, RUNG_PAIRS = 8, 50
"""Earlier guides that the result plays at the end, evenly spread, and the pairs of games against each."""
PLAYING, GATING, MEASURING, CLIMBING = range(4)
"""Each purpose has random numbers of its own."""


class AlphaZero(Learner):
    """Self-play, fit, gate; and again. A step is a generation."""

    def __init__(self, task: Task, folder: Path, workers: Workers) -> None:
        super().__init__(task, folder, workers)
        if task.target != TARGET:
            raise ValueError(f"alphazero learns {TARGET!r}, tables that guide a tree search, not {task.target!r}")
        require_patterns(task.variant)

    def begin(self) -> Data:
        return {"champion": "", "window": [], "generations": []}

    def step(self, state: State, room: int | None) -> State:
        number = state.step + 1
        size = self._number("round") if room is None else min(self._number("round"), room)
        champion = self._champion(state)
        folder = self.folder / f"games-{number:04}"
        self._play(champion, state.games, size, folder)
        window = [*state.data["window"], folder.name]
        new, fitted = self._fit(window[-self._number("window") :], champion, number)
        gate = tally(list(self._matched(new, champion, GATING, number * self._number("gate"), self._number("gate"))))
        score = gate.score or 0.0
        kept, name = score > 0.5, f"guide-{number:04}.npz"
        if kept:
            new.save(self.folder / name)
        for old in window[: -self._number("window")]:  # not even this step looks at them again, if it is redone
            shutil.rmtree(self.folder / old, ignore_errors=True)
        made = {
            "generation": number,
            "games": state.games + size,
            **{key: round(value, 4) for key, value in asdict(fitted).items()},
            "score": round(score, 4),
            "interval": [round(bound, 4) for bound in score_interval(gate.counts)],
            "kept": kept,
        }
        return state.after(
            games=size,
            note=(
                f"generation {number}: value {fitted.value_loss:.3f}, policy {fitted.policy_loss:.3f},"
                f" {100 * score:.1f} % against the best before: {'kept' if kept else 'not kept'}"
            ),
            champion=name if kept else state.data["champion"],
            window=window[-self._number("window") :],
            generations=[*state.data["generations"], made],
        )

    def trial(self, state: State, first: int, pairs: int) -> PairScores:
        found = self._matched(self._champion(state), None, MEASURING, first, pairs)
        return PairScores([pair for portion in found for pair in portion.pairs])

    def write(self, state: State, path: Path, about: Data) -> str:
        champion = self._champion(state)
        if champion is None:
            raise ValueError(
                "no generation won its match against playing by chance: learn longer, or more games a step"
            )
        generations = state.data["generations"]
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
            rival = None if one is None else Guide.load(self.folder / f"guide-{one['generation']:04}.npz")
            count = tally(list(self._matched(rival, champion, CLIMBING, 0, RUNG_PAIRS)))
            found.append({"games": 0 if one is None else one["games"], "pairs": list(count.counts)})
        return [*found, {"games": kept[-1]["games"], "pairs": []}]

    def _number(self, option: str) -> int:
        value = self.task.options[option]
        assert isinstance(value, int)
        return value

    def _seed(self, purpose: int) -> int:
        return 4 * self.task.seed + purpose

    def _champion(self, state: State) -> Guide | None:
        name = state.data["champion"]
        return Guide.load(self.folder / name) if name else None

    def _play(self, champion: Guide | None, first: int, size: int, folder: Path) -> None:
        """Games to learn from, numbered on from the last generation's, in files of the folder."""
        manner = Manner.learning(self.task.variant, self._number("playouts"), self._number("quick"))
        tasks = {}
        for begin in range(first, first + size, GAMES_A_PORTION):
            count = min(GAMES_A_PORTION, first + size - begin)
            task = GuidedPlay(self.task.variant, champion, manner, self._seed(PLAYING), begin, count)
            tasks[folder / f"games-{begin:09}.npz"] = task
        for _ in done_by(self.workers, tasks, GuidedGames):
            pass

    def _fit(self, window: list[str], champion: Guide | None, number: int) -> tuple[Guide, Fitted]:
        files = [file for name in window for file in sorted((self.folder / name).glob("games-*.npz"))]
        lessons = Lessons(GuidedGames.joined([GuidedGames.load(file) for file in files]), self.task.variant)
        fit = GuideFit(lessons, champion, self.task.seed * 1000 + number)
        return fit.fitted(self.workers.jobs, {"generation": number})

    def _matched(
        self, new: Guide | None, old: Guide | None, purpose: int, first: int, pairs: int
    ) -> Iterable[PairScores]:
        variant, manner = self.task.variant, Manner.trial(self.task.variant, self._number("gate-playouts"))
        tasks = [
            GuidedTrial(
                variant, new, old, manner, self._seed(purpose), begin, min(PAIRS_A_PORTION, first + pairs - begin)
            )
            for begin in range(first, first + pairs, PAIRS_A_PORTION)
        ]
        return self.workers.map(tasks)
