"""Minimax and alpha-beta on any heuristic, compiled: the recursion, the ordering of moves, and the root.

Between the rules (`board.kernels`) and a heuristic known by its address below, and `search`, which iterates over depths
and keeps the time, above; `learning.weights.loops` plays whole games on the same desk. A pass costs no depth; a
finished game is worth ±(1e9 + margin); ties go to the lowest square.
"""

from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, PASS, ZERO, final_margin, legal_moves
from outflank.board.memory import bits_of, evaluate_at, load_atomic
from outflank.board.records import Atomic, Record, Row, Word, at_address, elsewhere, inline
from outflank.board.vectors import count, flips, lowest
from outflank.search.limits import FINISHED

MAX_PLIES = 128
"""60 moves and the passes between them."""
NO_MOVE = uint64(255)
SQUARE = uint64(63)
SIGN_BIT = uint64(1 << 63)

BY_SQUARE, BY_WEIGHT, BY_MOBILITY, BY_ESTIMATE = (uint64(kind) for kind in range(4))


class TreePly(Record):
    """What a ply of the search keeps for itself."""

    line: Row[Word] = inline(96)
    """The principal variation from here, with `NO_MOVE` after it."""
    moves: Row[Word] = inline(64)
    """The moves in the order to try them; what they were sorted by stands in the bits above the square."""


class TreeDesk(Record):
    """What a search works with. Kernels take a pointer to it: arrays would cost up to nine registers a call."""

    board: Word
    evaluation: Word
    """The address of the heuristic."""
    stop: Atomic = elsewhere()
    nodes: Word
    node_limit: Word
    aborted: Word
    estimates: Word
    """Whether a value was estimated: without, the game was searched to its end."""
    reversed: Word
    pruning: Word
    """Not zero for alpha-beta, zero for minimax."""
    ordering: Word
    sort_from: Word
    """How many plies from the leaves a node must be for its moves to be sorted."""
    failed_own: Word
    failed_opp: Word
    """Where the heuristic returned nan, if it did."""
    classes: Row[Word] = inline(65)
    """The squares for the ordering by weight: masks, best first, a zero at the end."""
    plies: Row[TreePly] = inline(MAX_PLIES + 1)


desk_at = at_address(TreeDesk)


@kernel("float64(uint64, uint64, TreeDesk)")
def _finished(own: int, opp: int, desk: TreeDesk) -> float:
    margin = float(final_margin(own, opp, desk.board))
    if desk.reversed:
        margin = -margin
    if margin > 0.0:
        return FINISHED + margin
    if margin < 0.0:
        return margin - FINISHED
    return 0.0


@kernel("float64(uint64, uint64, TreeDesk)")
def _estimated(own: int, opp: int, desk: TreeDesk) -> float:
    value = evaluate_at(desk.evaluation, own, opp, desk.board)
    if value != value:  # nan: the heuristic failed; remember where, for the message
        desk.aborted = ONE
        desk.failed_own, desk.failed_opp = own, opp
        return 0.0
    return value


@kernel("boolean(TreeDesk)")
def _may_visit(desk: TreeDesk) -> bool:
    """Counts a position, unless the search must end."""
    nodes = desk.nodes
    if nodes >= desk.node_limit or load_atomic(desk.stop):
        desk.aborted = ONE
        return False
    desk.nodes = nodes + ONE
    return True


@kernel("void(uint64, uint64, TreeDesk)")
def _remember_line(ply: int, move: int, desk: TreeDesk) -> None:
    """The principal variation here is this move and then the next ply's."""
    line, below = desk.plies[ply].line, desk.plies[ply + ONE].line
    line[ZERO] = move
    length = ZERO
    while below[length] != NO_MOVE:
        line[length + ONE] = below[length]
        length += ONE
    line[length + ONE] = NO_MOVE


@kernel("uint64(float64)")
def _rising(value: float) -> int:
    """A word that orders as the float does."""
    bits = bits_of(value)
    return ~bits if bits & SIGN_BIT else bits | SIGN_BIT


