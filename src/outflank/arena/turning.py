"""Where a game turned: the one rule, for reports of the arena and for the analysis of single games."""

from collections.abc import Sequence
from dataclasses import dataclass

from outflank.board.squares import Color

NOTICEABLE = 3.0
"""Discs from which a loss that is only estimated is one: less is within what another depth would say."""


@dataclass(frozen=True)
class Cost:
    """What a move gave away, for its mover."""

    mover: Color
    before: float
    """What could be had."""
    after: float
    loss: float
    sure: bool
    """Whether the loss is proven, or large enough to be believed."""


def turning_point(costs: Sequence[Cost | None], winner: Color | None) -> int | None:
    """Which of the moves decided a game, or None: of the loser's moves that gave away a position in which he was not
    behind the costliest, and where there is none the costliest of all. The first of equals. A small loss that is not
    proven is no loss; moves of which nothing is known are None."""
    if winner is None:
        return None
    costly = [
        (number, cost)
        for number, cost in enumerate(costs)
        if cost is not None and cost.mover is winner.other and cost.loss > 0 and cost.sure
    ]
    crossing = [(number, cost) for number, cost in costly if cost.before >= 0 > cost.after]
    return max(crossing or costly, key=lambda one: one[1].loss, default=(None, None))[0]
