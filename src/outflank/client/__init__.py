"""A client of `outflank serve`, for programs: everything that the page does, from Python. docs/api.md shows it.

It needs nothing but the standard library. Answers are plain data, as the server sends it; `outflank.client.types` has
their types, made from the server's own description.
"""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, cast
from urllib.parse import quote

from outflank.client import types, wire
from outflank.client.wire import ServerError as ServerError

DEFAULT_URL = "http://127.0.0.1:8400"
ADDRESS = re.compile(r"http://\S+/")


@contextmanager
def serving(*options: str) -> Iterator["Client"]:
    """A server of your own for as long as you need it, on a free port of this machine; what it keeps is deleted with
    it. `options` are those of `outflank serve`."""
    with tempfile.TemporaryDirectory() as state:
        command = [sys.executable, "-m", "outflank", "serve", "--port", "0", "--state", state, *options]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                found = ADDRESS.search(server.stdout.readline())
                if found is None:
                    raise ServerError("the server does not start: it has said why")
                yield Client(found[0])
            finally:
                server.terminate()


class Client:
    """A server, for a program. It gives up after `timeout` seconds without an answer."""

    def __init__(self, url: str = DEFAULT_URL, timeout: float = 60.0) -> None:
        self._server, self._timeout = wire.address(url), timeout

    @property
    def url(self) -> str:
        """Where the server is, for a browser or another program."""
        return self._server.geturl()

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    # The interface as it is

    def get(self, path: str, **query: object) -> Any:
        """The answer to any GET of the interface, such as `get("/api/stores")`."""
        return wire.request(self._server, "GET", path, query, None, self._timeout)

    def post(self, path: str, data: object) -> Any:
        """The answer to any POST of it; bytes are sent as they are, all else as JSON."""
        return wire.request(self._server, "POST", path, {}, data, self._timeout)

    def delete(self, path: str) -> None:
        wire.request(self._server, "DELETE", path, {}, None, self._timeout)

    def socket(self, path: str) -> wire.WebSocket:
        """Any WebSocket of it."""
        return wire.WebSocket(self._server, path, self._timeout)

    # Positions, formats, the library, heuristics

    def about(self) -> types.About:
        """What there is to choose from: variants, players with their options, heuristics, levels."""
        return cast(types.About, self.get("/api/about"))

    def position(
        self,
        moves: str = "",
        variant: str = "othello",
        start: str | None = None,
        symmetry: int = 0,
        exchange: bool = False,
    ) -> types.PositionOut:
        """A position from a start and moves, turned or mirrored, or with its colours exchanged."""
        asked = {"variant": variant, "start": start, "moves": moves, "symmetry": symmetry, "exchange": exchange}
        return cast(types.PositionOut, self.post("/api/position", asked))

    def read(self, what: str | bytes, variant: str | None = None) -> types.Reading:
        """The games in a text of any format, or in a file's bytes."""
        if isinstance(what, bytes):
            return cast(types.Reading, self.post("/api/read/file", what))
        return cast(types.Reading, self.post("/api/read", {"text": what, "variant": variant}))

    def explore(
        self, moves: str = "", variant: str = "othello", start: str | None = None, **games: object
    ) -> types.Explored:
        """A position's opening and, where the server has a library, what was played there. `games` choose among them:
        `player`, `color`, `since`, `until`."""
        asked = {"variant": variant, "start": start, "moves": moves, "games": games}
        return cast(types.Explored, self.post("/api/explore", asked))

    def explain(
        self,
        board: str,
        heuristic: str,
        turn: Literal["black", "white"] = "black",
        variant: str = "othello",
        weights: dict[str, list[float]] | None = None,
    ) -> types.Explained:
        """Why a heuristic values a position as it does, also with other weights."""
        position = {"variant": variant, "board": board, "turn": turn}
        return cast(
            types.Explained,
            self.post("/api/explain", {"position": position, "heuristic": heuristic, "weights": weights}),
        )

    # Boards

    def new_board(self, **game: object) -> "Board":
        """A new board: `variant`, `black`, `white`, `clock`, `opening`, `start`, `moves`, `at`, `tags`."""
        made = cast(types.NewBoard, self.post("/api/boards", game))
        return Board(self, made["id"])

    def board(self, identity: str) -> "Board":
        """A board that exists already."""
        return Board(self, identity)

    def analyse(
        self,
        moves: str = "",
        seconds: float = 5.0,
        variant: str = "othello",
        start: str | None = None,
        level: int | None = None,
    ) -> Iterator[types.Hints]:
        """Better and better values of every move of a position; the last answer is `done`."""
        with self._passing(black="human", white="human", variant=variant, start=start, moves=moves) as board:
            yield from board.analyse(seconds, level=level)

    @contextmanager
    def _passing(self, **game: object) -> Iterator["Board"]:
        """A board that goes when it is not needed any more."""
        board = self.new_board(**game)
        try:
            yield board
        finally:
            board.delete()

    # Matches

    def match(self, a: str, b: str, **how: object) -> Iterator[types.MatchOut]:
        """Plays a match, and tells how it stands whenever that changes; the last one is not `running` any more. `how`:
        `games`, `variant`, `openings`, `seconds`, `seed`. A match that nobody follows any more is stopped."""
        identity = cast(types.MatchStarted, self.post("/api/matches", {"a": a, "b": b, **how}))["id"]
        standing: types.MatchOut | None = None
        socket = self.socket(f"/api/matches/{identity}/live")
        try:
            while (told := socket.receive()) is not None:
                standing = cast(types.MatchOut, told)
                yield standing
        finally:
            socket.close()
            if standing is None or standing["running"]:
                self.delete(f"/api/matches/{identity}")


