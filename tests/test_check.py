"""`outflank check`: boards of every kind, test positions, stored decisions asked again; and a class in a folder."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from enclosed import FILES, needs_enclosure
from hypothesis import given, settings
from strategies import variants

from outflank.arena.asked_again import ask_again, decisions
from outflank.arena.match import match
from outflank.arena.store import Store
from outflank.arena.suite import run
from outflank.arena.usability import Case, Usability, boards, check
from outflank.board.position import Position
from outflank.board.squares import Color, square_name
from outflank.board.variant import OTHELLO, Variant
from outflank.cli.check import check as command
from outflank.cli.tournament import tournament
from outflank.formats import obf
from outflank.search.engine.solver import Solver
from outflank.search.limits import Limit

ENDGAME = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def asked(capsys: pytest.CaptureFixture[str], player: str, **options: Any) -> dict[str, Any]:
    try:
        command(player, json=True, **options)
    except typer.Exit as leaving:
        assert leaving.exit_code == 1
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


# The boards


@pytest.mark.parametrize("listing", [True, False])
@pytest.mark.parametrize("name", ["othello", "reversed", "6x6", "4x4", "5x7"])
def test_there_are_twenty_boards_of_many_kinds(name: str, listing: bool) -> None:
    variant = Variant.named(name)
    found = boards(variant, listing)
    assert len(found) == 20
    assert len({board.position for board in found}) == 20
    assert {board.position.turn for board in found} == set(Color)
    assert found == boards(variant, listing), "the same for everybody"
    kinds_hold: dict[str, Callable[[Position], object]] = {
        "one move": lambda now: len(now.legal_moves) == 1,
        "corner": lambda now: now.legal & variant.corners,
        "pass": lambda now: now.must_pass,
        "no move": lambda now: now.is_over,
        "last square": lambda now: now.empties == 1,
        "after a pass": lambda now: now.legal,
        "any": lambda now: now.legal,
    }
    for kind, holds in kinds_hold.items():
        assert all(holds(board.position) for board in found if board.kind == kind)
    if not listing:
        assert all(board.position.legal for board in found), "nobody else is asked without a move"
    if name == "othello":
        kinds = {"start", "opening", "crowded", "most moves", "one move", "corner", "nearly full", "last square"}
        assert {board.kind for board in found} == kinds | ({"pass", "no move"} if listing else {"after a pass"})


@settings(max_examples=10)
@given(variants)
def test_every_variant_has_its_boards(variant: Variant) -> None:
    assert len(boards(variant, True)) == 20


# The check


@pytest.mark.parametrize(
    ("name", "interface"), [("course_ai", "AI"), ("course_player", "AIPlayer"), ("our_agent", "Agent")]
)
def test_an_honest_file_has_all_points(name: str, interface: str, capsys: pytest.CaptureFixture[str]) -> None:
    needs_enclosure()
    answer = asked(capsys, str(FILES / "honest" / f"{name}.py"), variant="reversed")
    assert (answer["interface"], answer["score"], answer["variant"]) == (interface, 100, "reversed")
    assert len(answer["cases"]) == 20
    assert all(case["ok"] and case["problem"] is None for case in answer["cases"])
    for case in answer["cases"]:
        if interface == "AI":
            assert set(case["candidates"]) == set(case["legal"])
        assert case["move"] in case["legal"] or not case["legal"]
    assert answer["start_seconds"] > 0
    assert 0 <= answer["memory_megabytes"] < 100


BODY = """
class AI:
    def __init__(self, size, color, time_out):
        self.size, self.color, self.candidate_list = size, color, []
    def go(self, board):
        self.candidate_list.clear()
        for row in range(self.size):
            for column in range(self.size):
                if board[row][column] == 0 and CONDITION:
                    self.candidate_list.append((row, column))
    def turns(self, board, row, column):
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            r, c, seen = row + dr, column + dc, 0
            while 0 <= r < self.size and 0 <= c < self.size and board[r][c] == -self.color:
                r, c, seen = r + dr, c + dc, seen + 1
            if seen and 0 <= r < self.size and 0 <= c < self.size and board[r][c] == self.color:
                return True
        return False
