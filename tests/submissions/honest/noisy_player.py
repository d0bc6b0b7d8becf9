"""Prints far more than it should, which is no reason to lose, and leaves threads that never rest."""
import sys
import threading


def spin():
    while True:
        pass


class AIPlayer:
    def __init__(self, color):
        self.color = color
        threading.Thread(target=spin, daemon=True).start()

    def get_move(self, board):
        print("x" * 10**6)
        sys.stderr.write("y" * 10**6)
        return sorted(board.get_legal_actions(self.color))[0]
