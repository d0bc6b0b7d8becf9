"""What each move is worth to a player that can only be asked for its own reply to it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from outflank.board.game import Game
from outflank.search.driver import is_interrupted
from outflank.search.limits import Limit, Report

Choose = Callable[[Game, Limit], Report]
Show = Callable[[Sequence[Report]], None]
"""Takes every legal move as a report of its own, best first."""


PATIENCE = 1.0
"""Seconds that the values of all moves may take at least, however soon the decision was made."""


def as_long_again(limit: Limit, report: Report) -> Limit:
    """What bounds the values of all moves beside a decision: its limit, and about the time that it took."""
    if limit.time is not None or limit.clock is not None:
        return limit
    return replace(limit, time=max(report.seconds, PATIENCE))


def by_rank(reports: Sequence[Report]) -> list[Report]:
    """The best first, and last those of which nothing is known; equal ones in the order of the squares."""
    return sorted(reports, key=lambda report: (report.score is None, -report.rank, report.move))


def rate_by_answers(choose: Choose, game: Game, limit: Limit, show: Show) -> None:
    """Rates every legal move by the value of the best answer, a ply less deep. Under a limit of depth it deepens step
    by step, so that there is something to show soon; a limit of time is shared among the moves."""
    moves = game.position.legal_moves
    depths = range(min(2, limit.depth), limit.depth + 1) if limit.depth else [None]
    share = None if limit.time is None else limit.time / max(len(moves), 1)
    for depth in depths:
        found = []
        for move in moves:
            reply = replace(limit, depth=None if depth is None else max(depth - 1, 1), time=share, clock=None)
            found.append(_rated(choose, game, move, reply, depth))
            if is_interrupted():
                return
        show(by_rank(found))
        if all(report.exact for report in found):
            return


def _rated(choose: Choose, game: Game, move: int, limit: Limit, depth: int | None) -> Report:
    """A move with the value of the position after it."""
    mover = game.position.turn
    after = Game(game.position.play(move))
    outcome = after.outcome()
    if outcome is not None and (margin := outcome.margin(mover)) is not None:
        return Report(move, float(margin), 1, pv=(move,), exact=True, decided=True)
    answer = choose(after, limit)
    value = answer.score
    if value is not None and after.position.turn is not mover:
        value = -value
    line = (move, *after.moves, *answer.pv)
    return replace(answer, move=move, score=value, depth=depth or answer.depth + 1, pv=line, values={})
