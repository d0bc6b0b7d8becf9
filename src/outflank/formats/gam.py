"""Logistello's log book, `.gam`: a line is `+d3-c3…: -04 10`, standard Othello only.

Moves have the mover's sign (+ Black). Then come Black's discs less White's (empties go to nobody here) and a
count that the log book carries along, kept as the tag `Count`.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import OTHELLO
from outflank.errors import Fault
from outflank.formats.table import NONE, WIDTH, GameTable, joined_letters
from outflank.formats.transcript import LONGEST

RESULT = re.compile(r"\s*([+-]?\d{1,2})(?:\s+(\d{1,9}))?\s*")
START = re.compile(r"\s*(?:[+-][a-h][1-8]){1,70}\s*(?::|$)", re.IGNORECASE)
MOVES = re.compile(r"(?:[+-][a-h][1-8]){0,70}", re.IGNORECASE)
SIGNED_WIDTH = 3 * WIDTH
GARBLED = 254
SIGN_OF = np.zeros(256, np.uint8)
SIGN_OF[:2] = ord("+"), ord("-")


def read(text: str) -> GameTable:
    """Every game of a log book, all of them legal."""
    table, numbers = _decoded(text)
    return table.check(lambda index, why: Fault("at.line", line=numbers[index], why=why))


def decode(text: str) -> GameTable:
    """Every game of a log book as it stands there, legal or not."""
    return _decoded(text)[0]


def _decoded(text: str) -> tuple[GameTable, list[int]]:
    """The games and their line numbers. Lines are only cut up here; their moves are looked at all together."""
    bodies, stated, counts, numbers = [], [], [], []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        body, _, rest = line.partition(":")
        result = RESULT.fullmatch(rest)
        if result is None or len(body) > SIGNED_WIDTH:
            if not line.strip():
                continue
            raise Fault("at.line", line=number, why=_what_is_wrong(line.strip()))
        bodies.append(body.strip().ljust(SIGNED_WIDTH))
        stated.append(int(result[1]))
        counts.append(result[2] or "")
        numbers.append(number)
    if not bodies:
        raise Fault("gam.empty")
    signs, squares = _moves("".join(bodies))
    garbled = np.flatnonzero((squares == GARBLED).any(axis=1))
    if garbled.size:
        number = numbers[garbled[0]]
        raise Fault("at.line", line=number, why=_what_is_wrong(lines[number - 1].strip()))
    table = GameTable(squares, OTHELLO, {"Count": counts})
    table.keep_stated(stated, table.disc_margins)
    _check_signs(table, signs, numbers)
    return table, numbers


def _moves(bodies: str) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The signs and the squares of rows of `+d3-c3…`, each of one width; GARBLED where they are none."""
    signed = np.frombuffer(bodies.encode("ascii", "replace"), np.uint8).reshape(-1, WIDTH, 3)
    blank = (signed == ord(" ")).all(axis=2)
    column = (signed[..., 1] | 0x20) - np.uint8(ord("a"))  # in either case
    row = signed[..., 2] - np.uint8(ord("1"))
    good = (column < 8) & (row < 8) & ((signed[..., 0] == ord("+")) | (signed[..., 0] == ord("-")))
    # A blank before a move is as wrong as a letter that names no column.
    late = good & np.logical_or.accumulate(blank, axis=1)
    squares = np.where(blank, NONE, np.where(good & ~late, 8 * row + column, GARBLED)).astype(np.uint8)
    return signed[..., 0], squares


def _what_is_wrong(line: str) -> Fault:
    if len(line) > LONGEST:
        return Fault("gam.too-long", count=len(line))
    good = MOVES.match(line)
    at = good.end() if good else 0
    if line[at:].lstrip()[:1] in ("", ":"):
        return Fault("gam.ending", text=line[-12:])
    return Fault("gam.move", text=line[at : at + 12], count=at // 3)


def _check_signs(table: GameTable, signs: NDArray[np.uint8], numbers: list[int]) -> None:
    """Every move of a legal game has the sign of the side that plays it."""
    legal = (table.illegal < 0)[:, np.newaxis]
    wrong = np.argwhere((signs != SIGN_OF[table.movers]) & (table.movers != NONE) & legal)
    if wrong.size:
        game, ply = wrong[0].tolist()
        mover = Color(int(table.movers[game, ply]))
        raise Fault("gam.sign", line=numbers[game], number=ply + 1, sign=chr(signs[game, ply]), color=mover.word)


def write(games: Sequence[Game]) -> str:
    """Games as a log book. Standard Othello from its start, not ended early; the rest is refused."""
    table = GameTable.of_othello(games, "a .gam file")
    signed = np.zeros((*table.squares.shape, 3), np.uint8)
    signed[..., 0] = SIGN_OF[table.movers]
    signed[..., 1:] = table.letters()
    rows = joined_letters(signed)
    scores = table.stated_scores(table.disc_margins)
    counts = (f" {count}" if count.isdecimal() else "" for count in table.column("Count"))
    return "".join(f"{moves}: {score:+03d}{count}\n" for moves, score, count in zip(rows, scores, counts, strict=True))
