"""Names of squares and sides. A square is its stride-8 bit (a1 = 0, h8 = 63) on every board; a pass is 64."""

import operator
from collections.abc import Iterator
from enum import IntEnum

from outflank.errors import Fault

PASS = 64
PASS_NAMES = frozenset({"pass", "pa", "ps", "--"})


class Color(IntEnum):
    """A side. Black moves first."""

    BLACK = 0
    WHITE = 1

    @classmethod
    def _missing_(cls, value: object) -> "Color":
        raise Fault("side.unknown", side=value)

    @property
    def other(self) -> "Color":
        return Color.WHITE if self is Color.BLACK else Color.BLACK

    @property
    def symbol(self) -> str:
        return "XO"[self]

    @property
    def word(self) -> Fault:
        """The name for an error: each language has its own."""
        return Fault(("side.black", "side.white")[self])

    def __str__(self) -> str:
        return ("Black", "White")[self]


def square_name(square: int) -> str:
    """`d3` for 19, `pass` for 64."""
    if square == PASS:
        return "pass"
    if not 0 <= square < PASS:
        raise Fault("square.number", number=square)
    return "abcdefgh"[square % 8] + "12345678"[square // 8]


def parse_square(text: str) -> int:
    """The square of a name in either case; the names of a pass give 64."""
    name = text.strip().lower()
    if name in PASS_NAMES:
        return PASS
    if len(name) == 2 and name[0] in "abcdefgh" and name[1] in "12345678":
        return 8 * (ord(name[1]) - ord("1")) + ord(name[0]) - ord("a")
    shown = text if len(text) <= 20 else text[:20] + "…"
    raise Fault("square.name", text=shown)


def square_number(square: int | str) -> int:
    """The square that somebody gave, as its number or by its name."""
    return parse_square(square) if isinstance(square, str) else operator.index(square)


def squares_of(mask: int) -> Iterator[int]:
    """The squares of a mask, lowest first."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1
