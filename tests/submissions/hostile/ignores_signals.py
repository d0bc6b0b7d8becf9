# forfeits: time
import signal

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            pass
