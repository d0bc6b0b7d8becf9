"""The game in a real (pseudo-)terminal: colours, keys and Ctrl-C."""

import io
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from outflank.cli.terminal import Terminal

START = """
import fcntl, sys, termios, time
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # makes the terminal ours, so that Ctrl-C reaches us as a signal
from outflank.agents.roster import Entry, register
from outflank.cli.main import main

def slow():
    from outflank.agents.simple import GreedyPlayer
    class Slow(GreedyPlayer):
        def choose(self, game, limit):
            time.sleep(1.0)
            return super().choose(game, limit)
    return Slow()

register(Entry("slow", "Greedy, but slowly.", slow))
main()
"""
PATIENCE = 120
"""Seconds for a step that takes one: the first start on a machine compiles."""
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Screen:
    """A program in a terminal of its own."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self._master, slave = pty.openpty()
        self._seen = ""
        base = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "COLORTERM")}
        self._program = subprocess.Popen(
            [sys.executable, "-c", START, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**base, "TERM": "xterm-256color", "PYTHONUTF8": "1", **environment},
        )
        os.close(slave)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def until(self, wanted: str, times: int = 1) -> str:
        """Waits for a text, colours left out, and returns all seen so far as it came.

        Keys are for the prompt: what is typed before it comes through the terminal's own line editing.
        """
        deadline = time.monotonic() + PATIENCE
        while CONTROL.sub("", self._seen).count(wanted) < times:
            assert time.monotonic() < deadline, f"no {wanted!r} in {self._seen!r}"
            self._read()
        return self._seen

    def _read(self) -> bool:
        if select.select([self._master], [], [], 0.1)[0]:
            try:
                piece = os.read(self._master, 65536).decode(errors="replace")
            except OSError:  # Linux: the other end has closed
                return False
            self._seen += piece
            return bool(piece)
        return self._program.poll() is None

    def end(self) -> tuple[int, str]:
        """The exit code, and all that was seen, colours left out."""
        deadline = time.monotonic() + PATIENCE
        while self._read():
            assert time.monotonic() < deadline, f"still running after {self._seen!r}"
        return self._program.wait(PATIENCE), CONTROL.sub("", self._seen).replace("\r", "")

    def interrupt(self) -> tuple[int, str]:
        """Presses Ctrl-C, and again if need be: Python's readline misses one in the instant before it waits."""
        for _ in range(5):
            self.type("\x03")
            deadline = time.monotonic() + 20  # one that comes while it is ending would spoil its last words
            while time.monotonic() < deadline:
                if not self._read():
                    return self.end()
        return self.end()

    def close(self) -> None:
        self._program.kill()
        self._program.wait()
        os.close(self._master)


@pytest.fixture
def screens() -> Iterator[list[Screen]]:
    opened: list[Screen] = []
    yield opened
    for screen in opened:
        screen.close()


def opened(screens: list[Screen], *arguments: str, **environment: str) -> Screen:
    screens.append(Screen(*arguments, **environment))
    return screens[-1]


def test_a_terminal_shows_discs_in_colour(screens: list[Screen]) -> None:
    screen = opened(screens, "play", "greedy", "--seed", "1")
    screen.until("Black> ")
    screen.type("d3\r")
    screen.until("White (greedy) plays c3: value 0, depth 1, ")
    screen.until("Black> ", times=2)
    screen.type("quit\r")
    code, shown = screen.end()
    coloured = screen.until("Transcript: d3c3")
    assert code == 0
    assert "[●]" in shown
    assert " · " in shown
    assert "\x1b[38;5;16;48;5;29m●" in coloured  # a black disc and
    assert "\x1b[38;5;231;48;5;29m●" in coloured  # a white one, on green
    assert "\x1b[48;5;65m   " in coloured


def test_without_colour_a_terminal_gets_plain_text(screens: list[Screen]) -> None:
    screen = opened(screens, "play", NO_COLOR="1")
    screen.until("Black> ")
    screen.type("quit\r")
    code, shown = screen.end()
    assert code == 0
    assert shown[shown.index("Black (human)") :].isascii()
    assert " 4  -  -  +  O  X  -  -  -" in shown
    assert "\x1b[48" not in screen.until("Transcript")


class FakeTerminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "encoding", "plain"),
    [
        ({"TERM": "xterm"}, "utf-8", False),
        ({"TERM": "dumb"}, "utf-8", True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, "utf-8", True),
        ({"TERM": "xterm"}, "ascii", True),
        ({"TERM": "xterm"}, "iso-8859-1", True),
    ],
)
def test_which_terminals_are_plain(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], encoding: str, plain: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", FakeTerminal(io.BytesIO(), encoding=encoding))
    assert Terminal().plain is plain


def test_ctrl_c_at_the_prompt_shows_the_moves(screens: list[Screen]) -> None:
    screen = opened(screens, "play")
    screen.until("Black> ")
    screen.type("f5\r")
    screen.until("White> ")
    code, shown = screen.interrupt()
    assert code == 130
    assert "\nTranscript: f5\n" in shown


def test_ctrl_c_while_players_think_shows_the_moves(screens: list[Screen]) -> None:
    screen = opened(screens, "play", "slow", "slow")
    screen.until("White (slow) plays c3")
    code, shown = screen.interrupt()
    assert code == 130
    assert "is thinking" in shown
    assert re.search(r"\nTranscript: d3c3\w*\n", shown)
    assert "Traceback" not in shown


def test_ctrl_d_ends_politely(screens: list[Screen]) -> None:
    screen = opened(screens, "play", "--console")
    screen.until(">>>")
    screen.type("move 1 3\r")
    screen.until(">>>", times=2)
    screen.type("\x04")
    code, shown = screen.end()
    assert code == 0
    assert shown.endswith("Transcript: d2\n")
