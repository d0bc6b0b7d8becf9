"""Connections that come to no point, names that are not ours, and a log that somebody wants to fill."""

import asyncio
import contextlib
import logging
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import httpx
import pytest
import uvicorn
from serving import running_server
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from outflank.agents.sandbox import enclosure
from outflank.agents.sandbox.consent import ACCEPTED
from outflank.cli import serve
from outflank.web import door, logs
from outflank.web.door import Door, Http, Socket
from outflank.web.guard import Guard
from outflank.web.logs import Folded, keep_log
from outflank.web.players import Players
from outflank.web.settings import Settings

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
WHOLE = HALF + b"Connection: close\r\n\r\n"
Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def here(scope: Scope, receive: Receive, send: Send) -> None:
    """Reads what was sent, and says who sent it."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await receive()
        return
    request = Request(scope, receive)
    await request.body()
    await PlainTextResponse(request.client.host if request.client else "")(scope, receive, send)


def behind(the_door: Door, body: Callable[[int], Awaitable[None]], proxies: tuple[str, ...] = ()) -> None:
    """Runs a server behind a door, and a body that knows its port."""

    async def main() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            config = uvicorn.Config(
                here,
                http=partial(Http, the_door),  # type: ignore[arg-type]
                ws=partial(Socket, the_door),  # type: ignore[arg-type]
                proxy_headers=bool(proxies),
                forwarded_allow_ips=list(proxies),
                log_config=None,
                lifespan="off",
                timeout_graceful_shutdown=1,
            )
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve([listener]))
            while not server.started:
                await asyncio.sleep(0)
            try:
                await asyncio.wait_for(body(listener.getsockname()[1]), 60)
            finally:
                server.should_exit = True
                await serving

    asyncio.run(main())


async def said(port: int, text: bytes, source: str = "127.0.0.1") -> Wire:
    wire = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    wire[1].write(text)
    return wire


async def answer(wire: Wire) -> bytes:
    """All that comes until the server hangs up."""
    try:
        return await wire[0].read()
    except ConnectionError:
        return b""
    finally:
        wire[1].close()


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ("SECONDS_TO_ASK", b""),
        ("SECONDS_TO_ASK", HALF),
        ("SECONDS_TO_SEND", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf"),
    ],
)
def test_whoever_does_not_finish_is_let_go(monkeypatch: pytest.MonkeyPatch, setting: str, text: bytes) -> None:
    monkeypatch.setattr(door, setting, 0.05)

    async def body(port: int) -> None:
        assert await answer(await said(port, text)) == b""

    behind(Door(), body)


def test_a_second_request_has_to_be_finished_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "SECONDS_TO_ASK", 0.05)

    async def body(port: int) -> None:
        wire = await said(port, HALF + b"\r\n")
        assert b"127.0.0.1" in await wire[0].readuntil(b"127.0.0.1")
        wire[1].write(b"G")
        assert await answer(wire) == b""

    behind(Door(), body)


def test_half_open_connections_make_room_for_those_who_ask() -> None:
    async def body(port: int) -> None:
        half = [await said(port, HALF) for _ in range(20)]
        assert b"200 OK" in await answer(await said(port, WHOLE))
        left = [wire for wire in half if not wire[0].at_eof()]
        assert left, "no more than needed"
        for wire in half:
            wire[1].close()

    behind(Door(of_address=5), body)
    behind(Door(most=5), body)


def test_an_address_has_so_many_connections_and_no_more() -> None:
    upgrade = (
        b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )

    async def body(port: int) -> None:
        sockets = [await said(port, HALF + upgrade) for _ in range(5)]
        for reader, _ in sockets:
            assert b" 101 " in await reader.readline()
        assert await answer(await said(port, WHOLE)) == b""
        assert b"200 OK" in await answer(await said(port, WHOLE, "127.0.0.2")), "another address has room"
        sockets[0][1].close()
        while b"200 OK" not in await answer(await said(port, WHOLE)):  # the server hears of it a moment later
            pass
        for _, writer in sockets:
            writer.close()

    behind(Door(of_address=5), body)


def test_a_proxy_says_for_whom_it_asks_only_where_it_is_known() -> None:
    asked = HALF + b"X-Forwarded-For: 10.9.8.7, 192.0.2.1\r\nConnection: close\r\n\r\n"

    async def unknown(port: int) -> None:
        assert (await answer(await said(port, asked))).endswith(b"127.0.0.1")

    async def known(port: int) -> None:
        answers = await asyncio.gather(*[answer(await said(port, asked)) for _ in range(10)])
        assert [text.rpartition(b"\n")[2] for text in answers] == [b"192.0.2.1"] * 10, "the last that a proxy saw"

    behind(Door(), unknown)
    behind(Door(proxies=["127.0.0.1"], of_address=1), known, ("127.0.0.1",))


# Names


async def status(settings: Settings, host: str) -> int:
    guard = Guard(PlainTextResponse("here"), settings.answers_to)
    transport = httpx.ASGITransport(guard, client=("10.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        return (await client.get("/", headers={"host": host})).status_code


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("othello.example.org", 200),
        ("Othello.Example.ORG.:443", 200),
        ("192.0.2.7:8400", 200),
        ("[2001:db8::1]:8400", 200),
        ("localhost:8400", 200),
        ("evil.example", 403),
        ("192.0.2.7.evil.example", 403),
        ("", 403),
    ],
)
def test_a_public_server_answers_to_its_names_and_addresses(host: str, expected: int) -> None:
    settings = Settings(host="0.0.0.0", public=True, names=("othello.example.org",))
    assert asyncio.run(status(settings, host)) == expected


def test_a_server_of_ones_own_answers_to_no_other_address() -> None:
    assert asyncio.run(status(Settings(), "192.0.2.7")) == 403


# The log


def test_a_line_that_comes_again_and_again_is_folded() -> None:
    now = 0.0
    lines: list[str] = []

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    handler = Lines()
    handler.addFilter(Folded(3, 60.0, lambda: now))
    log = logging.Logger("folded")
    log.addHandler(handler)

    def knock(number: int) -> None:
        log.warning("knock %d", number)

    for number in range(1000):
        knock(number)
    log.warning("something else")
    now = 60.0
    knock(1000)
    knock(1001)
    assert lines == [
        *("knock 0", "knock 1", "knock 2", "something else"),
        *("knock 1000 (997 more such lines were left out)", "knock 1001"),
    ]


def test_a_log_file_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "FILE_BYTES", 10_000)
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    try:
        keep_log(tmp_path / "log")
        (handler,) = root.handlers
        handler.filters.clear()
        for number in range(1000):
            logging.getLogger("outflank.web").warning("%d %s", number, "x" * 100)
        logging.getLogger("outflank.web").warning("y" * 100_000)
    finally:
        logging.basicConfig(level=level, handlers=before, force=True)
    sizes = [file.stat().st_size for file in tmp_path.iterdir()]
    assert len(sizes) == 1 + logs.FILES and max(sizes) <= 10_000


def test_requests_that_are_none_fill_no_log(tmp_path: Path) -> None:
    with running_server(tmp_path / "state", "--log", str(tmp_path / "log")) as server:
        for _ in range(300):
            with contextlib.closing(socket.create_connection(("127.0.0.1", server.port), 20)) as wire:
                wire.sendall(b"\x16\x03\x01 no HTTP at all\r\n\r\n")
                assert b" 400 " in wire.recv(1000)
        text = (tmp_path / "log").read_text()
    assert 1 <= text.count("Invalid HTTP request") <= logs.LINES
    assert server.errors == []


# Somebody's file as a player of the page


def test_a_file_that_cannot_be_shut_in_is_no_player_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    file = Path(__file__).parent / "submissions" / "honest" / "course_player.py"
    monkeypatch.delenv(ACCEPTED, raising=False)
    monkeypatch.setattr(enclosure, "_tried", lambda how: "not today")
    enclosure.strongest.cache_clear()
    try:
        settings = Settings(agents={"mine": f"py:{file}"})
        with pytest.raises(ValueError, match=r"not today.*--unsafe"):
            Players(settings)
        monkeypatch.setenv(ACCEPTED, "1")
        assert Players(settings).own
        assert any(line.startswith("--unsafe: nothing will keep it from reading") for line in serve._warnings(settings))
        assert serve._warnings(Settings(agents={"mine": "greedy"})) == []
    finally:
        enclosure.strongest.cache_clear()


def test_serve_knows_the_option_that_its_refusal_names() -> None:
    done = subprocess.run([sys.executable, "-m", "outflank", "serve", "--help"], capture_output=True, text=True)
    assert "--unsafe" in done.stdout
