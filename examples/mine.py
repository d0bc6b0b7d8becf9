"""Heuristics of your own: copy this file, change it, and play it.

    outflank move --agent alphabeta:heuristic=examples/mine.py:edges,depth=6
    outflank explain f5d6c3d3c4 --heuristic examples/mine.py:edges

A heuristic gets three bitboards, numbers with one bit for each square: the discs of the side to move, the discs of the
other side, and the squares of the board. It returns a number; higher is better for the side to move.
"""

from outflank import heuristic
from outflank.features import corners, count, frontier, mobility, square_weights, stable

CENTRE = 0x0000001818000000  # d4, e4, d5, e5: bit 0 is a1, bit 7 is h1, bit 63 is h8


@heuristic
def edges(own, opp, board):
    """The first one to try: more moves than the other side, and corners."""
    return 10 * (mobility(own, opp, board) - mobility(opp, own, board)) + 100 * (
        corners(own, opp, board) - corners(opp, own, board)
    )


def balance(mine, theirs):
    """Helpers may be plain functions: what a heuristic calls is compiled with it."""
    return (mine - theirs) / (mine + theirs) if mine + theirs else 0.0


@heuristic
def quiet(own, opp, board):
    """Few discs on the frontier while the board is empty, stable discs when it fills up."""
    opening = count(board & ~(own | opp)) / count(board)
    calm = balance(frontier(opp, own, board), frontier(own, opp, board))
    safe = stable(own, opp, board) - stable(opp, own, board)
    return 50 * opening * calm + 10 * (1 - opening) * safe + edges(own, opp, board)


tables = square_weights(
    [
        [90, -30, 10, 5, 5, 10, -30, 90],
        [-30, -50, -2, -2, -2, -2, -50, -30],
        [10, -2, 3, 1, 1, 3, -2, 10],
        [5, -2, 1, 0, 0, 1, -2, 5],
        [5, -2, 1, 0, 0, 1, -2, 5],
        [10, -2, 3, 1, 1, 3, -2, 10],
        [-30, -50, -2, -2, -2, -2, -50, -30],
        [90, -30, 10, 5, 5, 10, -30, 90],
    ]
)


@heuristic
def squares(own, opp, board):
    """Square values of your own, on every board size, and a word for the middle."""
    return tables(own, opp, board) - tables(opp, own, board) + count(own & CENTRE) - count(opp & CENTRE)


@heuristic(objective="fewest")
def give_away(own, opp, board):
    """Made for Reversed Reversi, where fewest discs win: in standard Othello it counts the other way round."""
    return count(opp) - count(own) - 20 * (corners(own, opp, board) - corners(opp, own, board))
