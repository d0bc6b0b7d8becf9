"""The store: one SQLite file that holds every game whole, and knows which are still to be played.

A game's key (its contest, its players, its pair, who has Black) is unique in the file, so that however often a run is
killed and started again, nothing is counted twice. Write-ahead logging makes each commit all or nothing also under
`kill -9`, and lets others read while a tournament runs.
"""

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outflank import __version__
from outflank.arena.contest import Conditions, Fixture, Opening, Player, limit_data
from outflank.arena.record import Effort, GameRecord, Result
from outflank.arena.referee import Forfeit
from outflank.board.squares import Color
from outflank.errors import Fault, MachineError

APPLICATION = 0x4F75746C
"""Marks the file as ours: "Outl"."""
PATIENCE = 30.0
"""Seconds to wait for another process that writes into the same file."""
UNWRITABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
"""What SQLite says of a file in a folder that cannot be written: its log would stand beside it."""

MIGRATIONS = (
    """
    CREATE TABLE players (
        id INTEGER PRIMARY KEY,
        spec TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        UNIQUE (spec, fingerprint)
    );
    CREATE TABLE contests (
        id INTEGER PRIMARY KEY,
        conditions TEXT NOT NULL UNIQUE,
        openings TEXT
    );
    CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        contest INTEGER NOT NULL REFERENCES contests,
        kind TEXT NOT NULL,
        plan TEXT NOT NULL,
        opened REAL NOT NULL,
        UNIQUE (contest, kind, plan)
    );
    CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        contest INTEGER NOT NULL REFERENCES contests,
        first INTEGER NOT NULL REFERENCES players,
        second INTEGER NOT NULL REFERENCES players,
        pair INTEGER NOT NULL,
        first_color INTEGER NOT NULL,
        winner INTEGER,
        score INTEGER,
        forfeit_color INTEGER,
        forfeit_reason TEXT,
        black_moves INTEGER NOT NULL,
        black_seconds REAL NOT NULL,
        black_slowest REAL NOT NULL,
        black_depth REAL NOT NULL,
        white_moves INTEGER NOT NULL,
        white_seconds REAL NOT NULL,
        white_slowest REAL NOT NULL,
        white_depth REAL NOT NULL,
        opening_start TEXT NOT NULL,
        opening TEXT NOT NULL,
        moves TEXT NOT NULL,
        seconds TEXT NOT NULL,
        scores TEXT NOT NULL,
        depths TEXT NOT NULL,
        nodes TEXT NOT NULL,
        variant TEXT NOT NULL,
        limits TEXT NOT NULL,
        seed INTEGER NOT NULL,
        version TEXT NOT NULL,
        ended REAL NOT NULL,
        UNIQUE (contest, first, second, pair, first_color)
    );
    """,
    """
    CREATE TABLE judgements (
        game INTEGER NOT NULL REFERENCES games,
        judge TEXT NOT NULL,
        judged TEXT NOT NULL,
        PRIMARY KEY (game, judge)
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE checks (
        player INTEGER NOT NULL REFERENCES players,
        conditions TEXT NOT NULL,
        checked TEXT NOT NULL,
        PRIMARY KEY (player, conditions)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE games ADD COLUMN forfeit_board TEXT;
    ALTER TABLE games ADD COLUMN forfeit_seconds REAL;
    ALTER TABLE games ADD COLUMN forfeit_printed TEXT
    """,
)
"""What makes a file of version N-1 one of version N. Never change one that was released: add the next."""

RESULT = (
    *("first", "second", "pair", "first_color", "winner", "score"),
    *("forfeit_color", "forfeit_reason", "forfeit_board", "forfeit_seconds", "forfeit_printed"),
    *("black_moves", "black_seconds", "black_slowest", "black_depth"),
    *("white_moves", "white_seconds", "white_slowest", "white_depth"),
)
"""What `_result` reads of a game."""
MATTER = ("opening_start", "opening", "moves", "seconds", "scores", "depths", "nodes")
ABOUT = ("variant", "limits", "seed", "version", "ended")
COLUMNS = ("contest", *RESULT, *MATTER, *ABOUT)
"""A game's, in the order in which they are written."""


@dataclass(frozen=True)
class StoredResult:
    """A game's place in its contest, and its result."""

    first: Player
    second: Player
    pair: int
    first_color: Color
    result: Result

    @property
    def number(self) -> int:
        """The game's number between these two, from 0: the first player has Black in the even ones."""
        return 2 * self.pair + self.first_color


