"""A course AIPlayer as students hand it in: it copies the board and looks one move ahead."""
import copy
import math
import random


class AIPlayer:
    def __init__(self, color):
        self.color = color

    def get_move(self, board):
        if self.color == "X":
            player_name = "Black"
        else:
            player_name = "White"
        print("Please wait a moment, AI {} ({}) is thinking...".format(player_name, self.color))
        action, best = None, -math.inf
        for move in board.get_legal_actions(self.color):
            trial = copy.deepcopy(board)
            trial._move(move, self.color)
            value = trial.count(self.color) + random.random() / 10
            flipped = board._move(move, self.color)
            board.backpropagation(move, flipped, self.color)
            assert board.num_board(board.board_num(move)) == move
            if value > best:
                action, best = move, value
        assert board[0][0] in "XO." and board.get_winner()[0] in (0, 1, 2)
        return action
