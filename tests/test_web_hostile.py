"""A page that means harm: wrong types, floods, ten megabytes, foreign origins, names of files. The server stays up,
answers in one line, and tells nothing about the machine."""

import asyncio
import contextlib
import json
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from serving import Server, running_server
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from websockets.exceptions import ConnectionClosed, InvalidStatus

from outflank.web.connections import OF_ONE_VISITOR, TRY_LATER
from outflank.web.guard import BEGUN_AT_ONCE, REQUESTS_A_SECOND, REQUESTS_AT_ONCE, Guard

FOREIGN = ("http://[", "http://evil.example", "null", "http://127.0.0.1:1", "https://localhost")
EVIL_TEXT = ("py:/etc/passwd", "../../../etc/passwd", "gtp:id", "\x00", "x" * 5000, "-" * 64, "🦆" * 100, "f5" * 3000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile-folder")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with running_server(folder / "state") as running:
        yield running
        check(running)


def check(server: Server) -> None:
    """It is there, and nothing broke inside it."""
    assert server.process.poll() is None, "the server died"
    noise = "".join(server.errors)
    assert "Traceback" not in noise, noise
    time.sleep(0.1)
    assert httpx.get(f"{server.url}/api/lessons", timeout=60).status_code in (200, 429)


def polite(answer: httpx.Response, folder: Path) -> None:
    assert answer.status_code < 500 or answer.status_code == 503, answer.text
    assert str(folder) not in answer.text and "Traceback" not in answer.text and "site-packages" not in answer.text
    if answer.status_code >= 400:
        error = answer.json()["error"]
        assert error and "\n" not in error and len(error) < 500


# Who may call


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_foreign_page_cannot_change_anything(server: Server, origin: str) -> None:
    answer = httpx.post(f"{server.url}/api/boards", json={}, headers={"origin": origin}, timeout=60)
    assert answer.status_code == 403
    answer = httpx.get(f"{server.url}/api/about", headers={"origin": origin}, timeout=60)
    assert answer.status_code == 403


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_foreign_page_cannot_open_a_board(server: Server, origin: str) -> None:
    board = server.new_board()
    with pytest.raises(InvalidStatus) as refused, server.socket(f"/api/boards/{board}/live", origin):
        pass
    assert refused.value.response.status_code == 403
    assert not [line for line in server.errors if "ASGI" in line], "knocking must not fill the log"


def test_a_request_of_another_site_is_refused_by_what_browsers_say(server: Server) -> None:
    answer = httpx.post(f"{server.url}/api/boards", json={}, headers={"sec-fetch-site": "cross-site"}, timeout=60)
    assert answer.status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::2]"])
def test_a_foreign_name_for_our_address_is_refused(server: Server, host: str) -> None:
    answer = httpx.get(f"{server.url}/api/about", headers={"host": host}, timeout=60)
    assert answer.status_code in (400, 403)


def test_every_answer_carries_the_policy(server: Server) -> None:
    for path in ("/", "/api/about", "/api/nothing", "/page/nothing.js", "/api/boards/none"):
        answer = httpx.get(server.url + path, timeout=60)
        assert "default-src 'none'" in answer.headers["content-security-policy"], path
        assert answer.headers["x-content-type-options"] == "nosniff"


# Files


@pytest.mark.parametrize(
    "path",
    [
        "/page/../app.py",
        "/page/%2e%2e/app.py",
        "/page/..%2fapp.py",
        "/page//etc/passwd",
        "/page/%2fetc%2fpasswd",
        "/page/index.html%00.js",
        "/page/../../../../../etc/passwd.js",
        "/b/../../etc/passwd",
        "/page/../jsconfig.json",
    ],
)
def test_only_the_pages_own_files_are_sent(server: Server, folder: Path, path: str) -> None:
    with httpx.Client(base_url=server.url, timeout=60) as client:
        request = client.build_request("GET", server.url)
        answer = client.send(
            httpx.Request("GET", request.url.copy_with(raw_path=path.encode()), headers=request.headers)
        )
    assert "root:" not in answer.text and "import" not in answer.text.split("<script")[0][:200]
    polite(answer, folder) if answer.status_code != 200 else None
    assert answer.status_code in (200, 400, 404)
    if answer.status_code == 200:
        assert answer.headers["content-type"].startswith("text/html")  # a board's address: the page itself


