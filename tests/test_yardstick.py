"""`outflank bench engine`: what it measures is there, right, and beside another program on the same positions."""

import json
import sys

import pytest
from typer.testing import CliRunner

from outflank.agents.engine import EnginePlayer
from outflank.bench.yardstick import measure, own_suite
from outflank.board.game import Game
from outflank.cli.main import app
from outflank.search.engine.solver import Solver
from outflank.search.limits import Limit, Report


def test_our_own_suite_has_endings_with_scores_and_middle_games() -> None:
    endings, midgames = own_suite("endings"), own_suite("midgames")
    assert {problem.position.empties for problem in endings} == {20, 22, 24}
    assert all(problem.best is not None for problem in endings)
    assert {problem.position.empties for problem in midgames} == {40}
    assert Solver(16).solve(endings[1].position).score == endings[1].best


def test_everything_is_measured_beside_another_player() -> None:
    endings, midgames = own_suite("endings")[1:2], own_suite("midgames")[:1]
    told: list[tuple[str, int, int]] = []
    found = measure(
        endings,
        midgames,
        seconds=1.0,
        threads=2,
        hash_mb=8,
        against="engine:hash=8",
        progress=lambda *one: told.append(one),
    )
    (solved,), (searched,) = found.endings, found.midgames
    assert solved.right and found.wrong == 0 and solved.nodes > 0
    assert solved.against_score == solved.score == endings[0].best
    assert found.ratio is not None and found.thread_scaling is not None
    assert found.ratio * (solved.against_seconds or 0) - solved.seconds < 1e-9
    assert searched.depth > 4 and searched.against_depth and found.search_nodes_per_second > 0
    assert found.evaluations_per_second > 0
    assert [what for what, *_ in told] == ["endings solved", "middle games searched"]


def test_a_rival_that_is_late_loses_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    class Late(EnginePlayer):
        def choose(self, game: Game, limit: Limit) -> Report:
            if limit.time:
                raise TimeoutError("the engine gave no answer in 0.7 s")
            return super().choose(game, limit)

    monkeypatch.setattr("outflank.bench.yardstick.agent", lambda _spec: Late(None, 1, 8))
    found = measure(own_suite("endings")[1:2], own_suite("midgames")[:1], seconds=1.0, hash_mb=8, against="late")
    assert found.ratio is not None and found.midgames[0].depth > 4 and found.midgames[0].against_depth is None


def test_a_wrong_score_is_told() -> None:
    problem = own_suite("endings")[1]
    lie = type(problem)(problem.position, score=(problem.best or 0) + 2)
    assert measure([lie], [], hash_mb=8).wrong == 1


def test_the_command_speaks_to_a_program() -> None:
    arguments = ["bench", "engine", "--positions", "1", "--seconds", "0.05", "--hash", "8", "--threads", "1"]
    rival = f"nboard:{sys.executable} -m outflank nboard --agent engine"
    shown = CliRunner().invoke(app, [*arguments, "--against", rival])
    assert shown.exit_code == 0, shown.output
    assert "our time is" in shown.output and "evaluations" in shown.output
    data = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).output)
    assert data["ratio"] is None and data["thread_scaling"] is None and data["wrong"] == 0
    assert len(data["endings"]) == len(data["midgames"]) == 1
