"""The exact search of the last dozen empties: null windows with a table, the moves that leave the fewest replies first.

A position's value for the side to move is asked as "above alpha or not?". Here nothing is estimated; further from the
end `midgame` searches, which comes here for what is left. In the last plies parity alone sorts (`lastplies`).
"""

from typing import Any

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, legal_moves, stable_discs
from outflank.board.memory import shared_word, words_at
from outflank.board.vectors import count, flips, lowest
from outflank.search.engine.lastplies import (
    ABORTED,
    AGE,
    BOARD,
    CORNERS,
    NODES,
    NONE,
    REVERSED,
    SQUARES,
    STOP,
    TABLE,
    favoured_quarters,
    final_score,
    solve_by_parity,
)
from outflank.search.engine.table import (
    BEST,
    CERTAIN,
    NO_SQUARE,
    SECOND,
    SEVEN_BITS,
    check_bits,
    look_up,
    lower_bound,
    reaches,
    store,
    table_hash,
    upper_bound,
)

Words = Any

# The desk, second part: the desk's own address, where the evaluation's tables are, and how the search is done.
SELF, POWERS, WEIGHTS, OFFSETS, SLOT_COUNT, STAGE_BYTES, WHITE_AT_ROOT = (uint64(index) for index in range(16, 23))
CERTAINTY, MARGINS, NESTED, NODE_LIMIT, ROOT_MOVE, NEAR_TABLE, NEAR_MASK = (uint64(index) for index in range(24, 31))
# Where several threads search one tree (see `sharing`).
HALL, THREAD, THREADS, OFFER, OWN_OFFERS, SEARCH, SHARED_SQUARE = (uint64(index) for index in range(96, 103))
PLIES = uint64(112)
"""Where the plies' parts begin: each its moves in order, the discs that each square turns, its pattern numbers."""
TURNED = uint64(64)
NUMBERS = uint64(128)
A_PLY = uint64(128 + 16)
MAX_PLIES = 128
DESK_WORDS = int(PLIES) + MAX_PLIES * int(A_PLY)

# Chosen by node counts and times on FFO #20–39.
SORTED_FROM = uint64(7)
"""Empties from which moves are sorted and the table used; below, parity alone is quicker."""
NEAR_BELOW = uint64(12)
"""Empties below which each thread has a small table of its own: it stays near, in the processor's cache."""
SIBLINGS_FROM = uint64(10)
"""Empties from which the children are looked up before any is searched (enhanced transposition cut-off)."""
STABILITY_FROM = 10
"""Alpha from which stable discs are counted: below, they hardly ever cut off."""
REPLY, CORNER, FAVOURED_QUARTER, TURNED_DISC = (uint64(weight) for weight in (16, 4, 4, 2))
SHUNNED_REPLY, SHUNNED = uint64(8), uint64(12)
"""What sorts moves. Where fewest win, corners are the last to take and the best to leave to the other side."""
LOOK_AT_STOP = uint64(255)
SQUARE = uint64(63)
SIX = uint64(6)
DECIDED_BYTES, ABOVE = uint64(3 * 8), uint64(13)
"""Where an offer says that it is decided, and which one it was made below."""


@kernel("boolean(CPointer(uint64))")
def ended(desk: Words) -> bool:
    """Whether this search is to end: somebody said so, or a node above it is decided."""
    if shared_word(desk[STOP]):
        return True
    offer = desk[OFFER]
    while offer:
        if shared_word(offer + DECIDED_BYTES):
            return True
        above: Words = words_at(offer)
        offer = above[ABOVE]
    return False


@kernel("int64(uint64, uint64, CPointer(uint64))")
def ceiling(own: int, opp: int, desk: Words) -> int:
    """What the score cannot pass: stable enemy discs stay enemy discs (own ones, where fewest win)."""
    kept = stable_discs(own, opp, desk[BOARD]) if desk[REVERSED] else stable_discs(opp, own, desk[BOARD])
    return int64(desk[SQUARES]) - 2 * int64(count(kept))


@kernel("uint64(uint64, uint64, CPointer(uint64))")
def put_in_order(at: int, length: int, desk: Words) -> int:
    """Moves the last of a list of keys to its place among the others; returns the new length."""
    key, place = desk[at + length], length
    while place and desk[at + place - ONE] > key:
        desk[at + place] = desk[at + place - ONE]
        place -= ONE
    desk[at + place] = key
    return length + ONE


