# forfeits: memory
# with: memory=40,time=60
MUCH = [bytearray(10**6) for _ in range(10**4)]


class AIPlayer:
    def __init__(self, color):
        pass

    def get_move(self, board):
        return 'D3'
