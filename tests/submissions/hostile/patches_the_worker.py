# forfeits: illegal move
import sys

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        interfaces = sys.modules["outflank.agents.sandbox.interfaces"]
        interfaces.CoursePlayer.decide = lambda self, request: {"square": 0}
        return "A9"
