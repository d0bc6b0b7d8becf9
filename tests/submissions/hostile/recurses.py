# forfeits: crash


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        return self.get_move(board)
