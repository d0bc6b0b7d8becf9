"""A position as learners see it: planes of bytes, a mask of actions, and actions numbered without gaps.

A square's action is its row times the columns plus its column; the pass comes last, so there are rows × columns + 1 of
them. On 8x8 they are Outflank's own squares. A plane is rows × columns bytes, 1 where there is a disc: the side to
move's first, then the other side's. Each kernel has a plain-Python reference of the same name in tests/naive_env.py.
"""

from functools import cache

from outflank.board.compiled import kernel
from outflank.board.kernels import EIGHT, ONE, ZERO
from outflank.board.memory import address_of, copy_bytes, stack_words
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.board.vectors import write_bytes

PLANES = 2
"""The side to move's discs, and the other side's."""


@cache
def squares_by_action(variant: Variant) -> tuple[int, ...]:
    """The square of each action; the last one passes."""
    return (*variant.squares, PASS)


@cache
def actions_by_square(variant: Variant) -> dict[int, int]:
    """The action of each square, and of a pass."""
    return {square: action for action, square in enumerate(squares_by_action(variant))}


@kernel("uint64(uint64, uint64, uint64)")
def packed(mask: int, rows: int, columns: int) -> int:
    """A mask without the columns that a small board lacks: bit n is action n."""
    if columns == EIGHT:
        return mask
    row_mask = (ONE << columns) - ONE
    found, row = ZERO, ZERO
    while row < rows:
        found |= ((mask >> (EIGHT * row)) & row_mask) << (columns * row)
        row += ONE
    return found


@kernel("void(uint64, uint64, uint64, uint64)")
def write_squares(mask: int, rows: int, columns: int, address: int) -> None:
    """A byte for each square of the board, row by row: 1 where the mask has it."""
    if rows == EIGHT and columns == EIGHT:
        write_bytes(mask, address)
        return
    # 64 bytes at once are quick but too many: what lies behind may belong to another thread.
    whole = address_of(stack_words(8))
    write_bytes(packed(mask, rows, columns), whole)
    copy_bytes(address, whole, rows * columns)


@kernel("void(uint64, uint64, uint64, uint64, uint64)")
def write_planes(own: int, opp: int, rows: int, columns: int, address: int) -> None:
    """Both planes, one behind the other."""
    write_squares(own, rows, columns, address)
    write_squares(opp, rows, columns, address + rows * columns)
