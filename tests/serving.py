"""A real server for tests: `outflank serve` in a process of its own, on a port of loopback, in a folder of its own."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from outflank.web.visitors import COOKIE

ADDRESS = re.compile(r"http://\S+/")
PATIENCE = 120.0


class Server:
    """A running `outflank serve`."""

    def __init__(self, state: Path, *options: str, port: int = 0) -> None:
        self.state = state
        command = [sys.executable, "-m", "outflank", "serve", "--port", str(port), "--state", str(state), *options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
        )
        assert self.process.stdout is not None and self.process.stderr is not None
        self.errors: list[str] = []
        self._cookies: dict[str, str] = {}
        threading.Thread(target=lambda: self.errors.extend(self.process.stderr or ()), daemon=True).start()
        line = self.process.stdout.readline()
        found = ADDRESS.search(line)
        assert found is not None, f"{line} {''.join(self.errors)}"
        self.url = found[0].rstrip("/")
        self.http = httpx.Client(base_url=self.url, timeout=PATIENCE)

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def kill(self) -> None:
        """As a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.http.close()

    def stop(self) -> int:
        """As Ctrl-C does; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.http.close()
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()

    def post(self, path: str, **data: Any) -> Any:
        answer = self.http.post(path, json=data)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def get(self, path: str, **query: Any) -> Any:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def new_board(self, **asked: Any) -> str:
        return str(self.post("/api/boards", **asked)["id"])

    @contextlib.contextmanager
    def board(self, identity: str, origin: str | None = None) -> "Iterator[Board]":
        with self.socket(f"/api/boards/{identity}/live", origin) as socket:
            yield Board(socket)

    def socket(self, path: str, origin: str | None = None, visitor: str = "") -> ClientConnection:
        """A WebSocket as the page opens it in a visitor's browser, or as a page of somewhere else."""
        address = f"ws://{urlsplit(self.url).netloc}{path}"
        cookie = {"Cookie": f"{COOKIE}={self.cookie(visitor)}"} if visitor else None
        return connect(
            address,
            origin=Origin(origin or self.url),
            additional_headers=cookie,
            max_size=None,
            compression=None,
            open_timeout=PATIENCE,
            ping_timeout=PATIENCE,
        )

    def cookie(self, visitor: str) -> str:
        """The cookie of a visitor, who comes for the first time if he was never named before."""
        if visitor not in self._cookies:
            self._cookies[visitor] = httpx.get(self.url, timeout=PATIENCE).cookies[COOKIE]
        return self._cookies[visitor]


class Board:
    """A board as a page sees it: the state it was told last."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.state: dict[str, Any] = {}
        self.nodes: dict[int, dict[str, Any]] = {}
        self.receive("state")

    def say(self, kind: str, **data: Any) -> None:
        self.socket.send(json.dumps({"type": kind, **data}))

    def receive(self, *kinds: str) -> dict[str, Any]:
        """The next message of these kinds; states on the way are taken in."""
        while True:
            message: dict[str, Any] = json.loads(self.socket.recv(PATIENCE))
            if message["type"] == "state":
                if message["all"]:
                    self.nodes.clear()
                self.nodes.update({node["id"]: node for node in message["nodes"]})
                self.state = message
            if message["type"] in kinds:
                return message

    def ask(self, kind: str, **data: Any) -> dict[str, Any]:
        """Says something and waits for the state or the error that it brings."""
        self.say(kind, **data)
        return self.receive("state", "error")

    def until(self, what: str, value: Any) -> dict[str, Any]:
        """Waits until the state's field has a value."""
        while self.state[what] != value:
            self.receive("state")
        return self.state

    def play(self, move: str) -> dict[str, Any]:
        return self.ask("move", move=move, at=self.state["cursor"])

    @property
    def moves(self) -> str:
        """The line to the cursor."""
        line = self.state["line"]
        upto = line[: line.index(self.state["cursor"]) + 1] if self.state["cursor"] in line else []
        return "".join(self.nodes[node]["move"] for node in upto if self.nodes[node]["move"] != "pass")


@contextlib.contextmanager
def running_server(state: Path, *options: str) -> Iterator[Server]:
    """A server for as long as it is needed."""
    with Server(state, *options) as server:
        yield server
