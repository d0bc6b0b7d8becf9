"""Conversations with our engines, for the tests of the protocols: in this process, line by line or all at once."""

import os
import queue
import sys
import tempfile
import threading
from collections.abc import Callable

from outflank.agents.agent import Agent
from outflank.agents.rating import Show
from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import OTHELLO, Variant
from outflank.protocols import session as sessions
from outflank.protocols.session import Seat, Session
from outflank.search.limits import Limit, Report

OUTFLANK = f"{sys.executable} -m outflank"
"""The program, as a shell calls it."""
sessions.PATIENCE = 120.0
"""A player that is stopped while it still loads its kernels, on a machine that is very busy, is not left alone."""


def said(engine: type[Session], text: str | bytes, spec: str = "greedy", variant: Variant = OTHELLO) -> str:
    """All that an engine answers to a script: a file, so that all of it is there before the first search."""
    answers: list[bytes] = []
    with tempfile.TemporaryFile() as script:
        script.write(text.encode() if isinstance(text, str) else text)
        script.seek(0)
        _engine(engine, script.fileno(), answers.append, lambda: agent(spec), variant).run()
    return b"".join(answers).decode()


class Recorder(Agent):
    """Plays the lowest square, and writes down what it was told."""

    def __init__(self, told: list[str]) -> None:
        self._told = told

    def expect(self, limit: Limit) -> None:
        if limit != Limit():
            self._told.append(f"expect {limit}")

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self._told.append(f"start {variant}")

    def choose(self, game: Game, limit: Limit) -> Report:
        self._told.append(f"choose {game.transcript}")
        return Report(game.position.legal_moves[0])

    def close(self) -> None:
        self._told.append("close")


def _engine(
    engine: Callable[..., Session],
    descriptor: int,
    write: Callable[[bytes], object],
    make: Callable[[], Agent],
    variant: Variant = OTHELLO,
    ponders: bool = False,
) -> Session:
    return engine(descriptor, write, Seat(make, "Outflank test", "1.0", ponders=ponders), variant)


class Talk:
    """An engine that listens while the test goes on. Its answers come as a file."""

    def __init__(self, engine: type[Session], make: Callable[[], Agent], ponders: bool = False) -> None:
        reading, self._writing = os.pipe()
        theirs, writing = os.pipe()
        self._answers = os.fdopen(theirs, "r")
        session = _engine(engine, reading, lambda data: os.write(writing, data), make, ponders=ponders)

        def run() -> None:
            session.run()
            os.close(writing)
            os.close(reading)

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def send(self, *lines: str) -> None:
        os.write(self._writing, "".join(f"{line}\n" for line in lines).encode())

    def line(self) -> str:
        return self._answers.readline().rstrip("\n")

    def until(self, beginning: str) -> list[str]:
        """The lines up to the first that begins so."""
        lines = [self.line()]
        while not lines[-1].startswith(beginning):
            lines.append(self.line())
        return lines

    def end(self) -> str:
        """Ends the input; what is still said."""
        os.close(self._writing)
        rest = self._answers.read()
        self.thread.join()
        self._answers.close()
        return rest


class Endless(Agent):
    """A search that would take years, and says when it has begun."""

    def __init__(self, began: threading.Event, spec: str = "minimax:depth=40") -> None:
        self._began = began
        self._player = agent(spec)

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self._player.start(variant, color, seed)

    def choose(self, game: Game, limit: Limit) -> Report:
        threading.Timer(0.05, self._began.set).start()
        return self._player.choose(game, Limit())

    def hints(self, game: Game, limit: Limit, show: Show) -> None:
        threading.Timer(0.05, self._began.set).start()
        self._player.hints(game, Limit(), show)

    def close(self) -> None:
        self._player.close()


class Ponderer(Agent):
    """Plays the lowest square at once, and ponders for years; it says where, and when it was ended."""

    def __init__(self, pondered: "queue.SimpleQueue[str]") -> None:
        self._pondered = pondered
        self._search = agent("minimax:depth=40")

    def choose(self, game: Game, limit: Limit) -> Report:
        return Report(game.position.legal_moves[0])

    def ponder(self, game: Game, limit: Limit) -> None:
        self._pondered.put(f"began after {game.transcript}")
        self._search.choose(game, limit)
        self._pondered.put("ended")
