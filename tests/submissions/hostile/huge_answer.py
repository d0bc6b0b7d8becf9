# forfeits: memory|illegal move
# with: memory=40,time=60


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        return 'D' * 10**9
