"""GTP 2, the Go Text Protocol, as Othello programs use it: our player as somebody else's engine.

A frame is `[id] command arguments` on one line; the answer is `=[id] text` or `?[id] error`, and an empty line.
Beside the protocol's own commands there are those of Quarry (`set_game`), GoGui (its rules, `# interrupt`) and
regression tests (`loadsgf`, `reg_genmove`).
"""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from outflank.board.game import Game
from outflank.board.squares import PASS, Color, parse_square, square_name
from outflank.board.variant import OTHELLO, REVERSED, Variant
from outflank.formats import sgf
from outflank.protocols.lines import plain
from outflank.protocols.moves import Moves
from outflank.protocols.session import Seat, Session
from outflank.search.limits import Clock, Limit

FRAME = re.compile(r"(?:(?P<id>[0-9]{1,10})(?:\s+|$))?(?P<command>\S*)\s*(?P<arguments>.*)")
EMPTY_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
COLORS = {"b": Color.BLACK, "black": Color.BLACK, "w": Color.WHITE, "white": Color.WHITE}
GAMES = {"othello": OTHELLO, "reversi": OTHELLO, "reversed reversi": REVERSED}
"""Names of games that other programs use, beside our own names of variants."""
SHORTEST = 0.01
"""Seconds for a move when the host says that none are left: something must be played."""
LARGEST_FILE = 1 << 20


class GtpTime:
    """The clocks as the host tells them: the time of the game, then so many moves in each further period."""

    def __init__(self) -> None:
        self._main, self._period, self._stones = 0.0, 0.0, 0
        self._limited = False
        self._left: dict[Color, tuple[float, int]] = {}

    def settings(self, main: float, period: float, stones: int) -> None:
        self._main, self._period, self._stones = main, period, stones
        self._limited = stones > 0 or (period == 0 and main > 0)
        self._left = {}

    def left(self, color: Color, seconds: float, stones: int) -> None:
        self._left[color] = seconds, stones

    def spent(self, color: Color, seconds: float) -> None:
        """Counts a move's time, for hosts that do not tell what is left."""
        left, stones = self._left.get(color, (self._main, 0))
        left -= seconds
        if self._stones and (left <= 0 or stones == 1):
            self._left[color] = self._period, self._stones
        else:
            self._left[color] = max(left, 0.0), max(stones - 1, 0)

    def new_game(self) -> None:
        self._left = {}

    def limit(self, color: Color) -> Limit:
        """What the next move of a side may take."""
        if not self._limited and color not in self._left:
            return Limit()
        left, stones = self._left.get(color, (self._main, 0))
        if stones == 0 and left <= 0 and self._stones:
            left, stones = self._period, self._stones
        if stones:
            return Limit(time=max(left / stones, SHORTEST))
        return Limit(clock=Clock(max(left, SHORTEST), self._period / self._stones if self._stones else 0.0))


