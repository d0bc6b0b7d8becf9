"""`outflank.solve` and `outflank.analyze`, and the command: values of all moves, losses, and where a game turned."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import outflank
from outflank import Color, Game, Position, Variant
from outflank.board.squares import PASS, square_name
from outflank.cli.main import app
from outflank.library.analysis import Analyst, GameAnalysis, PositionAnalysis
from outflank.search.engine.engine import Engine
from outflank.search.engine.solver import Solver
from outflank.search.limits import Limit

ENDING = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


def random_game(name: str, seed: int) -> Game:
    dice, game = random.Random(seed), Game(Variant.named(name))
    while not game.is_over:
        game.push(dice.choice(game.position.legal_moves))
    return game


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["analyze", *arguments])


# From Python


def test_solve_finds_what_the_solver_finds() -> None:
    report = outflank.solve(ENDING)
    assert (report.score, square_name(report.move), report.exact) == (18, "g8", True)
    every = outflank.solve(Position.from_text(ENDING), all_moves=True)
    assert every.values == Solver(8).solve_all(Position.from_text(ENDING)).values
    assert outflank.solve(ENDING, wld=True).score == 1
    four = Game(Variant.named("4x4"))
    assert (outflank.solve(four).score, outflank.solve(four, raw=True).score) == (-10, -8)


def test_a_position_near_the_end_has_exact_values_of_every_move() -> None:
    position = Position.from_text(ENDING)
    found = outflank.analyze(position, depth=position.empties)
    assert found.is_exact and found.score == 18
    assert {hint.move: hint.score for hint in found.hints} == Solver(8).solve_all(position).values
    assert outflank.analyze(ENDING, level=15) == found


def test_text_with_moves_is_a_game_and_a_board_is_a_position() -> None:
    game = outflank.analyze("f5d6c3", depth=2)
    assert isinstance(game, GameAnalysis) and [square_name(each.node.move or 0) for each in game.moves] == [
        "f5",
        "d6",
        "c3",
    ]
    assert isinstance(outflank.analyze(Position.start().text, depth=2), PositionAnalysis)
    with pytest.raises(ValueError, match="give one game or position"):
        outflank.analyze("f5d6\nf5f6\n")


@pytest.mark.parametrize("name", ["4x4", "reversed-4x4"])
def test_the_exact_review_of_a_game_adds_up_to_its_result(name: str) -> None:
    game = random_game(name, 7)
    found = outflank.analyze(game, depth=12)
    outcome = game.outcome()
    assert outcome is not None and outcome.score is not None
    assert all(each.exact for each in found.moves)
    first = found.moves[0]
    value = first.value if first.mover is Color.BLACK else -first.value
    assert value - found.totals(Color.BLACK).loss + found.totals(Color.WHITE).loss == outcome.score
    for color in Color:
        total = found.totals(color)
        marked = [each.mark for each in found.moves if each.mover is color and each.mark]
        assert sum(total.marks.values()) == len(marked)
        assert total.moves == sum(each.mover is color for each in found.moves)
        assert total.mean_loss == pytest.approx(total.loss / total.moves)


def test_equal_moves_lose_nothing_at_any_depth() -> None:
    """The four first moves are one: what is known of the game that followed must not make one look better."""
    for depth in (4, 5):
        game = outflank.analyze(Game.from_transcript("f5d6c3d3c4f4c5b3c2"), depth=depth)
        assert game.moves[0].loss == 0


def test_the_turning_point_is_a_move_of_the_loser() -> None:
    game = random_game("4x4", 7)
    found = outflank.analyze(game, depth=12)
    outcome, turn = game.outcome(), found.turning_point
    assert outcome is not None and outcome.winner is not None
    assert turn is not None and turn in found.moves and turn.mover is outcome.winner.other and turn.loss > 0
    # A game that is not over is lost by whoever stands worse at its end.
    begun = Game.from_moves([move for move in game.moves if move != PASS][:8], Variant.named("4x4"))
    unfinished = outflank.analyze(begun, depth=12)
    assert unfinished.turning_point is not None
    assert unfinished.turning_point.mover is (Color.WHITE if unfinished.moves[-1].black > 0 else Color.BLACK)


def test_a_side_that_must_pass_has_one_move_and_a_finished_game_none() -> None:
    analyst = Analyst(Engine(1, 1), Limit(depth=12))
    dice, seen = random.Random(3), 0
    while seen < 3:
        position = Position.start(Variant.named("4x4"))
        while not position.is_over and not position.must_pass:
            position = position.play(dice.choice(position.legal_moves))
        found = analyst.position(position)
        if position.must_pass:
            seen += 1
            assert [hint.move for hint in found.hints] == [PASS]
            assert found.score == Solver(1).solve(position).score
        else:
            assert not found.hints and found.score == Solver(1).solve(position).score


# The command


def test_a_position_is_a_table_of_its_moves() -> None:
    shown = run(ENDING, "--depth", "14")
    assert shown.exit_code == 0
    lines = shown.output.splitlines()
    assert any(line.split()[:3] == ["g8", "=+18", "end"] for line in lines)
    assert "proven" in lines[-1]
    data = json.loads(run(ENDING, "--depth", "14", "--json").output)
    assert (data["move"], data["score"], data["exact"], data["pv"][0]) == ("g8", 18, True, "g8")
    assert len(data["moves"]) == 8 and data["moves"][0]["move"] == "g8"


def test_a_game_is_a_table_of_its_moves_with_totals() -> None:
    game = random_game("6x6", 5)
    shown = run(game.transcript, "--variant", "6x6", "--level", "6")
    assert shown.exit_code == 0, shown.output
    moves = sum(move != PASS for move in game.moves)
    assert [line.split()[0] for line in shown.output.splitlines()[1 : moves + 1]] == [
        str(number) for number in range(1, moves + 1)
    ]
    assert "Black: " in shown.output and "discs lost" in shown.output
    data = json.loads(run(game.transcript, "--variant", "6x6", "--level", "6", "--json").output)
    assert data["complete"] and len(data["moves"]) == moves and data["variant"] == "6x6"
    assert data["totals"]["black"]["loss"] == sum(one["loss"] for one in data["moves"] if one["side"] == "black")
    if data["turning_point"] is not None:
        assert f"turning point: move {data['turning_point']}," in shown.output


def test_files_with_several_and_the_end_of_a_game(tmp_path: Path) -> None:
    file = tmp_path / "suite.obf"
    file.write_text(f"{ENDING};\n{Position.start().text};\n")
    lines = run(str(file), "--depth", "2", "--json").output.splitlines()
    assert [json.loads(line)["position"] for line in lines] == [ENDING, Position.start().text]
    data = json.loads(run("f5d6c3", "--end", "--depth", "2", "--json").output)
    assert data["position"] == Game.from_transcript("f5d6c3").position.text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "is not a transcript"),
        (["no.obf"], "there is no such file"),
        (["f5d6", "--time", "0"], "more than 0 seconds"),
        (["f5d6", "--level", "31"], "--level"),
        (["-" * 27 + "OX------XO" + "-" * 27 + " X", "--variant", "6x6"], "not of 6x6"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str) -> None:
    command = [sys.executable, "-m", "outflank", "analyze", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2 and said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


INTERRUPTED_AFTER_FOUR_MOVES = """
import os, signal, threading
from outflank.cli.main import main
from outflank.library.analysis import Analyst
analyse = Analyst.game
def interrupted(analyst, game, hear):
    known = []
    def heard(move):
        hear(move)
        known.append(move)
        if len(known) == 4:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    return analyse(analyst, game, heard)
Analyst.game = interrupted
main()
"""


def test_ctrl_c_keeps_what_is_known() -> None:
    """Pressed while a position is searched: it has ten minutes for each, and those of the opening would take years."""
    command = [sys.executable, "-c", INTERRUPTED_AFTER_FOUR_MOVES, "analyze", random_game("othello", 1).transcript]
    done = subprocess.run([*command, "--time", "600", "--json"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 130 and "Traceback" not in done.stderr
    data = json.loads(done.stdout)
    assert not data["complete"] and 4 <= len(data["moves"]) < 60
    assert data["moves"][-1]["exact"]
