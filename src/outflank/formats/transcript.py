"""Transcripts: `f5d6c3…`, one game per line. The variant is never in the text."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from outflank.board.game import Game
from outflank.board.variant import OTHELLO, Variant
from outflank.errors import Fault
from outflank.formats.table import NONE, WIDTH, GameTable, Place

PLAIN = re.compile(r"(?:[a-hA-H][1-8])*")
LONGEST = 4096
"""Characters of a transcript; the longest game with numbers, spaces and passes has under a thousand."""


def read(text: str, variant: Variant = OTHELLO, faults: list[Fault] | None = None) -> GameTable:
    """Every game of a text, one a line; passes, spaces and move numbers are optional.

    A line that is no game is refused or, where a list of faults is given, told there and left out.
    """
    rows, numbers = [], []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line:
            try:
                rows.append(plain_moves(line, variant))
            except ValueError as error:
                fault = Fault("at.line", line=number, why=error)
                if faults is None:
                    raise fault from None
                faults.append(fault)
            else:
                numbers.append(number)
    if not rows:
        raise Fault("transcript.empty")
    table = GameTable(to_squares(rows), variant)

    def of_line(index: int, why: ValueError) -> Fault:
        return Fault("at.line", line=numbers[index], why=why)

    return table.check(of_line) if faults is None else legal_games(table, faults, of_line)


def legal_games(table: GameTable, faults: list[Fault], place: Place) -> GameTable:
    """The legal games of a table; the others are reported."""
    illegal = list(table.faults(place))
    if not illegal:
        return table
    faults += illegal
    legal = np.flatnonzero(table.illegal < 0)
    columns = {tag: [values[index] for index in legal.tolist()] for tag, values in table.columns.items()}
    return GameTable(table.squares[legal], table.variant, columns)


def plain_moves(line: str, variant: Variant) -> str:
    """A transcript reduced to its moves. Passes are checked here, moves when all are replayed."""
    if len(line) > LONGEST:
        raise Fault("transcript.line-too-long", count=len(line))
    if PLAIN.fullmatch(line):
        return line.lower()
    return Game.from_transcript(line, variant).transcript


def to_squares(transcripts: Sequence[str]) -> NDArray[np.uint8]:
    """Plain transcripts as rows of squares; what is longer than a row has an illegal move before its end."""
    width = 2 * min(WIDTH, max(map(len, transcripts), default=0) // 2)
    letters = np.frombuffer("".join(moves[:width].ljust(width) for moves in transcripts).encode(), np.uint8)
    letters = letters.reshape(len(transcripts), width // 2, 2)
    squares = 8 * (letters[..., 1] - ord("1")) + letters[..., 0] - ord("a")
    return np.where(letters[..., 0] == ord(" "), NONE, squares).astype(np.uint8)


def write(games: Sequence[Game]) -> str:
    """Games as transcripts, one a line. All are of one variant, which the reader must be told."""
    return "".join(f"{moves}\n" for moves in GameTable.of(games, "a file of transcripts").transcripts())
