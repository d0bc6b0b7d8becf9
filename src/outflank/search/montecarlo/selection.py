"""Selection: which child a simulation follows, by UCB1 (Kocsis and Szepesvári 2006) or PUCT (Silver and others 2017).

Reads the nodes of `memory`; `kernels` asks at every node on its way down. Every kernel has a plain-Python counterpart
in tests/naive_montecarlo.py or tests/naive_guided.py.
"""

import math

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, random_below
from outflank.board.memory import load_atomic
from outflank.board.vectors import count, lowest, nth_square
from outflank.search.montecarlo.memory import (
    FIRST,
    OURS,
    PRIOR_AT,
    PRIOR_STEPS,
    MonteCarloDesk,
    MonteCarloThread,
    Node,
    child_count,
    high_of,
    low_of,
    thread_at,
)


@kernel("uint64(uint64, uint64)")
def random_below_at(limit: int, thread_address: int) -> int:
    """`random_below` with the state of a thread."""
    return random_below(limit, thread_at(thread_address).random)


@kernel("uint64(uint64, MonteCarloThread)")
def one_of(tied: int, thread: MonteCarloThread) -> int:
    """One of the children that are equally good, by chance; the first one where all are proven to be no better."""
    if tied & (tied - ONE):
        return nth_square(tied, random_below(count(tied), thread.random))
    return lowest(tied) if tied else ZERO


@kernel("float64(float64, uint64, float64, float64)")
def ucb1(mean: float, visits: int, twice_log: float, c: float) -> float:
    """`mini-go`'s value of a child: its mean reward (0 to 1) plus c·sqrt(2·ln N / n), given 2·ln N."""
    return mean + c * math.sqrt(twice_log / np.float64(visits))


@kernel("uint64(float64)")
def prior_bits(prior: float) -> int:
    """A prior as a link keeps it."""
    return uint64(math.floor(prior * PRIOR_STEPS + 0.5)) << PRIOR_AT


@kernel("float64(uint64)")
def prior_of(link: int) -> float:
    """The policy's probability of the move that led to a node."""
    return np.float64(link >> PRIOR_AT) / PRIOR_STEPS


@kernel("float64(float64, float64, uint64, float64)")
def puct(mean: float, prior: float, visits: int, pull: float) -> float:
    """The value of a child: its mean result, and c·sqrt(N) (the pull) times its prior over one more than its visits."""
    return mean + pull * prior / np.float64(visits + ONE)


@kernel("uint64(MonteCarloDesk, MonteCarloThread, Node, uint64, uint64, uint64)")
def select(desk: MonteCarloDesk, thread: MonteCarloThread, node: Node, link: int, bounds: int, parent: int) -> int:
    """The child to follow: the greatest UCB1, or with a guide PUCT, for the side to move, ties at random.

    To UCB1 one never visited comes first; to PUCT it counts as its parent's mean less the doubt. With proofs, a child
    that cannot beat what another is sure to bring is left out, and the mean of any other is kept within its bounds. A
    node that is not settled has a child that is not left out, unless another thread settles it.
    """
    ours = (link & OURS) != ZERO
    guided = bool(desk.guide)
    nodes, first, children = desk.nodes, link & FIRST, child_count(link)
    # UCB1's means go from 0 to 1, PUCT's from -1 to 1.
    middle, scale = 0.5, desk.scale
    if guided:
        middle, scale = 0.0, 1.0 / np.float64(int64(desk.range))
    sign = scale if ours else -scale
    unknown, bounded = desk.unknown, guided or desk.proven != ZERO
    sure = low_of(bounds) if ours else -high_of(bounds)
    c, twice_log, pull, unseen = desk.c, 0.0, 0.0, 0.0
    if guided:
        pull = c * math.sqrt(np.float64(parent))
        unseen = -desk.guide.doubt
        if parent:
            unseen += sign * np.float64(int64(load_atomic(node.total))) / np.float64(parent)
    elif parent:
        twice_log = 2.0 * math.log(np.float64(parent))
    best = -math.inf
    tied = ZERO
    index = ZERO
    while index < children:
        child = nodes[first + index]
        visits = load_atomic(child.visits)
        mean = unseen
        if visits:
            mean = middle + sign * np.float64(int64(load_atomic(child.total))) / np.float64(visits)
        if bounded:
            known = load_atomic(child.bounds)
            if known != unknown:
                hope = high_of(known) if ours else -low_of(known)
                if hope <= sure:
                    index += ONE
                    continue
                floor = low_of(known) if ours else -high_of(known)
                mean = min(max(mean, middle + scale * np.float64(floor)), middle + scale * np.float64(hope))
        value = math.inf
        if guided:
            value = puct(mean, prior_of(load_atomic(child.link)), visits, pull)
        elif visits:
            value = ucb1(mean, visits, twice_log, c)
        if value > best:
            best, tied = value, ONE << index
        elif value == best:
            tied |= ONE << index
        index += ONE
    return first + one_of(tied, thread)
