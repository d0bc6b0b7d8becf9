"""Positions, games and boards as the page gets them: plain data for JSON, as `schemas` types it."""

import math
from collections.abc import Iterable
from typing import Any

from outflank.board import kernels
from outflank.board.game import Game, Node
from outflank.board.position import Outcome, Position
from outflank.board.squares import PASS, Color, square_name, squares_of
from outflank.library.openings import opening_name
from outflank.web.boards import HUMAN, Board


def color_name(color: Color | None) -> str | None:
    return None if color is None else str(color).lower()


def finite(number: float | None) -> float | None:
    """JSON has no infinity."""
    return number if number is not None and math.isfinite(number) else None


def names(squares: Iterable[int]) -> list[str]:
    return [square_name(square) for square in squares]


def position_data(position: Position) -> dict[str, Any]:
    """A position with its legal moves and what each of them turns."""
    variant = position.variant
    moves = position.legal_moves
    return {
        "variant": variant.name,
        "rows": variant.rows,
        "columns": variant.columns,
        "objective": variant.objective,
        "board": board_marks(position),
        "turn": color_name(position.turn),
        "black": position.count(Color.BLACK),
        "white": position.count(Color.WHITE),
        "empties": position.empties,
        "legal": {
            square_name(move): names(squares_of(kernels.flips(position.own, position.opp, move))) for move in moves
        },
        "over": not moves and position.is_over,
        "opening": opening_name(position),
    }


def board_marks(position: Position) -> str:
    return position.text[:-2]


def outcome_data(outcome: Outcome | None) -> dict[str, Any] | None:
    if outcome is None:
        return None
    return {
        "winner": color_name(outcome.winner),
        "score": outcome.score,
        "reason": outcome.reason,
        "text": str(outcome),
    }


def node_data(board: Board, identity: int) -> dict[str, Any]:
    node = board.nodes[identity]
    note = board.notes.get(identity)
    review = None if note is None else note.review
    return {
        "id": identity,
        "parent": None if node.parent is None else board.id_of(node.parent),
        "move": None if node.move is None else square_name(node.move),
        "color": color_name(node.mover),
        "board": board_marks(node.position),
        "turn": color_name(node.position.turn),
        "score": finite(node.score),
        "exact": note.exact if note else False,
        "depth": note.depth if note else None,
        "unit": note.unit if note else "discs",
        "seconds": node.seconds,
        "by": note.by if note else None,
        "text": node.text,
        "review": None
        if review is None
        else {
            "value": finite(review.value),
            "loss": finite(review.loss),
            "best": review.best,
            "best_line": list(review.best_line),
            "exact": review.exact,
            "depth": review.depth,
            "unit": review.unit,
            "mark": review.mark,
            "black": finite(review.black),
        },
    }


def state_data(board: Board, nodes: Iterable[int] | None = None, thinking: bool = False) -> dict[str, Any]:
    """The whole board, with all of its nodes or only those named."""
    game = board.game
    return {
        "type": "state",
        "board": board.id,
        "revision": board.revision,
        "variant": board.variant.name,
        "players": {"black": board.players[0], "white": board.players[1]},
        "cursor": board.cursor,
        "nodes": [node_data(board, identity) for identity in (range(len(board.nodes)) if nodes is None else nodes)],
        "all": nodes is None,
        "position": {**position_data(board.position), "opening": opening_name(game)},
        "line": [board.id_of(node) for node in board.line],
        "last": None if game.peek() is None else square_name(game.peek() or 0),
        "passed": _passed(game.node),
        "to_move": _to_move(board),
        "thinking": thinking,
        "paused": board.paused,
        "can_undo": board.can_undo,
        "can_redo": board.can_redo,
        "outcome": outcome_data(game.outcome()),
        "clock": _clock_data(board),
        "totals": {color_name(color): _totals(game, color) for color in Color},
        "error": board.error,
    }


def _passed(node: Node) -> str | None:
    return color_name(node.mover) if node.move == PASS else None


def _to_move(board: Board) -> str:
    if board.game.is_over:
        return "over"
    return "human" if board.players[board.position.turn] == HUMAN else "agent"


def _clock_data(board: Board) -> dict[str, Any] | None:
    clocks, turn = board.clocks, board.position.turn
    if clocks is None:
        return None
    runs = clocks.since is not None and not board.game.is_over
    return {
        "seconds": clocks.seconds,
        "increment": clocks.increment,
        "black": clocks.remaining(Color.BLACK, turn) if runs else clocks.left[0],
        "white": clocks.remaining(Color.WHITE, turn) if runs else clocks.left[1],
        "running": color_name(turn) if runs else None,
    }


def _totals(game: Game, color: Color) -> dict[str, Any]:
    made = [node for node in game.line if node.mover is color and node.move != PASS]
    return {"seconds": sum(node.seconds or 0.0 for node in made), "moves": len(made)}
