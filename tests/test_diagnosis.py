"""What a student reads when a heuristic cannot be compiled, or is wrong: in one line the place, the reason, the way."""

import textwrap
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from outflank.board.position import Position
from outflank.heuristics.diagnosis import CannotCompile
from outflank.heuristics.files import from_file
from outflank.heuristics.heuristic import WrittenHeuristic
from outflank.search.limits import Limit
from outflank.search.trees.search import TreeSearch

HEAD = """\
import math
import numpy as np
from outflank import heuristic
from outflank.features import *
CORNERS = 0x8100000000000081
POINTS = {"corner": 100}
NAMES = ["a", "b"]
TABLE = [1, 2, 3]
class Weights:
    corner = 100
weights, calls = Weights(), 0

@heuristic
def mine(own, opp, board):
"""
FIRST = HEAD.count("\n") + 1
"""The line of the file on which the body begins."""

Written = Callable[[str], WrittenHeuristic]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    """A heuristic with a body, from a file `mine.py` in the current folder."""
    monkeypatch.chdir(tmp_path)

    def write(body: str) -> WrittenHeuristic:
        body, _, after = body.partition("\n\n")
        Path("mine.py").write_text(HEAD + textwrap.indent(body, "    ") + "\n\n" + after + "\n")
        found = from_file(Path("./mine.py"), "mine")
        assert isinstance(found, WrittenHeuristic)
        return found

    return write


# Body of the function; the line of the body that is at fault; what the message must say.
SLOW = {
    "print": ("print(own)\nreturn 1", 1, "print() is not allowed; look inside a heuristic with `outflank explain`"),
    "f-string": ('text = f"{own:b}"\nreturn text.count("1")', 1, "an f-string is not allowed; compute with numbers"),
    "bin": ('return bin(own).count("1")', 1, "`bin` is not allowed; count squares with count(mask)"),
    "format": ('return format(own, "b").count("1")', 1, "`format` is not allowed; count squares with count(mask)"),
    "dictionary": ('return POINTS["corner"] * corners(own, opp, board)', 1, "`POINTS` is a dict; put its numbers into"),
    "object": ("return weights.corner * corners(own, opp, board)", 1, "`weights` is a Weights; put its numbers into"),
    "class": ("class Pair:\n    x = 1\nreturn Pair.x", 1, "a class inside the function is not allowed; put its"),
    "list of text": ("return len(NAMES)", 1, "the list `NAMES` holds more than numbers; put its numbers into"),
    "empty list": ("rest = []\nreturn len(rest)", 1, "the list `rest` is never filled; leave it out"),
    "text": ('text = "many" if own else 3\nreturn 1', 1, "it is text or a number; keep one kind of value"),
    "import": ("import math\nreturn math.sqrt(count(own))", 1, "an import inside the function is not allowed; import"),
    "except": (
        "try:\n    return 1 / mobility(own, opp, board)\nexcept ZeroDivisionError:\n    return 0",
        3,
        "`except` with the name of an error is not allowed; test for the case with an if",
    ),
    "generator": (
        "return sum(own >> square & 1 for square in range(64))",
        1,
        "a loop inside a call is not allowed; add up in a for loop, or over a list in square brackets",
    ),
    "map": ("return sum(map(lambda square: own >> square & 1, range(64)))", 1, "a loop inside a call is not allowed"),
    "global": ("global calls\ncalls += 1\nreturn calls", 2, "a global variable is changed; keep nothing between"),
    "walrus": ("return (moves := mobility(own, opp, board)) * moves", 1, "(:=) is not allowed; give it a line"),
    "star": ("return max(*[1, 2, 3])", 1, "a `*` in a call is not allowed; write the arguments one by one"),
    "objects in an array": ("x = np.array([own, None], dtype=object)\nreturn 1", 1, "`object` is not allowed; keep"),
    "unknown to NumPy's compiler": ("return np.bitwise_count(own)", 1, "NumPy's `bitwise_count` is not known"),
    "unknown to the compiler": ("return math.comb(5, 2)", 1, "`math.comb` is not known to the compiler; write it out"),
    "bit loop": (
        "rest, n = own, 0\nwhile rest:\n    n += 1\n    rest &= rest - 1\nreturn n",
        4,
        "may be a float, which has no bits; take its lowest square away with `rest ^= rest & -rest`",
    ),
    "table inside": (
        "total = 0\nfor mask, worth in ((CORNERS, 100), (0x42, -25)):\n    total += worth * count(own & mask)\n"
        "return total",
        2,
        "the entries of the tuple are of different kinds; put its numbers into variables or lists at the top",
    ),
    "no value on one way": (
        "if count(own) > 20:\n    return\nreturn 5",
        2,
        "on one way through the function it returns",
    ),
    "in a helper": (
        "return helper(own)\n\ndef helper(mask):\n    return bin(mask).count('1')",
        4,
        "`bin` is not allowed; count squares with count(mask)",
    ),
}


@pytest.mark.parametrize("name", SLOW)
def test_what_cannot_be_compiled_is_said_in_one_line_and_still_plays(name: str, written: Written) -> None:
    body, line, reason = SLOW[name]
    found = written(body)
    with pytest.warns(CannotCompile) as warned:
        found.address(Position.start().variant)
    assert len(warned) == 1
    message = str(warned[0].message)
    at_fault = body.splitlines()[line - 1].strip()
    assert "\n" not in message
    assert reason in message
    assert message.startswith(f"mine.py:{FIRST + line - 1}: mine cannot be compiled at `{at_fault}`: ")
    assert message.endswith("It runs as plain Python, about a thousand times slower.")
    assert not found.is_compiled(Position.start().variant)
    assert TreeSearch(found).run(Position.start(), Limit(depth=1)).depth == 1


