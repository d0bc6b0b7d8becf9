# forfeits: memory
# with: memory=40,time=60


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        self.much = []
        while True:
            try:
                self.much.append(bytearray(1024 * 1024))
            except MemoryError:
                pass
