# forfeits: crash
import os

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        os._exit(0)
