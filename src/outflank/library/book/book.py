"""A book: positions of the opening with what a search said of their moves, and what follows from all of them together.

A position is there once for all of its symmetric forms, the side to move first. Where a move leads to another position
of the book, that one knows better: values go back from the last positions to the first, through every order of moves.
"""

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from outflank.board import kernels
from outflank.board.position import Position
from outflank.board.squares import PASS, squares_of
from outflank.board.variant import Variant
from outflank.errors import Fault

Key = tuple[int, int]
"""A position's smallest form: the discs of the side to move, and the others."""
WIDTH = 4
"""Moves so many discs worse than the best are kept; of those beyond only the best, which no other one betters."""
DOUBT = 3
"""Discs by which a searched value may well be wrong: about one standard deviation (docs/training.md)."""


class Following(NamedTuple):
    """A move of a position in its smallest form; of moves that mirror each other the first."""

    square: int
    after: Key
    sign: int
    """What turns values after the move into the mover's: -1, and 1 where the other side must pass."""


class Worth(NamedTuple):
    """A value in discs for the side to move, and the bounds that it has if every searched value is as wrong as it may
    well be."""

    value: int
    lower: int
    upper: int

    def seen(self, sign: int) -> "Worth":
        """The same before the move that leads there."""
        return self if sign > 0 else Worth(-self.value, -self.upper, -self.lower)

    @classmethod
    def of_best(cls, moves: Iterable["Worth"]) -> "Worth":
        """Of a position with these moves."""
        return cls(*(max(part) for part in zip(*moves, strict=True)))

    @property
    def drawn(self) -> bool | None:
        """Whether best play ends in a draw; None where that is open."""
        return True if self.lower == self.upper == 0 else None if self.lower <= 0 <= self.upper else False


@dataclass(frozen=True)
class Entry:
    """What a search said of a position."""

    level: int
    exact: bool
    """Whether the values are proven."""
    moves: tuple[tuple[int, int], ...]
    """Squares of the smallest form and their values, the best first. Moves that are left out are no better than the
    last."""

    @classmethod
    def answered(cls, level: int, answer: Sequence[Any]) -> "Entry":
        """What a `growing.Question` has found, also where it was kept as JSON."""
        exact, moves = answer
        return cls(level, exact, tuple((square, value) for square, value in moves))

    @property
    def doubt(self) -> int:
        return 0 if self.exact else DOUBT


class BookMove(NamedTuple):
    """A move that the book knows."""

    move: int
    worth: Worth
    followed: bool
    """Whether the position after it is in the book, too."""


