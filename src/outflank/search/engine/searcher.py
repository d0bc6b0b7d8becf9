"""The compiled search with its memory, as engine and solver use it: the desks of its threads, filled in, and the table.

One call runs one iteration (see `deepening`) and says all that it found.
"""

import math
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from outflank.board.compiled import callback, load
from outflank.board.position import Position
from outflank.board.records import fill, place_of
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.patterns.weights import Evaluation, evaluation_for
from outflank.search.driver import Stop
from outflank.search.engine import deepening, midgame, probcut, splitpoints
from outflank.search.engine.deepening import NO_GUESS, SURE, Iteration
from outflank.search.engine.desk import MOST_PLIES, MOST_THREADS, Desk, Pool, SplitPoint
from outflank.search.engine.table import AGES, TableMemory
from outflank.search.limits import NO_LIMIT
from outflank.work.held import held

LOCAL_MEGABYTES = 0.25
"""Each thread's own table for the last plies: small enough for the processor's cache."""
HELPED_FROM = 9
"""Plies from which other threads take part."""


@dataclass(frozen=True)
class Found:
    """What one iteration found."""

    value: int
    """Where it lies outside the window, a bound of the true one on that side."""
    move: int | None
    """The best move; None where every move loses all, or none was finished in time."""
    aborted: bool
    """Whether it was ended before it was done: the value means nothing then, the move does."""


@dataclass(frozen=True)
class Step:
    """One step of a search that deepens."""

    iteration: Iteration
    found: Found
    value: int
    """The best estimate of the value so far."""
    selectivity: int
    """How sure each cut of the iteration was, in per cent; 100 where nothing was pruned by likelihood."""


@dataclass
class MirroredRoot:
    """A position that is its own mirror image, and the best of its moves so far: the table has no entry for it."""

    position: Position
    move: int | None = None


