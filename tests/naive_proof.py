"""A second checker of certificates, written from docs/proofs.md alone: plain Python, slow, and nothing of ours.

A board is a tuple of rows of "X" (the side to move), "O" and "-".
"""

import json
import lzma
import zlib
from collections.abc import Iterator
from functools import cache

Board = tuple[str, ...]
STEPS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]


def header_and_moves(data: bytes) -> tuple[dict[str, object], list[bytes]]:
    """The parts of the file, with its checksums compared."""
    assert data.startswith(b"outflank-proof 1\n")
    blocks = -(-len(data) // 1028)
    content, sums = data[: len(data) - 4 * blocks], data[len(data) - 4 * blocks :]
    for block in range(blocks):
        found = zlib.crc32(content[1024 * block : 1024 * block + 1024])
        assert found == int.from_bytes(sums[4 * block : 4 * block + 4], "little")
    end = 21 + int.from_bytes(content[17:21], "little")
    header = json.loads(content[21:end])
    first, second = header["packed"]
    packed = content[end : end + first], content[end + first : end + first + second]
    return header, [lzma.decompress(part) for part in packed]


def turned(board: Board, row: int, column: int) -> list[tuple[int, int]]:
    """The discs that a move turns."""
    found = []
    for down, right in STEPS:
        line, y, x = [], row + down, column + right
        while 0 <= y < len(board) and 0 <= x < len(board[0]) and board[y][x] == "O":
            line.append((y, x))
            y, x = y + down, x + right
        if line and 0 <= y < len(board) and 0 <= x < len(board[0]) and board[y][x] == "X":
            found += line
    return found


def passed(board: Board) -> Board:
    return tuple(row.translate(str.maketrans("XO", "OX")) for row in board)


@cache
def moves(board: Board) -> dict[int, Board]:
    """The board after each legal move, seen by the other side; squares are numbered eight to a row."""
    found = {}
    for row, line in enumerate(board):
        for column, mark in enumerate(line):
            if mark == "-" and (flipped := turned(board, row, column)):
                marks = [list(each) for each in board]
                for y, x in [*flipped, (row, column)]:
                    marks[y][x] = "X"
                found[8 * row + column] = passed(tuple(map("".join, marks)))
    return found


def words(board: Board) -> tuple[int, int]:
    """The discs of the side to move and of the other, as numbers: a1 is the lowest bit, eight bits to a row."""
    squares = [(mark, 8 * row + column) for row, line in enumerate(board) for column, mark in enumerate(line)]
    return sum(1 << at for mark, at in squares if mark == "X"), sum(1 << at for mark, at in squares if mark == "O")


@cache
def smallest(board: Board) -> Board:
    """The symmetric form with the smallest words."""
    forms, sides = [], [board, tuple(map("".join, zip(*board, strict=True)))]
    for form in sides if len(board) == len(board[0]) else sides[:1]:
        forms += [form, form[::-1], tuple(row[::-1] for row in form), tuple(row[::-1] for row in form[::-1])]
    return min(forms, key=words)


def margin(board: Board, sign: int) -> int:
    """The result of a finished game for the side to move: empties go to whoever has more discs."""
    own, opp = (sum(row.count(mark) for row in board) for mark in "XO")
    empty = sum(row.count("-") for row in board)
    return sign * (own - opp + (empty if own > opp else -empty if own < opp else 0))


@cache
def score(board: Board, sign: int) -> int:
    """Minimax to the end."""
    if after := moves(board):
        return max(-score(smallest(each), sign) for each in after.values())
    if moves(passed(board)):
        return -score(smallest(passed(board)), sign)
    return margin(board, sign)


def proves(data: bytes, start: Board) -> bool:
    """Whether a certificate of a game from this start proves its value."""
    header, written = header_and_moves(data)
    value, leaves = header["value"], header["leaves"]
    assert isinstance(value, int) and isinstance(leaves, int)
    sign = -1 if str(header["variant"]).startswith("reversed") else 1
    squares = len(start) * len(start[0])
    return all(
        (least == -squares and not row) or holds(start, claims, least, leaves, sign, iter(row))
        for claims, least, row in ((True, value, written[0]), (False, -value, written[1]))
    )


def holds(start: Board, claims: bool, least: int, leaves: int, sign: int, row: Iterator[int]) -> bool:
    """Walks one tree: the claiming side's moves from the row, all of the other side's."""
    level = {(smallest(start), claims)}
    for _ in range(words(start)[0].bit_count(), 64):
        boards = sorted(level, key=lambda each: words(each[0]))
        if not boards or sum(line.count("-") for line in boards[0][0]) <= leaves:
            return all(score(board, sign) * (1 if ours else -1) >= least for board, ours in boards) and not [*row]
        settled = set()
        for board, ours in boards:
            if moves(board):
                settled.add((board, ours))
            elif moves(passed(board)):
                settled.add((smallest(passed(board)), not ours))
            elif margin(board, sign) * (1 if ours else -1) < least:
                return False
        level = set()
        for board, ours in sorted(settled, key=lambda each: words(each[0])):
            chosen = [next(row, 64)] if ours else list(moves(board))
            if not set(chosen) <= moves(board).keys():
                return False
            level |= {(smallest(moves(board)[move]), not ours) for move in chosen}
    return False
