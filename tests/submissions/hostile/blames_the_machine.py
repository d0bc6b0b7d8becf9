# forfeits: crash
# A game that the machine did not let happen is played again, and never lost.
import sys


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        raise sys.modules["outflank.agents.sandbox.guest"].MachineFailed("no room")
