# forfeits: time
import numpy as np


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.color = color
        self.candidate_list = []

    def go(self, chessboard):
        self.candidate_list.clear()
        class Trap(list):
            def __len__(self):
                while True:
                    pass

        self.candidate_list = Trap()
