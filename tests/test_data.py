"""`outflank data`: positions with values, policies and results; the same files however a run came about."""

import json
import pickle
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from outflank import Color, Game, Position, Variant, build_library
from outflank.board.squares import PASS
from outflank.cli.main import app
from outflank.datasets import sources
from outflank.datasets.columns import COLUMNS, NO_MOVE, NO_RESULT, NO_VALUE, _reason
from outflank.datasets.games import rows_of
from outflank.search.engine.solver import Solver
from outflank.work.stop import Stop

ENDING = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["data", *arguments])


def told(*arguments: str) -> dict[str, Any]:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def loaded(folder: Path) -> dict[str, Any]:
    """All columns of a folder, from its NumPy files."""
    parts = [np.load(path) for path in sorted(folder.glob("*.npz"))]
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS if name in parts[0].files}


def winner(solver: Solver, position: Position) -> float:
    score = solver.solve(position).score
    assert score is not None
    return float(np.sign(score))


def position_at(columns: dict[str, Any], index: Any, variant: Variant) -> Position:
    own, opp = int(columns["own"][index]), int(columns["opp"][index])
    turn = Color(int(columns["turn"][index]))
    return Position(*((own, opp) if turn is Color.BLACK else (opp, own)), turn, variant)


def random_game(variant: Variant, dice: random.Random, plies: int = 100) -> Game:
    game = Game(variant)
    while not game.is_over and len(game.moves) < plies:
        game.push(dice.choice(game.position.legal_moves))
    return game


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ('IO Error: Async write failed: {"exception_type":"IO","errno":"28"}', "no space left on device"),
        ("IO Error: no errno\nmore", "IO Error: no errno"),
    ],
)
def test_a_full_disk_is_told_by_its_name(said: str, why: str) -> None:
    assert _reason(duckdb.Error(said)) == why


def test_a_run_that_was_killed_at_its_first_file_goes_on(tmp_path: Path) -> None:
    (tmp_path / ".about.json.1.part").write_text("cut o")
    told("self-play", "--games", "2", "--variant", "4x4", "--out", str(tmp_path))
    assert sorted(content(tmp_path)) == ["about.json", "part-00000.npz", "part-00000.parquet"]
    with np.load(tmp_path / "part-00000.npz") as part:
        assert list(part) == list(json.loads((tmp_path / "about.json").read_text())["columns"])


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


# Games in columns


@pytest.mark.parametrize("name", ["4x4", "reversed-4x4", "5x7", "othello", "reversed"])
def test_the_rows_of_games_are_their_positions(name: str) -> None:
    variant, dice = Variant.named(name), random.Random(2)
    games = [random_game(variant, dice) for _ in range(30)] + [random_game(variant, dice, 5)]
    moves = np.full((len(games), 64), 255, np.uint8)
    for row, game in enumerate(games):
        played = [move for move in game.moves if move != PASS]
        moves[row, : len(played)] = played
    kinds = np.zeros(moves.shape, np.uint8)
    rows = rows_of(variant, moves, np.arange(100, 100 + len(games)), np.full(moves.shape, np.nan), kinds)
    wanted = []
    for number, game in enumerate(games):
        outcome = game.outcome()
        for ply, node in enumerate(node for node in game.line if node.move != PASS):
            assert node.parent is not None
            before = node.parent.position
            result = NO_RESULT
            if outcome is not None and outcome.score is not None:
                result = outcome.score if before.turn is Color.BLACK else -outcome.score
            board = (before.own, before.opp, before.legal, before.empties)
            wanted.append((number + 100, ply, int(before.turn), *board, node.move, result))
    names = ("game", "ply", "turn", "own", "opp", "legal", "empties", "move", "result")
    assert [tuple(row) for row in zip(*(rows[name].tolist() for name in names), strict=True)] == wanted
    assert (rows["policy"].argmax(axis=1) == rows["move"]).all() and (rows["policy"].sum(axis=1) == 1).all()
    assert any(PASS in game.moves for game in games)


# Sources


def test_self_play_of_the_engine_is_right_where_it_is_exact(tmp_path: Path) -> None:
    found = told(
        "self-play", "--games", "6", "--variant", "6x6", "--exact", "8", "--depth", "2", "--out", str(tmp_path)
    )
    columns, variant, solver = loaded(tmp_path), Variant.named("6x6"), Solver(1)
    assert found["positions"] == len(columns["own"]) and set(columns["game"]) == set(range(6))
    exact = np.flatnonzero(columns["kind"] == 3)
    assert len(exact) > 40
    for index in exact[::5]:
        assert solver.solve(position_at(columns, index, variant)).score == columns["value"][index]
    last = np.flatnonzero(columns["empties"] == columns["empties"].min())[0]
    assert columns["result"][last] == columns["value"][last], "it plays perfectly in the end"
    chosen = np.isin(columns["kind"], [1, 3])
    assert (columns["policy"].sum(axis=1) == chosen).all()
    assert np.isnan(columns["value"][columns["kind"] == 0]).all()
    assert not (columns["kind"][columns["ply"] == 0]).any(), "games open with random moves"


