"""Monte Carlo tree search, compiled: selection, expansion, playout and back-up in one loop without the interpreter.

Every kernel has a plain-Python counterpart in tests/naive_montecarlo.py that makes the same tree from the same random
words. Results are whole numbers seen by the player at the root: -1, 0 and 1, or a margin in discs; so sums are exact
and do not depend on the order in which threads add them. A forced pass is no node: `OURS` says whose turn it is.
"""

import math
from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, final_margin, legal_moves, random_word
from outflank.board.memory import shared_word, words_at
from outflank.board.vectors import count, flips, lowest, nth_square
from outflank.search.montecarlo.memory import (
    BOTH_BOUNDS,
    BOUNDS,
    BYTE,
    CLAIMED,
    COUNT_AT,
    FIRST,
    LINK,
    MARK_AT,
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
    replace_if,
)

Words = Any  # compiled.WORDS, a pointer to 64-bit words

# The desk: what a search fixes once, then the two counters that its threads share, each on a cache line of its own.
(
    BOARD,
    REVERSED,
    OWN,
    OPP,
    NODES,
    CAPACITY,
    REWARD,
    CUT,
    TREE,
    PROVEN,
    SHARED,
    STOP,
    PLAYOUTS,
    UNKNOWN,
    RANGE,
    FULL,
    ROOT,
) = (uint64(index) for index in range(17))
USED = uint64(24)
STARTED = uint64(32)
DESK_WORDS = 40

# A thread's own words: its random state, what it counted, and the nodes from the root to where it is.
RANDOM, DONE, DEEPEST = (uint64(index) for index in range(3))
PATH = uint64(8)
THREAD_WORDS = 8 + 72  # no line is longer than the 60 moves of a game and its root

WIN_DRAW_HALF, WIN_DRAW_LOSS, MARGIN = (uint64(kind) for kind in range(3))
HALF_WORD = uint64(32)


@kernel("uint64(uint64, CPointer(uint64))")
def random_below(limit: int, state: Words) -> int:
    """A uniform choice: the high 32 bits of a 32-bit random number times the limit."""
    return ((random_word(state) >> HALF_WORD) * limit) >> HALF_WORD


@kernel("uint64(uint64, uint64)")
def random_below_at(limit: int, thread_address: int) -> int:
    """`random_below` with the state of a thread."""
    return random_below(limit, words_at(thread_address))


@kernel("int64(uint64, uint64, uint64, uint64, CPointer(uint64))")
def playout(own: int, opp: int, board: int, moves_left: int, state: Words) -> int:
    """Plays random moves to the end, or so many; returns the margin for the side that was to move.

    Where it is cut the discs are counted as they stand; passes are free. Most discs win here: see `result`.
    """
    to_move = True
    moves = legal_moves(own, opp, board)
    while True:
        if moves == ZERO:
            own, opp, to_move = opp, own, not to_move
            moves = legal_moves(own, opp, board)
            if moves == ZERO:
                margin = final_margin(own, opp, board)
                return margin if to_move else -margin
        if moves_left == ZERO:
            margin = int64(count(own)) - int64(count(opp))
            return margin if to_move else -margin
        moves_left -= ONE
        square = nth_square(moves, random_below(count(moves), state))
        turned = flips(own, opp, square)
        own, opp, to_move = opp & ~turned, own | turned | (ONE << square), not to_move
        moves = legal_moves(own, opp, board)


@kernel("int64(int64, uint64, CPointer(uint64))")
def result(margin: int, ours: int, desk: Words) -> int:
    """What a margin of the side to move is worth to the player, under the objective and the reward."""
    if (ours == ZERO) != (desk[REVERSED] != ZERO):
        margin = -margin
    if desk[REWARD] == MARGIN:
        return margin
    if margin > int64(0):
        return int64(1)
    if margin < int64(0) or desk[REWARD] == WIN_DRAW_LOSS:
        return int64(-1)
    return int64(0)


@kernel("float64(float64, uint64, float64, float64)")
def ucb1(mean: float, visits: int, twice_log: float, c: float) -> float:
    """001's value of a child: its mean reward (0 to 1) plus c·sqrt(2·ln N / n), given 2·ln N."""
    return mean + c * math.sqrt(twice_log / np.float64(visits))


