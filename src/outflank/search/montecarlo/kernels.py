"""Monte Carlo tree search, compiled: selection, expansion, playout and backpropagation in one loop without the
interpreter, and the making, keeping and compacting of the tree.

The walk is one for UCT and for the guided search: `selection` says which child to follow and, where the desk has a
guide, `guided_kernels` says what a leaf is worth and which moves are likely. `search` and `guided` above call it for a
player, `learning.alphazero.loops` for whole games.

Every kernel has a plain-Python counterpart in tests/naive_montecarlo.py that makes the same tree from the same random
words. Results are whole numbers seen by the player at the root: -1, 0 and 1, or a margin in discs; so sums are exact
and do not depend on the order in which threads add them. A forced pass is no node: `OURS` says whose turn it is.
"""

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, final_margin, legal_moves, random_playout
from outflank.board.memory import compare_and_swap, load_atomic, store_atomic
from outflank.board.vectors import count, flips, lowest
from outflank.search.montecarlo.guided_kernels import (
    estimate,
    find_priors,
    number_from_root,
    number_move,
    number_root,
)
from outflank.search.montecarlo.memory import (
    BOTH_BOUNDS,
    CLAIMED,
    COUNT_AT,
    FIRST,
    MARGIN,
    MARK_AT,
    MOVE_AT,
    OURS,
    WIN_DRAW_LOSS,
    MonteCarloDesk,
    MonteCarloThread,
    Node,
    add,
    bounds_of,
    child_count,
    desk_at,
    high_of,
    low_of,
    move_of,
    thread_at,
)
from outflank.search.montecarlo.selection import prior_bits, select


@kernel("int64(int64, uint64, MonteCarloDesk)")
def result(margin: int, ours: int, desk: MonteCarloDesk) -> int:
    """What a margin of the side to move is worth to the player, under the objective and the reward."""
    if (ours == ZERO) != (desk.reversed != ZERO):
        margin = -margin
    if desk.reward == MARGIN:
        return margin
    win = int64(desk.range)
    if margin > int64(0):
        return win
    if margin < int64(0) or desk.reward == WIN_DRAW_LOSS:
        return -win
    return int64(0)


@kernel("int64(MonteCarloDesk, MonteCarloThread, uint64, uint64, uint64)")
def worth_of_leaf(desk: MonteCarloDesk, thread: MonteCarloThread, own: int, opp: int, ours: int) -> int:
    """What a position is expected to bring to the player: by the guide's tables, or by a playout."""
    if desk.guide and desk.guide.powers:
        return estimate(desk.guide, thread, own, opp, ours, int64(desk.range))
    return result(random_playout(own, opp, desk.board, desk.cut, thread.random), ours, desk)


@kernel("void(Node, uint64, uint64)")
def write_node(node: Node, link: int, bounds: int) -> None:
    """A node without visits."""
    store_atomic(node.visits, ZERO)
    store_atomic(node.total, ZERO)
    store_atomic(node.link, link)
    store_atomic(node.bounds, bounds)


@kernel("uint64(MonteCarloDesk, Node, uint64)")
def take_room(desk: MonteCarloDesk, node: Node, wanted: int) -> int:
    """Where a node's children may stand, or 0 when there is no room or another thread makes them."""
    if desk.shared == ZERO:
        first = load_atomic(desk.used)
        if first + wanted <= desk.capacity:
            store_atomic(desk.used, first + wanted)
            return first
    else:
        link = load_atomic(node.link)
        if link & CLAIMED or child_count(link) or not compare_and_swap(node.link, link, link | CLAIMED):
            return ZERO
        first = add(desk.used, wanted, ONE)
        if first + wanted <= desk.capacity:
            return first
    store_atomic(desk.full, ONE)
    return ZERO


@kernel("uint64(MonteCarloDesk, MonteCarloThread, Node, uint64, uint64)")
def expand(desk: MonteCarloDesk, thread: MonteCarloThread, node: Node, own: int, opp: int) -> int:
    """Makes a node's children, all at once; returns its new link, or 0 when that cannot be done.

    A child knows from the beginning whose turn it is there and, if its game is over, its result; with a guide also how
    likely its move is.
    """
    board, nodes = desk.board, desk.nodes
    moves = legal_moves(own, opp, board)
    children = count(moves)
    first = take_room(desk, node, children)
    if first == ZERO:
        return ZERO
    link = load_atomic(node.link)
    ours = link & OURS
    if desk.guide and desk.guide.asks == ZERO:
        find_priors(desk.guide, thread, own, opp, moves, ours)
    index = ZERO
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips(own, opp, square)
        theirs, mine = opp & ~turned, own | turned | (ONE << square)
        turn, bounds = ours ^ OURS, desk.unknown
        if legal_moves(theirs, mine, board) == ZERO:
            turn = ours
            if legal_moves(mine, theirs, board) == ZERO:
                end = result(final_margin(mine, theirs, board), ours, desk)
                bounds = bounds_of(end, end)
        prior = prior_bits(thread.priors[index]) if desk.guide else ZERO
        write_node(nodes[first + index], turn | square << MOVE_AT | prior, bounds)
        index += ONE
    link = (link & ~CLAIMED) | first | children << COUNT_AT
    store_atomic(node.link, link)
    return link


