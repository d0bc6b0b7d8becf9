"""A game with a friend: two people play on one board, all others look on, and nothing is lost when the server dies."""

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from serving import Board, Server

from outflank.board.squares import Color
from outflank.errors import Fault
from outflank.web.friends import Friends
from outflank.web.messages import Sit
from outflank.web.visitors import COOKIE


class Friend(Board):
    """A board as the page shows it to somebody, who knows his side before he sees anything."""

    company: dict[str, Any]

    def receive(self, *kinds: str) -> dict[str, Any]:
        while True:
            message = super().receive("company", *kinds)
            if message["type"] == "company":
                self.company = message
            if message["type"] in kinds:
                return message

    def until_there_are(self, watchers: int) -> None:
        while self.company["watchers"] != watchers:
            self.receive("company")

    def follow(self, moves: str) -> None:
        while self.moves != moves:
            self.receive("state")

    def refused(self, kind: str, **data: Any) -> str:
        answer = self.ask(kind, **data)
        assert answer["type"] == "error", answer
        return str(answer["fault"]["code"])


def cookie(server: Server, visitor: str) -> dict[str, str]:
    return {"Cookie": f"{COOKIE}={server.cookie(visitor)}"}


def invited(server: Server, **asked: Any) -> str:
    """A board to which Ann has invited."""
    asked["host"] = {"side": "black", "name": "Ann"}
    answer = server.http.post("/api/boards", json=asked, headers=cookie(server, "ann"))
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def at(server: Server, board: str, visitor: str, stack: ExitStack) -> Friend:
    return Friend(stack.enter_context(server.socket(f"/api/boards/{board}/live", visitor=visitor)))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Server(tmp_path_factory.mktemp("friends") / "state") as running:
        yield running


def test_chairs_and_what_whoever_sits_there_may_do() -> None:
    friends = Friends.invited("ann", Color.WHITE)
    with pytest.raises(Fault, match="not here yet"):
        friends.allow("ann", "move", Color.WHITE)
    with pytest.raises(Fault, match="already sitting at this board"):
        friends.sit("ann")
    assert friends.sit("ben") is Color.BLACK
    with pytest.raises(Fault, match="both chairs are taken"):
        friends.sit("carl")
    assert friends.allow("ben", "move", Color.BLACK) is Color.BLACK
    with pytest.raises(Fault, match="Black's turn"):
        friends.allow("ann", "move", Color.BLACK)
    for kind in ("goto", "redo", "swap", "players", "turn", "pause", "resume", "pace"):
        with pytest.raises(Fault, match="two people play here"):
            friends.allow("ann", kind, Color.WHITE)
    for kind in ("move", "undo", "new", "resign", "goto"):
        with pytest.raises(Fault, match="you are watching"):
            friends.allow("carl", kind, Color.BLACK)
    assert Friends.from_data(friends.data()) == friends


def test_what_both_want_is_done() -> None:
    friends = Friends(["ann", "ben"])
    assert friends.allow("ann", "undo", Color.WHITE) is None
    assert friends.allow("ann", "undo", Color.WHITE) is None, "she cannot consent to herself"
    assert Friends.from_data(friends.data()) == friends
    assert friends.allow("ben", "new", Color.WHITE) is None, "something else"
    assert friends.allow("ann", "new", Color.WHITE) is Color.WHITE, "done for Ben, who asked"
    assert friends.allow("ann", "undo", Color.WHITE) is None
    assert friends.allow("ben", "decline", Color.WHITE) is None
    assert friends.allow("ben", "undo", Color.WHITE) is None, "it was declined"
    friends.allow("ben", "move", Color.WHITE)
    assert friends.proposed is None, "whoever plays on has thought better of it"


