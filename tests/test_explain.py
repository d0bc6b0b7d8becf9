"""`outflank explain` and `outflank heuristics`: what a heuristic is made of, and what that makes of a position."""

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import naive_guided
import numpy as np
import pytest
from searching import ordinary

from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import square_name
from outflank.board.variant import Variant
from outflank.cli.explain import explain
from outflank.cli.heuristics import heuristics
from outflank.cli.main import main
from outflank.features import corners, frontier_discs, mobility, square_weights
from outflank.heuristics import explanation, learnt
from outflank.heuristics.heuristic import heuristic
from outflank.heuristics.named import NAMED, find
from outflank.patterns.explanation import PatternTables, explain_patterns
from outflank.patterns.guides import shipped_tables
from outflank.patterns.weights import evaluation_for
from outflank.search import driver
from outflank.search.limits import Limit
from outflank.search.montecarlo.guided import GuidedSearch

Program = Callable[..., tuple[int, str, str]]

OUTFLANK = [sys.executable, "-c", "from outflank.cli.main import main; main()"]
LINE = "f5d6c3d3c4f4f6f3e6e7"
MINE = """\
from outflank import heuristic, features
from outflank.features import mobility, count


def part(own, opp, board):
    return features.corners(own, opp, board)


@heuristic
def edges(own, opp, board):
    '''Moves and corners.'''
    return 10 * (mobility(own, opp, board) - mobility(opp, own, board)) + 100 * part(own, opp, board)


@heuristic
def slow(own, opp, board):
    return len(str(count(own)) + f"{opp:b}")


@heuristic(objective="fewest")
def fixed(own, opp, board):
    return 5
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    return file


def data_of(capsys: pytest.CaptureFixture[str], position: str = LINE, **options: Any) -> dict[str, Any]:
    explain(position=position, json=True, **options)
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def text_of(capsys: pytest.CaptureFixture[str], position: str = LINE, **options: Any) -> str:
    explain(position=position, **options)
    return capsys.readouterr().out


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Program:
    """The program in this process: its exit code and what it wrote."""
    for module, name in ((sys, "unraisablehook"), (warnings, "showwarning"), (driver, "exit_when_stuck")):
        monkeypatch.setattr(module, name, getattr(module, name))  # put back what it changes

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["outflank", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return run


def outflank(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*OUTFLANK, *arguments], capture_output=True, text=True, timeout=300)


# A position explained


@pytest.mark.parametrize("name", NAMED)
def test_the_shares_are_weight_times_count_and_add_up(name: str) -> None:
    for variant in (Variant(), Variant.named("reversed-6x6")):
        for position in ordinary(variant, 4, 12):
            explained = explanation.explain(position, NAMED[name])
            for line in explained.lines:
                assert line.counts is not None and line.weight is not None and line.share is not None
                assert line.share == pytest.approx(line.weight * line.counts)
            total = sum(line.share or 0.0 for line in explained.lines)
            assert explained.value == pytest.approx(total, abs=1e-6)
            assert explained.value == NAMED[name].value(position.own, position.opp, variant)


def test_the_table_of_a_position(capsys: pytest.CaptureFixture[str]) -> None:
    lines = text_of(capsys, heuristic="combined").splitlines()
    position = Game.from_transcript(LINE).position
    assert lines[:10] == str(position).splitlines()
    table = {line.split("  ")[0]: line.split() for line in lines[13:]}
    assert table["feature"][1:] == ["Black", "White", "counts", "weight", "share"]
    assert table["m: mobility"][2:] == ["11", "11", "0", "78.922", "+0"]
    assert table["p: parity"][2:] == ["6", "8", "-57.1429", "10", "-571.429"]
    assert table["value"][1] == "+3404.51"
    assert len({len(line) for line in lines[13:]}) == 1, "aligned"


def test_a_phase_is_named_and_its_weights_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    shown = data_of(capsys, heuristic="phased")
    assert shown["phase"] == 0
    weights = {line["name"]: line["weight"] for line in shown["features"]}
    assert weights == {"weighting": 100, "liberty": 1, "stable": 0, "potential liberty": -10}
    assert "phase 1 of 3" in text_of(capsys, heuristic="phased")


def test_under_the_other_objective_the_weights_are_turned(capsys: pytest.CaptureFixture[str]) -> None:
    most, fewest = (data_of(capsys, heuristic="combined", variant=name) for name in ("othello", "reversed"))
    pairs = zip(most["features"], fewest["features"], strict=True)
    assert [one["weight"] * (1 if one["name"] == "m: mobility" else -1) for one, _ in pairs] == [
        other["weight"] for other in fewest["features"]
    ]
    assert "made for most discs, some terms change sign here: fewest discs win" in text_of(
        capsys, heuristic="combined", variant="reversed"
    )


def test_data_of_a_position(capsys: pytest.CaptureFixture[str]) -> None:
    data = data_of(capsys, heuristic="discs", variant="6x6", position="")
    assert data == {
        "heuristic": "discs",
        "objective": "most",
        "variant": "6x6",
        "position": Position.start(Variant.named("6x6")).text,
        "turn": "black",
        "phase": None,
        "compiled": True,
        "features": [{"name": "discs", "own": 2, "opp": 2, "counts": 0, "weight": 1, "share": 0}],
        "value": 0,
    }


def test_a_position_is_a_transcript_or_a_board_text(capsys: pytest.CaptureFixture[str]) -> None:
    text = Game.from_transcript(LINE).position.text
    assert data_of(capsys, LINE) == data_of(capsys, text)


def test_a_side_that_must_pass_is_explained_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    data = data_of(capsys, "OXXX XOX- XOXX XOOO X", heuristic="discs", variant="4x4")
    assert (data["turn"], data["value"]) == ("black", 3)


def test_a_finished_game_is_explained_and_said_to_be_over(capsys: pytest.CaptureFixture[str]) -> None:
    shown = text_of(capsys, "OXXX XOOO XOOO XOOO X", heuristic="discs", variant="4x4")
    assert "The game is over: a search counts its result, not this value." in shown


# A function explained


def test_a_function_shows_the_features_it_calls_without_weights(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    data = data_of(capsys, heuristic=f"{mine}:edges")
    position = Game.from_transcript(LINE).position
    own, opp, board = position.own, position.opp, position.variant.board
    none = {"counts": None, "weight": None, "share": None}
    assert data["features"] == [
        {"name": "mobility", "own": mobility(own, opp, board), "opp": mobility(opp, own, board), **none},
        {"name": "corners", "own": corners(own, opp, board), "opp": corners(opp, own, board), **none},
    ]
    shown = text_of(capsys, heuristic=f"{mine}:edges")
    assert "edges: Moves and corners." in shown
    assert "weight" not in shown
    assert "value  +0   (your own function: how it combines these is in its code)" in shown


def test_a_function_without_features(capsys: pytest.CaptureFixture[str], mine: Path) -> None:
    shown = text_of(capsys, heuristic=f"{mine}:fixed")
    assert "It calls no feature by name." in shown
    assert "made for fewest discs, negated here: most discs win" in shown
    assert "value  -5   (a function)" in shown


def test_features_of_closures_masks_and_tables_are_found() -> None:
    table = square_weights([[1.0] * 8] * 8)

    @heuristic
    def mine(own, opp, board):  # type: ignore[no-untyped-def]
        return table(own, opp, board) + frontier_discs(own, opp, board).bit_count()

    position = Game.from_transcript(LINE).position
    lines = {line.name: line for line in explanation.explain(position, mine).lines}
    assert (lines["table"].own, lines["table"].opp) == (6, 8)
    assert (lines["frontier_discs"].own, lines["frontier_discs"].opp) == (6, 7)


# The list


def test_the_list_names_every_heuristic_with_its_game_and_terms(capsys: pytest.CaptureFixture[str]) -> None:
    heuristics()
    shown = capsys.readouterr().out
    heuristics(json=True)
    data = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert list(data) == list(NAMED)
    for name, one in NAMED.items():
        assert f"{name:12}  {one.summary} (made for {one.objective} discs)" in shown
        assert data[name]["objective"] == one.objective
        assert list(data[name]["terms"]) == [term.name for term in one.terms]
        assert all(term["feature"] for term in data[name]["terms"].values())
    liberty = data["phased"]["terms"]["liberty"]
    assert liberty == {
        "feature": "mobility",
        "weights": [1, 40, 30],
        "scale": 1,
        "combination": "difference",
        "changes_sign": False,
    }
    assert "weights: below 20 discs / from 20 / from 40, on 64 squares" in shown
    assert "liberty                1 / 40 / 30  difference\n" in shown
    assert "corners         1  difference, or -17 when both have some; changes sign where fewest discs win" in shown


# On the command line


def test_explain_in_a_pipe(mine: Path) -> None:
    text = Game.from_transcript(LINE).position.text
    done = outflank("explain", text, "--heuristic", f"{mine}:edges")
    assert (done.returncode, done.stderr) == (0, "")
    assert "mobility     11     11" in done.stdout
    assert "\x1b" not in done.stdout


def test_what_cannot_be_compiled_is_one_line_of_warning(mine: Path) -> None:
    done = outflank("explain", LINE, "--heuristic", f"{mine}:slow", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["compiled"] is False
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("outflank: warning: ")
    assert 'mine.py:17: slow cannot be compiled at `return len(str(count(own)) + f"{opp:b}")`' in done.stderr


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (None, "edges", "there is no file"),
        (MINE, "edgs", "has no heuristic 'edgs': it has edges, slow, fixed"),
        (MINE, "", "has several heuristics: name one of"),
        ("def broken(:\n", "edges", "mine.py:1: invalid syntax"),
        ("\n\n1 / 0\n", "edges", "mine.py:3: ZeroDivisionError: division by zero"),
        ("def edges(own, opp, board):\n    return mobilty(own)\n", "edges", "mine.py:2: the heuristic edges raised"),
    ],
)
def test_a_wrong_file_is_one_line_and_exit_code_2(
    tmp_path: Path, program: Program, text: str | None, name: str, said: str
) -> None:
    file = tmp_path / "mine.py"
    if text is not None:
        file.write_text(text)
    spec = f"{file}:{name}" if name else str(file)
    for arguments in (["explain", LINE, "-H", spec], ["move", "--agent", f"alphabeta:heuristic={spec},depth=2"]):
        code, out, err = program(*arguments)
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert said in err


@pytest.mark.parametrize("arguments", [["zz"], [LINE, "-H", "nobody"], [LINE, "-v", "9x9"]])
def test_bad_input_is_one_line_and_exit_code_2(program: Program, arguments: list[str]) -> None:
    code, out, err = program("explain", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_help_has_an_example_and_loads_no_numba() -> None:
    for command in ("explain", "heuristics"):
        code = (
            f"import sys; sys.argv = ['outflank', '{command}', '--help']\nfrom outflank.cli.main import main\n"
            "try:\n    main()\nexcept SystemExit:\n    print('numba' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert f"Example: outflank {command}" in done.stdout
        assert done.stdout.endswith("False\n")


def test_the_named_heuristic_is_the_one_that_plays() -> None:
    assert find("combined") is NAMED["combined"]


# Pattern tables: the engine's, and those that guide alphazero


def line_of(variant: Variant, plies: int) -> Position:
    position = Position.start(variant)
    for ply in range(plies):
        position = position.play(sorted(position.legal_moves)[ply * 7 % len(position.legal_moves)])
    return position


@pytest.mark.parametrize("name", ["6x6", "reversed-6x6", "othello", "reversed"])
@pytest.mark.parametrize("plies", [0, 9, 20])
def test_a_guide_is_explained_as_its_search_sees_it(name: str, plies: int) -> None:
    """The chances are those at the root of a search; the value is the slow reading's of the same tables."""
    position = line_of(Variant.named(name), plies)
    tables = shipped_tables(position.variant)
    assert tables is not None
    shown = explain_patterns(position, PatternTables.named("alphazero", position.variant))
    search = GuidedSearch()
    search.guide(tables)
    search.run(position, Limit(playouts=10))
    priors = {square_name(move): chance for move, chance in search.priors().items()}
    assert shown.moves == pytest.approx(priors, abs=1e-4)
    assert list(shown.moves.values()) == sorted(shown.moves.values(), reverse=True)
    assert shown.expected == pytest.approx(naive_guided.worth(tables.guide, position.own, position.opp))
    assert sum(one.share for one in shown.shares) == pytest.approx(shown.value)