class GtpEngine(Session):
    """A session of GTP."""

    def __init__(self, descriptor: int, write: Callable[[bytes], object], seat: Seat, variant: Variant) -> None:
        super().__init__(descriptor, write, seat, variant)
        self._variant = variant
        self._time = GtpTime()

    # Frames

    def obey(self, line: str) -> bool:
        frame = _frame(line)
        if frame is None:
            return True
        number, command, arguments = frame
        try:
            if command not in COMMANDS:
                raise ValueError(f"unknown command {plain(command, 40)}".strip())
            answer = EMPTY_LINES.sub("\n", COMMANDS[command](self, arguments) or "")  # an empty line ends the frame
            status = "="
        except Exception as error:  # a player from anywhere may fail in any way; the conversation goes on
            status, answer = "?", plain(str(error)) or type(error).__name__
        self.say(f"{status}{number} {answer}".rstrip() + "\n\n")
        return command != "quit"

    def is_urgent(self, line: str) -> bool:
        return line.split() == ["#", "interrupt"] or _command(line) == "stop"

    def ends_search(self, line: str) -> bool:
        return self.is_urgent(line) or _command(line) in ENDS_SEARCH

    # Setting up

    def _boardsize(self, arguments: str) -> None:
        try:
            size = int(arguments)
            variant = replace(self._variant, rows=size, columns=size)
        except ValueError:
            raise ValueError("unacceptable size") from None
        self._begin(variant)

    def _clear_board(self, _: str) -> None:
        self._begin(self._variant)
        self.prepare(self._time.limit(Color.BLACK))

    def _set_game(self, arguments: str) -> None:
        name = " ".join(arguments.split()).lower()
        try:
            self._begin(GAMES.get(name) or Variant.named(name))
        except ValueError:
            raise ValueError(f"unsupported game {plain(arguments, 40)!r}") from None

    def _loadsgf(self, arguments: str) -> str:
        """`loadsgf FILE [N]`: the game in a file, up to before its move N."""
        name, _, before = arguments.rpartition(" ")
        if not (name and before.isdigit()):
            name, before = arguments, ""
        path = Path(name.strip().strip('"'))
        try:
            with path.open(encoding="utf-8", errors="replace") as file:
                text = file.read(LARGEST_FILE)
        except (OSError, ValueError):
            raise ValueError("cannot load file") from None
        game = sgf.read(text)[0]
        nodes = game.line
        self._begin(game.variant)
        game.goto(nodes[-1] if nodes else game.root)
        if before and int(before) <= len(nodes):
            game.goto(nodes[max(int(before), 1) - 1].parent or game.root)
        self.moves = Moves(game)
        return self._turn

    def _printsgf(self, arguments: str) -> str:
        """The game as SGF, to a file or as the answer."""
        text = sgf.write([self.moves.game]).strip()
        if not arguments:
            return text
        try:
            with Path(arguments.strip('"')).open("x", encoding="utf-8") as file:
                file.write(text + "\n")
        except (OSError, ValueError) as error:
            raise ValueError(f"cannot write file: {error}") from None
        return ""

    def _begin(self, variant: Variant) -> None:
        self._variant, self.moves = variant, Moves(Game(variant))
        self._time.new_game()
        self.seat.new_game()

    # Playing

    @property
    def _turn(self) -> str:
        return str(self.moves.turn).lower()

    def _play(self, arguments: str) -> None:
        color, vertex = (*arguments.split(), "", "")[:2]
        side, square = _color(color), parse_square(vertex)
        try:
            self.moves.play(square, side)
        except ValueError as error:
            raise ValueError(f"illegal move: {error}") from None

    def _genmove(self, arguments: str) -> str:
        color = _color(arguments)
        square = self._chosen(color)
        if not self.moves.game.is_over:
            self.moves.play(square, color)
        return square_name(square)

    def _chosen(self, color: Color) -> int:
        """What to play. A side that has no move passes, and so does everybody when the game is over."""
        moves = self.moves
        if moves.game.is_over or (moves.pass_is_due and color is moves.turn):
            return PASS
        if color is not moves.game.position.turn:
            raise ValueError(f"{color} is not to move")
        limit = self._time.limit(color)
        began = time.perf_counter()
        report = self.think(lambda _: self.seat.choose(moves.game, limit))
        self._time.spent(color, time.perf_counter() - began)
        return report.move

    def _undo(self, _: str) -> None:
        try:
            self.moves.undo()
        except ValueError:
            raise ValueError("cannot undo") from None

    def _time_settings(self, arguments: str) -> None:
        main, period, stones = _numbers(arguments, 3)
        self._time.settings(main, period, int(stones))

    def _time_left(self, arguments: str) -> None:
        color, _, rest = arguments.partition(" ")
        side = _color(color)
        seconds, stones = _numbers(rest, 2)
        self._time.left(side, seconds, int(stones))

    # Looking at the game

    def _final_score(self, _: str) -> str:
        outcome = self.moves.game.outcome()
        if outcome is None or outcome.score is None:
            raise ValueError("the game is not over")
        return "0" if outcome.winner is None else f"{'BW'[outcome.winner]}+{abs(outcome.score)}"

    def _rules_board(self, _: str) -> str:
        marks = self.moves.game.position.text[:-2].replace("-", ".")
        columns = self._variant.columns
        return "".join(f"\n{' '.join(marks[begin : begin + columns])}" for begin in range(0, len(marks), columns))

    def _rules_board_size(self, _: str) -> str:
        if self._variant.rows != self._variant.columns:
            raise ValueError(f"the board is not square: {self._variant}")
        return str(self._variant.rows)

    def _rules_legal_moves(self, _: str) -> str:
        if self.moves.pass_is_due:
            return "pass"
        return " ".join(square_name(move).upper() for move in self.moves.game.position.legal_moves)

    def _rules_final_result(self, _: str) -> str:
        outcome = self.moves.game.outcome()
        return "" if outcome is None else str(outcome)


