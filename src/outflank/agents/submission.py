"""`py:FILE`: a submitted player, from a file, a folder or a zip, in a sandboxed process of its own.

A fresh process for every game: whatever a submission keeps, breaks or changes in its process ends with the game, and a
game depends on nothing but its seed. Limits and rules are those of the course that the file was written for, unless
others are said.
"""

import base64
import hashlib
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from outflank.agents.agent import Agent, ForfeitError
from outflank.agents.bundle import Bundle, gathered
from outflank.agents.options import file_and_name
from outflank.agents.sandbox import enclosure, wire
from outflank.agents.sandbox.interfaces import AGENT, AI, AI_PLAYER
from outflank.agents.sandbox.process import KINDS, Enclosed, LateError, StoppedError
from outflank.agents.sandbox.restrictions import MEGABYTE, Quota
from outflank.agents.sandbox.wire import Message
from outflank.agents.spec import parse
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.errors import Fault, MachineError
from outflank.search.limits import Limit, Report

GRACE = 0.1
"""Seconds after its time in which an answer may still come in: less than the referee forgives."""
START_SECONDS = 60.0
LAUNCHES = 4
REHEARSAL_SECONDS = 20.0
"""After which a rehearsal that does not end is given up; the game begins without one."""
COMPILER_MEGABYTES = 200.0
"""What Numba's compiler takes, and is not the player's own; 35 were measured for a small player."""

_hung: dict[tuple[str, str, float], float] = {}
"""Submissions that did not get ready, by content, class and seconds: nobody waits for them in every game of a run."""
_unrehearsed: set[tuple[str, str]] = set()
"""Those whose rehearsal did not end well."""


@dataclass(frozen=True)
class Course:
    """What a course allows its players by default."""

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
    file_and_name(target)
    enclosure.require()


def without_engine(spec: str) -> str:
    """The spec of a submission that may not use Outflank's engine; of anybody else, unchanged."""
    named = parse(spec)
    if named.name != "py":
        return spec
    kept = [pair for pair in named.options if pair[0] != "engine"]
    return str(parse(str(replace(named, options=(*kept, ("engine", False))))))


