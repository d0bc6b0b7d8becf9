"""Names of the NumPy and the Python of 2019."""
import collections
import time

import numpy as np
from func_timeout import FunctionTimedOut, func_set_timeout, func_timeout

COLOR_BLACK = -1
COLOR_WHITE = 1
COLOR_NONE = 0
INFINITY = np.PINF
WEIGHTS = np.mat(np.arange(64).reshape(8, 8))


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.chessboard_size = chessboard_size
        self.color = color
        self.time_out = time_out
        self.candidate_list = []
        self.start = time.clock()
        self.table = np.zeros((chessboard_size, chessboard_size), dtype=np.int)
        assert isinstance(self.candidate_list, collections.Iterable)
        assert np.isnan(np.NAN) and np.asscalar(np.array([7])) == 7
        try:
            func_timeout(0.05, time.sleep, args=(60,))
        except FunctionTimedOut:
            pass

    def go(self, chessboard):
        self.candidate_list = []
        moves = self.legal(chessboard)
        self.candidate_list.extend(moves)
        best, chosen = np.NINF, None
        for row, column in moves:
            value = float(np.array([-self.rated(chessboard, row, column)]))
            if value > best:
                best, chosen = value, (int(np.array([[row]])), column)
        if chosen:
            self.candidate_list.append(chosen)

    @func_set_timeout(3)
    def rated(self, chessboard, row, column):
        return np.float(self.turned(chessboard, row, column)) + self.table[row, column]

    def legal(self, board):
        found = []
        for row in range(self.chessboard_size):
            for column in range(self.chessboard_size):
                if board[row][column] == COLOR_NONE and self.turned(board, row, column):
                    found.append((row, column))
        return found

    def turned(self, board, row, column):
        n, total = self.chessboard_size, 0
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            r, c, count = row + dr, column + dc, 0
            while 0 <= r < n and 0 <= c < n and board[r][c] == -self.color:
                r, c, count = r + dr, c + dc, count + 1
            if count and 0 <= r < n and 0 <= c < n and board[r][c] == self.color:
                total += count
        return total
