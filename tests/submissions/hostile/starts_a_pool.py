# forfeits: forbidden: it may not start processes
from multiprocessing import Pool


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        with Pool(2) as pool:
            return pool.map(str, board.get_legal_actions(self.color))[0]
