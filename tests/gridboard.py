"""Othello on a plain list of 64 cells: the second reference, for what is checked on millions of positions.

`naive` follows the words of the rules and is too slow for that. Here the ways across the board are listed
once a size, and all moves of a position with the discs they turn are found in one walk.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from random import Random
from typing import NamedTuple

import naive

EMPTY, OWN, OPP = 0, 1, 2


class Grid(NamedTuple):
    """A board's geometry: for each square (8 × row + column) the ways that lead from it."""

    playable: int
    squares: list[int]
    rays: dict[int, list[tuple[int, ...]]]
    """The squares met in each direction, where there is one."""
    axes: dict[int, list[tuple[int, int, int]]]
    """The neighbours on both sides and the mask of the whole line, for each axis that has both."""


def mask_of(squares: Iterable[int]) -> int:
    """The bitboard of different squares."""
    return sum(1 << square for square in squares)


@cache
def grid(rows: int, columns: int) -> Grid:
    """The geometry of a size."""

    def ray(square: int, down: int, right: int) -> tuple[int, ...]:
        row, column = square // 8 + down, square % 8 + right
        way = []
        while 0 <= row < rows and 0 <= column < columns:
            way.append(8 * row + column)
            row, column = row + down, column + right
        return tuple(way)

    squares = [8 * row + column for row in range(rows) for column in range(columns)]
    rays: dict[int, list[tuple[int, ...]]] = {}
    axes: dict[int, list[tuple[int, int, int]]] = {}
    for square in squares:
        pairs = [(ray(square, *way), ray(square, -way[0], -way[1])) for way in ((0, 1), (1, 0), (1, 1), (1, -1))]
        rays[square] = [way for pair in pairs for way in pair if way]
        axes[square] = [(one[0], other[0], mask_of(one + other)) for one, other in pairs if one and other]
    return Grid(mask_of(squares), squares, rays, axes)


def cells(own: int, opp: int) -> list[int]:
    """What stands on each of the 64 squares."""
    return [OWN if own >> square & 1 else OPP if opp >> square & 1 else EMPTY for square in range(64)]


def moves(own: int, opp: int, board: Grid) -> dict[int, int]:
    """Every legal move with the mask of discs it turns: from each own disc over enemies to an empty square."""
    cell = cells(own, opp)
    turned: dict[int, int] = {}
    for square in board.squares:
        if cell[square] != OWN:
            continue
        for way in board.rays[square]:
            if cell[way[0]] != OPP:
                continue
            run = 0
            for place in way:
                if cell[place] != OPP:
                    if cell[place] == EMPTY:
                        turned[place] = turned.get(place, 0) | run
                    break
                run |= 1 << place
    return turned


def play(own: int, opp: int, square: int, turned: int) -> tuple[int, int]:
    """The position after a move that turns these discs, seen by the other side."""
    return opp - turned, own + turned + (1 << square)


def frontier(own: int, opp: int, board: Grid) -> int:
    """Own discs with an empty square next to them."""
    cell = cells(own, opp)
    return mask_of(
        square
        for square in board.squares
        if cell[square] == OWN and EMPTY in [cell[way[0]] for way in board.rays[square]]
    )


def stable_discs(own: int, opp: int, board: Grid) -> int:
    """Own discs that on each axis stand in a full line, at the rim, or beside a stable disc."""
    empty = board.playable - own - opp
    waiting = {  # for each disc the pairs of neighbours of which one must be stable
        square: [(one, other) for one, other, line in board.axes[square] if line & empty]
        for square in board.squares
        if own >> square & 1
    }
    stable: set[int] = set()
    while True:
        grown = [
            square for square, pairs in waiting.items() if all(one in stable or other in stable for one, other in pairs)
        ]
        if not grown:
            return mask_of(stable)
        stable.update(grown)
        for square in grown:
            del waiting[square]


def random_positions(rows: int, columns: int, kind: str, rng: Random) -> Iterator[tuple[int, int, dict[int, int]]]:
    """Without end, the positions of one random game after the other, each with its moves."""
    board = grid(rows, columns)
    while True:
        own, opp = naive.start(rows, columns, kind)
        legal = moves(own, opp, board)
        passed = False
        while legal or not passed:
            yield own, opp, legal
            passed = not legal
            if legal:
                square = rng.choice(list(legal))
                own, opp = play(own, opp, square, legal[square])
            else:
                own, opp = opp, own
            legal = moves(own, opp, board)
