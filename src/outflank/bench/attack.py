"""An attack on a server of our own, while honest visitors play there. For `outflank bench attack`.

The attackers are a process of their own, each of them at an address of his own: on Linux all of 127.0.0.0/8 is this
machine. They invent cookies, open connections and say nothing, and ask for whatever costs most, as often as they can.
"""

import asyncio
import contextlib
import itertools
import json
import multiprocessing
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass, field
from multiprocessing.queues import Queue
from pathlib import Path
from queue import Empty
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Origin

from outflank.bench.crowd import Crowd, Server, Visitor, at_share, cookie_of, new_board, taken
from outflank.errors import Fault
from outflank.web.visitors import COOKIE

PLAYER, PAUSE = "engine:level=1", 0.3
HONEST, BYSTANDERS = 3, 20
"""Those who play, and boards of others who have left and want to find them again."""
GAME = "f5d6c3d3c4f4f6f3e6e7"
NEWCOMER_EVERY = 5.0
QUIET_SHARE = 0.1
"""For so much of the attack's time the honest play alone before it: the machine has other work, too, and a wait says
something only beside another on the same machine in the same minutes."""
HELD = 700
"""Connections that an attacker tries to hold: more than an address may have."""
BREATH = 0.005
"""Seconds between two requests of an attack: otherwise it would take the processor that the server needs, which on a
real network it could not."""
NICE = 5


@dataclass
class Attack:
    """What the honest saw, and what the server took."""

    seconds: float
    crowd: Crowd
    quiet: Crowd
    """What the same visitors saw before it."""
    newcomers: list[float] = field(default_factory=list)
    """Seconds from coming to the page until the first move was answered on a new board."""
    kept: int = 0
    """Boards of bystanders that were there afterwards as they had been."""
    errors: list[str] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    """The server's resident kilobytes, once a second."""
    loop_quiet: tuple[float, float] = (0.0, 0.0)
    loop: tuple[float, float] = (0.0, 0.0)
    """Seconds for which the thread that answers everybody ran, and for which it could have and had no processor: before
    the attack, and under it."""
    log: int = 0
    """Bytes in its log."""
    state: int = 0
    """Bytes in its folder."""
    answers: dict[str, dict[str, int]] = field(default_factory=dict)
    """How often each kind of attack was given which answer."""

    def data(self) -> dict[str, Any]:
        waits, quiet, newcomers = sorted(self.crowd.waits), sorted(self.quiet.waits), sorted(self.newcomers)
        errors = self.quiet.errors + self.crowd.errors + self.errors
        return {
            "seconds": self.seconds,
            "quiet_moves": len(quiet),
            "quiet_50": at_share(quiet, 0.5),
            "quiet_99": at_share(quiet, 0.99),
            "quiet_most": at_share(quiet, 1.0),
            "moves": len(waits),
            "wait_50": at_share(waits, 0.5),
            "wait_99": at_share(waits, 0.99),
            "wait_most": at_share(waits, 1.0),
            "newcomers": len(newcomers),
            "newcomer_most": at_share(newcomers, 1.0),
            "boards_kept": [self.kept, BYSTANDERS],
            "errors": len(errors),
            "first_errors": errors[:5],
            "memory_megabytes": [round(one / 1024) for one in (self.memory[0], max(self.memory), self.memory[-1])]
            if self.memory
            else [],
            "loop_quiet": self.loop_quiet,
            "loop": self.loop,
            "log_kilobytes": round(self.log / 1024, 1),
            "state_megabytes": round(self.state / 2**20, 1),
            "attacks": self.answers,
        }


