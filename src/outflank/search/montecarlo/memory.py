"""The memory of a Monte Carlo tree search: its nodes, its desk, what guides it and what each thread keeps for itself.

All other modules of this room work on these records. A tree is one array of nodes, half a cache line each, the root
first; the children of a node stand side by side, so choosing among them reads a few lines in a row. A node holds no
position: replaying the moves from the root costs less than the cache misses that its bitboards would cause.
"""

from typing import Any, cast

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.memory import add_atomic, load_atomic, store_atomic
from outflank.board.records import (
    Atomic,
    AtomicSigned,
    Real,
    Record,
    Row,
    Signed,
    Word,
    at_address,
    elsewhere,
    inline,
    own_line,
)
from outflank.patterns.lookup import VECTOR_WORDS

# A link's fields: where the children begin, how many there are, the move that led here, two flags, and the prior.
FIRST = uint64(0xFFFFFFFF)
COUNT_AT, MOVE_AT = uint64(32), uint64(40)
BYTE = uint64(0xFF)
OURS = uint64(1 << 48)
"""The side to move is the player for whom the search works. Who moves next is not always the other side."""
CLAIMED = uint64(1 << 49)
"""A thread is making the children, or found no room for them."""
PRIOR_AT = uint64(50)
PRIOR_STEPS = 16383.0
"""A prior has the upper fourteen bits."""

EIGHT = uint64(8)
OFFSET = int64(128)
"""Bounds are two bytes, each a result plus this."""
BOTH_BOUNDS = uint64(0xFFFF)
MARK_AT = uint64(16)
"""While a tree is compacted, the rest of the word tells a block of children where their parent has moved."""

MOST_NODES = int(FIRST)
MOST_CHILDREN = 64
LONGEST_PATH = 72
"""No line is longer than the 60 moves of a game and its root."""

WIN_DRAW_HALF, WIN_DRAW_LOSS, MARGIN = (uint64(kind) for kind in range(3))


class Node(Record):
    """What the search knows of a position."""

    visits: Atomic
    """How many simulations came here."""
    total: AtomicSigned
    """The sum of their results for the player."""
    link: Atomic
    bounds: Atomic
    """The results between which the game's is proven to be."""


class Guidance(Record):
    """What guides a search: the tables of a value and a policy, or none, and how PUCT uses them."""

    powers: Word
    """The address of what each square adds to the pattern numbers; zero where there are no tables."""
    offsets: Row[Word] = elsewhere()
    slots: Word
    stage_bytes: Word
    last_stage: Word
    values: Word
    policies: Word
    """The addresses of the first stages."""
    doubt: Real
    """How much less than its parent's mean a child is taken for before its first visit."""
    asks: Word
    """Whether somebody outside says what leaves are worth and which moves are likely: see `batches`."""
    root_numbers: Row[Word] = inline(VECTOR_WORDS, own_line=True)
    """The root's pattern numbers, the player's discs as Black's."""


class MonteCarloDesk(Record):
    """What a search fixes once, and the two counters that its threads share."""

    board: Word
    reversed: Word
    own: Word
    opp: Word
    nodes: Row[Node] = elsewhere()
    capacity: Word
    guide: Guidance = elsewhere()
    """Nothing for UCT; otherwise children are chosen by PUCT, and leaves valued by tables where there are some."""
    c: Real
    scale: Real
    """What makes the results' range 1 wide, for UCB1."""
    reward: Word
    cut: Word
    """The moves after which a playout ends."""
    tree: Word
    """Whether nodes below the root get children."""
    proven: Word
    shared: Word
    """Whether several threads walk the tree."""
    stop: Atomic = elsewhere()
    playouts: Word
    unknown: Word
    """The bounds of a node of which nothing is proven."""
    range: Word
    """The best result, in the unit of the sums."""
    root: Word
    full: Atomic
    used: Atomic = own_line()
    started: Atomic = own_line()


class MonteCarloThread(Record):
    """What a thread keeps for itself."""

    random: Row[Word] = inline(1)
    """The state of its random numbers."""
    done: Word
    deepest: Word
    path: Row[Word] = inline(LONGEST_PATH)
    """The nodes from the root to where it is."""
    depth: Word
    """Where it is in its path."""
    narrowed: Word
    """How deep the lowest node is whose bounds became narrower on the way; 0 for none."""
    own: Word
    opp: Word
    ours: Word
    """Where it is: the discs, and whether the player is to move."""
    end: Signed
    """What the simulation brings the player."""
    here: Word
    """The address of the pattern numbers where it is: the guide's for the root, its own below."""
    numbers: Row[Word] = inline(VECTOR_WORDS, own_line=True)
    numbers_after: Row[Word] = inline(VECTOR_WORDS)
    """The pattern numbers below the root, and after a move from where it is."""
    priors: Row[Real] = inline(MOST_CHILDREN)
    """Of the moves where it is, lowest square first."""


class WaitingLeaf(Record):
    """A node that waits to be told what it is worth, and how it was reached."""

    own: Word
    opp: Word
    depth: Word
    path: Row[Word] = inline(LONGEST_PATH)


class LeafBatch(Record):
    """Leaves that are asked about together."""

    leaves: Row[WaitingLeaf] = elsewhere()
    """Those that wait, from 0 on; those met a second time, from `size` on."""
    size: Word
    waiting: Word
    met: Word
    """Walks that ended at a leaf which was waiting already: they are taken back."""
    rows: Word
    columns: Word
    planes: Word
    masks: Word
    """The addresses of what is shown of them."""


Nodes = np.ndarray[Any, np.dtype[np.void]]
NODE: np.dtype[np.void] = np.dtype(cast(Any, Node))
LEAF: np.dtype[np.void] = np.dtype(cast(Any, WaitingLeaf))

desk_at = at_address(MonteCarloDesk)
thread_at = at_address(MonteCarloThread)
batch_at = at_address(LeafBatch)


def new_nodes(capacity: int) -> Nodes:
    """Room for so many nodes from a cache line on. Large pieces cost nothing before they are used."""
    space = np.zeros(Node.words * capacity + 8, np.uint64)
    skip = -space.ctypes.data % 64 // 8
    return space[skip : skip + Node.words * capacity].view(NODE)


@kernel("uint64(Words, uint64, uint64)")
def add(word: Atomic, amount: int, shared: int) -> int:
    """Adds to a word, in one step where the tree is shared: that costs more. Returns what it was."""
    if shared:
        return add_atomic(word, amount)
    before = load_atomic(word)
    store_atomic(word, before + amount)
    return before


@kernel("uint64(uint64)")
def child_count(link: int) -> int:
    """How many children a node has."""
    return (link >> COUNT_AT) & BYTE


@kernel("uint64(uint64)")
def move_of(link: int) -> int:
    """The move that led to a node."""
    return (link >> MOVE_AT) & BYTE


@kernel("uint64(int64, int64)")
def bounds_of(low: int, high: int) -> int:
    """Two bounds in one word."""
    return uint64(low + OFFSET) | uint64(high + OFFSET) << EIGHT


@kernel("int64(uint64)")
def low_of(bounds: int) -> int:
    """The result that the player can force."""
    return int64(bounds & BYTE) - OFFSET


@kernel("int64(uint64)")
def high_of(bounds: int) -> int:
    """The result that the other side can hold the player to."""
    return int64(bounds >> EIGHT) - OFFSET


def children_of(link: int) -> range:
    """A node's children, outside compiled code."""
    first = link & int(FIRST)
    return range(first, first + child_count(link))
