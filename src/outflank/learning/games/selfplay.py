"""The engine against itself: games to learn from, and trials of new weights against old ones.

Games are played in portions, each a single call of compiled code that holds no interpreter lock. A portion follows
from its task alone, so that work can be stopped and taken up again anywhere without a difference.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from outflank.arena.statistics import Tally
from outflank.board.variant import Variant
from outflank.formats.disk import write_bytes
from outflank.formats.table import WIDTH
from outflank.learning.games.loops import GamePlan, play_games
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

    def plan(self, variant: Variant, seed: int, first: int, paired: bool) -> GamePlan:
        """The same for the compiled games, numbered from `first`."""
        plan = GamePlan.new()
        plan.start_own, plan.start_opp = variant.start_discs().values()
        plan.depth, plan.exact_from = self.depth, self.exact_from
        plan.fewest, plan.most, plan.balance, plan.strays = self.fewest, self.most, self.balance, self.strays
        plan.paired, plan.seed, plan.first_game = paired, seed, first
        return plan


@dataclass(frozen=True)
class SelfPlay:
    """A portion of games to learn from; without weights the engine plays by mobility and corners."""

    variant: Variant
    weights: Weights | None
    style: Style
    seed: int
    first: int
    size: int

    def __call__(self, stop: Stop) -> ScoredGames:
        player = GameSearcher(self.variant, _evaluation(self.weights))
        plan = self.style.plan(self.variant, self.seed, self.first, paired=False)
        games, _ = _played(player, player, self.variant, plan, self.size, stop)
        return games


@dataclass(frozen=True)
class PairScores:
    """The scores of new weights in games against old ones: two for each opening, colours exchanged."""

    pairs: list[tuple[int, int]]

    def save(self, path: Path) -> None:
        write_bytes(str(path), json.dumps(self.pairs).encode(), lasting=False)

    @classmethod
    def load(cls, path: Path) -> "PairScores":
        try:
            return cls([(int(one), int(other)) for one, other in json.loads(path.read_text())])
        except (ValueError, TypeError):
            raise ValueError(f"{path} is no result of a trial") from None


@dataclass(frozen=True)
class Trial:
    """A portion of a match between new weights and old ones, or none."""

    variant: Variant
    new: Weights | None
    old: Weights | None
    style: Style
    seed: int
    first: int
    pairs: int

    def __call__(self, stop: Stop) -> PairScores:
        players = [GameSearcher(self.variant, _evaluation(weights)) for weights in (self.new, self.old)]
        plan = self.style.plan(self.variant, self.seed, 2 * self.first, paired=True)
        _, scores = _played(players[0], players[1], self.variant, plan, 2 * self.pairs, stop)
        return PairScores([(int(one), -int(other)) for one, other in scores.reshape(-1, 2)])


def tally(portions: list[PairScores]) -> Tally:
    """The count of a trial, from the new weights' view."""
    count = Tally()
    for portion in portions:
        for pair in portion.pairs:
            count.add([(score > 0) + 0.5 * (score == 0) for score in pair], list(pair))
    return count


def _evaluation(weights: Weights | None) -> Evaluation | None:
    return None if weights is None else Evaluation.of(weights)


def _played(
    first: GameSearcher, second: GameSearcher, variant: Variant, plan: GamePlan, size: int, stop: Stop
) -> tuple[ScoredGames, Array]:
    moves, kinds = np.empty((size, WIDTH), np.uint8), np.empty((size, WIDTH), np.uint8)
    values, scores = np.empty((size, WIDTH), np.int8), np.zeros(size, np.int64)
    one, sure_one = first.ready(stop)
    other, sure_other = (one, sure_one) if second is first else second.ready(stop)
    play_games(one, other, sure_one, sure_other, plan.address, moves, values, kinds, scores)
    return ScoredGames(variant, moves, values, kinds), scores