@pytest.mark.parametrize("name", ["4x4", "reversed-6x6"])
def test_self_play_of_the_guided_search_has_its_visits(name: str, tmp_path: Path) -> None:
    options = ("--player", "alphazero", "--playouts", "40", "--quick", "10")
    found = told("self-play", "--games", "12", "--variant", name, *options, "--out", str(tmp_path))
    assert found["about"]["unit"] == "result"
    columns, variant, solver = loaded(tmp_path), Variant.named(name), Solver(1)
    policy = columns["policy"]
    total = policy.sum(axis=1)
    assert np.isin(total.round(5), [0, 1]).all() and (total > 0).sum() > 5
    for index in np.flatnonzero(total > 0):
        legal = position_at(columns, index, variant).legal_moves
        assert set(np.flatnonzero(policy[index])) <= set(legal)
    proven = np.flatnonzero((columns["kind"] == 3) & (columns["empties"] <= 10))
    assert len(proven) > 5
    for index in proven:
        position = position_at(columns, index, variant)
        assert winner(solver, position) == columns["value"][index]
        if total[index] > 0:  # what brings the proven result about
            for move in np.flatnonzero(policy[index]):
                assert -winner(solver, position.play(int(move))) == columns["value"][index]


def test_a_library_gives_its_games_and_what_is_proven_of_them(tmp_path: Path) -> None:
    variant, dice = Variant.named("4x4"), random.Random(5)
    games = [random_game(variant, dice) for _ in range(8)] + [random_game(variant, dice, 4)]
    (tmp_path / "games.txt").write_text("\n".join(game.transcript for game in games))
    build_library([str(tmp_path / "games.txt")], tmp_path / "games.duckdb", variant)
    out = tmp_path / "out"
    options = ("--variant", "4x4", "--exact", "6", "--depth", "3", "--share", "1", "--out", str(out))
    found = told("library", str(tmp_path / "games.duckdb"), *options)
    columns, solver = loaded(out), Solver(1)
    assert found["about"]["settings"]["games"] == len(set(columns["game"])) >= 8
    for index in range(len(columns["own"])):
        position = position_at(columns, index, variant)
        assert columns["legal"][index] == position.legal
        if columns["kind"][index] == 3:
            assert solver.solve(position).score == columns["value"][index]
    assert (columns["kind"][(columns["empties"] <= 6) & (columns["result"] != NO_RESULT)] == 3).all()
    begun = columns["game"] == columns["game"].max()
    assert (columns["result"][begun] == NO_RESULT).all() and not columns["kind"][begun].any()
    assert (columns["policy"].argmax(axis=1) == columns["move"]).all()


def test_the_solver_gives_the_value_of_every_move(tmp_path: Path) -> None:
    variant, dice = Variant.named("reversed-4x4"), random.Random(6)
    games = [random_game(variant, dice) for _ in range(3)]
    (tmp_path / "games.txt").write_text("\n".join(game.transcript for game in games))
    out = tmp_path / "out"
    told("solve", str(tmp_path / "games.txt"), "--variant", "reversed-4x4", "--empties", "7", "--out", str(out))
    columns, solver = loaded(out), Solver(1)
    assert set(columns["game"]) == {0, 1, 2} and columns["empties"].max() == 7
    for index in range(len(columns["own"])):
        every = columns["move_values"][index]
        report = solver.solve_all(position_at(columns, index, variant))
        assert {int(move): float(every[move]) for move in np.flatnonzero(every != NO_VALUE)} == report.values
        best = [move for move, value in report.values.items() if value == report.score]
        assert columns["value"][index] == report.score == columns["result"][index]
        assert columns["policy"][index, best].tolist() == pytest.approx([1 / len(best)] * len(best))


def test_positions_of_a_file_are_solved_whatever_is_empty(tmp_path: Path) -> None:
    (tmp_path / "one.obf").write_text(ENDING.replace(" X", " X;\n"))
    told("solve", str(tmp_path / "one.obf"), "--empties", "1", "--out", str(tmp_path / "out"))
    columns = loaded(tmp_path / "out")
    assert columns["value"].tolist() == [18.0] and columns["move"].tolist() == [NO_MOVE]


def test_tasks_can_go_to_other_machines() -> None:
    rules = Variant.named("4x4")
    asked = [sources.Asked(Position.start(rules).play("a2").play("a1").play("b1"), 0)]
    engine = next(sources.engine_games(rules, 3, 2, 6, 1))
    guided = next(sources.guided_games(rules, 3, 20, 10, 1))
    for task in (engine, guided, next(sources.solving_tasks(asked))):
        here, there = task(Stop()), pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(task))(Stop())))
        for name, values in here.columns.items():
            assert np.array_equal(values, there[name], equal_nan=name == "value")


# Files


