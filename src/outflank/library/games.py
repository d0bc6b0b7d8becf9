"""A library of games: what was played in a position, by whom, and how it ended.

One DuckDB file, made by `building`. `games` holds every game whole, `positions` the key of every position of every game
(see `keys`) with the tag of the move that followed, so a question finds the games that went through a position in any
order and orientation by reading one block of the file.
"""

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.library.keys import MOVE_TAG, key_of, settled

FORMAT = 1
"""What the file is made like; a program reads those of its own number."""
OFFLINE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""DuckDB would fetch extensions by itself."""
FOR_QUESTIONS = {**OFFLINE, "threads": "1", "memory_limit": "256MB"}
"""Questions are small, and a server asks them beside its searches."""

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
class Source:
    """A file that the library was made from."""

    name: str
    games: int
    duplicates: int
    illegal: int


class _Through(NamedTuple):
    """The games that come through a position, and the tag of the move that each goes on with."""

    following: "NDArray[np.uint32]"
    games: "NDArray[np.uint32]"


class _Results(NamedTuple):
    winner: "NDArray[np.int8]"
    score: "NDArray[np.int8]"
    year: "NDArray[np.uint16]"


class Library:
    """An open library; several threads may ask it at once."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise FileNotFoundError(f"{path}: there is no such file; outflank games build makes a library")
        try:
            self._database = _opened(self.path)
        except duckdb.Error:
            raise ValueError(f"{path} is no library of games; outflank games build makes one") from None
        ((self.format, self.version, self.built),) = self._rows("SELECT format, outflank, built FROM library.about")
        if self.format != FORMAT:
            self._database.close()
            raise ValueError(f"{path} was made by Outflank {self.version} in another form: build it again")

    format: int
    version: str
    """Of the program that made it."""
    built: date

    def __enter__(self) -> "Library":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    @cached_property
    def size(self) -> int:
        """How many games it holds."""
        return int(self._rows("SELECT count(*) FROM library.games")[0][0])

    def sources(self) -> list[Source]:
        rows = self._rows("SELECT name, games, duplicates, illegal FROM library.sources ORDER BY id")
        return [Source(*row) for row in rows]

    def explore(self, position: Position) -> Exploration:
        """What was played in a position, and how it ended for the side to move there."""
        position = settled(position)
        here = self._through(position)
        after: dict[int, list[int]] = {}
        for move in position.legal_moves if len(here.games) else ():
            after.setdefault(key_of(settled(position.play(move))) & MOVE_TAG, []).append(move)
        found = ((moves, here.games[here.following == tag]) for tag, moves in after.items())
        moves = [MoveTally(tuple(moves), self._tally(games, position.turn)) for moves, games in found if len(games)]
        moves.sort(key=lambda one: (-one.tally.games, one.moves))
        return Exploration(position, self._tally(here.games, position.turn), tuple(moves))

    def games(self, position: Position, limit: int = 20, offset: int = 0) -> list[GameFound]:
        """The games that came through a position, the latest first."""
        through = self._through(settled(position)).games
        latest = through[np.lexsort((through, self._results.year[through]))][::-1]
        wanted = latest[offset : offset + limit].tolist()
        if not wanted:
            return []
        rows = self._rows(
            f"""SELECT id, variant, start, moves, black, white, event, year, winner, score, opening
            FROM library.games WHERE id IN ({", ".join(map(str, wanted))})"""
        )
        found = {row[0]: GameFound(*row) for row in rows}
        return [found[number] for number in wanted]

    def _through(self, position: Position) -> "_Through":
        columns = self._columns("SELECT next, game FROM library.positions WHERE key = ?", key_of(position))
        return _Through(columns["next"], columns["game"])

    @cached_property
    def _results(self) -> "_Results":
        """Every game's result and year, by its number: four bytes a game, where a join would take most of the time."""
        columns = self._columns(
            f"""SELECT id, coalesce(winner, {UNKNOWN}) AS winner, coalesce(score, {UNKNOWN}) AS score,
            coalesce(year, 0) AS year FROM library.games"""
        )
        most = int(columns["id"].max()) + 1
        results = _Results(np.zeros(most, np.int8), np.zeros(most, np.int8), np.zeros(most, np.uint16))
        for name in ("winner", "score", "year"):
            getattr(results, name)[columns["id"]] = columns[name]
        return results

    def _tally(self, games: "NDArray[np.uint32]", turn: Color) -> Tally:
        """How games ended for a side."""
        side = 1 if turn is Color.BLACK else -1
        winner, score, year = (column[games] for column in self._results)
        wins, draws, losses = (int(np.count_nonzero(winner == result)) for result in (side, 0, -side))
        scores, years = score[score != UNKNOWN], year[year > 0]
        return Tally(
            len(games),
            wins,
            draws,
            losses,
            side * float(scores.mean()) if scores.size else None,
            int(years.min()) if years.size else None,
            int(years.max()) if years.size else None,
        )

    def openings(self) -> list[OpeningTally]:
        """How often each named opening was played, most often first; the tallies are Black's."""
        columns = self._columns(
            "SELECT id, coalesce(opening, '') AS opening FROM library.games WHERE variant = 'othello'"
        )
        names, group = np.unique(columns["opening"].astype(str), return_inverse=True)
        tallies = (self._tally(columns["id"][group == at], Color.BLACK) for at in range(len(names)))
        found = [OpeningTally(name or None, tally) for name, tally in zip(names.tolist(), tallies, strict=True)]
        return sorted(found, key=lambda one: (-one.tally.games, one.name or ""))

    def _rows(self, question: str) -> list[tuple[Any, ...]]:
        with self._database.cursor() as cursor:  # of its own: threads do not share one
            return cursor.execute(question).fetchall()

    def _columns(self, question: str, *values: int) -> "dict[str, NDArray[Any]]":
        with self._database.cursor() as cursor:
            return cursor.execute(question, values).fetchnumpy()


def is_library(path: Path) -> bool:
    """Whether a file is a library, of this form or another."""
    try:
        _opened(path).close()
    except duckdb.Error:
        return False
    return True


def _opened(path: Path) -> duckdb.DuckDBPyConnection:
    """A database in memory with the file attached to it, as `library`.

    Opened by itself, DuckDB would give a process that has it open already the old file again, also where a new one has
    taken its place.
    """
    database = duckdb.connect(":memory:", config=FOR_QUESTIONS)
    try:
        database.execute(f"ATTACH '{quoted(path)}' AS library (READ_ONLY)")
        database.execute("SELECT format, outflank, built FROM library.about")
    except duckdb.Error:
        database.close()
        raise
    return database


def quoted(path: Path) -> str:
    """A path within an SQL string."""
    return str(path).replace("'", "''")
