# forfeits: forbidden


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        with open('file', 'wb') as file:
            for _ in range(10**4):
                file.write(b'x' * 10**6)
        return next(board.get_legal_actions(self.color))
