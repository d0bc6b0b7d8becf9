"""Minimax and alpha-beta on any heuristic, compiled.

The rules all searches share: a pass costs no depth; a finished game is worth ±(1e9 + margin); ties go to the lowest
square. The recursive kernels take one pointer to a table of words, the *desk*: an array argument costs up to nine
registers on every call. Its layout is below.
"""

from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, PASS, ZERO, final_margin, legal_moves
from outflank.board.memory import bits_of, evaluate_at, shared_word, words_at
from outflank.board.vectors import count, flips, lowest

FINISHED = 1e9
"""A finished game is worth this plus its margin, so that every win beats every estimate and a wider one is better."""

# The desk: what the whole search shares, then each ply's own part.
(
    BOARD,
    EVALUATION,
    STOP,
    NODES,
    NODE_LIMIT,
    ABORTED,
    ESTIMATES,
    REVERSED,
    ORDERING,
    SORT_FROM,
    FAILED_OWN,
    FAILED_OPP,
) = (uint64(index) for index in range(12))
CLASSES = uint64(16)
"""Where the classes of squares for the ordering by weight begin: masks, best first, a zero at the end."""
PLIES = uint64(16 + 65)
"""Where the plies' parts begin: each the principal variation from there, then the moves in order."""
MOVES = uint64(96)
A_PLY = uint64(96 + 64)
MAX_PLIES = 128  # 60 moves and the passes between them
DESK_WORDS = int(PLIES) + (MAX_PLIES + 1) * int(A_PLY)
NO_MOVE = uint64(255)
SQUARE = uint64(63)
SIGN_BIT = uint64(1 << 63)

BY_SQUARE, BY_WEIGHT, BY_MOBILITY, BY_ESTIMATE = (uint64(kind) for kind in range(4))

Words = Any


@kernel("float64(uint64, uint64, CPointer(uint64))")
def _finished(own: int, opp: int, desk: Words) -> float:
    margin = float(final_margin(own, opp, desk[BOARD]))
    if desk[REVERSED]:
        margin = -margin
    if margin > 0.0:
        return FINISHED + margin
    if margin < 0.0:
        return margin - FINISHED
    return 0.0


@kernel("float64(uint64, uint64, CPointer(uint64))")
def _estimated(own: int, opp: int, desk: Words) -> float:
    value = evaluate_at(desk[EVALUATION], own, opp, desk[BOARD])
    if value != value:  # nan: the heuristic failed; remember where, for the message
        desk[ABORTED] = ONE
        desk[FAILED_OWN], desk[FAILED_OPP] = own, opp
        return 0.0
    return value


@kernel("boolean(CPointer(uint64))")
def _may_visit(desk: Words) -> bool:
    """Counts a position, unless the search must end."""
    if desk[NODES] >= desk[NODE_LIMIT] or shared_word(desk[STOP]):
        desk[ABORTED] = ONE
        return False
    desk[NODES] += ONE
    return True


@kernel("void(uint64, uint64, CPointer(uint64))")
def _remember_line(ply: int, move: int, desk: Words) -> None:
    """The principal variation here is this move and then the next ply's."""
    here, below = PLIES + ply * A_PLY, PLIES + (ply + ONE) * A_PLY
    desk[here] = move
    while desk[below] != NO_MOVE:
        here += ONE
        desk[here] = desk[below]
        below += ONE
    desk[here + ONE] = NO_MOVE


@kernel("uint64(float64)")
def _rising(value: float) -> int:
    """A word that orders as the float does."""
    bits = bits_of(value)
    return ~bits if bits & SIGN_BIT else bits | SIGN_BIT


@kernel("uint64(uint64, uint64, uint64, uint64, CPointer(uint64))")
def _sort_key(own: int, opp: int, square: int, ordering: int, desk: Words) -> int:
    """What a move leaves the opponent, small is good: the moves it has there or the heuristic's value for it."""
    turned = flips(own, opp, square)
    next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
    if ordering == BY_MOBILITY:
        return (count(legal_moves(next_own, next_opp, desk[BOARD])) << uint64(6)) | square
    # A heuristic may have no value (nan) where it is only asked for the order: the side to move may have no move
    # there, or the game be over. Such a move comes anywhere.
    return (_rising(evaluate_at(desk[EVALUATION], next_own, next_opp, desk[BOARD])) & ~SQUARE) | square