class Searcher:
    """Searches positions of one variant at a time. One search at a time; its threads share the table."""

    def __init__(self, megabytes: float, threads: int = 1) -> None:
        if not megabytes > 0:
            raise Fault("engine.no-table", size=megabytes)
        if megabytes > (most := _memory_megabytes()):
            raise Fault("engine.table-too-large", size=megabytes, most=most)
        if not 1 <= threads <= MOST_THREADS:
            raise Fault("engine.threads", most=MOST_THREADS, threads=threads)
        self._table = TableMemory(megabytes)
        self._local = [TableMemory(LOCAL_MEGABYTES) for _ in range(threads)]
        self._desks = [Desk.new() for _ in range(threads)]
        self._pool = Pool.new()
        self._points = [np.zeros(splitpoints.MOST_POINTS, np.dtype(SplitPoint)) for _ in range(threads)]
        self._age = 0
        self._laid_out: tuple[Variant, bool] | None = None
        self._evaluation: Evaluation | None = None
        self._margins: dict[int, Any] | None = None
        self._margin_places: dict[int, Any] = {}
        self._stop = Stop()
        self._mirrored_root: MirroredRoot | None = None

    def prepare(self, variant: Variant, evaluation: Evaluation | None, raw: bool = False) -> None:
        """Lays a game on the desks; what is known of another one is forgotten. Costs nothing where it lies there.

        Without an evaluation, mobility and corners are what a position is worth.
        """
        if self._laid_out == (variant, raw) and self._evaluation is evaluation:
            return
        self._laid_out = None  # until it lies there: an interrupt may come between
        load(deepening.aspirate_at)
        self.forget()
        for number, desk in enumerate(self._desks):
            _lay_out_game(desk, variant, raw)
            self._table.lay_on(desk.table)
            self._local[number].lay_on(desk.local_table)
            if len(self._desks) > 1:
                desk.pool, desk.own_points = place_of(self._pool), place_of(self._points[number])
                desk.thread, desk.threads = number, len(self._desks)
                desk.null_window = _null_window_address()
            _lay_out_evaluation(desk, evaluation)
        self._evaluation = evaluation  # keeps the memory alive that the desks point to
        self._margins = probcut.margins(evaluation)
        self._margin_places = {selectivity: place_of(rows) for selectivity, rows in (self._margins or {}).items()}
        self._laid_out = (variant, raw)

    @property
    def selective(self) -> bool:
        """Whether there are margins for ProbCut: without them every search is certain."""
        return self._margins is not None

    def forget(self) -> None:
        """Empties the tables."""
        for table in (self._table, *self._local):
            table.clear()
        for desk in self._desks:
            fill(desk.killers, [0] * MOST_PLIES)
        self._mirrored_root = None

    def begin(self, stop: Stop, nodes: int | None = None, megabytes: float = math.inf) -> None:
        """Opens a search that `stop` or a number of nodes ends; what earlier ones know is used, and replaced first.

        It uses no more than so many megabytes of the table.
        """
        self._stop = stop
        self._age = (self._age + 1) % AGES
        for desk in self._desks:
            desk.nodes = desk.nodes_told = desk.look_at = desk.aborted = 0
            desk.age = self._age
            self._table.lay_on(desk.table, megabytes)
            desk.node_limit = nodes or NO_LIMIT
            desk.stop = stop.address
        self._pool.nodes = self._pool.spent = 0

    @property
    def nodes(self) -> int:
        """Positions visited since `begin`, by all threads."""
        return sum(desk.nodes for desk in self._desks)

    def deepened(self, position: Position, schedule: Iterable[Iteration], wide_to: int) -> "Iterator[Step]":
        """Runs one iteration after the other, each beginning where the one before ended; the last may be aborted."""
        guess: int | None = None
        for iteration in schedule:
            found = self.search(position, iteration, guess if iteration.depth > wide_to else None)
            value = found.value
            if iteration.wld and guess is not None and value:  # a bound: the last guess stays, on its side of it
                value = max(guess, value) if value > 0 else min(guess, value)
            yield Step(iteration, found, value, self._per_cent(iteration))
            if found.aborted:
                return
            guess = value

    def search(self, position: Position, iteration: Iteration, guess: int | None = None) -> Found:
        """One iteration, its value looked for near a guess first. Moves that mirror each other are searched once."""
        most = position.variant.square_count
        alpha, beta, guess = (-1, 1, None) if iteration.wld else (-most, most, guess)
        moves = position.different_moves
        if len(moves) < len(position.legal_moves):
            return self._among(position, moves, alpha, beta, iteration, guess)
        return self.within(position, alpha, beta, iteration, guess)

    def _among(
        self, position: Position, moves: tuple[int, ...], alpha: int, beta: int, iteration: Iteration, guess: int | None
    ) -> Found:
        """One iteration over some of a position's moves: a root in Python, since the compiled one takes them all.

        The first move gets the whole window, each other one a null window and only where it is better a second look.
        """
        earlier = self._mirrored_root
        first = earlier.move if earlier is not None and earlier.position == position else None
        root = self._mirrored_root = MirroredRoot(position)
        best = -position.variant.square_count
        for number, move in enumerate(sorted(moves, key=lambda each: each != first)):
            below, deeper = position.play(move), iteration.below
            if number == 0:
                found = self._window(below, -beta, -alpha, deeper, None if guess is None else -guess)
            else:
                found = self._window(below, -alpha - 1, -alpha, deeper)
                if not found.aborted and alpha < -found.value < beta:
                    found = self._window(below, -beta, -alpha, deeper, found.value)
            if found.aborted:
                return Found(best, root.move, True)
            best = max(best, -found.value)
            if best > alpha:
                alpha, root.move = best, move
            if alpha >= beta:
                break
        return Found(best, root.move, False)

    def within(
        self, position: Position, alpha: int, beta: int, iteration: Iteration, guess: int | None = None
    ) -> Found:
        """The value between two bounds, or the bound that it lies beyond."""
        self._mirrored_root = None
        return self._window(position, alpha, beta, iteration, guess)

    def _window(
        self, position: Position, alpha: int, beta: int, iteration: Iteration, guess: int | None = None
    ) -> Found:
        self._check(position)
        selectivity = self.use_margins(iteration.selectivity)
        for desk in self._desks:
            desk.white_at_root = int(position.turn)
            desk.selectivity, desk.probcut_level = selectivity, 0
            desk.split_point = place_of(None)
        first, *others = self._desks
        with self._helped(others if iteration.depth >= HELPED_FROM else []):
            guessed = NO_GUESS if guess is None else guess
            value = deepening.aspirate_at(
                first.address, position.own, position.opp, guessed, alpha, beta, iteration.depth, selectivity
            )
        move = None if first.root_move == PASS else first.root_move
        return Found(value, move, bool(first.aborted) or self._stop.is_set)

    @property
    def root_move(self) -> int | None:
        """The best move that the last iteration found, also where Ctrl-C ended it."""
        if self._mirrored_root is not None:
            return self._mirrored_root.move
        move = self._desks[0].root_move
        return None if move == PASS else move

    def _per_cent(self, iteration: Iteration) -> int:
        """How many of all cases lie within the margins of an iteration; one ply is searched whole."""
        if self._margins is None or iteration.selectivity == SURE or iteration.depth <= 1:
            return 100
        return round(100 * math.erf(probcut.CONFIDENCE[iteration.selectivity] / math.sqrt(2)))

    def use_margins(self, selectivity: int) -> int:
        """Lays ProbCut's margins on the desks; returns the selectivity that can be had: without margins nothing is
        pruned."""
        if self._margins is None or selectivity == SURE:
            return SURE
        for desk in self._desks:
            desk.margins = self._margin_places[selectivity]
        return selectivity

    @contextmanager
    def _helped(self, desks: list[Desk]) -> Iterator[None]:
        """Other threads take part in what is searched here. None of them is left behind, whatever happens."""
        if not desks:
            yield
            return
        self._pool.idle = self._pool.closed = 0
        for thread in range(len(self._desks)):
            self._pool.newest[thread].point = 0
        helpers = [threading.Thread(target=splitpoints.help_others, args=(desk.address,)) for desk in desks]
        try:
            for helper in helpers:
                helper.start()
            yield
        finally:
            self._pool.closed = 1
            for helper in helpers:
                _see_out(helper)

    def _check(self, position: Position) -> None:
        if self._laid_out is None or self._laid_out[0] != position.variant:
            raise RuntimeError(f"the searcher was not prepared for {position.variant}")

    def known_move(self, position: Position) -> int | None:
        """The best move that the table has for a position."""
        self._check(position)
        root = self._mirrored_root
        if root is not None and root.position == position:
            return root.move
        move = deepening.known_move_at(self._desks[0].address, position.own, position.opp)
        return move if move in position.legal_moves else None

    def known_line(self, position: Position, longest: int = 60) -> Iterator[int]:
        """The line of best moves as far as the table has it."""
        while longest and not position.is_over:
            move = self.known_move(position) if position.legal_moves else PASS
            if move is None:
                return
            yield move
            position, longest = position.play(move), longest - 1

    def line_after(self, position: Position, move: int) -> tuple[int, ...]:
        """The table's line where it begins with this move, else the move alone."""
        line = tuple(self.known_line(position))
        return line if line[:1] == (move,) else (move,)

    @property
    def address(self) -> int:
        """Where the first thread's desk lies: for compiled code that searches by itself."""
        return self._desks[0].address


