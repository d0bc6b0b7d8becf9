"""A crowd for the server: many boards at once, each with a visitor who clicks as soon as possible. For `outflank bench
page`.

The server runs as everybody's does, in a process of its own on loopback; the crowd speaks to it over WebSockets only.
"""

import asyncio
import contextlib
import json
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Origin

from outflank.errors import Fault

ADDRESS = re.compile(r"http://\S+/")
PATIENCE = 60.0


@dataclass
class Crowd:
    """What a crowd saw."""

    boards: int
    seconds: float
    player: str
    waits: list[float] = field(default_factory=list)
    """Seconds from a click to the answer of the player."""
    echoes: list[float] = field(default_factory=list)
    """Seconds from a click to the board that shows it."""
    games: int = 0
    came_back: int = 0
    """Visitors who found their game again after the server was killed."""
    errors: list[str] = field(default_factory=list)
    memory: tuple[int, int] = (0, 0)
    """The server's resident kilobytes when the crowd had come, and when it left."""
    processor: float = 0.0
    """Seconds of processor time that the server used between the two, for so many answers."""
    answers: int = 0

    def data(self) -> dict[str, Any]:
        waits, echoes = sorted(self.waits), sorted(self.echoes)
        return {
            "boards": self.boards,
            "seconds": self.seconds,
            "player": self.player,
            "moves": len(waits),
            "games": self.games,
            "came_back": self.came_back,
            "errors": len(self.errors),
            "first_errors": self.errors[:5],
            "wait_mean": sum(waits) / len(waits) if waits else None,
            "wait_99": at_share(waits, 0.99),
            "wait_most": at_share(waits, 1.0),
            "echo_99": at_share(echoes, 0.99),
            "echo_most": at_share(echoes, 1.0),
            "processor_milliseconds_an_answer": 1000 * self.processor / self.answers if self.answers else None,
            "memory_megabytes": [round(kilobytes / 1024, 1) for kilobytes in self.memory],
        }


def at_share(ordered: list[float], share: float) -> float | None:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else None


async def crowd(
    boards: int, seconds: float, player: str, pause: float, analysis: bool = False, kill: bool = False
) -> Crowd:
    """So many boards against a player for so long; each visitor thinks for about `pause` seconds before a click.

    With `analysis`, one more visitor asks for analysis at full strength all the while. With `kill`, the server is
    killed in the middle and started again, and every visitor looks whether the game is still there.
    """
    seen = Crowd(boards, seconds, player)
    async with Server.started() as server:
        until = time.perf_counter() + seconds
        async with asyncio.TaskGroup() as group:
            if analysis:
                group.create_task(_analyst(server, until, seen))
            for number in range(boards):
                visitor = Visitor(server, number, player, pause, until, seen, kill)
                group.create_task(visitor.come())
            if kill:
                group.create_task(server.die_and_rise(seconds / 2))
            else:
                group.create_task(_watch(server.process.pid, until, seen))
    return seen


class Server:
    """An `outflank serve` in a process of its own, with a folder of its own."""

    def __init__(self, folder: str, options: tuple[str, ...]) -> None:
        self.folder, self._options = folder, options
        self.url = ""
        self.process: asyncio.subprocess.Process

    @classmethod
    @contextlib.asynccontextmanager
    async def started(cls, *options: str, log: bool = False) -> AsyncIterator["Server"]:
        with tempfile.TemporaryDirectory(prefix="outflank-load-") as folder:
            server = cls(folder, (*options, *(("--log", f"{folder}/log") if log else ())))
            await server._start(0)
            try:
                yield server
            finally:
                if server.process.returncode is None:
                    server.process.send_signal(signal.SIGINT)
                await server.process.wait()

    async def _start(self, port: int) -> None:
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "outflank", "serve", "--port", str(port), "--state", self.folder, *self._options),
            stdout=asyncio.subprocess.PIPE,
        )
        assert self.process.stdout is not None
        found = ADDRESS.search((await self.process.stdout.readline()).decode())
        if found is None:
            raise Fault("crowd.no-server")
        self.url = found[0].rstrip("/")

    async def die_and_rise(self, after: float) -> None:
        """Kills it, as a power cut would, and starts it again where it was."""
        await asyncio.sleep(after)
        self.process.kill()
        await self.process.wait()
        await self._start(urlsplit(self.url).port or 0)


def cookie_of(server: Server) -> str:
    """What a browser is given that comes for the first time."""
    with contextlib.closing(HTTPConnection(urlsplit(server.url).netloc)) as wire:
        wire.request("GET", "/")
        given = wire.getresponse().getheader("set-cookie", "")
    return given.partition(";")[0]


def new_board(server: Server, cookie: str, **asked: Any) -> str:
    """A new board, made over HTTP as the page does."""
    headers = {"Content-Type": "application/json", "Cookie": cookie}
    with contextlib.closing(HTTPConnection(urlsplit(server.url).netloc)) as wire:
        wire.request("POST", "/api/boards", json.dumps(asked), headers)
        answer = wire.getresponse()
        text = answer.read()
    if answer.status != HTTPStatus.CREATED:
        raise Fault("crowd.refused", text=text[:200])
    return str(json.loads(text)["id"])


