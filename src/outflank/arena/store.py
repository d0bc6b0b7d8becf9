"""The store: one SQLite file that holds every game whole, and knows which are still to be played.

A game's key (its contest, its players, its pair, who has Black) is unique in the file, so that however often a run is
killed and started again, nothing is counted twice. Write-ahead logging makes each commit all or nothing also under
`kill -9`, and lets others read while a tournament runs.
"""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outflank import __version__
from outflank.arena.contest import Conditions, Fixture, Opening, Player, limit_data
from outflank.arena.record import Effort, GameRecord, Result
from outflank.arena.referee import Forfeit
from outflank.board.squares import Color
from outflank.errors import Fault

APPLICATION = 0x4F75746C
"""Marks the file as ours: "Outl"."""
PATIENCE = 30.0
"""Seconds to wait for another process that writes into the same file."""

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
)
"""What makes a file of version N-1 one of version N. Never change one that was released: add the next."""

RESULT = (
    "first, second, pair, first_color, winner, score, forfeit_color, forfeit_reason,"
    " black_moves, black_seconds, black_slowest, black_depth, white_moves, white_seconds, white_slowest, white_depth"
)


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
        """As `Fixture.number`."""
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


"""Some players; None for all of them."""


class Store:
    """An open store; without a path, one in memory. One thread at a time."""

    def __init__(self, path: str | Path = ":memory:") -> None:
        self.path = str(path)
        self._players: dict[Player, int] = {}
        try:
            self._database = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
            try:
                self._open()
            except BaseException:
                self._database.close()
                raise
        except (sqlite3.Error, OSError) as error:
            raise Fault("store.unusable", path=self.path, why=error) from None

    @classmethod
    def existing(cls, path: str | Path) -> "Store":
        """A store that must be there already."""
        if not Path(path).is_file():
            raise Fault("store.missing", path=path)
        return cls(path)

    def _open(self) -> None:
        database = self._database
        (tables,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (mark,) = database.execute("PRAGMA application_id").fetchone()
        if tables and mark != APPLICATION:
            raise Fault("store.foreign", path=self.path)
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
        """Brings the file to this version, in one step: whoever is killed here leaves the old file."""
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
                raise OSError(f"{self.path} cannot be written: {error}; what is in it is safe, run again") from None
            raise

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What is to be played

    def contest(self, conditions: Conditions, openings: list[Opening] | None = None) -> int:
        """The number of a contest, entered if it is new. Openings from a file are kept with it."""
        text = conditions.to_text()
        wanted = "SELECT id FROM contests WHERE conditions = ?", (text,)
        found = self._database.execute(*wanted).fetchone()
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
        text, kept = self._database.execute(
            "SELECT conditions, openings FROM contests WHERE id = ?", (contest,)
        ).fetchone()
        return Conditions.from_text(text), None if kept is None else [Opening(*one) for one in json.loads(kept)]

    def event(self, contest: int, kind: str, plan: dict[str, Any]) -> Event:
        """Notes a match or tournament as the latest one."""
        text = json.dumps(plan, sort_keys=True)
        with self._transaction():
            self._database.execute(
                "INSERT INTO events (contest, kind, plan, opened) VALUES (?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET opened = excluded.opened",
                (contest, kind, text, time.time()),
            )
            (found,) = self._database.execute(
                "SELECT id FROM events WHERE contest = ? AND kind = ? AND plan = ?", (contest, kind, text)
            ).fetchone()
        return Event(int(found), contest, kind, plan)

    def events(self) -> list[Event]:
        """Every match and tournament, the latest one last."""
        rows = self._database.execute("SELECT id, contest, kind, plan FROM events ORDER BY opened, id").fetchall()
        return [Event(number, contest, kind, json.loads(plan)) for number, contest, kind, plan in rows]

    # What was played

    def add(self, contest: int, finished: Iterable[tuple[Fixture, GameRecord]]) -> None:
        """Keeps games, all of them or none. One that is there already stays as it is."""
        rows = []
        for fixture, record in finished:
            rows.append((contest, self._player(fixture.first), self._player(fixture.second), *_row(fixture, record)))
        if rows:
            places = ", ".join("?" * len(rows[0]))
            with self._transaction():
                self._database.executemany(
                    f"INSERT INTO games ({', '.join(COLUMNS)}) VALUES ({places}) ON CONFLICT DO NOTHING", rows
                )

    def _player(self, player: Player) -> int:
        if player not in self._players:
            key = (player.spec, player.fingerprint)
            self._database.execute("INSERT INTO players (spec, fingerprint) VALUES (?, ?) ON CONFLICT DO NOTHING", key)
            (found,) = self._database.execute(
                "SELECT id FROM players WHERE spec = ? AND fingerprint = ?", key
            ).fetchone()
            self._players[player] = int(found)
        return self._players[player]

    def results(self, contest: int, between: tuple[Player, Player] | None = None) -> list[StoredResult]:
        """The results of a contest's games, in order of their pairs; of all of them, or of one pairing."""
        players = self._player_names()
        wanted, keys = "contest = ?", [contest]
        if between is not None:
            numbers = {player: number for number, player in players.items()}
            if not numbers.keys() >= set(between):
                return []
            wanted, keys = f"{wanted} AND first = ? AND second = ?", [contest, *(numbers[one] for one in between)]
        rows = self._database.execute(
            f"SELECT {RESULT} FROM games WHERE {wanted} ORDER BY pair, first_color, first, second", keys
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
        more = "opening_start, opening, moves, seconds, scores, depths, nodes"
        about = "variant, limits, seed, version, ended, id"
        with closing(self._database.cursor()) as cursor:
            cursor.execute(f"SELECT {RESULT}, {more}, {about} FROM games WHERE {wanted} ORDER BY id", keys)
            for row in cursor:
                start, opening, moves, seconds, scores, depths, nodes, *rest = row[16:]
                variant, limits, seed, version, ended, number = rest
                at = _result(row[:16], players)
                record = GameRecord(at.result, Opening(start, opening), moves, seconds, scores, depths, nodes)
                yield StoredGame(at, record, variant, json.loads(limits), seed, version, ended, number)

    def versions(self, contest: int) -> dict[str, int]:
        """How many of a contest's games each version of Outflank has played."""
        rows = self._database.execute(
            "SELECT version, count(*) FROM games WHERE contest = ? GROUP BY version ORDER BY version", (contest,)
        )
        return dict(rows.fetchall())

    # What was thought of it afterwards

    def judgements(self, contest: int, judge: str) -> dict[int, str]:
        """What a judge said of a contest's games, by the game's number."""
        rows = self._database.execute(
            "SELECT game, judged FROM judgements JOIN games ON games.id = game WHERE contest = ? AND judge = ?",
            (contest, judge),
        )
        return dict(rows.fetchall())

    def judge(self, judge: str, judged: Iterable[tuple[int, str]]) -> None:
        """Keeps what a judge said, so that it is asked once."""
        with self._transaction():
            self._database.executemany(
                "INSERT INTO judgements (game, judge, judged) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [(game, judge, said) for game, said in judged],
            )

    def _player_names(self) -> dict[int, Player]:
        rows = self._database.execute("SELECT id, spec, fingerprint FROM players")
        return {number: Player(spec, fingerprint) for number, spec, fingerprint in rows}


COLUMNS = (
    *("contest", "first", "second", "pair", "first_color", "winner", "score", "forfeit_color", "forfeit_reason"),
    *("black_moves", "black_seconds", "black_slowest", "black_depth"),
    *("white_moves", "white_seconds", "white_slowest", "white_depth"),
    *("opening_start", "opening", "moves", "seconds", "scores", "depths", "nodes"),
    *("variant", "limits", "seed", "version", "ended"),
)


def _row(fixture: Fixture, record: GameRecord) -> tuple[Any, ...]:
    """A game as the columns after its players."""
    result = record.result
    winner = None if result.winner is None else int(result.winner)
    forfeit = (None, None) if result.forfeit is None else (int(result.forfeit.color), result.forfeit.reason)
    efforts = [
        value for effort in result.efforts for value in (effort.moves, effort.seconds, effort.slowest, effort.depth)
    ]
    return (
        *(fixture.pair, int(fixture.first_color), winner, result.score, *forfeit, *efforts),
        *(record.opening.start, record.opening.moves, record.moves),
        *(record.seconds, record.scores, record.depths, record.nodes),
        *(fixture.variant.name, json.dumps(limit_data(fixture.limit)), fixture.seed, __version__, time.time()),
    )


def _result(row: tuple[Any, ...], players: dict[int, Player]) -> StoredResult:
    first, second, pair, first_color, winner, score, forfeit_color, reason, *efforts = row
    return StoredResult(
        players[first],
        players[second],
        pair,
        Color(first_color),
        Result(
            None if winner is None else Color(winner),
            score,
            None if forfeit_color is None else Forfeit(Color(forfeit_color), reason),
            (Effort(*efforts[:4]), Effort(*efforts[4:])),
        ),
    )
