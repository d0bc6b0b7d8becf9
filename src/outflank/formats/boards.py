"""Boards as text: the line `---…OX…--- X`, or a board as people and programs print it.

A printed board may have letters above and numbers beside it, frames, bars between its squares, and a line
that says who is to move. Programs differ in all of these, so this reader looks for the rows.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import LARGEST, SMALLEST, Variant
from outflank.errors import Fault

LONGEST = 4096
"""Characters of a printed board; the largest, in a frame of its own, has under a thousand."""

# Other signs for a disc or an empty square (on paper the filled disc is Black), and for frames.
SIGNS = str.maketrans("●⚫⬤○⚪◯·•_□()[]", "XXXOOO----    ", "\ufe0f")
FRAME_SIGNS = str.maketrans("│┃║¦─━═┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬", "||||" + "+" * 21)
HEADING = re.compile(
    r"[\s|+]*(?:a[\s|]*b[\s|]*c[\s|]*d[a-h\s|+]*|[0-8][\s|]*1?[\s|]*2[\s|]*3[\s|]*4[0-8\s|+]*)", re.IGNORECASE
)
FRAME = re.compile(r"[-+=|\s]*[+=][-+=|\s]*")
LABELLED = re.compile(r"\s*([0-8])(?!\d)\s*(.*)")
MARKS = re.compile(r"([Xx*bBOowW.-]+)([0-8]?)")
SIDE = r"(black|white|[xobw*])"
TO_MOVE = re.compile(
    rf"(?<!\w){SIDE}(?:'s)?\s+(?:is\s+)?(?:to\s+(?:move|play)|turn|moves|plays)"
    rf"|(?:to\s+(?:move|play)|turn|next)\s*(?:is|[:=])?\s*{SIDE}(?!\w)|^\s*{SIDE}\s*$",
    re.IGNORECASE,
)


def read(text: str, variant: Variant | None = None) -> list[Position]:
    """The positions of a text: one printed board, or a board text a line."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise Fault("board-text.empty")
    if len(lines) == 1 or all(len(line.split()[0]) >= SMALLEST * SMALLEST for line in lines):
        positions = []
        for number, line in enumerate(lines, 1):
            try:
                positions.append(_line(line, variant))
            except ValueError as error:
                if len(lines) == 1:
                    raise
                raise Fault("at.line", line=number, why=error) from None
        return positions
    return [printed(text, variant)]


def write(positions: Sequence[Position]) -> str:
    """A board text a line. Neither the objective nor the shape of a board that is not square is in it."""
    return "".join(f"{position.text}\n" for position in positions)


def _line(line: str, variant: Variant | None) -> Position:
    if len(line) > LONGEST:
        raise Fault("board-text.too-long", count=len(line))
    return Position.from_text(line.translate(SIGNS), variant)


def printed(text: str, variant: Variant | None = None) -> Position:
    """The position of a board printed over several lines. The variant gives only what is not in the picture."""
    if len(text) > LONGEST:
        raise Fault("printed-board.too-long", count=len(text))
    rows: list[str] = []
    labels: list[str] = []
    turn = Color.BLACK
    for number, line in enumerate(text.translate(SIGNS).translate(FRAME_SIGNS).splitlines(), 1):
        if HEADING.fullmatch(line) or FRAME.fullmatch(line):
            continue
        row = _row(line)
        if row is not None:
            label, cells = row
            if rows and len(cells) != len(rows[0]):
                raise Fault("printed-board.row", line=number, squares=len(cells), columns=len(rows[0]))
            rows.append(cells)
            labels.append(label)
        elif spoken := TO_MOVE.search(line):
            turn = Color.WHITE if spoken[spoken.lastindex or 0].lower() in ("white", "o", "w") else Color.BLACK
    if not rows:
        raise Fault("printed-board.empty")
    if not (SMALLEST <= len(rows) <= LARGEST and SMALLEST <= len(rows[0]) <= LARGEST):
        raise Fault("printed-board.size", rows=len(rows), columns=len(rows[0]))
    if labels == sorted(labels, reverse=True) and len(set(labels)) == len(labels):
        rows.reverse()  # printed from the last row down, as chess boards are
    shape = replace(variant or Variant(), rows=len(rows), columns=len(rows[0]))
    return Position.from_text("".join(rows) + turn.symbol, shape)


def _row(line: str) -> tuple[str, str] | None:
    """The label and the squares of a printed row, or None for a line that is none."""
    labelled = LABELLED.fullmatch(line)
    label, content = (labelled[1], labelled[2]) if labelled else ("", line.strip())
    if content.startswith("|") and content.count("|") > SMALLEST:  # a bar on either side of each square
        cells = [square.strip() or "-" for square in content.split("|")[1:-1]]
        return (label, "".join(cells)) if all(re.fullmatch(r"[Xx*bBOowW.-]", cell) for cell in cells) else None
    found = ""
    rest = content.replace("|", " ").replace("+", "-" if label else "+").split()  # + marks a legal move
    while rest and (marks := MARKS.fullmatch(rest[0])):
        found += marks[1]
        rest = rest[1:]
        if marks[2]:
            break
    is_rule = not label and set(found) == {"-"} and len(found) > LARGEST
    if len(found) < SMALLEST or is_rule or (rest and not label and not rest[0].isdigit()):
        return None
    return label, found
