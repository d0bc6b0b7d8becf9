"""Two groups of players who hardly met. Their games do not show how far apart they are, so the prior of the ratings
decides (docs/arena.md)."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Any

FEW_GAMES = 0.5
"""Of the games that two groups would have with each other if everybody met everybody equally often."""
FEW_POINTS = 3.0
"""Of the weaker group in these games: with more, they tell how far apart the two are."""
SMALLEST = 2
"""Players of a group."""


@dataclass(frozen=True)
class Gap:
    """Where a table falls into two groups that hardly met."""

    above: tuple[int, ...]
    """The group that is rated higher, by its rows."""
    games: int
    """Of the two groups with each other."""
    points: float
    """Of the lower group in them."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"above": list(self.above)}


def gap(ratings: Sequence[float], met: Iterable[tuple[tuple[int, int], float, int]]) -> Gap | None:
    """The widest gap of a table, by its rows' ratings and by who met: both rows, the first one's points, the games."""
    order = sorted(range(len(ratings)), key=lambda row: -ratings[row])
    place = {row: number for number, row in enumerate(order)}
    # What changes from one cut to the next: a meeting counts from the cut behind its upper player to its lower one.
    games, points, seats = ([0.0] * (len(order) + 1) for _ in range(3))
    for (first, second), won, count in met:
        upper, lower = sorted((place[first], place[second]))
        for changes, value in (games, count), (points, count - won if place[first] < place[second] else won):
            changes[upper] += value
            changes[lower] -= value
        seats[upper] += count
        seats[lower] += count
    total = sum(seats)
    if not total:
        return None
    found = [
        (points, games, cut)
        for cut, (games, points, taken) in enumerate(zip(*map(accumulate, (games, points, seats)), strict=True), 1)
        if SMALLEST <= cut <= len(order) - SMALLEST
        and points < FEW_POINTS
        and games <= FEW_GAMES * taken * (1 - taken / total)
    ]
    if not found:
        return None
    least, between, cut = min(found)
    return Gap(tuple(sorted(order[:cut])), round(between), least)
