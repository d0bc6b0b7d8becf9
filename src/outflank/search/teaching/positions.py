"""Othello positions as small trees that are written out, for the searches of `teaching`: alpha-beta and minimax step by
step on the real game, with a heuristic's values at the leaves."""

from collections.abc import Callable

from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.errors import Fault
from outflank.search.limits import FINISHED
from outflank.search.teaching.trees import Node

Value = Callable[[Position], float]
"""A position's value for its side to move."""
DIGITS = "123456789abcdefghijklmnopqrstuvwxyz"
"""Children are numbered by one sign each, so that an id is its parent's and one sign more."""
MOST_NODES = 4000


def position_tree(position: Position, depth: int, value: Value, width: int | None = None) -> Node:
    """Every line of `depth` plies, or of the `width` best moves by the value one ply ahead. A pass is a ply.

    Values are the root's view, as `teaching` wants them.
    """
    count = 0

    def worth(position: Position, mine: bool) -> float:
        outcome = position.outcome()
        if outcome is None:
            own = value(position)
        else:
            own = float(outcome.margin(position.turn) or 0)
            own += FINISHED if own > 0 else -FINISHED if own < 0 else 0.0
        return (own if mine else -own) + 0.0  # no -0.0

    def grown(name: str, here: Position, led: int | None, left: int, mine: bool) -> Node:
        nonlocal count
        count += 1
        if count > MOST_NODES:
            raise Fault("lesson.tree-too-large", most=MOST_NODES)
        if left == 0 or here.is_over:
            return Node(name, worth(here, mine), (), here, led)
        children = tuple(
            grown(name + digit, here.play(move), move, left - 1, not mine)
            for digit, move in zip(DIGITS, chosen(here, mine), strict=False)
        )
        return Node(name, None, children, here, led)

    def chosen(here: Position, mine: bool) -> list[int]:
        moves = list(here.legal_moves) or [PASS]
        if width is None or len(moves) <= width:
            return moves
        best = sorted(moves, key=lambda move: worth(here.play(move), not mine), reverse=mine)[:width]
        return [move for move in moves if move in best]

    return grown("A", position, None, depth, True)
