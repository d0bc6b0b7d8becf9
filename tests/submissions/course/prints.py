"""Prints whatever it thinks, to both outputs, and keeps a log."""
import logging
import sys

import numpy as np

logging.basicConfig(level=logging.DEBUG)
COLOR_BLACK = -1
COLOR_WHITE = 1
COLOR_NONE = 0
print("loaded", sys.argv)


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.chessboard_size = chessboard_size
        self.color = color
        self.time_out = time_out
        self.candidate_list = []

    def go(self, chessboard):
        self.candidate_list.clear()
        moves = self.legal(chessboard)
        print("moves:", moves, flush=True)
        print(chessboard, file=sys.stderr)
        logging.debug("candidates %s", self.candidate_list)
        with open("log.txt", "a") as log:
            log.write(str(moves) + "\n")
        self.candidate_list.extend(moves)
        if moves:
            self.candidate_list.append(min(moves, key=lambda move: self.turned(chessboard, *move)))

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


if __name__ == "__main__":
    AI(8, COLOR_BLACK, 5).go(np.zeros((8, 8)))
