"""A library of games: what was played in a position, by whom, and how it ended.

One DuckDB file, made by `building`. `games` holds every game whole, `positions` the key of every position of every game
(see `keys`) with the tag of the move that followed, so a question finds the games that went through a position in any
order and orientation by reading one block of the file.
"""

import hashlib
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.formats.table import NONE, WIDTH
from outflank.library.keys import MOVE_TAG, key_of, settled

if TYPE_CHECKING:
    import duckdb

FORMAT = 1
"""What the file is made like; a program reads those of its own number."""
OFFLINE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""DuckDB would fetch extensions by itself."""
FOR_QUESTIONS = {**OFFLINE, "threads": "1", "memory_limit": "256MB"}
"""Questions are small, and a server asks them beside its searches."""

REMEMBERED = 32
"""Positions and choices whose games stay in memory: who steps through a game, or narrows a choice, asks again."""

LAST_YEAR = 0xFFFF
UNKNOWN = -128
"""Stands for a winner or a score that is not known, in arrays."""


@dataclass(frozen=True)
class Tally:
    """How some games ended, for the side to move in the position that was asked about."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    margin: float | None = None
    """The mean result in discs, of the games that were played out; None where none was."""
    first_year: int | None = None
    last_year: int | None = None

    @property
    def share(self) -> float | None:
        """Points a game, a draw for half a point, of the games whose result is known."""
        known = self.wins + self.draws + self.losses
        return (self.wins + self.draws / 2) / known if known else None


@dataclass(frozen=True)
class MoveTally:
    """What was played: a move, or the moves of a symmetric position that are the same one."""

    moves: tuple[int, ...]
    tally: Tally


@dataclass(frozen=True)
class GameFound:
    """A game of the library."""

    id: int
    variant: str
    start: str | None
    """The board it began from, where that is not the variant's own start."""
    moves: str
    black: str
    white: str
    event: str
    year: int | None
    result: int | None
    """1 where Black won, -1 White, 0 for a draw; None where it is not known."""
    score: int | None
    """Black's, in discs; None where the game was not played out."""
    opening: str | None

    @property
    def winner(self) -> Color | None:
        return {1: Color.BLACK, -1: Color.WHITE}.get(self.result or 0)


@dataclass(frozen=True)
class Wanted:
    """Which games to look at; by default all."""

    player: str = ""
    """A name or a part of one, in any case."""
    color: Color | None = None
    """The colour that this player had."""
    since: int | None = None
    until: int | None = None

    def __post_init__(self) -> None:
        if self.color is not None and not self.player.strip():
            raise Fault("library.color-alone")
        if self.since is not None and self.until is not None and self.since > self.until:
            raise Fault("library.years", since=self.since, until=self.until)


ALL = Wanted()


@dataclass(frozen=True)
class Exploration:
    """A position in the library: the games that came through it, and what was played in them."""

    position: Position
    total: Tally
    moves: tuple[MoveTally, ...]
    """Most played first."""


@dataclass(frozen=True)
class OpeningTally:
    """How often an opening was the last named one of a game, and how Black did."""

    name: str | None
    tally: Tally


@dataclass(frozen=True)
class PlayedGames:
    """All games of a variant from its own start: their numbers, a row of squares each, and Black's scores."""

    numbers: NDArray[np.uint32]
    squares: NDArray[np.uint8]
    """Passes left out; 255 after the last move."""
    scores: NDArray[np.int8]
    """In discs; `UNKNOWN` where a game was not played out."""

    @property
    def digest(self) -> str:
        """A short name for their content."""
        found = hashlib.sha256(self.squares.tobytes() + self.scores.tobytes())
        return found.hexdigest()[:12]


_Numbers = NDArray[np.uint32]
_Through = tuple[_Numbers, _Numbers]
"""The games that come through a position, and the tag of the move that each goes on with."""


