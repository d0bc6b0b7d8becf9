"""Tree search guided by learnt tables, compiled: PUCT over a policy's chances, a value instead of a random game.

The tree is that of `montecarlo_memory`; the policy's chance of a move stands in the bits that a link leaves free. Sums
hold results times `RANGE`, so that estimates between a loss and a win are whole numbers too. The player for whom the
search works is laid out as Black in the pattern numbers. Without tables it is the beginning of all learning: every
move has the same chance, and a random game says what a position is worth.

Every kernel has a plain-Python counterpart in tests/naive_guided.py that makes the same tree.
"""

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types

from outflank.board.compiled import inline, int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, final_margin, legal_moves
from outflank.board.memory import shared_word, words_at
from outflank.board.vectors import count, flips, lowest, nth_square
from outflank.patterns.guides import PLIES_A_STAGE, UNITS
from outflank.patterns.lookup import look_up_sum, play_numbers, set_numbers
from outflank.search.montecarlo import kernels as chance
from outflank.search.montecarlo.kernels import (
    BOARD,
    DEEPEST,
    DONE,
    NODES,
    OPP,
    OWN,
    PATH,
    PLAYOUTS,
    RANGE,
    ROOT,
    SHARED,
    STARTED,
    STOP,
    UNKNOWN,
    USED,
    back_up,
    playout,
    random_below,
    refresh,
    result,
    take_room,
    write_node,
)
from outflank.search.montecarlo.memory import (
    BOUNDS,
    BYTE,
    CLAIMED,
    COUNT_AT,
    FIRST,
    LINK,
    MOVE_AT,
    NODE_WORDS,
    OURS,
    SUM,
    VISITS,
    add,
    bounds_of,
    high_of,
    look,
    low_of,
    publish,
)

Words = Any
Floats = Any

# What the desk of Monte Carlo leaves free: the tables, and the root's pattern numbers.
POWERS, OFFSETS, SLOT_COUNT, STAGE_BYTES, LAST_STAGE, VALUES, POLICIES = (uint64(17 + index) for index in range(7))
ROOT_NUMBERS = uint64(chance.DESK_WORDS)
DESK_WORDS = chance.DESK_WORDS + 16

# Behind a thread's words: the pattern numbers where it is and after a move, and the chances of a node's moves.
HERE, AFTER, CHANCES = (uint64(chance.THREAD_WORDS + 16 * index) for index in range(3))
THREAD_WORDS = chance.THREAD_WORDS + 32 + 64

WORD_BYTES = uint64(8)
TWO, FOUR = uint64(2), uint64(4)
NEVER_CUT = uint64(1 << 62)

A_LOGIT = float(UNITS)
RESULT_RANGE = 127
"""What a win is in the sums: bounds are kept in a byte."""
PRIOR_AT = uint64(50)
PRIOR_STEPS = 16383.0
"""A chance has the upper fourteen bits of a link."""


@inline
def floats_at(typing_context: Any, address: Any) -> Any:
    """The memory at an address as 64-bit floating-point numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())

    return types.CPointer(types.float64)(types.uint64), generate


@kernel("uint64(CPointer(uint64), uint64, uint64, uint64)")
def table_at(desk: Words, tables: int, discs: int, white: int) -> int:
    """The address of the weights for so many discs and the side that moves."""
    stage = min((discs - FOUR) // uint64(PLIES_A_STAGE), desk[LAST_STAGE])
    return tables + (TWO * stage + white) * desk[STAGE_BYTES]  # type: ignore[no-any-return]


@kernel("int64(CPointer(uint64), uint64, uint64, uint64, CPointer(uint64), uint64)")
def estimate(desk: Words, numbers: int, own: int, opp: int, thread: Words, ours: int) -> int:
    """What a position is expected to bring to the player: by the tables, or by a random game where there are none."""
    most = int64(desk[RANGE])
    if desk[POWERS] == ZERO:
        return most * result(playout(own, opp, desk[BOARD], NEVER_CUT, thread), ours, desk)
    white = ZERO if ours else ONE
    offsets: Words = words_at(desk[OFFSETS])
    logit = look_up_sum(numbers, table_at(desk, desk[VALUES], count(own | opp), white), offsets, desk[SLOT_COUNT])
    # An estimate is never as good as a proof.
    worth = int64(math.floor(np.float64(most) * math.tanh(0.5 / A_LOGIT * np.float64(logit)) + 0.5))
    worth = min(max(worth, 1 - most), most - 1)
    return worth if ours else -worth


@kernel("void(CPointer(uint64), uint64, uint64, uint64, uint64, uint64, uint64)")
def find_chances(desk: Words, here: int, address: int, own: int, opp: int, moves: int, ours: int) -> None:
    """Fills the thread's chances of the moves, lowest square first: softmax of what the policy says of the board
    after each."""
    chances: Floats = floats_at(address + CHANCES * WORD_BYTES)
    after = address + AFTER * WORD_BYTES
    children = count(moves)
    if desk[POWERS] == ZERO:
        child = ZERO
        while child < children:
            chances[child] = 1.0 / np.float64(children)
            child += ONE
        return
    white = ZERO if ours else ONE
    table = table_at(desk, desk[POLICIES], count(own | opp), white)
    offsets: Words = words_at(desk[OFFSETS])
    greatest = -math.inf
    child = ZERO
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        play_numbers(after, here, desk[POWERS], square, flips(own, opp, square), white)
        logit = np.float64(look_up_sum(after, table, offsets, desk[SLOT_COUNT])) / A_LOGIT
        chances[child] = logit
        greatest = max(greatest, logit)
        child += ONE
    total = 0.0
    child = ZERO
    while child < children:
        chances[child] = math.exp(chances[child] - greatest)
        total += chances[child]
        child += ONE
    child = ZERO
    while child < children:
        chances[child] /= total
        child += ONE


@kernel("uint64(float64)")
def prior_bits(likely: float) -> int:
    """A chance as a link keeps it."""
    return uint64(math.floor(likely * PRIOR_STEPS + 0.5)) << PRIOR_AT


@kernel("float64(uint64)")
def prior_of(link: int) -> float:
    """The policy's chance of the move that led to a node."""
    return np.float64(link >> PRIOR_AT) / PRIOR_STEPS


