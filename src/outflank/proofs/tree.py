"""A proof as a tree: the side that claims a result answers every move of the other side with one move.

Both ends walk the tree here, level by level (a level is a number of empty squares): the prover to write its moves down,
the checker to read them. Positions are canonical, sorted and distinct, so that a proof is nothing but a row of moves.
Only the rules are used.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, canonical, final_margin, flips, legal_moves
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.board.vectors import count, lowest

Array = Any
"""Of NumPy. Positions are rows of two words, the side to move's discs and the other side's."""

CAN_MOVE, MUST_PASS, OVER = 0, 1, 2
NO_POSITIONS = np.zeros((0, 2), np.uint64)


@kernel("void(uint64[:, ::1], uint64, uint8[::1], int64[::1])")
def survey(positions: Array, board: int, kinds: Array, margins: Array) -> None:
    """Whether the side to move can move, must pass, or the game is over; and the margin as if it were."""
    for row in range(positions.shape[0]):
        own, opp = positions[row, 0], positions[row, 1]
        kinds[row] = CAN_MOVE
        if legal_moves(own, opp, board) == ZERO:
            kinds[row] = MUST_PASS if legal_moves(opp, own, board) else OVER
        margins[row] = final_margin(own, opp, board)


@kernel("void(uint64[:, ::1], uint64, uint64, uint64[:, ::1])")
def after_passes(positions: Array, rows: int, columns: int, found: Array) -> None:
    """The positions with the sides exchanged."""
    for row in range(positions.shape[0]):
        found[row, 0], found[row, 1] = canonical(positions[row, 1], positions[row, 0], rows, columns)


@kernel("int64(uint64[:, ::1], uint8[::1], uint64, uint64, uint64, uint64[:, ::1])")
def after_moves(positions: Array, moves: Array, board: int, rows: int, columns: int, found: Array) -> int:
    """The positions after one move each; returns the first row whose move is illegal, or the number of rows."""
    for row in range(positions.shape[0]):
        own, opp, square = positions[row, 0], positions[row, 1], uint64(moves[row])
        if square > uint64(63) or (legal_moves(own, opp, board) >> square) & ONE == ZERO:
            return int64(row)
        turned = flips(own, opp, square)
        found[row, 0], found[row, 1] = canonical(opp & ~turned, own | turned | (ONE << square), rows, columns)
    return int64(positions.shape[0])


@kernel("int64(uint64[:, ::1], uint64)")
def count_moves(positions: Array, board: int) -> int:
    """The legal moves of all positions together."""
    total = ZERO
    for row in range(positions.shape[0]):
        total += count(legal_moves(positions[row, 0], positions[row, 1], board))
    return int64(total)


@kernel("void(uint64[:, ::1], uint64, uint64, uint64, uint64[:, ::1])")
def after_all_moves(positions: Array, board: int, rows: int, columns: int, found: Array) -> None:
    """The positions after every legal move of each."""
    at = 0
    for row in range(positions.shape[0]):
        own, opp = positions[row, 0], positions[row, 1]
        moves = legal_moves(own, opp, board)
        while moves:
            square = lowest(moves)
            moves &= moves - ONE
            turned = flips(own, opp, square)
            found[at, 0], found[at, 1] = canonical(opp & ~turned, own | turned | (ONE << square), rows, columns)
            at += 1


@kernel("int64(uint64[:, ::1], uint8[::1], uint64, uint64, uint64, uint64, uint64)")
def row_before(positions: Array, moves: Array, board: int, rows: int, columns: int, own: int, opp: int) -> int:
    """The first row from which its move leads to a position, or any move where it is a pass; -1 where none does."""
    for row in range(positions.shape[0]):
        choices = legal_moves(positions[row, 0], positions[row, 1], board)
        if uint64(moves[row]) < uint64(64):
            choices &= ONE << uint64(moves[row])
        while choices:
            square = lowest(choices)
            choices &= choices - ONE
            turned = flips(positions[row, 0], positions[row, 1], square)
            next_own, next_opp = positions[row, 1] & ~turned, positions[row, 0] | turned | (ONE << square)
            found_own, found_opp = canonical(next_own, next_opp, rows, columns)
            if found_own == own and found_opp == opp:
                return int64(row)
    return int64(-1)


@kernel("int64(uint64[:, ::1], uint64, uint64)")
def place_in(positions: Array, own: int, opp: int) -> int:
    """The row of a position among sorted ones; -1 where it is none of them."""
    low, high = int64(0), int64(positions.shape[0])
    while low < high:
        middle = (low + high) // 2
        if positions[middle, 0] < own or (positions[middle, 0] == own and positions[middle, 1] < opp):
            low = middle + 1
        else:
            high = middle
    if low < positions.shape[0] and positions[low, 0] == own and positions[low, 1] == opp:
        return low
    return int64(-1)


@kernel("int64(uint64[:, ::1], uint64[:, ::1], int64[::1])")
def find_rows(positions: Array, wanted: Array, rows: Array) -> int:
    """The row of each wanted position among sorted ones; returns the first that is none of them, or their number."""
    for index in range(wanted.shape[0]):
        rows[index] = place_in(positions, wanted[index, 0], wanted[index, 1])
        if rows[index] < 0:
            return int64(index)
    return int64(wanted.shape[0])


def rows_of(positions: Array, wanted: Array) -> Array:
    """The row of each wanted position among sorted ones."""
    rows = np.empty(len(wanted), np.int64)
    if (missing := find_rows(positions, wanted, rows)) < len(wanted):
        raise AssertionError(f"the tree lacks {wanted[missing]}")
    return rows


def order_of(positions: Array) -> Array:
    """The rows in the order of their boards; equal ones stay in the order that they had."""
    return np.lexsort((positions[:, 1], positions[:, 0]))


def first_of_each(ordered: Array) -> Array:
    """Which rows of sorted positions are not the one before."""
    new = np.ones(len(ordered), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return new


def distinct(*parts: Array) -> Array:
    """Positions sorted, each once."""
    positions = np.concatenate(parts)
    ordered = positions[order_of(positions)]
    return np.ascontiguousarray(ordered[first_of_each(ordered)])


# The checker says these two in words of its own.
class IllegalMove(ValueError):  # noqa: N818
    """A move of the claiming side is not legal; the levels down to it tell where."""

    def __init__(self, row: int) -> None:
        super().__init__(f"the move in row {row} is not legal")
        self.row = row


class NoMoreMoves(ValueError):  # noqa: N818
    """There are fewer moves than positions that need one."""

    def __init__(self, empties: int) -> None:
        super().__init__(f"no more moves at {empties} empty squares")
        self.empties = empties


@dataclass(frozen=True)
class Level:
    """All positions of a tree with so many empty squares."""

    empties: int
    ours: Array
    """The claiming side is to move."""
    theirs: Array
    finished: Array = field(default_factory=lambda: NO_POSITIONS)
    """Games that are over."""
    finished_ours: Array = field(default_factory=lambda: np.zeros(0, bool))
    """Whether the claiming side would be to move in each of them."""
    margins: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    """Their margins in discs, most discs winning, for the claiming side."""
    moves: Array = field(default_factory=lambda: np.zeros(0, np.uint8))
    """The claiming side's move in each of `ours`; none where these are leaves."""

    @property
    def size(self) -> int:
        return len(self.ours) + len(self.theirs) + len(self.finished)


