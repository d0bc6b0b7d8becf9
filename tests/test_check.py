"""`outflank check`: boards of every kind, test positions, stored decisions asked again."""

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from enclosed import FILES, needs_enclosure, never_still
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


def test_a_hopeless_file_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    needs_enclosure()
    never_still(monkeypatch)
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
    assert first == "1 decision repeated"
    assert header.split() == ["game", "move", "then", "now"]
    assert re.fullmatch(r"     0     9  (\w\d) \(\d+\.\d\d s\) +\1 \(\d+\.\d\d s\) +alphabeta:depth=2", row)


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


def test_a_forfeited_decision_can_be_asked_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_enclosure()
    never_still(monkeypatch)
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


def test_only_the_decisions_of_the_event_are_asked_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.db"
    for other in ("random", "alphabeta:depth=1"):  # under the same conditions, so in the same contest
        match("greedy", other, games=2, variant="4x4", store=path, seed=5)
    asked_of = [
        {case["asked"] for case in asked(capsys, "", store=str(path), event=event)["cases"]} for event in (1, 2)
    ]
    assert asked_of == [{"greedy", "random"}, {"greedy", "alphabeta:depth=1"}]
    with pytest.raises(ValueError, match="no such decision"):
        command("", store=str(path), event=2, game=0)


# Which boards


@pytest.mark.parametrize("listing", [True, False])
def test_ten_boards_are_of_every_kind_too(listing: bool) -> None:
    ten, twenty = boards(OTHELLO, listing, 10), boards(OTHELLO, listing)
    assert len(ten) == 10
    assert set(ten) <= set(twenty)
    assert {board.kind for board in ten} == {board.kind for board in twenty}


def test_ten_boards_are_worth_ten_points_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needs_enclosure()
    mine = tmp_path / "mine.py"
    mine.write_text(BODY.replace("CONDITION", "self.turns(board, row, column) and column"))
    answer = asked(capsys, str(mine), boards="10")
    wrong = [case for case in answer["cases"] if not case["ok"]]
    assert len(answer["cases"]) == 10
    assert wrong
    assert answer["score"] == 100 - 10 * len(wrong)


def test_a_teacher_has_boards_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    passing = next(one.position for one in boards(OTHELLO, True) if one.kind == "pass")
    own = tmp_path / "own.obf"
    own.write_text(obf.write([obf.Problem(Position.start()), obf.Problem(passing), obf.Problem(Position.start())]))
    needs_enclosure()
    mine = tmp_path / "Mine.py"
    mine.write_text(BODY.replace("CONDITION", "self.turns(board, row, column)").replace("class AI", "class Wanted"))
    answer = asked(capsys, f"{mine}:Wanted", boards=str(own))
    assert [(case["kind"], case["ok"]) for case in answer["cases"]] == [("board 1", True), ("board 2", True)]
    assert len(asked(capsys, "greedy", boards=str(own))["cases"]) == 1, "who is not asked without a move"
    for wrong, why in (("7", "10 or 20"), ("none.obf", "none.obf")):
        with pytest.raises((ValueError, OSError), match=why):
            command("greedy", boards=wrong)
    printed = tmp_path / "own.board"
    printed.write_text(str(Position.start()))
    with pytest.raises(ValueError, match="a board of othello, but the check is for 6x6"):
        command("greedy", boards=str(printed), variant="6x6")


@pytest.mark.parametrize("named", ["Two.py:First", "Two.py:second", "Folder:First", "Two.ZIP:First"])
def test_a_class_is_named_beside_its_file(tmp_path: Path, named: str, capsys: pytest.CaptureFixture[str]) -> None:
    needs_enclosure()
    good = BODY.replace("CONDITION", "self.turns(board, row, column)")
    text = good.replace("class AI", "class First") + good.replace("class AI", "class second")
    (tmp_path / "Two.py").write_text(text)
    (tmp_path / "Folder").mkdir()
    (tmp_path / "Folder" / "main.py").write_text(text)
    with zipfile.ZipFile(tmp_path / "Two.ZIP", "w") as archive:
        archive.writestr("main.py", text)
    answer = asked(capsys, named, boards="10")
    assert (answer["player"], answer["score"]) == (f"py:{named}", 100)


def test_one_of_several_players_is_named_with_its_exact_spec(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needs_enclosure()
    (tmp_path / "Two.py").write_text(BODY.replace("class AI", "class First") + BODY.replace("class AI", "class Second"))
    answer = asked(capsys, "Two.py")
    assert "several players (First, Second): name one, as py:Two.py:First" in answer["cases"][0]["problem"]


def test_who_uses_our_engine_is_told_and_can_be_banned(capsys: pytest.CaptureFixture[str]) -> None:
    needs_enclosure()
    file = str(FILES / "honest" / "our_agent.py")
    answer = asked(capsys, file, boards="10")
    assert (answer["engine"], answer["score"]) == ("outflank.agent (line 3)", 100)
    banned = asked(capsys, file, boards="10", no_engine=True)
    assert (banned["score"], banned["player"]) == (0, f"py:{file},engine=no")
    assert "banned here: outflank.agent (line 3)" in banned["cases"][0]["problem"]
    assert asked(capsys, str(FILES / "honest" / "course_ai.py"), boards="10", no_engine=True)["score"] == 100
