"""What the server tells of solved boards: who wins, every move of 4x4, and elsewhere what a certificate holds."""

from collections.abc import Iterator

import pytest
from serving import Server, running_server

from outflank import Game, Variant
from outflank.proofs.certificate import shipped

VALUES = {"4x4": -10, "4x4-parallel": -4, "reversed-4x4": 4, "reversed-4x4-parallel": 0, "6x6": -4}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("solved")) as running:
        yield running


def test_every_shipped_certificate_is_there(server: Server) -> None:
    boards = {one["variant"]["name"]: one["value"] for one in server.get("/api/solved")}
    assert boards.keys() == shipped().keys()
    assert {name: boards[name] for name in VALUES} == VALUES


@pytest.mark.parametrize("name", ["4x4", "reversed-4x4", "reversed-4x4-parallel"])
def test_on_4x4_every_move_has_its_true_value_all_along_the_perfect_line(server: Server, name: str) -> None:
    game, value, side = Game(Variant.named(name)), VALUES[name], 1
    line = server.post("/api/solved", variant=name)["line"]
    for move in line:
        if move == "pass":
            continue
        found = server.post("/api/solved", variant=name, moves=game.transcript)
        assert all(each["least"] == each["most"] for each in found["moves"])
        assert {each["move"] for each in found["moves"]} == set(found["position"]["legal"])
        side = 1 if found["position"]["turn"] == "black" else -1
        assert found["least"] == found["most"] == side * value == found["moves"][0]["least"]
        assert next(each["least"] for each in found["moves"] if each["move"] == move) == side * value
        if game.position.must_pass:
            game.push("pass")
        game.push(move)
    outcome = game.position.outcome()
    assert outcome is not None and outcome.score == value
    over = server.post("/api/solved", variant=name, moves=game.transcript)
    assert over["position"]["over"] and over["moves"] == []


def test_a_larger_board_has_a_perfect_line_and_bounds(server: Server) -> None:
    found = server.post("/api/solved", variant="6x6")
    assert found["least"] == found["most"] == -4
    game = Game.from_transcript("".join(move for move in found["line"] if move != "pass"), Variant.named("6x6"))
    outcome = game.position.outcome()
    assert outcome is not None and outcome.score == -4
    for each in found["moves"]:
        assert each["least"] <= -4 and each["least"] <= each["most"]


def test_a_board_that_is_not_solved_is_refused(server: Server) -> None:
    answer = server.http.post("/api/solved", json={"variant": "othello"})
    assert answer.status_code == 404 and "not solved" in answer.json()["error"]
