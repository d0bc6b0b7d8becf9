# forfeits: time
from numba import njit


@njit
def forever():
    number = 0
    while True:
        number += 1
        if number < 0:
            return number


class AIPlayer:
    def __init__(self, color):
        pass

    def get_move(self, board):
        return forever()
