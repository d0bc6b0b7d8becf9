"""Where boards are kept: one SQLite file in the user's state folder. A board is written before anybody sees it change,
so that a server killed at any moment has every game as its players saw it last."""

import asyncio
import json
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

from outflank.errors import Fault
from outflank.web.boards import Board
from outflank.web.lanes import BusyError
from outflank.web.turns import person_of

FILE = "boards.sqlite"
APPLICATION = 0x4F757462
"""Marks the file as ours: "Outb"."""
VERSION = 3
PATIENCE = 10.0
KEPT_DAYS = 365
MOST_BOARDS, OF_ONE_ADDRESS, OF_ONE_VISITOR = 50_000, 2000, 1000
SPARE_DAYS, UNPLAYED_DAYS = 30, 1
"""Where there is no room, boards that nobody has touched for so long make some: the second where nobody ever played."""
DAY = 86400.0
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
        if version < 3:
            database.execute("ALTER TABLE boards ADD COLUMN visitor TEXT NOT NULL DEFAULT ''")
            database.execute("ALTER TABLE boards ADD COLUMN played INTEGER NOT NULL DEFAULT 1")
        for column in ("touched", "address", "visitor"):
            database.execute(f"CREATE INDEX IF NOT EXISTS boards_{column} ON boards ({column})")
        database.execute("CREATE TABLE IF NOT EXISTS server (key BLOB NOT NULL)")
        database.execute("INSERT INTO server SELECT randomblob(32) WHERE NOT EXISTS (SELECT 1 FROM server)")
        self.key: bytes
        """By which the server knows the cookies that it gave."""
        (self.key,) = database.execute("SELECT key FROM server").fetchone()
        database.execute(
            "CREATE TABLE IF NOT EXISTS holders (visitor TEXT, board TEXT, PRIMARY KEY (visitor, board)) WITHOUT ROWID"
        )
        database.execute(f"PRAGMA application_id = {APPLICATION}")
        database.execute(f"PRAGMA user_version = {VERSION}")

    async def add(self, board: Board) -> None:
        """Keeps a new board, where its owner may have another; what goes for it is never somebody else's, unless
        nobody has touched that for long."""
        data = board.data()
        await self._do(self._add, board.id, data, board.owner)

    async def save(self, board: Board) -> None:
        """Returns when the board is in the file."""
        data = board.data()  # now: the board may change while the thread writes
        await self._do(self._save, board.id, data, board.owner, True)

    async def load(self, identity: str) -> Board | None:
        return cast(Board | None, await self._do(self._load, identity))

    async def delete(self, identity: str) -> None:
        await self._do(self._database.execute, "DELETE FROM boards WHERE id = ?", (identity,))

    async def hold(self, visitor: str, identity: str, like: str = "") -> None:
        """A board is among a visitor's games, or among those of all who hold another one."""
        await self._do(
            self._database.execute,
            "INSERT OR IGNORE INTO holders SELECT visitor, ?1 FROM holders WHERE board = ?2"
            " UNION SELECT ?3, ?1 WHERE ?3 != ''",
            (identity, like, person_of(visitor)),
        )

    async def held(self, visitor: str, before: float, most: int) -> list[tuple[float, str]]:
        """A visitor's games in which something was played, newest first: when each was touched, and its data."""
        query = (
            "SELECT touched, data FROM boards JOIN holders ON board = id WHERE holders.visitor = ? AND touched < ?"
            " AND json_array_length(data, '$.nodes') > 1 ORDER BY touched DESC LIMIT ?"
        )
        arguments = (person_of(visitor), before, most)
        found: list[tuple[float, str]] = await self._do(lambda: self._database.execute(query, arguments).fetchall())
        return found

    async def let_go(self, visitor: str, identity: str) -> bool:
        """Removes a game from a visitor's list; returns whether somebody else has it."""
        drop, count = "DELETE FROM holders WHERE visitor = ? AND board = ?", "SELECT 1 FROM holders WHERE board = ?"
        await self._do(self._database.execute, drop, (person_of(visitor), identity))
        return await self._do(lambda: self._database.execute(count, (identity,)).fetchone()) is not None

    async def _do(self, function: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)

    def _load(self, identity: str) -> Board | None:
        query = "SELECT data, address, visitor FROM boards WHERE id = ?"
        row = self._database.execute(query, (identity,)).fetchone()
        if row is None:
            return None
        data, address, visitor = row
        board = Board.from_data(json.loads(data))
        board.owner = address if visitor in ("", address) else f"{address} {visitor}"
        return board

    def _add(self, identity: str, data: dict[str, Any], owner: str) -> None:
        address, visitor = _counted_to(owner)
        own = self._count("visitor = ?", visitor)
        if own >= OF_ONE_VISITOR:
            self._forget(own - OF_ONE_VISITOR + 1, "visitor = ?", visitor)
        elif (of_address := self._count("address = ?", address)) >= OF_ONE_ADDRESS or self._count() >= MOST_BOARDS:
            where = ("address = ?", address) if of_address >= OF_ONE_ADDRESS else ("TRUE",)
            if not (self._forget_spare(*where) or self._forget(1, "visitor = ?", visitor)):
                raise BusyError("web.no-room")
        self._save(identity, data, owner, False)

    def _count(self, which: str = "TRUE", *values: str) -> int:
        (count,) = self._database.execute(f"SELECT count(*) FROM boards WHERE {which}", values).fetchone()
        return int(count)

    def _forget(self, most: int, which: str, *values: Any) -> int:
        """Deletes those not touched for longest; says how many."""
        found = f"SELECT id FROM boards WHERE {which} ORDER BY touched LIMIT ?"
        return self._database.execute(f"DELETE FROM boards WHERE id IN ({found})", (*values, most)).rowcount

    def _forget_spare(self, which: str, *values: str) -> int:
        now = time.time()
        spare = f"{which} AND (touched < ? OR (touched < ? AND NOT played))"
        return self._forget(TIDY_EVERY, spare, *values, now - SPARE_DAYS * DAY, now - UNPLAYED_DAYS * DAY)

    def _save(self, identity: str, data: dict[str, Any], owner: str, played: bool) -> None:
        text = json.dumps(data, separators=(",", ":"))
        self._database.execute(
            "INSERT INTO boards (id, touched, data, address, visitor, played) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET touched = excluded.touched, data = excluded.data, played = excluded.played",
            (identity, time.time(), text, *_counted_to(owner), played),
        )
        self._saves += 1
        if self._saves % TIDY_EVERY == 0:
            self._database.execute("DELETE FROM boards WHERE touched < ?", (time.time() - KEPT_DAYS * DAY,))
            self._database.execute("DELETE FROM holders WHERE board NOT IN (SELECT id FROM boards)")

    def close(self) -> None:
        self._thread.shutdown()
        self._database.close()


def _counted_to(owner: str) -> tuple[str, str]:
    """The address and the visitor to whom a board is counted; without a cookie the address is both."""
    address, _, visitor = owner.partition(" ")
    return address, visitor or address