"""


def test_a_wrong_candidate_list_loses_points(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needs_enclosure()
    mine = tmp_path / "mine.py"
    mine.write_text(BODY.replace("CONDITION", "self.turns(board, row, column) and column"))
    answer = asked(capsys, str(mine))
    assert 0 < answer["score"] < 100, "right wherever there is no move on the left edge"
    wrong = [case for case in answer["cases"] if not case["ok"]]
    assert all("candidates: the list is without a" in case["problem"] for case in wrong)
    assert len(wrong) == 20 - answer["score"] // 5
    mine.write_text(BODY.replace("CONDITION", "True"))
    answer = asked(capsys, str(mine))
    assert "which cannot be played" in answer["cases"][0]["problem"]


def test_a_failure_is_shown_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    needs_enclosure()
    with pytest.raises(typer.Exit):
        command(str(FILES / "hostile" / "fails.py"))
    text = capsys.readouterr().out
    assert "0 of 100" in text
    assert "ZeroDivisionError: division by zero (line 9)" in text
    assert "return 1 / 0" in text
    assert "_answered" not in text, "our own code is nobody's business"


def test_a_hopeless_file_is_not_waited_for(tmp_path: Path) -> None:
    needs_enclosure()
    result = check(f"py:{FILES / 'hostile' / 'sleeps.py'}", OTHELLO, Limit(time=0.1))
    assert result.score == 0
    assert sum(case.problem.startswith("time: no answer") for case in result.cases) == 3
    assert result.interface == "AIPlayer"


def test_a_built_in_player_can_be_checked() -> None:
    assert check("greedy", Variant.named("5x7")).score == 100


def test_points_are_whole_only_when_all_is_in_order() -> None:
    found = boards(OTHELLO, False)
    result = Usability("x", "Agent", "othello")
    result.cases = [Case(board) for board in found]
    assert result.score == 100
    result.cases[0] = Case(found[0], "crash: no")
    assert result.score == 95


# Test positions


def test_a_suite_counts_best_moves_and_losses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    position = Position.from_text(ENDGAME)
    exact = Solver().solve_all(position)
    best = max(exact.values.values())
    file = tmp_path / "ends.obf"
    problems = [obf.Problem(position, dict(exact.values)), obf.Problem(position, score=best), obf.Problem(position)]
    file.write_text(obf.write(problems))
    answer = asked(capsys, "greedy", suite=str(file))
    move = answer["cases"][0]["move"]
    loss = best - exact.values[Position.from_text(ENDGAME).variant.squares[_square(move)]]
    assert [case["loss"] for case in answer["cases"]] == [loss] * 3, "listed, lone and unknown scores say the same"
    assert all(case["best"] == best for case in answer["cases"])
    best_moves = {square_name(move) for move, value in exact.values.items() if value == best}
    assert all(case["best_moves"] and set(case["best_moves"]) <= best_moves for case in answer["cases"])
    assert (answer["positions"], answer["known"], answer["mean_loss"]) == (3, 3, loss)
    assert answer["score"] == (100 if loss == 0 else 0)
    perfect = run("alphabeta:depth=60", problems[:1], Limit())
    assert len(perfect.cases) == 1


def _square(name: str) -> int:
    return 8 * (int(name[1]) - 1) + "abcdefgh".index(name[0])


def test_what_nobody_knows_is_not_counted() -> None:
    result = run("greedy", [obf.Problem(Position.start())], Limit())
    assert (result.known, result.found, result.mean_loss) == (0, 0, None)


def test_a_submission_takes_the_suite(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    needs_enclosure()
    file = tmp_path / "ends.obf"
    file.write_text(f"{ENDGAME}; +38;\n")
    answer = asked(capsys, str(FILES / "honest" / "course_player.py"), suite=str(file))
    assert answer["interface"] == "AIPlayer"
    assert answer["cases"][0]["loss"] >= 0


# The log


def test_the_same_player_decides_the_same_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.db"
    match("alphabeta:depth=2", "random", games=4, variant="6x6", store=path, seed=5)
    answer = asked(capsys, "", store=str(path))
    assert (answer["same"], answer["in_time"]) == (answer["decisions"],) * 2
    with Store.existing(path) as store:
        games = list(store.games(store.events()[-1].contest))
    assert answer["decisions"] == sum(len(json.loads(game.record.seconds)) for game in games)
    one = asked(capsys, "", store=str(path), game=2, ply=12)["cases"]
    assert len(one) == 1
    assert (one[0]["game"], one[0]["ply"]) == (2, 12)
    other = asked(capsys, "greedy", store=str(path), who="alphabeta:depth=2", game=0)
    own = asked(capsys, "alphabeta:depth=2", store=str(path), game=0)
    assert other["decisions"] == own["decisions"] < len(json.loads(games[0].record.seconds))
    assert own["same"] == own["decisions"]
    assert {case["asked"] for case in other["cases"]} == {"greedy"}


def test_decisions_asked_again_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.db"
    match("alphabeta:depth=2", "random", games=2, variant="6x6", store=path, seed=5)
    command("", store=str(path), game=0, ply=9)
    first, _, _, _, header, row, *_ = capsys.readouterr().out.splitlines()
    assert first == "1 decision asked again"
    assert header.split() == ["game", "move", "then", "now"]
    assert re.fullmatch(r"     0     9  (\w\d) \(0\.\d\d s\)       \1 \(0\.\d\d s\)       alphabeta:depth=2", row)


def test_stored_decisions_are_those_that_were_made(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    match("greedy", "random", games=2, variant="4x4", store=path, limit=Limit(time=5))
    with Store.existing(path) as store:
        for number, game in enumerate(store.games(store.events()[-1].contest)):
            moves = ""
            for one in decisions(number, game):
                assert one.limit == Limit(time=5)
                assert one.game.position.turn is one.color
                assert (one.player.spec == "greedy") == (one.color is game.at.first_color)
                moves = one.game.transcript
            assert game.record.moves.startswith(moves)


def test_a_forfeited_decision_can_be_asked_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needs_enclosure()
    path = tmp_path / "log.db"
    late = f"py:{FILES / 'hostile' / 'sleeps.py'},time=0.2"
    match(late, "greedy", games=2, variant="4x4", store=path)
    answer = asked(capsys, "", store=str(path), who=late)
    assert answer["decisions"] == 2
    assert answer["in_time"] == 0
    assert all(case["then"] is None and case["problem"].startswith("time") for case in answer["cases"])
    assert asked(capsys, "random", store=str(path), who=late)["in_time"] == 2


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({}, "needs a player"),
        ({"player": "greedy", "suite": "a", "store": "b"}, "not both"),
        ({"player": "greedy", "ply": 3}, "--store"),
        ({"player": "none.py"}, "there is no file none.py"),
        ({"player": "greedy", "suite": "none.obf"}, "none.obf"),
        ({"player": "greedy", "store": "none.db"}, "there is no store none.db"),
    ],
)
def test_wrong_input_is_said_in_one_line(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises((ValueError, OSError), match=complaint):
        command(**options)


def test_a_decision_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    match("greedy", "random", games=2, variant="4x4", store=path)
    with Store.existing(path) as store:
        with pytest.raises(ValueError, match="games 0 to 1"):
            ask_again(store, game=7)
        with pytest.raises(ValueError, match="no such decision"):
            ask_again(store, ply=99)
        with pytest.raises(ValueError, match="did not play there"):
            ask_again(store, of="dynamic")
        with pytest.raises(ValueError, match="no event 9"):
            ask_again(store, event=9)


# A class in a folder


def test_a_folder_is_a_class_and_a_late_submission_plays_only_its_own_pairs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needs_enclosure()
    folder, store = tmp_path / "class", tmp_path / "class.db"
    folder.mkdir()
    for name in ("course_ai", "course_player"):
        shutil.copy(FILES / "honest" / f"{name}.py", folder)

    def played() -> dict[str, Any]:
        tournament([str(folder)], variant="reversed-6x6", store=str(store), jobs=1, json=True)
        table: dict[str, Any] = json.loads(capsys.readouterr().out)
        return table

    first = played()
    assert first["course"]
    assert (first["games"], len(first["players"])) == (2, 2)
    with Store.existing(store) as kept:
        before = {game.ended for game in kept.games(1)}
    shutil.copy(FILES / "hostile" / "fails.py", folder / "late, but here.py")
    second = played()
    assert (second["games"], len(second["players"])) == (6, 3)
    assert len(second["forfeits"]) == 4
    with Store.existing(store) as kept:
        assert before < {game.ended for game in kept.games(1)}, "what was played stands"
    assert played() == second
    (folder / "late, but here.py").write_text((FILES / "honest" / "course_player.py").read_text() + "\n")
    tournament([str(folder)], resume=str(store), jobs=1, json=True)
    third = json.loads(capsys.readouterr().out)
    assert (third["games"], third["forfeits"]) == (6, []), "a file that was changed plays anew, in its own place"


def test_what_is_no_file_is_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needs_enclosure()
    folder = tmp_path / "class"
    folder.mkdir()
    for name in ("course_player.py", "noisy_player.py"):
        (folder / name).write_text((FILES / "honest" / name).read_text())
    (folder / "gone.py").symlink_to(tmp_path / "nowhere")
    (folder / "folder.py").mkdir()
    os.mkfifo(folder / "pipe.py")
    with pytest.warns(UserWarning, match="is no file and does not take part") as said:
        tournament([str(folder)], variant="4x4", json=True)
    assert len(said) == 3
    assert json.loads(capsys.readouterr().out)["games"] == 2


def test_an_empty_folder_is_no_class(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no submission"):
        tournament([str(tmp_path)])
