"""Players that search a tree with a heuristic: `minimax` and `alphabeta`, and what four of the five share."""

from collections.abc import Callable
from typing import Any

from outflank.agents.agent import Agent
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.evaluation.heuristic import Heuristic
from outflank.evaluation.named import find
from outflank.search.limits import UNLIMITED, Limit, Report
from outflank.search.treesearch import Algorithm, Ordering, TreeSearch

DEFAULT_DEPTH = 4


class SearchPlayer(Agent):
    """A tree search on a heuristic. `plan` is the limit it sets itself where nobody else does."""

    def __init__(
        self,
        heuristic: Heuristic,
        plan: Callable[[Position], Limit],
        algorithm: Algorithm = "alphabeta",
        ordering: Ordering = "estimate",
        **options: Any,
    ) -> None:
        self.heuristic = heuristic
        self._plan = plan
        self._search = TreeSearch(heuristic, algorithm, ordering, **options)

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self._search.prepare(variant)

    def choose(self, game: Game, limit: Limit) -> Report:
        position = game.position
        return self._search.run(position, limit if limit != UNLIMITED else self._plan(position))


def fixed(position: Position) -> Limit:
    """The plan of a player that has none: a few plies."""
    return Limit(depth=DEFAULT_DEPTH)


def minimax(heuristic: str, deepening: bool) -> SearchPlayer:
    """Minimax without pruning."""
    return SearchPlayer(find(heuristic), fixed, "minimax", deepening=deepening)


def alphabeta(heuristic: str, ordering: Ordering, deepening: bool) -> SearchPlayer:
    """Alpha-beta: the same move as minimax, sooner."""
    return SearchPlayer(find(heuristic), fixed, ordering=ordering, deepening=deepening)
