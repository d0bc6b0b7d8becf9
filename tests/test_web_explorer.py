"""The server's answers on openings and on what masters played, with a library and without."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import Server, running_server
from test_library import chosen, counted, random_games, written

from outflank import Game
from outflank.board.squares import PASS, Color, parse_square
from outflank.library.building import build
from outflank.library.games import Wanted

GAMES = random_games(40)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("explorer")
    build([str(written(folder, "ggf", GAMES))], folder / "games.duckdb")
    with running_server(folder / "state", "--library", str(folder / "games.duckdb")) as running:
        yield running


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("bare")) as running:
        yield running


def test_the_page_knows_whether_there_is_a_library(server: Server, bare: Server) -> None:
    assert server.get("/api/about")["library"] == {"openings": True, "masters": True, "games": 40}
    assert bare.get("/api/about")["library"] == {"openings": True, "masters": False, "games": 0}


@pytest.mark.parametrize("moves", ["", "f5", "f5d6", "c4e3", GAMES[0].transcript[:30], GAMES[3].transcript])
def test_what_was_played_is_what_a_plain_count_finds(server: Server, moves: str) -> None:
    found = server.post("/api/explore", moves=moves)
    total, after = counted(GAMES, Game.from_transcript(moves).position)
    assert (found["games"], found["wins"], found["draws"], found["losses"]) == (
        total.games,
        total.wins,
        total.draws,
        total.losses,
    )
    played = {tuple(map(parse_square, one["moves"])): one for one in found["moves"] if one["games"]}
    assert {squares: one["games"] for squares, one in played.items()} == {
        squares: tally.games for squares, tally in after.items()
    }
    for squares, one in played.items():
        assert one["score"] == pytest.approx(after[squares].share)
        assert one["margin"] == pytest.approx(after[squares].margin)
    assert len(found["latest"]) == min(10, total.games)


def test_the_games_of_a_player_and_of_some_years(server: Server) -> None:
    wanted = {"player": "player 2", "color": "white", "since": 2001, "until": 2004}
    found = server.post("/api/explore", moves="f5", games=wanted)
    left = chosen(GAMES, Wanted("player 2", Color.WHITE, 2001, 2004))
    total, _ = counted(left, Game.from_transcript("f5").position)
    assert (found["games"], found["wins"]) == (total.games, total.wins) and 0 < total.games < len(GAMES)
    assert {one["white"] for one in found["latest"]} == {"Player 2"}
    assert {one["year"] for one in found["latest"]} <= set(range(2001, 2005))


def test_a_game_found_opens_where_it_was_found(server: Server) -> None:
    found = server.post("/api/explore", moves="d3c5")  # the games are stored with other first moves, or turned
    game = found["latest"][0]
    assert game["moves"].startswith("d3c5") and game["ply"] == 2
    identity = server.new_board(black="human", white="human", moves=game["moves"], at=game["ply"])
    with server.board(identity) as board:
        assert board.moves == "d3c5"
        assert len(board.state["line"]) > 30 and board.state["can_redo"]


def test_a_board_stands_after_the_passes_that_follow(server: Server) -> None:
    game = next(one for one in GAMES if PASS in one.moves)
    ply = game.moves.index(PASS)
    squares = [move for move in game.moves[:ply] if move != PASS]
    identity = server.new_board(black="human", white="human", moves=game.transcript, at=len(squares))
    assert server.get(f"/api/boards/{identity}")["line"].index(server.get(f"/api/boards/{identity}")["cursor"]) == ply
    assert server.get(f"/api/boards/{server.new_board(moves='f5d6', at=0)}")["cursor"] == 0
    assert server.http.post("/api/boards", json={"moves": "f5", "at": -1}).status_code == 422


def test_players_are_found_by_a_part_of_their_names(server: Server, bare: Server) -> None:
    found = server.get("/api/players", name="player")
    assert {one["name"] for one in found} == {f"Player {number}" for number in range(5)}
    assert sum(one["games"] for one in found) == 2 * len(GAMES)
    assert bare.http.get("/api/players", params={"name": "p"}).status_code == 404
    assert server.http.get("/api/players", params={"name": "p" * 100}).status_code == 422


def test_names_are_told_also_without_a_library(bare: Server) -> None:
    found = bare.post("/api/explore", moves="f5")
    assert {one["moves"][0]: one["opening"] for one in found["moves"]} == {
        "d6": "Perpendicular",
        "f4": "Parallel",
        "f6": "Diagonal",
    }
    assert (found["games"], found["opening"], found["latest"]) == (0, None, [])
    snake = bare.post("/api/explore", moves="f5f6e6d6f7")["opening"]
    assert snake == {"name": "Snake", "aliases": ["Peasant"], "line": "f5f6e6d6f7"}
    assert bare.post("/api/explore", moves="f5f6e6d6f7", variant="reversed")["opening"] is None
    assert bare.post("/api/explore", moves="c2", variant="6x6")["moves"] == []


def test_a_board_tells_its_opening_and_keeps_it(bare: Server) -> None:
    with bare.board(bare.new_board(black="human", white="human", moves="f5d6c3d3")) as board:
        assert board.state["position"]["opening"] == "Perpendicular"
        assert board.play("c4")["position"]["opening"] == "Tiger"
        assert board.play("g5")["position"]["opening"] == "Tiger", "after the last named position"
        assert board.ask("goto", node=0)["position"]["opening"] is None
    with bare.board(bare.new_board(variant="reversed", black="human", white="human", moves="f5d6c3d3c4")) as board:
        assert board.state["position"]["opening"] is None
    assert bare.post("/api/position", moves="f5d6")["opening"] == "Perpendicular"


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"moves": "f5f5"}, 400),
        ({"variant": "9x9"}, 400),
        ({"start": "X"}, 400),
        ({"moves": 7}, 422),
        ({"games": {"color": "black"}}, 400),
        ({"games": {"since": 2000, "until": 1990}}, 400),
        ({"games": {"since": "2000"}}, 422),
        ({"games": {"player": "x" * 100}}, 422),
        ({"games": {"sql": "1"}}, 422),
        ({"file": "/etc/passwd"}, 422),
        ({"moves": "f5" * 2000}, 422),
    ],
)
def test_wrong_questions_get_one_line(server: Server, asked: dict[str, object], code: int) -> None:
    answer = server.http.post("/api/explore", json=asked)
    assert answer.status_code == code
    assert list(answer.json()) == ["error", "fault"] and "\n" not in answer.json()["error"]


@pytest.mark.parametrize("content", [None, b"no library"])
def test_a_wrong_library_is_told_before_the_server_runs(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "games.duckdb"
    if content is not None:
        path.write_bytes(content)
    command = [sys.executable, "-m", "outflank", "serve", "--port", "0", "--library", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"outflank: {path}") and "outflank games build" in line
