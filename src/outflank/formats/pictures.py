"""SVG as a format: Outflank's own pictures carry their position and can be read back; others cannot."""

import re

from outflank.board.position import Position
from outflank.board.svg import draw
from outflank.board.variant import Variant

CARRIED = re.compile(r'<metadata id="outflank-position">([a-z0-9-]{1,40}) ([XO-]{1,64} [XO])</metadata>')


def read(text: str) -> Position:
    """The position of a picture that Outflank drew."""
    carried = CARRIED.search(text)
    if carried is None or not text.rstrip().endswith("</svg>"):
        raise ValueError("SVG: only whole pictures drawn by Outflank carry a position that can be read")
    try:
        return Position.from_text(carried[2], Variant.named(carried[1]))
    except ValueError as error:
        raise ValueError(f"SVG: {error}") from None


def write(position: Position, last: int | None = None) -> str:
    """The position as a picture."""
    return draw(position, last)
