"""What visitors have found and missed in the trainer, and which position each of them gets next.

Time is counted in answers: a position that was missed comes back after three others, and each time it is found then,
after more of them, until it is known.
"""

import asyncio
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from outflank.errors import Fault
from outflank.library.exercises import Exercise, shipped

FILE = "trainer.sqlite"
PATIENCE = 10.0
STEPS = (3, 10, 30, 100)
"""After how many other answers a missed position comes back: when it was missed, and each time it was found since."""
MOST_VISITORS, MOST_MISTAKES = 20_000, 500
"""Visitors who are remembered, and positions of their own games for each."""
Answer = TypeVar("Answer")


class Trainer:
    """What visitors have found and missed: one SQLite file in the user's state folder."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                folder / FILE, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._database.executescript(
                """PRAGMA journal_mode = WAL;
                PRAGMA synchronous = NORMAL;
                CREATE TABLE IF NOT EXISTS visitors (visitor TEXT PRIMARY KEY, answered INTEGER NOT NULL,
                    solved INTEGER NOT NULL, streak INTEGER NOT NULL, best INTEGER NOT NULL, touched REAL NOT NULL);
                CREATE TABLE IF NOT EXISTS answers (visitor TEXT, exercise TEXT, at INTEGER NOT NULL,
                    step INTEGER, PRIMARY KEY (visitor, exercise));
                CREATE TABLE IF NOT EXISTS mistakes (visitor TEXT, exercise TEXT, line TEXT NOT NULL,
                    PRIMARY KEY (visitor, exercise));"""
            )
        except (OSError, sqlite3.Error) as error:
            raise Fault("web.state-unusable", folder=folder, why=error) from None
        self._lock = threading.Lock()

    async def do(self, work: Callable[[], Answer]) -> Answer:
        """In another thread: the disk may be slow, the event loop may not wait."""

        def alone() -> Answer:
            with self._lock:
                return work()

        return await asyncio.to_thread(alone)

    def close(self) -> None:
        with self._lock:
            self._database.close()

    # One visitor

    def record(self, visitor: str) -> tuple[int, int, int, int]:
        """How many he has answered and solved, how many in a row, and how many at best."""
        found = self._database.execute(
            "SELECT answered, solved, streak, best FROM visitors WHERE visitor = ?", (visitor,)
        ).fetchone()
        return found or (0, 0, 0, 0)

    def exercises(self, visitor: str) -> dict[str, Exercise]:
        """The shipped ones, and those of his own games."""
        rows = self._database.execute("SELECT line FROM mistakes WHERE visitor = ? AND line != ''", (visitor,))
        own = [Exercise.from_line(line) for (line,) in rows]
        return shipped() | {one.id: one for one in own}

    def seen(self, visitor: str) -> set[str]:
        """The positions of his own games that were looked at, whether they made an exercise or not."""
        rows = self._database.execute("SELECT exercise FROM mistakes WHERE visitor = ?", (visitor,))
        return {name for (name,) in rows}

    def due(self, visitor: str) -> dict[str, int]:
        """What he has missed and is to see again, with the number of the answer after which."""
        rows = self._database.execute(
            "SELECT exercise, at, step FROM answers WHERE visitor = ? AND step IS NOT NULL", (visitor,)
        )
        return {exercise: at + STEPS[step] for exercise, at, step in rows}

    def next(self, visitor: str, wanted: Callable[[Exercise], bool]) -> Exercise | None:
        """What is due first, else one that he has not seen, else the one seen longest ago."""
        chosen = {name: one for name, one in self.exercises(visitor).items() if wanted(one)}
        answered = self.record(visitor)[0]
        due = {name: when for name, when in self.due(visitor).items() if name in chosen and when <= answered}
        if due:
            return chosen[min(due, key=lambda name: due[name])]
        seen = dict(self._database.execute("SELECT exercise, at FROM answers WHERE visitor = ?", (visitor,)).fetchall())
        order = sorted(chosen, key=lambda name: (seen.get(name, -1), _shuffled(visitor, name)))
        return chosen[order[0]] if order else None

    def answer(self, visitor: str, exercise: Exercise | None, right: bool) -> None:
        """Saves an answer before it is sent; without an exercise it is a move of an opening."""
        answered, solved, streak, best = self.record(visitor)
        answered, solved, streak = answered + 1, solved + right, streak + 1 if right else 0
        with self._database:
            self._database.execute("BEGIN")
            self._database.execute(
                "REPLACE INTO visitors VALUES (?, ?, ?, ?, ?, ?)",
                (visitor, answered, solved, streak, max(best, streak), time.time()),
            )
            if exercise is not None:
                step = self._step(visitor, exercise.id, right)
                self._database.execute(
                    "REPLACE INTO answers VALUES (?, ?, ?, ?)", (visitor, exercise.id, answered, step)
                )
            self._tidy()

    def _step(self, visitor: str, name: str, right: bool) -> int | None:
        """Where a position stands among the repetitions after an answer; None once it is known."""
        if not right:
            return 0
        found = self._database.execute(
            "SELECT step FROM answers WHERE visitor = ? AND exercise = ?", (visitor, name)
        ).fetchone()
        before = None if found is None else found[0]
        return None if before is None or before + 1 == len(STEPS) else before + 1

    def add(self, visitor: str, name: str, exercise: Exercise | None) -> None:
        """Takes a position of his own games in, or keeps that it makes no exercise; the oldest make room."""
        line = "" if exercise is None else exercise.line
        self._database.execute("REPLACE INTO mistakes VALUES (?, ?, ?)", (visitor, name, line))
        self._database.execute(
            "DELETE FROM mistakes WHERE visitor = ?1 AND rowid NOT IN"
            " (SELECT rowid FROM mistakes WHERE visitor = ?1 ORDER BY rowid DESC LIMIT ?2)",
            (visitor, MOST_MISTAKES),
        )

    def _tidy(self) -> None:
        (count,) = self._database.execute("SELECT count(*) FROM visitors").fetchone()
        if count > MOST_VISITORS:
            gone = "SELECT visitor FROM visitors ORDER BY touched LIMIT 1"
            for table in ("answers", "mistakes", "visitors"):
                self._database.execute(f"DELETE FROM {table} WHERE visitor = ({gone})")


def _shuffled(visitor: str, name: str) -> int:
    """An order that is each visitor's own, and the same whenever he comes."""
    return zlib.crc32(f"{visitor} {name}".encode())
