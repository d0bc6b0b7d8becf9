"""The exact endgame search: null windows with a table, moves sorted, cut off by stability.

A position's value for the side to move is asked as "above alpha or not?" nearly everywhere; only along the principal
variation is the window open. Far from the end the evaluation sorts the moves, nearer to it the number of replies that
they leave ("fastest first"), and in the last plies parity alone.
"""

from typing import Any

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, legal_moves, stable_discs
from outflank.board.memory import shared_word, words_at
from outflank.board.vectors import count, flips, lowest
from outflank.evaluation.patternkernels import look_up_sum, play_numbers, set_numbers
from outflank.search.lastplies import (
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
    TABLE_MASK,
    final_score,
    odd_quarters,
    solve_by_parity,
)
from outflank.search.table import (
    BEST,
    NO_SQUARE,
    SECOND,
    SEVEN_BITS,
    check_bits,
    look_up,
    lower_bound,
    store,
    table_hash,
    upper_bound,
)

Words = Any

# The desk, second part: the desk's own address, where the evaluation's tables are, and what tells threads apart.
SELF, POWERS, WEIGHTS, OFFSETS, SLOT_COUNT, STAGE_BYTES, WHITE_AT_ROOT, VALUED_FROM, SALT = (
    uint64(index) for index in range(16, 25)
)
PLIES = uint64(96)
"""Where the plies' parts begin: each its moves in order, the discs that each square turns, its pattern numbers."""
TURNED = uint64(64)
NUMBERS = uint64(128)
A_PLY = uint64(128 + 16)
MAX_PLIES = 128
DESK_WORDS = int(PLIES) + MAX_PLIES * int(A_PLY)

# Chosen by node counts and times on FFO #20–39.
VALUED_FROM_EMPTIES = 13
"""Empties from which the evaluation sorts the moves."""
SORTED_FROM = uint64(8)
"""Empties from which moves are sorted and the table used; below, parity alone is quicker."""
SIBLINGS_FROM = uint64(11)
"""Empties from which the children are looked up before any is searched (enhanced transposition cut-off)."""
LOOK_FROM, LOOK_STEP = uint64(12), uint64(3)
"""Sorting looks one ply deeper from 15 empties on and for every three more."""
STABILITY_FROM = 10
"""Alpha from which stable discs are counted: below, they hardly ever cut off."""
REPLY = uint64(16)
ODD_QUARTER, CORNER = uint64(8), uint64(12)
REPLY_IN_UNITS = 128
"""What one reply less is worth beside the evaluation, in its units: one disc."""
LOOK_AT_STOP = uint64(255)
SQUARE = uint64(63)
SIX = uint64(6)
INFINITE = 1 << 30
UNITS_A_DISC = 128


@kernel("int64(uint64, uint64, CPointer(uint64))")
def _ceiling(own: int, opp: int, desk: Words) -> int:
    """What the score cannot pass: stable enemy discs stay enemy discs (own ones, where fewest win)."""
    kept = stable_discs(own, opp, desk[BOARD]) if desk[REVERSED] else stable_discs(opp, own, desk[BOARD])
    return int64(desk[SQUARES]) - 2 * int64(count(kept))


@kernel("uint64(uint64, CPointer(uint64))")
def _numbers_at(ply: int, desk: Words) -> int:
    """The address of a ply's pattern numbers."""
    return desk[SELF] + ((PLIES + ply * A_PLY + NUMBERS) << uint64(3))  # type: ignore[no-any-return]


@kernel("void(uint64, CPointer(uint64))")
def _pass_numbers(ply: int, desk: Words) -> None:
    """A pass changes no pattern."""
    here, below = PLIES + ply * A_PLY + NUMBERS, PLIES + (ply + ONE) * A_PLY + NUMBERS
    for index in range(uint64(16)):
        desk[below + index] = desk[here + index]


@kernel("void(uint64, uint64, uint64, CPointer(uint64))")
def _move_numbers(ply: int, square: int, turned: int, desk: Words) -> None:
    """The next ply's pattern numbers after a move here."""
    white = (desk[WHITE_AT_ROOT] + ply) & ONE
    play_numbers(_numbers_at(ply + ONE, desk), _numbers_at(ply, desk), desk[POWERS], square, turned, white)


