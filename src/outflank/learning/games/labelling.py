"""Values for given games: exact scores near the end, searches before it.

Games of people and of old programs end with mistakes, so that their results say little of what came before. Each
position of the last plies is solved, and a share of the earlier ones searched.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from outflank.formats import results
from outflank.formats.table import NONE, GameTable
from outflank.learning.games.loops import EXACT, value_games
from outflank.learning.games.scored import ScoredGames
from outflank.learning.games.searcher import GameSearcher
from outflank.patterns.weights import Evaluation, Weights
from outflank.search.driver import Stop

GAMES_A_PORTION = 1000


@dataclass(frozen=True)
class Labelling:
    """How games get their values."""

    exact_from: int = 14
    """Positions with so many empties or fewer are solved."""
    depth: int = 6
    """How far the others are searched."""
    share: int = 250
    """How many of them, in a thousand."""


@dataclass(frozen=True)
class Valuing:
    """A portion of games to give values to; those that they have already stay."""

    games: ScoredGames
    weights: Weights | None
    how: Labelling
    seed: int

    def __call__(self, stop: Stop) -> ScoredGames:
        made, how = self.games.rows(0, len(self.games)), self.how
        player = GameSearcher(made.variant, None if self.weights is None else Evaluation.of(self.weights))
        black, white = made.variant.start_discs().values()
        address, selectivity = player.ready(stop)
        settings = (how.exact_from, how.depth, how.share, selectivity, self.seed)
        value_games(address, black, white, *settings, made.moves, made.values, made.kinds)
        return made


def valuing_tasks(games: ScoredGames, weights: Weights | None, how: Labelling, folder: Path) -> dict[Path, Valuing]:
    """The portions of many games, by the file that each is kept in.

    The folder within is named by what the values depend on: other games or settings never meet old files.
    """
    digest = hashlib.sha256(games.moves)
    digest.update(games.values)
    digest.update(f"{games.variant} {how} {'' if weights is None else weights.digest}".encode())
    within = folder / f"values-{digest.hexdigest()[:12]}"
    return {
        within / f"games-{first:07}.npz": Valuing(games.rows(first, first + GAMES_A_PORTION), weights, how, first)
        for first in range(0, len(games), GAMES_A_PORTION)
    }


def with_theory(games: GameTable) -> ScoredGames:
    """The games with what WTHOR says of them: Black's score under best play from so many empties on."""
    made = ScoredGames.unscored(games)
    tags = zip(games.column("TheoreticalScore"), games.column("TheoreticalEmpties"), strict=True)
    whole, movers = games.over & (games.illegal < 0), games.movers
    for index, (score, empties) in enumerate(tags):
        if not (whole[index] and score and empties):
            continue
        ply, margin = games.variant.square_count - 4 - int(empties), results.margin_of(score)
        # A byte of zero stands for "not known" as well as for a wipe-out of Black, which is much the rarer.
        if margin is None or margin <= -games.variant.square_count or not 0 <= ply < movers.shape[1]:
            continue
        if movers[index, ply] != NONE:
            made.values[index, ply] = int(margin) * (-1 if movers[index, ply] else 1)
            made.kinds[index, ply] = EXACT
    return made
