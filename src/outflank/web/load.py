"""A crowd for the server: many boards at once, each a visitor who clicks as soon as he may. For `outflank bench page`.

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
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect

from outflank.web.guard import COOKIE

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
            "errors": len(self.errors),
            "first_errors": self.errors[:5],
            "wait_mean": sum(waits) / len(waits) if waits else None,
            "wait_99": _at(waits, 0.99),
            "wait_most": _at(waits, 1.0),
            "echo_99": _at(echoes, 0.99),
            "echo_most": _at(echoes, 1.0),
            "processor_milliseconds_an_answer": 1000 * self.processor / self.answers if self.answers else None,
            "memory_megabytes": [round(kilobytes / 1024, 1) for kilobytes in self.memory],
        }


def _at(ordered: list[float], share: float) -> float | None:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else None


async def crowd(boards: int, seconds: float, player: str, pause: float, analysis: bool) -> Crowd:
    """So many boards against a player for so long; each visitor thinks for about `pause` seconds before a click.

    With `analysis`, one more visitor asks for analysis at full strength all the while.
    """
    seen = Crowd(boards, seconds, player)
    async with _server() as (url, process):
        until = time.perf_counter() + seconds
        async with asyncio.TaskGroup() as group:
            if analysis:
                group.create_task(_analyst(url, until, seen))
            for number in range(boards):
                group.create_task(_visitor(url, number, player, pause, until, seen))
            group.create_task(_watch_memory(process.pid, until, seen))
    return seen


@contextlib.asynccontextmanager
async def _server() -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    with tempfile.TemporaryDirectory(prefix="outflank-load-") as folder:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "outflank", "serve", "--port", "0", "--state", folder),
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        try:
            found = ADDRESS.search((await process.stdout.readline()).decode())
            if found is None:
                raise ValueError("the server did not start")
            yield found[0].rstrip("/"), process
        finally:
            if process.returncode is None:
                process.send_signal(signal.SIGINT)
            await process.wait()


@contextlib.asynccontextmanager
async def _board(url: str, visitor: str, **asked: Any) -> AsyncIterator[ClientConnection]:
    """A new board, made over HTTP as the page does, and its WebSocket."""
    where = urlsplit(url)
    assert where.hostname is not None
    body = json.dumps(asked)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    writer.write(
        f"POST /api/boards HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: application/json\r\n"
        f"Cookie: {COOKIE}={visitor}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode()
    )
    head, _, answer = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    if b" 201 " not in head.split(b"\r\n")[0]:
        raise ValueError(f"a board was refused: {answer[:200]!r}")
    identity = json.loads(answer)["id"]
    async with connect(
        f"ws://{where.netloc}/api/boards/{identity}/live",
        origin=url,  # type: ignore[arg-type]
        additional_headers={"Cookie": f"{COOKIE}={visitor}"},
        max_size=None,
    ) as socket:
        yield socket


async def _visitor(url: str, number: int, player: str, pause: float, until: float, seen: Crowd) -> None:
    dice = random.Random(number)
    try:
        await asyncio.sleep(dice.uniform(0, min(pause, 1.0)))
        async with _board(url, f"visitor-{number}", black="human", white=player) as socket:
            state = await _state(socket)
            while time.perf_counter() < until:
                await asyncio.sleep(dice.uniform(0, 2 * pause))
                if state["to_move"] == "over":
                    seen.games += 1
                    await socket.send(json.dumps({"type": "new"}))
                    state = await _state(socket)
                    continue
                state = await _click(socket, state, dice, seen)
    except Exception as error:
        seen.errors.append(f"{type(error).__name__}: {error}")


async def _click(socket: ClientConnection, state: dict[str, Any], dice: random.Random, seen: Crowd) -> dict[str, Any]:
    """A move, and the answer to it."""
    move = dice.choice(list(state["position"]["legal"]))
    began = time.perf_counter()
    await socket.send(json.dumps({"type": "move", "move": move, "at": state["cursor"]}))
    state = await _state(socket)
    seen.echoes.append(time.perf_counter() - began)
    if state["to_move"] != "agent":
        return state
    while state["to_move"] == "agent":
        state = await _state(socket)
    seen.waits.append(time.perf_counter() - began)
    return state


async def _state(socket: ClientConnection) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
        if message["type"] == "error" or message.get("error"):
            raise ValueError(message["error"])
        if message["type"] == "state":
            return message


async def _analyst(url: str, until: float, seen: Crowd) -> None:
    """One visitor's analysis at full strength, always of the next position."""
    try:
        async with _board(url, "analyst", black="human", white="human", moves="f5d6c3d3c4f4f6") as socket:
            await _state(socket)
            while time.perf_counter() < until:
                left = min(max(until - time.perf_counter(), 0.1), 60.0)
                await socket.send(json.dumps({"type": "analyse", "seconds": left}))
                while not (message := json.loads(await socket.recv())).get("done"):
                    if message["type"] == "error":
                        raise ValueError(message["error"])
    except Exception as error:
        seen.errors.append(f"analysis: {type(error).__name__}: {error}")


async def _watch_memory(process: int, until: float, seen: Crowd) -> None:
    await asyncio.sleep(min(5.0, max(until - time.perf_counter(), 0) / 2))
    before, used, answers = _resident(process), _used(process), len(seen.waits)
    await asyncio.sleep(max(until - time.perf_counter(), 0))
    seen.memory = before, _resident(process)
    seen.processor, seen.answers = _used(process) - used, len(seen.waits) - answers


def _resident(process: int) -> int:
    """Resident kilobytes of a process; 0 where the system does not say."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text().split()[1]
        return int(pages) * (os.sysconf("SC_PAGE_SIZE") // 1024)
    except OSError:
        return 0


def _used(process: int) -> float:
    """Seconds of processor time that a process has used; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