async def attack(seconds: float, kinds: Collection[str] = ()) -> Attack:
    """Attacks a public server for so long, in these ways or all, and says what came of it."""
    kinds = kinds or tuple(ATTACKS)
    if unknown := set(kinds) - set(ATTACKS):
        raise Fault("attack.kind", text=min(unknown), kinds=", ".join(ATTACKS))
    if sys.platform != "linux":
        raise Fault("attack.linux")
    quiet = QUIET_SHARE * seconds
    seen = Attack(seconds, Crowd(HONEST, seconds, PLAYER), Crowd(HONEST, quiet, PLAYER))
    async with Server.started("--public", log=True) as server:
        bystanders = [await asyncio.to_thread(_bystander, server) for _ in range(BYSTANDERS)]
        before = _loop(server)
        await _honest(server, time.perf_counter() + quiet, seen.quiet)
        begun = _loop(server)
        spawn = multiprocessing.get_context("spawn")
        told: Queue[dict[str, dict[str, int]]] = spawn.Queue()
        attackers = spawn.Process(target=_attackers, args=(server.url, seconds, kinds, told))
        attackers.start()
        try:
            until = time.perf_counter() + seconds
            async with asyncio.TaskGroup() as group:
                group.create_task(_honest(server, until, seen.crowd))
                group.create_task(_newcomers(server, until, seen))
                group.create_task(_watch(server, until, seen))
            try:
                seen.answers = await asyncio.to_thread(told.get, timeout=60.0)
            except Empty:
                seen.errors.append("the attackers did not say what they were answered")
        finally:
            ended = _loop(server)
            attackers.kill()
            attackers.join()
        seen.loop_quiet = begun[0] - before[0], begun[1] - before[1]
        seen.loop = ended[0] - begun[0], ended[1] - begun[1]
        for board in bystanders:
            await _look(server, board, seen)
        seen.log = sum(file.stat().st_size for file in Path(server.folder).glob("log*"))
        seen.state = sum(file.stat().st_size for file in Path(server.folder).iterdir())
    return seen


async def _honest(server: Server, until: float, crowd: Crowd) -> None:
    """Those who play."""
    await asyncio.gather(
        *(Visitor(server, number, PLAYER, PAUSE, until, crowd, False, moves=1).come() for number in range(HONEST))
    )


def _bystander(server: Server) -> str:
    return new_board(server, cookie_of(server), white="human", moves=GAME)


async def _look(server: Server, board: str, seen: Attack) -> None:
    try:
        status, body = await asyncio.wait_for(_asked(await _Wire.opened(server.url), f"/api/boards/{board}"), 30.0)
        moves = [node["move"] for node in json.loads(body)["nodes"] if node["move"]] if status == 200 else []
        seen.kept += "".join(moves) == GAME
    except (OSError, TimeoutError) as error:
        seen.errors.append(f"a bystander: {error!r}")


async def _newcomers(server: Server, until: float, seen: Attack) -> None:
    """Every now and then somebody comes for the first time, and plays a move."""
    while time.perf_counter() < until:
        began = time.perf_counter()
        alone = Crowd(1, 0.0, PLAYER)
        # His time is up at once, so he goes when his first move was answered.
        await Visitor(server, len(seen.newcomers), PLAYER, 0.0, began, alone, False, moves=1).come()
        seen.errors += [f"a newcomer: {error}" for error in alone.errors]
        if alone.waits:
            seen.newcomers.append(time.perf_counter() - began)
        await asyncio.sleep(min(NEWCOMER_EVERY, max(until - time.perf_counter(), 0.0)))


async def _watch(server: Server, until: float, seen: Attack) -> None:
    while time.perf_counter() < until:
        seen.memory.append(taken(server.process.pid)[0])
        await asyncio.sleep(1.0)


def _loop(server: Server) -> tuple[float, float]:
    """For how long the server's main thread has run, and has waited for a processor."""
    ran, waited, _ = Path(f"/proc/{server.process.pid}/schedstat").read_text().split()
    return int(ran) / 1e9, int(waited) / 1e9


# The attackers