COMMANDS: dict[str, Callable[[GtpEngine, str], str | None]] = {
    "protocol_version": lambda *_: "2",
    "name": lambda engine, _: engine.seat.name,
    "version": lambda engine, _: engine.seat.version,
    "known_command": lambda _, arguments: "true" if arguments in COMMANDS else "false",
    "list_commands": lambda *_: "\n".join(COMMANDS),
    "quit": lambda *_: None,  # works by being read, as `stop` does
    "boardsize": GtpEngine._boardsize,
    "clear_board": GtpEngine._clear_board,
    "komi": lambda *_: None,
    "play": GtpEngine._play,
    "genmove": GtpEngine._genmove,
    "reg_genmove": lambda engine, arguments: square_name(engine._chosen(_color(arguments))),
    "stop": lambda *_: None,
    "undo": GtpEngine._undo,
    "time_settings": GtpEngine._time_settings,
    "time_left": GtpEngine._time_left,
    "showboard": lambda engine, _: f"\n{engine.moves.game.position}",
    "final_score": GtpEngine._final_score,
    "set_game": GtpEngine._set_game,
    "list_games": lambda *_: "Othello\nreversed",
    "loadsgf": GtpEngine._loadsgf,
    "printsgf": GtpEngine._printsgf,
    "cputime": lambda *_: f"{time.process_time():.3f}",
    "gogui-interrupt": lambda *_: None,
    "gogui-rules_game_id": lambda engine, _: "Othello" if engine._variant == OTHELLO else engine._variant.name,
    "gogui-rules_board": GtpEngine._rules_board,
    "gogui-rules_board_size": GtpEngine._rules_board_size,
    "gogui-rules_legal_moves": GtpEngine._rules_legal_moves,
    "gogui-rules_side_to_move": lambda engine, _: engine._turn,
    "gogui-rules_final_result": GtpEngine._rules_final_result,
}
ENDS_SEARCH = ("clear_board", "boardsize", "set_game", "loadsgf", "undo", "quit")
"""Commands after which nobody wants the move that is being searched for."""


def _frame(line: str) -> tuple[str, str, str] | None:
    """The id (or nothing), the command and its arguments; None where the line holds neither."""
    text = "".join(mark if mark.isprintable() else " " if mark == "\t" else "" for mark in line.partition("#")[0])
    match = FRAME.fullmatch(text.strip())
    if not text.strip() or match is None:
        return None
    return match["id"] or "", match["command"], match["arguments"]


def _command(line: str) -> str:
    frame = _frame(line)
    return frame[1] if frame else ""


def _color(text: str) -> Color:
    color = COLORS.get(text.strip().lower())
    if color is None:
        raise ValueError("syntax error: the colour is black or white")
    return color


def _numbers(text: str, count: int) -> list[float]:
    """So many numbers, none of them negative."""
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        numbers = []
    if len(numbers) != count or not all(0 <= number < 1e9 for number in numbers):
        raise ValueError(f"syntax error: {count} numbers are wanted")
    return numbers
