"""Positions, games and boards as the page gets them: the models of `schemas`, filled."""

from collections.abc import Iterable
from typing import overload

from outflank.board import kernels
from outflank.board.game import Game, Node
from outflank.board.position import Outcome, Position
from outflank.board.squares import PASS, Color, square_name, squares_of
from outflank.library.judging import Cost, turning_point
from outflank.library.openings import in_opening, opening_name
from outflank.search.limits import Report
from outflank.web.boards import HUMAN, Board
from outflank.web.faults import NO_PROBLEM
from outflank.web.notes import Note, Thought
from outflank.web.schemas import ClockOut, NodeOut, OutcomeOut, PositionOut, Proposed, State, Thinking, TotalOut
from outflank.web.schemas import Color as ColorName


@overload
def color_name(color: Color) -> ColorName: ...
@overload
def color_name(color: Color | None) -> ColorName | None: ...
def color_name(color: Color | None) -> ColorName | None:
    return None if color is None else "white" if color else "black"


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
        in_opening=in_opening(position),
    )


def board_marks(position: Position) -> str:
    return position.text[:-2]


def outcome_data(outcome: Outcome) -> OutcomeOut:
    return OutcomeOut(winner=color_name(outcome.winner), score=outcome.score, reason=outcome.reason, text=str(outcome))


def _node(board: Board, identity: int) -> NodeOut:
    node = board.nodes[identity]
    note = board.notes.get(identity) or Note()
    return NodeOut(
        id=identity,
        parent=None if node.parent is None else board.id_of(node.parent),
        move=None if node.move is None else square_name(node.move),
        color=color_name(node.mover),
        board=board_marks(node.position),
        turn=color_name(node.position.turn),
        score=node.score,
        exact=note.exact,
        depth=note.depth,
        unit=note.unit,
        seconds=node.seconds,
        by=note.by,
        text=node.text,
        thought=note.thought,
        review=note.review,
    )


def thinking_data(report: Report, node: int, by: str, unit: str) -> Thinking:
    """What a player has found so far."""
    return Thinking(
        type="thinking",
        node=node,
        score=report.score,
        exact=report.exact,
        depth=report.depth or None,
        unit="discs" if report.decided else unit,
        seconds=report.seconds,
        by=by,
        text=report.text[:200],
        thought=Thought.of(report),
    )


def state_data(board: Board, nodes: Iterable[int] | None = None, thinking: bool = False) -> State:
    """The whole board, with all of its nodes or only those named."""
    game = board.game
    outcome, last, friends = game.outcome(), game.peek(), board.friends
    proposal = None if friends is None else friends.proposed
    return State(
        type="state",
        board=board.id,
        previous=board.previous,
        revision=board.revision,
        variant=board.variant.name,
        players={"black": board.players[0], "white": board.players[1]},
        names=dict(zip(("black", "white"), board.names, strict=True)),
        seated=None if friends is None else {color_name(color): bool(friends.chairs[color]) for color in Color},
        proposed=None if proposal is None else Proposed(by=color_name(proposal[0]), what=proposal[1]),
        cursor=board.cursor,
        nodes=[_node(board, identity) for identity in (range(len(board.nodes)) if nodes is None else nodes)],
        all=nodes is None,
        position=position_data(board.position, game),
        line=[board.id_of(node) for node in board.line],
        last=None if last is None else square_name(last),
        passed=color_name(game.node.mover) if game.node.move == PASS else None,
        to_move="over" if game.is_over else "human" if board.players[board.position.turn] == HUMAN else "agent",
        thinking=thinking,
        paused=board.paused,
        pace=board.pace,
        can_undo=board.can_undo,
        can_redo=board.can_redo,
        outcome=None if outcome is None else outcome_data(outcome),
        clock=_clock(board),
        totals={color_name(color): _totals(board, color) for color in Color},
        turning=_turning(board),
        **(board.error or NO_PROBLEM),
    )


def _turning(board: Board) -> int | None:
    """Of the line shown, once it is at its end and reviewed."""
    line = board.line
    outcome = board.game.outcome() if board.ended_early else line[-1].position.outcome() if line else None
    reviews = [board.review_of(node) for node in line]
    if outcome is None or not any(reviews):
        return None
    costs = [
        None if one is None or node.mover is None else Cost(node.mover, one.value, one.value - one.loss, one.exact)
        for node, one in zip(line, reviews, strict=True)
    ]
    decisive = turning_point(costs, outcome.winner)
    return None if decisive is None else board.id_of(line[decisive])


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


def _totals(board: Board, color: Color) -> TotalOut:
    """What whoever sits there has used. After sides were swapped, that was on the other side as well."""
    player, other = board.players[color], board.players[color.other]

    def made_by(node: Node) -> bool:
        by = (board.notes.get(board.id_of(node)) or Note()).by
        return node.mover is color if by is None or player == other else by == player

    made = [node for node in board.game.line if node.move != PASS and made_by(node)]
    return TotalOut(seconds=sum(node.seconds or 0.0 for node in made), moves=len(made))
