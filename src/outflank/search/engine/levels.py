"""Levels 1 to 30: how far the engine looks, and how steady its hand is, in one table.

A low level loses as people do: it looks one or two plies ahead and is not quite sure of what it sees, so that it
plays a good move often, a plausible one mostly and a senseless one rarely. From level 10 on it only sees less far than
the next.
"""

from dataclasses import dataclass

from outflank.errors import Fault


@dataclass(frozen=True)
class Level:
    """What a level may do. `wobble` is the spread, in discs, of the error it makes in judging each move."""

    depth: int
    exact_from: int
    """So many empties or fewer are solved to the end."""
    wobble: float = 0.0


LEVELS = {
    1: Level(1, 0, 18.0),
    2: Level(1, 0, 11.0),
    3: Level(1, 0, 7.0),
    4: Level(1, 2, 4.0),
    5: Level(2, 2, 6.0),
    6: Level(2, 3, 4.0),
    7: Level(2, 4, 2.5),
    8: Level(2, 5, 1.2),
    9: Level(3, 6, 0.6),
    10: Level(4, 9),
    11: Level(6, 11),
    12: Level(7, 13),
    13: Level(8, 15),
    14: Level(10, 16),
    15: Level(12, 17),
    16: Level(13, 18),
    17: Level(14, 19),
    18: Level(15, 20),
    19: Level(16, 20),
    20: Level(17, 21),
    21: Level(18, 22),
    22: Level(19, 22),
    23: Level(20, 23),
    24: Level(21, 24),
    25: Level(22, 24),
    26: Level(22, 25),
    27: Level(23, 26),
    28: Level(24, 26),
    29: Level(26, 28),
    30: Level(30, 30),
}
HIGHEST = max(LEVELS)


def level_numbered(number: int) -> Level:
    """A level by its number, or a ValueError that says which there are."""
    if number not in LEVELS:
        raise Fault("engine.level", most=HIGHEST, number=number)
    return LEVELS[number]
