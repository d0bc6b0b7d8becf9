"""A searcher whose desk the compiled loops over games use."""

from outflank.board.variant import Variant
from outflank.patterns.weights import Evaluation
from outflank.search.driver import Stop
from outflank.search.engine import endgame, lastplies
from outflank.search.engine.searcher import CERTAIN, Searcher

MEGABYTES = 16.0
"""Enough for searches of a few plies and the last twenty: a small table stays near the core."""
FAST = 0
"""ProbCut's certainty where there are margins."""


class Seat(Searcher):
    """One player at the compiled loops, with its own table. Without an evaluation it plays by mobility and corners."""

    def __init__(self, variant: Variant, evaluation: Evaluation | None, megabytes: float = MEGABYTES) -> None:
        super().__init__(megabytes)
        self.prepare(variant, evaluation=evaluation)
        if evaluation is None:  # also where weights are shipped: training begins from nothing
            self._desks[0][endgame.POWERS] = 0
            self._margins = None

    def ready(self, stop: Stop) -> int:
        """Forgets all that is known and opens a search until `stop`; returns the desk's address."""
        self.forget()
        self.begin(stop)
        desk = self._desks[0]
        desk[lastplies.AGE] = 0
        desk[lastplies.STOP] = stop.address
        if self._margins is not None:
            desk[endgame.MARGINS] = self._margins[FAST].ctypes.data
        return int(desk.ctypes.data)

    @property
    def certainty(self) -> int:
        """How the compiled loops shall search before the end."""
        return FAST if self._margins is not None else CERTAIN
