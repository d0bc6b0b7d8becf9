"""How a book grows: the positions that matter most come next, each searched by a worker.

What matters is what good players may get to: a position is as far away as it has plies before it, and each disc that
somebody loses on the way counts for some plies more. First come positions that are given: those of named openings, and
of a library's games. Positions are searched in rounds of a fixed size, and each answer follows from its position alone;
so the book is the same wherever and in however many runs it was made.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.library.book.book import WIDTH, Book, Entry, Key, Worth, discs, followings, worths_of_moves
from outflank.library.games import Library
from outflank.library.keys import key_of, keys_along, settled
from outflank.library.openings import named_lines
from outflank.patterns.weights import evaluation_for, shipped_digest
from outflank.search.engine.engine import valued
from outflank.search.engine.levels import Level, level_numbered
from outflank.search.engine.searcher import opened
from outflank.work.kept import Kept
from outflank.work.stop import Stop
from outflank.work.workers import Workers

ROUND, NEAR = 16, 2.0
"""Positions that are chosen at once, at most, and how much further away than the nearest they may be, in plies. Part of
what a book is: with other numbers it grows otherwise."""
DISC = 2.0
"""Plies that a lost disc counts for."""
GLANCE, SLACK = 6, 2
"""All moves are searched so many plies less deep first; then those whose value is so many discs from being kept."""
MEGABYTES = 64.0


@dataclass(frozen=True)
class Question:
    """What are the moves of a position worth?"""

    variant: Variant
    key: Key
    level: int
    long = True

    def __str__(self) -> str:
        return Position(*self.key, variant=self.variant).text

    def __call__(self, stop: Stop) -> list[Any]:
        """Whether the values are proven, and the moves with them, best first."""
        position = Position(*self.key, variant=self.variant)
        searcher = opened(self.variant, MEGABYTES, stop)
        level = level_numbered(self.level)
        boards = {each.square: position.play(each.square) for each in followings(self.variant, self.key)}

        def searched(moves: Iterable[int], level: Level) -> dict[int, int]:
            return {move: -valued(searcher, boards[move], level, 1).value for move in moves if not stop.is_set}

        ends = {move: outcome for move, board in boards.items() if (outcome := board.outcome()) is not None}
        over = {move: outcome.margin(position.turn) or 0 for move, outcome in ends.items()}
        going_on = [move for move in boards if move not in over]
        exact = position.empties <= level.exact_from
        if exact:
            values = over | searched(going_on, level)
        else:
            values = over | searched(going_on, Level(max(level.depth - GLANCE, 2), 0))
            least = max(values.values(), default=0) - WIDTH - SLACK
            order = sorted(going_on, key=lambda move: -values.get(move, 0))
            values |= searched([move for move in order if values.get(move, least) >= least], level)
        return [exact, sorted(values.items(), key=lambda each: (-each[1], each[0]))]


@dataclass(frozen=True)
class Plan:
    """Which book is made."""

    variant: Variant
    level: int
    plies: int
    """How long its lines may get."""
    given: tuple[Key, ...] = ()
    """Positions that come first."""
    origin: str = ""
    """Where those come from: a digest."""

    def __post_init__(self) -> None:
        level_numbered(self.level)
        if evaluation_for(self.variant) is None:
            raise Fault("book.no-scale", variant=self.variant)

    @property
    def start(self) -> Key:
        return Book(self.variant, {}).key(Position.start(self.variant))

    @property
    def settings(self) -> dict[str, Any]:
        """All that the answers follow from, and the book with them."""
        return {
            "form": 1,
            "variant": self.variant.name,
            "level": self.level,
            "plies": self.plies,
            "given": self.origin,
            "weights": shipped_digest(),
        }


@dataclass
class State:
    """How far a book is."""

    positions: int = 0
    searched: int = 0
    """In this run."""


class Grower:
    """Makes a book of so many positions."""

    def __init__(self, plan: Plan, kept: Kept) -> None:
        self.plan, self.state = plan, State()
        self._kept, self._known = kept, kept.holding()
        self._followings: dict[Key, tuple[Any, ...]] = {}
        self._entries: dict[Key, Entry] = {}

    def grown(self, positions: int, workers: Workers, stop: Stop, progress: Callable[[State], None]) -> Book:
        """The book; with fewer positions where it was stopped, or there are no more within its plies."""
        for chosen in self._rounds():
            wanted = chosen[: positions - len(self._entries)]
            if not wanted or not self._asked(wanted, workers, stop, progress):
                break
            for key in wanted:
                self._entries[key] = Entry.answered(self.plan.level, self._known[_text(key)])
                self._followings[key] = followings(self.plan.variant, key)
            self.state.positions = len(self._entries)
            progress(self.state)
        return Book(self.plan.variant, self._entries, self.plan.settings).pruned()

    def _rounds(self) -> Iterator[list[Key]]:
        given = [self.plan.start, *(key for key in self.plan.given if key != self.plan.start)]
        for begin in range(0, len(given), ROUND):
            yield given[begin : begin + ROUND]
        while chosen := self._next():
            yield chosen

    def _next(self) -> list[Key]:
        """The positions outside of the book that are nearest."""
        worths: dict[Key, Worth] = {}
        moves = {}
        for key in sorted(self._entries, key=discs, reverse=True):
            moves[key] = worths_of_moves(self._entries, self._followings[key], key, worths)
            worths[key] = Worth.of_best(worth for _, worth, _ in moves[key])
        away: dict[Key, float] = {self.plan.start: 0.0}
        outside: dict[Key, float] = {}
        for key in sorted(self._entries, key=lambda each: (discs(each), each)):
            if key not in away or discs(key) - discs(self.plan.start) >= self.plan.plies:
                continue
            for move, worth, followed in moves[key]:
                cost = away[key] + 1 + DISC * (worths[key].value - worth.value)
                if followed:
                    away[move.after] = min(away.get(move.after, cost), cost)
                elif _goes_on(self.plan.variant, move.after):
                    outside[move.after] = min(outside.get(move.after, cost), cost)
        nearest = heapq.nsmallest(ROUND, outside, key=lambda key: (outside[key], key))
        return [key for key in nearest if outside[key] <= outside[nearest[0]] + NEAR]

    def _asked(self, wanted: list[Key], workers: Workers, stop: Stop, progress: Callable[[State], None]) -> bool:
        """Has answers for all of them; False where it was stopped."""
        tasks = {_text(key): Question(self.plan.variant, key, self.plan.level) for key in wanted}
        open_ones = [(text, task) for text, task in tasks.items() if text not in self._known]
        with closing(workers.run(open_ones, self._kept.keep, stop)) as batches:
            for finished in batches:
                self._known |= dict(finished)
                self.state.searched += len(finished)
                progress(self.state)
        return all(text in self._known for text in tasks)


def _text(key: Key) -> str:
    return f"{key[0]:x} {key[1]:x}"


def _goes_on(variant: Variant, key: Key) -> bool:
    return bool(followings(variant, key))


# Positions that come first


def named_positions(variant: Variant) -> list[Key]:
    """The positions on the way to every named opening; none where openings have no names."""
    book, found = Book(variant, {}), set()
    for line in named_lines(variant):
        game = Game.from_transcript(line, Position.start(variant))
        found |= {book.key(node.position) for node in game.line if node.position.legal}
    return sorted(found, key=lambda key: (discs(key), key))


def played_positions(library: Library, variant: Variant, plies: int, games: int) -> list[Key]:
    """The positions that so many games of a library have come through."""
    start = Position.start(variant)
    counts: Counter[int] = Counter()
    for squares in library.played(variant).squares[:, :plies]:
        counts.update(set(keys_along(start, bytes(squares[squares < 64])).tolist()))
    book, found, last = Book(variant, {}), [], [start]
    for _ in range(plies):
        after = {}
        for position in last:
            for move in position.legal_moves:
                below = settled(position.play(move))
                if counts[key_of(below)] >= games and below.legal:
                    after[book.key(below)] = below
        found += sorted(after)
        last = [after[key] for key in sorted(after)]
    return found