class Board:
    """A board of the server: a game, who plays it, and what is known of its positions. Several may look at it at once:
    what others do is seen with the next answer."""

    def __init__(self, client: Client, identity: str) -> None:
        self.id = identity
        self._client = client
        self._path = f"/api/boards/{quote(identity, safe='')}"
        self._socket = client.socket(f"{self._path}/live")
        self._asked = 0
        self.nodes: dict[int, types.NodeOut] = {}
        """The positions of the game and its branches, by their ids."""
        self.state: types.State = self._until("state")
        """How it stands, as it was told last."""

    def __enter__(self) -> "Board":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def moves(self) -> str:
        """The game as it stands, as a transcript."""
        line, cursor = self.state["line"], self.state["cursor"]
        played = line[: line.index(cursor) + 1] if cursor in line else []
        found = (self.nodes[node]["move"] for node in played)
        return "".join(move for move in found if move and move != "pass")

    def play(self, move: str) -> types.State:
        """A person's move. The answer is the position after it: a player's answer to it comes with `wait`."""
        return self.say("move", move=move, at=self.state["cursor"])

    def wait(self) -> types.State:
        """Waits until it is a person's turn, or the game is over."""
        while self.state["to_move"] == "agent" and not self.state["paused"]:
            self._until("state")
        return self.state

    def say(self, what: str, **data: object) -> types.State:
        """Does anything else that a page can do: `undo`, `redo`, `goto`, `new`, `players`, `swap`, `resign`, …"""
        self._send(what, data)
        self._socket.send({"type": "ping"})  # a state may be of what others did: the one before the pong is ours
        refused: ServerError | None = None
        while True:
            try:
                self._until("pong")
            except ServerError as error:
                if not error.code:
                    raise
                refused = error
                continue
            if refused is not None:
                raise refused
            return self.state

    def analyse(self, seconds: float = 5.0, node: int | None = None, level: int | None = None) -> Iterator[types.Hints]:
        """Better and better values of every move; the last answer is `done`."""
        self._send("analyse", {"seconds": seconds, "node": node, "level": level})
        try:
            while True:
                found = cast(types.Hints, self._until("hints"))
                if found["ref"] == self._asked:
                    yield found
                    if found["done"]:
                        return
        except GeneratorExit:
            self._send("stop", {})
            raise

    def review(self, seconds: float = 0.5) -> types.State:
        """What each move of the game cost: the nodes have it afterwards, as `review`."""
        self._send("review", {"seconds": seconds})
        while not self._until("review")["done"]:
            pass
        return self.state

    def copy(self, format: str = "transcript", whole: bool = False) -> str:
        """The game to where it stands, or to its end, in any format."""
        return str(self._client.get(f"{self._path}/copy", format=format, whole=whole)["text"])

    def delete(self) -> None:
        """Deletes it from the server."""
        self.close()
        self._client.delete(self._path)

    def close(self) -> None:
        self._socket.close()

    def _send(self, what: str, data: dict[str, Any]) -> None:
        self._asked += 1
        given = {key: value for key, value in data.items() if value is not None}
        self._socket.send({"type": what, "ref": self._asked, **given})

    def _until(self, kind: str) -> Any:
        """The next message of a kind; states on the way are taken in, and what was refused is raised."""
        while True:
            message = self._socket.receive()
            if message is None:
                raise ServerError("the server has closed the board")
            if message["type"] == "error" and message.get("ref") in (None, self._asked):
                raise ServerError(message["error"], 400, (message.get("fault") or {}).get("code", ""))
            if message["type"] == "state":
                if message["all"]:
                    self.nodes.clear()
                self.nodes.update({node["id"]: node for node in message["nodes"]})
                self.state = cast(types.State, message)
            if message["type"] == kind:
                return message
