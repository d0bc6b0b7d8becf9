"""Positions with results: what an evaluation is fitted to."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import NONE, ONE, PASS, ZERO, final_margin, legal_moves
from outflank.board.vectors import count, flips
from outflank.formats.table import GameTable

Array = Any


@kernel("int64(uint64, uint64, uint64, uint8[:, ::1], uint64[::1], uint64[::1], int8[::1], uint8[::1])")
def _positions_of(
    own: int, opp: int, board: int, games: Array, owns: Array, opps: Array, margins: Array, discs: Array
) -> int:
    """Every position of every finished game, with the margin for the side to move there; returns how many.

    A game that is not finished, or has an illegal move, gives none.
    """
    total = int64(0)
    for game in range(games.shape[0]):
        mine, theirs, first_to_move, begin, legal = own, opp, int64(1), total, True
        for ply in range(games.shape[1]):
            square = uint64(games[game, ply])
            if square == NONE:
                break
            turned = ZERO
            if square < PASS and ((board & ~(mine | theirs)) >> square) & ONE:
                turned = flips(mine, theirs, square)
                if turned == ZERO and legal_moves(mine, theirs, board) == ZERO:
                    mine, theirs, first_to_move = theirs, mine, -first_to_move
                    turned = flips(mine, theirs, square)
            if turned == ZERO:
                legal = False
                break
            owns[total], opps[total], discs[total] = mine, theirs, count(mine | theirs)
            margins[total] = first_to_move
            total += 1
            mine, theirs, first_to_move = theirs & ~turned, mine | turned | (ONE << square), -first_to_move
        if not legal or legal_moves(mine, theirs, board) or legal_moves(theirs, mine, board):
            total = begin
            continue
        margin = first_to_move * final_margin(mine, theirs, board)
        for index in range(begin, total):
            margins[index] *= margin
    return total


@dataclass(frozen=True)
class Positions:
    """Positions from the side to move's view, each with the margin it ended in for that side, and its discs."""

    own: Array
    opp: Array
    margin: Array
    discs: Array

    def __len__(self) -> int:
        return len(self.own)

    @classmethod
    def of(cls, games: GameTable) -> "Positions":
        """The positions of a table of games; unfinished games are left out."""
        variant = games.variant
        start = variant.start_discs()
        most = len(games) * games.squares.shape[1]
        own, opp = np.empty(most, np.uint64), np.empty(most, np.uint64)
        margin, discs = np.empty(most, np.int8), np.empty(most, np.uint8)
        black, white = start.values()
        length = _positions_of(black, white, variant.board, games.squares, own, opp, margin, discs)
        sign = np.int8(variant.sign)
        return cls(own[:length], opp[:length], sign * margin[:length], discs[:length])

    @classmethod
    def joined(cls, parts: "list[Positions]") -> "Positions":
        columns = ("own", "opp", "margin", "discs")
        return cls(*(np.concatenate([getattr(part, column) for part in parts]) for column in columns))

    def between(self, fewest: int, most: int) -> "Positions":
        """Those with so many discs."""
        chosen = np.nonzero((self.discs >= fewest) & (self.discs <= most))[0]
        return Positions(self.own[chosen], self.opp[chosen], self.margin[chosen], self.discs[chosen])

    def distinct(self) -> tuple["Positions", Any, Any]:
        """Each position once, the mean of its margins, and how often it was met."""
        keys = self.own * np.uint64(0x9E3779B97F4A7C15) + self.opp
        _, first, group, times = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        mean = np.bincount(group, weights=self.margin) / times
        once = Positions(self.own[first], self.opp[first], self.margin[first], self.discs[first])
        return once, mean.astype(np.float32), times
