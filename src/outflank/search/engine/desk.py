"""What one thread's search works on: its desk, and the records that lie on it or that it shares with others.

This is the lowest module of the engine: all others (table, lastplies, endgame, evaluate, splitpoints, midgame,
deepening, and `searcher`, which fills the records in) work on what is laid out here, and nowhere else is a layout
defined. A kernel takes the desk as one pointer: an array argument would cost up to nine registers on every call.
"""

from outflank.board.compiled import kernel, uint64
from outflank.board.kernels import ONE, ZERO
from outflank.board.memory import add_atomic, load_atomic, store_atomic
from outflank.board.records import Atomic, Byte, Record, Row, Signed, Word, at_address, elsewhere, inline, own_line
from outflank.patterns.lookup import VECTOR_WORDS
from outflank.search.limits import NO_LIMIT

MOST_THREADS = 256
MOST_PLIES = 128
"""Moves and passes of one line: sixty moves, and hardly ever more than a few passes."""
MOST_MOVES = 64


class Table(Record):
    """A transposition table (see `table`)."""

    buckets: Row[Word] = elsewhere()
    mask: Word
    """The number of buckets less one."""
    touched: Row[Byte] = elsewhere()
    """Not zero for each part of the table that was written to: only these need to be cleared."""


class Ply(Record):
    """One ply of the line that is being searched."""

    moves: Row[Word] = inline(MOST_MOVES)
    """In the order to try them: a sort key, and the square in the lowest six bits."""
    flips: Row[Word] = inline(MOST_MOVES)
    """For each square that is a move, the discs that it turns."""
    replies: Row[Word] = inline(MOST_MOVES)
    """And the moves that it leaves the other side, where `endgame` has listed them."""
    numbers: Row[Word] = inline(VECTOR_WORDS)
    """The pattern numbers of the position."""


class SplitPoint(Record):
    """A node whose moves several threads search (see `splitpoints`)."""

    workers: Atomic
    """How many threads take part; nobody joins once it is 0, and its owner closes it only when alone."""
    next: Atomic
    """The number of the next move that nobody searches yet."""
    decided: Atomic
    """Not zero where no move needs to be searched any more: one is above alpha, or the owner was stopped."""
    lock: Atomic
    """Held while the best value and its move are changed."""
    value: Signed
    best_move: Word
    length: Word
    own: Word
    opp: Word
    alpha: Signed
    depth: Word
    empties: Word
    ply: Word
    probcut_level: Word
    late_from: Word
    """The number of the first move that is searched less deep first."""
    above: "SplitPoint" = elsewhere()
    """The split point in the search of whose move this one was made, if any."""
    moves: Row[Word] = inline(MOST_MOVES)
    flips: Row[Word] = inline(MOST_MOVES)
    """For each move of the list, by its number, the discs that it turns."""
    numbers: Row[Word] = inline(VECTOR_WORDS)


class Newest(Record):
    """One thread's newest split point, where others look for work."""

    point: Atomic = own_line()


class Pool(Record):
    """What the threads of one search share."""

    idle: Atomic = own_line()
    """How many threads look for work."""
    closed: Atomic = own_line()
    nodes: Atomic = own_line()
    """Positions visited by all threads, as far as they have told."""
    spent: Atomic = own_line()
    """Not zero once the nodes allowed are used up: the search ends for every thread."""
    newest: Row[Newest] = inline(MOST_THREADS)


class Margin(Record):
    """ProbCut's margins for one number of empties and one depth, in discs."""

    cut: Signed
    """How far beyond the bound the shallow search must lie; 0 where there is no cut."""
    near: Signed
    """How far on the wrong side of the bound the evaluation may lie for the cut to be tried."""


class Desk(Record):
    """One thread's search."""

    # The game.
    board: Word
    square_count: Word
    reversed: Word
    raw: Word
    """Not zero where empty squares are not given to the winner."""
    corners: Word
    tried_first: Word
    tried_last: Word
    """Among the last squares, those where a move is likeliest and least likely to be the best."""
    quarters: Row[Word] = inline(4)
    """The quarters of the board, whose parity of empties orders the last moves."""

    # Limits.
    stop: Atomic = elsewhere()
    nodes: Word
    nodes_told: Word
    """How many of them the pool knows of, which counts only what is limited."""
    node_limit: Word
    look_at: Word
    """The number of nodes at which the search looks around next."""
    aborted: Word

    # What is known of positions met before. The small table is this thread's own and stays in the processor's cache.
    table: Table
    local_table: Table
    age: Word

    # The evaluation. Without pattern weights the addresses are 0.
    powers: Word
    weights: Word
    offsets: Row[Word] = elsewhere()
    slot_count: Word
    stage_bytes: Word
    white_at_root: Word
    rows: Word
    """The network's; 0 where there is none."""
    side_bytes: Word
    layers: Word
    layer_bytes: Word

    # How the search is done, and the move it found at the root.
    selectivity: Word
    margins: Row[Margin] = elsewhere()
    probcut_level: Word
    killers: Row[Word] = inline(MOST_PLIES)
    """For each ply of the line, the move that cut off there last; only searches of one ply look."""
    root_move: Word

    # Several threads.
    pool: Pool = elsewhere()
    """Nothing where one thread searches alone."""
    thread: Word
    threads: Word
    split_point: SplitPoint = elsewhere()
    """The one whose move this thread is searching, if any."""
    own_points: Row[SplitPoint] = elsewhere()
    points_in_use: Word
    null_window: Word
    """The address of the search that split points call."""
    shared_move: Word

    quarter_of: Row[Word] = inline(64)
    """The quarter that each square lies in."""
    plies: Row[Ply] = inline(MOST_PLIES, own_line=True)
    """A ply is twenty-six cache lines; so a vector of pattern numbers never begins inside of one."""


desk_at = at_address(Desk)
point_at = at_address(SplitPoint)

LOOK_EVERY = uint64(256)
"""Nodes between two looks around."""


@kernel("boolean(Desk)")
def must_stop(desk: Desk) -> bool:
    """Whether this thread's search is to end: somebody says so, or a node above it is decided."""
    if load_atomic(desk.stop):
        return True
    if desk.pool:
        if load_atomic(desk.pool.spent):
            return True
        point = desk.split_point
        while point:
            if load_atomic(point.decided):
                return True
            point = point.above
    return False


@kernel("void(Desk)")
def look_around(desk: Desk) -> None:
    """Aborts the search where it must stop or the nodes allowed are used up, which are those of all threads."""
    spent = desk.nodes >= desk.node_limit
    desk.look_at = min(desk.nodes + LOOK_EVERY, desk.node_limit)
    if desk.pool:
        if desk.node_limit < uint64(NO_LIMIT):
            new = desk.nodes - desk.nodes_told
            desk.nodes_told = desk.nodes
            spent = spent or add_atomic(desk.pool.nodes, new) + new >= desk.node_limit
        if spent:
            store_atomic(desk.pool.spent, ONE)
    if spent or must_stop(desk):
        desk.aborted = ONE


@kernel("uint64(uint64, uint64, Desk)")
def empties_of(own: int, opp: int, desk: Desk) -> int:
    """The mask of the empty squares."""
    return desk.board & ~(own | opp)


@kernel("void(Words, Words)")
def copy_numbers(target: Row[int], source: Row[int]) -> None:
    """Copies the pattern numbers of one position."""
    index = ZERO
    while index < uint64(VECTOR_WORDS):
        target[index] = source[index]
        index += ONE