@kernel("uint64(CPointer(uint64), CPointer(uint64), uint64, uint64, uint64, uint64, uint64)")
def expand(nodes: Words, desk: Words, address: int, here: int, node: int, own: int, opp: int) -> int:
    """Makes a node's children, all at once, each with its chance; returns its new link, or 0 when there is no room."""
    board = desk[BOARD]
    moves = legal_moves(own, opp, board)
    children = count(moves)
    first = take_room(nodes, desk, node, children)
    if first == ZERO:
        return ZERO
    link = look(nodes, node * NODE_WORDS + LINK)
    ours = link & OURS
    find_chances(desk, here, address, own, opp, moves, ours)
    chances: Floats = floats_at(address + CHANCES * WORD_BYTES)
    child = first
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips(own, opp, square)
        theirs, mine = opp & ~turned, own | turned | (ONE << square)
        turn, bounds = ours ^ OURS, desk[UNKNOWN]
        if legal_moves(theirs, mine, board) == ZERO:
            turn = ours
            if legal_moves(mine, theirs, board) == ZERO:
                end = int64(desk[RANGE]) * result(final_margin(mine, theirs, board), ours, desk)
                bounds = bounds_of(end, end)
        write_node(nodes, child, turn | square << MOVE_AT | prior_bits(chances[child - first]), bounds)
        child += ONE
    link = (link & ~CLAIMED) | first | children << COUNT_AT
    publish(nodes, node * NODE_WORDS + LINK, link)
    return link


@kernel("float64(float64, float64, uint64, float64)")
def puct(mean: float, prior: float, visits: int, pull: float) -> float:
    """The value of a child: its mean result, and c·sqrt(N) (the pull) times its chance over one more than its visits
    (Silver and others 2017)."""
    return mean + pull * prior / np.float64(visits + ONE)


@kernel(
    "uint64(CPointer(uint64), CPointer(uint64), uint64, uint64, uint64, uint64, float64, float64, CPointer(uint64))"
)
def select(
    nodes: Words, desk: Words, node: int, link: int, bounds: int, parent: int, c: float, doubt: float, state: Words
) -> int:
    """The child to follow: the greatest PUCT for the side to move, ties at random.

    One never visited counts as its parent's mean less the doubt. A child that cannot beat what another is sure to
    bring is left out, and the mean of any other is kept within its bounds.
    """
    ours = (link & OURS) != ZERO
    first, children = link & FIRST, (link >> COUNT_AT) & BYTE
    scale = 1.0 / np.float64(int64(desk[RANGE]))
    sign = scale if ours else -scale
    unknown = desk[UNKNOWN]
    sure = low_of(bounds) if ours else -high_of(bounds)
    pull = c * math.sqrt(np.float64(parent))
    unseen = -doubt
    if parent:
        unseen += sign * np.float64(int64(look(nodes, node * NODE_WORDS + SUM))) / np.float64(parent)
    best = -math.inf
    tied = ZERO
    child = ZERO
    while child < children:
        at = (first + child) * NODE_WORDS
        visits = look(nodes, at + VISITS)
        mean = unseen
        if visits:
            mean = sign * np.float64(int64(look(nodes, at + SUM))) / np.float64(visits)
        known = look(nodes, at + BOUNDS)
        if known != unknown:
            hope = high_of(known) if ours else -low_of(known)
            if hope <= sure:
                child += ONE
                continue
            floor = low_of(known) if ours else -high_of(known)
            mean = min(max(mean, scale * np.float64(floor)), scale * np.float64(hope))
        value = puct(mean, prior_of(look(nodes, at + LINK)), visits, pull)
        if value > best:
            best, tied = value, ONE << child
        elif value == best:
            tied |= ONE << child
        child += ONE
    if tied & (tied - ONE):
        return first + nth_square(tied, random_below(count(tied), state))
    return first + lowest(tied) if tied else first


