"""How far the values of searches lie from the truth: bias, spread, mean error and best moves found, by depth.

A bias that goes up and down with the depth shows as hints that jump, wrong losses in a review, and windows that miss.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from outflank.learning.games.known import Known
from outflank.learning.games.loops import deepen_positions
from outflank.learning.games.searcher import GameSearcher
from outflank.patterns.weights import Evaluation
from outflank.search.driver import Stop

Array = Any
AT_A_TIME = 16
"""Positions searched between two looks at the clock and at Ctrl-C."""


@dataclass(frozen=True)
class Searched:
    """What searches said of positions: a row a position, a column for every depth from 0 on."""

    known: Known
    values: Array
    moves: Array
    """The best move from depth 1 on."""
    nodes: int

    @property
    def errors(self) -> Array:
        return self.values.astype(np.float64) - self.known.value[:, None]

    def right(self, depth: int) -> Array:
        """Whether the move found keeps the score, of the positions where that is known."""
        there = self.known.best != 0
        return (self.known.best[there] >> self.moves[there, depth].astype(np.uint64)) & np.uint64(1)

    def chosen(self, which: Array) -> "Searched":
        return Searched(self.known.chosen(which), self.values[which], self.moves[which], self.nodes)


@dataclass(frozen=True)
class Accuracy:
    """Errors in discs, positive where the side to move is thought better off than it is."""

    depth: int
    positions: int
    bias: float
    deviation: float
    mean_error: float
    best: float | None
    """Part of the positions whose best move is found; None where the best moves are not known."""


def searched(
    known: Known,
    evaluation: Evaluation | None,
    deepest: int,
    stop: Stop,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Searched:
    """Searches every position to every depth, as a player does: selective where the weights have margins for it."""
    values, moves = (np.zeros((len(known), deepest + 1), kind) for kind in (np.int8, np.uint8))
    player = GameSearcher(known.variant, evaluation)
    address, selectivity = player.ready(stop)
    for first in range(0, len(known), AT_A_TIME):
        progress(first, len(known))
        those = slice(first, first + AT_A_TIME)
        deepen_positions(address, known.own[those], known.opp[those], selectivity, values[those], moves[those])
        if stop.is_set:
            raise KeyboardInterrupt
    return Searched(known, values, moves, player.nodes)


def accuracies(found: Searched) -> Iterator[Accuracy]:
    """One for each depth."""
    errors = found.errors
    for depth in range(errors.shape[1]):
        here = errors[:, depth]
        right = found.right(depth) if depth else np.empty(0)
        yield Accuracy(
            depth,
            len(here),
            float(here.mean()),
            float(here.std()),
            float(np.abs(here).mean()),
            float(right.mean()) if len(right) else None,
        )


def by_empties(found: Searched) -> dict[int, list[Accuracy]]:
    """The same for each number of empties: its stage and its parity."""
    empties = found.known.empties
    return {int(each): list(accuracies(found.chosen(empties == each))) for each in np.unique(empties)[::-1]}


def as_data(found: Searched) -> dict[str, Any]:
    """All of it, to be printed or kept."""
    return {
        "positions": len(found.known),
        "nodes": found.nodes,
        "depths": [asdict(one) for one in accuracies(found)],
        "empties": {str(each): [asdict(one) for one in rows] for each, rows in by_empties(found).items()},
    }
