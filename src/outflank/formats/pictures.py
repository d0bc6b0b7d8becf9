"""SVG as a format: Outflank's own pictures (`board.svg`) carry their position and can be read back; others cannot."""

import re

from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.errors import Fault

CARRIED = re.compile(r'<metadata id="outflank-position">([a-z0-9-]{1,40}) ([XO-]{1,64} [XO])</metadata>')


def read(text: str) -> Position:
    """The position of a picture that Outflank drew."""
    carried = CARRIED.search(text)
    if carried is None or not text.rstrip().endswith("</svg>"):
        raise Fault("svg.not-ours")
    try:
        return Position.from_text(carried[2], Variant.named(carried[1]))
    except ValueError as error:
        raise Fault("svg.wrong", why=error) from None
