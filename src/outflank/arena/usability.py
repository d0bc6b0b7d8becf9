"""The usability check: does a player answer every kind of board, correctly and in time?

It is the course's first phase. The boards come from random games of ours, so that they can happen, and are the same
for everybody: openings, crowded boards, boards with one move, with a corner to take, with nothing but a pass, nearly
full ones and finished ones.
"""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from outflank.agents.agent import Agent, ForfeitError
from outflank.agents.sandbox.interfaces import AGENT, AI
from outflank.agents.spec import agent, parse
from outflank.agents.submission import Submission
from outflank.arena.referee import Allowance, described, kind_of
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color, square_name, squares_of
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.formats.files import load
from outflank.search.limits import Limit, Report

COUNTS = (20, 10)
"""How many boards there can be: 5 points each, or the course's 10."""
GAMES = 120
"""Random games in which boards are looked for: in fewer, some kinds are not met on every board size."""
HOPELESS = 3
"""Answers that come too late before the rest is not waited for."""


@dataclass(frozen=True)
class Board:
    """A position to be asked about, and what it is an example of."""

    kind: str
    position: Position


@dataclass(frozen=True)
class Case:
    """What came of one board."""

    board: Board
    problem: str = ""
    """What is wrong with the answer; "" where nothing is."""
    move: int | None = None
    candidates: tuple[int | None, ...] | None = None
    """The whole list of a course `AI`, with None for what is no square."""
    seconds: float | None = None
    printed: str = ""
    """The last lines that the player printed, where something is wrong."""

    @property
    def fault(self) -> str:
        """The kind of problem: one of the referee's, or `candidates`; "" where there is none."""
        return kind_of(self.problem)

    def to_dict(self) -> dict[str, Any]:
        position = self.board.position
        listed = None if self.candidates is None else [_name(one) for one in self.candidates]
        return {
            "kind": self.board.kind,
            "board": position.text,
            "legal": [square_name(square) for square in position.legal_moves],
            "candidates": listed,
            "move": _name(self.move),
            "ok": not self.problem,
            "problem": self.problem or None,
            "fault": self.fault or None,
            "seconds": self.seconds,
            "printed": self.printed,
        }


def _name(square: int | None) -> str | None:
    return None if square is None else square_name(square)