def _opened(server: Server, cookie: str, board: str) -> connect:
    return connect(
        f"ws://{urlsplit(server.url).netloc}/api/boards/{board}/live",
        origin=Origin(server.url),
        additional_headers={"Cookie": cookie},
        max_size=None,
    )


@dataclass
class Visitor:
    """Somebody who plays game after game, clicking as soon as he has thought."""

    server: Server
    number: int
    player: str
    pause: float
    until: float
    seen: Crowd
    comes_back: bool
    """Whether he expects the server to go away, and tries again."""
    moves: int = 0
    """How many he plays, even if his time is up."""

    async def come(self) -> None:
        self._dice = random.Random(self.number)
        self._state: dict[str, Any] | None = None
        self._waits_for_server = False
        try:
            await asyncio.sleep(self._dice.uniform(0, min(self.pause, 1.0)))
            cookie = await asyncio.to_thread(cookie_of, self.server)
            board = await asyncio.to_thread(new_board, self.server, cookie, black="human", white=self.player)
            while self._goes_on or self._waits_for_server:
                try:
                    async with _opened(self.server, cookie, board) as socket:
                        await self._play(socket)
                except (OSError, InvalidHandshake, ConnectionClosed):
                    if not self.comes_back or time.perf_counter() > self.until + PATIENCE:
                        raise
                    self._waits_for_server = True
                    await asyncio.sleep(0.2)
        except Exception as error:
            self.seen.errors.append(f"{type(error).__name__}: {error}")

    @property
    def _goes_on(self) -> bool:
        return time.perf_counter() < self.until or len(self.seen.waits) < self.moves

    async def _play(self, socket: ClientConnection) -> None:
        state = await _state(socket)
        self._check_nothing_is_lost(state)
        while True:
            self._state = state
            while state["to_move"] == "agent":  # a player that was interrupted goes on by itself
                self._state = state = await _state(socket)
            if not self._goes_on:
                return
            await asyncio.sleep(self._dice.uniform(0, 2 * self.pause))
            if state["to_move"] == "over":
                self.seen.games += 1
                self._state = None
                await socket.send(json.dumps({"type": "new"}))
                state = await _state(socket)
                continue
            move = self._dice.choice(list(state["position"]["legal"]))
            began = time.perf_counter()
            await socket.send(json.dumps({"type": "move", "move": move, "at": state["cursor"]}))
            state = await _state(socket)
            self.seen.echoes.append(time.perf_counter() - began)
            if state["to_move"] == "agent":
                while state["to_move"] == "agent":
                    state = await _state(socket)
                self.seen.waits.append(time.perf_counter() - began)

    def _check_nothing_is_lost(self, state: dict[str, Any]) -> None:
        """What was told before is there: the same node with the same discs, on the way to where the game stands."""
        self.seen.came_back += self._waits_for_server
        self._waits_for_server = False
        before = self._state
        if before is None:  # nothing told yet of this game
            return
        boards = {node["id"]: node["board"] for node in state["nodes"]}
        if boards.get(before["cursor"]) != before["position"]["board"]:
            raise Fault("crowd.game-lost")


async def _state(socket: ClientConnection) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
        if message["type"] == "error" or message.get("error"):
            raise ValueError(message["error"])
        if message["type"] == "state":
            return message


async def _analyst(server: Server, until: float, seen: Crowd) -> None:
    """One visitor's analysis at full strength, always of the next position."""
    try:
        game = {"black": "human", "white": "human", "moves": "f5d6c3d3c4f4f6"}
        cookie = await asyncio.to_thread(cookie_of, server)
        board = await asyncio.to_thread(new_board, server, cookie, **game)
        async with _opened(server, cookie, board) as socket:
            await _state(socket)
            while time.perf_counter() < until:
                left = min(max(until - time.perf_counter(), 0.1), 60.0)
                await socket.send(json.dumps({"type": "analyse", "seconds": left}))
                while not (message := json.loads(await socket.recv())).get("done"):
                    if message["type"] == "error":
                        raise ValueError(message["error"])
    except Exception as error:
        seen.errors.append(f"analysis: {type(error).__name__}: {error}")


async def _watch(process: int, until: float, seen: Crowd) -> None:
    """What the server takes, from a moment when the crowd has come until it leaves."""
    await asyncio.sleep(min(5.0, max(until - time.perf_counter(), 0) / 2))
    (memory, used), answers = taken(process), len(seen.waits)
    await asyncio.sleep(max(until - time.perf_counter(), 0))
    memory_now, used_now = taken(process)
    seen.memory, seen.processor, seen.answers = (memory, memory_now), used_now - used, len(seen.waits) - answers


def taken(process: int) -> tuple[int, float]:
    """A process's resident kilobytes and seconds of processor time; nothing where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0, 0.0
    pages, ticks = int(fields[21]), int(fields[11]) + int(fields[12])
    return pages * (os.sysconf("SC_PAGE_SIZE") // 1024), ticks / os.sysconf("SC_CLK_TCK")
