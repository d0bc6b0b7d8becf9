"""Split points, with a search in place of the engine's that says what it was asked: every move of every split point is
searched exactly once, whichever thread comes first."""

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from outflank.board.compiled import callback, int64, kernel, load, uint64
from outflank.board.game import Game
from outflank.board.kernels import ONE, ZERO, mix
from outflank.board.memory import add_atomic, give_way, load_atomic
from outflank.board.position import Position
from outflank.board.records import Atomic, Record, Row, Word, at_address, inline, place_of
from outflank.board.squares import PASS
from outflank.board.variant import OTHELLO
from outflank.board.vectors import lowest
from outflank.search.driver import Stop
from outflank.search.engine.deepening import SURE, search_window
from outflank.search.engine.desk import Desk, Pool, SplitPoint, desk_at, look_around
from outflank.search.engine.midgame import null_window_midgame
from outflank.search.engine.searcher import Searcher
from outflank.search.engine.solver import Solver
from outflank.search.engine.splitpoints import MOST_POINTS, help_others, split

MOVES = 6
"""Each ply has these, on squares of its own: the discs on the board tell the way to a node."""
ALL = MOVES + MOVES**2 + MOVES**3
"""Nodes of a tree of three plies."""


class Count(Record):
    times: Atomic


class Script(Record):
    """What the search shall do, and what it was asked."""

    started: Atomic
    ended: Atomic
    wait_for: Row[Word] = inline(64)
    """How many searches must have begun before the one of a move at the root may end."""
    last: Word
    """The move at the root that only ends when all others there have; 0 is none."""
    meet: Word
    """Not zero where the first searches wait until so many threads are at work."""
    abort_after: Word
    exhaustive: Word
    """Not zero where no move is ever good enough for a cut-off."""
    counts: Row[Count] = inline(512)
    by_thread: Row[Count] = inline(8)


script_at = at_address(Script)


@kernel("uint64(uint64, uint64)")
def node_of(own: int, opp: int) -> int:
    """The number of a node: its moves as digits in base 8, the first one lowest, each more by one."""
    number, discs = ZERO, own | opp
    while discs:
        square = lowest(discs)
        discs &= discs - ONE
        number |= ((square & uint64(7)) + ONE) << (uint64(3) * (square >> uint64(3)))
    return number


@kernel("int64(uint64)")
def leaf_value(node: int) -> int:
    return int64(mix(node) & uint64(31)) - int64(16)


@kernel("int64(uint64, uint64, int64, uint64, uint64, Desk)")
def search_node(own: int, opp: int, alpha: int, depth: int, ply: int, desk: Desk) -> int:
    """The value of a node of the script's tree, by one split point for all moves of an inner one."""
    if depth == ZERO:
        return leaf_value(node_of(own, opp))
    for index in range(uint64(MOVES)):
        square = uint64(8) * ply + index
        desk.plies[ply].moves[index] = square
        desk.plies[ply].flips[square] = ZERO
    if script_at(desk.weights).exhaustive:
        alpha = int64(100)
    moves = uint64(MOVES)  # none of them is late
    return split(own, opp, alpha, depth, ZERO, ply, ZERO, moves, moves, desk)


def scripted(own: int, opp: int, alpha: int, depth: int, empties: int, ply: int, desk: Desk) -> int:
    """Takes the place of the null-window search. The script lies where the desk has its weights."""
    script, node = script_at(desk.weights), node_of(own, opp)
    add_atomic(script.counts[node].times, ONE)
    add_atomic(script.by_thread[desk.thread].times, ONE)
    started = add_atomic(script.started, ONE) + ONE
    desk.nodes += ONE
    if script.abort_after and started >= script.abort_after:
        desk.node_limit = desk.nodes
        look_around(desk)
    while load_atomic(script.started) < script.meet and not desk.aborted:
        look_around(desk)
        give_way()
    if ply == ONE:
        while load_atomic(script.started) < script.wait_for[node] and not desk.aborted:
            look_around(desk)
            give_way()
        while node == script.last and load_atomic(script.ended) < uint64(MOVES - 1) and not desk.aborted:
            look_around(desk)
            give_way()
    value = search_node(own, opp, alpha, depth, ply, desk)
    if ply == ONE:
        add_atomic(script.ended, ONE)
    return value


@kernel("int64(uint64, int64, uint64)")
def search_root(address: int, alpha: int, depth: int) -> int:
    return search_node(ZERO, ZERO, alpha, depth, ZERO, desk_at(address))


@cache
def search_address() -> int:
    load(help_others)
    load(search_root)
    return int(callback("int64(uint64, uint64, int64, uint64, uint64, uint64, Desk)", scripted).address)


