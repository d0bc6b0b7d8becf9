"""A count of what collections of games hold: how many are legal, complete, and as their files say they ended."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outflank.board.game import Game
from outflank.formats import results
from outflank.formats.table import GameTable


@dataclass(frozen=True)
class Census:
    """Numbers of games."""

    games: int = 0
    legal: int = 0
    complete: int = 0
    """Legal games played to their end."""
    agreeing: int = 0
    """Complete games whose file states no other result than the board shows."""

    @property
    def incomplete(self) -> int:
        return self.legal - self.complete

    def __add__(self, other: "Census") -> "Census":
        return Census(
            self.games + other.games,
            self.legal + other.legal,
            self.complete + other.complete,
            self.agreeing + other.agreeing,
        )


def count(games: Sequence[Game]) -> Census:
    """Counts a collection; a table's games are not made for it."""
    if not isinstance(games, GameTable):
        over = [game for game in games if game.position.is_over]
        return Census(len(games), len(games), len(over), sum(results.TAG not in game.tags for game in over))
    legal = games.illegal < 0
    complete = games.over & legal
    agreeing = complete & np.array([not stated for stated in games.column(results.TAG)], bool)
    return Census(len(games), int(legal.sum()), int(complete.sum()), int(agreeing.sum()))
