# Reads options that nobody gave, and gives its search up by func_timeout.
import argparse
import random

import func_timeout
from func_timeout.exceptions import FunctionTimedOut

parser = argparse.ArgumentParser()
parser.add_argument("--depth", type=int, default=3)
options = parser.parse_args()


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.size = chessboard_size
        self.color = color
        self.candidate_list = []

    def legal(self, board, row, column):
        if board[row][column] != 0:
            return False
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                at, to, met = row + down, column + right, False
                while 0 <= at < self.size and 0 <= to < self.size and board[at][to] == -self.color:
                    at, to, met = at + down, to + right, True
                if met and 0 <= at < self.size and 0 <= to < self.size and board[at][to] == self.color:
                    return True
        return False

    @func_timeout.func_set_timeout(0.02)
    def search(self, depth):
        while depth:
            depth = depth + 1

    def go(self, chessboard):
        squares = [(row, column) for row in range(self.size) for column in range(self.size)]
        self.candidate_list = [square for square in squares if self.legal(chessboard, *square)]
        try:
            self.search(options.depth)
        except FunctionTimedOut:
            pass
        except func_timeout.exceptions.FunctionTimedOut:
            raise AssertionError
        if self.candidate_list:
            self.candidate_list.append(random.choice(self.candidate_list))
