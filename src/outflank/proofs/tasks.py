"""What a worker does for a proof: the engine decides one position, and writes down the moves of the side that is right.

Each task begins with an empty table, so that what it makes follows from the task alone, wherever it is done.
"""

import time
from dataclasses import dataclass

import numpy as np

from outflank.board.compiled import int64, kernel, load
from outflank.board.kernels import EIGHT, FOUR, ONE, PASS, ZERO, flips, legal_moves, symmetry
from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.board.vectors import count, lowest
from outflank.proofs.tree import Array, Level, start_of, walk
from outflank.search.engine.deepening import DIRECT, SOLVER, SURE, Iteration, iterations
from outflank.search.engine.desk import Desk, desk_at, empties_of
from outflank.search.engine.evaluate import set_root_numbers
from outflank.search.engine.midgame import principal_variation
from outflank.search.engine.searcher import opened
from outflank.search.engine.table import NO_SELECTIVITY, NO_SQUARE, probe, reaches, upper_bound
from outflank.work.stop import Stop

MEGABYTES = 256.0
"""A worker's table: room for what a task of a billion nodes finds above twelve empties."""
GUESS_NODES = 6_000_000_000
"""How far the first guess may be searched where there is no evaluation to guess with: some minutes."""
GUESS_DEPTH = 12
RANKING_DEPTH = 8
RANKING_MEGABYTES = 8.0


@kernel("uint64(uint64, uint64, int64, uint64, uint64, Desk)")
def known_to_reach(own: int, opp: int, least: int, rows: int, columns: int, desk: Desk) -> int:
    """A move that the table has proved to get at least so much; `NO_SQUARE` where it knows of none.

    A proof has positions in their canonical form, and the search met them in the form that its moves led to: all are
    looked up. To search again what is known in another form would take four times as long as to find the proof.
    """
    moves, left = legal_moves(own, opp, desk.board), count(empties_of(own, opp, desk)) - ONE
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips(own, opp, square)
        next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
        for form in range(EIGHT if rows == columns else FOUR):
            data = probe(desk.table, symmetry(next_own, form, rows, columns), symmetry(next_opp, form, rows, columns))
            if data and reaches(data, left, NO_SELECTIVITY) and -upper_bound(data) >= least:
                return square
    return NO_SQUARE


@kernel("int64(uint64, uint64[:, ::1], uint8[::1], int64, uint64, uint64)")
def find_moves(address: int, positions: Array, moves: Array, least: int, rows: int, columns: int) -> int:
    """Writes a move that gets at least so much in each position; returns how many it found before one has none, or
    somebody stopped it."""
    desk = desk_at(address)
    for row in range(positions.shape[0]):
        own, opp = positions[row, 0], positions[row, 1]
        square = known_to_reach(own, opp, least, rows, columns, desk)
        if square == NO_SQUARE:
            desk.selectivity, desk.probcut_level, desk.root_move = NO_SELECTIVITY, ZERO, PASS
            set_root_numbers(own, opp, desk)
            empties = count(empties_of(own, opp, desk))
            if principal_variation(own, opp, least - 1, least, empties, ZERO, desk) < least or desk.aborted:
                return int64(row)
            square = desk.root_move
        moves[row] = square
    return int64(positions.shape[0])


@dataclass(frozen=True)
class Answer:
    """What the engine says of a question."""

    holds: bool
    moves: bytes
    """Those of the side that is right, as `tree.walk` asks for them."""
    nodes: int
    seconds: float
    """Of a processor."""


@dataclass(frozen=True)
class Question:
    """Does the side to move get at least so much? The proof goes down to so many empty squares."""

    variant: Variant
    own: int
    opp: int
    least: int
    leaves: int
    long = True

    @property
    def position(self) -> Position:
        return Position(self.own, self.opp, variant=self.variant)

    def __str__(self) -> str:
        return f"{self.position.text} of {self.variant}, at least {self.least:+}"

    def __call__(self, stop: Stop) -> Answer:
        position = self.position
        load(find_moves)
        searcher = opened(self.variant, MEGABYTES, stop)
        began = time.thread_time()
        selective = searcher.selective
        pace = SOLVER if selective else DIRECT
        for iteration in iterations(position.empties, position.empties, True, pace, selective):
            value = searcher.within(position, self.least - 1, self.least, iteration).value
        holds = value >= self.least
        least = self.least if holds else 1 - self.least
        found, shape = list[Array](), (self.variant.rows, self.variant.columns)

        def choose(level: Level) -> Array:
            moves = np.empty(len(level.ours), np.uint8)
            if find_moves(searcher.address, level.ours, moves, least, *shape) < len(moves) and not stop.is_set:
                raise AssertionError(f"the engine contradicts itself below {self}")
            found.append(moves)
            return moves

        if not stop.is_set:
            for _ in walk(self.variant, start_of(position, holds), self.leaves, choose):
                if stop.is_set:
                    break
        moves = np.concatenate(found) if found else np.zeros(0, np.uint8)
        return Answer(holds, moves.tobytes(), searcher.nodes, time.thread_time() - began)


@dataclass(frozen=True)
class Guess:
    """About what is a game worth to its first player? Exactly so where that does not take long."""

    variant: Variant
    long = True

    def __str__(self) -> str:
        return f"the value of {self.variant}"

    def __call__(self, stop: Stop) -> Answer:
        position = Position.start(self.variant)
        searcher = opened(self.variant, MEGABYTES, stop, GUESS_NODES)
        began = time.thread_time()
        pace = SOLVER if searcher.selective else DIRECT
        *before, exact = iterations(position.empties, position.empties, True, pace, searcher.selective)
        # A selective search of the whole game is as good a guess as an exact one, and much quicker.
        value = searcher.search(position, Iteration(min(GUESS_DEPTH, position.empties), SURE)).value
        for step in searcher.deepened(position, before or [exact], pace.wide_to):
            if not step.found.aborted:
                value = step.value
        return Answer(True, int(value).to_bytes(2, "little", signed=True), searcher.nodes, time.thread_time() - began)


def ranked(position: Position) -> tuple[int, ...]:
    """The legal moves, those that look best first."""
    if len(position.legal_moves) < 2:
        return position.legal_moves
    searcher = opened(position.variant, RANKING_MEGABYTES, Stop())
    depth = min(RANKING_DEPTH, position.empties - 1)
    values = {move: -searcher.search(position.play(move), Iteration(depth)).value for move in position.legal_moves}
    return tuple(sorted(values, key=lambda move: (-values[move], move)))
