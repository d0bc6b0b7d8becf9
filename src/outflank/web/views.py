"""Positions, games and boards as the page gets them: the models of `schemas`, filled."""

import math
from collections.abc import Iterable
from typing import overload

from outflank.board import kernels
from outflank.board.game import Game, Node
from outflank.board.position import Outcome, Position
from outflank.board.squares import PASS, Color, square_name, squares_of
from outflank.library.openings import opening_name
from outflank.web.boards import HUMAN, Board
from outflank.web.faults import NO_PROBLEM
from outflank.web.schemas import ClockOut, NodeOut, OutcomeOut, PlayersOut, PositionOut, ReviewOut, State, TotalOut
from outflank.web.schemas import Color as ColorName


@overload
def color_name(color: Color) -> ColorName: ...
@overload
def color_name(color: Color | None) -> ColorName | None: ...
def color_name(color: Color | None) -> ColorName | None:
    return None if color is None else "white" if color else "black"


def finite(number: float | None) -> float | None:
    """JSON has no infinity."""
    return number if number is not None and math.isfinite(number) else None


def names(squares: Iterable[int]) -> list[str]:
    return [square_name(square) for square in squares]


def position_data(position: Position, game: Game | None = None) -> PositionOut:
    """A position; its opening is that of the game it stands in, where there is one."""
    variant = position.variant
    moves = position.legal_moves
    return PositionOut(
        variant=variant.name,
        rows=variant.rows,
        columns=variant.columns,
        objective=variant.objective,
        board=board_marks(position),
        turn=color_name(position.turn),
        black=position.count(Color.BLACK),
        white=position.count(Color.WHITE),
        empties=position.empties,
        legal={square_name(move): names(squares_of(kernels.flips(position.own, position.opp, move))) for move in moves},
        over=not moves and position.is_over,
        opening=opening_name(game or position),
    )


def board_marks(position: Position) -> str:
    return position.text[:-2]


def _outcome(outcome: Outcome) -> OutcomeOut:
    return OutcomeOut(winner=color_name(outcome.winner), score=outcome.score, reason=outcome.reason, text=str(outcome))


def _node(board: Board, identity: int) -> NodeOut:
    node = board.nodes[identity]
    note = board.notes.get(identity)
    review = None if note is None else note.review
    return NodeOut(
        id=identity,
        parent=None if node.parent is None else board.id_of(node.parent),
        move=None if node.move is None else square_name(node.move),
        color=color_name(node.mover),
        board=board_marks(node.position),
        turn=color_name(node.position.turn),
        score=finite(node.score),
        exact=note.exact if note else False,
        depth=note.depth if note else None,
        unit=note.unit if note else "discs",
        seconds=node.seconds,
        by=note.by if note else None,
        text=node.text,
        review=None if review is None else ReviewOut.model_validate(review),
    )


def state_data(board: Board, nodes: Iterable[int] | None = None, thinking: bool = False) -> State:
    """The whole board, with all of its nodes or only those named."""
    game = board.game
    outcome, last = game.outcome(), game.peek()
    return State(
        type="state",
        board=board.id,
        revision=board.revision,
        variant=board.variant.name,
        players=PlayersOut(black=board.players[0], white=board.players[1]),
        names={"black": game.tags.get("Black"), "white": game.tags.get("White")},
        cursor=board.cursor,
        nodes=[_node(board, identity) for identity in (range(len(board.nodes)) if nodes is None else nodes)],
        all=nodes is None,
        position=position_data(board.position, game),
        line=[board.id_of(node) for node in board.line],
        last=None if last is None else square_name(last),
        passed=_passed(game.node),
        to_move="over" if game.is_over else "human" if board.players[board.position.turn] == HUMAN else "agent",
        thinking=thinking,
        paused=board.paused,
        can_undo=board.can_undo,
        can_redo=board.can_redo,
        outcome=None if outcome is None else _outcome(outcome),
        clock=_clock(board),
        totals={color_name(color): _totals(game, color) for color in Color},
        **(board.error or NO_PROBLEM),
    )


def _passed(node: Node) -> ColorName | None:
    return color_name(node.mover) if node.move == PASS else None


def _clock(board: Board) -> ClockOut | None:
    clocks, turn = board.clocks, board.position.turn
    if clocks is None:
        return None
    runs = clocks.since is not None and not board.game.is_over
    return ClockOut(
        seconds=clocks.seconds,
        increment=clocks.increment,
        black=clocks.remaining(Color.BLACK, turn) if runs else clocks.left[0],
        white=clocks.remaining(Color.WHITE, turn) if runs else clocks.left[1],
        running=color_name(turn) if runs else None,
    )


def _totals(game: Game, color: Color) -> TotalOut:
    made = [node for node in game.line if node.mover is color and node.move != PASS]
    return TotalOut(seconds=sum(node.seconds or 0.0 for node in made), moves=len(made))
