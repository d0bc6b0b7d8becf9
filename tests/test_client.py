"""`outflank.client` against a real server, and its types and the document of the interface against the server's own."""

import ast
import base64
import hashlib
import json
import re
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import outflank
from outflank import Game, match
from outflank.client import Client, ServerError, serving, wire
from outflank.web import reference

ENDING = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
ROOM = Path(reference.__file__).parent.parent / "client"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    store = tmp_path_factory.mktemp("stores") / "league.db"
    match("greedy", "random", games=4, variant="4x4", seed=1, store=store)
    with serving("--store", str(store)) as client:
        yield client


def test_the_types_and_the_document_are_those_of_the_server() -> None:
    due = "write them anew: python -m outflank.web.reference"
    assert reference.TYPES.read_text() == reference.declarations(), due
    page = reference.PAGE.read_text()
    assert page == reference.page(page), due


def test_every_request_of_the_server_is_in_the_document(client: Client) -> None:
    described = client.get("/api/openapi.json")
    page, types = reference.PAGE.read_text(), reference.TYPES.read_text()
    for path, methods in described["paths"].items():
        for method in methods:
            assert f"\n| `{method.upper()} {path}` | " in page
    for name in set(described["components"]["schemas"]) - {"HTTPValidationError", "ValidationError"}:
        assert f"\nclass {name}(" in types or f"\n{name} = " in types
    named = set(re.findall(r"`(?:list\[)?([A-Z]\w+)\]?`", page)) - {"Client", "Board", "ServerError"}
    assert all(f"class {name}(" in types or f"\n{name} = " in types for name in named)


def test_it_imports_the_standard_library_only() -> None:
    for path in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.partition(".")[0] in sys.stdlib_module_names or name.startswith("outflank.client"), path


def test_it_says_where_its_server_is(client: Client) -> None:
    assert Client(client.url).about()["version"] == client.about()["version"]
    assert repr(client) == f"Client('{client.url}')"


def test_questions_without_a_board(client: Client) -> None:
    about = client.about()
    assert about["version"] == outflank.__version__ and "random" in [one["name"] for one in about["agents"]]
    position = client.position("f5d6c3", symmetry=0)
    game = Game.from_transcript("f5d6c3")
    assert f"{position['board']} O" == game.position.text.replace("\n", "")
    assert len(position["legal"]) == len(game.position.legal_moves)
    assert client.read("f5d6c3\nf5f6\n")["count"] == 2
    assert client.read(b"f5 d6 c3")["games"][0]["moves"] == "f5d6c3"
    opening = client.explore("f5d6c3d3c4")["opening"]
    assert opening is not None and opening["name"] == "Tiger"
    board, _, side = ENDING.partition(" ")
    assert side == "X" and client.explain(board, "mobility")["heuristic"] == "mobility"
    assert client.get("/api/stores")["stores"][0]["name"] == "league.db"


def test_a_game_against_a_player(client: Client) -> None:
    with client.new_board(variant="4x4", black="human", white="greedy") as board:
        while board.wait()["to_move"] != "over":
            board.play(sorted(board.state["position"]["legal"])[0])
        outcome = Game.from_transcript(board.moves, outflank.Variant.named("4x4")).outcome()
        told = board.state["outcome"]
        assert outcome is not None and told is not None and told["score"] == outcome.score
        assert board.copy().strip() == board.moves
        with client.board(board.id) as same:
            assert same.state["revision"] == board.state["revision"]
        assert board.say("undo")["to_move"] == "human"
        board.delete()
        with pytest.raises(ServerError, match=r"^the connection was closed$"):
            board.say("redo")
    with pytest.raises(ServerError):
        client.get(f"/api/boards/{board.id}")


def test_what_is_refused_is_raised_and_the_board_goes_on(client: Client) -> None:
    with client.new_board(black="human", white="human") as board:
        with pytest.raises(ServerError, match="a1 is not legal") as caught:
            board.play("a1")
        assert caught.value.code == "move.illegal"
        assert board.play("f5")["position"]["turn"] == "white"
        with pytest.raises(ServerError) as wrong:
            board.say("dance")
        assert wrong.value.code
        assert board.moves == "f5"


def test_values_of_moves_come_better_and_better(client: Client) -> None:
    start, exact = ENDING, outflank.solve(ENDING, all_moves=True)
    found = list(client.analyse(start=start, seconds=30.0))
    assert [one["done"] for one in found] == [False] * (len(found) - 1) + [True]
    best = found[-1]["hints"][0]
    assert (best["score"], best["exact"], best["move"]) == (exact.score, True, "g8")
    for found_so_far in client.analyse(seconds=60.0):
        assert found_so_far["hints"]
        break  # whoever stops listening stops it
    assert list(client.analyse("f5", seconds=0.1))[-1]["done"]


