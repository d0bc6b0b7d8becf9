"""The page's server as a page uses it: a real one on a port of loopback, over HTTP and WebSockets."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving import Board, Server, running_server
from websockets.exceptions import ConnectionClosed

from outflank.agents.roster import ROSTER
from outflank.arena.match import match
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.formats.reading import TITLES
from outflank.search.engine.solver import Solver
from outflank.web.app import PAGE
from outflank.web.routes import COPY_FORMATS

GAME = "c4c3c2b2a2c5b4e3c6c7c8a1d2e2c1a4a3a5a6a7f2g2d6b6b3e6f4e1b5f5d3d7"
START = "---------------------------OX------XO---------------------------"
ENDING = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
MINE = '''from outflank import heuristic
from outflank.features import mobility


@heuristic
def lively(own, opp, board):
    """Counts moves."""
    return mobility(own, opp, board) - mobility(opp, own, board)


@heuristic
def broken(own, opp, board):
    return float("nan")
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    (folder / "mine.py").write_text(MINE)
    match("greedy", "random", games=6, variant="4x4", store=folder / "class.sqlite")
    options = (
        *("--heuristic", f"{folder}/mine.py:lively", "--agent", f"dragon=alphabeta:heuristic={folder}/mine.py:lively"),
        *("--agent", f"wreck=alphabeta:heuristic={folder}/mine.py:broken", "--store", f"{folder}/class.sqlite"),
    )
    with running_server(folder / "state", *options) as running:
        yield running
        assert running.process.poll() is None, "the server died"
        assert not [line for line in running.errors if "Traceback" in line], "".join(running.errors)


def played_out(board: Board) -> dict[str, Any]:
    """A person who always takes the first legal square."""
    while board.state["to_move"] != "over":
        if board.state["to_move"] == "human":
            told = board.play(min(board.state["position"]["legal"]))
            assert told["type"] == "state", told
        else:
            board.receive("state")
    return board.state


# Play


@pytest.mark.parametrize("variant", ["othello", "reversed-6x6", "4x4", "5x7-parallel"])
def test_a_whole_game_against_a_player(server: Server, variant: str) -> None:
    with server.board(server.new_board(variant=variant, white="greedy")) as board:
        state = played_out(board)
        again = Game.from_transcript(board.moves, Variant.named(variant))
        outcome = again.outcome()
        assert outcome is not None
        assert state["outcome"]["score"] == outcome.score
        assert state["outcome"]["text"] == str(outcome)
        assert state["position"]["board"] == again.position.text[:-2]
        assert {node["by"] for node in board.nodes.values() if node["move"] not in (None, "pass")} == {
            "human",
            "greedy",
        }
        assert state["totals"]["white"]["moves"] > 3


def test_two_players_play_while_somebody_looks(server: Server) -> None:
    with server.board(server.new_board(variant="4x4", black="greedy", white="random")) as board:
        board.until("to_move", "over")
        assert board.state["outcome"] is not None


def test_the_usual_game_is_a_person_with_black_against_the_first_difficulty(server: Server) -> None:
    first = server.get("/api/about")["difficulties"][0]["spec"]
    state = server.post("/api/boards")["state"]
    assert state["players"] == {"black": "human", "white": first}
    assert state["to_move"] == "human"


def test_a_click_shows_at_once_also_while_a_player_thinks_long(server: Server) -> None:
    with server.board(server.new_board(white="alphabeta:time=20")) as board:
        state = board.play("f5")
        assert state["thinking"] and state["position"]["turn"] == "white"
        state = board.ask("undo")
        assert not state["thinking"] and state["position"]["board"] == START


def test_a_player_plays_now_when_told(server: Server) -> None:
    with server.board(server.new_board(white="alphabeta:time=25")) as board:
        board.play("f5")
        board.say("force")
        board.until("to_move", "human")
        assert len(board.moves) == 4


def test_undo_redo_branch_and_goto(server: Server) -> None:
    with server.board(server.new_board(white="human")) as board:
        for move in ("f5", "d6", "c3"):
            board.play(move)
        assert board.ask("undo")["can_redo"]
        board.play("c4")
        assert board.moves == "f5d6c4"
        assert len(board.nodes) == 5
        board.ask("goto", node=3)
        assert board.moves == "f5d6c3"
        board.ask("goto", node=0)
        assert board.ask("redo")["last"] == "f5"


def test_what_cannot_be_done_is_said_with_its_reference(server: Server) -> None:
    with server.board(server.new_board(white="human")) as board:
        for said in (
            {"kind": "move", "move": "a1"},
            {"kind": "move", "move": "z9"},
            {"kind": "undo"},
            {"kind": "redo"},
            {"kind": "goto", "node": 99},
            {"kind": "players", "white": "py:./x.py"},
            {"kind": "new", "variant": "9x9"},
            {"kind": "new", "start": "XO"},
            {"kind": "force"},
            {"kind": "analyse", "node": 77},
            {"kind": "nothing of the kind"},
        ):
            answer = board.ask(said.pop("kind"), ref=7, **said)  # type: ignore[arg-type]
            assert answer["type"] == "error" and answer["ref"] == 7, answer
            assert answer["error"] and "\n" not in answer["error"]
        assert board.play("f5")["last"] == "f5"


def test_swap_players_resign_pause(server: Server) -> None:
    with server.board(server.new_board(white="greedy")) as board:
        board.ask("swap")
        board.until("to_move", "human")  # the player has Black now and has moved
        assert board.state["players"] == {"black": "greedy", "white": "human"}
        assert board.state["position"]["turn"] == "white"
        assert board.ask("resign")["outcome"]["text"] == "Black wins (White resigned)"
        assert board.ask("undo")["outcome"] is None
        board.ask("players", black="human", white="human")
        assert board.ask("pause")["paused"]
        assert not board.ask("resume")["paused"]


def test_openings(server: Server) -> None:
    for opening, variant in (("random", "othello"), ("balanced", "6x6")):
        state = server.post("/api/boards", opening=opening, variant=variant)["state"]
        assert len(state["line"]) >= 6
        assert state["outcome"] is None


def test_a_set_up_position_and_a_game_to_go_on_from(server: Server) -> None:
    state = server.post("/api/boards", start=ENDING, white="human")["state"]
    assert state["position"]["board"] == ENDING[:-2]
    assert state["position"]["turn"] == "black"
    state = server.post("/api/boards", moves=GAME, white="human")["state"]
    assert len(state["line"]) >= len(GAME) // 2
    refused = server.http.post("/api/boards", json={"moves": "f5f5"})
    assert refused.status_code == 400 and "move 2" in refused.json()["error"]


def test_clocks_run_and_end_a_game(server: Server) -> None:
    with server.board(server.new_board(white="human", clock={"seconds": 1, "increment": 0})) as board:
        assert board.state["clock"]["running"] is None
        state = board.play("f5")
        assert state["clock"]["running"] == "white"
        board.until("to_move", "over")
        assert board.state["outcome"]["text"] == "Black wins (White ran out of time)"


def test_two_tabs_see_the_same_board(server: Server) -> None:
    identity = server.new_board(white="human")
    with server.board(identity) as one, server.board(identity) as two:
        one.play("f5")
        two.receive("state")
        assert two.state["last"] == "f5"
        two.play("d6")
        one.receive("state")
        assert one.moves == two.moves == "f5d6"


def test_a_player_that_fails_is_named_and_the_game_waits(server: Server, folder: Path) -> None:
    with server.board(server.new_board(white="wreck")) as board:
        board.play("f5")
        while board.state["error"] is None:
            board.receive("state")
        assert board.state["error"].startswith("wreck failed")
        assert str(folder) not in json.dumps(board.state)
        assert board.state["paused"]
        board.ask("players", white="greedy")
        board.until("to_move", "human")


# Analysis


def test_values_of_all_moves_are_exact_near_the_end(server: Server) -> None:
    position = Position.from_text(ENDING)
    expected = Solver(16).solve_all(position)
    with server.board(server.new_board(start=ENDING, white="human")) as board:
        board.say("analyse", seconds=30)
        while not (told := board.receive("hints"))["done"]:
            pass
    found = {hint["move"]: hint["score"] for hint in told["hints"]}
    assert sorted(found.values(), reverse=True) == sorted(expected.values.values(), reverse=True)
    assert all(hint["exact"] for hint in told["hints"]) and told["unit"] == "discs"
    assert told["hints"][0]["score"] == expected.score == told["value"]["black"]
    assert len(told["hints"][0]["pv"]) > 3


def test_analysis_streams_and_a_new_one_replaces_it(server: Server) -> None:
    with server.board(server.new_board(moves="f5d6c3", white="human")) as board:
        board.say("analyse", seconds=60)
        depths = [board.receive("hints")["depth"] for _ in range(3)]
        assert depths == sorted(depths) and len(set(depths)) == 3
        board.say("analyse", node=1, seconds=0.3)
        nodes = []
        while True:
            told = board.receive("hints")
            nodes.append(told["node"])
            if told["done"]:
                break
        assert nodes[-1] == 1
        assert 3 not in nodes[nodes.index(1) :]
        board.say("analyse", seconds=60)
        board.receive("hints")
        board.say("stop")
        board.say("ping")
        board.receive("pong")


def test_a_review_marks_the_moves_that_lost(server: Server) -> None:
    with server.board(server.new_board(variant="4x4", white="greedy")) as board:
        played_out(board)
        board.say("review", seconds=10)  # exact long before that, unless the machine stalls
        shares = []
        while True:
            told = board.receive("review")
            shares.append(told["progress"])
            if told["done"]:
                break
        assert shares == sorted(shares) and shares[-1] == 1
        moves = [node for node in board.nodes.values() if node["move"] not in (None, "pass")]
        assert all(node["review"] and node["review"]["loss"] >= 0 for node in moves)
        # With exact values the losses of both sides lead from the first value to the result.
        last = board.state["outcome"]["score"]
        first = moves[0]["review"]["value"]
        lost = {color: sum(n["review"]["loss"] for n in moves if n["color"] == color) for color in ("black", "white")}
        assert first - lost["black"] + lost["white"] == last
    state = server.get(f"/api/boards/{board.state['board']}")
    assert any(node["review"] for node in state["nodes"])


# Formats


@pytest.mark.parametrize("name", COPY_FORMATS)
def test_what_is_copied_can_be_pasted(server: Server, name: str) -> None:
    identity = server.new_board(moves=GAME, white="human")
    text = server.get(f"/api/boards/{identity}/copy", format=name)["text"]
    found = server.post("/api/read", text=text)
    assert found["format"] == name
    here = server.post("/api/boards", white="human", **_game(found))["state"]
    assert here["position"]["board"] == server.get(f"/api/boards/{identity}")["position"]["board"]


def _game(found: dict[str, Any]) -> dict[str, Any]:
    return {key: found["games"][0][key] for key in ("variant", "start", "moves", "tags")}


def test_a_link_reopens_the_position(server: Server) -> None:
    identity = server.new_board(moves=GAME, white="human", variant="othello")
    link = server.get(f"/api/boards/{identity}/copy", format="link", whole=True)["text"]
    assert link.startswith("/?")
    assert server.http.get(link).status_code == 200
    found = server.post("/api/read", text=server.url + link)
    assert found["games"][0]["moves"] == GAME


def test_a_file_of_games_is_read(server: Server) -> None:
    data = (Path(__file__).parent / "golden" / "games.wtb").read_bytes()
    found = server.http.post("/api/read/file", content=data).json()
    assert found["format"] == "wthor" and found["count"] >= 1
    assert found["games"][0]["moves"]
    refused = server.http.post("/api/read/file", content=b"\x1f\x8b\x08 damaged")
    assert refused.status_code == 400


def test_every_format_that_is_text_can_be_copied() -> None:
    assert set(COPY_FORMATS) == set(TITLES) - {"wthor"}


def test_positions_are_turned_and_exchanged(server: Server) -> None:
    plain = server.post("/api/position", moves="f5")
    turned = server.post("/api/position", moves="f5", symmetry=3)
    assert turned["board"] == plain["board"][::-1]
    exchanged = server.post("/api/position", moves="f5", exchange=True)
    assert exchanged["board"] == plain["board"].translate(str.maketrans("XO", "OX"))
    assert exchanged["turn"] == "black"
    assert set(exchanged["legal"]) == set(plain["legal"])


# What there is


def test_about_lists_all_that_can_be_chosen(server: Server, folder: Path) -> None:
    about = server.get("/api/about")
    names = {one["name"] for one in about["agents"]}
    assert {"dragon", "wreck", *(e.name for e in ROSTER.values() if not e.target and e.name != "human")} == names
    assert {"lively", "combined", "phased"} <= {one["name"] for one in about["heuristics"]}
    assert about["difficulties"][0]["id"] == "beginner"
    assert str(folder) not in json.dumps(about)


def test_an_own_player_and_an_own_heuristic_play(server: Server) -> None:
    with server.board(server.new_board(variant="4x4", white="dragon")) as board:
        played_out(board)
    with server.board(server.new_board(variant="4x4", white="alphabeta:heuristic=lively,depth=2")) as board:
        played_out(board)


def test_the_page_is_served_with_its_headers(server: Server) -> None:
    page = httpx.get(server.url, timeout=60)  # a browser that was never here
    assert page.status_code == 200 and page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "HttpOnly" in page.headers["set-cookie"]
    again = server.http.get("/", headers={"if-none-match": page.headers["etag"]})
    assert again.status_code == 304


def test_the_whole_page_weighs_less_than_200_kilobytes(server: Server) -> None:
    sent = 0
    for file in PAGE.rglob("*"):
        if file.is_file():
            with server.http.stream("GET", f"/page/{file.relative_to(PAGE).as_posix()}") as answer:
                assert answer.status_code == 200, file
                answer.read()
                sent += answer.num_bytes_downloaded
    assert 10_000 < sent < 200_000


# Laboratory


def test_a_heuristic_is_explained_and_its_weights_can_be_tried(server: Server) -> None:
    position = {"variant": "othello", "board": Game.from_transcript("f5d6c3d3c4").position.text[:-2], "turn": "white"}
    plain = server.post("/api/explain", position=position, heuristic="combined")
    assert plain["value"] == pytest.approx(sum(one["share"] for one in plain["features"]))
    assert set(plain["heat"]) == set(server.post("/api/position", moves="f5d6c3d3c4")["legal"])
    tried = server.post("/api/explain", position=position, heuristic="combined", weights={"m: mobility": [0.0]})
    mobility = next(one["share"] for one in plain["features"] if one["name"] == "m: mobility")
    assert tried["value"] == pytest.approx(plain["value"] - mobility)
    classes = plain["classes"]
    discs = {
        color: sum(len(classes[color][kind]) for kind in ("stable", "semi_stable", "unstable")) for color in classes
    }
    board = position["board"]
    assert discs == {"black": board.count("X"), "white": board.count("O")}
    assert len(plain["squares"]) == 8
    own = server.post("/api/explain", position=position, heuristic="lively")
    assert own["features"][0]["name"] == "mobility" and own["features"][0]["weight"] is None


def test_the_seeds_trees_are_alive(server: Server) -> None:
    examples = server.get("/api/lessons")["examples"]
    assert [one["id"] for one in examples] == ["three-replies", "no-need-to-look"]
    lesson = server.post("/api/lessons", kind="example", id="no-need-to-look", algorithm="alphabeta")
    assert lesson["value"] == 3 and lesson["pruned"] == ["A22", "A23"]
    assert [step["node"] for step in lesson["steps"] if step["kind"] == "prune"] == ["A22", "A23"]


def test_alphabeta_on_a_real_position_finds_what_minimax_finds(server: Server) -> None:
    position = {"variant": "6x6", "board": server.post("/api/position", variant="6x6")["board"], "turn": "black"}
    lessons = [
        server.post("/api/lessons", kind="position", position=position, heuristic="mobility", depth=3, algorithm=name)
        for name in ("minimax", "alphabeta")
    ]
    assert lessons[0]["value"] == lessons[1]["value"] and lessons[0]["best"] == lessons[1]["best"]
    assert lessons[1]["pruned"] and not lessons[0]["pruned"]
    assert len(lessons[0]["visited"]) == len(lessons[0]["nodes"])


def test_a_monte_carlo_search_is_recorded(server: Server) -> None:
    position = {"variant": "4x4", "board": server.post("/api/position", variant="4x4")["board"], "turn": "black"}
    lesson = server.post("/api/lessons", kind="montecarlo", position=position, playouts=100, seed=3)
    nodes = {node["id"]: node for node in lesson["nodes"]}
    assert nodes["A"]["visits"] == 100 == len(lesson["steps"])
    assert sum(node["visits"] for node in lesson["nodes"] if node["parent"] == "A") == 100
    visits = dict.fromkeys(nodes, 0)
    for step in lesson["steps"]:
        for node in step["path"]:
            visits[node] += 1
    assert visits == {name: node["visits"] for name, node in nodes.items()}


# Arena


def test_a_match_runs_with_its_elo(server: Server) -> None:
    asked = {"a": "greedy", "b": "random", "games": 10, "variant": "4x4", "seed": 1}
    identity = server.post("/api/matches", **asked)["id"]
    seen = []
    with server.socket(f"/api/matches/{identity}/live") as socket:
        try:
            while True:
                seen.append(json.loads(socket.recv(60)))
        except ConnectionClosed:
            pass
    last = seen[-1]
    assert not last["running"] and last["error"] is None
    expected = match("greedy", "random", games=10, variant="4x4", seed=1, openings="random").to_dict()
    assert {key: last[key] for key in ("games", "wins", "draws", "losses", "elo")} == {
        key: expected[key] for key in ("games", "wins", "draws", "losses", "elo")
    }
    own = server.get("/api/stores")["stores"][-1]
    assert own["name"] == "matches" and own["events"][-1]["title"] == "greedy – random"
    game = last["recent"][0]
    replay = server.post("/api/boards", white="human", **{key: game[key] for key in ("variant", "start", "moves")})
    assert replay["state"]["outcome"]["text"] == game["result"]


def test_a_match_can_be_stopped(server: Server) -> None:
    identity = server.post("/api/matches", a="alphabeta:depth=5", b="alphabeta:depth=6", games=1000)["id"]
    assert server.http.delete(f"/api/matches/{identity}").status_code == 204
    with server.socket(f"/api/matches/{identity}/live") as socket:
        try:
            while True:
                last = json.loads(socket.recv(60))
        except ConnectionClosed:
            pass
    assert not last["running"] and last["games"] < 1000


def test_an_opened_store_shows_its_report_and_its_games(server: Server, folder: Path) -> None:
    store = server.get("/api/stores")["stores"][0]
    assert store["name"] == "class.sqlite"
    assert store["events"][0]["kind"] == "match"
    event = store["events"][0]["id"]
    report = server.get(f"/api/stores/{store['id']}/events/{event}")
    assert report["summary"]["match"]["players"] == ["greedy", "random"] and report["summary"]["games"] == 6
    games = report["games"]
    assert len(games["id"]) == len(games["winner"]) == 6
    names = [player["player"] for player in report["summary"]["players"]]
    moves, *_ = server.get(f"/api/stores/{store['id']}/events/{event}/games/{games['id'][0]}")
    replay = Game.from_moves(moves, Variant.named(report["summary"]["variant"]["name"]))
    outcome = replay.outcome()
    assert outcome is not None and outcome.score == games["score"][0]
    assert {names[games["black"][0]], names[games["white"][0]]} == {"greedy", "random"}
    assert server.http.get(f"/api/stores/{store['id']}/events/{event}/games/99999").status_code == 404
    assert server.http.get(f"/api/stores/{store['id']}/events/99").status_code == 404
    assert server.http.get("/api/stores/7/events/1").status_code == 404
    assert str(folder) not in json.dumps([store, report, games])


def test_the_state_is_in_the_folder_named(server: Server) -> None:
    server.new_board()
    with sqlite3.connect(f"file:{server.state / 'boards.sqlite'}?mode=ro", uri=True) as database:
        (count,) = database.execute("SELECT count(*) FROM boards").fetchone()
    assert count > 0
