"""Othello positions as small trees that are written out, for the searches of `teaching`: alpha-beta and minimax step by
step on the real game, with a heuristic's values at the leaves."""

from collections.abc import Callable
from dataclasses import dataclass, field

from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.errors import Fault
from outflank.search.teaching.trees import Node

Value = Callable[[Position], float]
"""A position's value for its side to move."""
DIGITS = "123456789abcdefghijklmnopqrstuvwxyz"
"""Children are numbered by one sign each, so that an id is its parent's and one sign more."""
WIN = 1e9
"""A finished game is worth this and its margin, as in the searches that play."""
MOST_NODES = 4000


@dataclass
class PositionTree:
    """A tree, and what its nodes stand for."""

    root: Node
    positions: dict[str, Position] = field(default_factory=dict)
    moves: dict[str, int] = field(default_factory=dict)
    """The move that led to each node but the root."""


def position_tree(position: Position, depth: int, value: Value, width: int | None = None) -> PositionTree:
    """Every line of `depth` plies, or of the `width` best moves by the value one ply ahead. A pass is a ply.

    Values are the root's view, as `teaching` wants them.
    """
    found = PositionTree(Node("A"))

    def worth(position: Position, mine: bool) -> float:
        outcome = position.outcome()
        if outcome is None:
            own = value(position)
        else:
            score = outcome.score or 0
            own = (score if not position.turn else -score) * 1.0
            own += WIN if own > 0 else -WIN if own < 0 else 0.0
        return (own if mine else -own) + 0.0  # no -0.0

    def grown(name: str, here: Position, left: int, mine: bool) -> Node:
        found.positions[name] = here
        if len(found.positions) > MOST_NODES:
            raise Fault("lesson.tree-too-large", most=MOST_NODES)
        if left == 0 or here.is_over:
            return Node(name, worth(here, mine))
        children = []
        for digit, move in zip(DIGITS, chosen(here, mine), strict=False):
            found.moves[name + digit] = move
            children.append(grown(name + digit, here.play(move), left - 1, not mine))
        return Node(name, None, tuple(children))

    def chosen(here: Position, mine: bool) -> list[int]:
        moves = list(here.legal_moves) or [PASS]
        if width is None or len(moves) <= width:
            return moves
        best = sorted(moves, key=lambda move: worth(here.play(move), not mine), reverse=mine)[:width]
        return [move for move in moves if move in best]

    found.root = grown("A", position, depth, True)
    return found
