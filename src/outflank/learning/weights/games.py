"""Games of a target with given parameters, as tasks for workers: contests of two sets of them, and self-play.

A task follows from its data alone, so that it can be done anywhere and again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.arena.openings import balanced, usual_plies
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.formats.table import NONE, WIDTH, GameTable
from outflank.heuristics.learnt import LARGEST_NUMBER
from outflank.learning.games.scored import ScoredGames
from outflank.learning.trials import PairScores
from outflank.learning.weights.linear import Adjustable
from outflank.learning.weights.loops import open_games, play_heuristics
from outflank.learning.weights.target import Model, Target
from outflank.search.driver import Stop
from outflank.search.limits import UNLIMITED
from outflank.search.trees.search import TreeSearch
from outflank.work.held import held

Array = Any
ALL_RANDOM = 1000


class HeuristicPlayer(TreeSearch):
    """A player at the compiled games, whose weights can be set."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._evaluation = Adjustable(model.columns)
        super().__init__(self._evaluation)
        self.prepare(model.variant)

    def ready(self, vector: Array, stop: Stop) -> int:
        """Takes parameters and opens a search until `stop`; returns the desk's address.

        What is no number any more would leave a search without a best move.
        """
        weights = self._model.weights(vector)
        if not (np.abs(weights) <= LARGEST_NUMBER).all():
            raise Fault("learning.weights-too-large", most=LARGEST_NUMBER)
        self._evaluation.set(weights)
        self._begin(UNLIMITED)
        self._desk.stop = stop.address
        return self._desk.address


def both_players(target: Target) -> tuple[HeuristicPlayer, HeuristicPlayer]:
    """Those of a worker, which keeps them: each has machine code of its own."""
    return HeuristicPlayer(target.model), HeuristicPlayer(target.model)


@dataclass(frozen=True, eq=False)
class Contests:
    """Sets of parameters against others: two games from every opening, colours exchanged."""

    target: Target
    rivals: Sequence[tuple[Array, Array]]
    depth: int
    openings: Array
    """A row of squares each."""

    def __call__(self, stop: Stop) -> list[PairScores]:
        one, other = held(both_players, self.target)
        return [self._played(one.ready(first, stop), other.ready(second, stop)) for first, second in self.rivals]

    def _played(self, first: int, second: int) -> PairScores:
        moves = np.repeat(self.openings, 2, axis=0)
        exchanged = np.tile(np.array([0, 1], np.uint8), len(self.openings))
        scores = np.zeros(len(moves), np.int64)
        black, white = self.target.variant.start_discs().values()
        play_heuristics(first, second, self.depth, black, white, 0, 0, exchanged, moves, scores)
        return [(int(own), int(again)) for own, again in scores.reshape(-1, 2)]


@dataclass(frozen=True, eq=False)
class OwnGames:
    """Games of one set of parameters with itself; so many moves in a thousand are random."""

    target: Target
    vector: Array
    depth: int
    strays: int
    openings: Array
    seed: int

    def __call__(self, stop: Stop) -> ScoredGames:
        moves = self.openings.copy()
        variant = self.target.variant
        nobody, scores = np.zeros(len(moves), np.uint8), np.zeros(len(moves), np.int64)
        black, white = variant.start_discs().values()
        how = (self.depth, black, white, self.strays, self.seed)
        desk = held(both_players, self.target)[0].ready(self.vector, stop)
        play_heuristics(desk, desk, *how, nobody, moves, scores)
        return ScoredGames.unscored(GameTable(moves, variant))


def random_openings(variant: Variant, seed: int, first: int, count: int, plies: int | None = None) -> Array:
    """Random openings by their numbers."""
    moves = from_start(count)
    length = usual_plies(variant) if plies is None else plies
    black, white = variant.start_discs().values()
    open_games(black, white, variant.board, length, seed, first, moves)
    return moves


def from_start(count: int) -> Array:
    """Games from the start."""
    return np.full((count, WIDTH), NONE, np.uint8)


def balanced_openings(variant: Variant, seed: int, count: int) -> Array:
    """Openings after which the engine sees neither side ahead, as the arena has them."""
    found = balanced(variant, usual_plies(variant), seed)
    games = [Game.from_transcript(found[number].moves, Position.start(variant)) for number in range(count)]
    return GameTable.of(games, "learning").squares


def random_games(target: Target, count: int, seed: int = 0) -> ScoredGames:
    """Games in which every move is random."""
    vector = np.zeros(len(target.model))
    return OwnGames(target, vector, 1, ALL_RANDOM, from_start(count), seed)(Stop())
