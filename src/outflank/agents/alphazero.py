"""`alphazero`: Monte Carlo tree search guided by tables that it learnt from games against itself.

The author of `mini-go` aimed at this with "miniAlphaGo", but had to settle for random simulations. docs/alphazero.md
explains its options.
"""

from pathlib import Path
from typing import Any

from outflank.agents.mcts import MonteCarloPlayer
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.patterns.guides import Guide, Tables, shipped_tables
from outflank.patterns.weights import NOTHING, SHIPPED
from outflank.search.limits import Limit, Report
from outflank.search.montecarlo.guided import GuidedOptions, GuidedSearch


class GuidedPlayer(MonteCarloPlayer):
    """A guided search that follows a game. Its tables are those of a file, or what comes with Outflank."""

    search: GuidedSearch

    def __init__(self, weights: str, **options: Any) -> None:
        self.search = GuidedSearch(GuidedOptions(**options))
        self._weights = weights
        self._own = None if weights in (SHIPPED, NOTHING) else Tables(Guide.load(Path(weights).expanduser()))

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        super().start(variant, color, seed)
        self.search.guide(self._tables_for(variant))

    def choose(self, game: Game, limit: Limit) -> Report:
        self.search.guide(self._tables_for(game.position.variant))
        return super().choose(game, limit)

    def _tables_for(self, variant: Variant) -> Tables | None:
        if self._own is None:
            return shipped_tables(variant) if self._weights == SHIPPED else None
        learnt = self._own.guide.rules
        if learnt != Variant(variant.rows, variant.columns, variant.objective):
            named = self._weights
            raise Fault("agent.weights-of-variant", player="alphazero", weights=named, learnt=learnt, variant=variant)
        return self._own
