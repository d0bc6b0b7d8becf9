"""The exact search of the last dozen empties: null windows with a table, the moves that leave the fewest replies first.

A position's value for the side to move is asked as "above alpha or not?". Here nothing is estimated. Further from the
end `midgame` searches, which comes here for what is left; in the last plies parity and the kind of square sort
(`lastplies`).
"""

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, legal_moves, stable_discs
from outflank.board.records import Row
from outflank.board.vectors import count, flips, lowest
from outflank.search.engine.desk import Desk, empties_of, look_around
from outflank.search.engine.lastplies import NO_SCORE, favoured_quarters, final_score, solve_5, solve_by_parity
from outflank.search.engine.table import (
    NO_SELECTIVITY,
    NO_SQUARE,
    best_move,
    lower_bound,
    probe,
    probe_local,
    rank_of,
    reaches,
    second_move,
    store,
    store_local,
    upper_bound,
)

# Chosen by node counts and times on FFO #20–39.
SORTED_FROM = uint64(6)
"""Empties from which moves are sorted and the table used; below, an order known beforehand is quicker."""
LOCAL_BELOW = uint64(12)
"""Empties below which each thread uses the small table of its own, which stays in the processor's cache."""
PROBE_FROM_EMPTIES = uint64(7)
"""Empties from which the children are looked up before any is searched (enhanced transposition cut-off)."""
REPLY, CORNER, FAVOURED_QUARTER = (uint64(weight) for weight in (32, 16, 8))
SHUNNED_REPLY, SHUNNED, SHUNNED_TURN = (uint64(weight) for weight in (16, 40, 6))
"""What sorts moves, beside one for each disc turned. Where fewest win, quarters say nothing, corners are the last to
take and the best to leave to the other side, and each disc turned counts more."""
SQUARE = uint64(63)
SIX = uint64(6)
TAKEN = uint64(2**64 - 1)
"""A move in a list is its sort key shifted by six bits, and its square; one that was tried is `TAKEN`."""


@kernel("int64(uint64, uint64, Desk)")
def ceiling(own: int, opp: int, desk: Desk) -> int:
    """What the score cannot pass: stable enemy discs stay enemy discs (own ones, where fewest win)."""
    kept = stable_discs(own, opp, desk.board) if desk.reversed else stable_discs(opp, own, desk.board)
    return int64(desk.square_count) - 2 * int64(count(kept))


@kernel("uint64(Words, uint64)")
def put_in_order(moves: Row[int], length: int) -> int:
    """Moves the last of a list of keys to its place among the others; returns the new length."""
    key, place = moves[length], length
    while place and moves[place - ONE] > key:
        moves[place] = moves[place - ONE]
        place -= ONE
    moves[place] = key
    return length + ONE


@kernel("uint64(uint64, uint64, uint64, uint64, uint64, uint64, Desk)", inlined=True)
def list_by_replies(own: int, opp: int, moves: int, favoured: int, data: int, ply: int, desk: Desk) -> int:
    """Lists the moves, each under its key: the least is to be tried first; returns their number.

    The table's moves come first. Then those that leave the fewest replies, in favoured quarters and turning few discs
    a little earlier; what corners count depends on the objective. Most often the first move decides, so the list is
    not sorted: see `take_first`.
    """
    here = desk.plies[ply]
    best, second = best_move(data), second_move(data)
    length = ZERO
    while moves:
        square = lowest(moves)
        disc = ONE << square
        moves &= moves - ONE
        turned = flips(own, opp, square)
        replies = legal_moves(opp & ~turned, own | turned | disc, desk.board)
        here.flips[square], here.replies[square] = turned, replies
        corner_replies = count(replies & desk.corners)
        key = uint64(64) + REPLY * count(replies)
        if desk.reversed:
            key += SHUNNED_TURN * count(turned) - SHUNNED_REPLY * corner_replies
            if disc & desk.corners:
                key += SHUNNED
        else:
            key += count(turned) + REPLY * corner_replies
            if disc & desk.corners:
                key -= CORNER
            if disc & favoured:
                key -= FAVOURED_QUARTER
        if square == second:
            key = ONE
        if square == best:
            key = ZERO
        here.moves[length] = (key << SIX) | square
        length += ONE
    return length


