"""`outflank move` and `outflank agents`."""

import json
import math
import re
import sys
from typing import Any

import pytest

from outflank.agents.agent import Agent
from outflank.agents.roster import ROSTER, Entry
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.cli.agents import agents
from outflank.cli.main import main
from outflank.cli.move import move
from outflank.search.limits import Limit, Report


def asked(capsys: pytest.CaptureFixture[str], agent: str = "greedy", **options: Any) -> dict[str, Any]:
    move(agent=agent, json=True, **options)
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_greedy_at_the_start(capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(capsys)
    assert answer.pop("seconds") > 0
    assert answer == {"move": "d3", "score": 3, "depth": 1, "nodes": 4, "pv": ["d3"]}


def test_a_position_is_a_transcript_or_a_board_text(capsys: pytest.CaptureFixture[str]) -> None:
    game = Game.from_transcript("d3c3c4c5b4")
    by_moves = asked(capsys, position="d3c3c4c5b4")
    by_board = asked(capsys, position=game.position.text)
    assert by_moves["move"] == by_board["move"] == "e3"
    assert by_moves["score"] == by_board["score"] == 6


def test_the_score_is_the_movers_under_the_objective(capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(capsys, position="d3c3c4c5b4", variant="reversed")
    assert (answer["move"], answer["score"]) == ("a3", -2)


def test_a_forced_pass(capsys: pytest.CaptureFixture[str]) -> None:
    text = "OXXX XOX- XOXX XOOO X"
    assert Position.from_text(text).must_pass
    answer = asked(capsys, position=text, variant="4x4")
    assert answer == {"move": "pass", "score": None, "depth": 0, "nodes": 0, "seconds": 0, "pv": ["pass"]}
    move(agent="greedy", position=text, variant="4x4")
    assert capsys.readouterr().out == "pass\n"


@pytest.mark.parametrize(("side", "score"), [("X", -4), ("O", 4)])
def test_a_finished_game_has_no_move_and_a_final_score(
    capsys: pytest.CaptureFixture[str], side: str, score: int
) -> None:
    answer = asked(capsys, position=f"OXXX XOOO XOOO XOOO {side}", variant="4x4")
    assert (answer["move"], answer["score"], answer["pv"]) == (None, score, [])


class Stub(Agent):
    score: float = math.inf
    limit = Limit()

    def choose(self, game: Game, limit: Limit) -> Report:
        Stub.limit = limit
        return Report(game.position.legal_moves[0], self.score)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> type[Stub]:
    monkeypatch.setitem(ROSTER, "stub", Entry("stub", "Tests.", Stub, limits=("time", "depth", "nodes", "playouts")))
    return Stub


@pytest.mark.parametrize("score", [math.inf, -math.inf, math.nan])
def test_json_numbers_are_finite(
    capsys: pytest.CaptureFixture[str], stub: type[Stub], monkeypatch: pytest.MonkeyPatch, score: float
) -> None:
    monkeypatch.setattr(stub, "score", score)
    assert asked(capsys, agent="stub")["score"] is None


def test_limits_come_from_the_command_unless_the_spec_has_one(
    capsys: pytest.CaptureFixture[str], stub: type[Stub]
) -> None:
    asked(capsys, agent="stub", time=0.5, depth=3, nodes=10, playouts=20)
    assert stub.limit == Limit(time=0.5, depth=3, nodes=10, playouts=20)
    asked(capsys, agent="stub:nodes=7", time=0.5)
    assert stub.limit == Limit(nodes=7)


def test_random_follows_the_seed(capsys: pytest.CaptureFixture[str]) -> None:
    moves = [asked(capsys, agent="random", seed=seed)["move"] for seed in range(12)]
    assert moves == [asked(capsys, agent="random", seed=seed)["move"] for seed in range(12)]
    assert len(set(moves)) > 1


def test_text_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    move(agent="greedy", position="d3c3c4c5b4")
    assert re.fullmatch(r"e3  score \+6  depth 1  6 nodes  \d+\.\d\d s  line e3\n", capsys.readouterr().out)


@pytest.mark.parametrize(
    "arguments",
    [["--agent", "nobody"], ["--position", "zz"], ["--depth", "0"], ["--position", "a1"], ["--variant", "9x9"]],
)
def test_bad_input_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["outflank", "move", *arguments])
    with pytest.raises(SystemExit) as exit:
        main()
    shown = capsys.readouterr()
    assert (exit.value.code, shown.out, shown.err.count("\n")) == (2, "", 1)
    assert shown.err.startswith("outflank: ")


def test_the_table_of_agents_shows_every_option(capsys: pytest.CaptureFixture[str], stub: type[Stub]) -> None:
    agents()
    shown = capsys.readouterr().out
    agents(json=True)
    data = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert list(data) == list(ROSTER)
    for entry in ROSTER.values():
        assert entry.summary in shown
        assert [option["name"] for option in data[entry.name]["options"]] == list(entry.accepts)
    assert {"kind": "float", "default": None}.items() <= data["stub"]["options"][0].items()
    assert "  time          Seconds for a move. (a number)" in shown
