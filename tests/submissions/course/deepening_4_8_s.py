"""Deepens until 4.8 s are over, whatever it is told, and improves its last candidate as it goes."""
import time

import numpy as np

COLOR_BLACK = -1
COLOR_WHITE = 1
COLOR_NONE = 0
TIME = 4.8


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.chessboard_size = chessboard_size
        self.color = color
        self.time_out = time_out
        self.candidate_list = []

    def go(self, chessboard):
        start = time.time()
        self.candidate_list.clear()
        moves = self.legal(chessboard)
        self.candidate_list = moves
        depth = 1
        while len(moves) > 1 and time.time() - start < TIME:
            values = [self.look(chessboard, move, depth, start) for move in set(moves)]
            self.candidate_list.append(sorted(zip(values, set(moves)))[0][1])
            if len(self.candidate_list) > 900:
                break
            depth += 1

    def look(self, board, move, depth, start):
        value = self.turned(board, *move)
        for _ in range(200 * depth):
            if time.time() - start > TIME:
                break
            value += 0.0001
        return value

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
