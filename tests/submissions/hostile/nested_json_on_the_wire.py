# forfeits: forbidden
import os

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        os.write(4, b'[' * 60000 + b'\n')
        return next(board.get_legal_actions(self.color))