@pytest.mark.parametrize("name", ["py:./x.py", "gtp:id", "nboard:id", "alphabeta:heuristic=/etc/passwd", "py:", "gtp:"])
def test_a_page_cannot_name_a_file_or_a_command(server: Server, folder: Path, name: str) -> None:
    for path, data in (
        ("/api/boards", {"white": name}),
        ("/api/matches", {"a": name, "b": "random"}),
        (
            "/api/explain",
            {"position": {"board": "-" * 27 + "OX------XO" + "-" * 27}, "heuristic": name.partition("=")[2] or name},
        ),
    ):
        answer = httpx.post(server.url + path, json=data, timeout=60)
        assert answer.status_code == 400, answer.text
        polite(answer, folder)


# Too much


def test_ten_megabytes_are_refused(server: Server, folder: Path) -> None:
    answer = httpx.post(f"{server.url}/api/read", content=b"x" * 10_000_000, timeout=60)
    assert answer.status_code == 413
    polite(answer, folder)

    def unannounced() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 100_000

    try:
        answer = httpx.post(f"{server.url}/api/read/file", content=unannounced(), timeout=60)
        assert answer.status_code == 413
    except httpx.TransportError:
        pass  # it hung up while we were still sending
    check(server)


@pytest.mark.parametrize("length", ["9" * 5000, "-1", "ten", "1e3", "²"])
def test_a_strange_length_is_refused(server: Server, length: str) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 60) as wire:
        wire.sendall(
            f"POST /api/read HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {length}\r\n\r\n".encode("latin-1")
        )
        assert wire.recv(100).split()[1] in (b"400", b"413")
    check(server)


def test_ten_megabytes_over_a_websocket_close_it(server: Server) -> None:
    with server.board(server.new_board()) as board, pytest.raises(ConnectionClosed) as closed:
        board.socket.send("x" * 10_000_000)
        while True:
            board.receive()
    assert closed.value.rcvd is None or closed.value.rcvd.code == 1009
    check(server)


def test_a_flood_of_messages_is_stopped(server: Server) -> None:
    with server.board(server.new_board(white="human")) as board:
        with pytest.raises(ConnectionClosed) as closed:
            for _ in range(3000):
                board.socket.send('{"type":"ping"}')
            while True:
                board.receive()
        assert closed.value.rcvd is None or closed.value.rcvd.code == 1008
    check(server)


def test_a_visitor_has_so_many_connections_and_no_more(server: Server) -> None:
    board = f"/api/boards/{server.new_board(white='human')}/live"
    with contextlib.ExitStack() as tabs:
        opened = [tabs.enter_context(server.socket(board, visitor="greedy")) for _ in range(OF_ONE_VISITOR)]
        for socket_ in opened:
            assert json.loads(socket_.recv(60))["type"] == "state"
        for path in (board, "/api/matches/none/live"):
            with server.socket(path, visitor="greedy") as another, pytest.raises(ConnectionClosed) as closed:
                another.recv(60)
            assert closed.value.rcvd is not None
            assert (closed.value.rcvd.code, json.loads(closed.value.rcvd.reason)["error"]) == (
                TRY_LATER,
                "you have too many boards open: close some",
            )
        with server.socket(board, visitor="modest") as other:
            assert json.loads(other.recv(60))["type"] == "state"
        opened[0].close()
        for _ in range(100):  # the server hears of it a moment later
            with server.socket(board, visitor="greedy") as again, contextlib.suppress(ConnectionClosed):
                assert json.loads(again.recv(60))["type"] == "state"
                return
    pytest.fail("a tab was closed, and there is no room for another")


def test_a_flood_of_analyses_leaves_nothing_behind(server: Server) -> None:
    with server.board(server.new_board(white="human")) as board:
        for _ in range(60):
            board.say("analyse", seconds=120)
        board.say("stop")
        board.say("ping")
        board.receive("pong")
    with server.board(server.new_board(white="engine:level=1")) as board:
        board.play("f5")
        board.until("to_move", "human")
    check(server)


