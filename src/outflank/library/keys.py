"""What stands for a position in a library: one number for all of its symmetric forms.

The number is 64 bits of a hash. Among the eight million positions of all tournament games the chance that any two
share one is two in a million, and that a position outside shares one with them is far less.
"""

from collections.abc import Sequence
from functools import cache

from outflank.board import kernels
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant

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


def keys_along(start: Position, squares: Sequence[int]) -> list[int]:
    """The keys of the positions of a legal game, one before each move and one at the end; passes are left out.

    It is `key_of` along the game without making the positions, which would take ten times as long.
    """
    variant = start.variant
    rows, columns, salts = variant.rows, variant.columns, _salts(variant)
    own, opp, turn = start.own, start.opp, int(start.turn)
    keys = []
    for square in squares:
        turned = kernels.flips(own, opp, square)
        if not turned:  # in a legal game: the side to move had to pass
            own, opp, turn = opp, own, 1 - turn
            turned = kernels.flips(own, opp, square)
        keys.append(kernels.hash64(*kernels.canonical(own, opp, rows, columns)) ^ salts[turn])
        own, opp, turn = opp & ~turned, own | turned | 1 << square, 1 - turn
    black, white = (opp, own) if turn else (own, opp)
    keys.append(key_of(settled(Position(black, white, Color(turn), variant))))
    return keys


@cache
def _salts(variant: Variant) -> tuple[int, int]:
    """What keeps the sides, the boards and the objectives apart; the start makes no difference to what follows."""
    name = variant.rows << 8 | variant.columns << 4 | variant.reversed << 1
    return kernels.mix(name), kernels.mix(name | 1)
