"""The referee: one game between two players, within their limits and by the rules.

A player that breaks them forfeits: the game is a loss with a reason, and has no margin. The reasons begin with `time`,
`illegal move`, `memory` or `crash`. A player that works outside of this process says itself which it is, by a
TimeoutError, a MemoryError, or a ForfeitError that has the whole reason; whatever else it raises is a crash.
"""

import operator
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from outflank.agents.agent import Agent, ForfeitError
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.search.limits import Clock, Limit, Report

TOLERANCE = 0.2
"""Seconds over its time that a player is forgiven: once a move under a time for each move, and once a game under a
clock. A busy machine wakes a process late, and that is not the player's fault."""
LONGEST_REASON = 300


@dataclass(frozen=True)
class Forfeit:
    """Who broke the rules, and how."""

    color: Color
    reason: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One move as the referee saw it: who made it, how long it took, and what its player said of it."""

    color: Color
    seconds: float
    score: float | None
    depth: int
    nodes: int


@dataclass
class Verdict:
    """What came of a game, beside its moves: `decisions` holds those of the players, the opening's have none."""

    decisions: list[Decision] = field(default_factory=list)
    forfeit: Forfeit | None = None


class _Allowance:
    """A player's limit as the game goes on: its clock runs down."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._left = limit.clock.remaining if limit.clock else 0.0

    @property
    def now(self) -> Limit:
        """What the player is told before its move."""
        clock = self._limit.clock
        if clock is None:
            return self._limit
        return replace(self._limit, clock=Clock(max(self._left, 0.0), clock.increment))

    def overrun(self, seconds: float) -> str:
        """Counts the time of a move; says what was broken, or nothing."""
        limit = self._limit
        if limit.time is not None and seconds > limit.time + TOLERANCE:
            return f"time: {seconds:.2f} s for a move of {limit.time:g} s"
        if limit.clock is None:
            return ""
        self._left -= seconds
        if self._left < -TOLERANCE:
            return f"time: its clock ran out {-self._left:.2f} s ago"
        self._left += limit.clock.increment
        return ""


def play(game: Game, players: Sequence[Agent], limits: Sequence[Limit], seed: int) -> Verdict:
    """Plays a game on to its end. Players and limits come as Black's and White's; both players have the same seed.

    Each move's node gets its score and seconds, and the depth in its text. The seconds are the referee's own.
    """
    verdict = Verdict()
    for color in Color:
        try:
            players[color].expect(limits[color])
            players[color].start(game.variant, color, seed)
        except (Exception, SystemExit) as error:
            return _lost(game, verdict, color, described(error))
    allowances = [_Allowance(limit) for limit in limits]
    while not game.is_over:
        color, node = game.position.turn, game.node
        limit = allowances[color].now
        began = time.perf_counter()
        try:
            report = players[color].choose(game, limit)
        except (Exception, SystemExit) as error:
            return _lost(game, verdict, color, described(error))
        seconds = time.perf_counter() - began
        if game.node is not node:
            game.goto(node)
            return _lost(game, verdict, color, "illegal move: it changed the game that it was shown")
        late = allowances[color].overrun(seconds)
        if late:
            return _lost(game, verdict, color, late)
        wrong = _push(game, report, seconds)
        if wrong:
            return _lost(game, verdict, color, wrong)
        verdict.decisions.append(Decision(color, seconds, report.score, report.depth, report.nodes))
    return verdict


def _push(game: Game, report: Report, seconds: float) -> str:
    """Plays the move that a player reports; says what is wrong with it, or nothing."""
    if not isinstance(report, Report):
        return f"crash: it answered with {type(report).__name__}, not with a Report"
    try:
        square = operator.index(report.move)
    except TypeError:
        return shortened(f"illegal move: {report.move!r} is not a square")
    try:
        game.push(square, report.score, seconds, f"depth {report.depth}" if report.depth else "")
    except ValueError as error:
        return shortened(f"illegal move: {error}")
    return ""


def _lost(game: Game, verdict: Verdict, color: Color, reason: str) -> Verdict:
    verdict.forfeit = Forfeit(color, reason)
    game.end(color.other, f"{color} forfeits, {reason}")
    return verdict


def described(error: BaseException) -> str:
    """An exception as the reason of a forfeit, in one line."""
    if isinstance(error, ForfeitError):
        return shortened(" ".join(str(error).split()))
    kinds = ((TimeoutError, "time"), (MemoryError, "memory"))
    kind = next((kind for error_type, kind in kinds if isinstance(error, error_type)), "crash")
    said = " ".join(str(error).split())
    if kind == "crash":
        said = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return shortened(f"{kind}: {said}" if said else kind)


def shortened(reason: str) -> str:
    """A reason that a table can hold, whatever the player has to say."""
    return reason if len(reason) <= LONGEST_REASON else reason[:LONGEST_REASON] + "…"
