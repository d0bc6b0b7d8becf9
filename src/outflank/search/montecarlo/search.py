"""Monte Carlo search as a player uses it: a position and a limit in, a report out, the tree kept for the next move.

Lays out the records of `memory`, lets `kernels` walk the tree under `driver`'s clock, on as many threads as wanted, and
reads the report off the root. `guided` is the same search with a guide; agents call either.

On one thread the whole search is a function of the position, the options, the seed and the number of playouts, and of
the tree kept from earlier moves where that is asked for. Several threads share one tree without locks; what they find
then depends on how they interleave.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Literal, SupportsIndex, get_args

from outflank.board import kernels
from outflank.board.compiled import load
from outflank.board.position import Position
from outflank.board.records import place_of
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.errors import Fault, check_choice
from outflank.search.driver import Stop, is_followed, seconds_for, tell, watched
from outflank.search.limits import NO_LIMIT, Limit, Report
from outflank.search.montecarlo import kernels as compiled
from outflank.search.montecarlo import memory
from outflank.search.montecarlo.memory import MonteCarloDesk, MonteCarloThread, Node
from outflank.search.montecarlo.selection import random_below_at

Draw = Literal["half", "loss"]
Reward = Literal["win", "margin"]
Final = Literal["visits", "value"]
Spread = Literal["even", "ucb"]

DEFAULT_C = 0.2
"""The best of 0.1, 0.2, 0.3, 0.35, 0.5, 0.7 and 1 in matches at 3,000 and 10,000 playouts: see docs/monte-carlo.md."""
DEFAULT_PLAYOUTS = 10_000
PORTION = 20_000
"""Simulations between two reports to whoever follows: some 60 ms."""
WORD = (1 << 64) - 1
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
    """What a draw is to the player at the root, where wins are rewarded: half a win, or (`mini-go`) a loss."""
    reward: Reward = "win"
    """What is averaged: wins, or the margin in discs."""
    cut: int = 0
    """Stops playouts after more than so many random moves (`mini-go`: 32, so 33), 0 never; more discs then win."""
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
            raise Fault("montecarlo.c", c=self.c)
        for name, choices in (("spread", Spread), ("draw", Draw), ("reward", Reward), ("final", Final)):
            check_choice(name, getattr(self, name), get_args(choices))
        for name, least in (("cut", 0), ("threads", 1), ("playouts", 1)):
            if getattr(self, name) < least:
                raise Fault("montecarlo.least", name=name, least=least, number=getattr(self, name))
        if not self.memory > 0:
            raise Fault("montecarlo.memory", memory=self.memory)

    def result_range(self, variant: Variant) -> int:
        """The best result, in the unit of the sums: it is what UCB1 calls 1, and its opposite 0."""
        return variant.square_count if self.reward == "margin" else 1

    @property
    def reward_kind(self) -> int:
        if self.reward == "margin":
            return int(memory.MARGIN)
        return int(memory.WIN_DRAW_LOSS if self.draw == "loss" else memory.WIN_DRAW_HALF)


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
    """A search with its options and its tree. One caller at a time."""

    nodes_a_playout = NODES_A_PLAYOUT

    def __init__(self, options: Options | None = None, seed: SupportsIndex = 0) -> None:
        self.options = options or Options()
        self.seed = index(seed)
        room = int(self.options.memory * 2**20) // (8 * Node.words)
        self.capacity = min(max(room, LEAST_NODES), memory.MOST_NODES)
        self._desk = MonteCarloDesk.new()
        self._threads = [MonteCarloThread.new() for _ in range(self.options.threads)]
        self._nodes = memory.new_nodes(0)
        walk = (compiled.run, compiled.plant, compiled.compact, random_below_at, kernels.hash64)
        for kernel in (*walk, memory.bounds_of, memory.low_of, memory.high_of, memory.move_of, memory.child_count):
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
        self._nodes = memory.new_nodes(0)

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
        self._desk.root = node
        self.position, self._followed = position, True
        return True

    def run(self, position: Position, limit: Limit | None = None) -> Report:
        """The best move found. Scores are mean results: -1 to 1 (a sure win), or discs where margins are rewarded."""
        began = time.perf_counter()
        if not position.legal:
            raise Fault("search.no-move")
        limit = limit or Limit()
        seconds = seconds_for(limit, position.empties)
        final = self.options.final
        with watched(seconds) as until:
            self._prepare(position, limit, seconds, until)
            kept = int(self._nodes[self.root]["visits"])

            def report() -> None:
                tell(self._report(position, best_of(self.candidates(), final)[0], began, kept))

            self._simulate_in_portions(report)
        tied = best_of(self.candidates(), final)
        best = tied[random_below_at(len(tied), self._threads[0].address) if len(tied) > 1 else 0]
        return self._report(position, best, began, kept)

    def _report(self, position: Position, best: Candidate, began: float, kept: int) -> Report:
        candidates = self.candidates()
        low, high = self._bounds()
        values = _values(position, candidates)
        score = float(low) if low == high else values.get(best.move, best.value)
        return Report(
            best.move,
            score if best.known else None,
            depth=max(thread.deepest for thread in self._threads),
            nodes=self.simulations,
            seconds=time.perf_counter() - began,
            pv=self._line(best),
            exact=low == high and not (low < 0 and self.options.reward_kind == memory.WIN_DRAW_LOSS),
            values=values,
            visits={one.move: one.visits for one in candidates},
            text=self._text(score, kept),
        )

    @property
    def simulations(self) -> int:
        """How many simulations the last search made."""
        return sum(thread.done for thread in self._threads)

    @property
    def root(self) -> int:
        """The root's place among the nodes."""
        return self._desk.root

    @property
    def used(self) -> int:
        """How many nodes there are, those above the root included."""
        return min(int(self._desk.used), self.capacity)

    def candidates(self, node: int | None = None) -> list[Candidate]:
        """The moves at the root or another node, lowest square first, as the side to move there sees them."""
        node = self.root if node is None else node
        places, sign = memory.children_of(self._link(node)), 1 if self._ours(node) else -1
        found = []
        for child, known in zip(places, self._nodes[places.start : places.stop].tolist(), strict=True):
            visits, total, link, bounds = known
            low, high = sorted(sign * bound for bound in (memory.low_of(bounds), memory.high_of(bounds)))
            mean = sign * total / visits if visits else 0.0
            value = min(max(mean, float(low)), float(high))
            found.append(Candidate(memory.move_of(link), visits, value, low, high, child))
        return found

    def _prepare(self, position: Position, limit: Limit, seconds: float | None, stop: Stop) -> None:
        options, desk, variant = self.options, self._desk, position.variant
        if not self._nodes.size:
            self._nodes = memory.new_nodes(self.capacity)
        playouts = self._playouts(limit)
        fresh = not self._keeps(position, playouts, seconds)
        result_range = options.result_range(variant)
        desk.board, desk.reversed = variant.board, variant.reversed
        desk.own, desk.opp = position.own, position.opp
        desk.nodes, desk.capacity = place_of(self._nodes), self.capacity
        desk.c, desk.scale = self._constants(result_range)
        desk.reward, desk.cut = options.reward_kind, options.cut + 1 if options.cut else kernels.NEVER_CUT
        desk.tree, desk.proven, desk.shared = options.tree, options.proven, options.threads > 1
        desk.stop, desk.playouts = stop.address, playouts
        desk.unknown, desk.range = memory.bounds_of(-result_range, result_range), result_range
        desk.full = desk.started = 0
        for number, thread in enumerate(self._threads):
            thread.random[0] = self._random_state(position, number)
            thread.done = thread.deepest = 0
        compiled.plant(desk.address, self._threads[0].address, fresh)
        self.position, self._followed = position, False

    def _random_state(self, position: Position, thread: int) -> int:
        """Where the random numbers of a search begin: no two positions, threads or seeds share their numbers."""
        return kernels.hash64(position.own ^ kernels.hash64(self.seed & WORD, thread), position.opp)

    def _keeps(self, position: Position, playouts: int, seconds: float | None) -> bool:
        """Whether the tree serves this search, and if so makes room in it: for the playouts wanted, or for the time.

        It does where `follow` led, if it is the same player's turn there: results are seen by the player.
        """
        if not self._followed or self.position != position or not self._ours(self.root):
            return False
        wanted = playouts * self.nodes_a_playout
        if seconds is not None:
            wanted = min(wanted, int(seconds * NODES_A_SECOND))
        if self.used + min(wanted, self.capacity // 2) <= self.capacity:
            return True
        if seconds is not None and self.used * SECONDS_TO_MOVE_A_NODE > COMPACTING * seconds:
            return False
        compiled.compact(self._desk.address)
        return True

    def _playouts(self, limit: Limit) -> int:
        """A simulation is what this search calls a node, so a limit of nodes is one too."""
        bounds = [bound for bound in (limit.playouts, limit.nodes) if bound is not None]
        if bounds:
            return min(bounds)
        return self.options.playouts if limit.time is None and limit.clock is None else NO_LIMIT

    def _constants(self, result_range: int) -> tuple[float, float]:
        """UCB1's constant, and what makes a result's range 1 wide."""
        options = self.options
        if not options.tree and options.spread == "even":
            return 1.0, 0.0  # values all alike: UCB1 then takes the move visited least
        return options.c, 0.5 / result_range

    def _simulate_in_portions(self, heard: Callable[[], None]) -> None:
        """All simulations; where somebody follows, in portions, of which he hears. That changes no result."""
        desk, wanted = self._desk, self._desk.playouts
        while is_followed() and (done := self.simulations) + PORTION < wanted:
            desk.started, desk.playouts = done, done + PORTION
            self._simulate()
            if self.simulations < desk.playouts:  # stopped, or all is proven
                return
            heard()
        desk.started, desk.playouts = self.simulations, wanted
        self._simulate()

    def _simulate(self) -> None:
        calls = [(self._desk.address, thread.address) for thread in self._threads]
        helpers = [threading.Thread(target=compiled.run, args=call) for call in calls[1:]]
        for helper in helpers:
            helper.start()
        try:
            compiled.run(*calls[0])
        finally:
            for helper in helpers:
                helper.join()

    def _link(self, node: int) -> int:
        return int(self._nodes[node]["link"])

    def _ours(self, node: int) -> bool:
        """Whether it is the player's turn at a node."""
        return bool(self._link(node) & int(memory.OURS))

    def _bounds(self) -> tuple[int, int]:
        """What is proven of the root."""
        bounds = int(self._nodes[self.root]["bounds"])
        return memory.low_of(bounds), memory.high_of(bounds)

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
        if self._desk.full:
            parts.append("tree full")
        low, high = self._bounds()
        if low == high:
            loss = "loss or draw" if self.options.reward_kind == memory.WIN_DRAW_LOSS else "loss"
            parts.append("proven " + ("draw" if low == 0 else "win" if low > 0 else loss))
        elif self.options.reward == "win":
            parts.append(f"{50 * (1 + score):.1f} % expected")
        return ", ".join(parts)


def _values(position: Position, candidates: Sequence[Candidate]) -> dict[int, float]:
    """What the moves are worth, as far as they were tried. Moves that mirror each other are one, so what was found of
    any of them counts for all: the mean of their means, each as often as it was visited, or what is proven of one."""
    alike: dict[int, list[Candidate]] = {}
    twins = position.twins()
    for one in candidates:
        if one.known:
            alike.setdefault(twins[one.move][0], []).append(one)
    values = {twin: _together(group) for twin, group in alike.items()}
    return {one.move: values[twin] for one in candidates if (twin := twins[one.move][0]) in values}


def _together(group: Sequence[Candidate]) -> float:
    proven = next((one.value for one in group if one.low == one.high), None)
    if proven is not None or len(group) == 1:
        return group[0].value if proven is None else proven
    return sum(one.visits * one.value for one in group) / sum(one.visits for one in group)
