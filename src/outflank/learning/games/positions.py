"""Positions with labels: what an evaluation is fitted to.

A label is a position's worth in discs for the side to move. The exact score is the best there is. A search's value is
mixed with what the game went on to show: each label is a part of the search's value here and the rest of the next
position's label (a trace that fades, as in temporal-difference learning), back from the first exact score or the
result of the game. A random move ends a trace: what comes after it says nothing of what was before.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import NONE, ZERO, final_margin
from outflank.board.memory import address_of, stack_words
from outflank.board.vectors import count
from outflank.formats.table import GameTable
from outflank.learning.games.loops import SEARCHED, UNKNOWN, board_at, replay, sign_of
from outflank.learning.games.scored import ScoredGames

Array = Any
COLUMNS = ("own", "opp", "margin", "discs", "importance")

TRACE = 0.8
"""What the next position's label counts in a searched one's. Chosen, not tuned: see docs/training.md."""
OF_EXACT, OF_SEARCHED, OF_RESULT = 1.0, 0.6, 0.1
"""How much an equation counts, by its label: guessed from how uncertain each kind of label is, not tuned."""


@kernel(
    "int64(uint64, uint64, uint64, int64, float32, float32[::1], uint8[:, ::1], int8[:, ::1], uint8[:, ::1],"
    " uint64[::1], uint64[::1], float32[::1], uint8[::1], float32[::1])"
)
def _positions_of(
    own: int,
    opp: int,
    board: int,
    sign: int,
    trace: float,
    counting: Array,
    games: Array,
    values: Array,
    kinds: Array,
    owns: Array,
    opps: Array,
    labels: Array,
    discs: Array,
    importance: Array,
) -> int:
    """Every position of every finished game with its label for the side to move there; returns how many.

    A game that is not finished, or has an illegal move, gives none. `counting` is the importance by kind.
    """
    total = int64(0)
    turns = np.empty(64, np.uint64)
    end = board_at(address_of(stack_words(3)))
    for game in range(games.shape[0]):
        end.own, end.opp, end.turn = own, opp, ZERO
        length = replay(board, games[game], owns[total:], opps[total:], turns, end)
        if length < 0:
            continue
        # From here on the worth is the first player's; a label is the mover's.
        worth = np.float32(sign_of(end.turn) * sign * final_margin(end.own, end.opp, board))
        for back in range(length):
            ply = length - 1 - back
            kind = uint64(kinds[game, ply])
            value = np.float32(sign_of(turns[ply]) * int64(values[game, ply]))
            if kind == SEARCHED:
                worth = (np.float32(1) - trace) * value + trace * worth
            elif kind != UNKNOWN:
                worth = value
            labels[total + ply] = np.float32(sign_of(turns[ply])) * worth
            importance[total + ply] = counting[kind]
            discs[total + ply] = count(owns[total + ply] | opps[total + ply])
        kept = total
        for at in range(total, total + length):
            if importance[at] > 0:
                owns[kept], opps[kept], discs[kept] = owns[at], opps[at], discs[at]
                labels[kept], importance[kept] = labels[at], importance[at]
                kept += 1
        total = kept
    return total


@dataclass(frozen=True)
class Positions:
    """Positions from the side to move's view: the margin expected for that side, the discs, how much each counts."""

    own: Array
    opp: Array
    margin: Array
    discs: Array
    importance: Array

    def __len__(self) -> int:
        return len(self.own)

    @classmethod
    def of(cls, games: "GameTable | ScoredGames", trace: float = TRACE, of_result: float = OF_RESULT) -> "Positions":
        """The positions of games; unfinished games are left out, and moves without a value where `of_result` is 0."""
        scored = games if isinstance(games, ScoredGames) else ScoredGames.unscored(games)
        variant, most = scored.variant, int((scored.moves != NONE).sum())
        own, opp = np.empty(most + 64, np.uint64), np.empty(most + 64, np.uint64)
        label, importance = np.empty(most + 64, np.float32), np.empty(most + 64, np.float32)
        discs = np.empty(most + 64, np.uint8)
        black, white = variant.start_discs().values()
        counting = np.array([of_result, OF_SEARCHED, OF_SEARCHED, OF_EXACT], np.float32)
        length = _positions_of(
            black,
            white,
            variant.board,
            variant.sign,
            trace,
            counting,
            *(scored.moves, scored.values, scored.kinds),
            *(own, opp, label, discs, importance),
        )
        return cls(*(column[:length] for column in (own, opp, label, discs, importance)))

    @classmethod
    def joined(cls, parts: "list[Positions]") -> "Positions":
        return cls(*(np.concatenate([getattr(part, column) for part in parts]) for column in COLUMNS))

    @classmethod
    def parted(
        cls, games: "list[ScoredGames]", trace: float = TRACE, of_result: float = OF_RESULT
    ) -> "tuple[Positions, Positions]":
        """The positions to learn from, and those of the games that are held out."""
        pairs = [part.parted() for part in games]
        learnt, held = (
            cls.joined([cls.of(pair[side], trace, of_result) for pair in pairs] or [cls.none()]) for side in (0, 1)
        )
        return learnt, held

    @classmethod
    def none(cls) -> "Positions":
        kinds = (np.uint64, np.uint64, np.float32, np.uint8, np.float32)
        return cls(*(np.empty(0, kind) for kind in kinds))

    def chosen(self, which: Array) -> "Positions":
        """Some of them, by a mask or by numbers."""
        return Positions(*(getattr(self, column)[which] for column in COLUMNS))

    def between(self, fewest: int, most: int) -> "Positions":
        """Those with so many discs."""
        return self.chosen(np.nonzero((self.discs >= fewest) & (self.discs <= most))[0])

    def distinct(self) -> "Positions":
        """Each position once: the mean of its labels, and their importance together."""
        keys = self.own * np.uint64(0x9E3779B97F4A7C15) + self.opp
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        total = np.bincount(group, weights=self.importance)
        mean = np.bincount(group, weights=self.margin * self.importance) / total
        once = self.chosen(first)
        return Positions(once.own, once.opp, mean.astype(np.float32), once.discs, total.astype(np.float32))
