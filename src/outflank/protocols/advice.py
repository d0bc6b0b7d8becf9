"""What each move is worth, for hosts that ask for more than the best one."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.search.limits import Limit, Report

Choose = Callable[[Game, Limit], Report]
FINISHED = 1e9
"""Added by tree searches to the margin of a finished game."""


def in_discs(score: float | None) -> float | None:
    """A score as hosts want it: the margin alone where the game's end was seen; a heuristic's own units stay."""
    if score is None or abs(score) < FINISHED:
        return score
    return score - FINISHED if score > 0 else score + FINISHED


def outcome_for(position: Position, color: Color) -> float:
    """The result of a finished game in discs, as a side sees it."""
    outcome = position.outcome()
    assert outcome is not None and outcome.score is not None
    return float(outcome.score if color is Color.BLACK else -outcome.score)


def advice(choose: Choose, game: Game, limit: Limit, is_over: Callable[[], bool]) -> Iterator[list[Report]]:
    """Every legal move as a report, best first; better and better, until the limit or the host says stop.

    This is where a player that can rate all moves at once would be asked for that. Any other is asked for its answer
    to each move, a ply less deep; iteration by iteration, so that the host has something to show soon.
    """
    moves = game.position.legal_moves
    depths = range(min(2, limit.depth), limit.depth + 1) if limit.depth else [None]
    share = None if limit.time is None else limit.time / max(len(moves), 1)
    for depth in depths:
        found = []
        for move in moves:
            reply = replace(limit, depth=None if depth is None else max(depth - 1, 1), time=share, clock=None)
            found.append(_rated(choose, game, move, reply, depth))
            if is_over():
                return
        yield sorted(found, key=lambda report: -(report.score or 0.0))
        if all(report.exact for report in found):
            return


def _rated(choose: Choose, game: Game, move: int, limit: Limit, depth: int | None) -> Report:
    """A move with the value of the position after it."""
    mover = game.position.turn
    after = Game(game.position.play(move))
    if after.is_over:
        return Report(move, outcome_for(after.position, mover), pv=(move,), depth=1, exact=True)
    answer = choose(after, limit)
    score = in_discs(answer.score)
    if score is not None and after.position.turn is not mover:
        score = -score
    line = (move, *after.moves, *answer.pv)
    return Report(move, score, depth or answer.depth + 1, answer.nodes, answer.seconds, line, answer.exact)
