"""`outflank move` and `outflank agents`."""

import json
import math
import re
from collections.abc import Callable
from typing import Any

import pytest

from outflank.agents.agent import Agent
from outflank.agents.roster import ROSTER, Entry
from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import square_name
from outflank.cli.agents import agents
from outflank.cli.move import move
from outflank.search.limits import Limit, Report


def asked(capsys: pytest.CaptureFixture[str], agent: str = "greedy", **options: Any) -> dict[str, Any]:
    move(agent=agent, json=True, **options)
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_greedy_at_the_start(capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(capsys)
    assert answer.pop("seconds") > 0
    values = answer.pop("values")
    known = {"score": 3, "depth": 1, "selectivity": None, "exact": False, "decided": False}
    assert answer == {"move": "d3", **known, "nodes": 4, "pv": ["d3"]}
    assert values == [{"move": square, **known} for square in ("d3", "c4", "f5", "e6")]


SEARCHERS = [
    "engine:depth=4",
    "engine:level=3",
    "engine:level=11",
    "alphabeta:depth=3",
    "minimax:depth=2",
    "corner-shy:depth=3",
    "phased:depth=3",
    "self-taught:depth=3",
    "dynamic:depth=3",
    "mcts:playouts=200",
    "montecarlo:playouts=200",
    "mini-go:mode=easy",
    "alphazero:playouts=400",
]


@pytest.mark.parametrize("spec", SEARCHERS)
def test_every_searcher_says_what_every_move_is_worth(capsys: pytest.CaptureFixture[str], spec: str) -> None:
    game = Game.from_transcript("d3c3c4c5b4")
    answer = asked(capsys, agent=spec, position=game.transcript)
    values = {each["move"]: each["score"] for each in answer["values"]}
    assert set(values) == {square_name(square) for square in game.position.legal_moves}
    assert None not in values.values()
    assert values[answer["move"]] == answer["score"]
    assert list(values.values()) == sorted(values.values(), reverse=True)


@pytest.mark.parametrize("spec", ["alphabeta", "minimax"])
def test_the_values_of_pruned_moves_are_those_of_minimax(capsys: pytest.CaptureFixture[str], spec: str) -> None:
    position = Game.from_transcript("d3c3c4c5b4").position
    truth = agent("minimax:depth=3").choose(Game(position), Limit()).values
    answer = asked(capsys, agent=f"{spec}:depth=3", position="d3c3c4c5b4")
    assert {each["move"]: each["score"] for each in answer["values"]} == {
        square_name(square): pytest.approx(value) for square, value in truth.items()
    }


def test_the_end_of_a_game_is_worth_its_margin(capsys: pytest.CaptureFixture[str]) -> None:
    """A tree search puts results above all estimates; what people read is the margin alone."""
    answer = asked(capsys, agent="alphabeta:depth=12", variant="4x4")
    assert (answer["score"], answer["exact"], answer["decided"]) == (-10, True, True)
    assert [each["score"] for each in answer["values"]] == [-10] * 4
    assert all(each["exact"] and each["decided"] for each in answer["values"])
    move(agent="alphabeta:depth=12", variant="4x4")
    assert re.match(r"b1  result -10  exact  ", capsys.readouterr().out)


def test_a_selective_search_says_how_sure_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    answer = asked(capsys, agent="engine:depth=6")
    assert (answer["depth"], answer["selectivity"], answer["exact"]) == (6, 73, False)
    move(agent="engine:depth=6")
    assert "  depth 6 at 73 %  " in capsys.readouterr().out
    ending = "XXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX OOOOOOOO OOOOOOOO XXXXOOO- XXXXXX-- X"
    answer = asked(capsys, agent="engine:depth=6", position=ending)
    assert (answer["selectivity"], answer["exact"]) == (100, True)


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
    assert (answer["move"], answer["score"], answer["nodes"], answer["pv"]) == ("pass", None, 0, ["pass"])
    assert answer["values"] == []
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
    assert re.fullmatch(r"e3  score \+6  depth 1  6 nodes  \d+\.\d\d\d s  line e3\n", capsys.readouterr().out)


@pytest.mark.parametrize(
    "arguments",
    [["--agent", "nobody"], ["--position", "zz"], ["--depth", "0"], ["--position", "a1"], ["--variant", "9x9"]],
)
def test_bad_input_is_one_line_and_exit_code_2(refused: Callable[..., str], arguments: list[str]) -> None:
    assert refused("move", *arguments)


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
    assert "  time          Seconds per move. (a number)" in shown
