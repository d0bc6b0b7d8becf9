# forfeits: time
# with: start=1
class AIPlayer:
    def __init__(self, color):
        while True:
            pass

    def get_move(self, board):
        return 'D3'