@kernel(
    "uint64(CPointer(uint64), CPointer(uint64), uint64, uint64, uint64, uint64, float64, float64, CPointer(uint64))"
)
def select(
    nodes: Words, desk: Words, link: int, bounds: int, parent: int, proven: int, c: float, scale: float, state: Words
) -> int:
    """The child to follow: one never visited, else the greatest UCB1 for the side to move, ties at random.

    With proofs, a child that cannot beat what another is sure to bring is left out, and the mean of any other is kept
    within its bounds. A node that is not settled has a child that is not left out, unless another thread settles it.
    """
    ours = (link & OURS) != ZERO
    first, children = link & FIRST, (link >> COUNT_AT) & BYTE
    sign = scale if ours else -scale
    unknown = desk[UNKNOWN]
    sure = low_of(bounds) if ours else -high_of(bounds)
    twice_log = 2.0 * math.log(np.float64(parent)) if parent else 0.0
    best = -math.inf
    tied = ZERO
    child = ZERO
    while child < children:
        at = (first + child) * NODE_WORDS
        visits = look(nodes, at + VISITS)
        value = math.inf
        mean = 0.0
        if visits:
            mean = 0.5 + sign * np.float64(int64(look(nodes, at + SUM))) / np.float64(visits)
        if proven:
            known = look(nodes, at + BOUNDS)
            if known != unknown:
                hope = high_of(known) if ours else -low_of(known)
                if hope <= sure:
                    child += ONE
                    continue
                floor = low_of(known) if ours else -high_of(known)
                mean = min(max(mean, 0.5 + scale * np.float64(floor)), 0.5 + scale * np.float64(hope))
        if visits:
            value = ucb1(mean, visits, twice_log, c)
        if value > best:
            best, tied = value, ONE << child
        elif value == best:
            tied |= ONE << child
        child += ONE
    if tied & (tied - ONE):
        return first + nth_square(tied, random_below(count(tied), state))
    return first + lowest(tied) if tied else first


@kernel("void(CPointer(uint64), uint64, uint64, uint64)")
def write_node(nodes: Words, node: int, link: int, bounds: int) -> None:
    """A node without visits."""
    at = node * NODE_WORDS
    nodes[at + VISITS] = ZERO
    nodes[at + SUM] = ZERO
    nodes[at + LINK] = link
    nodes[at + BOUNDS] = bounds


@kernel("uint64(CPointer(uint64), CPointer(uint64), uint64, uint64)")
def take_room(nodes: Words, desk: Words, node: int, wanted: int) -> int:
    """Where a node's children may stand, or 0 when there is no room or another thread makes them."""
    if desk[SHARED] == ZERO:
        first: int = desk[USED]
        if first + wanted <= desk[CAPACITY]:
            desk[USED] = first + wanted
            return first
    else:
        at = node * NODE_WORDS + LINK
        link = look(nodes, at)
        if link & CLAIMED or (link >> COUNT_AT) & BYTE or not replace_if(nodes, at, link, link | CLAIMED):
            return ZERO
        first = add(desk, USED, wanted, ONE)
        if first + wanted <= desk[CAPACITY]:
            return first
    publish(desk, FULL, ONE)
    return ZERO


@kernel("uint64(CPointer(uint64), CPointer(uint64), uint64, uint64, uint64)")
def expand(nodes: Words, desk: Words, node: int, own: int, opp: int) -> int:
    """Makes a node's children, all at once; returns its new link, or 0 when that cannot be done.

    A child knows from the beginning whose turn it is there and, if its game is over, its result.
    """
    board = desk[BOARD]
    moves = legal_moves(own, opp, board)
    children = count(moves)
    first = take_room(nodes, desk, node, children)
    if first == ZERO:
        return ZERO
    link = look(nodes, node * NODE_WORDS + LINK)
    ours = link & OURS
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
                end = result(final_margin(mine, theirs, board), ours, desk)
                bounds = bounds_of(end, end)
        write_node(nodes, child, turn | square << MOVE_AT, bounds)
        child += ONE
    link = (link & ~CLAIMED) | first | children << COUNT_AT
    publish(nodes, node * NODE_WORDS + LINK, link)
    return link


@kernel("boolean(CPointer(uint64), uint64, uint64)")
def refresh(nodes: Words, node: int, shared: int) -> bool:
    """Draws a node's bounds from its children's; says whether they became narrower.

    The side to move is sure of the best that a child is sure of, and can hope for the best hope (Cazenave and
    Saffidine 2010, "Score bounded Monte-Carlo tree search").
    """
    at = node * NODE_WORDS
    link = look(nodes, at + LINK)
    ours = (link & OURS) != ZERO
    child, end = link & FIRST, (link & FIRST) + ((link >> COUNT_AT) & BYTE)
    bounds = look(nodes, child * NODE_WORDS + BOUNDS)
    low, high = low_of(bounds), high_of(bounds)
    while child < end:
        bounds = look(nodes, child * NODE_WORDS + BOUNDS)
        if ours:
            low, high = max(low, low_of(bounds)), max(high, high_of(bounds))
        else:
            low, high = min(low, low_of(bounds)), min(high, high_of(bounds))
        child += ONE
    while True:
        before = look(nodes, at + BOUNDS)
        # Another thread may have seen other children proven: what either knows is true.
        after = bounds_of(max(low, low_of(before)), min(high, high_of(before)))
        if after == before:
            return False
        if shared == ZERO:
            nodes[at + BOUNDS] = after
            return True
        if replace_if(nodes, at + BOUNDS, before, after):
            return True


