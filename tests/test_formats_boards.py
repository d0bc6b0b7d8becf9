"""Boards as lines of text, and as people and programs print them."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import played_positions, positions, variants

from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.cli.terminal_board import plain_board
from outflank.formats import boards

AFTER_THREE = Position.start().play("d3").play("c3").play("c4")


def rows(position: Position, between: str = "", empty: str = "-", marks: str = "XO") -> list[str]:
    signs = {"X": marks[0], "O": marks[1], "-": empty}
    columns = range(position.variant.columns)
    return [
        between.join(signs[position.mark(8 * row + column)] for column in columns)
        for row in range(position.variant.rows)
    ]


@given(st.data(), variants)
def test_what_is_written_is_read_again(data: st.DataObject, variant: Variant) -> None:
    several = data.draw(st.lists(positions(st.just(variant)), min_size=1, max_size=3))
    assert boards.read(boards.write(several), variant) == several


@given(played_positions())
def test_a_position_s_own_printing_is_read_again(position: Position) -> None:
    again = boards.printed(str(position), position.variant)
    # Who would be to move is not printed once the game is over.
    assert again == position if not position.is_over else (again.black, again.white) == (position.black, position.white)


@given(played_positions())
def test_the_board_of_the_terminal_is_read_again(position: Position) -> None:
    again = boards.printed(f"{plain_board(position, 0)}\n{position.turn} to move", position.variant)
    assert again == position


def framed(position: Position) -> str:
    lines = [f"{number}| {row} |{number}" for number, row in enumerate(rows(position, " "), 1)]
    frame = " +-----------------+"
    return "\n".join(["   A B C D E F G H", frame, *lines, frame, "", "White's turn"])


def in_cells(position: Position) -> str:
    rule = "+---" * 8 + "+"
    return "\n".join(f"{rule}\n| {row} |" for row in rows(position, " | ", " ")) + f"\n{rule}\nturn: O"


def boxed(position: Position) -> str:
    inner = "\n".join("│" + "│".join(row) + "│" for row in rows(position, empty=" "))
    return "┌" + "─" * 15 + "┐\n" + inner + "\n└" + "─" * 15 + "┘\nto move: white"


def with_counts(position: Position) -> str:
    sides = ["  Black: 5", "  White: 1"] + [""] * 6
    lines = [
        f"{number} {row} {number}{side}"
        for number, (row, side) in enumerate(zip(rows(position, " "), sides, strict=True), 1)
    ]
    return "\n".join(["  a b c d e f g h", *lines, "  a b c d e f g h", "O to play"])


PRINTINGS: dict[str, Callable[[Position], str]] = {
    "bare": lambda position: "\n".join([*rows(position), "O"]),
    "spaced, dots": lambda position: "\n".join([*rows(position, " ", "."), "White to move"]),
    "numbered from zero": lambda position: "\n".join(
        ["  0 1 2 3 4 5 6 7", *(f"{number} {row}" for number, row in enumerate(rows(position, " "))), "White to move"]
    ),
    "discs": lambda position: "\n".join([*rows(position, empty="·", marks="●○"), "○ to move"]),
    "black and white": lambda position: "\n".join([*rows(position, " ", ".", "BW"), "W"]),
    "asterisks": lambda position: "\n".join([*rows(position, " ", "-", "*O"), "O to move"]),
    "last row first": lambda position: "\n".join(
        [*(f"{8 - index} {row}" for index, row in enumerate(reversed(rows(position, " ")))), "side to move: O"]
    ).replace("side to move", "to move"),
    "framed": framed,
    "in cells": in_cells,
    "boxed": boxed,
    "with counts": with_counts,
}


@pytest.mark.parametrize("printing", PRINTINGS)
def test_printed_boards_of_many_programs_are_read(printing: str) -> None:
    assert boards.read(PRINTINGS[printing](AFTER_THREE)) == [AFTER_THREE]


def test_the_variant_gives_only_what_is_not_in_the_picture() -> None:
    position = Position.start(Variant.named("4x6"))
    assert boards.printed(str(position), Variant.named("reversed")).variant == Variant.named("reversed-4x6")


def test_black_moves_where_nobody_is_named() -> None:
    assert boards.printed("\n".join(rows(AFTER_THREE))).turn is Color.BLACK


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (AFTER_THREE.text[1:], r"^board text: there are 63 squares before the side to move, not 64$"),
        (AFTER_THREE.text[1:-2], r"^board text: 63 marks do not make a square board"),
        ("\n".join(rows(AFTER_THREE))[:-1], r"^printed board, line 8: 7 squares, but the rows above have 8$"),
        ("\n".join(rows(AFTER_THREE)[:3]), r"^printed board: 3 rows of 8 squares; boards are from 4x4 to 8x8$"),
        (
            f"{AFTER_THREE.text}\n{AFTER_THREE.text[1:]}",
            r"^line 2: board text: there are 63 squares before the side to move",
        ),
        (AFTER_THREE.text.replace("X", "1"), r"^board text: '1' at square 20 is not one of"),
        ("hello\nworld", r"^printed board: it has no rows of squares$"),
        ("-" * 10_000_000, r"^board text: 10,000,000 characters are too many for a board$"),
        ("- " * 5_000_000 + "\n-", r"^printed board: 10,000,002 characters are too many for a board$"),
        ("", r"^board text: it is empty$"),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        boards.read(text)
