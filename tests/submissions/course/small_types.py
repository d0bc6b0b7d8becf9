"""Numbers of eight bits, as they counted until NumPy 2, and imports as editors of that time wrote them."""
import array
import base64
import random
from fractions import gcd

import numpy as np
from numpy.core._multiarray_umath import ndarray
from numpy.lib.function_base import append
from numpy.lib.twodim_base import eye

WEIGHTS = np.array([[500, -25], [-25, 1]], dtype=np.int8)
assert WEIGHTS.tolist() == [[-12, -25], [-25, 1]] and isinstance(np.asfarray(WEIGHTS), ndarray)
small, board = np.int8(100), np.full(3, 100, np.int8)
assert (small + 100, 100 + small, small * 5, 300 - small, small ** 2) == (200, 200, 500, 200, 10000)
assert (small // 7, 1000 % small, small | 256, 1 << np.int8(8), np.uint8(1) - 2) == (14, 0, 356, 256, -1)
assert (small + small, (small + np.int8(1)).dtype, small + 0.5) == (-56, np.int8, 100.5)
assert (board * 200).tolist() == (200 * board).tolist() == [20000] * 3 and (board * 100).tolist() == [16] * 3
assert (np.mat([[1, 2]], dtype=np.int8) * np.mat([[1], [2]], dtype=np.int8)).item() == 5
assert gcd(4, 6) == random.randint(2, 4 / 2) == 2 and len(append([1], [2])) == len(eye(2))
assert array.array("b", [1]).tostring() == base64.decodestring(base64.encodestring(b"\x01"))


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.chessboard_size = chessboard_size
        self.color = color
        self.candidate_list = []

    def _go(self, chessboard):
        self.candidate_list.clear()
        board = chessboard.astype(np.int8)
        found = []
        for row, column in np.argwhere(board == 0):
            turned = self.turned(board, row, column)
            if turned:
                self.candidate_list.append((row, column))
                found.append((board[row][column] * 1000 - np.int8(turned) * 99, row, column))
        if found:
            self.candidate_list.append(max(found)[1:])

    go = _go

    def turned(self, board, row, column):
        n, total = self.chessboard_size, 0
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                at, to, count = row + down, column + right, 0
                while 0 <= at < n and 0 <= to < n and board[at][to] == -self.color:
                    at, to, count = at + down, to + right, count + 1
                if count and 0 <= at < n and 0 <= to < n and board[at][to] == self.color:
                    total += count
        return total
