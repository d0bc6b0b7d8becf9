"""Several threads on one tree: split points.

Young brothers wait: a node's first move is searched alone, unless the search goes to the end and an earlier one found
no move good enough. If it does not decide the node, the node becomes a *split point*, a small one only where another
thread is idle: every idle thread may take moves of it, and takes those of the outermost. Its owner takes part, then
waits for the others; while it waits it helps them with split points made below its own, never elsewhere, so that it is
free as soon as its own node is done. A cut-off ends at once all that is searched below it.

`midgame` splits its nodes here, and split points search moves with `midgame`: this module stands below it, and calls
the search by the address that the desk has.
"""

from typing import Any

from llvmlite import ir

from outflank.board.compiled import instruction, int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO
from outflank.board.memory import add_atomic, address_of, compare_and_swap, give_way, load_atomic, store_atomic
from outflank.board.vectors import WORD
from outflank.search.engine.desk import Desk, Ply, SplitPoint, copy_numbers, desk_at, must_stop, point_at
from outflank.search.engine.endgame import SQUARE
from outflank.search.engine.evaluate import move_numbers
from outflank.search.engine.lastplies import NO_SCORE
from outflank.search.engine.table import NO_SQUARE

SPLIT_FROM, SHARED_FROM = uint64(8), uint64(12)
"""Plies from which a node's moves are worth sharing with a thread that is idle, and from which they are laid out before
one is."""
LATE_LESS = uint64(2)
"""How many plies less late moves are searched first; even, so that parity is the same."""
MOST_POINTS = 64
"""Split points of one thread, one inside the other."""

SETTLED = uint64(64)
"""Added to a move of a split point once it is known not to be above alpha."""

NULL_WINDOW = ir.FunctionType(WORD, [WORD] * 6 + [WORD.as_pointer()])


@instruction("int64(uint64, uint64, uint64, int64, uint64, uint64, uint64, Desk)")
def search_at(
    builder: Any, address: Any, own: Any, opp: Any, alpha: Any, depth: Any, empties: Any, ply: Any, desk: Any
) -> Any:
    """Calls the null-window search by its address: it calls us, so we cannot name it."""
    search = builder.inttoptr(address, NULL_WINDOW.as_pointer())
    return builder.call(search, (own, opp, alpha, depth, empties, ply, desk))


@kernel("boolean(uint64, Desk)")
def is_shared(depth: int, desk: Desk) -> bool:
    """Whether a node of so many plies becomes a split point."""
    if not desk.pool or depth < SPLIT_FROM:
        return False
    return depth >= SHARED_FROM or load_atomic(desk.pool.idle) != ZERO


@kernel("void(SplitPoint, Desk)")
def _take_part(point: SplitPoint, desk: Desk) -> None:
    """Searches moves of a split point until there are none or it is decided."""
    outer, level = desk.split_point, desk.probcut_level
    desk.split_point, desk.probcut_level = point, point.probcut_level
    own, opp, ply, alpha = point.own, point.opp, point.ply, point.alpha
    copy_numbers(desk.plies[ply].numbers, point.numbers)
    while load_atomic(point.decided) == ZERO:
        number = add_atomic(point.next, ONE)
        if number >= point.length:
            break
        square, turned = point.moves[number], point.flips[number]
        move_numbers(ply, square, turned, desk)
        next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
        depth, empties, value = point.depth - ONE, point.empties - ONE, alpha + 1
        if number >= point.late_from:
            less = depth - LATE_LESS
            value = -search_at(desk.null_window, next_own, next_opp, -alpha - 1, less, empties, ply + ONE, desk)
        if value > alpha and desk.aborted == ZERO:
            value = -search_at(desk.null_window, next_own, next_opp, -alpha - 1, depth, empties, ply + ONE, desk)
        if desk.aborted:
            break
        while not compare_and_swap(point.lock, ZERO, ONE):
            pass
        if value <= alpha:
            point.moves[number] = square | SETTLED
        if value > point.value:
            point.value, point.best_move = value, square
            if value > alpha:
                store_atomic(point.decided, ONE)
        store_atomic(point.lock, ZERO)
    desk.split_point, desk.probcut_level = outer, level
    # What a decision here has ended goes on above, unless that is to end as well.
    if desk.aborted and not must_stop(desk):
        desk.aborted = ZERO


@kernel("boolean(SplitPoint, uint64)")
def _is_below(point: SplitPoint, above: int) -> bool:
    """Whether a split point was made in the search of a move of another one; all are below 0."""
    while point:
        if address_of(point) == above:
            return True
        point = point.above
    return above == ZERO