Choose = Callable[[Level], Array]
"""The claiming side's move, a square, in each of its positions."""


class Written:
    """Moves that were written down, read in the order of the walk."""

    def __init__(self, moves: bytes) -> None:
        self._moves = np.frombuffer(moves, np.uint8).copy()  # compiled code takes no array that cannot be written to
        self._used = 0

    def __call__(self, level: Level) -> Array:
        begin, self._used = self._used, self._used + len(level.ours)
        if self._used > len(self._moves):
            raise NoMoreMoves(level.empties)
        return self._moves[begin : self._used]

    @property
    def left(self) -> int:
        """How many were not read."""
        return len(self._moves) - self._used


def start_of(position: Position, claimed_by_mover: bool) -> Level:
    """The level that holds one position."""
    alone = np.array([canonical_of(position)], np.uint64)
    return Level(position.empties, *((alone, NO_POSITIONS) if claimed_by_mover else (NO_POSITIONS, alone)))


def walk(variant: Variant, top: Level, leaves: int, choose: Choose) -> Iterator[Level]:
    """The levels of a tree from its top down, each with the moves chosen in it; the last holds the leaves, which have
    so many empty squares at most."""
    shape = (variant.board, variant.rows, variant.columns)
    level = top
    while level.empties > leaves:
        level = _settled(variant, level)
        if level.size == 0:
            return
        moves = choose(level)
        level = replace(level, moves=moves)
        yield level
        answered = np.empty_like(level.ours)
        legal = after_moves(level.ours, moves, *shape, answered)
        if legal < len(moves):
            raise IllegalMove(legal)
        replies = np.empty((count_moves(level.theirs, variant.board), 2), np.uint64)
        after_all_moves(level.theirs, *shape, replies)
        level = Level(level.empties - 1, distinct(replies), distinct(answered))
    yield level