def test_binary_messages_and_broken_text_close_or_are_said(server: Server) -> None:
    identity = server.new_board()
    with server.board(identity) as board, pytest.raises(ConnectionClosed):
        board.socket.send(b"\x00\xff")
        while True:
            board.receive()
    with server.board(identity) as board:
        for text in ("", "{", "[]", "null", "1e999", '"move"', "[" * 30_000, '{"type":' * 3000):
            board.socket.send(text)
            assert board.receive("error")["error"]
    check(server)


# Anything at all

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(EVIL_TEXT),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
TYPES = (
    *("move", "undo", "redo", "goto", "pause", "resume", "force", "players", "swap", "resign", "new"),
    *("analyse", "stop", "review", "ping", "nothing"),
)
FIELDS = (
    *("move", "at", "node", "black", "white", "variant", "clock", "opening", "start", "moves", "tags"),
    *("seconds", "level", "ref"),
)
LIKELY = {
    "move": st.sampled_from(["f5", "d6", "c3", "c4", "pass", "--", "a1", "h9"]),
    "variant": st.sampled_from(["othello", "reversed-6x6", "4x4", "9x9", "4x8"]),
    "black": st.sampled_from(["human", "random", "greedy", "engine:level=1"]),
    "white": st.sampled_from(["human", "random", "py:x.py"]),
    "node": st.integers(-2, 40),
    "opening": st.sampled_from(["start", "random", "balance"]),
    "seconds": st.floats(-1, 0.2),
    "clock": st.none() | st.fixed_dictionaries({"seconds": st.floats(-1, 100)}),
}


@st.composite
def messages(draw: st.DrawFn) -> dict[str, Any]:
    """Half-way right, which goes deepest."""
    message: dict[str, Any] = {"type": draw(st.sampled_from(TYPES))}
    for name in draw(st.lists(st.sampled_from(FIELDS), max_size=4)):
        message[name] = draw(LIKELY[name] if name in LIKELY and draw(st.booleans()) else JSON)
    return message


@pytest.mark.parametrize("examples", [15, pytest.param(400, marks=pytest.mark.slow)])
def test_no_message_breaks_a_board(server: Server, folder: Path, examples: int) -> None:
    dice = random.Random(1)
    asked = 3  # requests of an example: a new board, its WebSocket, and what it is in the end
    pause = asked / REQUESTS_A_SECOND if asked * examples > REQUESTS_AT_ONCE else 0.0

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(messages() | JSON, max_size=12))
    def fuzz(said: list[Any]) -> None:
        time.sleep(pause)  # no faster than one address may ask for long
        with server.board(server.new_board(white=dice.choice(["human", "random"]))) as board:
            for message in said:
                board.socket.send(json.dumps(message))
            board.say("ping")
            while (answer := json.loads(board.socket.recv(60)))["type"] != "pong":
                assert answer["type"] in ("state", "error", "hints", "review"), answer
                assert str(folder) not in json.dumps(answer) and "Traceback" not in json.dumps(answer)
            assert len(server.get(f"/api/boards/{board.state['board']}")["nodes"]) >= 1

    fuzz()
    check(server)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("examples", [10, pytest.param(300, marks=pytest.mark.slow)])
def test_the_interface_holds_what_it_says_whatever_is_sent(server: Server, folder: Path, examples: int) -> None:
    """Schemathesis makes requests from the OpenAPI description, right and wrong ones, and checks every answer."""
    schema = schemathesis.openapi.from_dict(server.get("/api/openapi.json"))
    board = server.new_board(white="human", moves="f5d6c3")
    operations: Any = schema.get_all_operations()
    for operation in operations:
        _fuzz(operation.ok(), server, board, folder, examples)
    check(server)


def _fuzz(operation: Any, server: Server, board: str, folder: Path, examples: int) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy() | operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE))
    def call(case: Any) -> None:
        if "board" in (case.path_parameters or {}) and case.method != "DELETE":
            case.path_parameters["board"] = board  # else nearly all of them are unknown
        answer = case.call(base_url=server.url, timeout=60)
        if answer.status_code == 429:
            time.sleep(0.2)
            return
        assert answer.status_code < 500, f"{case.method} {case.path}: {answer.text}"
        assert str(folder) not in answer.text and "Traceback" not in answer.text
        case.validate_response(
            answer,
            checks=(
                not_a_server_error,
                response_schema_conformance,
                status_code_conformance,
                content_type_conformance,
            ),
        )

    call()


