"""The compiled search with its memory, as solver and engine use it: one table, a desk for each thread."""

import os
import threading
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from outflank.board.compiled import callback, load
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.patterns.weights import UNITS_A_DISC, Evaluation, evaluation_for
from outflank.search.driver import Stop
from outflank.search.engine import endgame, lastplies, midgame, probcut, sharing, table

NO_LIMIT = (1 << 63) - 1
CERTAIN = int(table.CERTAIN)
NEAR_MEGABYTES = 0.25
"""Each thread's own table for the last plies: small enough for the processor's cache."""
HELPED_FROM = 9
"""Plies from which other threads take part."""
ASPIRATION, TO_THE_END = 3, 1
"""Discs on each side of a guess that are looked at first; a search to the end mostly proves what was guessed."""


class Searcher:
    """Searches positions of one variant at a time. One search at a time; its threads share the table."""

    def __init__(self, megabytes: float, threads: int = 1) -> None:
        if not megabytes > 0:
            raise ValueError(f"the table needs more than 0 MB, not {megabytes:g}")
        if megabytes > (most := _memory_megabytes()):
            raise ValueError(f"a table of {megabytes:g} MB does not fit this machine's memory of {most:.0f} MB")
        if threads < 1:
            raise ValueError(f"a search needs 1 thread or more, not {threads}")
        self._table = table.new_table(megabytes)
        self._near = [table.new_table(NEAR_MEGABYTES) for _ in range(threads)]
        self._desks = [np.zeros(endgame.DESK_WORDS, np.uint64) for _ in range(threads)]
        self._hall = np.zeros(int(sharing.DOORS) + threads * int(sharing.A_DOOR), np.uint64)
        self._offers = [np.zeros(sharing.MOST_OFFERS * int(sharing.AN_OFFER), np.uint64) for _ in range(threads)]
        self._age = 0
        self._asked: tuple[Variant, bool] | None = None
        self._stop: Stop | None = None

    def prepare(self, variant: Variant, raw: bool = False, evaluation: Evaluation | None = None) -> None:
        """Lays the variant's data on the desks; entries of another game are forgotten."""
        if self._asked == (variant, raw) and evaluation is None:
            return
        load(midgame.search_window)
        self.forget()
        evaluation = evaluation or evaluation_for(variant)
        threads = len(self._desks)
        for number, desk in enumerate(self._desks):
            desk[lastplies.BOARD] = variant.board
            desk[lastplies.SQUARES] = variant.square_count
            desk[lastplies.REVERSED] = variant.reversed
            desk[lastplies.RAW] = raw
            desk[lastplies.TABLE] = self._table.ctypes.data
            desk[lastplies.TABLE_MASK] = len(self._table) // int(table.WORDS_A_BUCKET) - 1
            desk[lastplies.CORNERS] = variant.corners
            quarters = _quarters(variant)
            _put(desk, lastplies.QUARTERS, quarters)
            _put(desk, lastplies.QUARTER_OF, [next((q for q in quarters if q >> s & 1), 0) for s in range(64)])
            desk[endgame.NEAR_TABLE] = self._near[number].ctypes.data
            desk[endgame.NEAR_MASK] = len(self._near[number]) // int(table.WORDS_A_BUCKET) - 1
            desk[endgame.SELF] = desk.ctypes.data
            if threads > 1:
                desk[endgame.HALL] = self._hall.ctypes.data
                desk[endgame.THREAD], desk[endgame.THREADS] = number, threads
                desk[endgame.OWN_OFFERS] = self._offers[number].ctypes.data
                desk[endgame.SEARCH] = _null_window_address()
            desk[endgame.POWERS] = 0
            if evaluation is not None:
                desk[endgame.POWERS] = evaluation.powers.ctypes.data
                desk[endgame.WEIGHTS] = evaluation.weights.ctypes.data
                desk[endgame.OFFSETS] = evaluation.offsets.ctypes.data
                desk[endgame.SLOT_COUNT] = len(evaluation.offsets)
                desk[endgame.STAGE_BYTES] = evaluation.weights.strides[1]
        self._evaluation = evaluation  # keeps the memory alive that the desks point to
        self._margins = probcut.margins(variant, evaluation)
        self._asked = (variant, raw)

    @property
    def selective(self) -> bool:
        """Whether there are margins for ProbCut: without them every search is certain."""
        return self._margins is not None

    @property
    def desk_address(self) -> int:
        """Where what the kernels of `midgame` and `endgame` work on begins: for those who call one of them directly."""
        return int(self._desks[0].ctypes.data)

    def forget(self) -> None:
        """Empties the tables."""
        for each in (self._table, *self._near):
            each[:] = 0

    def begin(self, stop: Stop, nodes: int | None = None) -> None:
        """Opens a search that `stop` or a number of nodes ends; what earlier ones know is used, and replaced first."""
        self._stop = stop
        self._age = (self._age + 1) % 256
        for desk in self._desks:
            desk[lastplies.NODES] = desk[lastplies.ABORTED] = desk[endgame.NESTED] = 0
            desk[lastplies.AGE] = self._age
            desk[endgame.NODE_LIMIT] = nodes or NO_LIMIT

    @property
    def nodes(self) -> int:
        """Positions visited since `begin`, by all threads."""
        return sum(int(desk[lastplies.NODES]) for desk in self._desks)

    @property
    def aborted(self) -> bool:
        """Whether the search was ended before it was done; its last value means nothing then."""
        return bool(self._desks[0][lastplies.ABORTED]) or (self._stop is not None and self._stop.is_set)

    def value(self, position: Position, alpha: int, beta: int, depth: int, certainty: int = CERTAIN) -> int:
        """The value within a window; what it is worth nobody knows where the search was aborted."""
        assert self._stop is not None
        if self._margins is None:
            certainty = CERTAIN
        for desk in self._desks:
            desk[lastplies.STOP] = self._stop.address
            desk[endgame.WHITE_AT_ROOT] = int(position.turn)
            desk[endgame.CERTAINTY] = certainty
            desk[endgame.NESTED] = desk[endgame.OFFER] = 0
            if certainty < CERTAIN and self._margins is not None:
                desk[endgame.MARGINS] = self._margins[certainty].ctypes.data
        first, *others = self._desks
        first[endgame.ROOT_MOVE] = PASS
        helpers = []
        if depth >= HELPED_FROM:
            self._hall[:] = 0
            helpers = [threading.Thread(target=sharing.help_others, args=(desk.ctypes.data,)) for desk in others]
        try:
            for helper in helpers:
                helper.start()
            return midgame.search_window(first.ctypes.data, position.own, position.opp, alpha, beta, depth)
        finally:
            self._hall[sharing.CLOSED] = 1
            for helper in helpers:
                helper.join()

    def aspired(self, position: Position, guess: int | None, least: int, most: int, depth: int, certainty: int) -> int:
        """The value between two bounds, looked for near a guess first; the window widens where it lies outside."""
        if guess is None:
            return self.value(position, least, most, depth, certainty)
        width = ASPIRATION if depth < position.empties else TO_THE_END
        alpha, beta = min(max(guess - width, least), most - 1), max(min(guess + width, most), least + 1)
        while True:
            value = self.value(position, alpha, beta, depth, certainty)
            if self.aborted:
                return value
            width *= 3
            if least < alpha >= value:
                alpha = max(value - width, least)
            elif most > beta <= value:
                beta = min(value + width, most)
            else:
                return value

    @property
    def root_move(self) -> int | None:
        """The best move that the last search found, also where it was ended before it was done."""
        move = int(self._desks[0][endgame.ROOT_MOVE])
        return None if move == PASS else move

    def known_move(self, position: Position) -> int | None:
        """The best move that the table has for a position."""
        data = midgame.known(self._desks[0].ctypes.data, position.own, position.opp)
        move = data >> int(table.BEST) & int(table.SEVEN_BITS)
        return move if data and move in position.legal_moves else None

    def known_line(self, position: Position, longest: int = 60) -> Iterator[int]:
        """The line of best moves as far as the table has it."""
        while longest and not position.is_over:
            move = self.known_move(position) if position.legal_moves else PASS
            if move is None:
                return
            yield move
            position, longest = position.play(move), longest - 1

    def evaluation(self, position: Position) -> float:
        """What the evaluation says of a position without any search, in discs."""
        desk = self._desks[0]
        desk[endgame.WHITE_AT_ROOT] = int(position.turn)
        return midgame.evaluated(desk.ctypes.data, position.own, position.opp) / UNITS_A_DISC


@cache
def _null_window_address() -> int:
    """The search as machine code that threads can call for one another."""
    signature = "int64(uint64, uint64, int64, uint64, uint64, uint64, CPointer(uint64))"
    load(sharing.help_others)
    return int(callback(signature, midgame.null_window_for_others, "shared").address)


def _memory_megabytes() -> float:
    """What the machine has; a table beyond it would end in a killed process, not in an error."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 20)


def _put(desk: Any, begin: int, words: list[int]) -> None:
    desk[int(begin) : int(begin) + len(words)] = np.array(words, np.uint64)


def _quarters(variant: Variant) -> list[int]:
    """The quarters of a board; the middle line of an odd board belongs to the lower and right ones."""
    top, left = variant.rows // 2, variant.columns // 2
    quarters = [0, 0, 0, 0]
    for square in variant.squares:
        row, column = divmod(square, 8)
        quarters[2 * (row >= top) + (column >= left)] |= 1 << square
    return quarters