@kernel("boolean(MonteCarloDesk, Node)")
def refresh(desk: MonteCarloDesk, node: Node) -> bool:
    """Draws a node's bounds from its children's; says whether they became narrower.

    The side to move is sure of the best that a child is sure of, and can hope for the best hope (Cazenave and
    Saffidine 2010, "Score bounded Monte-Carlo tree search").
    """
    nodes, link = desk.nodes, load_atomic(node.link)
    ours = (link & OURS) != ZERO
    child, end = link & FIRST, (link & FIRST) + child_count(link)
    bounds = load_atomic(nodes[child].bounds)
    low, high = low_of(bounds), high_of(bounds)
    while child < end:
        bounds = load_atomic(nodes[child].bounds)
        if ours:
            low, high = max(low, low_of(bounds)), max(high, high_of(bounds))
        else:
            low, high = min(low, low_of(bounds)), min(high, high_of(bounds))
        child += ONE
    while True:
        before = load_atomic(node.bounds)
        # Another thread may have seen other children proven: what either knows is true.
        after = bounds_of(max(low, low_of(before)), min(high, high_of(before)))
        if after == before:
            return False
        if desk.shared == ZERO:
            store_atomic(node.bounds, after)
            return True
        if compare_and_swap(node.bounds, before, after):
            return True


@kernel("void(MonteCarloDesk, MonteCarloThread)")
def back_up(desk: MonteCarloDesk, thread: MonteCarloThread) -> None:
    """Backpropagation: adds a simulation's result to every node on its path, and takes back the losses lent on the way
    down.

    No result leaves the bounds of a node on its way up: while the side to move has a result in hand and looks for a
    better one, the worse ones that it finds would not be played.
    """
    nodes, shared, unknown = desk.nodes, desk.shared, desk.unknown
    lent = int64(desk.range)
    depth, end = thread.depth, thread.end
    while True:
        node = nodes[thread.path[depth]]
        bounds = load_atomic(node.bounds)
        if bounds != unknown:
            end = min(max(end, low_of(bounds)), high_of(bounds))
        gain = end
        if shared and depth:
            parent = load_atomic(nodes[thread.path[depth - ONE]].link)
            gain += lent if parent & OURS else -lent
        add(node.total, uint64(gain), shared)
        if depth == ZERO:
            return
        depth -= ONE


@kernel("boolean(MonteCarloDesk, MonteCarloThread)")
def descend(desk: MonteCarloDesk, thread: MonteCarloThread) -> bool:
    """The first half of a simulation: down the tree to a node whose result is known, or to a leaf.

    Says which; the result, or where the leaf is, stands with the thread. A leaf gets children when it is met again,
    unless somebody outside is asked about leaves: they get theirs with the answer.
    """
    own, opp, nodes, guide = desk.own, desk.opp, desk.nodes, desk.guide
    shared, proven = desk.shared, desk.proven
    grows = desk.tree
    if guide:
        number_from_root(guide, thread)
        if guide.asks:
            grows = ZERO
    at, depth, narrowed, known = desk.root, ZERO, ZERO, True
    while True:
        node = nodes[at]
        thread.path[depth] = at
        visits = add(node.visits, ONE, shared)
        bounds = load_atomic(node.bounds)
        end = low_of(bounds)
        if end == high_of(bounds):
            break
        link = load_atomic(node.link)
        if child_count(link) == ZERO:
            made = ZERO
            if visits and grows:
                made = expand(desk, thread, node, own, opp)
            if made == ZERO:
                known = False
                thread.own, thread.opp, thread.ours = own, opp, link & OURS
                break
            link = made
            if proven and refresh(desk, node):
                narrowed = depth
                bounds = load_atomic(node.bounds)
                end = low_of(bounds)
                if end == high_of(bounds):
                    break
        at = select(desk, thread, node, link, bounds, visits)
        if shared:  # until its result is in, a simulation counts as lost for whoever chose it: others look elsewhere
            lent = int64(desk.range)
            add(nodes[at].total, uint64(-lent if link & OURS else lent), shared)
        into = load_atomic(nodes[at].link)
        square = move_of(into)
        turned = flips(own, opp, square)
        if guide:
            number_move(guide, thread, square, turned, link & OURS)
        own, opp = opp & ~turned, own | turned | (ONE << square)
        if (into ^ link) & OURS == ZERO:
            own, opp = opp, own
        depth += ONE
    thread.depth, thread.narrowed, thread.end = depth, narrowed, end
    return known