@kernel("uint64(uint64, uint64, uint64, uint64, TreeDesk)")
def _sort_key(own: int, opp: int, square: int, ordering: int, desk: TreeDesk) -> int:
    """What a move leaves the opponent, small is good: the moves it has there or the heuristic's value for it."""
    turned = flips(own, opp, square)
    next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
    if ordering == BY_MOBILITY:
        return (count(legal_moves(next_own, next_opp, desk.board)) << uint64(6)) | square
    # A heuristic may have no value (nan) where it is only asked for the order: the side to move may have no move
    # there, or the game be over. Such a move comes anywhere.
    return (_rising(evaluate_at(desk.evaluation, next_own, next_opp, desk.board)) & ~SQUARE) | square


@kernel("uint64(uint64, uint64, uint64, int64, uint64, TreeDesk)", inlined=True)
def _order_moves(own: int, opp: int, moves: int, depth: int, ply: int, desk: TreeDesk) -> int:
    """Writes a node's moves in the order to try them; returns how many there are."""
    ordered = desk.plies[ply].moves
    length = ZERO
    ordering = desk.ordering
    if ordering >= BY_MOBILITY and depth >= int64(desk.sort_from):
        while moves:
            key = _sort_key(own, opp, lowest(moves), ordering, desk)
            moves &= moves - ONE
            place = length
            while place and ordered[place - ONE] > key:
                ordered[place] = ordered[place - ONE]
                place -= ONE
            ordered[place] = key
            length += ONE
        return length
    following = ZERO
    while moves:
        wanted = moves & desk.classes[following] if ordering else moves
        following += ONE
        moves &= ~wanted
        while wanted:
            ordered[length] = lowest(wanted)
            wanted &= wanted - ONE
            length += ONE
    return length


@kernel("float64(uint64, uint64, int64, float64, float64, uint64, TreeDesk)")
def _value(own: int, opp: int, depth: int, alpha: float, beta: float, ply: int, desk: TreeDesk) -> float:
    """The value. Minimax looks at every line; with pruning, which is alpha-beta, it is exact between alpha and beta and
    a bound of it outside (fail-soft)."""
    if not _may_visit(desk):
        return 0.0
    here = desk.plies[ply]
    here.line[ZERO] = NO_MOVE
    moves = legal_moves(own, opp, desk.board)
    if moves == ZERO:
        if legal_moves(opp, own, desk.board) == ZERO:
            return _finished(own, opp, desk)
        value = -_value(opp, own, depth, -beta, -alpha, ply + ONE, desk)
        if not desk.aborted:  # where the search was cut off there is no line to copy
            _remember_line(ply, PASS, desk)
        return value
    if depth == 0:
        desk.estimates = ONE
        return _estimated(own, opp, desk)
    best = -np.inf
    length = _order_moves(own, opp, moves, depth, ply, desk)
    tried = ZERO
    while tried < length:
        square = here.moves[tried] & SQUARE
        tried += ONE
        turned = flips(own, opp, square)
        value = -_value(opp & ~turned, own | turned | (ONE << square), depth - int64(1), -beta, -alpha, ply + ONE, desk)
        if desk.aborted:
            return 0.0
        if value > best:
            best = value
            if value > alpha:
                _remember_line(ply, square, desk)
                if desk.pruning:
                    alpha = value
                    if value >= beta:
                        break
        elif value == -np.inf and here.line[ZERO] == NO_MOVE:
            _remember_line(ply, square, desk)  # minus infinity beats nothing, and is a move's value all the same
    return best


@kernel("float64(uint64, uint64, uint64, int64, uint64[::1], float64[::1])")
def search_root(address: int, own: int, opp: int, depth: int, order: Any, values: Any) -> float:
    """Searches the root's moves in the order given; the best value, its line at ply 0 of the desk.

    Without pruning `values` gets the value of every move, with it a bound for those that are not best.
    """
    desk = desk_at(address)
    best, best_square = -np.inf, NO_MOVE
    for index in range(order.size):
        square = order[index]
        turned = flips(own, opp, square)
        alpha = -np.inf
        if desk.pruning:
            # Just below the best value, so that an equal one on a lower square shows itself as equal.
            alpha = np.nextafter(best, -np.inf) if square < best_square else best
        value = -_value(opp & ~turned, own | turned | (ONE << square), depth - int64(1), -np.inf, -alpha, ONE, desk)
        if desk.aborted:
            return best
        values[index] = value
        if value > best or (value == best and square < best_square):
            best, best_square = value, square
            _remember_line(ZERO, square, desk)
    return best