@kernel("uint64(Words, uint64)", inlined=True)
def take_first(moves: Row[int], length: int) -> int:
    """Takes the move of the least key out of a list; returns its square."""
    least, place, index = moves[ZERO], ZERO, ONE
    while index < length:
        key = moves[index]
        place = index if key < least else place
        least = min(least, key)
        index += ONE
    moves[place] = TAKEN
    return least & SQUARE


@kernel("int64(uint64, uint64, uint64, int64, uint64, Desk)", inlined=True)
def _bound_of_a_child(own: int, opp: int, length: int, alpha: int, ply: int, desk: Desk) -> int:
    """A lower bound above alpha where the local table already knows a child that is so bad for the other side.

    An enhanced transposition cut-off, once the moves are listed.
    """
    here = desk.plies[ply]
    for index in range(length):
        square = here.moves[index] & SQUARE
        turned = here.flips[square]
        data = probe_local(desk.local_table, opp & ~turned, own | turned | (ONE << square))
        if data and -upper_bound(data) > alpha:
            return -upper_bound(data)
    return int64(NO_SCORE)


@kernel("int64(uint64, uint64, int64, uint64, Desk)")
def null_window_endgame(own: int, opp: int, alpha: int, ply: int, desk: Desk) -> int:
    """Whether the exact score is above alpha, as a bound on that side of it."""
    empty = empties_of(own, opp, desk)
    if count(empty) < SORTED_FROM:
        return solve_by_parity(own, opp, empty, alpha, desk)
    moves, favoured = legal_moves(own, opp, desk.board), favoured_quarters(empty, desk)
    return _null_window(own, opp, moves, favoured, alpha, ply, desk)


@kernel("int64(uint64, uint64, uint64, uint64, int64, uint64, Desk)")
def _null_window(own: int, opp: int, moves: int, favoured: int, alpha: int, ply: int, desk: Desk) -> int:
    """The same for at least `SORTED_FROM` empties, with the moves, which who comes here mostly knows, and the favoured
    quarters."""
    desk.nodes += ONE
    if desk.nodes >= desk.look_at:
        look_around(desk)
    empties = count(empties_of(own, opp, desk))
    if alpha >= int64(empties - ONE):  # below that, stable discs hardly ever cut off
        most = ceiling(own, opp, desk)
        if most <= alpha:
            return most
    if moves == ZERO:
        moves = legal_moves(opp, own, desk.board)
        if moves == ZERO:
            return final_score(own, opp, desk)
        return -_null_window(opp, own, moves, favoured, -alpha - 1, ply + ONE, desk)
    local = empties < LOCAL_BELOW
    data = probe_local(desk.local_table, own, opp) if local else probe(desk.table, own, opp)
    if data and (local or reaches(data, empties, NO_SELECTIVITY)):
        if lower_bound(data) > alpha:
            return lower_bound(data)
        if upper_bound(data) <= alpha:
            return upper_bound(data)
    here = desk.plies[ply]
    length = list_by_replies(own, opp, moves, favoured, data, ply, desk)
    if empties >= PROBE_FROM_EMPTIES:
        bound = _bound_of_a_child(own, opp, length, alpha, ply, desk)
        if bound > alpha:
            return bound
    best, best_square = int64(NO_SCORE), NO_SQUARE
    for _ in range(length):
        square = take_first(here.moves, length)
        turned, replies = here.flips[square], here.replies[square]
        next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
        next_favoured = favoured ^ desk.quarter_of[square]
        if empties == SORTED_FROM:
            value = -solve_5(next_own, next_opp, replies, next_favoured, -alpha - 1, desk)
        else:
            value = -_null_window(next_own, next_opp, replies, next_favoured, -alpha - 1, ply + ONE, desk)
            if desk.aborted:
                return alpha
        if value > best:
            best, best_square = value, square
            if value > alpha:
                break
    most = int64(desk.square_count)
    lower, upper = (best, most) if best > alpha else (-most, best)
    if local:
        store_local(desk.local_table, own, opp, lower, upper, best_square, data)
    else:
        store(desk.table, own, opp, lower, upper, best_square, rank_of(empties, NO_SELECTIVITY), desk.age)
    return best
