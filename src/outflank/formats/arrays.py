"""Boards as arrays of Python and NumPy, as programs for courses hold and print them: `[[0, 0, -1, 1], …]`.

-1 is Black, 1 White and 0 empty, as in the course of Reversed Reversi; rows of marks, `['.', 'X', 'O']`, are read, too.
An array does not say who is to move: a comment behind it does, `# White to move`, or else it is Black.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import LARGEST, SMALLEST, Variant
from outflank.errors import Fault
from outflank.formats.boards import SIGNS, TO_MOVE

ARRAY = r"(?:(?:np|numpy)\.)?array\s*\(\s*"
START = re.compile(rf"\s*(?:\w{{1,40}}\s*=\s*)?(?:{ARRAY})?\s*\[\s*(?:{ARRAY})?\[")
INSIDE = re.compile(rf"(?:np|numpy)\.u?(?:int|float)\d+\(([^()\[\]]*)\)|{ARRAY}(\[[^\[\]]*\])[^()\[\]]*\)")
"""A number or a row in a list, as Python writes what NumPy has made of it."""
BOARD = re.compile(r"\[\s*(\[[^\[\]]*\](?:[\s,]*\[[^\[\]]*\])*)[\s,]*\]([^\[]*)")
ROW = re.compile(r"\[([^\[\]]*)\]")
COLOR = re.compile(r"(?:colou?r|player|turn)\s*[=:]\s*(-?1)(?!\d)", re.IGNORECASE)
SQUARES = {"-1": "X", "1": "O", "+1": "O", "0": "-", "-0": "-"}
MARKS = {sign + end: mark for sign, mark in SQUARES.items() for end in ("", ".", ".0")}
NUMBERS = {"X": "-1", "O": " 1", "-": " 0"}


def read(text: str, variant: Variant | None = None) -> list[Position]:
    """Every board of a text. The variant gives only what is not in the arrays."""
    text = INSIDE.sub(lambda part: part[1] or part[2], text)
    found = [_position(board[1], board[2], variant) for board in BOARD.finditer(text)]
    if not found:
        raise Fault("array.empty")
    return found


def _position(rows: str, behind: str, variant: Variant | None) -> Position:
    cells = [[_mark(cell) for cell in row.replace(",", " ").split()] for row in ROW.findall(rows)]
    for number, row in enumerate(cells, 1):
        if len(row) != len(cells[0]):
            raise Fault("array.row", row=number, squares=len(row), columns=len(cells[0]))
    if not (SMALLEST <= len(cells) <= LARGEST and SMALLEST <= len(cells[0]) <= LARGEST):
        raise Fault("array.size", rows=len(cells), columns=len(cells[0]))
    shape = replace(variant or Variant(), rows=len(cells), columns=len(cells[0]))
    return Position.from_text("".join(map("".join, cells)) + _turn(behind).symbol, shape)


def _mark(cell: str) -> str:
    mark = MARKS.get(cell) or cell.strip("'\"").translate(SIGNS).upper().replace(".", "-")
    if mark not in NUMBERS:
        raise Fault("array.value", text=cell[:20])
    return mark


def _turn(behind: str) -> Color:
    if said := COLOR.search(behind):
        return Color.BLACK if said[1] == "-1" else Color.WHITE
    spoken = TO_MOVE.search(behind)
    white = spoken and spoken[spoken.lastindex or 0].lower() in ("white", "o", "w")
    return Color.WHITE if white else Color.BLACK


def write(positions: Sequence[Position]) -> str:
    """An array a position, which Python reads as well. Neither the objective nor the start is in it."""
    return "".join(map(_array, positions))


def _array(position: Position) -> str:
    variant = position.variant
    rows = [
        ", ".join(NUMBERS[position.mark(8 * row + column)] for column in range(variant.columns))
        for row in range(variant.rows)
    ]
    body = "],\n [".join(rows)
    return f"[[{body}]]  # {position.turn} to move\n"
