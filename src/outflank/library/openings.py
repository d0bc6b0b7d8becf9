"""Opening names: what players call a position of standard Othello, and so the game that went through it.

A name belongs to a position, so a line played in another order or on a turned board has it too. A game has the name of
the last named position on its way, also long after it left the named lines. The names are those of standard Othello:
the mirrored start is the same game seen in a mirror and has them, the parallel start and smaller boards do not. Nor has
the reversed game, though the same positions arise there: a name stands for what is known about an opening, and where
fewest discs win nothing of that holds.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import OTHELLO, Variant
from outflank.formats.detect import detect
from outflank.library.keys import key_of, keys_along

FILE = Path(__file__).parent / "data" / "openings.tsv"


@dataclass(frozen=True)
class Opening:
    """A named line of play."""

    name: str
    aliases: tuple[str, ...]
    """What others call it."""
    line: str
    """The moves that lead to it, as `f5d6c3…`."""

    def __str__(self) -> str:
        return self.name


def openings() -> tuple[Opening, ...]:
    """All that have names, in the order of their lines."""
    return tuple(_by_key().values())


def named_lines(variant: Variant) -> tuple[str, ...]:
    """The moves of every named opening, as they are played from a variant's start; none where there are no names."""
    return tuple(opening.line for opening in openings()) if variant == OTHELLO else ()


def opening_name(what: Game | Position | str) -> str | None:
    """The name of a game's opening, or of a position; text is a game or a board in any format."""
    if isinstance(what, Position):
        found = opening_at(what)
    else:
        found = opening_of(what if isinstance(what, Game) else detect(what).only)
    return None if found is None else found.name


def opening_of(game: Game) -> Opening | None:
    """The last named opening on the way to a game's cursor."""
    return opening_along(game.start, [move for move in game.moves if move != PASS])


def opening_along(start: Position, squares: Sequence[int]) -> Opening | None:
    """The last named opening of a legal game, its moves given without passes."""
    return opening_among(start.variant, keys_along(start, bytes(squares[: _most_discs() - 4])))


def opening_among(variant: Variant, keys: NDArray[np.uint64]) -> Opening | None:
    """The last named opening among the positions of a game, given by their keys."""
    if not _has_names(variant):
        return None
    named = _by_key()
    return next((named[key] for key in reversed(keys[: _most_discs() - 3].tolist()) if key in named), None)


def opening_at(position: Position) -> Opening | None:
    """The opening that a position itself is, in any move order and orientation."""
    return _by_key().get(key_of(position)) if _has_names(position.variant) else None


def in_opening(position: Position) -> bool:
    """Whether a position stands in a named line, or is one: then the opening is not over."""
    return _has_names(position.variant) and key_of(position) in _on_the_way()


@cache
def _on_the_way() -> frozenset[int]:
    start = Position.start(OTHELLO)
    lines = (detect(opening.line).only.moves for opening in openings())
    return frozenset(key for line in lines for key in keys_along(start, bytes(line)).tolist())


def openings_after(position: Position) -> dict[int, Opening]:
    """The moves of a position that lead into a named opening."""
    if not _has_names(position.variant) or (position.black | position.white).bit_count() >= _most_discs():
        return {}
    after = {move: opening_at(position.play(move)) for move in position.legal_moves}
    return {move: found for move, found in after.items() if found is not None}


def moves_in_openings(position: Position) -> dict[int, int]:
    """The moves of a position that named lines go through, and how many of them do."""
    if not _has_names(position.variant):
        return {}
    lines = _lines_through()
    after = {move: lines[key_of(position.play(move))] for move in position.legal_moves}
    return {move: count for move, count in after.items() if count}


@cache
def _lines_through() -> Counter[int]:
    """How many named lines go through a position, by its key."""
    through: Counter[int] = Counter()
    for opening in openings():
        game = Game.from_transcript(opening.line, OTHELLO)
        through.update({key_of(node.position) for node in game.line})
    return through


def _has_names(variant: Variant) -> bool:
    return variant.rows == variant.columns == 8 and not variant.reversed and variant.start != "parallel"


@cache
def _by_key() -> dict[int, Opening]:
    found: dict[int, Opening] = {}
    for row in FILE.read_text(encoding="utf-8").splitlines():
        if not row.startswith("#"):
            line, name, *others = row.split("\t")
            aliases = tuple(others[0].split("; ")) if others else ()
            found[key_of(Game.from_transcript(line, OTHELLO).position)] = Opening(name, aliases, line)
    return found


@cache
def _most_discs() -> int:
    """Discs on the board after the longest named line."""
    return 4 + max(len(opening.line) // 2 for opening in openings())
