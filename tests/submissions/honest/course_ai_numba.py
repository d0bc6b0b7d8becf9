"""A course AI of the years of Python 3.7: numba, np.int, a plain @jit that cannot be compiled."""
import numpy as np
from numba import jit, njit

COLOR_NONE = 0


@njit(cache=True)
def flips(board, color, row, column):
    n = board.shape[0]
    total = 0
    for dr in range(-1, 2):
        for dc in range(-1, 2):
            count = 0
            r, c = row + dr, column + dc
            while 0 <= r < n and 0 <= c < n and board[r, c] == -color:
                count += 1
                r += dr
                c += dc
            if count and 0 <= r < n and 0 <= c < n and board[r, c] == color:
                total += count
    return total


@jit
def candidates(board, color):
    found = {"moves": []}
    for row, column in zip(*np.where(board == COLOR_NONE)):
        if flips(board, color, row, column):
            found["moves"].append((int(row), int(column)))
    return found["moves"]


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.color = color
        self.time_out = time_out
        self.candidate_list = []
        self.weights = np.arange(chessboard_size * chessboard_size, dtype=np.int)
        flips(np.zeros((chessboard_size, chessboard_size), dtype=np.int), color, 0, 0)

    def go(self, chessboard):
        self.candidate_list.clear()
        self.candidate_list = candidates(chessboard, self.color)
        if self.candidate_list:
            self.candidate_list.append(max(self.candidate_list, key=lambda move: -move[0]))
