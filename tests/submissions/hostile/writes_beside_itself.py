# forfeits: forbidden|crash


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        open('/usr/share/outflank-was-here', 'w').write('here')
        return next(board.get_legal_actions(self.color))
