"""The engine: the best move, or the value of every move, within a limit.

It deepens iteration by iteration (see `deepening`), at the pace of a player; once the end of the game is near enough,
it goes to the end, first selectively, then for win, draw or loss, then exactly. An iteration that is cut off still
counts where it has found a better move. `searcher` searches; the agents and the page ask here.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.patterns.weights import Evaluation, evaluation_for
from outflank.search.driver import Stop, seconds_for, tell, watched
from outflank.search.engine.deepening import PLAYER, Iteration, iterations
from outflank.search.engine.levels import Level
from outflank.search.engine.searcher import Searcher
from outflank.search.limits import Limit, Report

DEFAULT_MEGABYTES = 64.0
STRONG = Level(depth=60, exact_from=60)
"""As far as the limit allows."""
FORCED_DEPTH = 4
"""A forced move is not thought about: a few plies give it a value."""


@dataclass(frozen=True)
class Hint:
    """A move and its value for the side to move, in discs."""

    move: int
    score: float
    exact: bool
    depth: int
    pv: tuple[int, ...]


class Engine:
    """The engine with its memory. It thinks about one position at a time; its table remembers from move to move."""

    def __init__(self, threads: int = 1, hash_mb: float = DEFAULT_MEGABYTES) -> None:
        self._searcher = Searcher(hash_mb, threads)
        self._own_weights: tuple[Variant, Evaluation] | None = None

    def prepare(self, variant: Variant, evaluation: Evaluation | None = None) -> None:
        """Loads what a variant needs, and forgets all that is known: a new game begins.

        `evaluation` takes the place of the weights that are shipped, for this variant until the next call.
        """
        self._own_weights = None if evaluation is None else (variant, evaluation)
        self._lay_out(variant)
        self._searcher.forget()

    def choose(
        self,
        position: Position,
        limit: Limit,
        *,
        level: Level = STRONG,
        stop: Stop | None = None,
        progress: Callable[[Report], None] | None = None,
    ) -> Report:
        """The best move. Whatever ends the search, the report has a legal move and what is known of it."""
        moves, searcher = _moves_of(position), self._searcher
        began = time.perf_counter()
        report = Report(moves[0], pv=(moves[0],))
        if len(moves) == 1:
            level = replace(level, depth=min(level.depth, FORCED_DEPTH), exact_from=min(level.exact_from, FORCED_DEPTH))
        self._lay_out(position.variant)
        with watched(seconds_for(limit, position.empties), stop) as until:
            searcher.begin(until, limit.nodes)
            for step in searcher.deepened(position, self._schedule(position, limit, level), PLAYER.wide_to):
                iteration, found = step.iteration, step.found
                if found.aborted:
                    if found.move is not None and found.move != report.move:
                        report = replace(report, move=found.move, pv=(found.move,), score=None)
                    break
                if iteration.wld and found.value < 0:
                    report = replace(report, score=float(step.value))
                    continue  # what is lost anyway is not better lost by another move
                move = report.move if found.move is None else found.move  # none is found where every move loses all
                report = Report(
                    move,
                    float(step.value),
                    iteration.depth,
                    searcher.nodes,
                    time.perf_counter() - began,
                    searcher.line_after(position, move),
                    exact=iteration.proves(position.empties) or (iteration.wld and found.value == 0),
                )
                tell(report)
                if progress:
                    progress(report)
        return replace(report, nodes=searcher.nodes, seconds=time.perf_counter() - began)

    def hints(
        self,
        position: Position,
        limit: Limit,
        *,
        level: Level = STRONG,
        stop: Stop | None = None,
        progress: Callable[[list[Hint]], None] | None = None,
    ) -> list[Hint]:
        """The value of every legal move, best first; all that one iteration has found is reported together."""
        searcher, hints = self._searcher, [Hint(move, 0.0, False, 0, (move,)) for move in _moves_of(position)]
        self._lay_out(position.variant)
        with watched(seconds_for(limit, position.empties), stop) as until:
            searcher.begin(until, limit.nodes)
            schedule = [iteration for iteration in self._schedule(position, limit, level) if not iteration.wld]
            boards = {hint.move: position.play(hint.move) for hint in hints}
            deeper = {
                move: searcher.deepened(below, [iteration.below for iteration in schedule], PLAYER.wide_to)
                for move, below in boards.items()
            }
            for iteration in schedule:
                found = []
                for hint in hints:
                    below, step = boards[hint.move], next(deeper[hint.move])
                    if step.found.aborted:
                        break
                    line = (hint.move, *searcher.known_line(below))
                    exact = step.iteration.proves(below.empties)
                    found.append(Hint(hint.move, float(-step.value), exact, iteration.depth, line))
                aborted = len(found) < len(hints)
                # Moves that the iteration did not come to keep what the last one said of them.
                hints = sorted([*found, *hints[len(found) :]], key=lambda hint: -hint.score)
                if found and progress:
                    progress(hints)
                if aborted:
                    break
        return hints

    @property
    def nodes(self) -> int:
        """Positions that the last search visited."""
        return self._searcher.nodes

    def evaluation(self, position: Position) -> float:
        """What the evaluation alone says of a position, in discs."""
        self._lay_out(position.variant)
        return self._searcher.evaluation(position)

    def _lay_out(self, variant: Variant) -> None:
        own = self._own_weights
        self._searcher.prepare(variant, own[1] if own and own[0] == variant else evaluation_for(variant))

    def _schedule(self, position: Position, limit: Limit, level: Level) -> Iterator[Iteration]:
        """Every iteration that the level allows."""
        deepest, exact_from = (level.depth, level.exact_from) if limit.depth is None else (limit.depth, limit.depth)
        exact = position.empties <= exact_from
        return iterations(position.empties, deepest, exact, PLAYER, self._searcher.selective)


def _moves_of(position: Position) -> tuple[int, ...]:
    if not position.legal_moves:
        raise Fault("search.no-move")
    return position.legal_moves
