# forfeits: crash
import ctypes

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        ctypes.string_at(0)
