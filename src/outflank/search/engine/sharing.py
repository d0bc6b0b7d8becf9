"""Several threads on one tree.

Young brothers wait: a node's first move is searched alone. If it does not decide the node and another thread is idle,
the moves that are left become an *offer* that every idle thread may take moves from. The thread that made the offer
takes part, then waits for the others; while it waits it helps them with offers made below its own, never elsewhere,
so that it is free as soon as its own node is done. A cut-off ends at once all that is searched below it.

An offer is a row of words in memory that all threads share. `OPEN` counts who takes part; nobody joins once it is 0,
and its maker closes it only when alone.
"""

from typing import Any

from llvmlite import ir
from numba.core import types

from outflank.board.compiled import WORDS, inline, int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO
from outflank.board.memory import add_shared, exchange_shared, give_way, put_shared_word, shared_word, words_at
from outflank.search.engine.endgame import (
    A_PLY,
    ABOVE,
    HALL,
    NESTED,
    NUMBERS,
    OFFER,
    OWN_OFFERS,
    PLIES,
    SEARCH,
    SHARED_SQUARE,
    SQUARE,
    THREAD,
    THREADS,
    TURNED,
    ended,
)
from outflank.search.engine.lastplies import ABORTED, NONE
from outflank.search.engine.patternply import move_numbers
from outflank.search.engine.table import NO_SQUARE

Words = Any

# An offer: who takes part, the next move, how many there are, whether it is decided, the lock of its result, and that.
OPEN, NEXT, LENGTH, DECIDED, LOCK, VALUE, BEST_MOVE, OWN, OPP, ALPHA, DEEP, LEFT, PLY = (
    uint64(index) for index in range(13)
)
NESTED_HERE = uint64(14)
MOVES, FLIPS, NUMBERS_HERE = uint64(16), uint64(56), uint64(96)
AN_OFFER = uint64(128)
MOST_OFFERS = 64
"""Offers of one thread, one inside the other."""

# The hall, shared by all threads: how many are idle, whether it is closed, and each thread's newest offer.
IDLE, CLOSED = uint64(0), uint64(8)
DOORS = uint64(16)
A_DOOR = uint64(8)
BYTES = uint64(3)

WORD = ir.IntType(64)
SEARCHED = ir.FunctionType(WORD, [WORD] * 6 + [WORD.as_pointer()])