@dataclass(frozen=True)
class StoredGame:
    """A whole game as the store has it."""

    at: StoredResult
    record: GameRecord
    variant: str
    limits: dict[str, Any]
    seed: int
    version: str
    ended: float
    id: int = 0
    """Its number in the store."""


@dataclass(frozen=True)
class Event:
    """A match or a tournament: a contest, and which of its games were wanted."""

    id: int
    contest: int
    kind: str
    plan: dict[str, Any]
    opened: float
    """When it was asked for last, in seconds since 1970."""


class Store(AbstractContextManager["Store"]):
    """An open store; without a path, one in memory. One thread at a time."""

    def __init__(self, path: str | Path = ":memory:") -> None:
        self.path = str(path)
        self.is_read_only = False
        """Whether it can only be looked at: its file or folder cannot be written."""
        self._players: dict[Player, int] = {}
        with self._intact():
            self.is_read_only = Path(self.path).is_file() and not os.access(self.path, os.W_OK)
            try:
                self._connect(self._unwritten() if self.is_read_only else self.path)
            except sqlite3.OperationalError as error:
                if (
                    self.is_read_only
                    or error.sqlite_errorcode & 0xFF not in UNWRITABLE
                    or not Path(self.path).is_file()
                ):
                    raise
                self.is_read_only = True
                self._connect(self._unwritten())

    @classmethod
    def existing(cls, path: str | Path) -> "Store":
        """A store that must exist already."""
        if not Path(path).is_file():
            raise Fault("store.missing", path=path)
        return cls(path)

    def _unwritten(self) -> str:
        """The file's address for SQLite, to read alone. Beside a log of changes it needs one more file, unless it is
        told that nobody changes anything."""
        log = Path(f"{self.path}-wal")
        settled = not log.is_file() or not log.stat().st_size
        return f"{Path(self.path).resolve().as_uri()}?mode=ro{'&immutable=1' if settled else ''}"

    def _connect(self, address: str) -> None:
        self._database = sqlite3.connect(address, PATIENCE, isolation_level=None, uri=self.is_read_only)
        try:
            self._open()
        except BaseException:
            self._database.close()
            raise

    @contextmanager
    def _intact(self) -> Iterator[None]:
        """What SQLite says of a file that it cannot read, in one line of ours."""
        try:
            yield
        except (sqlite3.DatabaseError, OSError) as error:
            if isinstance(error, Fault):
                raise
            raise Fault("store.unusable", path=self.path, why=error) from None

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """All that a question finds."""
        with self._intact():
            return self._database.execute(query, values).fetchall()

    def _open(self) -> None:
        database = self._database
        (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (mark,) = database.execute("PRAGMA application_id").fetchone()
        if tables and mark != APPLICATION:
            raise Fault("store.foreign", path=self.path)
        if not self.is_read_only:
            database.execute("PRAGMA journal_mode = WAL")
            # In this mode a commit survives the death of the process at once, and a power cut a moment later.
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute("PRAGMA foreign_keys = ON")
        version = self._version()
        if version > len(MIGRATIONS):
            raise Fault("store.newer", path=self.path, version=version)
        if version < len(MIGRATIONS):
            self._migrate()

    def _version(self) -> int:
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        return int(version)

    def _migrate(self) -> None:
        """Brings the file to this version in one step: a kill leaves the old file."""
        database = self._database
        with self._transaction():
            version = self._version()  # once more: another process may have been faster
            for number, script in enumerate(MIGRATIONS[version:], version + 1):
                for statement in script.split(";"):
                    database.execute(statement)
                database.execute(f"PRAGMA user_version = {number}")
            database.execute(f"PRAGMA application_id = {APPLICATION}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing, and alone. A full disk costs what was not yet stored, and says so."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
            yield
            self._database.execute("COMMIT")
        except BaseException as error:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError):
                raise MachineError("store.not-written", path=self.path, why=error) from None
            if type(error) is sqlite3.DatabaseError:
                raise Fault("store.unusable", path=self.path, why=error) from None
            raise

    def close(self) -> None:
        self._database.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    # What is to be played

    def contest(self, conditions: Conditions, openings: list[Opening] | None = None) -> int:
        """The number of a contest, entered if it is new. Openings from a file are kept with it."""
        text = conditions.to_text()
        wanted = "SELECT id FROM contests WHERE conditions = ?", (text,)
        found = next(iter(self._rows(*wanted)), None)
        if found is None:  # only then: whoever looks at a match that runs shall not keep its games from being written
            kept = None if openings is None else json.dumps([[one.start, one.moves] for one in openings])
            with self._transaction():
                self._database.execute(
                    "INSERT INTO contests (conditions, openings) VALUES (?, ?) ON CONFLICT DO NOTHING", (text, kept)
                )
                found = self._database.execute(*wanted).fetchone()
        return int(found[0])

    def conditions(self, contest: int) -> tuple[Conditions, list[Opening] | None]:
        """What `contest` was told."""
        ((text, kept),) = self._rows("SELECT conditions, openings FROM contests WHERE id = ?", (contest,))
        return Conditions.from_text(text), None if kept is None else [Opening(*one) for one in json.loads(kept)]

    def note_event(self, contest: int, kind: str, plan: dict[str, Any]) -> None:
        """Notes a match or tournament as the latest one, also where the clock was set back since the last."""
        after = "max(?, (SELECT coalesce(max(opened), 0) + 0.001 FROM events))"
        with self._transaction():
            self._database.execute(
                f"INSERT INTO events (contest, kind, plan, opened) VALUES (?, ?, ?, {after})"
                " ON CONFLICT DO UPDATE SET opened = excluded.opened",
                (contest, kind, json.dumps(plan, sort_keys=True), time.time()),
            )

    def events(self) -> list[Event]:
        """Every match and tournament, the latest one last."""
        rows = self._rows("SELECT id, contest, kind, plan, opened FROM events ORDER BY opened, id")
        return [Event(number, contest, kind, json.loads(plan), opened) for number, contest, kind, plan, opened in rows]

    def event(self, number: int | None = None) -> Event:
        """A match or tournament by its number, or the latest one."""
        events = self.events()
        if not events:
            raise Fault("store.no-events", path=self.path)
        known = ", ".join(str(one) for one in sorted(event.id for event in events))
        found = next((one for one in reversed(events) if number in (None, one.id)), None)
        if found is None:
            raise Fault("store.no-event", path=self.path, number=number, events=known)
        return found

    # What was played

    def add(self, contest: int, finished: Iterable[tuple[Fixture, GameRecord]]) -> None:
        """Keeps games, all of them or none. A game that is already there is not changed."""
        rows = []
        for fixture, record in finished:
            rows.append((contest, self._player(fixture.first), self._player(fixture.second), *_row(fixture, record)))
        if rows:
            wanted = f"INSERT INTO games ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
            with self._transaction():
                self._database.executemany(f"{wanted} ON CONFLICT DO NOTHING", rows)

    def _player(self, player: Player) -> int:
        if player not in self._players:
            key = (player.spec, player.fingerprint)
            with self._transaction():
                self._database.execute(
                    "INSERT INTO players (spec, fingerprint) VALUES (?, ?) ON CONFLICT DO NOTHING", key
                )
            ((found,),) = self._rows("SELECT id FROM players WHERE spec = ? AND fingerprint = ?", key)
            self._players[player] = int(found)
        return self._players[player]

    def results(self, contest: int, between: tuple[Player, Player] | None = None) -> list[StoredResult]:
        """The results of a contest's games, in order of their pairs; of all of them, or of one pairing."""
        players = self._player_names()
        wanted, keys = "contest = ?", list[Any]([contest])
        if between is not None:
            numbers = {player: number for number, player in players.items()}
            wanted += " AND first = ? AND second = ?"
            keys += map(numbers.get, between)
        rows = self._rows(
            f"SELECT {', '.join(RESULT)} FROM games WHERE {wanted} ORDER BY pair, first_color, first, second", keys
        )
        return [_result(row, players) for row in rows]

    def games(
        self,
        contest: int,
        number: int | None = None,
        between: tuple[Player, Player] | None = None,
        latest: int | None = None,
    ) -> Iterator[StoredGame]:
        """The games of a contest, whole, in the order in which they ended: all of them, one by its number in the store,
        those of two players, the latest so many."""
        players = self._player_names()
        wanted, keys = "contest = ? AND id = ifnull(?, id)", list[Any]([contest, number])
        if between is not None:
            numbers = {player: key for key, player in players.items()}
            first, second = (numbers.get(player) for player in between)
            wanted += " AND (first, second) IN (VALUES (?, ?), (?, ?))"
            keys += [first, second, second, first]
        if latest is not None:
            wanted = f"id IN (SELECT id FROM games WHERE {wanted} ORDER BY id DESC LIMIT ?)"
            keys.append(latest)
        with closing(self._database.cursor()) as cursor, self._intact():
            columns = ", ".join(("id", *RESULT, *MATTER, *ABOUT))
            cursor.execute(f"SELECT {columns} FROM games WHERE {wanted} ORDER BY id", keys)
            for number, *row in cursor:
                at = _result(row[: len(RESULT)], players)
                start, opening, moves, seconds, scores, depths, nodes, *about = row[len(RESULT) :]
                variant, limits, seed, version, ended = about
                record = GameRecord(at.result, Opening(start, opening), moves, seconds, scores, depths, nodes)
                yield StoredGame(at, record, variant, json.loads(limits), seed, version, ended, number)

    def versions(self, contest: int) -> dict[str, int]:
        """How many of a contest's games each version of Outflank has played."""
        return dict(
            self._rows(
                "SELECT version, count(*) FROM games WHERE contest = ? GROUP BY version ORDER BY version", (contest,)
            )
        )

    # What was thought of it afterwards

    def judgements(self, contest: int, judge: str) -> dict[int, str]:
        """What a judge said of a contest's games, by the game's number."""
        return dict(
            self._rows(
                "SELECT game, judged FROM judgements JOIN games ON games.id = game WHERE contest = ? AND judge = ?",
                (contest, judge),
            )
        )

    def judge(self, judge: str, judged: Iterable[tuple[int, str]]) -> None:
        """Keeps a judge's values, so that they are computed once; if nothing can be written, they are computed
        again."""
        if self.is_read_only:
            return
        with self._transaction():
            self._database.executemany(
                "INSERT INTO judgements (game, judge, judged) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [(game, judge, said) for game, said in judged],
            )

    # Whether who plays is in order

    def checks(self, conditions: str) -> dict[Player, str]:
        """What came of checks under these conditions, by the player."""
        rows = self._rows(
            "SELECT spec, fingerprint, checked FROM checks JOIN players ON players.id = player WHERE conditions = ?",
            (conditions,),
        )
        return {Player(spec, fingerprint): checked for spec, fingerprint, checked in rows}

    def note_checks(self, conditions: str, checked: Iterable[tuple[Player, str]]) -> None:
        """Keeps what came of checks."""
        rows = [(self._player(player), conditions, text) for player, text in checked]
        with self._transaction():
            self._database.executemany(
                "INSERT INTO checks (player, conditions, checked) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", rows
            )

    def _player_names(self) -> dict[int, Player]:
        rows = self._rows("SELECT id, spec, fingerprint FROM players")
        return {number: Player(spec, fingerprint) for number, spec, fingerprint in rows}


def _row(fixture: Fixture, record: GameRecord) -> tuple[Any, ...]:
    """A game as the columns after its players."""
    result, forfeit = record.result, record.result.forfeit
    winner = None if result.winner is None else int(result.winner)
    fault: tuple[object, ...] = (None,) * 5
    if forfeit is not None:
        fault = (int(forfeit.color), forfeit.reason, forfeit.board, forfeit.seconds, forfeit.printed)
    return (
        *(fixture.pair, int(fixture.first_color), winner, result.score, *fault),
        *(*result.efforts[Color.BLACK], *result.efforts[Color.WHITE]),
        *(record.opening.start, record.opening.moves, record.moves),
        *(record.seconds, record.scores, record.depths, record.nodes),
        *(fixture.variant.name, json.dumps(limit_data(fixture.limit)), fixture.seed, __version__, time.time()),
    )


def _result(row: Sequence[Any], players: dict[int, Player]) -> StoredResult:
    first, second, pair, first_color, winner, score, forfeit_color, reason, board, seconds, printed, *efforts = row
    loser = None if forfeit_color is None else Color(forfeit_color)
    return StoredResult(
        players[first],
        players[second],
        pair,
        Color(first_color),
        Result(
            None if winner is None else Color(winner),
            score,
            None if loser is None else Forfeit(loser, reason, board, seconds, printed or ""),
            (Effort(*efforts[:4]), Effort(*efforts[4:])),
        ),
    )