@kernel("int64(uint64, uint64, int64, int64, uint64, uint64, CPointer(uint64))")
def _estimate(own: int, opp: int, alpha: int, beta: int, depth: int, ply: int, desk: Words) -> int:
    """The evaluation after a shallow alpha-beta search, in its units; this ply's pattern numbers must be set."""
    if depth == ZERO:
        stage = ((count(own | opp) - uint64(4)) >> ONE) * uint64(2) + ((desk[WHITE_AT_ROOT] + ply) & ONE)
        weights = desk[WEIGHTS] + stage * desk[STAGE_BYTES]
        return look_up_sum(_numbers_at(ply, desk), weights, words_at(desk[OFFSETS]), desk[SLOT_COUNT])
    moves = legal_moves(own, opp, desk[BOARD])
    if moves == ZERO:
        if legal_moves(opp, own, desk[BOARD]) == ZERO:
            return int64(UNITS_A_DISC) * final_score(own, opp, desk)
        _pass_numbers(ply, desk)
        return -_estimate(opp, own, -beta, -alpha, depth, ply + ONE, desk)
    best = -int64(INFINITE)
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips(own, opp, square)
        _move_numbers(ply, square, turned, desk)
        value = -_estimate(opp & ~turned, own | turned | (ONE << square), -beta, -alpha, depth - ONE, ply + ONE, desk)
        if value > best:
            best = value
            alpha = max(alpha, value)
            if value >= beta:
                break
    return best


@kernel("uint64(uint64, uint64, CPointer(uint64))")
def _put_in_order(at: int, length: int, desk: Words) -> int:
    """Moves the last of a list of keys to its place among the others; returns the new length."""
    key, place = desk[at + length], length
    while place and desk[at + place - ONE] > key:
        desk[at + place] = desk[at + place - ONE]
        place -= ONE
    desk[at + place] = key
    return length + ONE


@kernel("uint64(uint64, uint64, uint64, uint64, uint64, uint64, CPointer(uint64))")
def _sort_moves(own: int, opp: int, moves: int, data: int, depth: int, ply: int, desk: Words) -> int:
    """Writes the moves in the order to try them, each under its key; returns their number.

    The table's moves come first. Then those that leave the other side the least by the evaluation and the fewest
    replies; without the evaluation the fewest replies, corners counting double, odd quarters and corners earlier.
    """
    at = PLIES + ply * A_PLY
    best, second = NO_SQUARE, NO_SQUARE
    if data:
        best, second = (data >> BEST) & SEVEN_BITS, (data >> SECOND) & SEVEN_BITS
    odd = odd_quarters(desk[BOARD] & ~(own | opp), desk)
    valued = depth >= desk[VALUED_FROM]
    look = (depth - LOOK_FROM) // LOOK_STEP
    length = ZERO
    while moves:
        square = lowest(moves)
        disc = ONE << square
        moves &= moves - ONE
        turned = flips(own, opp, square)
        desk[at + TURNED + square] = turned
        next_own, next_opp = opp & ~turned, own | turned | disc
        if square == best:
            key = ZERO
        elif square == second:
            key = ONE
        else:
            answers = legal_moves(next_own, next_opp, desk[BOARD])
            replies = count(answers) + count(answers & desk[CORNERS])
            if valued:
                _move_numbers(ply, square, turned, desk)
                value = _estimate(next_own, next_opp, -int64(INFINITE), int64(INFINITE), look, ply + ONE, desk)
                key = uint64(int64(INFINITE) + value + int64(REPLY_IN_UNITS) * int64(replies))
                # Helpers try moves of about the same worth in another order than the first thread does.
                key += ((square * desk[SALT] * uint64(37)) & uint64(63)) << uint64(2)
            else:
                key = uint64(64) + REPLY * replies
                if odd & disc:
                    key -= ODD_QUARTER
                if disc & desk[CORNERS]:
                    key -= CORNER
        desk[at + length] = (key << SIX) | square
        length = _put_in_order(at, length, desk)
    return length


@kernel("boolean(uint64, uint64, uint64, int64, uint64, CPointer(uint64))")
def _a_child_refutes(own: int, opp: int, length: int, alpha: int, at: int, desk: Words) -> bool:
    """True when the table already knows a child so bad for the other side that this node is above alpha."""
    table: Words = words_at(desk[TABLE])
    for index in range(length):
        square = desk[at + index] & SQUARE
        turned = desk[at + TURNED + square]
        next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
        data = look_up(table, desk[TABLE_MASK], table_hash(next_own, next_opp), check_bits(next_own, next_opp))
        if data and -upper_bound(data) > alpha:
            return True
    return False


@kernel("void(uint64, uint64, int64, int64, int64, uint64, uint64, CPointer(uint64))")
def _remember(own: int, opp: int, alpha: int, beta: int, value: int, square: int, depth: int, desk: Words) -> None:
    """Stores what a search with a window found: a bound on each side that the value did not pass."""
    worst = -int64(desk[SQUARES])
    lower = value if value > alpha else worst
    upper = value if value < beta else -worst
    key, check = table_hash(own, opp), check_bits(own, opp)
    store(words_at(desk[TABLE]), desk[TABLE_MASK], key, check, lower, upper, square, depth, desk[AGE])


