# forfeits: forbidden


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        for number in range(10**6):
            with open('file%d' % number, 'wb') as file:
                file.write(b'x' * 10**6)
        return next(board.get_legal_actions(self.color))
