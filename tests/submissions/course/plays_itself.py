"""Tries itself in the course's own game, when it is imported."""
import random

from board import Board
from game import Game


class RandomPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        return random.choice(list(board.get_legal_actions(self.color)))


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        assert isinstance(board, Board)
        return max(board.get_legal_actions(self.color), key=lambda action: len(board._can_fliped(action, self.color)))


game = Game(AIPlayer("X"), RandomPlayer("O"))
game.run()
assert game.game_over() and game.board.count(".") < 40
