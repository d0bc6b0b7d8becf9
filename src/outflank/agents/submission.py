"""`py:FILE`: somebody's player from a file, shut into a process of its own.

A fresh process for every game: whatever a submission keeps, breaks or changes in its process ends with the game, and a
game depends on nothing but its seed. Limits and rules are those of the course that the file was written for, unless
others are said.
"""

import time
from dataclasses import dataclass
from pathlib import Path

from outflank.agents.agent import Agent, ForfeitError
from outflank.agents.sandbox import enclosure, wire
from outflank.agents.sandbox.interfaces import AGENT, AI, AI_PLAYER
from outflank.agents.sandbox.process import Enclosed, LateError, StoppedError
from outflank.agents.sandbox.restrictions import MEGABYTE, Quota
from outflank.agents.sandbox.wire import Message
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.search.limits import Limit, Report

GRACE = 0.1
"""Seconds after its time in which an answer may still come in: less than the referee forgives."""
LARGEST_FILE = 1 << 20
START_SECONDS = 60.0
LAUNCHES = 4


@dataclass(frozen=True)
class Course:
    """What a course allows its players, for whoever says nothing else."""

    seconds_a_move: float
    seconds_a_game: float | None
    megabytes: float
    attempts: int = 1
    """Wrong answers in a row that lose."""


COURSES = {
    AI: Course(5.0, 180.0, 100.0),
    AI_PLAYER: Course(60.0, None, 512.0, attempts=3),
    AGENT: Course(60.0, None, 1024.0),
}
MOVES = 40
"""The most moves that one side makes, and a few: what a game may take where only a move is limited."""


def check(target: str) -> None:
    """What must be in order before a contest begins: the file is there, and this machine can enclose it."""
    _split(target)
    enclosure.require()


def submission(file: str, memory: float | None = None, start: float = START_SECONDS) -> "Submission":
    """The player in a file, `FILE` or `FILE:CLASS`; megabytes of memory and seconds to start, if they are not the
    course's."""
    return Submission(file, memory, start)


def _split(target: str) -> tuple[Path, str]:
    """The file and the class that a spec names."""
    path, name = Path(target).expanduser(), ""
    if not path.is_file() and ":" in target:
        before, _, name = target.rpartition(":")
        path = Path(before).expanduser()
    if not path.is_file():
        raise Fault("file.missing", path=target)
    return path, name


