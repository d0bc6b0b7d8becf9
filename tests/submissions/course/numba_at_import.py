"""Compiled with signatures while it is imported; its search holds the interpreter and runs 4.8 s."""
import time

import numpy as np
from numba import int64, njit

@njit("int64(int64[:, :], int64, int64, int64)")
def turned(board, color, row, column):
    n = board.shape[0]
    total = 0
    for dr in range(-1, 2):
        for dc in range(-1, 2):
            r, c, count = row + dr, column + dc, 0
            while 0 <= r < n and 0 <= c < n and board[r, c] == -color:
                r, c, count = r + dr, c + dc, count + 1
            if count > 0 and 0 <= r < n and 0 <= c < n and board[r, c] == color:
                total += count
    return total


@njit(int64(int64[:, :], int64, int64, int64, int64))
def spin(board, color, row, column, turns):
    value = 0
    for turn in range(turns):
        value = (value * 31 + turned(board, color, row, column) + turn) % 1000003
    return value


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.color = color
        self.candidate_list = []

    def go(self, chessboard):
        start = time.time()
        self.candidate_list.clear()
        n = chessboard.shape[0]
        moves = [(r, c) for r in range(n) for c in range(n)
                 if chessboard[r, c] == 0 and turned(chessboard, self.color, r, c)]
        self.candidate_list = self.candidate_list + moves
        turns = 1000
        while moves and time.time() - start < 4.8:
            values = [spin(chessboard, self.color, row, column, turns) for row, column in moves]
            self.candidate_list.append(moves[int(np.argmax(values))])
            turns *= 4
