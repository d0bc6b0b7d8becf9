"""Counting the game tree: the classic test of a move generator."""

from outflank.board import kernels
from outflank.board.position import Position
from outflank.board.squares import PASS

UNINTERRUPTED = 9
"""Plies counted in one compiled call: some hundredths of a second, so that Ctrl-C is heard in between."""


def perft(position: Position, depth: int) -> int:
    """The leaves at a depth: a pass is one ply, a finished game counts once."""
    if depth <= UNINTERRUPTED:
        return kernels.perft(position.own, position.opp, position.variant.board, depth)
    if position.is_over:
        return 1
    return sum(perft(position.play(move), depth - 1) for move in position.legal_moves or (PASS,))