class Submission(Agent):
    """A player in a file."""

    lasting = False

    def __init__(self, target: str, megabytes: float | None = None, start_seconds: float = START_SECONDS) -> None:
        self.path, self._class = _split(target)
        self._megabytes, self._start_seconds = megabytes, start_seconds
        self.enclosure = enclosure.require()
        self._expected = Limit()
        self._process: Enclosed | None = None
        self._game: tuple[Variant, Color, int] | None = None
        self._spent = 0.0
        self.interface = ""
        """Which of the three it is; known once it was started."""
        self.memory_megabytes = 0.0
        """The most that it used beyond its libraries, in this game so far."""

    # A game

    def expect(self, limit: Limit) -> None:
        self._expected = limit

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self.close()
        self._game = variant, color, seed
        self._spent = 0.0
        self.memory_megabytes = 0.0
        self._launch()

    def _launch(self) -> None:
        """A new process with the player made in it."""
        assert self._game is not None
        variant, color, seed = self._game
        if self.path.stat().st_size > LARGEST_FILE:
            raise ForfeitError("crash", f"its file is larger than {LARGEST_FILE // MEGABYTE} MB")
        source = self.path.read_bytes().decode("utf-8", "replace")
        process, prepared = self._prepared({"source": source, "file": self.path.name, "class": self._class})
        try:
            self.interface = str(prepared["interface"])
            if self.interface != AGENT and variant.rows != variant.columns:
                raise ForfeitError("crash", "its interface knows only square boards")
            process.quota = self._quota(self.course)
            setup = {
                "variant": variant.name,
                "size": variant.rows,
                "color": int(color),
                "seed": seed,
                "time_out": _plain(self._expected.time or self.course.seconds_a_move),
            }
            load: Message = {"file": self.path.name, "setup": setup, "quota": process.quota._asdict()}
            load |= {"space": process.address_space, "isolated": process.isolated}
            try:
                process.ask(load, self._start_seconds)
            except StoppedError:
                raise
            except LateError:
                raise LateError(f"it was not ready to play after {self._start_seconds:g} s") from None
            self._note_memory()
        except BaseException:
            self.close()
            raise

    def _prepared(self, message: Message) -> tuple[Enclosed, Message]:
        """A guest that has read the submission. That the system is too busy to start one is not the player's fault."""
        for attempt in range(LAUNCHES):
            try:
                self._process = Enclosed(self.enclosure, self._quota(COURSES[AI]))
                return self._process, self._process.prepare(message)
            except OSError:
                self.close()
                if attempt == LAUNCHES - 1:
                    raise
                time.sleep(0.5 * (attempt + 1))
            except BaseException:
                self.close()
                raise
        raise AssertionError

    @property
    def course(self) -> Course:
        return COURSES[self.interface or AGENT]

    def _quota(self, course: Course) -> Quota:
        clock = self._expected.clock
        game = clock.remaining + MOVES * clock.increment if clock else course.seconds_a_game
        game = game or MOVES * (self._expected.time or course.seconds_a_move)
        megabytes = course.megabytes if self._megabytes is None else self._megabytes
        return Quota(megabytes, self._start_seconds, int(self._start_seconds + game) + 5)

    # A move

    def choose(self, game: Game, limit: Limit) -> Report:
        began = time.perf_counter()
        if self._game is None:
            self.start(game.variant, game.position.turn, 0)
        if self._process is None:
            self._launch()  # its process was ended in the middle of its last move
        allowed = self._allowed(limit)
        try:
            report = self._decision(game, limit, began, allowed)
        except BaseException:  # Ctrl-C too: what is still being answered must not meet the next question
            self._close_unless_answered()
            raise
        self._note_memory()
        self._spent += time.perf_counter() - began
        return report

    def _allowed(self, limit: Limit) -> float:
        """Seconds for this move: what is said, or else what the course says."""
        said = [limit.time, limit.clock.remaining if limit.clock else None]
        if said == [None, None]:
            course = self.course
            said = [course.seconds_a_move]
            if course.seconds_a_game is not None:
                said.append(max(course.seconds_a_game - self._spent, 0.0))
        return min(seconds for seconds in said if seconds is not None)

    def _decision(self, game: Game, limit: Limit, began: float, allowed: float) -> Report:
        request = question(game.position, allowed)
        if self.interface == AGENT:
            request |= _history(game, limit)
        wrong = ""
        for _ in range(self.course.attempts):
            left = max(allowed - (time.perf_counter() - began), 0.0)
            answer = self._asked({**request, "seconds": left}, left + GRACE, allowed)
            square = wire.square(answer.get("square"))
            if square is not None and game.position.legal >> square & 1:
                return _report(answer, square, time.perf_counter() - began)
            wrong = wire.text(answer.get("wrong")) or _why_wrong(game.position, square)
            if answer.get("final"):
                break
        raise ForfeitError("illegal move", wrong)

    def _asked(self, request: Message, seconds: float, allowed: float) -> Message:
        process = self._process
        assert process is not None
        try:
            return process.ask(request, seconds)
        except LateError as late:
            if self.interface == AI and process.last_candidate is not None:
                # The course plays the last candidate that there is. The player cannot be stopped: it begins anew.
                candidate = process.last_candidate
                self.close()
                return {"square": candidate}
            if isinstance(late, StoppedError):
                raise
            raise LateError(f"no answer within {allowed:.3g} s") from None

    def candidates(self, position: Position, limit: Limit) -> tuple[list[int | None] | None, int | None, str]:
        """The whole list of a course `AI` for any position, also one without a move, or None where it is not to be had;
        its decision; and what is wrong with it. For whoever checks the list: in a game only the decision counts."""
        if self._process is None:
            self._launch()
        allowed = self._allowed(limit)
        try:
            answer = self._asked(question(position, allowed) | {"all": True}, allowed + GRACE, allowed)
        except BaseException:
            self._close_unless_answered()
            raise
        self._note_memory()
        found = answer.get("candidates")
        listed = [wire.square(one) for one in found] if isinstance(found, list) else None
        wrong = wire.text(answer.get("wrong")) if position.legal or listed != [] else ""
        return listed, wire.square(answer.get("square")), f"illegal move: {wrong}" if wrong else ""

    def _close_unless_answered(self) -> None:
        """A program that failed in its own code can be asked again, one that did not answer is ended."""
        if self._process is not None and not self._process.answered:
            self.close()

    def _note_memory(self) -> None:
        if self._process is not None:
            self.memory_megabytes = max(self.memory_megabytes, self._process.peak_bytes / MEGABYTE)

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


def question(position: Position, seconds: float) -> Message:
    """A position as every interface can take it."""
    variant = position.variant
    marks = [position.mark(square).replace("-", ".") for square in variant.squares]
    rows = ["".join(marks[start : start + variant.columns]) for start in range(0, len(marks), variant.columns)]
    return {"rows": rows, "seconds": seconds, "all": False}


def _history(game: Game, limit: Limit) -> Message:
    """The game and the limit, for an agent that knows both."""
    said = {name: getattr(limit, name) for name in ("time", "depth", "nodes", "playouts")}
    if limit.clock is not None:
        said["clock"] = [limit.clock.remaining, limit.clock.increment]
    moves = [move for move in game.moves if move != PASS]
    return {"start": game.start.text, "variant": game.variant.name, "moves": moves, "limit": said}


def _report(answer: Message, square: int, seconds: float) -> Report:
    values = answer.get("values")
    pairs = [one for one in values if isinstance(one, list) and len(one) == 2] if isinstance(values, list) else []
    line = answer.get("pv")
    return Report(
        square,
        wire.number(answer.get("score")),
        wire.count(answer.get("depth")),
        wire.count(answer.get("nodes")),
        seconds,
        tuple(one for one in map(wire.square, line) if one is not None) if isinstance(line, list) else (),
        values={
            at: value
            for at, value in ((wire.square(one), wire.number(other)) for one, other in pairs)
            if at is not None and value is not None
        },
        text=wire.text(answer.get("text")),
    )


def _why_wrong(position: Position, square: int | None) -> str:
    if square is None:
        return "it named no square"
    try:
        position.play(square)
    except ValueError as error:
        return str(error)
    return "it named no square"


def _plain(seconds: float) -> float:
    """5 and not 5.0, as the course writes it."""
    return int(seconds) if seconds == int(seconds) else seconds
