"""Monte Carlo search as a player uses it: a position and a limit in, a report out, the tree kept for the next move.

On one thread the whole search is a function of the position, the options, the seed and the number of playouts, and of
the tree kept from earlier moves where that is asked for. Several threads share one tree without locks; what they find
then depends on how they interleave.
"""

import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from outflank.board import kernels
from outflank.board.compiled import load
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.search.driver import Stop, seconds_for, watched
from outflank.search.limits import Limit, Report
from outflank.search.montecarlo import kernels as compiled
from outflank.search.montecarlo import memory as memory

Draw = Literal["half", "loss"]
Reward = Literal["win", "margin"]
Final = Literal["visits", "value"]
Spread = Literal["even", "ucb"]

DEFAULT_C = 0.2
"""The best of 0.1, 0.2, 0.3, 0.35, 0.5, 0.7 and 1 in matches at 3,000 and 10,000 playouts: see docs/monte-carlo.md."""
DEFAULT_PLAYOUTS = 10_000
UNCUT = 1 << 62
NO_LIMIT = (1 << 63) - 1
WORD = (1 << 64) - 1
NODE_WORDS = int(memory.NODE_WORDS)
LEAST_NODES = 1 + 64
"""A root and its children always have room."""

# When the tree is kept and there may be too little room, the nodes still needed are moved together, unless that would
# take too much of the time: then the search starts anew. Measured from the start position, on the safe side.
NODES_A_PLAYOUT = 3
NODES_A_SECOND = 2_000_000
SECONDS_TO_MOVE_A_NODE = 3e-8
COMPACTING = 0.2
"""The share of its time that a search may spend on it."""


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

    def result_range(self, variant: Variant) -> int:
        """The best result, in the unit of the sums: it is what UCB1 calls 1, and its opposite 0."""
        return variant.square_count if self.reward == "margin" else 1

    @property
    def reward_kind(self) -> int:
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

    @property
    def known(self) -> bool:
        """Whether its value means anything."""
        return self.visits > 0 or self.low == self.high


def best_of(candidates: Sequence[Candidate], final: Final) -> list[Candidate]:
    """The moves to play, all equally good.

    A result in hand beats a move whose mean is no better; else the first by visits or value among the moves that are
    not proven to be no better than another one.
    """

    def rank(one: Candidate) -> tuple[float, ...]:
        return (one.visits, one.value) if final == "visits" else (one.visits > 0, one.value, one.visits)

    def first(among: Sequence[Candidate]) -> list[Candidate]:
        best = max(map(rank, among))
        return [one for one in among if rank(one) == best]

    sure = max(one.low for one in candidates)
    hopeful = [one for one in candidates if one.high > sure]
    in_hand = [one for one in candidates if one.low == sure]
    if not hopeful:
        return first(in_hand)
    best = first(hopeful)
    nothing_in_hand = sure == min(one.low for one in candidates)
    return best if best[0].value > sure or nothing_in_hand else first(in_hand)


