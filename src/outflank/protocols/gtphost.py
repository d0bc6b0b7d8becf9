"""An engine that speaks GTP, as a player here."""

import tempfile
import time
from dataclasses import replace
from pathlib import Path

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color, square_name
from outflank.board.variant import Variant
from outflank.formats import sgf
from outflank.protocols.child import MOST_LINES, CannotPlayError, EngineError
from outflank.protocols.host import Host, letter, parsed_move
from outflank.protocols.lines import plain
from outflank.search.driver import Stop
from outflank.search.limits import Limit, Report

LONGEST_ANSWER = 10_000
"""Lines of one answer."""
TimeSettings = tuple[float, float, int]
"""Seconds for the game; seconds and moves of each further period."""


class _RefusedError(Exception):
    """The engine answered with `?`."""


class GtpHost(Host):
    """Follows a game in an engine that keeps its own board: it gets the moves that it does not have yet."""

    def _introduce(self) -> None:
        try:
            self._commands = frozenset(self._command("list_commands").split())
        except _RefusedError:
            self._commands = frozenset()

    def _knows(self, command: str) -> bool:
        """Whether a command is worth a try. One that lists no commands may know any."""
        return not self._commands or command in self._commands

    def _new_game(self, variant: Variant) -> None:
        self._rules = replace(variant, start="diagonal")
        self._time: TimeSettings | None = None
        try:
            if self._rules.reversed or self._rules.rows != self._rules.columns:
                self._command(f"set_game {self._rules}")
            else:
                if "set_game" in self._commands:
                    self._command("set_game Othello")
                self._command(f"boardsize {self._rules.rows}")
            self._clear()
        except _RefusedError as refusal:
            raise CannotPlayError("host.cannot-play", command=self.command, variant=self._rules, why=refusal) from None

    def _clear(self) -> None:
        self._command("clear_board")
        self._start = Position.start(self._rules)
        self._told: list[tuple[Color | None, int | None]] = []

    def _show(self, game: Game) -> None:
        line = [(node.mover, node.move) for node in game.line]
        if not _same_discs(self._start, game.start) or self._told != line[: len(self._told)]:
            self._clear()
            if not _same_discs(self._start, game.start):
                self._load(game.start)
        for color, move in line[len(self._told) :]:
            assert move is not None
            try:
                self._command(f"play {letter(color)} {square_name(move)}")
            except _RefusedError as refusal:
                if move != PASS:  # some engines pass by themselves
                    raise EngineError("host.refuses-move", move=square_name(move), color=color, why=refusal) from None
            self._told.append((color, move))

    def _load(self, start: Position) -> None:
        """GTP has no set-up of its own, but regression tests have `loadsgf`. Some engines read the moves of a file and
        ignore its discs: a move that only these make legal tells, and is forgotten by loading again."""
        game = Game(start)
        position = game.position
        usual = Position.start(self._rules).legal
        telling = [move for move in position.legal_moves if not usual >> move & 1]
        with tempfile.TemporaryDirectory(prefix="outflank-") as folder:
            file = Path(folder) / "start.sgf"
            file.write_text(sgf.write([game]))
            try:
                self._command(f"loadsgf {file}")
                if telling:
                    self._command(f"play {letter(position.turn)} {square_name(telling[0])}")
                    self._command(f"loadsgf {file}")
            except _RefusedError as refusal:
                raise CannotPlayError("host.cannot-begin", command=self.command, why=refusal) from None
        self._start = start
        self._told = [(node.mover, node.move) for node in game.line]  # a pass, at most

    def _tell(self, game: Game, limit: Limit) -> None:
        """A time for each move is a period of one move; a clock is the game's time. Other limits GTP does not have."""
        self._show(game)
        if limit.clock is not None:
            increment = limit.clock.increment
            settings = (limit.clock.remaining, increment, 1 if increment else 0)
            left, stones = limit.clock.remaining, 0
        elif limit.time is not None:
            # Its time as the game's too: Edax takes the time for a move from there.
            settings, left, stones = (limit.time, limit.time, 1), limit.time, 1
        else:
            return
        if self._time is None and self._knows("time_settings"):
            self._try("time_settings", *settings)
        self._time = settings
        if self._knows("time_left"):
            self._try("time_left", letter(game.position.turn), left, stones)

    def _try(self, command: str, *arguments: str | float) -> None:
        """Tells the engine something that it may ignore. The protocol has whole seconds; most engines read more."""
        words = [f"{word:.2f}".rstrip("0").rstrip(".") if isinstance(word, float) else str(word) for word in arguments]
        try:
            self._command(" ".join([command, *words]))
        except _RefusedError:
            whole = [word.partition(".")[0] for word in words]
            if whole != words:
                self._try(command, *whole)

    def _ask(self, game: Game, limit: Limit, deadline: float, stop: Stop) -> Report:
        color = game.position.turn
        try:
            answer = self._command(f"genmove {letter(color)}", deadline, stop)
        except _RefusedError as refusal:
            raise EngineError("host.refuses-to-move", why=refusal) from None
        move = parsed_move((*answer.split(), "")[0])
        self._told.append((color, move))
        return Report(move, pv=(move,))

    def _command(self, command: str, deadline: float | None = None, stop: Stop | None = None) -> str:
        """The answer to a command. What an engine prints before its `=` or `?` is no part of it."""
        patient = deadline is None
        deadline = time.perf_counter() + self.patience if deadline is None else deadline
        self._send(command)
        first = self._line(deadline, stop)
        strange = 0
        while first is None or first[:1] not in ("=", "?"):
            if first is None:
                self._interrupt()
                stop = None
            elif patient and (strange := strange + 1) > MOST_LINES:
                raise EngineError("host.no-answer", lines=MOST_LINES)
            first = self._line(deadline, stop)
        lines = [first[1:].strip()]
        while len(lines) < LONGEST_ANSWER and (more := self._line(deadline)):
            lines.append(more)
        answer = "\n".join(lines).strip()
        if first[0] == "?":
            raise _RefusedError(plain(answer) or "without a reason")
        return answer

    def _interrupt(self) -> None:
        """Ends a search as GoGui does, where the engine knows it."""
        if "gogui-interrupt" not in self._commands:
            raise EngineError("host.no-interrupt")
        self._send("# interrupt")


def _same_discs(one: Position, other: Position) -> bool:
    return (one.black, one.white, one.turn) == (other.black, other.white, other.turn)
