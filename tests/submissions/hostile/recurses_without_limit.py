# forfeits: crash|memory
# with: memory=40,time=60
import sys

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        sys.setrecursionlimit(10**9)
        return self.get_move(board)