def _attackers(url: str, seconds: float, kinds: Collection[str], told: "Queue[dict[str, dict[str, int]]]") -> None:
    os.nice(NICE)
    answers: dict[str, Counter[str]] = {name: Counter() for name in kinds}

    async def run() -> None:
        tasks = [
            asyncio.create_task(_again_and_again(attack, _Attacker(url, f"127.0.{kind}.{number}", answers[name])))
            for kind, (name, (attack, count)) in enumerate(ATTACKS.items(), 1)
            for number in range(1, count + 1)
            if name in kinds
        ]
        await asyncio.sleep(seconds)
        told.put({name: dict(counts) for name, counts in answers.items()})  # before the tasks end: some never do
        for task in tasks:
            task.cancel()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run())


@dataclass
class _Attacker:
    """Somebody who means harm, at his address."""

    url: str
    address: str
    answers: Counter[str]

    def __post_init__(self) -> None:
        self._wire: _Wire | None = None
        self.numbers = itertools.count()

    async def ask(self, path: str, cookie: str = "", **data: Any) -> tuple[int, bytes]:
        """A request over the connection that there is, or a new one."""
        if self._wire is None or self._wire.writer.is_closing():
            self._wire = await _Wire.opened(self.url, self.address)
        try:
            status, body = await _asked(self._wire, path, cookie, data)
        except (OSError, EOFError):
            self._wire.writer.close()
            raise
        self.answers[str(status)] += 1
        return status, body

    async def board(self, **asked: Any) -> str:
        """A new board, under a name that nobody had."""
        status, body = await self.ask("/api/boards", f"invented-{next(self.numbers)}", **asked)
        if status != 201:
            await asyncio.sleep(0.1)
            raise ConnectionError(str(status))
        return str(json.loads(body)["id"])

    def socket(self, board: str) -> connect:
        return connect(
            f"ws://{urlsplit(self.url).netloc}/api/boards/{board}/live",
            origin=Origin(self.url),
            additional_headers={"Cookie": f"{COOKIE}=invented-{next(self.numbers)}"},
            local_addr=(self.address, 0),
            max_size=None,
        )


@dataclass
class _Wire:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    host: str

    @classmethod
    async def opened(cls, url: str, address: str = "127.0.0.1") -> "_Wire":
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port, local_addr=(address, 0))
        return cls(reader, writer, parts.netloc)