@kernel("void(MonteCarloDesk, MonteCarloThread)")
def ascend(desk: MonteCarloDesk, thread: MonteCarloThread) -> None:
    """The second half: what is proven now, and the result, for every node on the way."""
    if thread.depth > thread.deepest:
        thread.deepest = thread.depth
    narrowed = thread.narrowed
    while narrowed and refresh(desk, desk.nodes[thread.path[narrowed - ONE]]):
        narrowed -= ONE
    back_up(desk, thread)


@kernel("void(MonteCarloDesk, MonteCarloThread)")
def simulate(desk: MonteCarloDesk, thread: MonteCarloThread) -> None:
    """One simulation: down the tree to a node seen for the first time, what it is worth, and back."""
    if not descend(desk, thread):
        thread.end = worth_of_leaf(desk, thread, thread.own, thread.opp, thread.ours)
    ascend(desk, thread)


@kernel("void(uint64, uint64)")
def run(desk_address: int, thread_address: int) -> None:
    """Simulates until it is stopped, the playouts are used up or the root is proven."""
    desk, thread = desk_at(desk_address), thread_at(thread_address)
    root = desk.nodes[desk.root]
    done = ZERO
    while load_atomic(desk.stop) == ZERO:
        bounds = load_atomic(root.bounds)
        if low_of(bounds) == high_of(bounds):
            break
        if add(desk.started, ONE, desk.shared) >= desk.playouts:
            break
        simulate(desk, thread)
        done += ONE
    thread.done += done


@kernel("void(uint64, uint64, uint64)")
def plant(desk_address: int, thread_address: int, fresh: int) -> None:
    """Makes the root, where `fresh`, and its children, where it has none. A game that is over cannot be searched.

    Where somebody outside is asked about leaves, they are asked about the root before its children are made.
    """
    desk, thread = desk_at(desk_address), thread_at(thread_address)
    if fresh:
        store_atomic(desk.used, ONE)
        desk.root = ZERO
        write_node(desk.nodes[ZERO], OURS, desk.unknown)
    if desk.guide:
        number_root(desk)
        number_from_root(desk.guide, thread)
        if desk.guide.asks:
            return
    root = desk.nodes[desk.root]
    if child_count(load_atomic(root.link)) == ZERO:
        expand(desk, thread, root, desk.own, desk.opp)
    if desk.proven:
        refresh(desk, root)


@kernel("void(MonteCarloDesk, uint64, uint64)")
def move_node(desk: MonteCarloDesk, source: int, target: int) -> None:
    """Copies a node, and marks its children with its new place, in the bits that their bounds leave free."""
    nodes = desk.nodes
    old, new = nodes[source], nodes[target]
    link = load_atomic(old.link) & ~CLAIMED
    store_atomic(new.visits, load_atomic(old.visits))
    store_atomic(new.total, load_atomic(old.total))
    store_atomic(new.bounds, load_atomic(old.bounds) & BOTH_BOUNDS)
    store_atomic(new.link, link)
    if child_count(link):
        first = nodes[link & FIRST]
        store_atomic(first.bounds, load_atomic(first.bounds) | (target + ONE) << MARK_AT)


@kernel("void(uint64)")
def compact(desk_address: int) -> None:
    """Moves the root and all below it to the front of the array; what stood elsewhere is gone.

    Children stand behind their parent, so one pass in order finds every block of children after its parent marked it,
    and the place it moves to is behind none that is still needed.
    """
    desk = desk_at(desk_address)
    nodes = desk.nodes
    used = min(load_atomic(desk.used), desk.capacity)
    at = desk.root
    move_node(desk, at, ZERO)
    at += ONE
    free = ONE
    while at < used:
        bounds = load_atomic(nodes[at].bounds)
        mark = bounds >> MARK_AT
        if mark == ZERO:
            at += ONE
            continue
        store_atomic(nodes[at].bounds, bounds & BOTH_BOUNDS)
        parent = nodes[mark - ONE]
        link = load_atomic(parent.link)
        store_atomic(parent.link, (link & ~FIRST) | free)
        end = at + child_count(link)
        while at < end:
            move_node(desk, at, free)
            at += ONE
            free += ONE
    store_atomic(desk.used, free)
    desk.root = ZERO
