"""What thinks for the page: the one place that knows which players and searches stand behind a difficulty or a hint."""

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from outflank.agents.agent import Agent
from outflank.agents.roster import ROSTER, entry_named
from outflank.agents.spec import agent, parse
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.evaluation.named import NAMED
from outflank.library.review import Judgement
from outflank.search.driver import Stop
from outflank.search.limits import Limit, Report
from outflank.search.solver import Solver
from outflank.search.treesearch import TreeSearch

AGENTS_A_THREAD = 8
"""Players that a thread keeps ready: making one can mean loading its code or a process of its own."""
MOST_SECONDS = 30.0
"""After this a player is stopped and has to play what it has."""
QUICK_DEPTH, QUICK_PLAYOUTS, QUICK_LEVEL = 4, 2000, 5
SOLVED_FROM = 14
"""Empties from which hints are exact until there is an engine: a second or so for all moves."""
TABLE_MEGABYTES = 16.0
ENGINE = "engine"

_here = threading.local()


# Difficulties


DIFFICULTIES_WITHOUT_ENGINE = (
    ("beginner", "random"),
    ("casual", "greedy"),
    ("club", "alphabeta:heuristic=mobility,depth=2"),
    ("expert", "alphabeta:heuristic=combined,depth=4"),
    ("master", "alphabeta:heuristic=combined,depth=6"),
    ("unbeatable", "alphabeta:heuristic=combined,time=2"),
)
ENGINE_LEVELS = range(1, 31)
DIFFICULTIES = (
    ("beginner", 1),
    ("casual", 3),
    ("club", 6),
    ("expert", 10),
    ("master", 16),
    ("unbeatable", 21),
)


def difficulties() -> list[tuple[str, str]]:
    """Words for strength, each with the player behind it."""
    if ENGINE in ROSTER:
        return [(word, f"{ENGINE}:level={level}") for word, level in DIFFICULTIES]
    return list(DIFFICULTIES_WITHOUT_ENGINE)


def levels() -> list[tuple[int, str]]:
    """The engine's levels."""
    return [(level, f"{ENGINE}:level={level}") for level in ENGINE_LEVELS] if ENGINE in ROSTER else []


# Moves


def is_quick(name: str) -> bool:
    """Whether a player of the roster is known to answer at once."""
    spec = parse(name)
    if spec.name in ("random", "greedy"):
        return True
    if spec.name == ENGINE:
        level = dict(spec.options).get("level")
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


def choose(spec: str, board: str, seed: int, game: Game, limit: Limit, stop: Stop) -> Report:
    """The move of a player; `board` says which game it is, so that what was thought for one serves its next move."""
    cap = threading.Timer(MOST_SECONDS, stop.set)
    cap.daemon = True
    cap.start()
    try:
        player = _seated(spec, board, seed, game)
        return player.choose(game, limit)
    finally:
        cap.cancel()


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


# Values of all moves


@dataclass(frozen=True)
class Hint:
    """A move and its value for the side to move."""

    move: int
    score: float
    exact: bool
    depth: int
    pv: tuple[int, ...]


@dataclass(frozen=True)
class Hints:
    """The values of a position's moves as far as they are known, best first."""

    hints: tuple[Hint, ...]
    unit: str
    done: bool = False

    @property
    def depth(self) -> int:
        return max((hint.depth for hint in self.hints), default=0)


def hints(position: Position, seconds: float, stop: Stop) -> Iterator[Hints]:
    """Better and better values of every legal move, until all are exact or the time is up: a slice a step.

    The searches within are ended by `driver.stoppable`, as every search of a lane is: a stop of theirs would also be
    set by their own deadline, and with it the next slice's.
    """
    if not position.legal:
        yield Hints((), "discs", True)
    elif position.empties <= SOLVED_FROM:
        yield from _solved(position)
    else:
        yield from _searched(position, seconds, stop)


class _Shelf:
    """Searches that wait to be used, with their tables. One is lent for a slice at a time: the next slice of the same
    work may run in another thread, and meanwhile somebody else may use it. There are never more than threads."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._free: deque[Any] = deque()

    @contextmanager
    def lent(self) -> Iterator[Any]:
        try:
            search = self._free.pop()  # the one used last: what is in its table is the latest
        except IndexError:
            search = self._make()
        try:
            yield search
        finally:
            self._free.append(search)


_solvers = _Shelf(lambda: Solver(TABLE_MEGABYTES))
_searches = _Shelf(lambda: TreeSearch(NAMED["combined"]))


def _solved(position: Position) -> Iterator[Hints]:
    found: list[Hint] = []
    line: tuple[int, ...]
    moves = position.legal_moves
    for number, move in enumerate(moves, 1):
        after, line = position.play(move), (move,)
        if after.is_over:
            outcome = after.outcome()
            score = outcome.score if outcome is not None and outcome.score is not None else 0
            value = float(score if position.turn == 0 else -score)
        else:
            with _solvers.lent() as solver:
                report: Report = solver.solve(after)
            if report.score is None:
                break
            value, line = -report.score, (move, *report.pv)
        found.append(Hint(move, value, True, after.empties + 1, line))
        yield Hints(_ranked(found), "discs", number == len(moves))


def _searched(position: Position, seconds: float, stop: Stop) -> Iterator[Hints]:
    """Iterations of alpha-beta on every move, in the units of a heuristic: what there is without an engine."""
    until = time.perf_counter() + seconds
    known: dict[int, Hint] = {}
    for depth in range(1, position.empties + 1):
        for move in sorted(position.legal_moves, key=lambda move: -known[move].score if move in known else 0.0):
            left = until - time.perf_counter()
            if left <= 0 or stop.is_set:
                yield Hints(_ranked(list(known.values())), "points", True)
                return
            hint = _valued(position, move, depth, left)
            if hint is not None:
                known[move] = hint
        yield Hints(_ranked(list(known.values())), "points")


def _valued(position: Position, move: int, depth: int, left: float) -> Hint | None:
    line: tuple[int, ...]
    after, line, sign = position.play(move), (move,), -1.0
    if after.must_pass:
        after, line, sign = after.play(PASS), (move, PASS), 1.0
    if after.is_over:
        outcome = after.outcome()
        score = outcome.score if outcome is not None and outcome.score is not None else 0
        return Hint(move, float(score if position.turn == 0 else -score), True, depth, line)
    if depth == 1:
        own, opp = after.own, after.opp
        return Hint(move, sign * NAMED["combined"].value(own, opp, position.variant), False, 1, line)
    with _searches.lent() as search:
        report: Report = search.run(after, Limit(depth=depth - 1, time=max(left, 0.01)))
    if report.score is None or (report.depth < depth - 1 and not report.exact):
        return None
    return Hint(move, sign * report.score, report.exact, depth, (*line, *report.pv))


def _ranked(found: list[Hint]) -> tuple[Hint, ...]:
    return tuple(sorted(found, key=lambda hint: (-hint.score, hint.move)))


def judge(position: Position, seconds: float, stop: Stop) -> Judgement:
    """The last word of `hints`, for a review."""
    last = Hints((), "discs")
    for better in hints(position, seconds, stop):
        last = better
        if stop.is_set:
            break
    return Judgement(
        {hint.move: hint.score for hint in last.hints},
        frozenset(hint.move for hint in last.hints if hint.exact),
        {hint.move: hint.pv for hint in last.hints},
        last.depth,
        last.unit == "discs",
    )
