"""Heuristics from a file: three lines are enough, and what is wrong with a file is said in one."""

import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

import pytest
from searching import ordinary

import outflank
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.variant import REVERSED, Variant
from outflank.features import corners, mobility
from outflank.heuristics.diagnosis import CannotCompile
from outflank.heuristics.heuristic import Heuristic, WrittenHeuristic
from outflank.heuristics.named import find
from outflank.search.limits import Limit

OTHELLO = Variant()

# Issue 3, to the letter.
IN_THREE_LINES = """\
from outflank import heuristic
from outflank.features import mobility, corners

@heuristic
def edges(own, opp, board):
    return 10 * (mobility(own, opp, board) - mobility(opp, own, board)) + 100 * (corners(own, opp, board) - corners(opp, own, board))
"""  # noqa: E501


@pytest.fixture(autouse=True)
def silence() -> Any:
    """Everything here compiles without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", CannotCompile)
        yield


def value_of(one: Heuristic, position: Position) -> float:
    return one.value(position.own, position.opp, position.variant)


def test_edges_in_three_lines(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(IN_THREE_LINES)
    edges = find(f"{tmp_path}/mine.py:edges")
    assert isinstance(edges, WrittenHeuristic)
    assert edges.is_compiled(OTHELLO)
    for variant in (OTHELLO, REVERSED, Variant.named("5x7")):
        for position in ordinary(variant, 20, 3):
            own, opp, board = position.own, position.opp, variant.board
            plain = 10 * (mobility(own, opp, board) - mobility(opp, own, board))
            plain += 100 * (corners(own, opp, board) - corners(opp, own, board))
            assert value_of(edges, position) == plain == edges(own, opp, board)


def test_a_player_with_a_heuristic_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(IN_THREE_LINES)
    monkeypatch.chdir(tmp_path)
    player = outflank.agent("alphabeta:heuristic=./mine.py:edges,depth=6")
    report = player.choose(Game(), Limit())
    assert report.depth == 6
    assert report.move in Position.start().legal_moves
    slowly = outflank.agent("minimax:heuristic=./mine.py:edges,depth=6").choose(Game(), Limit())
    assert (report.move, report.score) == (slowly.move, slowly.score)


# What is wrong with a file


def wrong_file(tmp_path: Path, text: str, name: str = "") -> str:
    file = tmp_path / "mine.py"
    file.write_text(textwrap.dedent(text))
    with pytest.raises(ValueError, match=r"mine\.py") as raised:
        find(f"{file}:{name}" if name else str(file))
    message = str(raised.value)
    assert "\n" not in message
    return message.replace(str(file), "mine.py")


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(ValueError, match=r"there is no file nobody\.py"):
        find("./nobody.py:edges")


def test_a_name_that_is_not_in_the_file(tmp_path: Path) -> None:
    two = IN_THREE_LINES + "\n@heuristic\ndef other(own, opp, board):\n    return 1\n"
    assert wrong_file(tmp_path, two, "edgs") == "mine.py has no heuristic 'edgs': it has edges, other"
    assert wrong_file(tmp_path, "x = 1\n", "x") == (
        "mine.py has no heuristic 'x': it has none; write @heuristic above a function"
    )


def test_a_file_with_several_and_no_name_given(tmp_path: Path) -> None:
    two = IN_THREE_LINES + "\n@heuristic\ndef other(own, opp, board):\n    return 1\n"
    assert wrong_file(tmp_path, two) == "mine.py has several heuristics: name one of mine.py:edges or mine.py:other"
    assert wrong_file(tmp_path, "x = 1\n") == (
        "mine.py has no heuristic: write @heuristic above a function, or name one as mine.py:NAME"
    )


def test_a_file_with_one_plain_function_needs_no_name(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    helper = "def _more(own):\n    return own\n\n"
    plain = "def edges(own, opp, board):\n    return 7\n"
    file.write_text(helper + plain)
    assert find(str(file)).name == "edges"
    file.write_text(plain + plain.replace("edges", "other"))
    with pytest.raises(ValueError, match="has no heuristic: write @heuristic above a function"):
        find(str(file))


def test_a_file_with_a_syntax_error(tmp_path: Path) -> None:
    assert wrong_file(tmp_path, "x = 1\ndef f(own, opp, board)\n    return 1\n") == "mine.py:2: expected ':'"
    assert wrong_file(tmp_path, "def f(:\n") == "mine.py:1: invalid syntax"


def test_a_file_that_raises_when_it_is_read(tmp_path: Path) -> None:
    assert wrong_file(tmp_path, "x = 1\n\ny = x / 0\n") == "mine.py:3: ZeroDivisionError: division by zero"
    assert wrong_file(tmp_path, "import nowhere\n") == "mine.py:1: ModuleNotFoundError: No module named 'nowhere'"
    assert wrong_file(tmp_path, "import sys\nsys.exit(3)\n") == "mine.py:2: SystemExit: 3"
    assert "mine.py:4: TypeError: a heuristic is a function of (own, opp, board), but f takes (own)" in wrong_file(
        tmp_path, "from outflank import heuristic\n\n\n@heuristic\ndef f(own):\n    return 1\n"
    )


def test_the_only_heuristic_of_a_file_needs_no_name(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(IN_THREE_LINES + "\nalso_known_as = edges\n")
    assert find(f"{tmp_path}/mine.py").name == "edges"


def test_a_plain_function_will_do_if_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def flat(own, opp, board):\n    return 3\n")
    assert value_of(find(f"{tmp_path}/mine.py:flat"), Position.start()) == 3
    (tmp_path / "mine.py").write_text("def flat(own):\n    return 3\n")
    with pytest.raises(ValueError, match=r"mine.py: a heuristic is a function of \(own, opp, board\)"):
        find(f"{tmp_path}/mine.py:flat")


def test_a_file_may_import_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "parts_of_mine.py").write_text("def part(number):\n    return 3 * number\n")
    (tmp_path / "mine.py").write_text(
        "from parts_of_mine import part\nfrom outflank import heuristic\nfrom outflank.features import count\n"
        "@heuristic\ndef whole(own, opp, board):\n    return part(count(own))\n"
    )
    path = list(sys.path)
    try:
        whole = find(f"{tmp_path}/mine.py")
    finally:
        sys.modules.pop("parts_of_mine", None)
    assert sys.path == path
    assert value_of(whole, Position.start()) == 6
    assert isinstance(whole, WrittenHeuristic) and whole.is_compiled(OTHELLO)
