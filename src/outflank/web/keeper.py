"""Where boards are kept: one SQLite file in the user's state folder. A board is written before anybody sees it change,
so that a server killed at any moment has every game as its players saw it last."""

import asyncio
import json
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from outflank.errors import Fault
from outflank.web.boards import Board

FILE = "boards.sqlite"
APPLICATION = 0x4F757462
"""Marks the file as ours: "Outb"."""
VERSION = 2
PATIENCE = 10.0
KEPT_DAYS = 365
MOST_BOARDS = 20_000
"""Beyond this boards are forgotten: of the address that has most of them, the one not touched for longest."""
TIDY_EVERY = 500


class Keeper:
    """Reads and writes boards, in one thread of its own: the disk may be slow, the event loop may not wait."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                folder / FILE, timeout=PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._open()
        except (OSError, sqlite3.Error) as error:
            raise Fault("web.state-unusable", folder=folder, why=error) from None
        self._thread = ThreadPoolExecutor(1, "outflank-keeper")
        self._saves = 0

    def _open(self) -> None:
        database = self._database
        (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (mark,) = database.execute("PRAGMA application_id").fetchone()
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if tables and mark != APPLICATION:
            raise Fault("web.state-foreign", file=FILE)
        if version > VERSION:
            raise Fault("web.state-newer", file=FILE)
        # A commit survives the death of the process at once, and a power cut a moment later.
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("CREATE TABLE IF NOT EXISTS boards (id TEXT PRIMARY KEY, touched REAL NOT NULL, data TEXT)")
        if version < 2:
            database.execute("ALTER TABLE boards ADD COLUMN address TEXT NOT NULL DEFAULT ''")
        database.execute("CREATE INDEX IF NOT EXISTS boards_touched ON boards (touched)")
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {VERSION}")

    async def save(self, board: Board, address: str = "") -> None:
        """Returns when the board is in the file. Who began it counts it among his, whoever changes it later."""
        data = board.data()  # now: the board may change while the thread writes
        await self._do(self._save, board.id, data, address)

    async def load(self, identity: str) -> Board | None:
        text = await self._do(self._load, identity)
        return None if text is None else Board.from_data(json.loads(text))

    async def delete(self, identity: str) -> None:
        await self._do(self._delete, identity)

    async def _do(self, function: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)

    def _save(self, identity: str, data: dict[str, Any], address: str) -> None:
        text = json.dumps(data, separators=(",", ":"))
        self._database.execute(
            "INSERT INTO boards (id, touched, data, address) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET touched = excluded.touched, data = excluded.data",
            (identity, time.time(), text, address),
        )
        self._saves += 1
        if self._saves % TIDY_EVERY == 0:
            self._tidy()

    def _load(self, identity: str) -> str | None:
        row = self._database.execute("SELECT data FROM boards WHERE id = ?", (identity,)).fetchone()
        return None if row is None else str(row[0])

    def _delete(self, identity: str) -> None:
        self._database.execute("DELETE FROM boards WHERE id = ?", (identity,))

    def _tidy(self) -> None:
        self._database.execute("DELETE FROM boards WHERE touched < ?", (time.time() - KEPT_DAYS * 86400,))
        (count,) = self._database.execute("SELECT count(*) FROM boards").fetchone()
        if count > MOST_BOARDS:
            place = "row_number() OVER (PARTITION BY address ORDER BY touched DESC)"
            self._database.execute(
                f"DELETE FROM boards WHERE id IN (SELECT id FROM boards ORDER BY {place} DESC, touched LIMIT ?)",
                (count - MOST_BOARDS,),
            )

    def close(self) -> None:
        self._thread.shutdown()
        self._database.close()
