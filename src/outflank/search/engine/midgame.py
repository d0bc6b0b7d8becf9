"""The search where not everything can be looked at: evaluation at the leaves, ProbCut, and exact ends where it reaches.

One search for all of a game: `depth` plies, or to the end where no more squares are empty than that. A position's
value for the side to move is asked as "above alpha or not?" nearly everywhere; only along the principal variation is
the window open. Values are whole discs; the evaluation's own units only sort moves.

ProbCut: a search of a few plies foretells one of many, within an error whose spread has been measured. Where it lies
beyond the bound by a margin, the deep search is left out. The margins come from the desk; at `NO_SELECTIVITY` there is
no such cut and a search to the end is a proof. Late moves of a selective search are searched less deep first.
"""

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import ONE, ZERO, legal_moves
from outflank.board.vectors import count, flips, lowest
from outflank.patterns.weights import UNITS_A_DISC
from outflank.search.engine.desk import Desk, empties_of, look_around
from outflank.search.engine.endgame import (
    SIX,
    SQUARE,
    ceiling,
    null_window_endgame,
    put_in_order,
)
from outflank.search.engine.evaluate import evaluate, evaluate_against, evaluate_in_discs, move_numbers, pass_numbers
from outflank.search.engine.lastplies import NO_SCORE, final_score
from outflank.search.engine.probcut import DEEP_FROM, margin_for, shallower
from outflank.search.engine.splitpoints import LATE_LESS, is_shared, split
from outflank.search.engine.table import (
    NO_SELECTIVITY,
    NO_SQUARE,
    best_move,
    fetch,
    lower_bound,
    probe,
    rank_of,
    reaches,
    second_move,
    store,
    upper_bound,
)

EXACT_BELOW = uint64(13)
"""With fewer empties than this a search to the end needs no evaluation."""
PROBE_FROM_DEPTH = uint64(5)
"""Plies from which the children are looked up before any is searched, as in `endgame`."""
STABILITY_FROM = 10
"""Alpha from which stable discs are counted: below, they hardly ever cut off."""
ESTIMATE_FROM, ESTIMATE_STEP, ESTIMATE_MOST = uint64(12), uint64(4), uint64(2)
"""Sorting looks one ply deeper from 16 plies on and two from 20: more saves no node, and cannot be interrupted."""
REPLY_IN_UNITS, SHUNNED_REPLY_IN_UNITS = 512, 320
"""What one reply less is worth beside the evaluation, in its units: four discs, and two and a half where fewest win."""
SORTED_ABOVE = 12
"""Discs below alpha where moves need no further sorting: they will not be best."""
LATE_FROM, LATE_FROM_DEPTH = uint64(5), uint64(6)
"""The sixth move and later ones are searched less deep first: sorted last, they are hardly ever above alpha."""
INFINITE = 1 << 30
PROBCUT_LEVELS = uint64(2)
"""How often a search that ProbCut makes may use ProbCut itself."""


@kernel("int64(uint64, uint64, int64, int64, uint64, uint64, Desk)")
def _estimate(own: int, opp: int, alpha: int, beta: int, depth: int, ply: int, desk: Desk) -> int:
    """The evaluation after a shallow alpha-beta search, in its units: what moves are sorted by."""
    desk.nodes += ONE
    if depth == ZERO:
        return evaluate(own, opp, ply, desk)
    moves = legal_moves(own, opp, desk.board)
    if moves == ZERO:
        if legal_moves(opp, own, desk.board) == ZERO:
            return int64(UNITS_A_DISC) * final_score(own, opp, desk)
        pass_numbers(ply, desk)
        return -_estimate(opp, own, -beta, -alpha, depth, ply + ONE, desk)
    best = -int64(INFINITE)
    while moves:
        square = lowest(moves)
        moves &= moves - ONE
        turned = flips(own, opp, square)
        move_numbers(ply, square, turned, desk)
        value = -_estimate(opp & ~turned, own | turned | (ONE << square), -beta, -alpha, depth - ONE, ply + ONE, desk)
        if value > best:
            best = value
            alpha = max(alpha, value)
            if value >= beta:
                break
    return best


