"""How the engine plays itself: games to learn from, and trials of new weights against old ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.board.variant import Variant
from outflank.formats.table import WIDTH
from outflank.learning.games.loops import GamePlan, planned, play_games
from outflank.learning.games.scored import ScoredGames
from outflank.learning.games.searcher import GameSearcher
from outflank.patterns.weights import Evaluation, Weights
from outflank.search.driver import Stop

Array = Any


@dataclass(frozen=True)
class Style:
    """How games are played."""

    depth: int = 4
    exact_from: int = 12
    """So many empties or fewer are played perfectly."""
    fewest: int = 4
    most: int = 20
    """Random plies that a game opens with."""
    balance: int = 24
    """Discs by which a side may be ahead after them."""
    strays: int = 20
    """Moves in a thousand that are random later: searches meet positions that no good player makes."""

    @classmethod
    def learning(cls, variant: Variant, depth: int, exact_from: int) -> "Style":
        """For games to learn from: openings of very different lengths, also one-sided ones, some moves astray."""
        squares = variant.square_count
        return cls(depth, exact_from, fewest=max(squares // 16, 1), most=squares * 5 // 16)

    @classmethod
    def trial(cls, variant: Variant, depth: int, exact_from: int) -> "Style":
        """For matches: balanced openings, and every move the best that is found.

        Fewer than six random plies are too few for hundreds of pairs: players without chance repeat whole games then.
        """
        return cls(depth, exact_from, fewest=6, most=10, balance=max(variant.square_count // 6, 2), strays=0)

    def played(
        self, variant: Variant, players: tuple[Weights | None, ...], seed: int, begin: int, size: int, stop: Stop
    ) -> tuple[ScoredGames, Array]:
        """Without weights the engine plays by mobility and corners."""
        moves, kinds = np.empty((size, WIDTH), np.uint8), np.empty((size, WIDTH), np.uint8)
        values, scores = np.empty((size, WIDTH), np.int8), np.zeros(size, np.int64)
        plan = planned(GamePlan, self, variant, seed, begin, paired=len(players) > 1)
        searchers = [GameSearcher(variant, None if one is None else Evaluation.of(one)) for one in players]
        ready = [searcher.ready(stop) for searcher in searchers]
        (one, sure_one), (other, sure_other) = ready[0], ready[-1]
        play_games(one, other, sure_one, sure_other, plan.address, moves, values, kinds, scores)
        return ScoredGames(variant, moves, values, kinds), scores
