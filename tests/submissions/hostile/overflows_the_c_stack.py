# forfeits: crash|memory
# with: memory=40,time=60
import sys

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        sys.setrecursionlimit(10**9)
        thing = None
        for _ in range(10**6):
            thing = [thing]
        repr(thing)
        return next(board.get_legal_actions(self.color))
