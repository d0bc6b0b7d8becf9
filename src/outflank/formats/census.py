"""A count of what collections of games hold: how many are legal, complete, and end as their files state."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from outflank.board.game import Game
from outflank.formats import results
from outflank.formats.table import GameTable


def count(games: Sequence[Game]) -> Counter[str]:
    """Numbers of games: all, the legal ones, of these those played to their end and those that were not, and of the
    complete ones those whose file states no other result than the board shows. A table's games are not made for it."""
    if isinstance(games, GameTable):
        legal = games.illegal < 0
        complete = games.over & legal
        agreeing = complete & np.array([not stated for stated in games.column(results.TAG)], bool)
        found = (len(games), int(legal.sum()), int(complete.sum()), int(agreeing.sum()))
    else:
        over = [game for game in games if game.position.is_over]
        found = (len(games), len(games), len(over), sum(results.TAG not in game.tags for game in over))
    return Counter(games=found[0], legal=found[1], complete=found[2], agreeing=found[3], incomplete=found[1] - found[2])