@dataclass
class Usability:
    """The result of the check."""

    player: str
    interface: str | None
    """`AI`, `AIPlayer`, `Agent`, or None where the file has none that works."""
    variant: str
    cases: list[Case] = field(default_factory=list)
    start_seconds: float | None = None
    memory_megabytes: float | None = None
    """The most that it used beyond its libraries; None for players of our own."""
    enclosure: str = ""
    trace: str = ""
    """Where in its code it failed first."""
    engine: str = ""
    """What of Outflank's own players and searches it imports."""

    @property
    def printed(self) -> str:
        """The last lines that the player printed where something went wrong for the first time."""
        return next((case.printed for case in self.cases if case.problem), "")

    @property
    def passed(self) -> int:
        return sum(not case.problem for case in self.cases)

    @property
    def score(self) -> int:
        """Out of 100; 100 only where every board is in order."""
        return 100 * self.passed // len(self.cases) if self.cases else 0

    @property
    def slowest(self) -> float:
        return max((case.seconds for case in self.cases if case.seconds is not None), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """What `outflank check --json` prints."""
        return {
            "player": self.player,
            "interface": self.interface,
            "score": self.score,
            "variant": self.variant,
            "start_seconds": self.start_seconds,
            "slowest_seconds": self.slowest,
            "memory_megabytes": self.memory_megabytes,
            "enclosure": self.enclosure or None,
            "engine": self.engine or None,
            "cases": [case.to_dict() for case in self.cases],
        }


# The boards

Wanted = Callable[[Position], bool]
CROWDED = 0.4
"""Of the squares are still empty, or less, on a crowded board."""


Wish = int | tuple[Position, ...]
"""Which boards: so many of ours, or a teacher's own."""


def boards_named(text: str, variant: Variant) -> Wish:
    """What an option says: a number of boards, or a file of them in any format."""
    if not text:
        return COUNTS[0]
    if text.isdigit():
        if int(text) not in COUNTS:
            raise Fault("check.boards", counts=" or ".join(map(str, sorted(COUNTS))))
        return int(text)
    found = load(text, variant=variant)
    positions = tuple(dict.fromkeys([*found.positions, *(game.position for game in found.games)]))
    for position in positions:
        if position.variant != variant:
            raise Fault("check.board-variant", path=text, board=position.variant.name, variant=variant.name)
    if not positions:
        raise Fault("check.no-boards", path=text)
    return positions


def boards(variant: Variant, lists_candidates: bool, wish: Wish = COUNTS[0]) -> list[Board]:
    """The boards of a variant. A player that lists its candidates is also asked where it has none; others are not
    asked there in a game, and get boards on which the opponent has just had to pass."""
    if not isinstance(wish, int):
        own = [Board(f"board {number}", position) for number, position in enumerate(wish, 1)]
        return [one for one in own if lists_candidates or one.position.legal]
    found = _found(variant, lists_candidates)
    # The first of each kind, then the second: fewer boards are still of every kind.
    turn = [sum(one.kind == other.kind for other in found[:number]) for number, one in enumerate(found)]
    kept = sorted(sorted(range(len(found)), key=lambda number: turn[number])[:wish])
    return [found[number] for number in kept]


def _found(variant: Variant, lists_candidates: bool) -> list[Board]:
    met = list(_met(variant))
    squares = variant.square_count
    kinds: list[tuple[str, int, Wanted]] = [
        ("opening", 5, lambda now: 4 < squares - now.empties <= 4 + squares // 5),
        ("crowded", 3, lambda now: 0.1 * squares < now.empties <= CROWDED * squares and len(now.legal_moves) > 4),
        ("one move", 2, lambda now: len(now.legal_moves) == 1 and now.empties > 1),
        ("corner", 2, lambda now: bool(now.legal & variant.corners)),
        ("nearly full", 2, lambda now: 1 < now.empties <= squares // 10 + 1 and bool(now.legal)),
        ("last square", 1, lambda now: now.empties == 1 and bool(now.legal)),
    ]
    if lists_candidates:
        kinds += [("pass", 2, lambda now: now.must_pass), ("no move", 1, lambda now: now.is_over)]
    else:
        kinds += [("after a pass", 3, lambda now: bool(now.legal) and not replace(now, turn=now.turn.other).legal)]
    found = [
        Board("start", Position.start(variant)),
        Board("most moves", max(met, key=lambda one: len(one.legal_moves))),
    ]
    used = {one.position for one in found}
    for kind, count, wanted in kinds:
        found += [Board(kind, one) for one in _chosen(met, count, wanted, used)]
    # Small boards lack some kinds; any others make up the number.
    missing = 2 + sum(count for _, count, _ in kinds) - len(found)
    return found + [Board("any", one) for one in _chosen(met, missing, lambda now: bool(now.legal), used)]


def _met(variant: Variant) -> Iterator[Position]:
    """Positions of random games, those where somebody must pass and finished ones included."""
    dice = random.Random(f"usability {variant.name}")
    for _ in range(GAMES):
        position = Position.start(variant)
        while True:
            yield position
            if position.is_over:
                break
            position = position.play("pass" if position.must_pass else dice.choice(position.legal_moves))


def _chosen(met: list[Position], count: int, wanted: Wanted, used: set[Position]) -> list[Position]:
    """So many that are wanted and were not used yet, of both colours if it can be, spread over the games."""
    fitting = [one for one in dict.fromkeys(met) if one not in used and wanted(one)]
    random.Random(f"chosen {count} {len(fitting)}").shuffle(fitting)
    by_color = [[one for one in fitting if one.turn is color] for color in Color]
    found: list[Position] = []
    while len(found) < count and any(by_color):
        side = by_color[len(found) % 2] or by_color[1 - len(found) % 2]
        found.append(side.pop())
    used.update(found)
    return found


# The check


def check(spec: str, variant: Variant, limit: Limit | None = None, wish: Wish = COUNTS[0]) -> Usability:
    """Asks a player about every board."""
    return _Check(spec, variant, limit or Limit(), wish).run()


class _Check:
    """One check: a player for each colour, as in games."""

    def __init__(self, spec: str, variant: Variant, limit: Limit, wish: Wish) -> None:
        self._wish = wish
        self._spec, self._variant = parse(spec), variant
        self._limit = self._spec.limit.under(limit)
        self._players: dict[Color, Agent] = {}
        self._failed: dict[Color, str] = {}
        self._late = 0
        self._never_ready = False
        self.result = Usability(str(self._spec), None, variant.name)

    def run(self) -> Usability:
        try:
            self._seat(Color.BLACK)
            submission = self._submission(Color.BLACK)
            self.result.interface = AGENT if submission is None else submission.interface or None
            self.result.engine = "" if submission is None else submission.uses_engine
            for board in boards(self._variant, self.result.interface == AI, self._wish):
                self.result.cases.append(self._case(board))
        finally:
            for player in self._players.values():
                player.close()
        return self.result

    def _submission(self, color: Color) -> Submission | None:
        player: Any = self._players.get(color)
        while player is not None and not isinstance(player, Submission):
            player = getattr(player, "player", None)  # around it may stand a limit
        return player

    def _seat(self, color: Color) -> None:
        """Makes the player of a colour; what goes wrong then is wrong with all of its boards."""
        if color in self._players or color in self._failed:
            return
        if self._never_ready:  # the other colour waited for it already
            self._failed[color] = next(iter(self._failed.values()))
            return
        began = time.perf_counter()
        player = agent(self._spec)
        self._players[color] = player
        submission = self._submission(color)
        if submission is not None:
            self.result.enclosure = submission.enclosure.how
        try:
            player.expect(self._limit)
            player.start(self._variant, color, 0)
        except Exception as error:
            self._let_pass(error, submission)
            self._never_ready = isinstance(error, ForfeitError) and error.code == "forfeit.time"
            self._failed[color] = self._described(error)
        self.result.start_seconds = max(self.result.start_seconds or 0.0, time.perf_counter() - began)

    def _case(self, board: Board) -> Case:
        color = board.position.turn
        self._seat(color)
        began = time.perf_counter()
        if color in self._failed:
            case = Case(board, self._failed[color])
        elif self._late >= HOPELESS:
            case = Case(board, f"time: not asked, it was late {HOPELESS} times before")
        else:
            try:
                self._players[color].wake()
                began = time.perf_counter()
                case = self._asked(board)
            except Exception as error:
                self._let_pass(error, self._submission(color))
                self._late += isinstance(error, ForfeitError) and error.code == "forfeit.time"
                case = Case(board, self._described(error), seconds=time.perf_counter() - began)
        submission = self._submission(color)
        if submission is not None:
            used = submission.memory_megabytes
            self.result.memory_megabytes = max(self.result.memory_megabytes or 0.0, used)
            if case.problem:
                case = replace(case, printed=submission.printed)
        return case

    def _asked(self, board: Board) -> Case:
        position = board.position
        submission = self._submission(position.turn)
        began = time.perf_counter()
        if submission is not None and submission.interface == AI:
            candidates, move, wrong = submission.candidates(position, self._limit)
            seconds = time.perf_counter() - began
            if candidates is None:
                return Case(board, wrong or "time: it did not stop when its time was over", move, None, seconds)
            problem = _list_problem(position, candidates) or wrong or Allowance(self._limit).overrun(seconds)
            return Case(board, problem, move, tuple(candidates), seconds)
        report: Report = self._players[position.turn].choose(Game(position), self._limit)
        seconds = time.perf_counter() - began
        try:
            position.play(report.move)
        except (ValueError, TypeError) as error:
            return Case(board, f"illegal move: {error}", seconds=seconds)
        return Case(board, Allowance(self._limit).overrun(seconds), int(report.move), None, seconds)

    def _let_pass(self, error: Exception, submission: Submission | None) -> None:
        """A refusal of this machine is not the sandboxed player's fault."""
        if submission is not None and isinstance(error, OSError) and not isinstance(error, TimeoutError):
            raise error

    def _described(self, error: Exception) -> str:
        """What went wrong; where in the player's code is kept of the first time."""
        if isinstance(error, ForfeitError):
            self.result.trace = self.result.trace or error.trace
        return described(error)


def _list_problem(position: Position, candidates: list[int | None]) -> str:
    """What is wrong with a list of candidates: as a set it must be the legal moves, and the last is the decision."""
    if None in candidates:
        return "candidates: there is something in the list that is no (row, column)"
    listed = sum(1 << square for square in {square for square in candidates if square is not None})
    missing, extra = position.legal & ~listed, listed & ~position.legal
    if not missing and not extra:
        return ""
    parts = []
    if missing:
        parts.append(f"without {', '.join(map(square_name, squares_of(missing)))}")
    if extra:
        parts.append(f"with {', '.join(map(square_name, squares_of(extra)))}, which cannot be played")
    return f"candidates: the list is {' and '.join(parts)}"
