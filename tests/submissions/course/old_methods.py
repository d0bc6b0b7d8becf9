"""What arrays, threads and chance could do in the years of Python 3.7 and NumPy 1.17."""
import random
import threading

import numpy as np

np.warnings.filterwarnings("ignore", category=np.VisibleDeprecationWarning)
seen = {}


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.chessboard_size = chessboard_size
        self.color = color
        self.time_out = time_out
        self.candidate_list = []

    def go(self, chessboard):
        self.candidate_list.clear()
        key = chessboard.tostring()
        seen[key] = seen.get(key, 0) + np.math.sqrt(chessboard.ptp())
        board = np.fromstring(key, dtype=int).reshape(chessboard.shape)
        board.itemset((0, 0), board[0][0])
        moves = self.legal(board)
        lines = np.array([[move, [0] * number] for number, move in enumerate(moves)] + [[0, 1, 2]])
        assert len(lines) == len(moves) + 1
        found = []
        thread = threading.Thread(target=lambda: found.extend(random.sample(set(moves), len(moves))))
        thread.start()
        while thread.isAlive():
            pass
        random.shuffle(found, random.random)
        self.candidate_list.extend(found)

    def legal(self, board):
        found = []
        for row, column in np.argwhere(board == 0):
            if any(self.turns(board, row, column, dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if dr or dc):
                found.append((row, column))
        return found

    def turns(self, board, row, column, dr, dc):
        n, count = self.chessboard_size, 0
        r, c = row + dr, column + dc
        while 0 <= r < n and 0 <= c < n and board[r][c] == -self.color:
            r, c, count = r + dr, c + dc, count + 1
        return count and 0 <= r < n and 0 <= c < n and board[r][c] == self.color