@kernel("void(CPointer(uint64), CPointer(uint64), CPointer(uint64), uint64, int64)")
def back_up(nodes: Words, desk: Words, thread: Words, depth: int, end: int) -> None:
    """Adds a simulation's result to every node on its path, and takes back the losses lent on the way down.

    No result leaves the bounds of a node on its way up: while the side to move has a result in hand and looks for a
    better one, the worse ones that it finds would not be played.
    """
    shared, unknown = desk[SHARED], desk[UNKNOWN]
    lent = int64(desk[RANGE])
    while True:
        at = thread[PATH + depth] * NODE_WORDS
        bounds = look(nodes, at + BOUNDS)
        if bounds != unknown:
            end = min(max(end, low_of(bounds)), high_of(bounds))
        gain = end
        if shared and depth:
            parent = look(nodes, thread[PATH + depth - ONE] * NODE_WORDS + LINK)
            gain += lent if parent & OURS else -lent
        add(nodes, at + SUM, uint64(gain), shared)
        if depth == ZERO:
            return
        depth -= ONE


@kernel("void(CPointer(uint64), CPointer(uint64), CPointer(uint64), float64, float64)")
def simulate(nodes: Words, desk: Words, thread: Words, c: float, scale: float) -> None:
    """One simulation: down the tree to a node seen for the first time, a random game from there, and back."""
    own, opp, board = desk[OWN], desk[OPP], desk[BOARD]
    shared, proven = desk[SHARED], desk[PROVEN]
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
            if visits and desk[TREE]:
                made = expand(nodes, desk, node, own, opp)
            if made == ZERO:
                end = result(playout(own, opp, board, desk[CUT], thread), link & OURS, desk)
                break
            link = made
            if proven and refresh(nodes, node, shared):
                narrowed = depth
                bounds = look(nodes, at + BOUNDS)
                end = low_of(bounds)
                if end == high_of(bounds):
                    break
        node = select(nodes, desk, link, bounds, visits, proven, c, scale, thread)
        if shared:  # until its result is in, a simulation counts as lost for whoever chose it: others look elsewhere
            lent = int64(desk[RANGE])
            add(nodes, node * NODE_WORDS + SUM, uint64(-lent if link & OURS else lent), shared)
        into = look(nodes, node * NODE_WORDS + LINK)
        square = (into >> MOVE_AT) & BYTE
        turned = flips(own, opp, square)
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
def run(desk_address: int, thread_address: int, c: float, scale: float) -> int:
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
        simulate(nodes, desk, thread, c, scale)
        done += ONE
    thread[DONE] = done
    return done


@kernel("void(uint64, uint64)")
def plant(desk_address: int, fresh: int) -> None:
    """Makes the root, where `fresh`, and its children, where it has none. A game that is over cannot be searched."""
    desk: Words = words_at(desk_address)
    nodes: Words = words_at(desk[NODES])
    if fresh:
        desk[USED], desk[ROOT] = ONE, ZERO
        write_node(nodes, ZERO, OURS, desk[UNKNOWN])
    root = desk[ROOT]
    if (nodes[root * NODE_WORDS + LINK] >> COUNT_AT) & BYTE == ZERO:
        expand(nodes, desk, root, desk[OWN], desk[OPP])
    if desk[PROVEN]:
        refresh(nodes, root, ZERO)


@kernel("void(CPointer(uint64), uint64, uint64)")
def move_node(nodes: Words, source: int, target: int) -> None:
    """Copies a node, and marks its children with its new place, in the bits that their bounds leave free."""
    link = nodes[source * NODE_WORDS + LINK] & ~CLAIMED
    nodes[target * NODE_WORDS + VISITS] = nodes[source * NODE_WORDS + VISITS]
    nodes[target * NODE_WORDS + SUM] = nodes[source * NODE_WORDS + SUM]
    nodes[target * NODE_WORDS + BOUNDS] = nodes[source * NODE_WORDS + BOUNDS] & BOTH_BOUNDS
    nodes[target * NODE_WORDS + LINK] = link
    if (link >> COUNT_AT) & BYTE:
        nodes[(link & FIRST) * NODE_WORDS + BOUNDS] |= (target + ONE) << MARK_AT


@kernel("void(uint64)")
def compact(desk_address: int) -> None:
    """Moves the root and all below it to the front of the array; what stood elsewhere is gone.

    Children stand behind their parent, so one pass in order finds every block of children after its parent marked it,
    and the place it moves to is behind none that is still needed.
    """
    desk: Words = words_at(desk_address)
    nodes: Words = words_at(desk[NODES])
    used = min(desk[USED], desk[CAPACITY])
    node = desk[ROOT]
    move_node(nodes, node, ZERO)
    node += ONE
    free = ONE
    while node < used:
        mark = nodes[node * NODE_WORDS + BOUNDS] >> MARK_AT
        if mark == ZERO:
            node += ONE
            continue
        nodes[node * NODE_WORDS + BOUNDS] &= BOTH_BOUNDS
        parent = (mark - ONE) * NODE_WORDS + LINK
        link = nodes[parent]
        nodes[parent] = (link & ~FIRST) | free
        end = node + ((link >> COUNT_AT) & BYTE)
        while node < end:
            move_node(nodes, node, free)
            node += ONE
            free += ONE
    desk[USED], desk[ROOT] = free, ZERO
