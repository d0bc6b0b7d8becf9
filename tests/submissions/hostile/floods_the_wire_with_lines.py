# forfeits: forbidden
import os

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        while True:
            os.write(4, b'{}\n' * 20000)
