"""A search of the engine's for compiled loops over games: its desk is theirs (see `loops`)."""

from outflank.board.variant import Variant
from outflank.patterns.weights import Evaluation
from outflank.search.driver import Stop
from outflank.search.engine.probcut import LOOSE
from outflank.search.engine.searcher import Searcher

MEGABYTES = 16.0
"""Enough for searches of a few plies and the last twenty: a small table stays near the core."""


class GameSearcher(Searcher):
    """One player of compiled games, with its own table. Without an evaluation it plays by mobility and corners, also
    where weights are shipped: training begins from nothing."""

    def __init__(self, variant: Variant, evaluation: Evaluation | None, megabytes: float = MEGABYTES) -> None:
        super().__init__(megabytes)
        self.prepare(variant, evaluation)

    def ready(self, stop: Stop) -> tuple[int, int]:
        """Forgets all that is known and opens a search until `stop`; returns the desk's address and how selectively
        the loops shall search before the end."""
        self.forget()
        self._age = -1
        self.begin(stop)
        return self.address, self.use_margins(LOOSE)