@dataclass(frozen=True)
class Book:
    """Positions of one game by their keys. Books do not change: a larger one is another one."""

    variant: Variant
    entries: dict[Key, Entry]
    about: dict[str, Any] = field(default_factory=dict)
    """How it was made."""

    def __str__(self) -> str:
        levels = sorted({entry.level for entry in self.entries.values()})
        by = " to ".join(dict.fromkeys(str(level) for level in levels[:1] + levels[-1:]))
        return f"{self.variant}, {len(self.entries):,} positions" + (f" by searches of level {by}" if by else "")

    def __repr__(self) -> str:
        return f"<Book {self}>"  # not thousands of positions

    def key(self, position: Position) -> Key:
        return kernels.canonical(position.own, position.opp, self.variant.rows, self.variant.columns)

    def after(self, position: Position, move: int) -> Key:
        """The position after a move, and a forced pass."""
        return _after(self.variant, position.own, position.opp, move)[0]

    @cached_property
    def _followings(self) -> dict[Key, tuple[Following, ...]]:
        return {key: followings(self.variant, key) for key in self.entries}

    @cached_property
    def worths(self) -> dict[Key, Worth]:
        """What every position is worth."""
        found: dict[Key, Worth] = {}
        for key in sorted(self.entries, key=discs, reverse=True):
            moves = worths_of_moves(self.entries, self._followings[key], key, found)
            found[key] = Worth.of_best(worth for _, worth, _ in moves)
        return found

    def covers(self, position: Position) -> bool:
        return self.fits(position.variant) and self.key(position) in self.entries

    def fits(self, variant: Variant) -> bool:
        """Starts may differ: a position is what it is, wherever a game came from."""
        ours = self.variant
        return (ours.rows, ours.columns, ours.reversed) == (variant.rows, variant.columns, variant.reversed)

    def entry(self, position: Position) -> Entry:
        """What a search said of a position that is in the book."""
        return self.entries[self.key(position)]

    def worth(self, position: Position) -> Worth | None:
        return self.worths[self.key(position)] if self.covers(position) else None

    def moves(self, position: Position) -> list[BookMove]:
        """The moves that the book knows, the best first; of equals, those that the position's own search held better.
        None outside the book."""
        if not self.covers(position):
            return []
        key = self.key(position)
        searched = dict(self.entries[key].moves)
        found = worths_of_moves(self.entries, self._followings[key], key, self.worths)
        known = {following.after: (following.square, worth, followed) for following, worth, followed in found}
        moves = []
        for move in position.legal_moves:
            after = self.after(position, move)
            if after in known:
                square, worth, followed = known[after]
                rank = -worth.value, -searched.get(square, -math.inf), move
                moves.append((rank, BookMove(move, worth, followed)))
        return [move for _, move in sorted(moves)]

    def choose(self, position: Position, variety: float, dice: random.Random) -> BookMove | None:
        """The best move, or one that costs no more than so many discs, each as likely; None outside the book."""
        moves = self.moves(position)
        good = [each for each in moves if each.worth.value >= moves[0].worth.value - variety]
        return None if not moves else moves[0] if variety <= 0 else dice.choice(good)

    def line(self, position: Position) -> tuple[int, ...]:
        """The best moves as far as the book goes."""
        found: list[int] = []
        while moves := self.moves(position):
            found.append(moves[0].move)
            position = position.play(moves[0].move)
            if position.must_pass:
                position = position.play(PASS)
                found.append(PASS)
        return tuple(found)

    def merged(self, other: "Book") -> "Book":
        """The positions of both. What both have is taken from the higher level, whichever book comes first."""
        if not self.fits(other.variant):
            raise Fault("book.variants", one=self.variant, other=other.variant)
        entries = dict(self.entries)
        for key, entry in other.entries.items():
            mine = entries.get(key)
            if mine is None or _rank(entry) > _rank(mine):
                entries[key] = entry
        return Book(self.variant, entries, {"merged": sorted([self.about, other.about], key=repr)})

    def pruned(self) -> "Book":
        """Without the moves that nobody needs: those far from the best, except the best of them."""
        kept: dict[Key, Entry] = {}
        for key, entry in self.entries.items():
            followed = {each.square for each in self._followings[key] if each.after in self.entries}
            best = entry.moves[0][1]
            beyond = [move for move in entry.moves if move[1] < best - WIDTH and move[0] not in followed][1:]
            moves = tuple(move for move in entry.moves if move not in beyond)
            kept[key] = Entry(entry.level, entry.exact, moves)
        return Book(self.variant, kept, self.about)


def _rank(entry: Entry) -> tuple[Any, ...]:
    return entry.exact, entry.level, entry.moves


def discs(key: Key) -> int:
    return (key[0] | key[1]).bit_count()


def followings(variant: Variant, key: Key) -> tuple[Following, ...]:
    """The different moves of a position, and where they lead."""
    found: dict[Key, Following] = {}
    for square in squares_of(kernels.legal_moves(*key, variant.board)):
        after, sign = _after(variant, *key, square)
        found.setdefault(after, Following(square, after, sign))
    return tuple(found.values())


def _after(variant: Variant, own: int, opp: int, square: int) -> tuple[Key, int]:
    """The position after a move and a forced pass, in its smallest form, and the sign of its values."""
    own, opp = kernels.play(own, opp, square)
    passes = not kernels.legal_moves(own, opp, variant.board) and kernels.legal_moves(opp, own, variant.board)
    own, opp = (opp, own) if passes else (own, opp)
    return kernels.canonical(own, opp, variant.rows, variant.columns), 1 if passes else -1


def worths_of_moves(
    entries: dict[Key, Entry], moves: tuple[Following, ...], key: Key, known: dict[Key, Worth]
) -> list[tuple[Following, Worth, bool]]:
    """The moves of a position that are followed up, or were searched, and whether they are followed up."""
    entry = entries[key]
    searched = dict(entry.moves)
    found = []
    for move in moves:
        if move.after in entries:
            found.append((move, known[move.after].seen(move.sign), True))
        elif move.square in searched:
            value = searched[move.square]
            found.append((move, Worth(value, value - entry.doubt, value + entry.doubt), False))
    return found
