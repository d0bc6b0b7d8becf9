"""The search where not everything can be looked at: evaluation at the leaves, ProbCut, and exact ends where it reaches.

One search for all of a game: `depth` plies, or to the end where no more squares are empty than that. A position's
value for the side to move is asked as "above alpha or not?" nearly everywhere; only along the principal variation is
the window open. Values are whole discs; the evaluation's own units only sort moves.

ProbCut: a search of a few plies foretells one of many, within an error whose spread has been measured. Where it lies
beyond the bound by a margin, the deep search is left out. The margins come from the desk; at certainty `CERTAIN` there
is no such cut and a search to the end is a proof.
"""

from typing import Any

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, legal_moves
from outflank.board.memory import words_at
from outflank.board.vectors import count, flips, lowest
from outflank.patterns.lookup import look_up_sum, look_up_sum_8x8, set_numbers, signed_at
from outflank.patterns.shapes import PARITIES
from outflank.search.engine.endgame import (
    A_PLY,
    CERTAINTY,
    LOOK_AT_STOP,
    MARGINS,
    NESTED,
    NODE_LIMIT,
    OFFSETS,
    PLIES,
    POWERS,
    ROOT_MOVE,
    SHARED_SQUARE,
    SIX,
    SLOT_COUNT,
    SQUARE,
    STABILITY_FROM,
    STAGE_BYTES,
    TURNED,
    WEIGHTS,
    WHITE_AT_ROOT,
    a_child_refutes,
    ceiling,
    ended,
    put_in_order,
    recall,
    remember,
)
from outflank.search.engine.endgame import null_window as solve_exactly
from outflank.search.engine.lastplies import (
    ABORTED,
    BOARD,
    CORNERS,
    NODES,
    NONE,
    REVERSED,
    SQUARES,
    final_score,
)
from outflank.search.engine.patternply import move_numbers, numbers_at, pass_numbers
from outflank.search.engine.sharing import share, somebody_is_idle
from outflank.search.engine.table import (
    BEST,
    CERTAIN,
    NO_SQUARE,
    SECOND,
    SEVEN_BITS,
    lower_bound,
    reaches,
    upper_bound,
)

Words = Any

EXACT_BELOW = uint64(13)
"""With fewer empties than this a search to the end needs no evaluation."""
DEEP_FROM = uint64(3)
"""Plies from which the table, sorting by the evaluation and ProbCut pay for themselves."""
SIBLINGS_FROM = uint64(5)
SHARED_FROM = uint64(8)
"""Plies from which a node's moves are worth sharing with another thread."""
LOOK_FROM, LOOK_STEP, LOOK_MOST = uint64(12), uint64(4), uint64(2)
"""Sorting looks one ply deeper from 16 plies on and two from 20: more saves no node, and cannot be interrupted."""
REPLY_IN_UNITS = 320
"""What one reply less is worth beside the evaluation, in its units: two discs and a half."""
SORTED_ABOVE = 12
"""Discs below alpha where moves need no further sorting: they will not be best."""
INFINITE = 1 << 30
UNITS_A_DISC = 128
SHIFT_TO_DISCS = 7
NESTED_MOST = uint64(2)
CORNER_IN_UNITS = 768
PARITY_BYTES = 2 * PARITIES


@kernel("int64(uint64, uint64, uint64, CPointer(uint64))")
def _evaluated(own: int, opp: int, ply: int, desk: Words) -> int:
    """The evaluation in its units; this ply's pattern numbers must be set.

    Boards without weights have mobility and corners: enough to begin from.
    """
    if desk[POWERS]:
        discs = count(own | opp)
        stage = ((discs - uint64(4)) >> ONE) * uint64(2) + ((desk[WHITE_AT_ROOT] + ply) & ONE)
        weights = desk[WEIGHTS] + stage * desk[STAGE_BYTES]
        parities: Words = signed_at(weights + desk[STAGE_BYTES] - uint64(PARITY_BYTES))
        of_parity = int64(parities[discs & ONE])
        if desk[SQUARES] == uint64(64):
            return of_parity + look_up_sum_8x8(numbers_at(ply, desk), weights)
        return of_parity + look_up_sum(numbers_at(ply, desk), weights, words_at(desk[OFFSETS]), desk[SLOT_COUNT])
    moves = int64(count(legal_moves(own, opp, desk[BOARD]))) - int64(count(legal_moves(opp, own, desk[BOARD])))
    corners = int64(count(own & desk[CORNERS])) - int64(count(opp & desk[CORNERS]))
    if desk[REVERSED]:
        corners = -corners
    return int64(UNITS_A_DISC) * moves + int64(CORNER_IN_UNITS) * corners


