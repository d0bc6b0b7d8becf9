"""Leaves in batches, compiled: for evaluators outside of the search that answer many positions as fast as one.

The walk is that of `kernels`. A leaf waits, claimed, until a batch is full; the losses lent on the way to it send the
next walks elsewhere. One that ends at a leaf which waits already is taken back when the answers come. With them a leaf
gets its children and their priors at once. One thread walks; a batch of one is the plain search.

tests/naive_network.py makes the same tree in plain Python.
"""

import math
from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import EIGHT, ONE, SEVEN, ZERO, legal_moves
from outflank.board.memory import load_atomic, store_atomic
from outflank.board.planes import PLANES, write_planes, write_squares
from outflank.board.vectors import lowest
from outflank.search.montecarlo.guided_kernels import softmax
from outflank.search.montecarlo.kernels import ascend, descend, expand, refresh
from outflank.search.montecarlo.memory import (
    CLAIMED,
    OURS,
    LeafBatch,
    MonteCarloDesk,
    MonteCarloThread,
    add,
    batch_at,
    desk_at,
    high_of,
    low_of,
    thread_at,
)

Array = Any  # a contiguous NumPy array


@kernel("void(MonteCarloDesk, MonteCarloThread, LeafBatch)")
def put_down(desk: MonteCarloDesk, thread: MonteCarloThread, batch: LeafBatch) -> None:
    """Keeps where a walk has ended, and shows the leaf, unless it waits already."""
    node = desk.nodes[thread.path[thread.depth]]
    link = load_atomic(node.link)
    met = link & CLAIMED
    leaf = batch.leaves[batch.size + batch.met if met else batch.waiting]
    leaf.own, leaf.opp, leaf.depth = thread.own, thread.opp, thread.depth
    step = ZERO
    while step <= thread.depth:
        leaf.path[step] = thread.path[step]
        step += ONE
    if met:
        batch.met += ONE
        return
    store_atomic(node.link, link | CLAIMED)
    squares = batch.rows * batch.columns
    planes = batch.planes + batch.waiting * uint64(PLANES) * squares
    write_planes(leaf.own, leaf.opp, batch.rows, batch.columns, planes)
    # Nobody has to pass at a node, so the byte of the pass stays 0.
    moves = legal_moves(leaf.own, leaf.opp, desk.board)
    write_squares(moves, batch.rows, batch.columns, batch.masks + batch.waiting * (squares + ONE))
    batch.waiting += ONE


@kernel("uint64(uint64, uint64, uint64)")
def collect(desk_address: int, thread_address: int, batch_address: int) -> int:
    """Walks until a batch is full, the playouts are used up, the root is proven or it is stopped; how many leaves wait.

    Simulations whose result is known are finished on the way.
    """
    desk, thread, batch = desk_at(desk_address), thread_at(thread_address), batch_at(batch_address)
    root = desk.nodes[desk.root]
    batch.waiting = batch.met = ZERO
    while batch.waiting < batch.size and batch.met < batch.size and load_atomic(desk.stop) == ZERO:
        bounds = load_atomic(root.bounds)
        if low_of(bounds) == high_of(bounds) or load_atomic(desk.started) >= desk.playouts:
            break
        add(desk.started, ONE, ZERO)
        if descend(desk, thread):
            ascend(desk, thread)
            thread.done += ONE
        else:
            put_down(desk, thread, batch)
    return batch.waiting


@kernel("uint64(uint64, uint64, uint64)")
def collect_root(desk_address: int, thread_address: int, batch_address: int) -> int:
    """The root alone, as a leaf; no walk is counted for it."""
    desk, thread, batch = desk_at(desk_address), thread_at(thread_address), batch_at(batch_address)
    batch.waiting = batch.met = ZERO
    thread.own, thread.opp, thread.depth, thread.path[ZERO] = desk.own, desk.opp, ZERO, desk.root
    put_down(desk, thread, batch)
    return batch.waiting


