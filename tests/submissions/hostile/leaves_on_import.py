# forfeits: crash
import os

os._exit(0)


class AIPlayer:
    def get_move(self, board):
        return 'D3'
