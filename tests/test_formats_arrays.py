"""Boards as arrays of Python and NumPy."""

import ast
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import positions, variants

from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.cli.terminal_files import read_game
from outflank.formats import arrays
from outflank.formats.detect import detect
from outflank.library.analysis import analyze

NUMBERS = {"X": -1, "O": 1, "-": 0}


def grid(position: Position) -> list[list[int]]:
    variant = position.variant
    return [[NUMBERS[position.mark(8 * row + at)] for at in range(variant.columns)] for row in range(variant.rows)]


@given(st.data(), variants)
def test_what_is_written_is_read_again(data: st.DataObject, variant: Variant) -> None:
    several = data.draw(st.lists(positions(st.just(variant)), min_size=1, max_size=3))
    assert arrays.read(arrays.write(several), variant) == several
    assert detect(arrays.write(several), variant).positions == several


@given(positions(variants))
def test_what_is_written_is_python(position: Position) -> None:
    assert ast.literal_eval(arrays.write([position])) == grid(position)


@given(positions(variants), st.sampled_from([int, "int8", float]), st.sampled_from([str, repr]))
def test_what_python_and_numpy_print_is_read(position: Position, kind: type, printed: type) -> None:
    turn = f"\n{position.turn} to move"
    array: numpy.ndarray[Any, Any] = numpy.array(grid(position), dtype=kind)
    lists = [str([list(row) for row in array]), repr(list(array))]
    for text in (str(grid(position)), printed(array), *lists):
        found = detect(text + turn, position.variant)
        assert (found.format, found.positions) == ("array", [position])


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("{}", Color.BLACK),
        ("board = np.array({}, dtype=np.int64)", Color.BLACK),
        ("chessboard = numpy.array({})", Color.BLACK),
        ("{}, color = 1", Color.WHITE),
        ("{} turn: -1", Color.BLACK),
        ("{}  # White to move", Color.WHITE),
        ("```\n{}\n```", Color.BLACK),
    ],
)
def test_people_write_it_in_many_ways(text: str, turn: Color) -> None:
    start = Position.start()
    found = detect(text.format(grid(start))).positions[0]
    assert (found.black, found.white, found.turn) == (start.black, start.white, turn)


def test_rows_of_marks_are_read() -> None:
    rows = [["." if mark == 0 else "X" if mark < 0 else "O" for mark in row] for row in grid(Position.start())]
    assert detect(str(rows)).positions == [Position.start()]
    assert detect(str(numpy.array(rows))).positions == [Position.start()]


def test_an_array_goes_wherever_a_board_does() -> None:
    text = str(grid(Position.start()))
    assert read_game(text, None).position == Position.start()
    assert analyze(text, depth=1) is not None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[0, 0, 0, 0], [0, 1, -1], [0, -1, 1, 0], [0, 0, 0, 0]]", "row 2 has 3 squares, but the first has 4"),
        ("[[0, 1], [1, 0]]", "2 rows and 2 columns"),
        (
            "[[0, 0, 0, 0], [0, 1, 2, 0], [0, 2, 1, 0], [0, 0, 0, 0]]",
            "2 is not a square: -1 is Black, 1 is White, 0 is empty",
        ),
        ("[[0, 0, ...], ...]", "no board"),
        ("[[[0]]", "not a board"),
    ],
)
def test_what_is_wrong_is_said(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        detect(text)
