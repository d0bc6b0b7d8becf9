"""What stands for a position in a library: one number for all of its symmetric forms.

The number is 64 bits of a hash. Among the eight million positions of all tournament games the chance that any two
share one is two in a million, and that a position outside shares one with them is far less. Asked for one at a time
from Python, their keys took most of the time of building a library: those of a whole game are found by compiled code.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from outflank.board.compiled import kernel, uint64
from outflank.board.kernels import canonical, flips, hash64, legal_moves, mix
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant

ONE = uint64(1)
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
    own, opp = canonical(position.own, position.opp, position.variant.rows, position.variant.columns)
    return hash64(own, opp) ^ _salts(position.variant)[position.turn]


@kernel("void(uint64, uint64, uint64, uint64, uint64, uint64, uint64, uint8[::1], uint64[::1])")
def write_keys(
    own: int,
    opp: int,
    board: int,
    rows: int,
    columns: int,
    own_salt: int,
    opp_salt: int,
    squares: NDArray[np.uint8],
    keys: NDArray[np.uint64],
) -> None:
    """Writes the keys of a legal game's positions, one before each move and one at the end; passes are left out.

    The salts are those of the side to move at first and of the other one: they go round with the sides.
    """
    for ply in range(len(squares)):
        square = uint64(squares[ply])
        turned = flips(own, opp, square)
        if not turned:  # in a legal game: the side to move had to pass
            own, opp, own_salt, opp_salt = opp, own, opp_salt, own_salt
            turned = flips(own, opp, square)
        form = canonical(own, opp, rows, columns)
        keys[ply] = hash64(form[0], form[1]) ^ own_salt
        own, opp, own_salt, opp_salt = opp & ~turned, own | turned | (ONE << square), opp_salt, own_salt
    if not legal_moves(own, opp, board) and legal_moves(opp, own, board):
        own, opp, own_salt, opp_salt = opp, own, opp_salt, own_salt
    form = canonical(own, opp, rows, columns)
    keys[len(squares)] = hash64(form[0], form[1]) ^ own_salt


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
    return mix(name), mix(name | 1)