class Submission(Agent):
    """The player in a file, a folder or a zip, `FILE` or `FILE:CLASS`; megabytes of memory and seconds to start, if
    they are not the course's."""

    lasting = False

    def __init__(
        self, target: str, memory: float | None = None, start: float = START_SECONDS, engine: bool = True
    ) -> None:
        self.path, self._class = file_and_name(target)
        self._megabytes, self._start_seconds, self._may_use_engine = memory, start, engine
        self._start_left = start
        self.enclosure = enclosure.require()
        self._expected = Limit()
        self._process: Enclosed | None = None
        self._leaving: Enclosed | None = None
        """One that was ended and is not yet gone."""
        self._game: tuple[Variant, Color, int] | None = None
        self._bundle: Bundle | None = None
        self._spent = 0.0
        self.interface = ""
        """Which of the three it is; known once it was started."""
        self.uses_engine = ""
        """What of Outflank's own players and searches it imports; "" for nothing."""
        self._compiles = False
        self._rehearses = True
        """Whether there was something to compile when it was last rehearsed in this game."""
        self._overtime = 0.0
        self.memory_megabytes = 0.0
        """The most that it used beyond its libraries, in this game so far."""
        self._printed = ""

    # A game

    def expect(self, limit: Limit) -> None:
        self._expected = limit

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self.close()
        # A seat's own, from which nobody can tell the other's, nor the game's.
        own = hashlib.sha256(f"{seed} {int(color)}".encode()).digest()
        self._game = variant, color, int.from_bytes(own[:4], "big")
        self._bundle = None
        self._spent = 0.0
        self.memory_megabytes = 0.0
        self._printed = ""
        self._start_left = self._start_seconds
        self._rehearses = True
        self._launch()

    def wake(self) -> None:
        """Has a process to ask: another where it was ended in the middle of its last move. All starts of a game
        together have the seconds of one, and as much again as the moves at which it was ended."""
        if self._game is not None and self._process is None:
            self.close()
            self._launch()

    def _launch(self) -> None:
        """A new process with the player made in it, and what it compiles at its first moves compiled."""
        assert self._game is not None
        bundle = self._bundle = self._bundle or self._gathered()
        key = bundle.fingerprint, self._class
        if (*key, self._start_seconds) in _hung:
            why = Fault("guest.never-ready", seconds=_hung[*key, self._start_seconds])
            raise LateError("forfeit.time", why=why)
        began = time.monotonic()
        try:
            process = self._loaded(bundle)
            rehearses = self._compiles and self._rehearses and key not in _unrehearsed
            if rehearses and not self._rehearsed(process, self._game):
                _unrehearsed.add(key)
                self._loaded(bundle)
        except LateError as late:
            if not isinstance(late, StoppedError) and self._start_left == self._start_seconds:
                _hung[*key, self._start_seconds] = self._start_seconds
            raise
        finally:
            self._start_left -= time.monotonic() - began

    def _loaded(self, bundle: Bundle) -> Enclosed:
        """A process with the player made in it."""
        assert self._game is not None
        variant, color, seed = self._game
        files = {name: base64.b64encode(content).decode() for name, content in bundle.files.items()}
        message = {"files": files, "class": self._class, "engine": self._may_use_engine}
        process, prepared = self._prepared(message)
        try:
            self.interface = str(prepared["interface"])
            self.uses_engine = wire.text(prepared.get("engine"))
            self._compiles = prepared.get("compiles") is True
            if self.interface != AGENT and variant.rows != variant.columns:
                raise ForfeitError("forfeit.crash", why=Fault("guest.square-boards"))
            process.confine(self._quota(self.course))
            setup = {
                "variant": variant.name,
                "size": variant.rows,
                "color": int(color),
                "seed": seed,
                "time_out": _plain(self._expected.time or self.course.seconds_a_move),
            }
            try:
                process.ask({"setup": setup}, max(self._start_left, 0.0))
            except StoppedError:
                raise
            except LateError:
                why = Fault("guest.not-ready", seconds=self._start_seconds)
                raise LateError("forfeit.time", why=why) from None
            self._note_memory()
            return process
        except BaseException:
            self.close()
            raise

    def _gathered(self) -> Bundle:
        """Its files as they are when a game begins."""
        try:
            return gathered(self.path)
        except OSError as error:
            raise MachineError("at.file", path=self.path, why=error.strerror or error) from None
        except Fault as fault:
            raise ForfeitError("forfeit.crash", why=fault) from None

    def _rehearsed(self, process: Enclosed, game: tuple[Variant, Color, int]) -> bool:
        """Whether a rehearsal came to an end; after one that did not, the process is of no use."""
        questions = []
        for position in rehearsal_positions(*game[:2]):
            asked = question(position, self.course.seconds_a_move)
            questions.append(asked | (_history(Game(position), Limit(time=1.0)) if self.interface == AGENT else {}))
        try:
            self._rehearses = process.ask({"rehearse": questions}, REHEARSAL_SECONDS).get("compiled") is True
        except StoppedError:
            raise
        except ForfeitError:
            self.close()
            return False
        self._note_memory()
        return True

    def _prepared(self, message: Message) -> tuple[Enclosed, Message]:
        """A guest that has read the submission. That the system is too busy to start one is not the player's fault."""
        for attempt in range(LAUNCHES):
            try:
                self._process = Enclosed(self.enclosure, self._quota(COURSES[AI]), self._may_use_engine)
                return self._process, self._process.prepare(message)
            except OSError as error:
                self.close()
                if attempt == LAUNCHES - 1:
                    if isinstance(error, MachineError):
                        raise
                    raise MachineError("sandbox.not-started", why=error) from None
                time.sleep(0.5 * (attempt + 1))
            except BaseException as error:
                self.close()
                why = error.params.get("why") if isinstance(error, ForfeitError) else None
                if isinstance(why, Fault) and why.code == "guest.several":
                    why.params["file"] = str(self.path)
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
        megabytes += COMPILER_MEGABYTES * self._compiles
        return Quota(megabytes, int(self._start_seconds + game) + 5)

    # A move

    def choose(self, game: Game, limit: Limit) -> Report:
        if self._game is None:
            self.start(game.variant, game.position.turn, 0)
        self.wake()
        began, allowed = time.perf_counter(), self._allowed(limit)
        with self._asking():
            report = self._decision(game, limit, began, allowed)
        seconds = time.perf_counter() - began
        # One that was ended at its time has used no more, however busy the machine was that ended it.
        self._overtime = max(seconds - allowed, 0.0) if self._process is None else 0.0
        self._spent += seconds - self._overtime
        return report

    @property
    def overtime(self) -> float:
        return self._overtime

    def _allowed(self, limit: Limit) -> float:
        """Seconds for this move: those given, or else the course's."""
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
        wrong, code = object(), ""
        for _ in range(self.course.attempts):
            left = max(allowed - (time.perf_counter() - began), 0.0)
            answer = self._asked({**request, "seconds": left}, left + GRACE, allowed)
            square = wire.square(answer.get("square"))
            if square is not None and game.position.legal >> square & 1:
                return _report(answer, square, time.perf_counter() - began)
            wrong = wire.text(answer.get("wrong")) or _why_wrong(game.position, square)
            code = _code(answer)
            if answer.get("final"):
                break
        raise ForfeitError(code, why=wrong)

    def _asked(self, request: Message, seconds: float, allowed: float) -> Message:
        process = self._process
        assert process is not None
        try:
            return process.ask(request, seconds)
        except LateError as late:
            noted = process.noted
            if self.interface == AI and (noted.last is not None or (request["all"] and noted.listed is not None)):
                # The course plays the last candidate that there is. The player cannot be stopped: it begins anew. It
                # is waited for later, on nobody's time.
                process.kill()
                self._start_left += allowed
                self._printed = self.printed
                self._leaving, self._process = process, None
                return {"square": noted.last, "candidates": noted.listed, "late": True}
            if isinstance(late, StoppedError):
                raise
            raise LateError("forfeit.time", why=Fault("guest.late", seconds=allowed)) from None

    def candidates(self, position: Position, limit: Limit) -> tuple[list[int | None] | None, int | None, str]:
        """The whole list of a course `AI` for any position, also one without a move, or None where it is not to be had;
        its decision; and what is wrong with it. For whoever checks the list: in a game only the decision counts."""
        self.wake()
        with self._asking():
            allowed = self._allowed(limit)
            answer = self._asked(question(position, allowed) | {"all": True}, allowed + GRACE, allowed)
            found = answer.get("candidates")
            listed = [wire.square(one) for one in found] if isinstance(found, list) else None
            if answer.get("late") and position.legal and not listed:
                raise LateError("forfeit.time", why=Fault("guest.late", seconds=allowed))
        wrong = wire.text(answer.get("wrong")) if position.legal or listed != [] else ""
        return (
            listed,
            wire.square(answer.get("square")),
            str(ForfeitError(_code(answer), why=wrong)) if wrong else "",
        )

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """One that failed in its own code can be asked again; one that did not answer is killed."""
        try:
            yield
        except BaseException:  # Ctrl-C too: what is still being answered must not meet the next question
            if self._process is not None and not self._process.answered:
                self.close()
            raise
        self._note_memory()

    def _note_memory(self) -> None:
        if self._process is not None:
            self.memory_megabytes = max(self.memory_megabytes, self._process.peak_bytes / MEGABYTE)

    @property
    def printed(self) -> str:
        if self._process is not None:
            self._printed = self._process.printed or self._printed
        return self._printed

    def close(self) -> None:
        self._printed = self.printed  # whoever asks why it has lost may ask later
        for process in (self._process, self._leaving):
            if process is not None:
                process.close()
        self._process = self._leaving = None


def rehearsal_positions(variant: Variant, color: Color) -> list[Position]:
    """Where a side has moves, early, in the middle, late and near the end of a game that nobody plays."""
    dice = random.Random(f"rehearsal {variant.name}")
    met = []
    position = Position.start(variant)
    while not position.is_over:
        position = position.play("pass" if position.must_pass else dice.choice(position.legal_moves))
        if position.turn is color and position.legal:
            met.append(position)
    return [met[len(met) * part // 16] for part in (2, 8, 12, 15)] if met else []


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
        decided=answer.get("decided") is True,
        values={
            at: value
            for at, value in ((wire.square(one), wire.number(other)) for one, other in pairs)
            if at is not None and value is not None
        },
        text=wire.text(answer.get("text")),
    )


def _why_wrong(position: Position, square: int | None) -> ValueError:
    if square is not None:
        try:
            position.play(square)
        except ValueError as error:
            return error
    return Fault("guest.no-square")


def _code(answer: Message) -> str:
    """What kind of fault an answer without a move is."""
    return KINDS.get(str(answer.get("reason")), "forfeit.illegal-move")


def _plain(seconds: float) -> float:
    """5 and not 5.0, as the course writes it."""
    return int(seconds) if seconds == int(seconds) else seconds