@kernel("int64(uint64, uint64, uint64, CPointer(uint64))")
def _in_discs(own: int, opp: int, ply: int, desk: Words) -> int:
    """The evaluation in whole discs, never as much as a wipe-out."""
    most = int64(desk[SQUARES]) - 1
    value = (_evaluated(own, opp, ply, desk) + int64(UNITS_A_DISC // 2)) >> int64(SHIFT_TO_DISCS)
    return max(min(value, most), -most)


@kernel("int64(uint64, uint64, int64, int64, uint64, uint64, CPointer(uint64))")
def _estimate(own: int, opp: int, alpha: int, beta: int, depth: int, ply: int, desk: Words) -> int:
    """The evaluation after a shallow alpha-beta search, in its units: what moves are sorted by."""
    desk[NODES] += ONE
    if depth == ZERO:
        return _evaluated(own, opp, ply, desk)
    moves = legal_moves(own, opp, desk[BOARD])
    if moves == ZERO:
        if legal_moves(opp, own, desk[BOARD]) == ZERO:
            return int64(UNITS_A_DISC) * final_score(own, opp, desk)
        pass_numbers(ply, desk)
        return -_estimate(opp, own, -beta, -alpha, depth, ply + ONE, desk)
    best = -int64(INFINITE)
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips(own, opp, square)
        move_numbers(ply, square, turned, desk)
        value = -_estimate(opp & ~turned, own | turned | (ONE << square), -beta, -alpha, depth - ONE, ply + ONE, desk)
        if value > best:
            best = value
            alpha = max(alpha, value)
            if value >= beta:
                break
    return best


@kernel("uint64(uint64, uint64, uint64, uint64, int64, uint64, uint64, CPointer(uint64))")
def _sort_by_value(own: int, opp: int, moves: int, data: int, alpha: int, depth: int, ply: int, desk: Words) -> int:
    """Writes the moves in the order to try them, each under its key; returns their number.

    The table's moves come first, then those that leave the other side the least by a shallow search and the fewest
    replies.
    """
    at = PLIES + ply * A_PLY
    best, second = NO_SQUARE, NO_SQUARE
    if data:
        best, second = (data >> BEST) & SEVEN_BITS, (data >> SECOND) & SEVEN_BITS
    look = min((depth - LOOK_FROM) // LOOK_STEP, LOOK_MOST) if depth > LOOK_FROM else ZERO
    worst = (-alpha + int64(SORTED_ABOVE)) * int64(UNITS_A_DISC)
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
            next_own, next_opp = opp & ~turned, own | turned | disc
            answers = legal_moves(next_own, next_opp, desk[BOARD])
            replies = count(answers)
            if desk[REVERSED] == ZERO:
                replies += count(answers & desk[CORNERS])
            move_numbers(ply, square, turned, desk)
            value = _estimate(next_own, next_opp, -int64(INFINITE), worst, look, ply + ONE, desk)
            key = uint64(int64(INFINITE) + value + int64(REPLY_IN_UNITS) * int64(replies))
        desk[at + length] = (key << SIX) | square
        length = put_in_order(at, length, desk)
    return length


@kernel("int64(uint64, uint64, int64, uint64, uint64, CPointer(uint64))")
def _shallow(own: int, opp: int, alpha: int, depth: int, ply: int, desk: Words) -> int:
    """Whether the value after one or two plies is above alpha: no table, those with the fewest replies first."""
    desk[NODES] += ONE
    if depth == ZERO:
        return _in_discs(own, opp, ply, desk)
    moves = legal_moves(own, opp, desk[BOARD])
    if moves == ZERO:
        if legal_moves(opp, own, desk[BOARD]) == ZERO:
            return final_score(own, opp, desk)
        pass_numbers(ply, desk)
        return -_shallow(opp, own, -alpha - 1, depth, ply + ONE, desk)
    best = int64(NONE)
    first = PLIES + ply * A_PLY
    at, end = first, first
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips(own, opp, square)
        next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
        if depth > ONE:
            desk[first + TURNED + square] = turned
            desk[end] = (count(legal_moves(next_own, next_opp, desk[BOARD])) << SIX) | square
            end = first + put_in_order(first, end - first, desk)
        else:
            move_numbers(ply, square, turned, desk)
            value = -_in_discs(next_own, next_opp, ply + ONE, desk)
            desk[NODES] += ONE
            if value > best:
                best = value
                if value > alpha:
                    return best
    while at < end:
        square = desk[at] & SQUARE
        at += ONE
        turned = desk[first + TURNED + square]
        move_numbers(ply, square, turned, desk)
        value = -_shallow(opp & ~turned, own | turned | (ONE << square), -alpha - 1, depth - ONE, ply + ONE, desk)
        if value > best:
            best = value
            if value > alpha:
                return best
    return best


@kernel("int64(uint64, uint64, int64, uint64, uint64, uint64, CPointer(uint64))")
def null_window(own: int, opp: int, alpha: int, depth: int, left: int, ply: int, desk: Words) -> int:
    """Whether the value is above alpha, as a bound on that side of it; `left` squares are empty."""
    if depth >= left:
        if left < EXACT_BELOW:
            return solve_exactly(own, opp, alpha, ply, desk)
        depth = left
    elif depth < DEEP_FROM:
        return _shallow(own, opp, alpha, depth, ply, desk)
    desk[NODES] += ONE
    if desk[NODES] >= desk[NODE_LIMIT] or (desk[NODES] & LOOK_AT_STOP == ZERO and ended(desk)):
        desk[ABORTED] = ONE
    if alpha >= int64(STABILITY_FROM):
        most = ceiling(own, opp, desk)
        if most <= alpha:
            return most
    certainty = desk[CERTAINTY]
    data = recall(own, opp, left, desk)
    if data and reaches(data, depth, certainty):
        if lower_bound(data) > alpha:
            return lower_bound(data)
        if upper_bound(data) <= alpha:
            return upper_bound(data)
    moves = legal_moves(own, opp, desk[BOARD])
    if moves == ZERO:
        if legal_moves(opp, own, desk[BOARD]) == ZERO:
            return final_score(own, opp, desk)
        pass_numbers(ply, desk)
        return -null_window(opp, own, -alpha - 1, depth, left, ply + ONE, desk)
    if certainty < CERTAIN and desk[NESTED] < NESTED_MOST:
        # ProbCut, at both ends; tried only where the evaluation makes it likely.
        margins: Words = words_at(desk[MARGINS] + (((left << SIX) | depth) << uint64(4)))
        margin, near = int64(margins[ZERO]), int64(margins[ONE])
        if margin:
            before = uint64(2) * (depth >> uint64(2)) + (depth & ONE)
            value, most = _in_discs(own, opp, ply, desk), int64(desk[SQUARES])
            above, below = alpha + 1 + margin, alpha - margin
            desk[NESTED] += ONE
            too_high = (
                value > alpha - near
                and above <= most
                and null_window(own, opp, above - 1, before, left, ply, desk) >= above
            )
            too_low = (
                value <= alpha + near
                and below >= -most
                and not too_high
                and null_window(own, opp, below, before, left, ply, desk) <= below
            )
            desk[NESTED] -= ONE
            if desk[ABORTED] or too_low:
                return alpha
            if too_high:
                return alpha + 1
    at = PLIES + ply * A_PLY
    end = at + _sort_by_value(own, opp, moves, data, alpha, depth, ply, desk)
    if depth >= SIBLINGS_FROM and a_child_refutes(own, opp, end - at, alpha, depth, certainty, at, desk):
        return alpha + 1
    best, best_square = int64(NONE), NO_SQUARE
    while at < end:
        if best > int64(NONE) and depth >= SHARED_FROM and end - at > ONE and somebody_is_idle(desk):
            value = share(own, opp, alpha, depth, left, ply, at, end, desk)
            square, at = desk[SHARED_SQUARE], end
        else:
            square = desk[at] & SQUARE
            at += ONE
            turned = desk[PLIES + ply * A_PLY + TURNED + square]
            move_numbers(ply, square, turned, desk)
            next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
            value = -null_window(next_own, next_opp, -alpha - 1, depth - ONE, left - ONE, ply + ONE, desk)
        if desk[ABORTED]:
            return alpha
        if value > best:
            best, best_square = value, square
            if value > alpha:
                break
    remember(own, opp, alpha, alpha + 1, best, best_square, (depth << uint64(3)) | certainty, desk)
    return best


def null_window_for_others(own: int, opp: int, alpha: int, depth: int, left: int, ply: int, desk: Words) -> int:
    """The same, to be compiled as a function that can be called by its address."""
    return null_window(own, opp, alpha, depth, left, ply, desk)


@kernel("int64(uint64, uint64, int64, int64, uint64, uint64, CPointer(uint64))")
def open_window(own: int, opp: int, alpha: int, beta: int, depth: int, ply: int, desk: Words) -> int:
    """The value, exact between alpha and beta: principal-variation search."""
    left = count(desk[BOARD] & ~(own | opp))
    desk[NODES] += ONE
    depth = min(depth, left)
    moves = legal_moves(own, opp, desk[BOARD])
    if moves == ZERO:
        if legal_moves(opp, own, desk[BOARD]) == ZERO:
            return final_score(own, opp, desk)
        pass_numbers(ply, desk)
        return -open_window(opp, own, -beta, -alpha, depth, ply + ONE, desk)
    if depth == ZERO:
        return _in_discs(own, opp, ply, desk)
    # Where nothing is pruned on the way to the end, what is found is certain whatever the search was asked for.
    certainty = desk[CERTAINTY] if depth < left or left >= EXACT_BELOW else CERTAIN
    data = recall(own, opp, left, desk)
    # At the root a move is wanted too, and the table's need not be the one that its bounds come from.
    if ply and data and reaches(data, depth, certainty):
        lower, upper = lower_bound(data), upper_bound(data)
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
    at = PLIES + ply * A_PLY
    length = _sort_by_value(own, opp, moves, data, alpha, depth, ply, desk)
    best, best_square, floor, index = int64(NONE), NO_SQUARE, alpha, ZERO
    while index < length:
        square = desk[at + index] & SQUARE
        turned = desk[at + TURNED + square]
        next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
        move_numbers(ply, square, turned, desk)
        # The first move fixes the value; the others must only be shown not to beat it.
        value = beta
        if index:
            value = -null_window(next_own, next_opp, -floor - 1, depth - ONE, left - ONE, ply + ONE, desk)
        if index == ZERO or (value > floor and value < beta):
            value = -open_window(next_own, next_opp, -beta, -floor, depth - ONE, ply + ONE, desk)
        if desk[ABORTED]:
            return alpha
        index += ONE
        if value > best:
            best, best_square = value, square
            if ply == ZERO and value > alpha:
                desk[ROOT_MOVE] = square  # kept also where the search is ended before it is done
            floor = max(floor, value)
            if value >= beta:
                break
    remember(own, opp, alpha, beta, best, best_square, (depth << uint64(3)) | certainty, desk)
    return best


@kernel("int64(uint64, uint64, uint64, int64, int64, uint64)")
def search_window(address: int, own: int, opp: int, alpha: int, beta: int, depth: int) -> int:
    """The search from Python: the desk by its address."""
    desk: Words = words_at(address)
    if desk[POWERS]:
        black, white = (opp, own) if desk[WHITE_AT_ROOT] else (own, opp)
        set_numbers(numbers_at(ZERO, desk), desk[POWERS], black, white)
    if beta == alpha + 1:
        return null_window(own, opp, alpha, depth, count(desk[BOARD] & ~(own | opp)), ZERO, desk)
    return open_window(own, opp, alpha, beta, depth, ZERO, desk)


@kernel("uint64(uint64, uint64, uint64)")
def known(address: int, own: int, opp: int) -> int:
    """The table's data for a position; 0 where it has none."""
    desk: Words = words_at(address)
    return recall(own, opp, count(desk[BOARD] & ~(own | opp)), desk)


@kernel("int64(uint64, uint64, uint64)")
def evaluated(address: int, own: int, opp: int) -> int:
    """The evaluation of a position in its units."""
    desk: Words = words_at(address)
    if desk[POWERS]:
        black, white = (opp, own) if desk[WHITE_AT_ROOT] else (own, opp)
        set_numbers(numbers_at(ZERO, desk), desk[POWERS], black, white)
    return _evaluated(own, opp, ZERO, desk)
