"""The pattern numbers of each ply of a search, kept on its desk."""

from typing import Any

from outflank.board.compiled import kernel, uint64
from outflank.board.kernels import ONE
from outflank.patterns.lookup import play_numbers
from outflank.search.engine.endgame import A_PLY, NUMBERS, PLIES, POWERS, SELF, WHITE_AT_ROOT

Words = Any


@kernel("uint64(uint64, CPointer(uint64))")
def numbers_at(ply: int, desk: Words) -> int:
    """The address of a ply's pattern numbers."""
    return desk[SELF] + ((PLIES + ply * A_PLY + NUMBERS) << uint64(3))  # type: ignore[no-any-return]


@kernel("void(uint64, CPointer(uint64))")
def pass_numbers(ply: int, desk: Words) -> None:
    """A pass changes no pattern."""
    here, below = PLIES + ply * A_PLY + NUMBERS, PLIES + (ply + ONE) * A_PLY + NUMBERS
    for index in range(uint64(16)):
        desk[below + index] = desk[here + index]


@kernel("void(uint64, uint64, uint64, CPointer(uint64))")
def move_numbers(ply: int, square: int, turned: int, desk: Words) -> None:
    """The next ply's pattern numbers after a move here."""
    if desk[POWERS]:
        white = (desk[WHITE_AT_ROOT] + ply) & ONE
        play_numbers(numbers_at(ply + ONE, desk), numbers_at(ply, desk), desk[POWERS], square, turned, white)
