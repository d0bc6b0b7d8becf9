"""A game at the terminal: people and players take their turns, and people have commands."""

import time
from collections.abc import Callable
from pathlib import Path

from outflank.agents.agent import Agent
from outflank.agents.spec import Spec, agent
from outflank.board.game import Game, Node
from outflank.board.squares import PASS, Color, parse_square, square_name
from outflank.cli import terminal_board as board
from outflank.cli.terminal import Terminal
from outflank.cli.terminal_files import load_game, save_game
from outflank.errors import Fault
from outflank.search.limits import Limit

Seats = dict[Color, Agent | None]
"""Who plays which side; None is a person."""


class TerminalGame:
    """One sitting at the terminal, of one game or several."""

    def __init__(self, terminal: Terminal, game: Game, seats: Seats, hint: Spec, limit: Limit, seed: int) -> None:
        self.terminal, self.game, self.seats, self.limit, self.seed = terminal, game, seats, limit, seed
        self._hint = hint
        self._undone: list[Node] = []
        self._open = True
        self._result_said = False
        self._turn_began = time.perf_counter()
        self._commands: dict[str, Callable[[str], None]] = {
            name: getattr(self, f"_{method}") for names, _, _, method in COMMANDS for name in names
        }

    def run(self) -> None:
        """Plays until somebody leaves or the input ends. Whatever happens, the moves are shown at the end."""
        try:
            self._begin()
            while self._open:
                self._step()
        except EOFError:
            self.terminal.say()
        except KeyboardInterrupt:
            self.terminal.say()
            raise
        finally:
            self._say_transcript()
            for player in self.seats.values():
                if player is not None:
                    player.close()

    def _begin(self) -> None:
        """Sits everybody down to the game as it stands."""
        for color, player in self.seats.items():
            if player is not None:
                player.expect(self.limit)
                player.start(self.game.variant, color, self.seed)
        self._undone.clear()
        self.terminal.say(f"{self._name(Color.BLACK)} against {self._name(Color.WHITE)}, {self.game.variant}.")
        self._show(passes_from=0)

    def _step(self) -> None:
        player = self.seats[self.game.position.turn]
        if self.game.is_over:
            self._say_result()
            if not self._people:
                self._open = False
            else:
                self._obey(self.terminal.ask("Game over (new, undo, save FILE, quit)> "))
        elif player is not None:
            self._let_play(player)
        else:
            self._obey(self.terminal.ask(f"{self.game.position.turn}> "))

    @property
    def _people(self) -> list[Color]:
        return [color for color, player in self.seats.items() if player is None]

    def _name(self, color: Color) -> str:
        player = self.seats[color]
        return (
            f"{color} ({'you' if len(self._people) == 1 else 'human'})"
            if player is None
            else f"{color} ({player.spec})"
        )

    def _show(self, passes_from: int) -> None:
        """The board, after the passes that the line holds from a ply on."""
        self._turn_began = time.perf_counter()
        for node in self.game.line[passes_from:]:
            if node.move == PASS:
                self.terminal.say(f"{node.mover} has no move and passes.")
        self.terminal.show(self.game)

    def _say_result(self) -> None:
        if self._result_said:
            return
        self._result_said = True
        self.terminal.say()
        self.terminal.say(board.result_text(self.game))
        times = ", ".join(f"{self._name(color)} {board.thinking_seconds(self.game, color):.3f} s" for color in Color)
        self.terminal.say(f"Thinking time: {times}.")

    def _say_transcript(self, _: str = "") -> None:
        if self.game.start.text != Game(self.game.variant).start.text:
            self.terminal.say(f"Start: {self.game.start.text}")
        self.terminal.say(f"Transcript: {self.game.transcript or 'no moves'}")

    # Moves

    def _let_play(self, player: Agent) -> None:
        name = self._name(self.game.position.turn)
        try:
            with self.terminal.thinking(name):
                report = player.choose(self.game, self.limit)
            total = board.thinking_seconds(self.game, self.game.position.turn) + report.seconds
            said = f"{name} plays {{}}: {board.described(report)}, {total:.3f} s in all"
            self._push(report.move, report.score, report.seconds, said)
        except Exception as error:  # a player from anywhere may fail in any way; the game and its moves stay
            self.terminal.say(f"{name} failed and loses: {' '.join(str(error).split()) or type(error).__name__}")
            self.game.end(self.game.position.turn.other, f"{self.game.position.turn} failed")

    def _push(self, move: int | str, score: float | None, seconds: float, said: str) -> None:
        plies = len(self.game.line)
        node = self.game.push(move, score, seconds)
        assert node.move is not None
        self._undone.clear()
        self._result_said = False
        if said:
            self.terminal.say(said.format(square_name(node.move)))
        self._show(passes_from=plies)

    # Commands

    def _obey(self, line: str) -> None:
        """Does what a person typed; errors are one line."""
        if not line:
            self.terminal.show(self.game)
            return
        word, _, argument = line.partition(" ")
        command = self._commands.get(word.lower())
        try:
            if command is not None:
                command(argument.strip())
            elif self.game.is_over:
                raise Fault("terminal.over")
            else:
                self._push(_square(line), None, time.perf_counter() - self._turn_began, "")
        except (ValueError, OSError) as error:
            self.terminal.say(" ".join(str(error).split()))

    def _undo(self, _: str) -> None:
        game = self.game
        if game.is_over and not game.position.is_over:
            game.goto(game.node)
            self.terminal.say("The game goes on.")
        else:
            own = [node for node in game.line if node.mover in self._people and node.move != PASS]
            if not own or own[-1].parent is None:
                raise Fault("terminal.nothing-to-undo")
            self._undone.append(game.node)
            game.goto(own[-1].parent)
        self._result_said = False
        self._show(passes_from=len(game.line))

    def _redo(self, _: str) -> None:
        if not self._undone:
            raise Fault("game.nothing-to-redo")
        plies = len(self.game.line)
        self.game.goto(self._undone.pop())
        self._show(passes_from=plies)

    def _advise(self, _: str) -> None:
        if self.game.is_over:
            raise Fault("terminal.no-advice")
        adviser = agent(self._hint)
        try:
            adviser.start(self.game.variant, self.game.position.turn, self.seed)
            with self.terminal.thinking(str(self._hint)):
                report = adviser.choose(self.game, self.limit)
        finally:
            adviser.close()
        line = f", line {' '.join(map(square_name, report.pv))}" if len(report.pv) > 1 else ""
        self.terminal.say(f"Hint: {square_name(report.move)} ({adviser.spec}: {board.described(report)}{line})")

    def _save(self, argument: str, replace: bool = False) -> None:
        path = _path(argument, "save")
        for color, player in self.seats.items():
            self.game.tags.setdefault(str(color), "human" if player is None else player.spec)
        save_game(self.game, path, replace)
        self.terminal.say(f"Saved to {path}.")

    def _save_over(self, argument: str) -> None:
        self._save(argument, replace=True)

    def _load(self, argument: str) -> None:
        self._change_to(load_game(_path(argument, "load"), self.game.variant))

    def _new(self, _: str) -> None:
        self.seed += 1
        self._change_to(Game(self.game.variant))

    def _change_to(self, game: Game) -> None:
        if self.game.moves:
            self._say_transcript()  # the game that is left behind
        self.game = game
        self._result_said = False
        self._begin()

    def _swap(self, _: str) -> None:
        if len(self._people) == 2:
            raise Fault("terminal.no-swap")
        self.seats = {Color.BLACK: self.seats[Color.WHITE], Color.WHITE: self.seats[Color.BLACK]}
        self._begin()

    def _resign(self, _: str) -> None:
        if self.game.is_over:
            raise Fault("terminal.over-already")
        self.game.resign()

    def _help(self, _: str) -> None:
        self.terminal.say(f"{'d3':14}  play a square")
        for names, argument, text, _method in COMMANDS:
            usage = " ".join([", ".join(names), argument]).strip()
            self.terminal.say(f"{usage:14}  {text}")

    def _quit(self, _: str) -> None:
        self._open = False