class Library(AbstractContextManager["Library"]):
    """An open library; several threads may ask it at once."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise Fault("library.missing", path=path)
        database = _opened(self.path)
        if database is None:
            raise Fault("library.not-one", path=path)
        self._database = database
        ((form, version),) = self._rows("SELECT format, outflank FROM library.about")
        if form != FORMAT:
            self._database.close()
            raise Fault("library.version", path=path, version=version)
        self._through = lru_cache(REMEMBERED)(self._read_through)
        self._chosen = lru_cache(REMEMBERED)(self._read_chosen)

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    @cached_property
    def size(self) -> int:
        """How many games it holds."""
        return int(self._rows("SELECT count(*) FROM library.games")[0][0])

    def explore(self, position: Position, wanted: Wanted = ALL) -> Exploration:
        """What was played in a position, and how it ended for the side to move there."""
        position = settled(position)
        here, following = self._of(position, wanted)
        after: dict[int, list[int]] = {}
        for move in position.legal_moves if len(here) else ():
            after.setdefault(key_of(settled(position.play(move))) & MOVE_TAG, []).append(move)
        found = ((moves, here[following == tag]) for tag, moves in after.items())
        moves = [MoveTally(tuple(moves), self._tally(games, position.turn)) for moves, games in found if len(games)]
        moves.sort(key=lambda one: (-one.tally.games, one.moves))
        return Exploration(position, self._tally(here, position.turn), tuple(moves))

    def games(self, position: Position, limit: int = 20, offset: int = 0, wanted: Wanted = ALL) -> list[GameFound]:
        """The games that came through a position, the latest first."""
        through, _ = self._of(settled(position), wanted)
        latest = self._latest(through, offset + limit)[offset:].tolist()
        if not latest:
            return []
        rows = self._rows(
            f"""SELECT id, variant, start, moves, black, white, event, year, winner, score, opening
            FROM library.games WHERE id IN ({", ".join(map(str, latest))})"""
        )
        found = {row[0]: GameFound(*row) for row in rows}
        return [found[number] for number in latest]

    def played(self, variant: Variant) -> PlayedGames:
        """All games of a variant that began from its own start."""
        columns = self._columns(
            f"""SELECT id, moves, coalesce(score, {UNKNOWN})::TINYINT AS score FROM library.games
            WHERE variant = ? AND start IS NULL ORDER BY id""",
            variant.name,
        )
        squares = np.full((len(columns["id"]), WIDTH), NONE, np.uint8)
        for row, moves in enumerate(columns["moves"]):
            letters = np.frombuffer(moves.encode(), np.uint8).reshape(-1, 2)
            squares[row, : len(letters)] = (letters[:, 1] - ord("1")) * 8 + letters[:, 0] - ord("a")
        return PlayedGames(columns["id"].astype(np.uint32), squares, columns["score"].astype(np.int8))

    def players(self, part: str, limit: int = 10) -> list[tuple[str, int]]:
        """Players whose name contains a text, in any case, with their games; those with most games first."""
        one_side = "SELECT {0} AS name FROM library.games WHERE contains(lower({0}), $1)"
        question = f"""SELECT name, count(*) AS games
            FROM ({one_side.format("black")} UNION ALL {one_side.format("white")})
            WHERE name <> '' GROUP BY name ORDER BY games DESC, name LIMIT $2"""
        return self._rows(question, part.strip().lower(), limit)

    def _of(self, position: Position, wanted: Wanted) -> _Through:
        """The games wanted among those that come through a position."""
        games, following = self._through(key_of(position))
        chosen = self._chosen(wanted)
        if chosen is None or not len(games):
            return games, following
        kept = chosen[games]
        return games[kept], following[kept]

    def _read_through(self, key: int) -> _Through:
        columns = self._columns("SELECT next, game FROM library.positions WHERE key = ?", key)
        return columns["game"], columns["next"]

    def _read_chosen(self, wanted: Wanted) -> NDArray[np.bool_] | None:
        """Whether each game is wanted, by its number; None where all are."""
        if wanted == ALL:
            return None
        year = self._results["year"]
        chosen = np.ones(len(year), np.bool_)
        if wanted.since is not None or wanted.until is not None:
            chosen = (year >= max(wanted.since or 1, 1)) & (year <= (wanted.until or LAST_YEAR))
        if name := wanted.player.strip().lower():
            named = np.zeros(len(year), np.bool_)
            for column in ("black", "white") if wanted.color is None else (str(wanted.color).lower(),):
                question = f"SELECT id FROM library.games WHERE contains(lower({column}), ?)"
                named[self._columns(question, name)["id"]] = True
            chosen = chosen & named
        return chosen

    def _latest(self, games: _Numbers, count: int) -> _Numbers:
        """The latest of some games: by year, then by number, the last first."""
        order = self._results["year"][games].astype(np.int64) << 32 | games
        if count < len(order):
            order = np.partition(order, len(order) - count)[len(order) - count :] if count else order[:0]
        return (np.sort(order)[::-1] & 0xFFFFFFFF).astype(np.uint32)

    @cached_property
    def _results(self) -> dict[str, NDArray[Any]]:
        """Every game's result and year, by its number: four bytes a game, where a join would take most of the time."""
        columns = self._columns(
            f"""SELECT id, coalesce(winner, {UNKNOWN}) AS winner, coalesce(score, {UNKNOWN}) AS score,
            coalesce(year, 0) AS year FROM library.games"""
        )
        results = {}
        for name, kind in (("winner", np.int8), ("score", np.int8), ("year", np.uint16)):
            results[name] = np.zeros(columns["id"].max() + 1, kind)
            results[name][columns["id"]] = columns[name]
        return results

    def _tally(self, games: _Numbers, turn: Color) -> Tally:
        """How games ended for a side."""
        side = 1 if turn is Color.BLACK else -1
        winner, score, year = (column[games] for column in self._results.values())
        wins, draws, losses = (int(np.count_nonzero(winner == result)) for result in (side, 0, -side))
        scores, years = score[score != UNKNOWN], year[year > 0]
        margin = side * float(scores.mean()) if scores.size else None
        span = (int(years.min()), int(years.max())) if years.size else (None, None)
        return Tally(len(games), wins, draws, losses, margin, *span)

    def openings(self) -> list[OpeningTally]:
        """How often each named opening was played, most often first; the tallies are Black's."""
        columns = self._columns(
            "SELECT id, coalesce(opening, '') AS opening FROM library.games WHERE variant = 'othello'"
        )
        names, group = np.unique(columns["opening"].astype(str), return_inverse=True)
        tallies = (self._tally(columns["id"][group == at], Color.BLACK) for at in range(len(names)))
        found = [OpeningTally(name or None, tally) for name, tally in zip(names.tolist(), tallies, strict=True)]
        return sorted(found, key=lambda one: (-one.tally.games, one.name or ""))

    def _rows(self, question: str, *values: int | str) -> list[tuple[Any, ...]]:
        with self._database.cursor() as cursor:  # of its own: threads do not share one
            return cursor.execute(question, values).fetchall()

    def _columns(self, question: str, *values: int | str) -> dict[str, NDArray[Any]]:
        with self._database.cursor() as cursor:
            return cursor.execute(question, values).fetchnumpy()


def is_library(path: Path) -> bool:
    """Whether a file is a library, of this form or another."""
    database = _opened(path)
    if database is not None:
        database.close()
    return database is not None


def _opened(path: Path) -> "duckdb.DuckDBPyConnection | None":
    """A database in memory with the file attached to it, as `library`; None where the file is none.

    Opened by itself, DuckDB would give a process that has it open already the old file again, also where a new one has
    taken its place.
    """
    import duckdb  # here: a server without a library needs none of its 50 MB

    database = duckdb.connect(":memory:", config=FOR_QUESTIONS)
    try:
        database.execute(f"ATTACH '{quoted(path)}' AS library (READ_ONLY)")
        database.execute("SELECT format, outflank, built FROM library.about")
    except duckdb.Error:
        database.close()
        return None
    return database


def quoted(path: Path) -> str:
    """A path within an SQL string."""
    return str(path).replace("'", "''")
