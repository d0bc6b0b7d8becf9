"""The referee: one game between two players, within their limits and by the rules.

A player that breaks them forfeits: the game is a loss with a reason, and has no margin. A reason begins with its kind,
one of `KINDS`. A player that works outside of this process says itself which it is, by a TimeoutError, a MemoryError,
or a ForfeitError that has the whole reason; whatever else it raises is a crash. Except for a MachineError: a game that
the machine keeps from being played has no result, and goes back to whoever wanted it.
"""

import operator
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from outflank.agents.agent import Agent, ForfeitError
from outflank.agents.sandbox.wire import last_lines
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.errors import MachineError
from outflank.search.limits import Clock, Limit, Report
from outflank.work.pulse import stood_still

TOLERANCE = 0.2
"""Seconds over its time that a player is forgiven: once a move under a time for each move, and once a game under a
clock. A busy machine wakes a process late, and that is not the player's fault."""
LONGEST_REASON = 300
KINDS = ("illegal move", "time", "memory", "crash", "no answer", "forbidden")
"""`no answer` is one where a move was due; `forbidden` is what the sandbox or a rule of the course refuses."""


@dataclass(frozen=True)
class Forfeit:
    """Who broke the rules, how, and where. Stores of older versions know no more than who and why."""

    color: Color
    reason: str
    board: str | None = None
    """The position, with the side to move, as text."""
    seconds: float | None = None
    """What was spent on the move, or on getting ready, until it was lost."""
    printed: str = ""
    """The last lines that the player printed, where somebody keeps them."""

    @property
    def kind(self) -> str:
        return kind_of(self.reason)

    @property
    def account(self) -> dict[str, Any]:
        """All but the player, as data to pass on."""
        return {
            "kind": self.kind,
            "reason": self.reason,
            "board": self.board,
            "seconds": self.seconds,
            "printed": self.printed,
        }


def kind_of(reason: str) -> str:
    """What a reason begins with."""
    return reason.partition(":")[0]


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


class Allowance:
    """A player's limit as the game goes on: its clock runs down."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self._left = limit.clock.remaining if limit.clock else 0.0

    @property
    def now(self) -> Limit:
        """The limit that the player gets for its move."""
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
    still = stood_still()
    for color in Color:
        began = time.perf_counter()
        try:
            players[color].expect(limits[color])
            players[color].start(game.variant, color, seed)
        except MachineError:
            raise
        except (Exception, SystemExit) as error:
            return _lost(game, verdict, players[color], forfeit_by(error, game, color, began), still)
    allowances = [Allowance(limit) for limit in limits]
    while not game.is_over:
        color, node = game.position.turn, game.node
        limit = allowances[color].now
        began = time.perf_counter()
        try:
            players[color].wake()
            began = time.perf_counter()
            report = players[color].choose(game, limit)
        except MachineError:
            raise
        except (Exception, SystemExit) as error:
            game.goto(node)
            return _lost(game, verdict, players[color], forfeit_by(error, game, color, began), still)
        seconds = time.perf_counter() - began - players[color].overtime
        wrong = allowances[color].overrun(seconds)
        if game.node is not node:
            game.goto(node)
            wrong = "forbidden: it changed the game that it was shown"
        wrong = wrong or _push(game, report, seconds)
        if wrong:
            forfeit = Forfeit(color, wrong, game.position.text, round(seconds, 6))
            return _lost(game, verdict, players[color], forfeit, still)
        verdict.decisions.append(Decision(color, seconds, report.score, report.depth, report.nodes))
    return verdict


def _push(game: Game, report: Report, seconds: float) -> str:
    """Plays the move that a player reports; says what is wrong with it, or nothing."""
    if report is None:
        return "no answer: it returned nothing"
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


def _lost(game: Game, verdict: Verdict, player: Agent, forfeit: Forfeit, still: float) -> Verdict:
    """Ends a game by a forfeit. Time is nobody's fault in a game in which we ourselves were stopped, or our machine."""
    if forfeit.kind == "time" and stood_still() > still:
        raise MachineError("work.stood-still", seconds=stood_still() - still)
    said = "\n".join(filter(None, (player.printed.rstrip(), forfeit.printed)))
    verdict.forfeit = replace(forfeit, printed=last_lines(said))
    game.end(forfeit.color.other, f"{forfeit.color} forfeits, {forfeit.reason}")
    return verdict


def forfeit_by(error: BaseException, game: Game, color: Color, began: float) -> Forfeit:
    """What an exception means for who raised it. Its traceback stands for what Python would have printed."""
    seconds = round(time.perf_counter() - began, 6)
    trace = error.trace.rstrip() if isinstance(error, ForfeitError) else ""
    return Forfeit(color, described(error), game.position.text, seconds, trace)


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