@kernel("uint64(uint64, uint64, uint64, uint64, int64, uint64, uint64, Desk)")
def _sort_by_value(own: int, opp: int, moves: int, data: int, alpha: int, depth: int, ply: int, desk: Desk) -> int:
    """Writes the moves in the order to try them, each under its key; returns their number.

    The table's moves come first, then those that leave the other side the least by a shallow search and the fewest
    replies.
    """
    here = desk.plies[ply]
    best, second = best_move(data), second_move(data)
    plies = min((depth - ESTIMATE_FROM) // ESTIMATE_STEP, ESTIMATE_MOST) if depth > ESTIMATE_FROM else ZERO
    worst = (-alpha + int64(SORTED_ABOVE)) * int64(UNITS_A_DISC)
    reply = int64(SHUNNED_REPLY_IN_UNITS) if desk.reversed else int64(REPLY_IN_UNITS)
    length = ZERO
    while moves:
        square = lowest(moves)
        disc = ONE << square
        moves &= moves - ONE
        turned = flips(own, opp, square)
        here.flips[square] = turned
        if square == best:
            key = ZERO
        elif square == second:
            key = ONE
        else:
            next_own, next_opp = opp & ~turned, own | turned | disc
            if depth > DEEP_FROM:
                fetch(desk.table, next_own, next_opp)
            answers = legal_moves(next_own, next_opp, desk.board)
            replies = count(answers)
            if desk.reversed == ZERO:
                replies += count(answers & desk.corners)
            move_numbers(ply, square, turned, desk)
            value = _estimate(next_own, next_opp, -int64(INFINITE), worst, plies, ply + ONE, desk)
            key = uint64(int64(INFINITE) + value + reply * int64(replies))
        here.moves[length] = (key << SIX) | square
        length = put_in_order(here.moves, length)
    return length


@kernel("int64(uint64, uint64, int64, uint64, uint64, Desk)")
def _shallow(own: int, opp: int, alpha: int, depth: int, ply: int, desk: Desk) -> int:
    """Whether the value after one or two plies is above alpha: no table.

    The evaluation alone foretells it, as shallow searches foretell deep ones. Two plies try the moves with the fewest
    replies first; one ply tries the move that was enough in the position searched before.
    """
    desk.nodes += ONE
    if depth == ZERO:
        return evaluate_against(own, opp, alpha, ply, desk)
    moves = legal_moves(own, opp, desk.board)
    if moves == ZERO:
        if legal_moves(opp, own, desk.board) == ZERO:
            return final_score(own, opp, desk)
        pass_numbers(ply, desk)
        return -_shallow(opp, own, -alpha - 1, depth, ply + ONE, desk)
    if desk.selectivity < NO_SELECTIVITY:
        cut = margin_for(count(empties_of(own, opp, desk)), depth, desk).cut
        value = evaluate_against(own, opp, alpha, ply, desk)
        if value > alpha + cut:
            return alpha + 1
        if value <= alpha - cut:
            return alpha
    best = int64(NO_SCORE)
    here, length, index = desk.plies[ply], ZERO, ZERO
    killer = (ONE << desk.killers[ply]) & moves
    while moves:
        square = lowest(killer if killer else moves)
        killer = ZERO
        moves ^= ONE << square
        turned = flips(own, opp, square)
        next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
        if depth > ONE:
            here.flips[square] = turned
            here.moves[length] = (count(legal_moves(next_own, next_opp, desk.board)) << SIX) | square
            length = put_in_order(here.moves, length)
        else:
            move_numbers(ply, square, turned, desk)
            value = -evaluate_against(next_own, next_opp, -alpha - 1, ply + ONE, desk)
            desk.nodes += ONE
            if value > best:
                best = value
                if value > alpha:
                    desk.killers[ply] = square
                    return best
    while index < length:
        square = here.moves[index] & SQUARE
        index += ONE
        turned = here.flips[square]
        move_numbers(ply, square, turned, desk)
        value = -_shallow(opp & ~turned, own | turned | (ONE << square), -alpha - 1, depth - ONE, ply + ONE, desk)
        if value > best:
            best = value
            if value > alpha:
                return best
    return best


@kernel("int64(uint64, uint64, uint64, int64, uint64, uint64, uint64, Desk)", inlined=True)
def _bound_of_a_child(
    own: int, opp: int, length: int, alpha: int, depth: int, selectivity: int, ply: int, desk: Desk
) -> int:
    """As in `endgame`, for entries that were searched deep and sure enough."""
    here = desk.plies[ply]
    for index in range(length):
        square = here.moves[index] & SQUARE
        turned = here.flips[square]
        data = probe(desk.table, opp & ~turned, own | turned | (ONE << square))
        if data and reaches(data, depth - ONE, selectivity) and -upper_bound(data) > alpha:
            return -upper_bound(data)
    return int64(NO_SCORE)


@kernel("void(uint64, uint64, int64, int64, int64, uint64, uint64, Desk)", inlined=True)
def _remember(own: int, opp: int, alpha: int, beta: int, value: int, square: int, rank: int, desk: Desk) -> None:
    """Stores what a search with a window found: a bound on each side that the value did not pass."""
    worst = -int64(desk.square_count)
    lower = value if value > alpha else worst
    upper = value if value < beta else -worst
    store(desk.table, own, opp, lower, upper, square, rank, desk.age)


@kernel("int64(uint64, uint64, int64, uint64, uint64, uint64, Desk)")
def null_window_midgame(own: int, opp: int, alpha: int, depth: int, empties: int, ply: int, desk: Desk) -> int:
    """Whether the value is above alpha, as a bound on that side of it; so many squares are empty."""
    if depth >= empties:
        if empties < EXACT_BELOW:
            return null_window_endgame(own, opp, alpha, ply, desk)
        depth = empties
    elif depth < DEEP_FROM:
        return _shallow(own, opp, alpha, depth, ply, desk)
    desk.nodes += ONE
    if desk.nodes >= desk.look_at:
        look_around(desk)
    if alpha >= int64(STABILITY_FROM):
        most = ceiling(own, opp, desk)
        if most <= alpha:
            return most
    selectivity = desk.selectivity
    data = probe(desk.table, own, opp)
    if data and reaches(data, depth, selectivity):
        if lower_bound(data) > alpha:
            return lower_bound(data)
        if upper_bound(data) <= alpha:
            return upper_bound(data)
    moves = legal_moves(own, opp, desk.board)
    if moves == ZERO:
        if legal_moves(opp, own, desk.board) == ZERO:
            return final_score(own, opp, desk)
        pass_numbers(ply, desk)
        return -null_window_midgame(opp, own, -alpha - 1, depth, empties, ply + ONE, desk)
    if selectivity < NO_SELECTIVITY and desk.probcut_level < PROBCUT_LEVELS:
        # ProbCut, at both ends; tried only where the evaluation makes it likely.
        margin = margin_for(empties, depth, desk)
        cut, near = margin.cut, margin.near
        if cut:
            value, most, shallow = evaluate_in_discs(own, opp, ply, desk), int64(desk.square_count), shallower(depth)
            above, below = alpha + 1 + cut, alpha - cut
            desk.probcut_level += ONE
            too_high = (
                value > alpha - near
                and above <= most
                and null_window_midgame(own, opp, above - 1, shallow, empties, ply, desk) >= above
            )
            too_low = (
                value <= alpha + near
                and below >= -most
                and not too_high
                and null_window_midgame(own, opp, below, shallow, empties, ply, desk) <= below
            )
            desk.probcut_level -= ONE
            if desk.aborted or too_low:
                return alpha
            if too_high:
                return alpha + 1
    here = desk.plies[ply]
    length = _sort_by_value(own, opp, moves, data, alpha, depth, ply, desk)
    if depth >= PROBE_FROM_DEPTH:
        bound = _bound_of_a_child(own, opp, length, alpha, depth, selectivity, ply, desk)
        if bound > alpha:
            return bound
    best, best_square, index = int64(NO_SCORE), NO_SQUARE, ZERO
    reduces = selectivity < NO_SELECTIVITY and depth >= LATE_FROM_DEPTH and depth < empties
    late_from = LATE_FROM if reduces else length
    # To the end, where an earlier search found no move good enough, the first is not worth waiting for. In a search of
    # fewer plies it often is.
    first_is_shared = depth == empties and data != ZERO and upper_bound(data) <= alpha
    while index < length:
        if (index or first_is_shared) and length - index > ONE and is_shared(depth, desk):
            value = split(own, opp, alpha, depth, empties, ply, index, length, late_from, desk)
            square, index = desk.shared_move, length
        else:
            square = here.moves[index] & SQUARE
            index += ONE
            turned = here.flips[square]
            move_numbers(ply, square, turned, desk)
            next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
            value, deep = alpha + 1, depth - ONE
            if late_from <= index - ONE:
                value = -null_window_midgame(
                    next_own, next_opp, -alpha - 1, deep - LATE_LESS, empties - ONE, ply + ONE, desk
                )
            if value > alpha:
                value = -null_window_midgame(next_own, next_opp, -alpha - 1, deep, empties - ONE, ply + ONE, desk)
        if desk.aborted:
            return alpha
        if value > best:
            best, best_square = value, square
            if value > alpha:
                break
    _remember(own, opp, alpha, alpha + 1, best, best_square, rank_of(depth, selectivity), desk)
    return best


def null_window_for_others(own: int, opp: int, alpha: int, depth: int, empties: int, ply: int, desk: Desk) -> int:
    """The same, to be compiled as a function that split points can call by its address."""
    return null_window_midgame(own, opp, alpha, depth, empties, ply, desk)


@kernel("int64(uint64, uint64, int64, int64, uint64, uint64, Desk)")
def principal_variation(own: int, opp: int, alpha: int, beta: int, depth: int, ply: int, desk: Desk) -> int:
    """The value, exact between alpha and beta: principal-variation search."""
    empties = count(empties_of(own, opp, desk))
    desk.nodes += ONE
    depth = min(depth, empties)
    moves = legal_moves(own, opp, desk.board)
    if moves == ZERO:
        if legal_moves(opp, own, desk.board) == ZERO:
            return final_score(own, opp, desk)
        pass_numbers(ply, desk)
        return -principal_variation(opp, own, -beta, -alpha, depth, ply + ONE, desk)
    if depth == ZERO:
        return evaluate_in_discs(own, opp, ply, desk)
    # Where nothing is pruned on the way to the end, what is found is certain whatever the search was asked for.
    selectivity = desk.selectivity if depth < empties or empties >= EXACT_BELOW else NO_SELECTIVITY
    data = probe(desk.table, own, opp)
    # At the root a move is wanted too, and the table's need not be the one that its bounds come from.
    if ply and data and reaches(data, depth, selectivity):
        lower, upper = lower_bound(data), upper_bound(data)
        if lower >= beta or lower == upper:
            return lower
        if upper <= alpha:
            return upper
    here = desk.plies[ply]
    length = _sort_by_value(own, opp, moves, data, alpha, depth, ply, desk)
    best, best_square, floor, index = int64(NO_SCORE), NO_SQUARE, alpha, ZERO
    while index < length:
        # The first move fixes the value; the others must only be shown not to beat it.
        value, is_first = beta, index == ZERO
        is_split = not is_first and length - index > ONE and is_shared(depth, desk)
        if is_split:
            value = split(own, opp, floor, depth, empties, ply, index, length, length, desk)
            if desk.aborted:
                return alpha
            while here.moves[index] & SQUARE != desk.shared_move:
                index += ONE
        square = here.moves[index] & SQUARE
        turned = here.flips[square]
        next_own, next_opp = opp & ~turned, own | turned | (ONE << square)
        move_numbers(ply, square, turned, desk)
        if not is_first and not is_split:
            value = -null_window_midgame(next_own, next_opp, -floor - 1, depth - ONE, empties - ONE, ply + ONE, desk)
        if is_first or (value > floor and value < beta):
            value = -principal_variation(next_own, next_opp, -beta, -floor, depth - ONE, ply + ONE, desk)
        if desk.aborted:
            return alpha
        index += ONE
        if value > best:
            best, best_square = value, square
            if ply == ZERO and value > alpha:
                desk.root_move = square  # kept also where the search is ended before it is done
            floor = max(floor, value)
            if value >= beta:
                break
    _remember(own, opp, alpha, beta, best, best_square, rank_of(depth, selectivity), desk)
    return best