@kernel("void(CPointer(uint64), CPointer(uint64), uint64, uint64, float64, float64)")
def simulate(nodes: Words, desk: Words, desk_address: int, address: int, c: float, doubt: float) -> None:
    """One simulation: down the tree to a node seen for the first time, its worth by the tables, and back."""
    thread: Words = words_at(address)
    own, opp, shared = desk[OWN], desk[OPP], desk[SHARED]
    here = desk_address + ROOT_NUMBERS * WORD_BYTES
    node, depth, narrowed = desk[ROOT], ZERO, ZERO
    while True:
        thread[PATH + depth] = node
        at = node * NODE_WORDS
        visits = add(nodes, at + VISITS, ONE, shared)
        bounds = look(nodes, at + BOUNDS)
        end = low_of(bounds)
        if end == high_of(bounds):
            break
        link = look(nodes, at + LINK)
        if (link >> COUNT_AT) & BYTE == ZERO:
            made = ZERO
            if visits:
                made = expand(nodes, desk, address, here, node, own, opp)
            if made == ZERO:
                end = estimate(desk, here, own, opp, thread, link & OURS)
                break
            link = made
            if refresh(nodes, node, shared):
                narrowed = depth
                bounds = look(nodes, at + BOUNDS)
                end = low_of(bounds)
                if end == high_of(bounds):
                    break
        node = select(nodes, desk, node, link, bounds, visits, c, doubt, thread)
        if shared:  # until its result is in, a simulation counts as lost for whoever chose it: others look elsewhere
            lent = int64(desk[RANGE])
            add(nodes, node * NODE_WORDS + SUM, uint64(-lent if link & OURS else lent), shared)
        into = look(nodes, node * NODE_WORDS + LINK)
        square = (into >> MOVE_AT) & BYTE
        turned = flips(own, opp, square)
        if desk[POWERS]:
            play_numbers(address + HERE * WORD_BYTES, here, desk[POWERS], square, turned, ZERO if link & OURS else ONE)
            here = address + HERE * WORD_BYTES
        own, opp = opp & ~turned, own | turned | (ONE << square)
        if (into ^ link) & OURS == ZERO:
            own, opp = opp, own
        depth += ONE
    if depth > thread[DEEPEST]:
        thread[DEEPEST] = depth
    while narrowed and refresh(nodes, thread[PATH + narrowed - ONE], shared):
        narrowed -= ONE
    back_up(nodes, desk, thread, depth, end)


@kernel("uint64(uint64, uint64, float64, float64)")
def run(desk_address: int, thread_address: int, c: float, doubt: float) -> int:
    """Simulates until it is stopped, the playouts are used up or the root is proven; returns how many it made."""
    desk: Words = words_at(desk_address)
    thread: Words = words_at(thread_address)
    nodes: Words = words_at(desk[NODES])
    root_bounds = desk[ROOT] * NODE_WORDS + BOUNDS
    done = ZERO
    while shared_word(desk[STOP]) == ZERO:
        bounds = look(nodes, root_bounds)
        if low_of(bounds) == high_of(bounds):
            break
        if add(desk, STARTED, ONE, desk[SHARED]) >= desk[PLAYOUTS]:
            break
        simulate(nodes, desk, desk_address, thread_address, c, doubt)
        done += ONE
    thread[DONE] = done
    return done


@kernel("void(uint64, uint64)")
def number_root(desk_address: int, ours: int) -> None:
    """The pattern numbers of the position on the desk, the player's discs as Black's."""
    desk: Words = words_at(desk_address)
    if desk[POWERS]:
        own, opp = desk[OWN], desk[OPP]
        black, white = (own, opp) if ours else (opp, own)
        set_numbers(desk_address + ROOT_NUMBERS * WORD_BYTES, desk[POWERS], black, white)


@kernel("void(uint64, uint64)")
def plant(desk_address: int, thread_address: int) -> None:
    """Makes a new root with its children, whose side to move is the player. A game that is over cannot be searched."""
    desk: Words = words_at(desk_address)
    nodes: Words = words_at(desk[NODES])
    desk[USED], desk[ROOT] = ONE, ZERO
    write_node(nodes, ZERO, OURS, desk[UNKNOWN])
    number_root(desk_address, ONE)
    here = desk_address + ROOT_NUMBERS * WORD_BYTES
    expand(nodes, desk, thread_address, here, ZERO, desk[OWN], desk[OPP])
    refresh(nodes, ZERO, ZERO)
