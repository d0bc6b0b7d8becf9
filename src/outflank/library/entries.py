"""Games on their way into a library: one shape for whatever format they come from, and which are the same game."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.formats import results
from outflank.formats.table import NONE, GameTable

YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")


@dataclass(frozen=True)
class Entry:
    """A game as a library keeps it. Results are Black's, under the objective of its variant."""

    start: Position
    squares: bytes
    """The moves, passes left out."""
    black: str = ""
    white: str = ""
    event: str = ""
    year: int | None = None
    winner: int | None = None
    """1 where Black won, -1 White, 0 for a draw; None where the result is not known."""
    score: int | None = None
    """In discs, the empties to the winner; None also where a side resigned or ran out of time."""

    @property
    def identity(self) -> bytes:
        """Equal for games of the same moves, however the board was turned."""
        forms = (self.squares.translate(turning) for turning in turnings(self.start).values())
        digest = hashlib.blake2b(f"{self.start.variant.name} {self.start.text} ".encode(), digest_size=16)
        digest.update(min(forms))
        return digest.digest()

    @property
    def facts(self) -> "Facts":
        return self.black.casefold(), self.white.casefold(), str(self.year or "")


Facts = tuple[str, str, str]
"""Who played, and when; empty where that is not known."""


def agree(one: Facts, other: Facts) -> bool:
    """Whether nothing speaks against two records of the same moves being one game."""
    return all(a == b or not a or not b for a, b in zip(one, other, strict=True))


@cache
def turnings(start: Position) -> dict[int, bytes]:
    """The symmetries that leave a start as it is, each as a table of where squares go, for `bytes.translate`."""
    variant = start.variant
    return {
        which: bytes(
            variant.mirrored(square, which) if variant.board >> square & 1 else square for square in range(256)
        )
        for which in variant.symmetries
        if start.symmetry(which) == start
    }


def entries_of(games: Sequence[Game]) -> Iterator[Entry]:
    """The entries of legal games; a table's games are not made for it."""
    if isinstance(games, GameTable):
        yield from _entries_of_table(games)
    else:
        yield from map(_entry_of, games)


def _entries_of_table(table: GameTable) -> Iterator[Entry]:
    start = Position.start(table.variant)
    lengths = np.count_nonzero(table.squares != NONE, axis=1).tolist()
    shown, over = table.margins.tolist(), table.over.tolist()
    says_results = results.TAG in table.columns
    people = (table.column("Black"), table.column("White"), table.column("Event"), table.column("Date"))
    rows = zip(table.squares, lengths, shown, over, table.column(results.TAG), *people, strict=True)
    for squares, length, margin, ended, stated, black, white, event, date in rows:
        score = margin if ended else _whole(stated) if stated else margin if says_results else None
        yield Entry(start, squares[:length].tobytes(), black, white, event, _year(date), _sign(score), score)


def _entry_of(game: Game) -> Entry:
    outcome, tags = game.outcome(), game.tags
    if outcome is None:
        score = _whole(tags.get(results.TAG, ""))
        winner = _sign(score)
    else:
        score = outcome.score
        winner = 0 if outcome.winner is None else 1 if outcome.winner is Color.BLACK else -1
    moves = bytes(move for move in game.moves if move != PASS)
    people = (tags.get("Black", ""), tags.get("White", ""), tags.get("Event", ""))
    return Entry(game.start, moves, *people, _year(tags.get("Date", "")), winner, score)


def _whole(stated: str) -> int | None:
    """The discs of a result that says no more than discs."""
    margin = results.margin_of(stated)
    return int(margin) if margin is not None and margin == int(margin) and ":" not in stated else None


def _sign(score: int | None) -> int | None:
    return None if score is None else (score > 0) - (score < 0)


def _year(date: str) -> int | None:
    found = YEAR.search(date)
    return int(found[0]) if found else None
