"""Which start a board is: formats that carry discs do not name the variant's start."""

from dataclasses import replace
from typing import get_args

from outflank.board.position import Position
from outflank.board.variant import Start, Variant


def with_its_start(position: Position) -> Position:
    """The position with the variant whose games begin there, where there is one."""
    for start in get_args(Start):
        variant = replace(position.variant, start=start)
        if replace(position, variant=variant) == Position.start(variant):
            return Position.start(variant)
    return position


def description(variant: Variant) -> str:
    """`8x8`, `reversed 6x6`, `8x8, mirrored start`."""
    objective = "reversed " if variant.reversed else ""
    start = "" if variant.start == "diagonal" else f", {variant.start} start"
    return f"{objective}{variant.rows}x{variant.columns}{start}"
