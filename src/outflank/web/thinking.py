"""What thinks for the page: the one place that knows which players and searches stand behind a difficulty or a hint."""

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, repeat
from math import inf

from outflank.agents.agent import Agent
from outflank.agents.roster import entry_named
from outflank.agents.spec import agent, parse
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.heuristics.named import NAMED
from outflank.library.judging import values_of_moves
from outflank.search.driver import Interruption
from outflank.search.engine.engine import STRONG, Engine, Hint
from outflank.search.engine.levels import LEVELS, level_numbered
from outflank.search.limits import Limit, Report

AGENTS_A_THREAD = 4
"""Players that a thread keeps ready: making one can mean loading its code or a process of its own."""
MOST_SECONDS = 30.0
"""After this a player is stopped and has to play what it has."""
ENGINE = "engine"
ENGINE_SECONDS = 10.0
"""What a level of the engine may take for a move: people wait for it."""
QUICK_LEVEL, QUICK_DEPTH, QUICK_PLAYOUTS = 14, 4, 2000
"""Up to here a player answers within some 20 ms, and goes to the quick lane."""
QUICK_MEGABYTES, SLOW_MEGABYTES = 1.0, 32.0
"""The engine's table. A quick level fills little, and one that sits down to another board clears it first."""
SLICES = (0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds after which an analysis lets others go first; the last one again and again. The table remembers between."""
DIFFICULTIES = {"beginner": 1, "casual": 4, "club": 8, "expert": 12, "master": 16, "unbeatable": 24}

_here = threading.local()


def difficulties() -> list[tuple[str, str]]:
    """Words for strength, each with the player behind it."""
    return [(word, f"{ENGINE}:level={level}") for word, level in DIFFICULTIES.items()]


def levels() -> list[tuple[int, str]]:
    """The engine's levels."""
    return [(level, f"{ENGINE}:level={level}") for level in LEVELS]


# Moves


def is_quick(name: str) -> bool:
    """Whether a player of the roster is known to answer at once."""
    spec = parse(name)
    if spec.name in ("random", "greedy"):
        return True
    if spec.name == ENGINE:
        level = spec["level"]
        return isinstance(level, int) and level <= QUICK_LEVEL
    limit = spec.limit
    return limit.time is None and (
        (limit.depth is not None and limit.depth <= QUICK_DEPTH and spec["heuristic"] in NAMED)
        if "heuristic" in entry_named(spec.name).accepts
        else limit.playouts is not None and limit.playouts <= QUICK_PLAYOUTS
    )


def unit(name: str) -> str:
    """What a player's values are counted in."""
    return "discs" if parse(name).name in (ENGINE, "greedy") else "points"


def choose(spec: str, board: str, seed: int, game: Game, limit: Limit, stop: Interruption) -> Report:
    """The move of a player; `board` says which game it is, so that what was thought for one serves its next move."""
    if parse(spec).name == ENGINE:
        spec = _with_table(spec)
        limit = limit if limit != Limit() else Limit(time=ENGINE_SECONDS)
    player = _seated(spec, board, seed, game)
    if is_quick(spec):
        return player.choose(game, limit)
    cap = threading.Timer(MOST_SECONDS, stop.set)
    cap.daemon = True
    cap.start()
    try:
        return player.choose(game, limit)
    finally:
        cap.cancel()


def _with_table(spec: str) -> str:
    """An engine's spec with the size of its table, where it does not say one."""
    named = parse(spec)
    if "hash" in dict(named.options):
        return spec
    size = QUICK_MEGABYTES if is_quick(spec) else SLOW_MEGABYTES
    return f"{spec}{',' if named.options else ':'}hash={size:g}"


def _seated(spec: str, board: str, seed: int, game: Game) -> Agent:
    """This thread's player of a spec, sitting at this game."""
    players: OrderedDict[str, tuple[Agent, str]] = _here.__dict__.setdefault("players", OrderedDict())
    turn = game.position.turn
    sitting = f"{board} {game.variant.name} {int(turn)} {seed}"
    player, where = players.pop(spec, (None, ""))
    if player is None:
        player = agent(spec)
    if where != sitting:
        # The ply goes into the seed: a player that comes back from another board shall not throw the same dice again.
        player.start(game.variant, turn, (seed + len(game.line)) & 0xFFFFFFFF)
    players[spec] = (player, sitting)
    while len(players) > AGENTS_A_THREAD:
        _, (oldest, _) = players.popitem(last=False)
        with suppress(Exception):
            oldest.close()
    return player


def dismiss() -> None:
    """Lets this thread's players go: some of them hold a process."""
    for player, _ in _here.__dict__.pop("players", {}).values():
        with suppress(Exception):
            player.close()


def warm_up() -> None:
    """Loads the engine's code and weights, so that no visitor waits for them."""
    with _engines.lent() as engine:
        engine.hints(Position.start(), Limit(depth=1))


# Values of all moves


@dataclass(frozen=True)
class Hints:
    """The values of a position's moves as far as they are known, best first, in discs."""

    hints: tuple[Hint, ...]
    done: bool = False

    @property
    def depth(self) -> int:
        return min((hint.depth for hint in self.hints), default=0)

    @property
    def sureness(self) -> tuple[float, int]:
        """By this a later answer has to be as good as the one before it: how deep the least known move was looked at,
        and how many are exact."""
        known = [inf if hint.exact else hint.depth for hint in self.hints]
        return min(known, default=-1.0), known.count(inf)


class _Shelf:
    """Engines that wait to be used, with their tables. One is lent for a slice at a time: the next slice of the same
    work may run in another thread, and meanwhile somebody else may use it. There are never more than threads."""

    def __init__(self) -> None:
        self._free: deque[Engine] = deque()

    @contextmanager
    def lent(self) -> Iterator[Engine]:
        try:
            engine = self._free.pop()  # the one used last: what is in its table is the latest
        except IndexError:
            engine = Engine(1, SLOW_MEGABYTES)
        try:
            yield engine
        finally:
            self._free.append(engine)


_engines = _Shelf()


def hints(position: Position, seconds: float, stop: Interruption, level: int | None = None) -> Iterator[Hints]:
    """Better and better values of every legal move, until all are exact or the time is up: a slice a step.

    The searches within are ended by `driver.interruptible`, as every search of a lane is: a stop given to them would
    also be set by their own deadline, and with it the next slice's.
    """
    until = time.perf_counter() + seconds
    best = Hints((), not position.legal)
    slices = chain(SLICES, repeat(SLICES[-1]))
    while not best.done:
        left = max(until - time.perf_counter(), 0.01)
        found = Hints(values(position, min(next(slices), left), level))
        if found.sureness < best.sureness:  # a slice that was cut short ends where the one before it had long been
            found = best
        ended = stop.is_set or time.perf_counter() >= until
        best = Hints(found.hints, ended or (bool(found.hints) and all(hint.exact for hint in found.hints)))
        if best.hints or best.done:
            yield best
    if not position.legal:
        yield best


def values(position: Position, seconds: float, level: int | None = None) -> tuple[Hint, ...]:
    """What the engine finds out about a position's moves in so many seconds."""
    strength = STRONG if level is None else level_numbered(level)
    with _engines.lent() as engine:
        return tuple(values_of_moves(engine, position, Limit(time=seconds), strength))