async def _asked(wire: _Wire, path: str, cookie: str = "", data: dict[str, Any] | None = None) -> tuple[int, bytes]:
    body = json.dumps(data).encode() if data else b""
    wire.writer.write(
        f"{'POST' if data else 'GET'} {path} HTTP/1.1\r\nHost: {wire.host}\r\nCookie: {COOKIE}={cookie}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    head = (await wire.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = next((line for line in head.split("\r\n") if line.startswith("content-length:")), ":0").partition(":")[2]
    return int(head.split()[1]), await wire.reader.readexactly(int(length))


async def _again_and_again(attack: Callable[[_Attacker], Coroutine[Any, Any, None]], attacker: _Attacker) -> None:
    while True:
        try:
            await attack(attacker)
        except (OSError, EOFError, InvalidHandshake, ConnectionClosed, TimeoutError) as error:
            attacker.answers[type(error).__name__] += 1
        await asyncio.sleep(BREATH)


async def _half_open(attacker: _Attacker, begun: bytes = b"POST /api/read HTTP/1.1\r\nHost: 127.0.0.1\r\n") -> None:
    """Holds connections on which a request is begun."""
    async with contextlib.AsyncExitStack() as held:
        for _ in range(HELD):
            wire = await _Wire.opened(attacker.url, attacker.address)
            held.callback(wire.writer.close)
            wire.writer.write(begun)
            attacker.answers["opened"] += 1
            await asyncio.sleep(BREATH)


async def _half_sent(attacker: _Attacker) -> None:
    """The same with a body that never comes."""
    head = b"POST /api/read HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4000000\r\n\r\n{"
    await _half_open(attacker, head)


async def _garbage(attacker: _Attacker) -> None:
    """What is no request, for the log."""
    wire = await _Wire.opened(attacker.url, attacker.address)
    wire.writer.write(b"\x16\x03\x01 nothing\r\n\r\n")
    attacker.answers[(await wire.reader.readline()).decode("latin-1").split(" ")[1:2][0]] += 1
    wire.writer.close()


async def _boards(attacker: _Attacker) -> None:
    await attacker.ask("/api/boards", f"invented-{next(attacker.numbers)}", white="human", moves=GAME)


async def _cookies(attacker: _Attacker) -> None:
    await attacker.ask("/")


async def _specs(attacker: _Attacker) -> None:
    """A player that nobody has had, who thinks at once."""
    number = next(attacker.numbers)
    board = await attacker.board(black=f"phased:weighting={number % 100_000},depth=3", white="human")
    async with attacker.socket(board) as socket:
        for _ in range(2):
            await asyncio.wait_for(socket.recv(), 10.0)
            attacker.answers["states"] += 1


async def _matches(attacker: _Attacker) -> None:
    seed = next(attacker.numbers)
    await attacker.ask("/api/matches", f"invented-{seed}", a="alphabeta:depth=4", b="greedy", games=20, seed=seed)


async def _heavy(attacker: _Attacker) -> None:
    """What takes longest to answer."""
    board = {"variant": "othello", "board": "-" * 27 + "OX------XO" + "-" * 27, "turn": "black"}
    await attacker.ask("/api/lessons", kind="montecarlo", position=board, playouts=2000)
    await attacker.ask("/api/read", text="f5d6c3d3c4f4f6f3e6e7 " * 30_000)
    await attacker.ask("/api/explain", position=board, heuristic="combined")


async def _trees(attacker: _Attacker) -> None:
    """A board with as many branches as it takes, turned again and again, by many who do not read the answers."""
    dice = random.Random(next(attacker.numbers))
    board = await attacker.board(black="human", white="human")
    async with attacker.socket(board) as socket:
        state = json.loads(await socket.recv())
        while not state.get("error"):
            moves = list(state["position"]["legal"])
            if not moves or dice.random() < 0.1:
                said = {"type": "goto", "node": dice.randrange(state["cursor"] + 1)}
            else:
                said = {"type": "move", "move": dice.choice(moves)}
            await socket.send(json.dumps(said))
            state = json.loads(await asyncio.wait_for(socket.recv(), 30.0))
            while state["type"] == "error" and state["error"].startswith("too many messages"):
                await asyncio.sleep(0.5)
                await socket.send(json.dumps({"type": "goto", "node": 0}))
                state = json.loads(await asyncio.wait_for(socket.recv(), 30.0))
            await asyncio.sleep(0.04)
        attacker.answers["trees"] += 1
    async with contextlib.AsyncExitStack() as held:
        opened: list[ClientConnection] = []
        for _ in range(50):
            opened.append(await held.enter_async_context(attacker.socket(board)))
        for socket in itertools.islice(itertools.cycle(opened), 2000):
            await socket.send('{"type":"turn","symmetry":1}')
            attacker.answers["turns"] += 1
            await asyncio.sleep(BREATH)


async def _sockets(attacker: _Attacker) -> None:
    """Many boards open at once, each of which wants to be analysed."""
    board = await attacker.board(black="human", white="human", moves=GAME)
    async with contextlib.AsyncExitStack() as held:
        for _ in range(HELD):
            socket = await held.enter_async_context(attacker.socket(board))
            await socket.send('{"type":"analyse","seconds":120}')
            attacker.answers["opened"] += 1
            await asyncio.sleep(BREATH)


ATTACKS: dict[str, tuple[Callable[[_Attacker], Coroutine[Any, Any, None]], int]] = {
    "half-open": (_half_open, 2),
    "half-sent": (_half_sent, 1),
    "garbage": (_garbage, 1),
    "boards": (_boards, 2),
    "cookies": (_cookies, 1),
    "specs": (_specs, 1),
    "matches": (_matches, 2),
    "heavy": (_heavy, 1),
    "trees": (_trees, 2),
    "sockets": (_sockets, 1),
}
"""Each kind of attack, and from how many addresses it comes."""