def opened(variant: Variant, megabytes: float, stop: Stop, nodes: int | None = None) -> Searcher:
    """A worker's own searcher, with an empty table: what it finds follows from what it is asked from here on."""
    searcher = held(Searcher, megabytes)
    searcher.prepare(variant, evaluation_for(variant))
    searcher.forget()
    searcher.begin(stop, nodes)
    return searcher


def _see_out(thread: threading.Thread) -> None:
    """Waits until a thread has ended, through any number of interrupts; one that was never started has."""
    interrupted: KeyboardInterrupt | None = None
    while thread.is_alive():
        try:
            thread.join()
        except KeyboardInterrupt as interrupt:
            interrupted = interrupt
    if interrupted is not None:
        raise interrupted


def _lay_out_game(desk: Desk, variant: Variant, raw: bool) -> None:
    desk.board, desk.square_count, desk.corners = variant.board, variant.square_count, variant.corners
    desk.reversed, desk.raw = variant.reversed, raw
    best, worst = variant.corners, _beside_corners(variant)
    desk.tried_first, desk.tried_last = (0, best) if variant.reversed else (best, worst)
    quarters = _quarters(variant)
    fill(desk.quarters, quarters)
    fill(desk.quarter_of, [next((quarter for quarter in quarters if quarter >> square & 1), 0) for square in range(64)])


def _lay_out_evaluation(desk: Desk, evaluation: Evaluation | None) -> None:
    desk.powers = desk.rows = 0
    if evaluation is not None:
        desk.powers, desk.weights = place_of(evaluation.powers), place_of(evaluation.weights)
        desk.offsets, desk.slot_count = place_of(evaluation.offsets), len(evaluation.offsets)
        desk.stage_bytes = evaluation.weights.strides[1]
        if evaluation.rows is not None:
            desk.rows, desk.side_bytes = place_of(evaluation.rows), evaluation.rows.strides[0]
            desk.layers, desk.layer_bytes = place_of(evaluation.layers), evaluation.layers.strides[0]


@cache
def _null_window_address() -> int:
    """The search as machine code that split points can call."""
    load(splitpoints.help_others)
    signature = "int64(uint64, uint64, int64, uint64, uint64, uint64, Desk)"
    return int(callback(signature, midgame.null_window_for_others, "shared").address)


def _memory_megabytes() -> float:
    """What the machine has; a table beyond it would end in a killed process, not in an error."""
    if not hasattr(os, "sysconf"):  # Windows refuses what it does not have
        return float("inf")
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 20)


def _beside_corners(variant: Variant) -> int:
    """The X squares: next to a corner on its diagonal."""
    rows, columns = (1, variant.rows - 2), (1, variant.columns - 2)
    return sum({1 << (8 * row + column) for row in rows for column in columns})


def _quarters(variant: Variant) -> list[int]:
    """The quarters of a board; the middle line of an odd board belongs to the lower and right ones."""
    top, left = variant.rows // 2, variant.columns // 2
    quarters = [0, 0, 0, 0]
    for square in variant.squares:
        row, column = divmod(square, 8)
        quarters[2 * (row >= top) + (column >= left)] |= 1 << square
    return quarters
