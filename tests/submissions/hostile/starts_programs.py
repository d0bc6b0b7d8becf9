# forfeits: forbidden
import subprocess

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        subprocess.Popen(['/bin/sh', '-c', 'sleep 1000'])
        while True:
            pass
