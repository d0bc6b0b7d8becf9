"""The console of `self-taught`, as its author's screen showed it: `move r c`, `comp`, and the framed board.

Rows and columns count from zero, Black is X and White is O. The frame, the words and the six digits of a value are
those of the program that the report describes (docs/the-five.md).
"""

import math
import re
from typing import Protocol

from outflank import PASS, Agent, Color, Game, Limit, Position, Report, Spec, agent

MOVE = re.compile(r"move\s+(-?\d+)[\s,]+(-?\d+)")
HELP = "move R C (from 0), comp (the computer moves), undo, new, moves, quit"


class Terminal(Protocol):
    """What the console speaks through. `ask` raises EOFError at the end of the input."""

    def say(self, text: str = "") -> None: ...

    def ask(self, prompt: str) -> str: ...


class Console:
    """One sitting at the console. The computer plays for either side, on request."""

    def __init__(self, terminal: Terminal, game: Game, computer: Spec, limit: Limit, seed: int) -> None:
        self.terminal, self.game, self.limit, self.seed = terminal, game, limit, seed
        self._computer = computer
        self._players: dict[Color, Agent] = {}

    def run(self) -> None:
        """Obeys until `quit` or the end of the input; then shows the moves."""
        try:
            self._show()
            while (line := self.terminal.ask(">>>").lower()) not in ("quit", "exit", "q"):
                try:
                    self._obey(line)
                except (ValueError, OSError) as error:
                    self.terminal.say(" ".join(str(error).split()))
        except EOFError:
            self.terminal.say()
        finally:
            self.terminal.say(f"Transcript: {self.game.transcript or 'no moves'}")
            self._dismiss()

    def _obey(self, line: str) -> None:
        if move := MOVE.fullmatch(line):
            self._move(int(move[1]), int(move[2]))
        elif line == "comp":
            self._comp()
        elif line == "undo":
            self.game.pop()
            self._show()
        elif line == "new":
            self._dismiss()
            self.game = Game(self.game.variant)
            self._show()
        elif line == "moves":
            self.terminal.say(self.game.transcript or "no moves")
        elif line in ("help", "?"):
            self.terminal.say(HELP)
        elif line:
            raise ValueError(f"{line!r} is no command: {HELP}")

    def _move(self, row: int, column: int) -> None:
        variant = self.game.variant
        if not (0 <= row < variant.rows and 0 <= column < variant.columns):
            raise ValueError(f"move R C: rows are 0 to {variant.rows - 1}, columns 0 to {variant.columns - 1}")
        try:
            self._push(8 * row + column)
        except ValueError as error:
            why = str(error).partition(": ")[2].replace("Black", "X").replace("White", "O")
            raise ValueError(f"move {row} {column} is not legal: {why}") from None

    def _comp(self) -> None:
        if self.game.is_over:
            raise ValueError("the game is over: new begins another, quit leaves")
        report = self._player().choose(self.game, self.limit)
        self.terminal.say(evaluation_line(self._computer, report))
        self.terminal.say(f"r={report.move // 8}")
        self.terminal.say(f"c={report.move % 8}")
        self._push(report.move)

    def _player(self) -> Agent:
        """The computer, for the side to move: a player sits on one side for a whole game."""
        turn = self.game.position.turn
        if turn not in self._players:
            player = agent(self._computer)
            self._players[turn] = player
            player.expect(self.limit)
            player.start(self.game.variant, turn, self.seed)
        return self._players[turn]

    def _dismiss(self) -> None:
        for player in self._players.values():
            player.close()
        self._players.clear()

    def _push(self, square: int) -> None:
        self.game.push(square)
        if self.game.moves[-1] == PASS:
            self.terminal.say(f"{self.game.position.turn.other.symbol} passes")
        self._show()

    def _show(self) -> None:
        outcome = self.game.outcome()
        if outcome is not None:
            self.terminal.say("tie!" if outcome.winner is None else f"{outcome.winner.symbol} wins!")
        self.terminal.say(block(self.game.position))
        if self.game.variant.reversed:
            self.terminal.say("fewest discs win")


def block(position: Position) -> str:
    """Whose turn it is, the counts, and the framed board."""
    rows, columns = position.variant.rows, position.variant.columns
    frame = f"-+{'-' * columns}+"
    return "\n".join(
        [
            f"Player: {'-' if position.is_over else position.turn.symbol}",
            *(f"{color.symbol} : {position.count(color)}" for color in Color),
            "",
            f"/|{''.join(map(str, range(columns)))}|",
            frame,
            *(f"{row}|{''.join(position.mark(8 * row + column) for column in range(columns))}|" for row in range(rows)),
            frame,
            "",
        ]
    )


def evaluation_line(computer: Spec, report: Report) -> str:
    """`Evaluation Function #3 -17.6231`: six digits, as C++ prints them; without a number for the others."""
    value = "-" if report.score is None or math.isnan(report.score) else f"{report.score:g}"
    try:
        return f"Evaluation Function #{computer['evaluation']} {value}"
    except KeyError:
        return f"Evaluation: {value}"