@kernel("boolean(MonteCarloThread, uint64, uint64, float32[::1])")
def weigh(thread: MonteCarloThread, moves: int, columns: int, logits: Array) -> bool:
    """Fills the thread's priors: softmax of the legal moves' logits. Says whether these are numbers."""
    priors, left = thread.priors, moves
    greatest = -math.inf
    right = True
    child = ZERO
    while left:
        square = lowest(left)
        left &= left - ONE
        logit = np.float64(logits[(square // EIGHT) * columns + (square & SEVEN)])
        right = right and logit == logit
        priors[child] = logit
        greatest = max(greatest, logit)
        child += ONE
    if not (right and -math.inf < greatest < math.inf):
        return False
    softmax(thread, child, greatest)
    return True


@kernel("boolean(MonteCarloDesk, MonteCarloThread, LeafBatch, uint64, float32[::1])")
def grow(desk: MonteCarloDesk, thread: MonteCarloThread, batch: LeafBatch, number: int, logits: Array) -> bool:
    """A leaf waits no more: it gets its children, where there is room. Says whether the logits are numbers.

    The thread stands where the walk to it ended.
    """
    leaf = batch.leaves[number]
    step = ZERO
    while step <= leaf.depth:
        thread.path[step] = leaf.path[step]
        step += ONE
    thread.depth, thread.narrowed = leaf.depth, ZERO
    node = desk.nodes[leaf.path[leaf.depth]]
    store_atomic(node.link, load_atomic(node.link) & ~CLAIMED)
    if not weigh(thread, legal_moves(leaf.own, leaf.opp, desk.board), batch.columns, logits):
        return False
    if expand(desk, thread, node, leaf.own, leaf.opp) == ZERO:
        store_atomic(node.link, load_atomic(node.link) & ~CLAIMED)
    elif desk.proven and refresh(desk, node):
        thread.narrowed = leaf.depth
    return True


@kernel("void(MonteCarloDesk, LeafBatch, uint64)")
def take_back(desk: MonteCarloDesk, batch: LeafBatch, number: int) -> None:
    """Undoes a walk: its visits, and the losses lent on the way."""
    nodes, leaf = desk.nodes, batch.leaves[number]
    lent = int64(desk.range)
    depth = leaf.depth
    while True:
        node = nodes[leaf.path[depth]]
        add(node.visits, ~ZERO, ZERO)
        if depth == ZERO:
            return
        parent = load_atomic(nodes[leaf.path[depth - ONE]].link)
        add(node.total, uint64(lent if parent & OURS else -lent), ZERO)
        depth -= ONE


@kernel("boolean(uint64, uint64, uint64, float32[:, ::1], float32[::1])")
def deliver(desk_address: int, thread_address: int, batch_address: int, logits: Array, values: Array) -> bool:
    """Ends the simulations of a batch with its answers. Says whether these are numbers: if not, the tree is spoilt."""
    desk, thread, batch = desk_at(desk_address), thread_at(thread_address), batch_at(batch_address)
    number = ZERO
    while number < batch.met:
        take_back(desk, batch, batch.size + number)
        number += ONE
    store_atomic(desk.started, load_atomic(desk.started) - batch.met)
    most = int64(desk.range)
    number = ZERO
    while number < batch.waiting:
        value = np.float64(values[number])
        if not (-math.inf < value < math.inf) or not grow(desk, thread, batch, number, logits[number]):
            return False
        # An estimate is never as good as a proof.
        worth = int64(math.floor(np.float64(most) * min(max(value, -1.0), 1.0) + 0.5))
        worth = min(max(worth, 1 - most), most - 1)
        ours = load_atomic(desk.nodes[thread.path[thread.depth]].link) & OURS
        thread.end = worth if ours else -worth
        ascend(desk, thread)
        thread.done += ONE
        number += ONE
    return True


@kernel("boolean(uint64, uint64, uint64, float32[:, ::1])")
def deliver_root(desk_address: int, thread_address: int, batch_address: int, logits: Array) -> bool:
    """The root's children with their priors; what it is worth is not counted."""
    return grow(desk_at(desk_address), thread_at(thread_address), batch_at(batch_address), ZERO, logits[ZERO])
