# forfeits: crash
# Whom the system kills within its quota is not at fault: a limit of one's own would see to that.
import resource


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
        while True:
            pass
