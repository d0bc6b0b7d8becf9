"""A position as an array of pixels, for the recorders of learners' tools: `board.svg` draws the picture for people."""

import numpy as np
from numpy.typing import NDArray

from outflank.board.position import Position
from outflank.board.squares import squares_of
from outflank.board.svg import FIELD, LINES

CELL, RADIUS = 32, 13
BLACK, WHITE = "#121413", "#f4f4f2"


def pixels(position: Position) -> NDArray[np.uint8]:
    """Rows, columns and the three colours of the board and its discs."""
    rows, columns = position.variant.rows, position.variant.columns
    y, x = np.mgrid[: CELL * rows, : CELL * columns]
    round_ones = np.hypot(y % CELL - CELL / 2, x % CELL - CELL / 2) <= RADIUS
    picture = np.empty((*y.shape, 3), np.uint8)
    picture[:] = _colour(FIELD)
    picture[(y % CELL == 0) | (x % CELL == 0)] = _colour(LINES)
    for mask, colour in ((position.black, BLACK), (position.white, WHITE)):
        there = np.isin(8 * (y // CELL) + x // CELL, list(squares_of(mask)))
        picture[there & round_ones] = _colour(colour)
    return picture


def _colour(text: str) -> list[int]:
    return list(bytes.fromhex(text[1:]))