@dataclass
class Seen:
    value: int
    counts: Any
    """How often each node was searched."""
    aborted: bool
    threads: list[int]
    """How many nodes each thread searched."""
    moves: list[int]
    """The root's as `split` leaves them, numbered from 0."""
    best_move: int


def run(
    threads: int,
    depth: int,
    alpha: int | None = None,
    wait_for: Sequence[int] = (),
    last: int = 0,
    meet: int = 0,
    abort_after: int = 0,
) -> Seen:
    """Searches the script's tree, once all helpers look for work; without an alpha nothing is cut off."""
    stop, pool, script = Stop(), Pool.new(), Script.new()
    for move, wanted in enumerate(wait_for):
        script.wait_for[move + 1] = wanted
    script.last, script.meet, script.abort_after, script.exhaustive = last, meet, abort_after, alpha is None
    points = [np.zeros(MOST_POINTS, np.dtype(SplitPoint)) for _ in range(threads)]
    desks = [Desk.new() for _ in range(threads)]
    for number, desk in enumerate(desks):
        desk.stop, desk.pool, desk.own_points = stop.address, place_of(pool), place_of(points[number])
        desk.thread, desk.threads, desk.node_limit = number, threads, (1 << 63) - 1
        desk.null_window, desk.weights = search_address(), script.address
    helpers = [threading.Thread(target=help_others, args=(desk.address,)) for desk in desks[1:]]
    for helper in helpers:
        helper.start()
    while int(pool.idle) < len(helpers):
        time.sleep(0)
    value = search_root(desks[0].address, alpha or 0, depth)
    pool.closed = 1
    for helper in helpers:
        helper.join()
    assert all(desk.points_in_use == 0 for desk in desks)
    counts = np.array([int(script.counts[node].times) for node in range(512)])
    by_thread = [int(script.by_thread[thread].times) for thread in range(threads)]
    moves = [int(desks[0].plies[0].moves[index]) & 63 for index in range(MOVES)]
    return Seen(value, counts, bool(desks[0].aborted), by_thread, moves, int(desks[0].shared_move))


def nodes_at(plies: int) -> list[int]:
    nodes = [0]
    for ply in range(plies):
        nodes = [node | (move + 1) << 3 * ply for node in nodes for move in range(MOVES)]
    return nodes


def true_value(plies: int, node: int = 0, ply: int = 0) -> int:
    if ply == plies:
        return leaf_value(node)
    return max(-true_value(plies, node | (move + 1) << 3 * ply, ply + 1) for move in range(MOVES))


@pytest.mark.parametrize("threads", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(8))
def test_every_move_is_searched_once_in_whatever_order_they_end(threads: int, seed: int) -> None:
    """A move may only end when so many others have begun: as late as the number of threads allows."""
    dice = random.Random(seed)
    wait_for = [min(dice.randint(move + 1, move + threads), MOVES) for move in range(MOVES)]
    seen = run(threads, 1, wait_for=wait_for)
    assert seen.counts[nodes_at(1)].tolist() == [1] * MOVES
    assert (seen.value, seen.counts.sum(), seen.aborted) == (true_value(1), MOVES, False)


@pytest.mark.parametrize("threads", [2, 3, 4])
@pytest.mark.parametrize("last", range(1, MOVES + 1))
def test_the_owner_waits_for_the_last_of_its_helpers(threads: int, last: int) -> None:
    """Each move in turn is held until all others are done: it counts all the same."""
    seen = run(threads, 1, last=last)
    assert seen.counts[nodes_at(1)].tolist() == [1] * MOVES
    assert (seen.value, seen.aborted) == (true_value(1), False)


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_split_points_inside_split_points_search_every_move_once(threads: int) -> None:
    for _ in range(20):
        seen = run(threads, 3, meet=threads)
        assert all(set(seen.counts[nodes_at(plies)]) == {1} for plies in (1, 2, 3))
        assert seen.counts.sum() == ALL
        assert (seen.value, seen.aborted) == (true_value(3), False)
        assert all(seen.threads)


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_a_cut_off_ends_the_rest_and_its_bound_is_right(threads: int) -> None:
    for alpha in range(-18, 19, 3):
        seen = run(threads, 3, alpha, meet=threads)
        assert seen.counts.max() == 1
        assert (seen.value > alpha) == (true_value(3) > alpha)
        assert not seen.aborted
    # Every move is above it: what was begun before the first one ended is all that is searched.
    assert run(threads, 1, -100, meet=threads).counts.sum() < MOVES


