"""Whole games between heuristics in compiled code, each move by the alpha-beta search that the players use.

Given the same openings and depth, such a game is the one that `alphabeta:heuristic=…,depth=…` plays in the arena.
"""

from typing import Any

import numpy as np

from outflank.board.compiled import int64, kernel, uint64
from outflank.board.kernels import NONE, ONE, ZERO, final_margin, legal_moves, mix, random_word
from outflank.board.memory import address_of, load_atomic, stack_words
from outflank.board.vectors import lowest
from outflank.learning.games.loops import THOUSAND, any_of, board_at, moves_at, play_at, play_at_random
from outflank.search.trees.kernels import desk_at, search_root

Array = Any


@kernel("void(uint64, uint64, uint64, uint64, uint64, uint64, uint8[:, ::1])")
def open_games(own: int, opp: int, board: int, plies: int, seed: int, first: int, moves: Array) -> None:
    """Random openings, numbered from `first`: so many plies, after which the game is not over."""
    dice, reached = stack_words(1), board_at(address_of(stack_words(3)))
    for row in range(moves.shape[0]):
        dice[ZERO] = mix(seed * uint64(0x9E3779B97F4A7C15) + first + uint64(row))
        while True:
            reached.own, reached.opp, reached.turn = own, opp, ZERO
            moves[row, :] = np.uint8(NONE)
            play_at_random(board, plies, dice, moves[row], reached)
            if legal_moves(reached.own, reached.opp, board) | legal_moves(reached.opp, reached.own, board):
                break


@kernel("uint64(uint64, uint64, uint64, uint64, int64, uint64[::1], float64[::1])")
def _searched(address: int, own: int, opp: int, legal: int, depth: int, order: Array, values: Array) -> int:
    """The best move after so many plies."""
    if legal & (legal - ONE) == ZERO:
        return lowest(legal)
    desk = desk_at(address)
    length = int64(0)
    rest = legal
    while rest:
        order[length] = lowest(rest)
        rest &= rest - ONE
        length += int64(1)
    desk.nodes = ZERO
    search_root(address, own, opp, depth, order[:length], values)
    return desk.plies[ZERO].line[ZERO]


@kernel("void(uint64, uint64, int64, uint64, uint64, uint64, uint64, uint8[::1], uint8[:, ::1], int64[::1])")
def play_heuristics(
    first: int,
    second: int,
    depth: int,
    own: int,
    opp: int,
    strays: int,
    seed: int,
    exchanged: Array,
    moves: Array,
    scores: Array,
) -> None:
    """Plays a game for each row of moves, which holds its opening; scores are those of the player `first`.

    `first` moves first where a row is not exchanged. So many moves in a thousand are random ones (`strays`).
    """
    dice = stack_words(1)
    order, values = np.empty(64, np.uint64), np.empty(64, np.float64)
    desk = desk_at(first)
    board = desk.board
    sign = int64(-1) if desk.reversed else int64(1)
    at = board_at(address_of(stack_words(3)))
    for row in range(moves.shape[0]):
        dice[ZERO] = mix(seed * uint64(0x9E3779B97F4A7C15) + uint64(row))
        at.own, at.opp, at.turn, ply = own, opp, ZERO, ZERO
        opening = uint64(moves[row, 0]) != NONE
        while True:
            legal = moves_at(board, at)
            if legal == ZERO:
                break
            if opening:
                square = uint64(moves[row, ply])
            elif strays and random_word(dice) % THOUSAND < strays:
                square = any_of(legal, dice)
            else:
                searcher = second if at.turn ^ uint64(exchanged[row]) else first
                square = _searched(searcher, at.own, at.opp, legal, depth, order, values)
            if load_atomic(desk.stop):
                return
            play_at(square, at)
            moves[row, ply] = square
            ply += ONE
            opening = opening and uint64(moves[row, ply]) != NONE
        margin = sign * final_margin(at.own, at.opp, board)
        scores[row] = -margin if at.turn ^ uint64(exchanged[row]) else margin
