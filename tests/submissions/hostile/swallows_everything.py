# forfeits: time


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