def _settled(variant: Variant, level: Level) -> Level:
    """A side without a move passes, or the game is over: both stay on the level."""
    ours, our_passes, our_ends, our_margins = _parted(variant, level.ours)
    theirs, their_passes, their_ends, their_margins = _parted(variant, level.theirs)
    if not len(our_passes) + len(their_passes) + len(our_ends) + len(their_ends):
        return level
    return Level(
        level.empties,
        distinct(ours, their_passes),
        distinct(theirs, our_passes),
        np.concatenate((our_ends, their_ends)),
        np.arange(len(our_ends) + len(their_ends)) < len(our_ends),
        np.concatenate((our_margins, -their_margins)),
    )


def _parted(variant: Variant, positions: Array) -> tuple[Array, Array, Array, Array]:
    """Positions with a move, those after a pass, and those at the end with their margins."""
    kinds, margins = np.empty(len(positions), np.uint8), np.empty(len(positions), np.int64)
    survey(positions, variant.board, kinds, margins)
    waiting = np.ascontiguousarray(positions[kinds == MUST_PASS])
    passed = np.empty_like(waiting)
    after_passes(waiting, variant.rows, variant.columns, passed)
    over = kinds == OVER
    return positions[kinds == CAN_MOVE], passed, positions[over], margins[over]


Place = tuple[int, int, bool]
"""A position of a tree: the side to move's discs, the other side's, and whether the claiming side is to move."""


def line_to(start: Position, above: list[Level], place: Place) -> list[int]:
    """Moves from the start to a position of the level that follows these: where it is, for people to look at."""
    chain = [place]
    for level in reversed(above):
        found = _before(start.variant, level, chain[-1])
        if found is None:
            chain.append(_exchanged(start.variant, chain[-1]))  # a pass led to it
            found = _before(start.variant, level, chain[-1])
        if found is None:
            raise AssertionError("a position of a tree that nothing leads to")
        chain.append(found)
    here, line = start, []
    if chain[-1][:2] != canonical_of(start):
        chain.append(_exchanged(start.variant, chain[-1]))
    for own, opp, _ in chain[-2::-1]:
        moves = here.legal_moves or (PASS,)
        line.append(next(move for move in moves if canonical_of(here.play(move)) == (own, opp)))
        here = here.play(line[-1])
    return line


def _before(variant: Variant, level: Level, place: Place) -> Place | None:
    """A position of the level above from which a move leads to this one."""
    own, opp, ours = place
    from_rows = level.theirs if ours else level.ours
    moves = np.full(len(from_rows), PASS, np.uint8) if ours else level.moves
    row = row_before(from_rows, moves, variant.board, variant.rows, variant.columns, own, opp)
    return None if row < 0 else (int(from_rows[row, 0]), int(from_rows[row, 1]), not ours)


def _exchanged(variant: Variant, place: Place) -> Place:
    own, opp, ours = place
    return *canonical(opp, own, variant.rows, variant.columns), not ours


def canonical_of(position: Position) -> tuple[int, int]:
    """A position as the trees have it: the smallest of its symmetric forms, seen by the side to move."""
    return canonical(position.own, position.opp, position.variant.rows, position.variant.columns)