def test_two_play_and_all_others_watch(server: Server) -> None:
    with ExitStack() as stack:
        board = invited(server, clock={"seconds": 300, "increment": 2})
        ann = at(server, board, "ann", stack)
        assert ann.company["side"] == "black" and ann.state["seated"] == {"black": True, "white": False}
        assert ann.refused("move", move="f5") == "web.friend-missing"
        ben = at(server, board, "ben", stack)
        assert ben.company["side"] is None
        assert ben.refused("move", move="f5") == "web.only-watching"
        ben.ask("sit", name="  Ben\u202e Two ")
        assert ben.state["names"] == {"black": "Ann", "white": "Ben Two"}
        while ben.company["side"] != "white":
            ben.receive("company")
        carl = at(server, board, "carl", stack)
        ann.until_there_are(1)
        assert ann.company["here"] == {"black": True, "white": True}
        for message in (
            {"kind": "move", "move": "f5"},
            {"kind": "undo"},
            {"kind": "goto", "node": 0},
            {"kind": "new"},
            {"kind": "resign"},
            {"kind": "players", "white": "random"},
            {"kind": "turn", "symmetry": 1},
            {"kind": "review"},
            {"kind": "decline"},
        ):
            assert carl.refused(**message) == "web.only-watching", message
        assert carl.refused("sit", name="Carl") == "web.no-chair"
        assert server.http.delete(f"/api/boards/{board}").status_code == 400, "nor can he do away with it"
        assert ben.refused("move", move="f5") == "web.friends-turn"
        assert ann.refused("analyse") == "web.no-help"
        assert ann.play("f5")["clock"]["running"] == "white"
        ben.follow("f5")
        ben.play("d6")
        carl.follow("f5d6")
        # Ann takes her move back, once Ben agrees: his answer to it goes too.
        ann.follow("f5d6")
        assert ann.ask("undo")["proposed"] == {"by": "black", "what": "undo"}
        while ben.state["proposed"] is None:
            ben.receive("state")
        assert not ben.ask("undo")["position"]["black"] > 2
        ann.follow("")
        ann.play("d3")
        ben.follow("d3")
        assert ben.ask("resign")["outcome"]["winner"] == "black"
        ben.ask("new")
        while ann.state["proposed"] is None:
            ann.receive("state")
        again = ann.ask("new")
        assert again["names"] == {"black": "Ben Two", "white": "Ann"} and again["outcome"] is None
        assert (again["clock"]["seconds"], again["clock"]["increment"]) == (300, 2)
        ben.follow("")
        ben.play("f5")
    # The game before is among both players' games, and not among the watcher's.
    previous = again["previous"]
    for visitor, has in (("ann", True), ("ben", True), ("carl", False)):
        found = server.http.get("/api/games", headers=cookie(server, visitor)).json()["games"]
        assert ({board, previous} <= {game["id"] for game in found}) is has, visitor


def test_who_has_left_is_away_and_has_his_chair_when_he_comes_back(server: Server) -> None:
    with ExitStack() as stack:
        board = invited(server)
        ann = at(server, board, "ann", stack)
        with ExitStack() as passing:
            ben = at(server, board, "ben", passing)
            ben.ask("sit", name="Ben")
            while not ann.company["here"]["white"]:
                ann.receive("company")
        while ann.company["here"]["white"]:
            ann.receive("company")
        assert at(server, board, "ben", stack).company["side"] == "white"


def test_a_name_is_letters_that_can_be_seen() -> None:
    assert Sit(type="sit", name=" A\u202eda\n Lovelace ").name == "A da Lovelace"
    for wrong in ("", " \u200b ", "x" * 31):
        with pytest.raises(ValidationError):
            Sit(type="sit", name=wrong)


def test_a_board_without_an_invitation_has_no_chairs(server: Server) -> None:
    with ExitStack() as stack:
        board = at(server, server.new_board(white="human"), "ann", stack)
        assert board.refused("sit", name="Ann") == "web.not-shared"
        assert board.refused("decline") == "web.not-shared"


def test_two_people_and_ten_watchers_find_their_game_again(tmp_path: Path) -> None:
    visitors = ["ann", "ben", *(f"watcher {number}" for number in range(10))]
    moves = ""
    with Server(tmp_path / "state") as server, ExitStack() as stack:
        board = invited(server, clock={"seconds": 600, "increment": 2})
        ann, ben, *watchers = [at(server, board, visitor, stack) for visitor in visitors]
        ben.ask("sit", name="Ben")
        ann.until_there_are(10)
        for _ in range(20):
            ann.follow(moves)
            mover = {"black": ann, "white": ben}[ann.state["position"]["turn"]]
            mover.follow(moves)
            mover.play(min(mover.state["position"]["legal"]))
            moves = mover.moves
        for one in (ann, ben, *watchers):
            one.follow(moves)
        ann.ask("undo")
        left, waiting = ann.state["clock"], "white" if ann.state["clock"]["running"] == "black" else "black"
        server.kill()
    began = time.monotonic()
    with Server(tmp_path / "state", port=server.port) as again, ExitStack() as stack:
        again._cookies = server._cookies  # as browsers keep them
        ann, ben, *watchers = [at(again, board, visitor, stack) for visitor in visitors]
        assert [one.company["side"] for one in (ann, ben, *watchers)] == ["black", "white", *[None] * 10]
        for one in (ann, ben, *watchers):
            assert one.moves == moves and one.state["names"] == {"black": "Ann", "white": "Ben"}
            assert one.state["proposed"] == {"by": "black", "what": "undo"}
            clock = one.state["clock"]
            assert clock[waiting] == left[waiting] and clock["seconds"] == 600
            passed = left[left["running"]] - clock[left["running"]]
            assert passed <= time.monotonic() - began, "nobody pays for the time in which there was no server"
        move, mover = min(ann.state["position"]["legal"]), ann if left["running"] == "black" else ben
        assert watchers[0].refused("move", move=move) == "web.only-watching"
        mover.play(move)
        for one in (ann, ben, *watchers):
            one.follow(mover.moves)
