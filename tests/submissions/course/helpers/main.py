"""A player with its modules beside it, one of them in a folder, and a table in a file."""
import json

import numpy as np
from Chessboard import Chessboard
from tools.weights import weight

with open("table.json") as file:
    TABLE = json.load(file)


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.board = Chessboard(chessboard_size, color)
        self.candidate_list = []

    def go(self, chessboard):
        self.candidate_list.clear()
        moves = self.board.legal(chessboard)
        self.candidate_list.extend(moves)
        if moves:
            self.candidate_list.append(max(moves, key=lambda move: weight(TABLE, *move)))
