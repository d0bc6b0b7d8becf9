"""A player for the course interface `AI`, as students hand it in, and as `outflank check` and `py:` take it unchanged.

Reversed Reversi: it plays the move after which the opponent has the fewest discs to be turned, and never a corner
while there is another move.
"""

import numpy as np

COLOR_NONE = 0
DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


class AI(object):  # noqa: UP004 (as the course writes it)
    def __init__(self, chessboard_size, color, time_out):
        self.chessboard_size = chessboard_size
        self.color = color
        self.time_out = time_out
        self.candidate_list = []

    def go(self, chessboard):
        self.candidate_list.clear()
        moves = []
        for row, column in np.argwhere(chessboard == COLOR_NONE):
            turned = self.turned(chessboard, row, column)
            if turned:
                moves.append((turned, (int(row), int(column))))
        # All legal moves first; the last one in the list is played.
        self.candidate_list.extend(move for _, move in moves)
        last = self.chessboard_size - 1
        corners = {(0, 0), (0, last), (last, 0), (last, last)}
        if moves:
            self.candidate_list.append(min(moves, key=lambda one: (one[1] in corners, one[0], one[1]))[1])

    def turned(self, chessboard, row, column):
        """How many discs a move turns."""
        total = 0
        for down, right in DIRECTIONS:
            r, c, seen = row + down, column + right, 0
            while self.inside(r, c) and chessboard[r][c] == -self.color:
                r, c, seen = r + down, c + right, seen + 1
            if seen and self.inside(r, c) and chessboard[r][c] == self.color:
                total += seen
        return total

    def inside(self, row, column):
        return 0 <= row < self.chessboard_size and 0 <= column < self.chessboard_size