def test_other_machines_need_to_be_asked_for(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "outflank", "serve", "--host", "0.0.0.0", "--port", "0", "--state", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "--public" in done.stderr and done.stderr.count("\n") == 1


def test_a_flood_of_requests_is_slowed_for_its_address_only() -> None:
    """The guard alone, with a rate that no machine is too slow to exceed."""

    async def answers(address: str, guard: Guard) -> list[int]:
        transport = httpx.ASGITransport(guard, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return [(await client.get("/")).status_code for _ in range(10)]

    async def flood() -> None:
        guard = Guard(PlainTextResponse("here"), {"localhost"}.__contains__, rate=1e-9, at_once=4, penalty=0.0)
        assert await answers("10.0.0.1", guard) == [200] * 4 + [429] * 6
        assert await answers("10.0.0.2", guard) == [200] * 4 + [429] * 6
        assert await answers("2001:db8::1", guard) == [200] * 4 + [429] * 6
        assert await answers("2001:db8::2", guard) == [429] * 10, "one line has all the addresses of a network"
        assert await answers("2001:db8:0:1::2", guard) == [200] * 4 + [429] * 6

    asyncio.run(flood())


@pytest.mark.parametrize("status", [200, 429], ids=["guard", "application"])
def test_a_refusal_is_held_back_and_other_answers_are_not(status: int) -> None:
    """Whoever refuses, the guard or what is behind it: the event loop's own clock says how long it took."""

    async def answers() -> list[tuple[int, bool]]:
        guard = Guard(PlainTextResponse("", status), {"localhost"}.__contains__, rate=1e-9, at_once=1, penalty=1000.0)
        transport, seen = httpx.ASGITransport(guard, client=("10.0.0.1", 1)), []
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            for _ in range(2):
                began = loop.time()
                answer = await client.get("/")
                seen.append((answer.status_code, loop.time() - began >= 1000.0))
        return seen

    loop = _Hurried()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        assert runner.run(answers()) == [(status, status == 429), (429, True)]


class _Hurried(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to whatever is due next, so that nobody waits."""

    def __init__(self) -> None:
        super().__init__()
        self._ahead = 0.0

    def time(self) -> float:
        return super().time() + self._ahead

    def call_later(self, delay: float, *arguments: Any, **options: Any) -> asyncio.TimerHandle:  # type: ignore[override]
        self._ahead += delay
        return super().call_later(0.0, *arguments, **options)


def test_a_newcomer_does_not_stand_behind_all_that_a_flooder_has_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    clock = iter(range(10_000))
    monkeypatch.setattr("outflank.web.turns.time.perf_counter", lambda: float(next(clock)))

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        begun.append(scope["client"][0])
        await asyncio.sleep(0)
        await PlainTextResponse("here")(scope, receive, send)

    async def ask(guard: Guard, address: str) -> None:
        transport = httpx.ASGITransport(guard, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            await client.get("/")

    async def flood() -> None:
        guard = Guard(app, {"localhost"}.__contains__)
        await ask(guard, "10.0.0.1")
        await asyncio.gather(*(ask(guard, address) for address in ["10.0.0.1"] * 30 + ["10.0.0.2"]))

    asyncio.run(flood())
    assert begun.index("10.0.0.2") <= 1 + BEGUN_AT_ONCE


def test_an_address_sends_so_many_bytes_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.web.guard.BYTES_A_SECOND", 1e-9)
    monkeypatch.setattr("outflank.web.guard.BYTES_AT_ONCE", 100)

    async def statuses() -> list[int]:
        guard, found = Guard(PlainTextResponse("here"), {"localhost"}.__contains__, penalty=0.0), []
        for address, size in (("10.0.0.1", 60), ("10.0.0.1", 60), ("10.0.0.2", 60), ("10.0.0.1", 0)):
            transport = httpx.ASGITransport(guard, client=(address, 1))
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                found.append((await client.post("/", content=b"x" * size)).status_code)
        return found

    assert asyncio.run(statuses()) == [200, 429, 200, 200]