@pytest.mark.parametrize("threads", [1, 2, 3, 4])
def test_the_moves_known_not_to_be_above_alpha_stand_before_the_best(threads: int) -> None:
    """So that the principal variation, which goes on after a move that is better, knows what is left: also a second
    move that was found to be better at the same time."""
    values = [-leaf_value(node) for node in nodes_at(1)]
    for alpha in range(-18, 19):
        seen = run(threads, 1, alpha, meet=threads)
        place = seen.moves.index(seen.best_move)
        settled, left = seen.moves[:place], seen.moves[place + 1 :]
        assert sorted(seen.moves) == list(range(MOVES))
        assert settled == sorted(settled) and left == sorted(left)
        assert seen.value == values[seen.best_move] == max(values[move] for move in [*settled, seen.best_move])
        assert all(values[move] <= alpha and seen.counts[nodes_at(1)[move]] == 1 for move in settled)
        if max(values) <= alpha:
            assert not left
        elif threads == 1:
            assert seen.best_move == next(move for move in range(MOVES) if values[move] > alpha) == place


@pytest.mark.parametrize("threads", [2, 3, 4])
def test_a_cut_off_reaches_a_search_that_goes_on(threads: int) -> None:
    """The other moves would wait for ever; the cut-off that the first one makes ends them."""
    seen = run(threads, 1, -100, wait_for=[1, *[1000] * (MOVES - 1)], meet=threads)
    assert seen.value > -100 and not seen.aborted
    assert seen.moves[0] == seen.best_move  # those that it has ended are not settled


@pytest.mark.parametrize("threads", [2, 3, 4])
def test_nodes_used_up_abort_every_thread(threads: int) -> None:
    """Whoever visits the last node allowed: a node whose moves were not all searched is never taken for done."""
    for last in (*range(1, ALL, 7), ALL - 1, ALL):
        assert run(threads, 3, meet=min(threads, last), abort_after=last).aborted


# What the engine shares


def counted(own: int, opp: int, alpha: int, depth: int, empties: int, ply: int, desk: Desk) -> int:
    """The engine's null-window search; a split point that is not in use counts the root's moves that come here."""
    if ply == ONE:
        add_atomic(desk.own_points[uint64(MOST_POINTS - 1)].next, ONE)
    return null_window_midgame(own, opp, alpha, depth, empties, ply, desk)


@kernel("int64(uint64, uint64, uint64, int64, int64, uint64)")
def search_window_at(address: int, own: int, opp: int, alpha: int, beta: int, depth: int) -> int:
    return search_window(own, opp, alpha, beta, depth, uint64(SURE), desk_at(address))


class Shared:
    """A search with one thread that believes another one to be idle: it splits whatever may be split."""

    def __init__(self) -> None:
        self._searcher = Searcher(4, threads=2)
        self._searcher.prepare(OTHELLO, None)
        self._searcher.begin(Stop())
        self._searcher._pool.idle = 1
        self._desk = self._searcher._desks[0]
        signature = "int64(uint64, uint64, int64, uint64, uint64, uint64, Desk)"
        self._search = callback(signature, counted)
        self._desk.null_window = self._search.address

    def search(self, position: Position, alpha: int, beta: int, depth: int) -> tuple[int, int]:
        """The value, and how many of the root's moves went through its split points."""
        count = self._searcher._points[0][MOST_POINTS - 1]
        count["next"] = 0
        value = search_window_at(self._desk.address, position.own, position.opp, alpha, beta, depth)
        return value, int(count["next"])


def sixteen_empties(seed: int) -> Position:
    dice, game = random.Random(seed), Game(OTHELLO)
    while game.position.empties > 16:
        game.push(dice.choice(game.position.legal_moves or (PASS,)))
    return game.position


@pytest.mark.parametrize("seed", range(4))
def test_all_moves_of_the_principal_variation_but_the_first_are_shared(seed: int) -> None:
    position = sixteen_empties(seed)
    value, through = Shared().search(position, -64, 64, 16)
    assert value == Solver(4).solve(position).score
    assert through >= len(position.legal_moves) - 1 > 0


def test_to_the_end_the_first_move_is_shared_where_an_earlier_search_found_none_good_enough() -> None:
    position, shared = sixteen_empties(0), Shared()
    moves = len(position.legal_moves)
    alpha = max(Shared().search(position, -64, 64, depth)[0] for depth in (8, 10, 16)) + 4
    for depth, through in ((8, moves - 1), (10, moves - 1), (16, moves)):
        value, count = shared.search(position, alpha, alpha + 1, depth)
        assert value <= alpha and count == through
