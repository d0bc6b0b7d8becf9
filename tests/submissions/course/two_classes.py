"""The player has a name of its own, and a helper class beside it."""
import numpy as np

COLOR_BLACK = -1
COLOR_WHITE = 1
COLOR_NONE = 0


class Node:
    def __init__(self, board):
        self.board = board

    def expand(self):
        return self.board


class Reversi(object):
    def __init__(self, chessboard_size, color, time_out):
        self.chessboard_size = chessboard_size
        self.color = color
        self.time_out = time_out
        self.candidate_list = []

    def go(self, chessboard):
        self.candidate_list.clear()
        moves = self.legal(chessboard)
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
