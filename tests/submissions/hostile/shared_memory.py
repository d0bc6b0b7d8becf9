# forfeits: forbidden
import mmap

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        self.much = mmap.mmap(-1, 10 * 1024**3)
        return next(board.get_legal_actions(self.color))
