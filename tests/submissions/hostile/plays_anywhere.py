# forfeits: illegal move


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        return 'A1'