@kernel("int64(uint64, uint64, int64, uint64, CPointer(uint64))")
def null_window(own: int, opp: int, alpha: int, ply: int, desk: Words) -> int:
    """Whether the score is above alpha, as a bound on that side of it."""
    empty = desk[BOARD] & ~(own | opp)
    depth = count(empty)
    if depth < SORTED_FROM:
        return solve_by_parity(own, opp, empty, alpha, desk)
    desk[NODES] += ONE
    if desk[NODES] & LOOK_AT_STOP == ZERO and shared_word(desk[STOP]):
        desk[ABORTED] = ONE
    if alpha >= int64(STABILITY_FROM):
        most = _ceiling(own, opp, desk)
        if most <= alpha:
            return most
    data = look_up(words_at(desk[TABLE]), desk[TABLE_MASK], table_hash(own, opp), check_bits(own, opp))
    if data:
        if lower_bound(data) > alpha:
            return lower_bound(data)
        if upper_bound(data) <= alpha:
            return upper_bound(data)
    moves = legal_moves(own, opp, desk[BOARD])
    if moves == ZERO:
        if legal_moves(opp, own, desk[BOARD]) == ZERO:
            return final_score(own, opp, desk)
        _pass_numbers(ply, desk)
        return -null_window(opp, own, -alpha - 1, ply + ONE, desk)
    at = PLIES + ply * A_PLY
    end = at + _sort_moves(own, opp, moves, data, depth, ply, desk)
    if depth >= SIBLINGS_FROM and _a_child_refutes(own, opp, end - at, alpha, at, desk):
        return alpha + 1
    best, best_square = int64(NONE), NO_SQUARE
    while at < end:
        square = desk[at] & SQUARE
        at += ONE
        turned = desk[PLIES + ply * A_PLY + TURNED + square]
        if depth > desk[VALUED_FROM]:
            _move_numbers(ply, square, turned, desk)
        value = -null_window(opp & ~turned, own | turned | (ONE << square), -alpha - 1, ply + ONE, desk)
        if desk[ABORTED]:
            return alpha
        if value > best:
            best, best_square = value, square
            if value > alpha:
                break
    _remember(own, opp, alpha, alpha + 1, best, best_square, depth, desk)
    return best


@kernel("int64(uint64, uint64, int64, int64, uint64, CPointer(uint64))")
def open_window(own: int, opp: int, alpha: int, beta: int, ply: int, desk: Words) -> int:
    """The score, exact between alpha and beta: principal-variation search."""
    depth = count(desk[BOARD] & ~(own | opp))
    desk[NODES] += ONE
    moves = legal_moves(own, opp, desk[BOARD])
    if moves == ZERO:
        if legal_moves(opp, own, desk[BOARD]) == ZERO:
            return final_score(own, opp, desk)
        _pass_numbers(ply, desk)
        return -open_window(opp, own, -beta, -alpha, ply + ONE, desk)
    data = look_up(words_at(desk[TABLE]), desk[TABLE_MASK], table_hash(own, opp), check_bits(own, opp))
    if data:
        lower, upper = lower_bound(data), upper_bound(data)
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
    at = PLIES + ply * A_PLY
    length = _sort_moves(own, opp, moves, data, depth, ply, desk)
    best, best_square, floor, index = int64(NONE), NO_SQUARE, alpha, ZERO
    while index < length:
        square = desk[at + index] & SQUARE
        turned = desk[at + TURNED + square]
        next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
        if depth > desk[VALUED_FROM]:
            _move_numbers(ply, square, turned, desk)
        # The first move fixes the value; the others must only be shown not to beat it.
        value = -null_window(next_own, next_opp, -floor - 1, ply + ONE, desk) if index else beta
        if index == ZERO or (value > floor and value < beta):
            value = -open_window(next_own, next_opp, -beta, -floor, ply + ONE, desk)
        if desk[ABORTED]:
            return alpha
        index += ONE
        if value > best:
            best, best_square = value, square
            floor = max(floor, value)
            if value >= beta:
                break
    _remember(own, opp, alpha, beta, best, best_square, depth, desk)
    return best


@kernel("int64(uint64, uint64, uint64, int64, int64)")
def solve_window(address: int, own: int, opp: int, alpha: int, beta: int) -> int:
    """The search from Python: the desk by its address."""
    desk: Words = words_at(address)
    if desk[POWERS]:
        black, white = (opp, own) if desk[WHITE_AT_ROOT] else (own, opp)
        set_numbers(_numbers_at(ZERO, desk), desk[POWERS], black, white)
    return open_window(own, opp, alpha, beta, ZERO, desk)


@kernel("uint64(uint64, uint64, uint64)")
def known_move(address: int, own: int, opp: int) -> int:
    """The best move that the table has for a position; 64 where it has none."""
    desk: Words = words_at(address)
    data = look_up(words_at(desk[TABLE]), desk[TABLE_MASK], table_hash(own, opp), check_bits(own, opp))
    return (data >> BEST) & SEVEN_BITS if data else NO_SQUARE
