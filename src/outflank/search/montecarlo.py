"""Monte Carlo search as a player uses it: a position and a limit in, a report out, the tree kept for the next move.

On one thread the whole search is a function of the position, the options, the seed and the number of playouts, and of
the tree kept from earlier moves where that is asked for. Several threads share one tree without locks; what they find
then depends on how they interleave.
"""

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from outflank.board import kernels
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.search import montecarlo_kernels as compiled
from outflank.search import montecarlo_memory as memory
from outflank.search.driver import Stop, seconds_for, watched
from outflank.search.limits import Limit, Report

Draw = Literal["half", "loss"]
Reward = Literal["win", "margin"]
Final = Literal["visits", "value"]
Spread = Literal["even", "ucb"]

DEFAULT_C = 0.5
DEFAULT_PLAYOUTS = 10_000
UNCUT = 1 << 62
NO_LIMIT = (1 << 63) - 1
WORD = (1 << 64) - 1
NODE_WORDS = int(memory.NODE_WORDS)
LEAST_NODES = 1 + 64
"""A root and its children always have room."""


@dataclass(frozen=True)
class Options:
    """How a Monte Carlo search works; docs/monte-carlo.md explains each option."""

    c: float = DEFAULT_C
    """Multiplies sqrt(2·ln N / n) in UCB1."""
    tree: bool = True
    """Without one, playouts are spread over the root's moves only: plain Monte Carlo."""
    spread: Spread = "even"
    """Without a tree: the same number of playouts for every move, or UCB1 at the root."""
    draw: Draw = "half"
    """What a draw is to the player at the root, where wins are rewarded: half a win, or (001) a loss."""
    reward: Reward = "win"
    """What is averaged: wins, or the margin in discs."""
    cut: int = 0
    """Stops playouts after more than this many random moves (001: 32, hence 33 moves), 0 never; more discs then win."""
    reuse: bool = True
    """Keeps what the tree knows of the position that the game has reached."""
    final: Final = "visits"
    """Plays the move visited most, or the one of the best value; the other breaks ties, then chance."""
    proven: bool = True
    """Backs up results of finished games as proofs."""
    threads: int = 1
    memory: float = 256.0
    """Megabytes for the tree at most; when they are full, playouts go on from the tree's leaves."""
    playouts: int = DEFAULT_PLAYOUTS
    """How many simulations, where the limit says neither playouts nor time."""

    def __post_init__(self) -> None:
        if not 0 <= self.c < float("inf"):
            raise ValueError(f"c is a number, 0 or more, not {self.c}")
        for name, choices in (("spread", Spread), ("draw", Draw), ("reward", Reward), ("final", Final)):
            if getattr(self, name) not in get_args(choices):
                raise ValueError(f"{name} is one of {', '.join(get_args(choices))}, not {getattr(self, name)!r}")
        for name, least in (("cut", 0), ("threads", 1), ("playouts", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {least} or more, not {getattr(self, name)}")
        if not self.memory > 0:
            raise ValueError(f"the memory is more than 0 megabytes, not {self.memory}")

    @property
    def result_range(self) -> int:
        """The best result, in the unit of the sums."""
        return 64 if self.reward == "margin" else 1

    @property
    def reward_kind(self) -> np.uint64:
        if self.reward == "margin":
            return compiled.MARGIN
        return compiled.WIN_DRAW_LOSS if self.draw == "loss" else compiled.WIN_DRAW_HALF


@dataclass(frozen=True)
class Candidate:
    """What the search knows of a move at the root, seen by the side to move."""

    move: int
    visits: int
    value: float
    """The mean result within the proven bounds: -1 to 1, or discs."""
    low: int
    """The result that is proven to be had at least."""
    high: int
    """The result that is proven to be had at most."""
    node: int


class MonteCarlo:
    """A search with its options and its tree. One caller at a time."""

    def __init__(self, options: Options | None = None, seed: int = 0) -> None:
        self.options = options or Options()
        self.seed = seed
        trees = 2 if self._reuses else 1
        room = int(self.options.memory * 2**20) // (8 * NODE_WORDS * trees)
        self.capacity = min(max(room, LEAST_NODES), memory.MOST_NODES)
        self._desk = _aligned(compiled.DESK_WORDS)
        self._threads = [_aligned(compiled.THREAD_WORDS) for _ in range(self.options.threads)]
        self._nodes = self._spare = np.empty(0, np.uint64)
        self._position: Position | None = None  # where the tree's root, or what `follow` made of it, stands
        self._kept = 0  # the node that becomes the next root; 0 asks for a new tree

    @property
    def _reuses(self) -> bool:
        return self.options.reuse and self.options.tree

    def forget(self) -> None:
        """Drops the tree: the next search starts from nothing."""
        self._position, self._kept = None, 0

    def follow(self, moves: Iterable[int]) -> bool:
        """Tells what was played since the last search; the next one keeps what the tree knows of it."""
        if not self._reuses or self._position is None:
            return False
        node, position = self._kept, self._position
        for move in moves:
            position = position.play(move)
            if move == PASS:
                continue
            links = {int(link) >> int(memory.MOVE_AT) & 255: child for child, link in self._children(node)}
            if move not in links:
                self.forget()
                return False
            node = links[move]
        self._position, self._kept = position, node
        return True

    def run(self, position: Position, limit: Limit | None = None, stop: Stop | None = None) -> Report:
        """The best move found. Scores are mean results: -1 to 1 (a sure win), or discs where margins are rewarded."""
        began = time.perf_counter()
        if not position.legal:
            raise ValueError("there is no move to choose: the side to move must pass, or the game is over")
        limit = limit or Limit()
        with watched(seconds_for(limit, position.empties), stop) as until:
            self._prepare(position, limit, until)
            kept = int(self._nodes[int(memory.VISITS)])
            self._simulate()
        candidates = self.candidates()
        best = self._decide(candidates)
        low, high = self._bounds(0)
        score = float(low) if low == high else best.value
        return Report(
            best.move,
            score if best.visits or low == high else None,
            depth=max(int(thread[int(compiled.DEEPEST)]) for thread in self._threads),
            nodes=self.simulations,
            seconds=time.perf_counter() - began,
            pv=self._line(best, position),
            exact=low == high and not (self.options.draw == "loss" and self.options.reward == "win" and low < 0),
            values={one.move: one.value for one in candidates if one.visits},
            text=self._text(score, kept),
        )

    @property
    def simulations(self) -> int:
        """How many simulations the last search made."""
        return sum(int(thread[int(compiled.DONE)]) for thread in self._threads)

    @property
    def nodes(self) -> np.ndarray[Any, np.dtype[np.uint64]]:
        """The tree: a row for each node, as `montecarlo_memory` lays it out."""
        return self._nodes[: self.used * NODE_WORDS].reshape(-1, NODE_WORDS)

    @property
    def used(self) -> int:
        """How many nodes the tree has."""
        return min(int(self._desk[int(compiled.USED)]), self.capacity)

    def candidates(self) -> list[Candidate]:
        """The root's moves, lowest square first."""
        return [self._candidate(child, link) for child, link in self._children(0)]

    def _prepare(self, position: Position, limit: Limit, stop: Stop) -> None:
        options, desk, variant = self.options, self._desk, position.variant
        if not self._nodes.size:
            self._nodes = _aligned(self.capacity * NODE_WORDS)
        fresh = not self._kept or self._position != position or not self._keep()
        result_range = options.result_range
        for index, value in (
            (compiled.BOARD, variant.board),
            (compiled.REVERSED, variant.reversed),
            (compiled.OWN, position.own),
            (compiled.OPP, position.opp),
            (compiled.NODES, self._nodes.ctypes.data),
            (compiled.CAPACITY, self.capacity),
            (compiled.REWARD, options.reward_kind),
            (compiled.CUT, options.cut + 1 if options.cut else UNCUT),
            (compiled.TREE, options.tree),
            (compiled.PROVEN, options.proven),
            (compiled.SHARED, options.threads > 1),
            (compiled.STOP, stop.address),
            (compiled.PLAYOUTS, self._playouts(limit)),
            (compiled.UNKNOWN, memory.bounds_of(-result_range, result_range)),
            (compiled.RANGE, result_range),
            (compiled.STARTED, 0),
        ):
            desk[int(index)] = value
        state = kernels.mix(self.seed & WORD ^ kernels.hash64(position.own, position.opp))
        for number, thread in enumerate(self._threads):
            thread[:] = 0
            thread[int(compiled.RANDOM)] = state if not number else kernels.mix(state + number & WORD)
        compiled.prepare(desk.ctypes.data, fresh)
        self._position, self._kept = position, 0

    def _keep(self) -> bool:
        """Makes the node that `follow` found the root of the tree, if it is the same player's turn there."""
        if not int(self._nodes[self._kept * NODE_WORDS + int(memory.LINK)]) & int(memory.OURS):
            return False
        if not self._spare.size:
            self._spare = _aligned(self.capacity * NODE_WORDS)
        used = compiled.keep_subtree(self._nodes.ctypes.data, self._spare.ctypes.data, self._kept)
        self._nodes, self._spare = self._spare, self._nodes
        self._desk[int(compiled.USED)] = used
        return True

    def _playouts(self, limit: Limit) -> int:
        """A simulation is what this search calls a node, so a limit of nodes is one too."""
        bounds = [bound for bound in (limit.playouts, limit.nodes) if bound is not None]
        if bounds:
            return min(bounds)
        return self.options.playouts if limit.time is None and limit.clock is None else NO_LIMIT

    def _simulate(self) -> None:
        options = self.options
        scale = 0.5 / options.result_range
        c = options.c
        if not options.tree and options.spread == "even":
            scale, c = 0.0, 1.0  # values all alike: UCB1 then takes the move visited least
        calls = [(self._desk.ctypes.data, thread.ctypes.data, c, scale) for thread in self._threads]
        helpers = [threading.Thread(target=compiled.run, args=call) for call in calls[1:]]
        for helper in helpers:
            helper.start()
        try:
            compiled.run(*calls[0])
        finally:
            for helper in helpers:
                helper.join()

    def _children(self, node: int) -> list[tuple[int, np.uint64]]:
        """The children of a node and their links."""
        link = int(self._nodes[node * NODE_WORDS + int(memory.LINK)])
        first, count = link & int(memory.FIRST), link >> int(memory.COUNT_AT) & 255
        children = range(first, first + count)
        return [(child, self._nodes[child * NODE_WORDS + int(memory.LINK)]) for child in children]

    def _bounds(self, node: int) -> tuple[int, int]:
        bounds = int(self._nodes[node * NODE_WORDS + int(memory.BOUNDS)])
        return memory.low_of(bounds), memory.high_of(bounds)

    def _candidate(self, node: int, link: np.uint64) -> Candidate:
        visits, total = (int(word) for word in self._nodes[node * NODE_WORDS : node * NODE_WORDS + 2].view(np.int64))
        low, high = self._bounds(node)
        mean = total / visits if visits else 0.0
        return Candidate(
            int(link) >> int(memory.MOVE_AT) & 255, visits, min(max(mean, float(low)), float(high)), low, high, node
        )

    def _decide(self, candidates: list[Candidate]) -> Candidate:
        """The move to play: of those not proven to be worse than another, the first by visits or value."""
        sure = max(one.low for one in candidates)
        worst = -self.options.result_range
        hopeful = [one for one in candidates if one.high >= sure and one.high > worst] or candidates
        if self._bounds(0)[0] == self._bounds(0)[1]:
            hopeful = [one for one in candidates if one.low == sure]
        keys = {
            one.move: (one.visits, one.value)
            if self.options.final == "visits"
            else (one.visits > 0, one.value, one.visits)
            for one in hopeful
        }
        best = max(keys.values())
        tied = [one for one in hopeful if keys[one.move] == best]
        state = self._threads[0]
        return tied[compiled.random_below_at(len(tied), state.ctypes.data) if len(tied) > 1 else 0]

    def _line(self, best: Candidate, position: Position) -> tuple[int, ...]:
        """The move and the most visited replies to it, passes among them."""
        line = [best.move]
        position = position.play(best.move)
        node = best.node
        while True:
            if position.must_pass:
                line.append(PASS)
                position = position.play(PASS)
            replies = [self._candidate(child, link) for child, link in self._children(node)]
            reply = max(replies, key=lambda one: one.visits, default=None)
            if reply is None or not reply.visits:
                return tuple(line)
            line.append(reply.move)
            position = position.play(reply.move)
            node = reply.node

    def _text(self, score: float, kept: int) -> str:
        parts = [f"{self.simulations:,} playouts"]
        if kept:
            parts.append(f"{kept:,} kept")
        parts.append(f"{self.used:,} tree nodes")
        if self.options.tree and self.used + LEAST_NODES > self.capacity:
            parts.append("tree full")
        low, high = self._bounds(0)
        if low == high:
            parts.append("proven " + ("draw" if low == 0 else "win" if low > 0 else "loss"))
        elif self.options.reward == "win":
            parts.append(f"{50 * (1 + score):.1f} % expected")
        return ", ".join(parts)


def _aligned(words: int) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Zeroed memory that begins on a cache line. Large pieces cost nothing before they are used."""
    space = np.zeros(words + 8, np.uint64)
    skip = -space.ctypes.data % 64 // 8
    return space[skip : skip + words]


def speed(seconds: float = 1.0) -> float:
    """Simulations a second from the start position on one thread, the tree included."""
    search = MonteCarlo(Options(reuse=False))
    search.run(Position.start(), Limit(playouts=1000))
    report = search.run(Position.start(), Limit(time=seconds))
    return report.nodes / report.seconds
