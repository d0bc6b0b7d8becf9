# forfeits: forbidden
import threading
import time

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        while True:
            threading.Thread(target=time.sleep, args=(1000,)).start()