COMMANDS = (
    (("undo", "u"), "", "take back to your own last move", "undo"),
    (("redo", "r"), "", "play again what was taken back", "redo"),
    (("hint", "h"), "", "ask for a good move", "advise"),
    (("save",), "FILE", "write the game to a new file; .ggf and .sgf keep values and times", "save"),
    (("save!",), "FILE", "write the game to a file, replacing what is there", "save_over"),
    (("load",), "FILE", "go on with the game in a file", "load"),
    (("moves",), "", "show the moves so far", "say_transcript"),
    (("new",), "", "begin another game", "new"),
    (("swap",), "", "change sides with the computer", "swap"),
    (("resign",), "", "give the game up", "resign"),
    (("help", "?"), "", "show this list", "help"),
    (("quit", "exit", "q"), "", "leave", "quit"),
)


def _square(text: str) -> int:
    try:
        return parse_square(text)
    except ValueError as error:
        raise Fault("terminal.unknown", why=error) from None


def _path(argument: str, command: str) -> Path:
    """The file that a command names, with or without quotes."""
    if not argument:
        raise Fault("terminal.needs-file", command=command)
    quoted = len(argument) > 2 and argument[0] in "\"'" and argument[-1] == argument[0]
    return Path(argument[1:-1] if quoted else argument)
