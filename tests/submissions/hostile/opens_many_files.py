# forfeits: forbidden


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        self.files = [open('/dev/null') for _ in range(10**5)]
        return next(board.get_legal_actions(self.color))
