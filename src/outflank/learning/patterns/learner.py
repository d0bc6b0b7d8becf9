"""Training by self-play, in rounds: play, fit, and keep the new weights only if they win their match.

Everything lies in one folder: a folder a round with its games, weights and trial. Run again with the same settings,
it goes on where it was stopped; with more rounds, after the last one.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from outflank.arena.statistics import Tally, score_interval, superiority
from outflank.board.variant import Variant
from outflank.learning.games.positions import TRACE, Positions
from outflank.learning.games.scored import ScoredGames
from outflank.learning.games.selfplay import PairScores, SelfPlay, Style, Trial, tally
from outflank.learning.patterns.fit import Fit, Stage
from outflank.learning.portions import done
from outflank.patterns.shapes import require_patterns
from outflank.patterns.weights import Weights

GAMES_A_PORTION = 500
PAIRS_A_PORTION = 50
RECENT_ROUNDS = 3
"""Rounds whose games are fitted: older ones were played by weaker weights."""
RESULT_ONLY = 1.0
"""The trace of games played without weights: a count of moves is not in discs, only results are."""
Progress = Callable[[str, int, int], None]
"""What is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True)
class Settings:
    """What a training is: another one needs another folder."""

    variant: Variant
    games: int
    """Games of self-play a round."""
    depth: int
    exact_from: int
    pairs: int
    """Pairs of games in the match that a round must win."""
    trace: float = TRACE
    seed: int = 1
    iterations: int = 15

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "variant": self.variant.name}


@dataclass(frozen=True)
class Round:
    """How a round went."""

    number: int
    games: int
    positions: int
    stages: list[Stage]
    trial: Tally
    kept: bool

    @property
    def interval(self) -> tuple[float, float]:
        return score_interval(self.trial.counts)

    def to_dict(self) -> dict[str, Any]:
        low, high = self.interval
        return {
            "round": self.number,
            "games": self.games,
            "score": self.trial.score,
            "interval": [round(low, 4), round(high, 4)],
            "pairs": sum(self.trial.counts),
            "superiority": round(superiority(self.trial.counts), 4),
            "kept": self.kept,
        }


class Training:
    """Rounds of self-play in a folder. `begin` are the weights that the first round plays with, if any."""

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        begin: Weights | None = None,
        jobs: int = 1,
        on: str = "",
        progress: Progress = lambda what, done, of: None,
    ) -> None:
        require_patterns(settings.variant)
        self.settings, self.folder, self._progress = settings, folder, progress
        self._jobs, self._on = jobs, on
        self.champion = begin
        self.history: list[Round] = []
        self._games: list[tuple[list[ScoredGames], float]] = []
        self._open_folder(begin)

    def _open_folder(self, begin: Weights | None) -> None:
        wanted = {**self.settings.to_dict(), "begin": None if begin is None else begin.digest}
        file = self.folder / "settings.json"
        if file.exists():
            found = _settings_in(file)
            different = sorted(key for key in wanted if found.get(key) != wanted[key])
            if different:
                key = different[0]
                raise ValueError(
                    f"{self.folder} holds a training with {key} {found.get(key)}, not {wanted[key]}:"
                    " name another folder with --work"
                )
        else:
            self.folder.mkdir(parents=True, exist_ok=True)
            temporary = file.with_name(file.name + ".part")
            temporary.write_text(json.dumps(wanted, indent=1) + "\n")
            temporary.replace(file)

    def rounds(self, count: int) -> Iterator[Round]:
        """Plays rounds up to that number; those that are done already are only read."""
        for number in range(1, count + 1):
            folder = self.folder / f"round-{number:02}"
            games = self._play(number, folder)
            trace = RESULT_ONLY if self.champion is None else self.settings.trace
            self._games = [*self._games, (games, trace)][-RECENT_ROUNDS:]
            new, stages, positions = self._fit(folder)
            trial = self._try(number, folder, new)
            kept = trial.score is not None and trial.score > 0.5
            if kept:
                self.champion = new
            made = Round(number, sum(map(len, games)), positions, stages, trial, kept)
            self.history.append(made)
            yield made

    def _play(self, number: int, folder: Path) -> list[ScoredGames]:
        settings = self.settings
        style = Style.learning(settings.variant, settings.depth, settings.exact_from)
        tasks = {}
        for first in range(0, settings.games, GAMES_A_PORTION):
            size = min(GAMES_A_PORTION, settings.games - first)
            task = SelfPlay(settings.variant, self.champion, style, settings.seed * 1000 + number, first, size)
            tasks[folder / f"games-{first:07}.npz"] = task
        found: list[ScoredGames] = []
        for portion in done(tasks, ScoredGames, self._jobs, self._on):
            found.append(portion)
            self._progress(f"round {number}: games", sum(map(len, found)), settings.games)
        return found

    def _fit(self, folder: Path) -> tuple[Weights, list[Stage], int]:
        file = folder / "weights.npz"
        if file.exists():
            weights = Weights.load(file)
            return (
                weights,
                [Stage(**stage) for stage in weights.provenance["held_out"]],
                weights.provenance["positions"],
            )
        parts = [Positions.parted(games, trace, 0) for games, trace in self._games]
        learnt, held = (Positions.joined([part[side] for part in parts]) for side in (0, 1))
        fit = Fit(learnt, held, self.settings.variant, self.settings.iterations, self.champion)
        stages = []
        for stage in fit.stages():
            stages.append(stage)
            self._progress(f"{folder.name}: stages", len(stages), fit.stage_count)
        about = {"positions": len(learnt), "held_out": [asdict(stage) for stage in stages]}
        weights = fit.weights(about)
        weights.save(file)
        return weights, stages, len(learnt)

    def _try(self, number: int, folder: Path, new: Weights) -> Tally:
        settings = self.settings
        style = Style.trial(settings.variant, settings.depth, settings.exact_from)
        tasks = {}
        for first in range(0, settings.pairs, PAIRS_A_PORTION):
            pairs = min(PAIRS_A_PORTION, settings.pairs - first)
            task = Trial(settings.variant, new, self.champion, style, settings.seed * 1000 + number, first, pairs)
            tasks[folder / f"trial-{first:05}.json"] = task
        found: list[PairScores] = []
        for portion in done(tasks, PairScores, self._jobs, self._on):
            found.append(portion)
            self._progress(f"round {number}: pairs", sum(len(part.pairs) for part in found), settings.pairs)
        return tally(found)


def _settings_in(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text())
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ValueError(f"{file} does not say what was trained there: remove that folder, or name another with --work")
    return found