def test_parquet_and_numpy_say_the_same(tmp_path: Path) -> None:
    told("self-play", "--games", "5", "--variant", "4x4", "--out", str(tmp_path))
    columns = loaded(tmp_path)
    unknown = {"move": NO_MOVE, "result": NO_RESULT}
    table = duckdb.sql(f"SELECT * FROM '{tmp_path}/*.parquet'")
    assert table is not None
    assert table.columns == list(columns)
    for name, values in zip(table.columns, zip(*table.fetchall(), strict=True), strict=True):
        kept = columns[name]
        if COLUMNS[name].wide:
            assert np.array_equal(np.array(values, kept.dtype), kept)
        elif name == "value":
            assert np.array_equal(np.array(values, np.float32), kept, equal_nan=True)
        else:
            assert [unknown.get(name) if one is None else one for one in values] == kept.tolist()


def test_one_format_alone(tmp_path: Path) -> None:
    told("self-play", "--games", "2", "--variant", "4x4", "--format", "parquet", "--out", str(tmp_path / "a"))
    assert sorted(content(tmp_path / "a")) == ["about.json", "part-00000.parquet"]
    told("self-play", "--games", "2", "--variant", "4x4", "--format", "numpy", "--out", str(tmp_path / "b"))
    assert sorted(content(tmp_path / "b")) == ["about.json", "part-00000.npz"]


def test_a_run_that_is_killed_goes_on_and_makes_the_same_files(tmp_path: Path) -> None:
    options = ["self-play", "--games", "1600", "--variant", "4x4", "--jobs", "1"]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    told(*options, "--out", str(whole))
    command = [sys.executable, "-m", "outflank", "data", *options, "--out", str(killed)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while not list(killed.glob("part-*")) and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    for name in (".part-00007.parquet.part", ".part-00000.npz.1.part"):
        (killed / name).write_bytes(b"cut off")  # as a kill in the middle of writing leaves it
    for path in [*sorted(killed.glob("part-*.npz"))[1:], *killed.glob("part-00005.*")]:
        path.unlink()  # however fast it was, some of it is missing
    told(*options, "--out", str(killed), "--jobs", "2")
    assert content(killed) == content(whole)
    again = told(*options, "--out", str(killed))
    assert (again["made"], again["portions"]) == (0, 8)


def test_ctrl_c_keeps_whole_files_and_says_how_to_go_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ["self-play", "--games", "100000000", "--variant", "4x4", "--jobs", "2"]
    command = [sys.executable, "-m", "outflank", "data", *options, "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (out / "part-00000.npz").exists() and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=120)
    assert (process.returncode, said) == (130, "")
    assert "run the same command to resume" in errors and "Traceback" not in errors
    told("self-play", "--games", "200", "--variant", "4x4", "--out", str(tmp_path / "short"))
    short = content(tmp_path / "short")
    assert {name: data for name, data in content(out).items() if "00000" in name and name in short} == {
        name: data for name, data in short.items() if "00000" in name
    }
    assert not list(out.glob(".*"))


@pytest.mark.parametrize("source", ["library", "solve"])
def test_other_sources_make_the_same_files_however_often_they_are_run(source: str, tmp_path: Path) -> None:
    dice = random.Random(7)
    games = [random_game(Variant.named("4x4"), dice).transcript for _ in range(40)]
    given = tmp_path / "games.txt"
    given.write_text("\n".join(games))
    if source == "library":
        build_library([str(given)], tmp_path / "games.duckdb", Variant.named("4x4"))
        given = tmp_path / "games.duckdb"
    options = [source, str(given), "--variant", "4x4"]
    told(*options, "--out", str(tmp_path / "a"), "--jobs", "1")
    told(*options, "--out", str(tmp_path / "b"), "--jobs", "2")
    (tmp_path / "b" / "part-00000.npz").unlink()
    told(*options, "--out", str(tmp_path / "b"))
    assert content(tmp_path / "a") == content(tmp_path / "b")


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    out = tmp_path / "out"
    told("self-play", "--games", "2", "--variant", "4x4", "--out", str(out))

    def refused(*arguments: str) -> str:
        done = run(*arguments)
        assert done.exception is not None
        return str(done.exception)

    assert "holds other data" in refused("self-play", "--games", "3", "--variant", "4x4", "--out", str(out))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("do not touch")
    assert "has other files" in refused("self-play", "--variant", "4x4", "--out", str(tmp_path / "mine"))
    assert "is a file" in refused("self-play", "--variant", "4x4", "--out", str(tmp_path / "mine" / "thesis.txt"))
    assert "no format called 'csv'" in refused("self-play", "--format", "csv", "--out", str(tmp_path / "x"))
    assert "'edax' cannot play itself here" in refused("self-play", "--player", "edax", "--out", str(tmp_path / "x"))
    (tmp_path / "two.txt").write_text("f5d6")
    assert "nothing to solve" in refused("solve", str(tmp_path / "two.txt"), "--out", str(tmp_path / "x"))
    (out / "part-00000.parquet").write_bytes(b"broken")
    assert "remove it" in refused("self-play", "--games", "2", "--variant", "4x4", "--out", str(out))
    assert not (tmp_path / "x").exists()
