# forfeits: crash
import os
import time

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        os.closerange(0, 1000)
        while True:
            time.sleep(1)