class MonteCarlo:
    """A search with its options and its tree. One caller at a time.

    Another way to walk the same tree is a class with kernels, constants and a planted root of its own: `guided`.
    """

    desk_words, thread_words = compiled.DESK_WORDS, compiled.THREAD_WORDS
    run_kernel: Any = staticmethod(compiled.run)
    """Simulates on a desk and a thread until it is stopped, with the two `_constants`."""
    plant_kernel: Any = staticmethod(compiled.plant)

    def __init__(self, options: Options | None = None, seed: int = 0) -> None:
        self.options = options or Options()
        self.seed = seed
        room = int(self.options.memory * 2**20) // (8 * NODE_WORDS)
        self.capacity = min(max(room, LEAST_NODES), memory.MOST_NODES)
        self._desk = _aligned(self.desk_words)
        self._threads = [_aligned(self.thread_words) for _ in range(self.options.threads)]
        self._nodes = np.empty(0, np.uint64)
        for kernel in (self.run_kernel, self.plant_kernel, compiled.compact, compiled.random_below_at, kernels.hash64):
            load(kernel)  # now, so that the first move is not charged for it
        self.position: Position | None = None
        """Where the tree's root stands, or what `follow` made of it."""
        self._followed = False

    def forget(self) -> None:
        """Drops the tree: the next search starts from nothing."""
        self.position, self._followed = None, False

    def close(self) -> None:
        """Drops the tree and gives its memory back."""
        self.forget()
        self._nodes = np.empty(0, np.uint64)

    def follow(self, moves: Iterable[int]) -> bool:
        """Tells what was played since the last search; the next one keeps what the tree knows of it."""
        if self.position is None or not (self.options.reuse and self.options.tree):
            return False
        node, position = self.root, self.position
        for move in moves:
            position = position.play(move)
            if move == PASS:
                continue
            children = {one.move: one.node for one in self.candidates(node)}
            if move not in children:
                self.forget()
                return False
            node = children[move]
        self._desk[compiled.ROOT] = node
        self.position, self._followed = position, True
        return True

    def run(self, position: Position, limit: Limit | None = None, stop: Stop | None = None) -> Report:
        """The best move found. Scores are mean results: -1 to 1 (a sure win), or discs where margins are rewarded."""
        began = time.perf_counter()
        if not position.legal:
            raise ValueError("there is no move to choose: the side to move must pass, or the game is over")
        limit = limit or Limit()
        seconds = seconds_for(limit, position.empties)
        with watched(seconds, stop) as until:
            self._prepare(position, limit, seconds, until)
            kept = int(self._nodes[self.root * NODE_WORDS])
            self._simulate()
        candidates = self.candidates()
        tied = best_of(candidates, self.options.final)
        state = self._threads[0].ctypes.data
        best = tied[compiled.random_below_at(len(tied), state) if len(tied) > 1 else 0]
        low, high = self._bounds()
        score = float(low) if low == high else best.value
        return Report(
            best.move,
            score if best.known else None,
            depth=max(int(thread[compiled.DEEPEST]) for thread in self._threads),
            nodes=self.simulations,
            seconds=time.perf_counter() - began,
            pv=self._line(best),
            exact=low == high and not (low < 0 and self.options.reward_kind == compiled.WIN_DRAW_LOSS),
            values={one.move: one.value for one in candidates if one.known},
            text=self._text(score, kept),
        )

    @property
    def simulations(self) -> int:
        """How many simulations the last search made."""
        return sum(int(thread[compiled.DONE]) for thread in self._threads)

    @property
    def nodes(self) -> np.ndarray[Any, np.dtype[np.uint64]]:
        """The tree: a row for each node, as `montecarlo_memory` lays it out."""
        return self._nodes[: self.used * NODE_WORDS].reshape(-1, NODE_WORDS)

    @property
    def root(self) -> int:
        """The root's row in `nodes`."""
        return int(self._desk[compiled.ROOT])

    @property
    def used(self) -> int:
        """How many nodes there are, those above the root included."""
        return min(int(self._desk[compiled.USED]), self.capacity)

    def candidates(self, node: int | None = None) -> list[Candidate]:
        """The moves at the root or another node, lowest square first, as the side to move there sees them."""
        nodes = self._nodes
        node = self.root if node is None else node
        link = int(nodes[node * NODE_WORDS + int(memory.LINK)])
        sign = 1 if self._ours(node) else -1
        first, count = link & int(memory.FIRST), link >> int(memory.COUNT_AT) & 255
        found = []
        for child in range(first, first + count):
            visits, total, link, bounds = nodes[child * NODE_WORDS : (child + 1) * NODE_WORDS].view(np.int64).tolist()
            low, high = sorted(sign * bound for bound in memory.unpacked(bounds))
            mean = sign * total / visits if visits else 0.0
            value = min(max(mean, float(low)), float(high))
            found.append(Candidate(link >> int(memory.MOVE_AT) & 255, visits, value, low, high, child))
        return found

    def _prepare(self, position: Position, limit: Limit, seconds: float | None, stop: Stop) -> None:
        options, desk, variant = self.options, self._desk, position.variant
        if not self._nodes.size:
            self._nodes = _aligned(self.capacity * NODE_WORDS)
        playouts = self._playouts(limit)
        fresh = not self._keeps(position, playouts, seconds)
        result_range = options.result_range(variant)
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
            (compiled.PLAYOUTS, playouts),
            (compiled.UNKNOWN, memory.packed(-result_range, result_range)),
            (compiled.RANGE, result_range),
            (compiled.FULL, 0),
            (compiled.STARTED, 0),
        ):
            desk[index] = value
        for number, thread in enumerate(self._threads):
            thread[:] = 0
            thread[compiled.RANDOM] = self._random_state(position, number)
        self._plant(fresh)
        self.position, self._followed = position, False

    def _plant(self, fresh: bool) -> None:
        """Makes the root and its children, where `fresh`; otherwise readies the root that was kept."""
        self.plant_kernel(self._desk.ctypes.data, fresh)

    def _random_state(self, position: Position, thread: int) -> int:
        """Where the random numbers of a search begin: no two positions, threads or seeds share their numbers."""
        return kernels.hash64(position.own ^ kernels.hash64(self.seed & WORD, thread), position.opp)

    def _keeps(self, position: Position, playouts: int, seconds: float | None) -> bool:
        """Whether the tree serves this search, and if so makes room in it: for the playouts wanted, or for the time.

        It does where `follow` led, if it is the same player's turn there: results are seen by the player.
        """
        if not self._followed or self.position != position or not self._ours(self.root):
            return False
        wanted = playouts * NODES_A_PLAYOUT
        if seconds is not None:
            wanted = min(wanted, int(seconds * NODES_A_SECOND))
        if self.used + min(wanted, self.capacity // 2) <= self.capacity:
            return True
        if seconds is not None and self.used * SECONDS_TO_MOVE_A_NODE > COMPACTING * seconds:
            return False
        compiled.compact(self._desk.ctypes.data)
        return True

    def _playouts(self, limit: Limit) -> int:
        """A simulation is what this search calls a node, so a limit of nodes is one too."""
        bounds = [bound for bound in (limit.playouts, limit.nodes) if bound is not None]
        if bounds:
            return min(bounds)
        return self.options.playouts if limit.time is None and limit.clock is None else NO_LIMIT

    def _constants(self) -> tuple[float, float]:
        """UCB1's constant, and what makes a result's range 1 wide."""
        options = self.options
        if not options.tree and options.spread == "even":
            return 1.0, 0.0  # values all alike: UCB1 then takes the move visited least
        return options.c, 0.5 / int(self._desk[compiled.RANGE])

    def _simulate(self) -> None:
        constants = self._constants()
        calls = [(self._desk.ctypes.data, thread.ctypes.data, *constants) for thread in self._threads]
        helpers = [threading.Thread(target=self.run_kernel, args=call) for call in calls[1:]]
        for helper in helpers:
            helper.start()
        try:
            self.run_kernel(*calls[0])
        finally:
            for helper in helpers:
                helper.join()

    def _ours(self, node: int) -> bool:
        """Whether it is the player's turn at a node."""
        return bool(int(self._nodes[node * NODE_WORDS + int(memory.LINK)]) & int(memory.OURS))

    def _bounds(self) -> tuple[int, int]:
        """What is proven of the root."""
        return memory.unpacked(int(self._nodes[self.root * NODE_WORDS + int(memory.BOUNDS)]))

    def _line(self, best: Candidate) -> tuple[int, ...]:
        """The move and the replies to it by the same choice, passes among them."""
        line = [best.move]
        node, turn = best.node, True
        while replies := [reply for reply in self.candidates(node) if reply.known]:
            before, turn = turn, self._ours(node)
            if turn is before:
                line.append(PASS)
            reply = best_of(replies, self.options.final)[0]
            line.append(reply.move)
            node = reply.node
        return tuple(line)

    def _text(self, score: float, kept: int) -> str:
        parts = [f"{self.simulations:,} playouts"]
        if kept:
            parts.append(f"{kept:,} kept")
        parts.append(f"{self.used:,} tree nodes")
        if self._desk[compiled.FULL]:
            parts.append("tree full")
        low, high = self._bounds()
        if low == high:
            loss = "loss or draw" if self.options.reward_kind == compiled.WIN_DRAW_LOSS else "loss"
            parts.append("proven " + ("draw" if low == 0 else "win" if low > 0 else loss))
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