# A function that has no value anywhere is not slow but wrong.
WRONG = {
    "misspelt": ("return mobilty(own, opp, board)", "NameError: name 'mobilty' is not defined; did you mean mobility?"),
    "not defined": ("return total + 1", "NameError: name 'total' is not defined"),
    "too few boards": ("return mobility(own)", "expected 3, got 1; a feature takes (own, opp, board)"),
    "too many boards": ("return mobility(own, opp, board, 1)", "expected 3, got 4; a feature takes (own, opp, board)"),
    "a board is no grid": ("return own[0][0]", "is not subscriptable; a bitboard is one number"),
    "a board is no list": ("return len(own)", "has no len(); a bitboard is one number with a bit for each square"),
    "a board has no squares": ("for square in own:\n    return 1", "ask for a square with `own >> square & 1`"),
    "divided by zero": ("return 1 / (count(own) - count(own))", "division by zero; guard against that case with an if"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_everywhere_is_an_error_with_its_line(name: str, written: Written) -> None:
    body, reason = WRONG[name]
    with pytest.raises(ValueError, match="the heuristic mine raised ") as raised, warnings.catch_warnings():
        warnings.simplefilter("error")
        TreeSearch(written(body)).run(Position.start(), Limit(depth=1))
    message = str(raised.value)
    assert message.startswith(f"mine.py:{FIRST}: ")
    assert reason in message
    assert "\n" not in message


def test_a_feature_that_was_not_imported(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def mine(own, opp, board):\n    return mobility(own, opp, board)\n")
    with pytest.raises(ValueError, match=r"mine\.py:2: .*; write `from outflank.features import mobility` at the top"):
        TreeSearch(from_file(file, "mine")).run(Position.start(), Limit(depth=1))


# A value that is no number


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return None", "returned nothing (None): it must return a number"),
        ("pass", "returned nothing (None): it must return a number"),
        ('return "ten"', "returned 'ten': it must return a number"),
        ('return "10"', "returned '10': it must return a number"),
        ("return [1.0]", "returned [1.0]: it must return a number"),
        ("return (1, 2)", "returned (1, 2): it must return a number"),
        ("return 1j", "returned 1j: it must return a number"),
        ("return math.nan", "returned nan (0 divided by 0?): guard against that case"),
        ("return float('nan')", "returned nan (0 divided by 0?): guard against that case"),
    ],
)
def test_a_value_that_is_no_number(body: str, said: str, written: Written) -> None:
    """In plain Python (an import makes it so) and, where it can be, compiled."""
    for whole in (body, f"import math\n{body}"):
        with pytest.raises(ValueError, match="the heuristic mine ") as raised, warnings.catch_warnings():
            warnings.simplefilter("ignore", CannotCompile)
            TreeSearch(written(whole)).run(Position.start(), Limit(depth=2))
        assert said in str(raised.value)


@pytest.mark.parametrize("compiles", [True, False])
def test_nan_somewhere_in_the_tree_names_the_heuristic(compiles: bool, written: Written) -> None:
    body = ("" if compiles else "import math\n") + "return math.nan if count(own | opp) > 7 else 1.0"
    found = written(body)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CannotCompile)
        assert TreeSearch(found).run(Position.start(), Limit(depth=2)).score == 1
        with pytest.raises(ValueError, match=r"the heuristic mine returned nan"):
            TreeSearch(found).run(Position.start(), Limit(depth=4))
    assert found.is_compiled(Position.start().variant) == compiles


@pytest.mark.parametrize("compiles", [True, False])
@pytest.mark.parametrize(
    ("failing", "said"),
    [
        ("raise RuntimeError('too many discs')", "RuntimeError: too many discs"),
        ("assert own == 0, 'impossible'", "AssertionError: impossible"),
        ("return 5 // (count(own) - count(own))", "ZeroDivisionError: integer division or modulo by zero"),
        ("return (1, 2, 3)[count(own) + 5]", "IndexError: tuple index out of range"),
        ("return TABLE[count(own) + 5]", "IndexError: list index out of range"),
    ],
)
def test_an_error_somewhere_in_the_tree_is_told(compiles: bool, failing: str, said: str, written: Written) -> None:
    start = "" if compiles else "import math\n"
    found = written(f"{start}if count(own | opp) > 7:\n    {failing}\nreturn 1")
    line = FIRST + 1 + (not compiles)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CannotCompile)
        with pytest.raises(ValueError, match="the heuristic mine raised ") as raised:
            TreeSearch(found).run(Position.start(), Limit(depth=4))
    assert str(raised.value).startswith(f"mine.py:{line}: ")
    assert said in str(raised.value)
    assert found.is_compiled(Position.start().variant) == compiles


# Machine code that means something else than its text


@pytest.mark.parametrize("body", ["return own - opp", "return (own & CORNERS) - (opp & CORNERS)"])
def test_another_value_than_in_python_is_noticed(body: str, written: Written) -> None:
    found = written(body)
    with pytest.warns(CannotCompile, match=r"as Python but .* compiled.*64 bits and no sign there; count discs"):
        found.address(Position.start().variant)
    position = Position.start().play("d3")
    assert found.value(position.own, position.opp, position.variant) == found(position.own, position.opp, 2**64 - 1)


def test_a_random_heuristic_is_not_taken_for_a_wrong_one(written: Written) -> None:
    found = written("return np.random.random()")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert found.is_compiled(Position.start().variant)