@kernel("uint64(uint64, Desk)")
def _joined(above: int, desk: Desk) -> int:
    """Joins a split point that has moves left, made below another one; returns its address, 0 where there is none."""
    thread = ZERO
    while thread < desk.threads:
        address = load_atomic(desk.pool.newest[thread].point)
        own_thread = thread == desk.thread
        thread += ONE
        if address == ZERO or own_thread:
            continue
        # Of those one inside the other the outermost has the most work.
        point, address = point_at(address), ZERO
        while point and address_of(point) != above:
            if load_atomic(point.next) < point.length and load_atomic(point.decided) == ZERO:
                address = address_of(point)
            point = point.above
        if address == ZERO or address_of(point) != above:
            continue
        point = point_at(address)
        workers = load_atomic(point.workers)
        if workers == ZERO or not compare_and_swap(point.workers, workers, workers + ONE):
            continue
        if _is_below(point.above, above):
            return address
        add_atomic(point.workers, ~ZERO)
    return ZERO


@kernel("void(uint64, Desk)")
def _help(above: int, desk: Desk) -> None:
    """Takes part in one split point below another one if there is any."""
    address = _joined(above, desk)
    if address:
        point = point_at(address)
        add_atomic(desk.pool.idle, ~ZERO)
        _take_part(point, desk)
        add_atomic(point.workers, ~ZERO)
        add_atomic(desk.pool.idle, ONE)
    else:
        give_way()


@kernel("void(Ply, SplitPoint, uint64)", inlined=True)
def _put_settled_first(here: Ply, point: SplitPoint, place: int) -> None:
    """Writes a split point's moves to its ply: those that are settled, the best one, and the others: a cut-off ended
    their search, or they were above alpha as well."""
    best = point.best_move
    for index in range(point.length):
        move = point.moves[index]
        if move >= SETTLED and move & SQUARE != best:
            here.moves[place] = move
            place += ONE
    here.moves[place] = best
    for index in range(point.length):
        move = point.moves[index]
        if move < SETTLED and move != best:
            place += ONE
            here.moves[place] = move


@kernel("int64(uint64, uint64, int64, uint64, uint64, uint64, uint64, uint64, uint64, Desk)")
def split(
    own: int, opp: int, alpha: int, depth: int, empties: int, ply: int, begin: int, end: int, late: int, desk: Desk
) -> int:
    """Searches this ply's moves from `begin` to `end` with whoever is idle; those from `late` on less deep first.

    Returns the best value; its move is on the desk. On the ply, before it, stand the moves known not to be above alpha
    now, and behind it those to be searched yet. Nothing of it holds where the search was aborted.
    """
    point, here = desk.own_points[desk.points_in_use], desk.plies[ply]
    newest = desk.pool.newest[desk.thread]
    older = load_atomic(newest.point)
    store_atomic(point.next, ZERO)
    store_atomic(point.decided, ZERO)
    store_atomic(point.lock, ZERO)
    point.value, point.best_move, point.length = int64(NO_SCORE), NO_SQUARE, end - begin
    point.own, point.opp, point.alpha = own, opp, alpha
    point.depth, point.empties, point.ply = depth, empties, ply
    point.late_from = max(late, begin) - begin
    point.above, point.probcut_level = desk.split_point, desk.probcut_level
    for index in range(end - begin):
        square = here.moves[begin + index] & SQUARE
        point.moves[index] = square
        point.flips[index] = here.flips[square]
    copy_numbers(point.numbers, here.numbers)
    store_atomic(point.workers, ONE)
    store_atomic(newest.point, address_of(point))
    desk.points_in_use += ONE
    _take_part(point, desk)
    add_atomic(desk.pool.idle, ONE)
    while not compare_and_swap(point.workers, ONE, ZERO):
        if must_stop(desk):
            store_atomic(point.decided, ONE)
        _help(address_of(point), desk)
    add_atomic(desk.pool.idle, ~ZERO)
    store_atomic(newest.point, older)
    desk.points_in_use -= ONE
    if must_stop(desk):
        desk.aborted = ONE
    desk.shared_move = point.best_move
    if not desk.aborted:
        _put_settled_first(here, point, begin)
    return point.value


@kernel("void(uint64)")
def help_others(address: int) -> None:
    """A helper's whole life: takes part in split points until the pool is closed."""
    desk = desk_at(address)
    add_atomic(desk.pool.idle, ONE)
    while load_atomic(desk.pool.closed) == ZERO:
        desk.aborted = ZERO
        _help(ZERO, desk)
    add_atomic(desk.pool.idle, ~ZERO)
