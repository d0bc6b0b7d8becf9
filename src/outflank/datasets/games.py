"""The positions of whole games, laid out in columns."""

from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import NONE, ONE, ZERO, legal_moves
from outflank.board.variant import Variant
from outflank.board.vectors import count, flips
from outflank.datasets.columns import NO_RESULT, SQUARES, Rows
from outflank.formats.table import GameTable

Array = Any


@kernel(
    "int64(uint64, uint64, uint64, uint8[:, ::1], uint32[::1], uint8[::1], uint8[::1], uint64[::1], uint64[::1],"
    " uint64[::1], uint8[::1])"
)
def _lay_out(
    own: int,
    opp: int,
    board: int,
    games: Array,
    rows: Array,
    plies: Array,
    turns: Array,
    owns: Array,
    opps: Array,
    legals: Array,
    empties: Array,
) -> int:
    """The position before each move of each game; returns how many. A game ends before its first illegal move."""
    total = int64(0)
    for row in range(games.shape[0]):
        mine, theirs, turn = own, opp, ZERO
        for ply in range(games.shape[1]):
            square = uint64(games[row, ply])
            if square >= uint64(64):
                break
            legal = legal_moves(mine, theirs, board)
            if legal == ZERO:
                mine, theirs, turn = theirs, mine, turn ^ ONE
                legal = legal_moves(mine, theirs, board)
            if (legal >> square) & ONE == ZERO:
                break
            rows[total], plies[total], turns[total] = row, ply, turn
            owns[total], opps[total], legals[total] = mine, theirs, legal
            empties[total] = count(board & ~(mine | theirs))
            total += 1
            turned = flips(mine, theirs, square)
            mine, theirs, turn = theirs & ~turned, mine | turned | (ONE << square), turn ^ ONE
    return total


def rows_of(
    variant: Variant,
    moves: Array,
    numbers: Array,
    values: Array,
    kinds: Array,
    policy: Array | None = None,
    scores: Array | None = None,
) -> Rows:
    """The positions of games: a row of squares each, passes left out, with a value (for the side that moves) and a kind
    for each move.

    `policy` has the share of each square for each move of each game; without it the move played is the choice, but
    where it was played at random. `scores` are Black's; without them those of the games that were played out.
    """
    moves = np.ascontiguousarray(moves, np.uint8)
    most = int((moves != int(NONE)).sum())
    kinds_of_columns = (np.uint32, np.uint8, np.uint8, np.uint64, np.uint64, np.uint64, np.uint8)
    columns = [np.empty(most, kind) for kind in kinds_of_columns]
    black, white = variant.start_discs().values()
    length = _lay_out(black, white, variant.board, moves, *columns)
    row, ply, turn, own, opp, legal, empties = (column[:length] for column in columns)
    if scores is None:
        table = GameTable(moves, variant)
        scores = np.where(table.over & (table.illegal < 0), table.margins, NO_RESULT)
    score, move = scores[row], moves[row, ply]
    return Rows(
        game=np.asarray(numbers)[row],
        ply=ply,
        turn=turn,
        own=own,
        opp=opp,
        legal=legal,
        empties=empties,
        move=move,
        value=values[row, ply],
        kind=kinds[row, ply],
        result=np.where(score == NO_RESULT, NO_RESULT, np.where(turn == 1, -score, score)),
        policy=_chosen(move) if policy is None else policy[row, ply],
    )


def _chosen(moves: Array) -> Array:
    """All of the choice for one move."""
    policy = np.zeros((len(moves), SQUARES), np.float32)
    policy[np.arange(len(moves)), moves] = 1.0
    return policy
