"""Nothing is compiled before the first move is asked for."""
import numba
import numpy as np
from numba import jit, njit
from numba.errors import NumbaDeprecationWarning

numba.set_num_threads(4)

COUNT = 0


@njit
def moves_of(board, color):
    n = board.shape[0]
    found = []
    for row in range(n):
        for column in range(n):
            if board[row, column] == 0 and turned(board, color, row, column) > 0:
                found.append((row, column))
    return found


@njit
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


@njit
def rollout(board, color, row, column, turns):
    value = 0.0
    for turn in range(turns):
        value += turned(board, color, row, column) / (1.0 + turn)
    return value


@jit(nopython=False)
def mixed(values):
    return {str(value): value for value in values}.get("1", [None])


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.color = color
        self.candidate_list = []
        self.asked = 0

    def go(self, chessboard):
        global COUNT
        COUNT += 1
        self.asked += 1
        assert COUNT == self.asked, "somebody else has asked"
        self.candidate_list.clear()
        moves = moves_of(chessboard, self.color)
        self.candidate_list.extend(moves)
        assert mixed([1, 2.5, "x"]) == 1
        if len(moves):
            values = [rollout(chessboard, self.color, row, column, 1000) for row, column in moves]
            self.candidate_list.append(moves[int(np.argmin(values))])