@pytest.mark.parametrize(("name", "plies"), [("othello", 11), ("reversed", 30), ("6x6", 0), ("reversed-6x6", 17)])
def test_the_engines_tables_are_explained_as_its_search_reads_them(name: str, plies: int) -> None:
    position = line_of(Variant.named(name), plies)
    evaluation = evaluation_for(position.variant)
    assert evaluation is not None
    numbers = np.zeros(len(evaluation.offsets), np.int64)
    for square in range(64):
        digit = position.black >> square & 1 or 2 * (position.white >> square & 1)
        numbers += digit * evaluation.powers[square, : len(numbers)].astype(np.int64)
    stage = ((position.black | position.white).bit_count() - 4) // 2
    weights = evaluation.weights[stage, int(position.turn)].astype(np.int64)
    shown = explain_patterns(position, PatternTables.named("engine", position.variant))
    of_parity = weights[-2:][(position.black | position.white).bit_count() % 2]
    assert shown.value == (weights[evaluation.offsets.astype(np.int64) + numbers].sum() + of_parity) / 128
    assert (shown.expected, shown.moves) == (None, {})


def test_a_file_of_tables_is_explained_on_its_own_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide = shipped_tables(Variant.named("reversed-6x6"))
    assert guide is not None
    file = tmp_path / "mine.npz"
    guide.guide.save(file)
    explain(heuristic=str(file))
    shown = capsys.readouterr().out
    assert "mine.npz: value and policy, learnt for reversed-6x6, 50,000 games, 21 of 25 generations kept" in shown
    assert "Black expects" in shown and "c2    25.0 %" in shown
    explain(heuristic=str(file), json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["policy"] == pytest.approx(dict.fromkeys(("c2", "b3", "e4", "d5"), 0.25))
    assert told["about"]["method"] == "alphazero" and len(told["patterns"]) == 12
    with pytest.raises(ValueError, match="is for reversed-6x6, not for othello: say --variant reversed-6x6"):
        explain("f5", heuristic=str(file))
    with pytest.raises(ValueError, match="alphazero has no tables for 5x5"):
        explain(heuristic="alphazero", variant="5x5")
    for content in (b"", b"nothing", b"PK\x03\x04"):
        file.write_bytes(content)
        with pytest.raises(ValueError, match="has no tables made by"):
            explain(heuristic=str(file))


def test_explaining_a_position_without_moves_gives_no_chances(capsys: pytest.CaptureFixture[str]) -> None:
    over = "\n".join(["X" * 6] * 6) + "\nX"
    explain(over, heuristic="alphazero", variant="6x6")
    shown = capsys.readouterr().out
    assert "The game is over" in shown and "policy" not in shown.splitlines()[-1]


def test_a_board_with_fewer_discs_than_a_game_begins_with_is_explained_by_the_first_stage() -> None:
    from outflank.patterns.explanation import PatternTables

    tables = PatternTables.named("engine", Variant.named("othello"))
    assert [tables.stage((1 << discs) - 1, 0) for discs in (1, 2, 3, 4, 5, 6)] == [0, 0, 0, 0, 0, 1]


def test_what_json_prints_is_a_weights_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Every named heuristic comes back as it was, whole list or alone."""
    heuristics(json=True)
    everything = tmp_path / "all.json"
    everything.write_text(capsys.readouterr().out)
    for name, one in NAMED.items():
        again = learnt.load(everything, name)
        assert (again.name, again.objective, again.terms, again.phases) == (name, one.objective, one.terms, one.phases)
    with pytest.raises(ValueError, match="has several heuristics"):
        learnt.load(everything)


def test_the_whole_matrix_of_corner_shy_can_be_changed_in_a_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    heuristics(["corner-shy"], json=True)
    (data,) = json.loads(capsys.readouterr().out)
    file = tmp_path / "mine.json"
    game = Game(Variant.named("reversed"))
    own = agent("corner-shy:depth=3").choose(game, Limit())
    file.write_text(json.dumps([data]))
    assert agent(f"corner-shy:weights={file},depth=3").choose(game, Limit()).score == own.score
    data["terms"]["squares"]["squares"] = [[float(10 * row + column) for column in range(8)] for row in range(8)]
    file.write_text(json.dumps(data))
    changed = agent(f"corner-shy:weights={file},depth=3").choose(game, Limit())
    assert changed.score != own.score
