"""A player for the course interface `AIPlayer` (miniAlphaGo for Reversi): it takes the most discs it can."""

import random


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        best, best_count = None, -1
        for move in board.get_legal_actions(self.color):
            flipped = board._move(move, self.color)
            count = len(flipped) + random.random() / 2
            board.backpropagation(move, flipped, self.color)
            if count > best_count:
                best, best_count = move, count
        return best
