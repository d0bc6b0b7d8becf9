"""The guided search against itself: games to learn from, and trials of one guide against another.

Games are played in portions, each a single call of compiled code that holds no interpreter lock.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from outflank.board.kernels import NONE
from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.learning.alphazero import loops
from outflank.learning.games.loops import planned
from outflank.patterns.guides import Guide, Tables
from outflank.patterns.weights import write_tables
from outflank.search.driver import Stop
from outflank.search.limits import Limit
from outflank.search.montecarlo.guided import GuidedSearch

Array = Any
COLUMNS = ("own", "opp", "game", "kind", "result", "worth", "moves", "counts")


@dataclass(frozen=True)
class Manner:
    """How guided games are played."""

    thorough: int = 200
    """Simulations of a thorough search: its visits are what the policy learns."""
    quick: int = 40
    """Simulations of a quick search: it only moves the game on (Wu 2019, "playout cap randomization")."""
    share: int = 300
    """Searches in a thousand that are thorough."""
    fewest: int = 0
    most: int = 0
    """Random plies that a game opens with."""
    sampled: int = 0
    """Plies of a game whose moves are drawn in proportion to their visits; later ones are the most visited."""
    noise: float = 0.0
    """The share of Dirichlet noise in the chances of a thorough search's root."""

    @classmethod
    def learning(cls, variant: Variant, thorough: int, quick: int) -> "Manner":
        """For games to learn from: some random plies, noise, and moves drawn by lot in the first half."""
        squares = variant.square_count
        return cls(thorough, quick, most=squares // 8, sampled=squares // 2, noise=0.25)

    @classmethod
    def trial(cls, variant: Variant, playouts: int) -> "Manner":
        """For matches: random openings, and every move the best that is found."""
        squares = variant.square_count
        return cls(playouts, playouts, 1000, fewest=max(squares // 10, 1), most=squares // 6)

    def rows(
        self, variant: Variant, players: tuple[Guide | None, ...], seed: int, begin: int, size: int, stop: Stop
    ) -> "GuidedRows":
        """Games as they are played: a row each."""
        chairs = [Chair(variant, guide, self, stop) for guide in players]
        plan = planned(loops.GuidedPlan, self, variant, seed, begin, paired=len(players) > 1)
        plies = loops.MOST_PLIES
        moves, scores = np.empty((size, plies), np.uint8), np.zeros(size, np.int64)
        own, opp = (np.empty((size, plies), np.uint64) for _ in range(2))
        kind, result = np.full((size, plies), NONE, np.uint8), np.zeros((size, plies), np.int8)
        worth, sizes = np.empty((size, plies), np.int16), np.empty((size, plies), np.uint8)
        counts = np.zeros((size, plies, loops.MOST_MOVES), np.uint16)
        positions = (own, opp, kind, result, worth, sizes, counts)
        loops.play_games(*chairs[0].addresses, *chairs[-1].addresses, plan.address, moves, scores, *positions)
        return GuidedRows(moves, scores, *positions)

    def played(
        self, variant: Variant, players: tuple[Guide | None, ...], seed: int, begin: int, size: int, stop: Stop
    ) -> "tuple[GuidedGames, Array]":
        rows = self.rows(variant, players, seed, begin, size, stop)
        there: Array = rows.kind != int(NONE)
        game = np.broadcast_to(np.arange(begin, begin + size, dtype=np.uint32)[:, None], there.shape)
        weighed = np.arange(loops.MOST_MOVES) < rows.sizes[there][:, None]
        given = (rows.own, rows.opp, game, rows.kind, rows.result, rows.worth, rows.sizes)
        columns = [column[there] for column in given]
        return GuidedGames(*[*columns, rows.counts[there][weighed]]), rows.scores


class GuidedRows(NamedTuple):
    """Games as `loops.play_games` leaves them. `moves` has all of a game's moves; the positions are those before its
    last ones, which follow the opening, from the first place of a row on."""

    moves: Array
    scores: Array
    own: Array
    opp: Array
    kind: Array
    result: Array
    worth: Array
    sizes: Array
    counts: Array


class Chair(GuidedSearch):
    """One player at the compiled loops, which begin every search with a new tree."""

    def __init__(self, variant: Variant, guide: Guide | None, manner: Manner, stop: Stop) -> None:
        super().__init__()
        self.capacity = (manner.thorough + 2) * loops.MOST_MOVES  # every simulation may give one node its children
        self.guide(None if guide is None else Tables(guide))
        self._prepare(Position.start(variant), Limit(), None, stop)
        self.addresses = self._desk.address, self._threads[0].address


@dataclass(frozen=True)
class GuidedGames:
    """The positions of games of self-play, one after the other."""

    own: Array
    opp: Array
    game: Array
    """The number of the game that each position is from."""
    kind: Array
    """What its worth is: a result, a search's, or proven; as `loops` numbers them."""
    result: Array
    """The result of the game for the side to move: 1, 0 or -1."""
    worth: Array
    """What the search found: a mean or a proven result, a win being `RESULT_RANGE`."""
    moves: Array
    """How many moves a thorough search weighed; 0 where there was none."""
    counts: Array
    """The visits of those moves, lowest square first, all positions' in one row."""

    def __len__(self) -> int:
        return len(self.own)

    def save(self, path: Path) -> None:
        write_tables(path, {}, **{name: getattr(self, name) for name in COLUMNS})

    @classmethod
    def load(cls, path: Path) -> "GuidedGames":
        with np.load(path) as file:
            return cls(*(file[name] for name in COLUMNS))

    @classmethod
    def joined(cls, parts: "list[GuidedGames]") -> "GuidedGames":
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS))