@kernel("uint64(uint64, uint64, uint64, int64, uint64, CPointer(uint64))")
def _order_moves(own: int, opp: int, moves: int, depth: int, ply: int, desk: Words) -> int:
    """Writes a node's moves in the order to try them; returns how many there are."""
    at = PLIES + ply * A_PLY + MOVES
    length = ZERO
    ordering = desk[ORDERING]
    if ordering >= BY_MOBILITY and depth >= int64(desk[SORT_FROM]):
        while moves:
            key = _sort_key(own, opp, lowest(moves), ordering, desk)
            moves &= moves - ONE
            place = length
            while place and desk[at + place - ONE] > key:
                desk[at + place] = desk[at + place - ONE]
                place -= ONE
            desk[at + place] = key
            length += ONE
        return length
    of_class = CLASSES
    while moves:
        wanted = moves & desk[of_class] if ordering else moves
        of_class += ONE
        moves &= ~wanted
        while wanted:
            desk[at + length] = lowest(wanted)
            wanted &= wanted - ONE
            length += ONE
    return length


@kernel("float64(uint64, uint64, int64, float64, float64, uint64, CPointer(uint64))")
def _alphabeta(own: int, opp: int, depth: int, alpha: float, beta: float, ply: int, desk: Words) -> float:
    """The value, exact between alpha and beta; a bound of it outside (fail-soft)."""
    if not _may_visit(desk):
        return 0.0
    desk[PLIES + ply * A_PLY] = NO_MOVE
    moves = legal_moves(own, opp, desk[BOARD])
    if moves == ZERO:
        if legal_moves(opp, own, desk[BOARD]) == ZERO:
            return _finished(own, opp, desk)
        value = -_alphabeta(opp, own, depth, -beta, -alpha, ply + ONE, desk)
        if not desk[ABORTED]:  # where the search was cut off there is no line to copy
            _remember_line(ply, PASS, desk)
        return value
    if depth == 0:
        desk[ESTIMATES] = ONE
        return _estimated(own, opp, desk)
    best = -np.inf
    length = _order_moves(own, opp, moves, depth, ply, desk)
    at = PLIES + ply * A_PLY + MOVES
    end = at + length
    while at < end:
        square = desk[at] & SQUARE
        at += ONE
        turned = flips(own, opp, square)
        value = -_alphabeta(
            opp & ~turned, own | turned | (ONE << square), depth - int64(1), -beta, -alpha, ply + ONE, desk
        )
        if desk[ABORTED]:
            return 0.0
        if value > best:
            best = value
            if value > alpha:
                alpha = value
                _remember_line(ply, square, desk)
                if value >= beta:
                    break
        elif value == -np.inf and desk[PLIES + ply * A_PLY] == NO_MOVE:
            _remember_line(ply, square, desk)  # minus infinity beats nothing, and is a move's value all the same
    return best


@kernel("float64(uint64, uint64, int64, uint64, CPointer(uint64))")
def _minimax(own: int, opp: int, depth: int, ply: int, desk: Words) -> float:
    """The value by looking at every line: the reference that alpha-beta must equal."""
    if not _may_visit(desk):
        return 0.0
    desk[PLIES + ply * A_PLY] = NO_MOVE
    moves = legal_moves(own, opp, desk[BOARD])
    if moves == ZERO:
        if legal_moves(opp, own, desk[BOARD]) == ZERO:
            return _finished(own, opp, desk)
        value = -_minimax(opp, own, depth, ply + ONE, desk)
        if not desk[ABORTED]:  # where the search was cut off there is no line to copy
            _remember_line(ply, PASS, desk)
        return value
    if depth == 0:
        desk[ESTIMATES] = ONE
        return _estimated(own, opp, desk)
    best = -np.inf
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips(own, opp, square)
        value = -_minimax(opp & ~turned, own | turned | (ONE << square), depth - int64(1), ply + ONE, desk)
        if desk[ABORTED]:
            return 0.0
        if value > best or desk[PLIES + ply * A_PLY] == NO_MOVE:
            best = value
            _remember_line(ply, square, desk)
    return best


@kernel("float64(uint64, uint64, uint64, int64, boolean, uint64[::1], float64[::1])")
def search_root(address: int, own: int, opp: int, depth: int, pruning: bool, order: Any, values: Any) -> float:
    """Searches the root's moves in the order given; the best value, its line at ply 0 of the desk.

    Without pruning `values` gets the value of every move, with it a bound for those that are not best.
    """
    desk: Words = words_at(address)
    best, best_square = -np.inf, NO_MOVE
    for index in range(order.size):
        square = order[index]
        turned = flips(own, opp, square)
        next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
        if pruning:
            # Just below the best value, so that an equal one on a lower square shows itself as equal.
            alpha = np.nextafter(best, -np.inf) if square < best_square else best
            value = -_alphabeta(next_own, next_opp, depth - int64(1), -np.inf, -alpha, ONE, desk)
        else:
            value = -_minimax(next_own, next_opp, depth - int64(1), ONE, desk)
        if desk[ABORTED]:
            return best
        values[index] = value
        if value > best or (value == best and square < best_square):
            best, best_square = value, square
            _remember_line(ZERO, square, desk)
    return best
