# forfeits: forbidden
import os
import pickle

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        class Bomb:
            def __reduce__(self):
                return os.system, ('touch /tmp/outflank-was-here',)

        os.write(4, pickle.dumps(Bomb()) + b'\n')
        return next(board.get_legal_actions(self.color))
