# forfeits: crash
import sys

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        sys.exit(0)
