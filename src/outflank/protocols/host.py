"""The host's side: another program as a player. `gtphost` and `nboardhost` speak the two protocols.

A host asks; whatever the program does then, the question has an end: an answer, a TimeoutError, or an EngineError.
After either of the two the program is not trusted any more: it is ended, and started again for the next game.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from outflank.board.game import Game
from outflank.board.squares import Color, parse_square
from outflank.board.variant import Variant
from outflank.errors import Fault, OverdueError
from outflank.protocols.child import Child
from outflank.protocols.lines import plain
from outflank.search.driver import Stop, watched
from outflank.search.limits import Limit, Report

PATIENCE = 120.0
"""Seconds to wait where no limit of time holds: for a program to get ready, and for a move without a limit."""
GRACE = 0.5
"""Seconds over its time after which an answer is not waited for any more; a referee may be less patient."""
LISTENING = 0.02
"""Seconds between two looks at whether somebody wants us to stop."""
LOST_PATIENCE = 0.1
"""What is left of the patience with a program each time that it was silent to the end of it."""
LEAST_PATIENCE = 5.0
"""Seconds that every program gets to start, unless its user allows it less."""


class NoMoveError(Fault):
    """What an engine answered is not a move that can be played."""


class _Reputation:
    """What this process knows of the programs it has started, by their commands. One that has made a move here has its
    user's whole patience, always. One that has never made any, and was silent until the patience was over, has less of
    it the next time: a program that says nothing would otherwise cost all of it in every game."""

    def __init__(self) -> None:
        self._moved: set[str] = set()
        self._silences: dict[str, int] = {}

    def patience(self, command: str, wanted: float) -> float:
        silences = 0 if command in self._moved else self._silences.get(command, 0)
        return max(wanted * LOST_PATIENCE**silences, min(wanted, LEAST_PATIENCE))

    def moved(self, command: str) -> None:
        self._moved.add(command)

    def silent(self, command: str) -> None:
        self._silences[command] = self._silences.get(command, 0) + 1


REPUTATION = _Reputation()


class Host(ABC):
    """An engine that is another program, started when it is first needed."""

    def __init__(self, command: str, patience: float = PATIENCE) -> None:
        self.command, self._wanted_patience = command, patience
        self._child: Child | None = None

    @property
    def patience(self) -> float:
        """Seconds to wait for an answer that no limit of time holds for."""
        return REPUTATION.patience(self.command, self._wanted_patience)

    def begin(self, variant: Variant) -> None:
        """Gets ready for a game: starts the program where it is not running. CannotPlayError for unknown games."""
        with self._distrust(), self._patiently():
            if self._child is None or not self._child.is_alive:
                self.close()
                self._child = Child(self.command)
                self._introduce()
            self._new_game(variant)

    def choose(self, game: Game, limit: Limit) -> Report:
        """The program's move where the game stands, and what it says of it; `score` is None where it says none. The
        seconds are our own."""
        with self._distrust(), watched(None) as stop:
            with self._patiently():
                self._tell(game, limit)
            began = time.perf_counter()
            allowed = _allowed(limit)
            deadline = began + (self.patience if allowed is None else allowed + GRACE)
            with self._patiently() if allowed is None else _told_how_long():
                report = self._ask(game, limit, deadline, stop)
            REPUTATION.moved(self.command)
            seconds = time.perf_counter() - began
            try:
                game.position.play(report.move)
            except ValueError as error:
                raise NoMoveError("host.wrong-move", why=error) from None
            return replace(report, seconds=seconds)

    def close(self, farewell: str = "quit") -> None:
        """Ends the program, and all that it started."""
        child, self._child = self._child, None
        if child is not None:
            child.close(farewell)

    @contextmanager
    def _patiently(self) -> Iterator[None]:
        """Remembers a program whose silence has outlasted our patience."""
        try:
            with _told_how_long():
                yield
        except TimeoutError:
            REPUTATION.silent(self.command)
            raise

    @contextmanager
    def _distrust(self) -> Iterator[None]:
        """Ends a program that failed, and one whose game is not ours."""
        try:
            yield
        except BaseException:
            with suppress(OSError):
                self.close(farewell="")
            raise

    # The conversation

    def _send(self, line: str) -> None:
        assert self._child is not None
        self._child.send(line, time.perf_counter() + self.patience)

    def _line(self, deadline: float, stop: Stop | None = None) -> str | None:
        """The program's next line; None when somebody wants us to stop before it comes."""
        assert self._child is not None
        while not (stop and stop.is_set):
            soon = deadline if stop is None else min(deadline, time.perf_counter() + LISTENING)
            try:
                return self._child.line(soon)
            except TimeoutError:
                if time.perf_counter() >= deadline:
                    raise
        return None

    @abstractmethod
    def _introduce(self) -> None:
        """The first words with a program that has just been started."""

    @abstractmethod
    def _new_game(self, variant: Variant) -> None:
        """Says that a game begins."""

    @abstractmethod
    def _tell(self, game: Game, limit: Limit) -> None:
        """Tells the program what has been played, and what the next move may take."""

    @abstractmethod
    def _ask(self, game: Game, limit: Limit, deadline: float, stop: Stop) -> Report:
        """Asks for a move and waits for it."""


@contextmanager
def _told_how_long() -> Iterator[None]:
    """Makes what ran out of time say how long that was."""
    began = time.perf_counter()
    try:
        yield
    except TimeoutError:
        raise OverdueError("host.silent", seconds=time.perf_counter() - began) from None


def _allowed(limit: Limit) -> float | None:
    """Seconds that a move may take at the very most."""
    bounds = [limit.time, limit.clock.remaining if limit.clock else None]
    return min((bound for bound in bounds if bound is not None), default=None)


def parsed_move(text: str) -> int:
    """The square of an answer such as `F5`, `pass` or `PA`."""
    try:
        return parse_square(text)
    except ValueError:
        said = plain(text, 40)
        if said.lower() == "resign":
            raise NoMoveError("host.resigns") from None
        raise NoMoveError("host.no-square", text=said) from None


def letter(color: Color | None) -> str:
    """`b` or `w`."""
    return "bw"[color or 0]