@inline
def search_at(
    typing_context: Any, address: Any, own: Any, opp: Any, alpha: Any, depth: Any, left: Any, ply: Any, desk: Any
) -> Any:
    """Calls the null-window search by its address: it calls us, so we cannot name it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, *rest = arguments
        return builder.call(builder.inttoptr(address, SEARCHED.as_pointer()), rest)

    u, i = types.uint64, types.int64
    return i(u, u, u, i, u, u, u, WORDS), generate


@kernel("boolean(CPointer(uint64))")
def somebody_is_idle(desk: Words) -> bool:
    """Whether an offer would find a taker."""
    return desk[HALL] != ZERO and shared_word(desk[HALL]) != ZERO


@kernel("void(uint64, CPointer(uint64))")
def _take_part(offer: int, desk: Words) -> None:
    """Searches moves of an offer until there are none or it is decided."""
    shared: Words = words_at(offer)
    before, nested = desk[OFFER], desk[NESTED]
    desk[OFFER], desk[NESTED] = offer, shared[NESTED_HERE]
    own, opp, ply = shared[OWN], shared[OPP], shared[PLY]
    alpha = int64(shared[ALPHA])
    here = PLIES + ply * A_PLY + NUMBERS
    for index in range(uint64(16)):
        desk[here + index] = shared[NUMBERS_HERE + index]
    while shared_word(offer + (DECIDED << BYTES)) == ZERO:
        number = add_shared(offer + (NEXT << BYTES), ONE)
        if number >= shared[LENGTH]:
            break
        square, turned = shared[MOVES + number], shared[FLIPS + number]
        move_numbers(ply, square, turned, desk)
        next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
        depth, left = shared[DEEP] - ONE, shared[LEFT] - ONE
        value = -search_at(desk[SEARCH], next_own, next_opp, -alpha - 1, depth, left, ply + ONE, desk)
        if desk[ABORTED]:
            break
        while not exchange_shared(offer + (LOCK << BYTES), ZERO, ONE):
            pass
        if value > int64(shared[VALUE]):
            shared[VALUE], shared[BEST_MOVE] = uint64(value), square
            if value > alpha:
                put_shared_word(offer + (DECIDED << BYTES), ONE)
        put_shared_word(offer + (LOCK << BYTES), ZERO)
    desk[OFFER], desk[NESTED] = before, nested
    # What a decision here has ended goes on above, unless that is to end as well.
    if desk[ABORTED] and not ended(desk):
        desk[ABORTED] = ZERO


@kernel("boolean(uint64, uint64)")
def _is_below(offer: int, above: int) -> bool:
    """Whether an offer was made in the search of a move of another one; all are below 0."""
    while offer:
        if offer == above:
            return True
        made_in: Words = words_at(offer)
        offer = made_in[ABOVE]
    return above == ZERO


@kernel("uint64(uint64, CPointer(uint64))")
def _joined(above: int, desk: Words) -> int:
    """Joins an offer that has moves left, made below another one; 0 where there is none."""
    for thread in range(desk[THREADS]):
        offer = shared_word(desk[HALL] + ((DOORS + thread * A_DOOR) << BYTES))
        if offer == ZERO or thread == desk[THREAD]:
            continue
        shared: Words = words_at(offer)
        if shared_word(offer + (NEXT << BYTES)) >= shared[LENGTH] or shared_word(offer + (DECIDED << BYTES)):
            continue
        inside = shared_word(offer)
        if inside == ZERO or not exchange_shared(offer, inside, inside + ONE):
            continue
        if _is_below(shared[ABOVE], above):
            return offer
        add_shared(offer, ~ZERO)
    return ZERO


@kernel("void(uint64, CPointer(uint64))")
def _help(above: int, desk: Words) -> None:
    """Takes part in one offer below another one if there is any."""
    offer = _joined(above, desk)
    if offer:
        add_shared(desk[HALL], ~ZERO)
        _take_part(offer, desk)
        add_shared(offer, ~ZERO)
        add_shared(desk[HALL], ONE)
    else:
        give_way()


@kernel("int64(uint64, uint64, int64, uint64, uint64, uint64, uint64, uint64, CPointer(uint64))")
def share(own: int, opp: int, alpha: int, depth: int, left: int, ply: int, at: int, end: int, desk: Words) -> int:
    """Searches the moves that stand on the desk from `at` to `end` with whoever is idle.

    Returns the best value; its square is on the desk. Nothing of it holds where the search was aborted.
    """
    offer = desk[OWN_OFFERS]
    shared: Words = words_at(offer)
    door = desk[HALL] + ((DOORS + desk[THREAD] * A_DOOR) << BYTES)
    before = shared_word(door)
    shared[NEXT], shared[LENGTH], shared[DECIDED], shared[LOCK] = ZERO, end - at, ZERO, ZERO
    shared[VALUE], shared[BEST_MOVE] = uint64(int64(NONE)), NO_SQUARE
    shared[OWN], shared[OPP], shared[ALPHA] = own, opp, uint64(alpha)
    shared[DEEP], shared[LEFT], shared[PLY] = depth, left, ply
    shared[ABOVE], shared[NESTED_HERE] = desk[OFFER], desk[NESTED]
    for index in range(end - at):
        square = desk[at + index] & SQUARE
        shared[MOVES + index] = square
        shared[FLIPS + index] = desk[PLIES + ply * A_PLY + TURNED + square]
    for index in range(uint64(16)):
        shared[NUMBERS_HERE + index] = desk[PLIES + ply * A_PLY + NUMBERS + index]
    put_shared_word(offer, ONE)
    put_shared_word(door, offer)
    desk[OWN_OFFERS] = offer + (AN_OFFER << BYTES)
    _take_part(offer, desk)
    add_shared(desk[HALL], ONE)
    while not exchange_shared(offer, ONE, ZERO):
        if ended(desk):
            put_shared_word(offer + (DECIDED << BYTES), ONE)
        _help(offer, desk)
    add_shared(desk[HALL], ~ZERO)
    put_shared_word(door, before)
    desk[OWN_OFFERS] = offer
    if ended(desk):
        desk[ABORTED] = ONE
    desk[SHARED_SQUARE] = shared[BEST_MOVE]
    return int64(shared[VALUE])


@kernel("void(uint64)")
def help_others(address: int) -> None:
    """A helper's whole life: takes part in offers until the hall is closed."""
    desk: Words = words_at(address)
    add_shared(desk[HALL], ONE)
    while shared_word(desk[HALL] + (CLOSED << BYTES)) == ZERO:
        desk[ABORTED] = ZERO
        _help(ZERO, desk)
    add_shared(desk[HALL], ~ZERO)
