# forfeits: time
# with: start=1
while True:
    pass


class AIPlayer:
    def __init__(self, color):
        pass

    def get_move(self, board):
        return 'D3'
