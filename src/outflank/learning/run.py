"""A run of `outflank learn`: steps of a method until its budget is spent, each kept, with the strength gained so far.

Everything lies in one folder: `settings.json` (what is learnt, and how) and `state.json` (the last checkpoint, and the
strength against the start, as it grew). Run again, it goes on where it was stopped; with a larger budget, after the end
of the smaller one.
"""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from outflank.arena.statistics import elo, elo_interval
from outflank.arena.text import elo_text
from outflank.errors import Fault
from outflank.learning.methods import Data, Learner, State
from outflank.learning.portions import write_text
from outflank.learning.trials import Verdict, tally
from outflank.work.durations import UNITS

MEASURES = 16
"""How often the strength is measured in a run, at even parts of its budget."""
PAIRS = 50
"""Pairs of games of such a measurement."""
FINAL_PAIRS = 200
"""Pairs of games of the last one."""
FINAL_FIRST = 1_000_000
"""The number of its first opening: none that a measurement has used."""
FORM = 2
"""Of what lies in a folder: that of other versions is refused."""
BUDGET = re.compile(r"(\d+(?:\.\d+)?(?:e\d+)?)([smhdg]?)")


@dataclass(frozen=True)
class Budget:
    """How long a run may learn: in games, which is repeatable, or in seconds of work."""

    games: int | None = None
    seconds: float | None = None

    @classmethod
    def parse(cls, text: str) -> "Budget":
        """Reads `500g`, `30m`, `2h`, `90s`, or `90` seconds."""
        found = BUDGET.fullmatch(text.strip().lower())
        if not found or float(found[1]) <= 0 or float(found[1]) > 1e12:
            raise Fault("learning.budget", text=text)
        if found[2] == "g":
            return cls(games=int(float(found[1])))
        return cls(seconds=float(found[1]) * UNITS[found[2] or "s"])

    def __str__(self) -> str:
        if self.games is not None:
            return f"{self.games:,} games"
        return f"{self.seconds:,.0f} s"

    def spent(self, games: int, seconds: float) -> float:
        """The part of it that is used, 0 to 1 and beyond."""
        if self.games is not None:
            return games / self.games
        assert self.seconds is not None
        return seconds / self.seconds

    def room(self, games: int) -> int | None:
        return None if self.games is None else self.games - games


@dataclass(frozen=True)
class Measure(Verdict):
    """The strength of a state against the start of its run."""

    step: int
    games: int
    seconds: float
    pairs: list[int]
    margin: float | None
    note: str = ""

    @property
    def elo(self) -> float | None:
        return elo(self.score)

    @property
    def text(self) -> str:
        """`78.2 % (72.0 to 84.4) against the start, Elo +222 [+164, +293]`."""
        rated = elo_text(self.elo, elo_interval(self.pairs), self.score)
        return f"{self.percent} against the start, Elo {rated}"


class Run:
    """A run in its folder. Its strength is measured on the way unless that is not wanted."""

    def __init__(self, learner: Learner, folder: Path, budget: Budget, measuring: bool = True) -> None:
        self.learner, self.folder, self.budget, self.measuring = learner, folder, budget, measuring
        folder.mkdir(parents=True, exist_ok=True)
        self._check_settings()
        self.state, self.seconds, measures = self._checkpoint()
        self.measures: list[Measure] = [Measure(**one) for one in measures]

    def _check_settings(self) -> None:
        wanted = {"form": FORM, **json.loads(json.dumps(self.learner.settings()))}
        file = self.folder / "settings.json"
        if not file.exists():
            write_text(file, json.dumps(wanted, indent=1) + "\n")
            return
        found = _read(file)
        if found.get("form") != FORM:
            raise Fault("learning.other-version", folder=self.folder)
        different = sorted(key for key in {*wanted, *found} if found.get(key) != wanted.get(key))
        if different:
            key = different[0]
            raise Fault("learning.other-run", folder=self.folder, key=key, found=found.get(key), wanted=wanted.get(key))

    def _checkpoint(self) -> tuple[State, float, list[Data]]:
        file = self.folder / "state.json"
        if not file.exists():
            return State(self.learner.begin()), 0.0, []
        found = _read(file)
        return State(**found["state"]), float(found["seconds"]), found["measures"]

    def _keep(self) -> None:
        measures = [asdict(one) for one in self.measures]
        content = {"state": asdict(self.state), "seconds": round(self.seconds, 3), "measures": measures}
        write_text(self.folder / "state.json", json.dumps(content) + "\n")

    @property
    def spent(self) -> float:
        return self.budget.spent(self.state.games, self.seconds)

    def steps(self) -> Iterator[State]:
        """Learns until the budget is spent or nothing is left to learn; every state is saved before it is reported."""
        while self.spent < 1 and not self.learner.ended(self.state):
            began, before = time.monotonic(), self.spent
            self.state = self.learner.step(self.state, self.budget.room(self.state.games))
            self.seconds += time.monotonic() - began
            if self.measuring and int(before * MEASURES) < int(self.spent * MEASURES) < MEASURES:
                # Other openings every time, the same ones in a run that was interrupted.
                self.measures.append(self._measured(self.state.step * PAIRS % FINAL_FIRST, PAIRS))
            self._keep()
            yield self.state

    def final(self, pairs: int = FINAL_PAIRS) -> Measure:
        """The strength of what was learnt, in openings that nothing has used before."""
        measure = self._measured(FINAL_FIRST, pairs)
        self.measures = [one for one in self.measures if one.step < self.state.step] + [measure]
        self._keep()
        return measure

    def _measured(self, first: int, pairs: int) -> Measure:
        state, count = self.state, tally([self.learner.trial(self.state, first, pairs)])
        seconds = round(self.seconds, 1)
        return Measure(state.step, state.games, seconds, list(count.counts), count.margins.mean, state.note)

    def about(self, measure: Measure | None) -> Data:
        """How the result was made: the same for equal tasks and budgets of games."""
        from outflank import __version__

        about: Data = {
            "version": __version__,
            **self.learner.task.to_dict(),
            "budget": str(self.budget),
            "games": self.state.games,
            "steps": self.state.step,
        }
        if measure:
            about["against_the_start"] = measure.data
        if self.budget.games is None:
            about["seconds"] = round(self.seconds)
        return about


def _read(file: Path) -> Data:
    try:
        found = json.loads(file.read_text())
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Fault("learning.damaged", path=file)
    return found
