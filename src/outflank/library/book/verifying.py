"""Is a book sound? At random positions, a search measures how much the book's move loses. Where it loses, both moves
can be searched more deeply, and the book takes that result."""

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from outflank.board.position import Position
from outflank.library.book.book import Book, Entry, Key, followings
from outflank.library.book.growing import Question
from outflank.search.engine.engine import valued
from outflank.search.engine.levels import HIGHEST, level_numbered
from outflank.search.engine.searcher import opened
from outflank.work.stop import Stop
from outflank.work.workers import Workers

MEGABYTES = 64.0
DEEPER = 2
"""Levels above the doubting search's, for what it doubts."""


@dataclass(frozen=True)
class Regret:
    """What a search holds of a book's move."""

    position: Position
    move: int
    """The book's."""
    book_value: int
    best: int
    """The search's."""
    value: int
    """Of the search's move, for the side to move."""
    played: int
    """Of the book's move, by the same search."""

    @property
    def discs(self) -> int:
        return max(self.value - self.played, 0)


@dataclass(frozen=True)
class Doubting:
    """A position, the book's move there and its value."""

    position: Position
    move: int
    book_value: int
    level: int
    long = True

    def __call__(self, stop: Stop) -> Regret:
        level = level_numbered(self.level)
        searcher = opened(self.position.variant, MEGABYTES, stop)
        step = valued(searcher, self.position, level)
        best = self.move if step.found.move is None else step.found.move
        twins = self.position.twins()
        played = step.value
        if twins[best][0] != twins[self.move][0]:
            played = -valued(searcher, self.position.play(self.move), level, 1).value
        return Regret(self.position, self.move, self.book_value, best, step.value, played)


def doubted(book: Book, sample: int, level: int, seed: int) -> list[Doubting]:
    """Random positions of a book, each with the move that it plays."""
    chosen = random.Random(f"verify {seed}").sample(sorted(book.entries), min(sample, len(book.entries)))
    found = []
    for key in chosen:
        position = Position(*key, variant=book.variant)
        best = book.moves(position)[0]
        found.append(Doubting(position, best.move, best.worth.value, level))
    return found


def regrets(tasks: list[Doubting], workers: Workers, stop: Stop) -> Iterator[Regret]:
    """What a search says of each, as it comes."""
    with closing(workers.run(enumerate(tasks), stop=stop)) as batches:
        for finished in batches:
            for _, regret in finished:
                yield regret


def mended(book: Book, regretted: list[Regret], level: int, workers: Workers, stop: Stop) -> Book:
    """The book with a second, deeper look at what follows a move that is regretted, and at what follows the search's:
    those positions' values go back to the doubted one, as all values of a book do."""
    deeper = min(level + DEEPER, HIGHEST)
    wanted: dict[Key, Question] = {}
    for each in regretted:
        for move in (each.move, each.best):
            after = book.after(each.position, move)
            if followings(book.variant, after):
                wanted[after] = Question(book.variant, after, deeper)
    found: dict[Key, Entry] = {}
    with closing(workers.run(wanted.items(), stop=stop)) as batches:
        for finished in batches:
            found |= {key: Entry.answered(deeper, answer) for key, answer in finished}
    doubted_ones = {*book.about.get("mended", ()), *(each.position.text for each in regretted)}
    about = book.about | {"mended": sorted(doubted_ones)}
    return replace(book, entries=book.entries | found, about=about).pruned()
