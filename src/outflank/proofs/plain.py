"""The checker's own solver: plain alpha-beta with a null window, to the end of the game and without any estimate.

It shares the rules' kernels with the engine and nothing else. Moves that leave the fewest replies come first, which
changes how long it takes and never what it says. Its memory is the one thing that spares it a search, and what makes
that safe stands at `recall`.
"""

from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, final_margin, flips, hash64, legal_moves
from outflank.board.memory import load_atomic
from outflank.board.records import Atomic, Record, Row, Signed, Word, at_address, elsewhere, inline, place_of
from outflank.board.variant import Variant
from outflank.board.vectors import count, lowest
from outflank.work.stop import Stop

Array = Any

MOST_EMPTIES = 31
"""Empty squares of a position that it can be asked about."""
SORTED_FROM = uint64(6)
"""Empties from which moves are sorted: below, it costs more than it saves."""
REMEMBERED_FROM = uint64(8)
SLOTS = 1 << 16
SIX, SQUARE, MOVES_A_ROW = uint64(6), uint64(63), uint64(5)
UNKNOWN = uint64(0)


class Notes(Record):
    """What one thread works on."""

    board: Word
    corners: Word
    sign: Signed
    """-1 where fewest discs win."""
    nodes: Word
    stop: Atomic = elsewhere()
    memory: Row[Word] = elsewhere()
    moves: Row[Word] = inline((MOST_EMPTIES + 1) << int(MOVES_A_ROW))
    """The moves of the line being searched, in the order to try them: a row for each number of empty squares."""


notes_at = at_address(Notes)


@kernel("boolean(uint64, uint64, int64, Notes)")
def ends_above(own: int, opp: int, alpha: int, notes: Notes) -> bool:
    """Whether a finished game's score is above alpha."""
    return notes.sign * final_margin(own, opp, notes.board) > alpha


@kernel("boolean(uint64, uint64, uint64, int64, uint64, Notes)")
def few_above(own: int, opp: int, empty: int, alpha: int, passed: int, notes: Notes) -> bool:
    """`above` for the last few empty squares: tries one after the other."""
    notes.nodes += ONE
    waiting, moved = empty, False
    while waiting:
        square = lowest(waiting)
        waiting &= waiting - ONE
        turned = flips(own, opp, square)
        if turned:
            moved = True
            if not few_above(
                opp & ~turned, own | turned | (ONE << square), empty ^ (ONE << square), -alpha - 1, ZERO, notes
            ):
                return True
    if moved:
        return False
    if passed or empty == ZERO:
        return ends_above(own, opp, alpha, notes)
    return not few_above(opp, own, empty, -alpha - 1, ONE, notes)


@kernel("uint64(uint64, uint64, uint64, uint64, Notes)")
def sort_moves(own: int, opp: int, moves: int, left: int, notes: Notes) -> int:
    """Writes the moves in their order, those that leave the fewest replies first; returns where they begin."""
    begin = left << MOVES_A_ROW
    length = ZERO
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips(own, opp, square)
        replies = legal_moves(opp & ~turned, own | turned | (ONE << square), notes.board)
        # A corner to go to is two replies, and half a reply less where fewest discs win: nobody wants it then.
        corners = count(replies & notes.corners)
        rank = uint64(64) + uint64(2) * count(replies)
        rank = rank - corners if notes.sign < int64(0) else rank + uint64(2) * corners
        key = (rank << SIX) | square
        place = begin + length
        while place > begin and notes.moves[place - ONE] > key:
            notes.moves[place] = notes.moves[place - ONE]
            place -= ONE
        notes.moves[place] = key
        length += ONE
    return begin


@kernel("uint64(uint64, uint64, int64, Notes)")
def recall(own: int, opp: int, alpha: int, notes: Notes) -> int:
    """What is known of "above alpha?": 0 nothing, 1 no, 2 yes.

    A slot holds both words of a position whole, so that no other position can be taken for it, and what this solver
    itself has proved of it with this alpha: a hit repeats a proof that was made in this very run.
    """
    at = (hash64(own, opp) & uint64(SLOTS - 1)) << uint64(2)
    if notes.memory[at] == own and notes.memory[at + ONE] == opp and int64(notes.memory[at + uint64(2)]) == alpha:
        return notes.memory[at + uint64(3)]
    return UNKNOWN


@kernel("boolean(uint64, uint64, int64, Notes)")
def above(own: int, opp: int, alpha: int, notes: Notes) -> bool:
    """Whether the side to move scores more than alpha when both play best."""
    empty = notes.board & ~(own | opp)
    left = count(empty)
    if left < SORTED_FROM:
        return few_above(own, opp, empty, alpha, ZERO, notes)
    notes.nodes += ONE
    moves = legal_moves(own, opp, notes.board)
    if moves == ZERO:
        if legal_moves(opp, own, notes.board) == ZERO:
            return ends_above(own, opp, alpha, notes)
        return not above(opp, own, -alpha - 1, notes)
    if left >= REMEMBERED_FROM:
        known = recall(own, opp, alpha, notes)
        if known:
            return known > ONE
    at = sort_moves(own, opp, moves, left, notes)
    end = at + count(moves)
    higher = False
    while at < end and not higher:
        square = notes.moves[at] & SQUARE
        at += ONE
        turned = flips(own, opp, square)
        higher = not above(opp & ~turned, own | turned | (ONE << square), -alpha - 1, notes)
    if left >= REMEMBERED_FROM:
        slot = (hash64(own, opp) & uint64(SLOTS - 1)) << uint64(2)
        notes.memory[slot], notes.memory[slot + ONE] = own, opp
        notes.memory[slot + uint64(2)] = uint64(alpha)
        notes.memory[slot + uint64(3)] = uint64(2) if higher else ONE
    return higher


@kernel("int64(uint64, uint64[:, ::1], int64, boolean)")
def as_claimed(address: int, positions: Array, alpha: int, wanted: bool) -> int:
    """How many of these positions, from the first on, are above alpha or not, as wanted; it ends early when stopped."""
    notes = notes_at(address)
    for row in range(positions.shape[0]):
        if load_atomic(notes.stop) or above(positions[row, 0], positions[row, 1], alpha, notes) != wanted:
            return int64(row)
    return int64(positions.shape[0])


class PlainSolver:
    """The solver with its memory, for one game and one thread."""

    def __init__(self, variant: Variant) -> None:
        self._memory = np.zeros(4 * SLOTS, np.uint64)
        self._notes = Notes.new()
        self._notes.board, self._notes.corners, self._notes.sign = variant.board, variant.corners, variant.sign
        self._notes.memory = place_of(self._memory)
        self._stop = Stop()
        self.watch(self._stop)

    def watch(self, stop: Stop) -> None:
        """Ends what it does when this is set, at the next position."""
        self._stop = stop  # kept: the notes have only its address
        self._notes.stop = stop.address

    @property
    def nodes(self) -> int:
        """Positions visited so far."""
        return self._notes.nodes

    def as_claimed(self, positions: Array, alpha: int, wanted: bool) -> int:
        """How many positions, from the first on, score more than alpha for the side to move, or not, as wanted."""
        return as_claimed(self._notes.address, positions, alpha, wanted)

    def above(self, own: int, opp: int, alpha: int) -> bool:
        """Whether the side to move scores more than alpha."""
        return self.as_claimed(np.array([[own, opp]], np.uint64), alpha, True) == 1
