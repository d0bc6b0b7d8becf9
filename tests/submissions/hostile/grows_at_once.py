# forfeits: memory
# All that it can get in one moment, before anybody looks.
class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        self.much = [bytearray(b"1") * (64 << 20) for _ in range(15)]
        return next(board.get_legal_actions(self.color))
