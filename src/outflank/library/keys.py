"""What stands for a position in a library: one number for all of its symmetric forms.

The number is 64 bits of a hash. Among the eight million positions of all tournament games the chance that any two
share one is two in a million, and that a position outside shares one with them is far less.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from outflank.board import kernels
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.library.walking import write_keys

MOVE_TAG = 0xFFFFFFFF
"""The half of a position's key that stands for the move which leads there, among the moves of the position before.

Moves that lead to the same position, turned or not, are the same move.
"""
NO_MOVE = 0
"""The tag at the end of a game."""


def settled(position: Position) -> Position:
    """The position in which somebody moves: after the pass, where the side to move must pass."""
    return position.play(PASS) if position.must_pass else position


def key_of(position: Position) -> int:
    """The number that stands for a position, turned or mirrored as it may be."""
    own, opp = kernels.canonical(position.own, position.opp, position.variant.rows, position.variant.columns)
    return kernels.hash64(own, opp) ^ _salts(position.variant)[position.turn]


def keys_along(start: Position, squares: bytes) -> NDArray[np.uint64]:
    """The keys of the positions of a legal game, one before each move and one at the end; passes are left out."""
    variant, salts = start.variant, _salts(start.variant)
    keys = np.empty(len(squares) + 1, np.uint64)
    write_keys(
        *(start.own, start.opp, variant.board, variant.rows, variant.columns),
        *(salts[start.turn], salts[start.turn.other]),
        *(np.frombuffer(bytearray(squares), np.uint8), keys),
    )
    return keys


@cache
def _salts(variant: Variant) -> tuple[int, int]:
    """What keeps the sides, the boards and the objectives apart; the start makes no difference to what follows."""
    name = variant.rows << 8 | variant.columns << 4 | variant.reversed << 1
    return kernels.mix(name), kernels.mix(name | 1)