@kernel("uint64(uint64, uint64, uint64, uint64, uint64, CPointer(uint64))")
def sort_by_replies(own: int, opp: int, moves: int, data: int, ply: int, desk: Words) -> int:
    """Writes the moves in the order to try them, each under its key; returns their number.

    The table's moves come first. Then those that leave the fewest replies, in favoured quarters and turning few discs
    a little earlier; what corners count depends on the objective.
    """
    at = PLIES + ply * A_PLY
    best, second = NO_SQUARE, NO_SQUARE
    if data:
        best, second = (data >> BEST) & SEVEN_BITS, (data >> SECOND) & SEVEN_BITS
    favoured = favoured_quarters(desk[BOARD] & ~(own | opp), desk)
    length = ZERO
    while moves:
        square = lowest(moves)
        disc = ONE << square
        moves &= moves - ONE
        turned = flips(own, opp, square)
        desk[at + TURNED + square] = turned
        if square == best:
            key = ZERO
        elif square == second:
            key = ONE
        else:
            answers = legal_moves(opp & ~turned, own | turned | disc, desk[BOARD])
            corner_replies = count(answers & desk[CORNERS])
            key = uint64(64) + REPLY * count(answers) + TURNED_DISC * count(turned)
            if favoured & disc:
                key -= FAVOURED_QUARTER
            if desk[REVERSED]:
                key -= SHUNNED_REPLY * corner_replies
                if disc & desk[CORNERS]:
                    key += SHUNNED
            else:
                key += REPLY * corner_replies
                if disc & desk[CORNERS]:
                    key -= CORNER
        desk[at + length] = (key << SIX) | square
        length = put_in_order(at, length, desk)
    return length


@kernel("uint64(uint64)")
def _table_for(left: int) -> int:
    """Where on the desk the table's address stands; its mask follows."""
    return NEAR_TABLE if left < NEAR_BELOW else TABLE


@kernel("uint64(uint64, uint64, uint64, CPointer(uint64))")
def recall(own: int, opp: int, left: int, desk: Words) -> int:
    """The table's data for a position with so many empties, or 0."""
    which = _table_for(left)
    return look_up(words_at(desk[which]), desk[which + ONE], table_hash(own, opp), check_bits(own, opp))


@kernel("boolean(uint64, uint64, uint64, int64, uint64, uint64, uint64, CPointer(uint64))")
def a_child_refutes(
    own: int, opp: int, length: int, alpha: int, depth: int, certainty: int, at: int, desk: Words
) -> bool:
    """True when the table already knows a child so bad for the other side that this node is above alpha."""
    left = count(desk[BOARD] & ~(own | opp)) - ONE
    for index in range(length):
        square = desk[at + index] & SQUARE
        turned = desk[at + TURNED + square]
        data = recall(opp & ~turned, own | turned | (ONE << square), left, desk)
        if data and reaches(data, depth - ONE, certainty) and -upper_bound(data) > alpha:
            return True
    return False


@kernel("void(uint64, uint64, int64, int64, int64, uint64, uint64, CPointer(uint64))")
def remember(own: int, opp: int, alpha: int, beta: int, value: int, square: int, rank: int, desk: Words) -> None:
    """Stores what a search with a window found: a bound on each side that the value did not pass."""
    worst = -int64(desk[SQUARES])
    lower = value if value > alpha else worst
    upper = value if value < beta else -worst
    key, check = table_hash(own, opp), check_bits(own, opp)
    which = _table_for(count(desk[BOARD] & ~(own | opp)))
    store(words_at(desk[which]), desk[which + ONE], key, check, lower, upper, square, rank, desk[AGE])


@kernel("int64(uint64, uint64, int64, uint64, CPointer(uint64))")
def null_window(own: int, opp: int, alpha: int, ply: int, desk: Words) -> int:
    """Whether the score is above alpha, as a bound on that side of it."""
    empty = desk[BOARD] & ~(own | opp)
    left = count(empty)
    if left < SORTED_FROM:
        return solve_by_parity(own, opp, empty, alpha, desk)
    desk[NODES] += ONE
    if desk[NODES] & LOOK_AT_STOP == ZERO and ended(desk):
        desk[ABORTED] = ONE
    if alpha >= int64(STABILITY_FROM):
        most = ceiling(own, opp, desk)
        if most <= alpha:
            return most
    data = recall(own, opp, left, desk)
    if data and reaches(data, left, CERTAIN):
        if lower_bound(data) > alpha:
            return lower_bound(data)
        if upper_bound(data) <= alpha:
            return upper_bound(data)
    moves = legal_moves(own, opp, desk[BOARD])
    if moves == ZERO:
        if legal_moves(opp, own, desk[BOARD]) == ZERO:
            return final_score(own, opp, desk)
        return -null_window(opp, own, -alpha - 1, ply + ONE, desk)
    at = PLIES + ply * A_PLY
    end = at + sort_by_replies(own, opp, moves, data, ply, desk)
    if left >= SIBLINGS_FROM and a_child_refutes(own, opp, end - at, alpha, left, CERTAIN, at, desk):
        return alpha + 1
    best, best_square = int64(NONE), NO_SQUARE
    while at < end:
        square = desk[at] & SQUARE
        at += ONE
        turned = desk[PLIES + ply * A_PLY + TURNED + square]
        value = -null_window(opp & ~turned, own | turned | (ONE << square), -alpha - 1, ply + ONE, desk)
        if desk[ABORTED]:
            return alpha
        if value > best:
            best, best_square = value, square
            if value > alpha:
                break
    remember(own, opp, alpha, alpha + 1, best, best_square, (left << uint64(3)) | CERTAIN, desk)
    return best
