"""The results of long work so far: one SQLite file, written as they come, so that a killed run continues from there.

A file belongs to one piece of work, named by its settings: with others it is refused. Results are JSON, by the keys of
their tasks; who needs more columns has a schema of its own.
"""

import json
import sqlite3
from pathlib import Path
from typing import Any, Self

from outflank.errors import Fault, MachineError

SETTINGS = "CREATE TABLE settings (settings TEXT NOT NULL);"
RESULTS = "CREATE TABLE results (key TEXT PRIMARY KEY, result TEXT NOT NULL) WITHOUT ROWID;"
APPLICATION = 0x4F75744B
"""Marks the file as ours: "OutK"."""


class KeptFile:
    """A file with settings and the tables of a schema."""

    application = APPLICATION
    schema = RESULTS

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self.path = path
        try:
            self._base = sqlite3.connect(path, isolation_level=None)
            try:
                self._open(settings)
            except BaseException:
                self._base.close()
                raise
        except sqlite3.DatabaseError as error:
            raise Fault("kept.file", path=path, why=error) from None

    def _open(self, settings: dict[str, Any]) -> None:
        text = json.dumps(settings, sort_keys=True)
        self._base.execute("PRAGMA journal_mode = WAL")
        self._base.execute("PRAGMA synchronous = NORMAL")
        mark = self._base.execute("PRAGMA application_id").fetchone()[0]
        if mark == 0 and not self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            self._base.executescript(
                f"BEGIN; {SETTINGS} {self.schema} PRAGMA application_id = {self.application}; COMMIT"
            )
        elif mark != self.application:
            raise Fault("kept.file", path=self.path, why=Fault("kept.other"))
        with self._base:
            kept = self._base.execute("SELECT settings FROM settings").fetchone()
            if kept is None:
                self._base.execute("INSERT INTO settings VALUES (?)", (text,))
            elif kept[0] != text:
                raise Fault("kept.settings", path=self.path, **_differing(json.loads(kept[0]), json.loads(text)))

    def _insert(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        """All rows or none of them."""
        try:
            self._base.execute("BEGIN")
            self._base.executemany(statement, rows)
            self._base.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise MachineError("kept.not-written", path=self.path, why=error) from None

    def close(self) -> None:
        self._base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _differing(kept: dict[str, Any], wanted: dict[str, Any]) -> dict[str, str]:
    """What settings do not have in common, as text."""
    names = [name for name in sorted({*kept, *wanted}) if kept.get(name) != wanted.get(name)]
    both = {"kept": kept, "wanted": wanted}
    return {one: ", ".join(f"{name} {json.dumps(each.get(name))}" for name in names) for one, each in both.items()}


class Kept(KeptFile):
    """Results by their keys. A second one for the same key changes nothing."""

    def keep(self, finished: list[tuple[str, Any]]) -> None:
        rows = [(key, json.dumps(result, separators=(",", ":"))) for key, result in finished]
        self._insert("INSERT OR IGNORE INTO results VALUES (?, ?)", rows)

    def holding(self) -> dict[str, Any]:
        """Every result by its key."""
        return {key: json.loads(text) for key, text in self._base.execute("SELECT key, result FROM results")}
