"""A course AI that thinks until it is stopped: the last candidate counts."""
import random

import numpy as np


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.size = chessboard_size
        self.color = color
        self.candidate_list = []
        self.moves_made = 0

    def go(self, chessboard):
        self.candidate_list.clear()
        self.moves_made += 1
        for row, column in zip(*np.where(chessboard == 0)):
            if self.is_legal(chessboard, row, column):
                self.candidate_list.append((row, column))
        legal = list(self.candidate_list)
        while legal:
            self.candidate_list = self.candidate_list[-50:] + [random.choice(legal)]

    def is_legal(self, chessboard, row, column):
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                r, c, seen = row + dr, column + dc, 0
                while 0 <= r < self.size and 0 <= c < self.size and chessboard[r][c] == -self.color:
                    r, c, seen = r + dr, c + dc, seen + 1
                if seen and 0 <= r < self.size and 0 <= c < self.size and chessboard[r][c] == self.color:
                    return True
        return False
