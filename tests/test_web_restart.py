"""A server that is killed: every game is there when it comes back, as its players saw it last."""

import asyncio
import json
import sqlite3
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from serving import Board, Server

from outflank.board.game import Game
from outflank.web.boards import HUMAN
from outflank.web.boards import Board as KeptBoard
from outflank.web.keeper import Keeper
from outflank.web.messages import Move
from outflank.web.services import Services
from outflank.web.settings import Settings
from outflank.web.viewers import Viewer


def seen(board: Board) -> tuple[str, str, dict[str, str]]:
    return board.moves, board.state["position"]["board"], board.state["players"]


def test_killed_in_the_middle_every_game_is_still_there(tmp_path: Path) -> None:
    known: dict[str, tuple[str, str, dict[str, str]]] = {}
    with Server(tmp_path / "state") as server, ExitStack() as open_boards:
        for number in range(12):
            identity = server.new_board(white=("human", "engine:level=1", "greedy")[number % 3])
            board = open_boards.enter_context(server.board(identity))
            for _ in range(number):
                if board.state["to_move"] == "human":
                    board.play(min(board.state["position"]["legal"]))
                while board.state["to_move"] == "agent":
                    board.receive("state")
            known[identity] = seen(board)
        # One more is told of its move and is in the middle of the answer when the lights go out.
        thinking = server.new_board(white="engine:time=20")
        board = open_boards.enter_context(server.board(thinking))
        board.play("f5")
        known[thinking] = seen(board)
        server.kill()
    with Server(tmp_path / "state", port=server.port) as server:
        for identity, before in known.items():
            with server.board(identity) as board:
                assert seen(board) == before
                if identity == thinking:  # and the player goes on
                    board.say("force")
                    board.until("to_move", "human")
                    assert len(board.moves) == 4


@pytest.mark.slow
def test_nothing_told_is_lost_however_often_it_is_killed(tmp_path: Path) -> None:
    identity, told = "", ""
    for _ in range(2):
        with Server(tmp_path / "state") as server:
            identity = identity or server.new_board(white="human")
            with server.board(identity) as board:
                assert board.moves == told
                for _ in range(7):
                    board.play(min(board.state["position"]["legal"]))
                told = board.moves
                server.kill()
    assert len(told) == 28
    with sqlite3.connect(tmp_path / "state" / "boards.sqlite") as database:
        (text,) = database.execute("SELECT data FROM boards WHERE id = ?", (identity,)).fetchone()
    assert KeptBoard.from_data(json.loads(text)).game.transcript == told


def test_ctrl_c_ends_it_cleanly(tmp_path: Path) -> None:
    with Server(tmp_path / "state") as server:
        identity = server.new_board(white="engine:time=20")
        with server.board(identity) as board:
            board.play("f5")
            time.sleep(0.5)  # white has begun to think: what it has by then is no move
            assert server.stop() == 0
    assert "Traceback" not in "".join(server.errors)
    with sqlite3.connect(tmp_path / "state" / "boards.sqlite") as database:
        (text,) = database.execute("SELECT data FROM boards WHERE id = ?", (identity,)).fetchone()
    assert KeptBoard.from_data(json.loads(text)).game.transcript == "f5"


def test_a_folder_that_is_no_folder_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(AssertionError, match="cannot store games"):
        Server(tmp_path / "file")
    other = tmp_path / "other"
    other.mkdir()
    with sqlite3.connect(other / "boards.sqlite") as database:
        database.execute("CREATE TABLE somebodys (thing TEXT)")
    with pytest.raises(ValueError, match="some other program's database"):
        Keeper(other)


def test_a_full_disk_spoils_nothing_that_was_kept(tmp_path: Path) -> None:
    """A page count that cannot grow is to SQLite what a full disk is."""

    async def fill() -> None:
        keeper = Keeper(tmp_path)
        keeper._database.execute("PRAGMA max_page_count = 6")
        saved = 0
        with pytest.raises(sqlite3.Error):
            for _ in range(200):
                board = KeptBoard(Game.from_transcript("f5d6c3d3c4f4f6f3"), (HUMAN, HUMAN))
                await keeper.save(board)
                saved += 1
        assert saved > 0
        (count,) = keeper._database.execute("SELECT count(*) FROM boards").fetchone()
        assert count == saved
        keeper.close()

    asyncio.run(fill())


def test_on_a_full_disk_the_game_goes_on_and_its_people_are_told(tmp_path: Path) -> None:
    async def play() -> list[dict[str, object]]:
        services = Services(Settings(state=tmp_path), 1)
        room = await services.rooms.add(KeptBoard(Game(), (HUMAN, HUMAN)), "")
        services.keeper._database.execute("PRAGMA query_only = ON")
        viewer = Viewer("somebody")
        await room.enter(viewer)
        await room.hear(viewer, Move(type="move", move="f5", at=0))
        told = [json.loads(viewer.outbox.get_nowait() or "{}") for _ in range(viewer.outbox.qsize())]
        await services.close()
        return told

    _, moved, error = asyncio.run(play())
    assert moved["last"] == "f5"
    assert error["type"] == "error" and "disk" in str(error["error"])


def test_a_board_whose_player_is_gone_says_so_and_waits(tmp_path: Path) -> None:
    with Server(tmp_path / "state", "--agent", "dragon=greedy") as server:
        identity = server.new_board(black="dragon", white="human")
    with Server(tmp_path / "state") as server, server.board(identity) as board:
        while board.state["error"] is None:
            board.receive("state")
        assert "dragon failed" in board.state["error"] and board.state["paused"]
        board.ask("players", black="greedy")
        board.until("to_move", "human")