def test_a_review_says_what_each_move_cost(client: Client) -> None:
    with client.new_board(variant="4x4", black="human", white="human", moves="a2a1b1c1") as board:
        board.review(5.0)
        reviewed = [node["review"] for node in board.nodes.values() if node["move"] not in (None, "pass")]
        assert len(reviewed) >= 4 and all(one is not None and one["loss"] >= 0 for one in reviewed)


def test_a_match_is_followed_to_its_end(client: Client) -> None:
    told = list(client.match("greedy", "random", games=6, variant="4x4", seed=3))
    assert told[-1]["running"] is False and told[-1]["games"] == 6
    same = match("greedy", "random", games=6, variant="4x4", seed=3, openings="random")
    assert told[-1]["score"] == same.score


def test_a_server_that_is_not_there_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ServerError, match="does not answer"):
        Client(f"http://127.0.0.1:{port}").about()
    with pytest.raises(ServerError, match="does not answer"):
        Client(f"http://127.0.0.1:{port}").socket("/api/boards/x/live")
    for wrong in ("ftp://somewhere", "http://", "http://127.0.0.1:99999", "http://here:port", "http://[::1", ""):
        with pytest.raises(ServerError, match="not the address of a server"):
            Client(wrong)
    with pytest.raises(ServerError, match="does not start"), serving("--host", "0.0.0.0"):
        pass


def test_errors_have_their_status(client: Client) -> None:
    with pytest.raises(ServerError) as missing:
        client.get("/api/boards/nothing")
    assert missing.value.status == 404
    with pytest.raises(ServerError) as wrong:
        client.post("/api/position", {"moves": 5})
    assert (wrong.value.status, wrong.value.code) == (422, "form.wrong")
    with pytest.raises(ServerError):
        client.board("nothing")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"HTTP/1.0 200 OK\r\n\r\n<html>\n<p>Welcome</p>", r"^this is not an answer of .*<html> <p>Welcome"),
        (b"HTTP/1.0 200 OK\r\n\r\n" + b"[" * 100_000, r"^this is not an answer of Outflank's interface"),
        (b"HTTP/1.0 302 Found\r\nLocation: /\r\n\r\n", r"^the server answers 302$"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "does not answer"),
        (b"", "does not answer"),
    ],
)
def test_another_server_than_ours_is_said_in_one_line(answer: bytes, told: str) -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0] as peer:
            peer.recv(4096)
            peer.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    with pytest.raises(ServerError, match=told) as caught:
        Client(f"127.0.0.1:{listener.getsockname()[1]}", timeout=60).about()
    assert "\n" not in str(caught.value)


def test_a_message_that_is_no_json_is_said() -> None:
    opened = frames(bytes([129, 5]) + b"hello")
    with pytest.raises(ServerError, match="not an answer of Outflank's interface: 'hello'"):
        opened.receive()
    opened.close()


def frames(*parts: bytes) -> wire.WebSocket:
    """A WebSocket whose server sends these bytes after it has opened it."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0] as peer:
            asked = b""
            while b"\r\n\r\n" not in asked:
                asked += peer.recv(4096)
            key = next(line.split(b": ")[1] for line in asked.split(b"\r\n") if line.startswith(b"Sec-WebSocket-Key"))
            accept = base64.b64encode(hashlib.sha1(key + wire.MAGIC.encode()).digest())
            peer.sendall(b"HTTP/1.1 101 Switching\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n" + b"".join(parts))

    threading.Thread(target=serve, daemon=True).start()
    return wire.WebSocket(wire.address(f"127.0.0.1:{listener.getsockname()[1]}"), "/", 60.0)


def test_frames_may_come_in_pieces_with_pings_between_and_be_long() -> None:
    text = json.dumps({"type": "x" * 70_000}).encode()
    first, rest = text[:100], text[100:]
    opened = frames(
        bytes([1, 100]) + first, b"\x89\x02hi", bytes([128, 127]) + len(rest).to_bytes(8, "big") + rest, b"\x88\x00"
    )
    assert opened.receive() == json.loads(text)
    assert opened.receive() is None
    opened.close()
    with pytest.raises(ServerError, match="the connection was closed"):
        opened.receive()


def test_a_server_that_ends_in_the_middle_or_for_a_reason_is_an_error() -> None:
    broken = frames(bytes([129, 50]) + b'{"type"')
    with pytest.raises(ServerError, match="gone"):
        broken.receive()
    broken.close()
    reason = b'\x03\xf0{"error":"too much","fault":{"code":"web.flood","params":{}}}'
    told = frames(bytes([136, len(reason)]) + reason)
    with pytest.raises(ServerError, match=r"^too much$") as caught:
        told.receive()
    assert (caught.value.status, caught.value.code) == (1008, "web.flood")
    told.close()
