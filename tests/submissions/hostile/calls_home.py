# forfeits: forbidden
import socket

class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        socket.create_connection(('1.1.1.1', 53), timeout=5)
        return next(board.get_legal_actions(self.color))
