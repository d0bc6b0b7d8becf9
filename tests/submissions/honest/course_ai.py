"""A course AI as students hand it in: numpy, all candidates first, then its decision."""
import random
import time

import numpy as np

COLOR_BLACK = -1
COLOR_WHITE = 1
COLOR_NONE = 0
random.seed(0)


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.chessboard_size = chessboard_size
        self.color = color
        self.time_out = time_out
        self.candidate_list = []

    def go(self, chessboard):
        start = time.time()
        self.candidate_list.clear()
        index = np.where(chessboard == COLOR_NONE)
        for row, column in list(zip(index[0], index[1])):
            if self.flipped(chessboard, row, column):
                self.candidate_list.append((row, column))
        best, fewest = None, 1000
        for row, column in list(self.candidate_list):
            number = len(self.flipped(chessboard, row, column))
            if number < fewest:
                best, fewest = (row, column), number
        print("thinking took", time.time() - start)
        if best is not None:
            self.candidate_list.append(best)

    def flipped(self, chessboard, row, column):
        found = []
        for dr in (-1, 0, 1):
            for dc in (-1, 0, 1):
                line = []
                r, c = row + dr, column + dc
                while 0 <= r < self.chessboard_size and 0 <= c < self.chessboard_size:
                    if chessboard[r][c] != -self.color:
                        break
                    line.append((r, c))
                    r, c = r + dr, c + dc
                else:
                    continue
                if chessboard[r][c] == self.color:
                    found += line
        return found
