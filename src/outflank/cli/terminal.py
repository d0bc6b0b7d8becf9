"""The terminal: what a person sees and types. In colour where it can be, in plain ASCII where not, and in a pipe."""

import contextlib
import sys
from collections.abc import Iterator

from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.cli import terminal_board as board


class Terminal:
    """Standard input and output. `ask` raises EOFError at the end of the input."""

    def __init__(self) -> None:
        from rich.console import Console

        for stream in (sys.stdin, sys.stdout):
            # A stray byte in a pipe or a letter that this terminal lacks must not end a game.
            with contextlib.suppress(AttributeError, ValueError):
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        self._rich = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
        dumb = not self._rich.is_terminal or self._rich.is_dumb_terminal or self._rich.no_color
        self.plain = dumb or not self._rich.encoding.lower().startswith("utf")
        self.typed = sys.stdin.isatty()
        if self.typed:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 (gives `input` its line editing and history)

    def say(self, text: str = "") -> None:
        print(text, flush=True)

    def ask(self, prompt: str) -> str:
        """One line of input. What comes through a pipe is shown, so that the output reads as a dialogue."""
        if self.typed:
            return input(prompt).strip()
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        line = line.strip()
        self.say(prompt + line)
        return line

    @contextlib.contextmanager
    def thinking(self, who: str) -> Iterator[None]:
        """Shows, in a terminal, that somebody thinks.

        A line of our own: Rich's spinner has a thread, and Ctrl-C at the wrong moment leaves it on the screen.
        """
        if not self.plain:
            print(f"{who} is thinking", end="", flush=True)
        try:
            yield
        finally:
            if not self.plain:
                print("\r\x1b[K", end="", flush=True)

    def show(self, game: Game) -> None:
        """The board at the game's cursor, the counts and whose turn it is."""
        position = game.position
        turn = "game over" if game.is_over else f"{position.turn} to move"
        self.say()
        if self.plain:
            self.say(board.plain_board(position, game.peek()))
            counts = ", ".join(f"{color} ({color.symbol}) {position.count(color)}" for color in Color)
            self.say(f"   {counts}: {turn}")
        else:
            self._rich.print(board.coloured_board(position, game.peek()))
            for color in Color:
                self._rich.print(
                    "   ", board.coloured_disc(color), f"{color} {position.count(color):2}", sep=" ", end=""
                )
            self._rich.print(f"    {turn}")
        if game.variant.reversed:
            self.say("   Fewest discs win.")
