"""The engine: the best move, or the value of every move, within a limit.

It deepens pass by pass. Each pass has a depth and a certainty; once the end of the game is near enough, passes go to
the end, first selectively, then for win, draw or loss, then exactly. A pass that is cut off still counts where it has
found a better move.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.patterns.weights import Evaluation
from outflank.search.driver import Stop, seconds_for, tell, watched
from outflank.search.engine.levels import Level
from outflank.search.engine.searcher import CERTAIN, Searcher
from outflank.search.limits import Limit, Report

DEFAULT_MEGABYTES = 64.0
STRONG = Level(depth=60, exact_from=60)
"""As far as the limit allows."""
TO_THE_END_FROM = 4
"""Once a pass of depth d is done and no more than d + 4 squares are empty, the next pass goes to the end: the few
passes before cost a tenth of it, make it cheaper, and are what is left where it cannot be finished."""
SELECTIVE_FROM = 15
"""With fewer empties than this, passes to the end need no selective ones before them."""
WLD_FROM = 20
"""Empties from which a win is proven before its size is."""
WIDE_FROM = 4
"""Depth up to which the whole range of values is looked at."""
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


@dataclass(frozen=True)
class Pass:
    """One search of the whole tree."""

    depth: int
    certainty: int
    wld: bool = False


class Engine:
    """The engine with its memory. It thinks about one position at a time; its table remembers from move to move."""

    def __init__(self, threads: int = 1, hash_mb: float = DEFAULT_MEGABYTES) -> None:
        self._searcher = Searcher(hash_mb, threads)

    def prepare(self, variant: Variant, evaluation: Evaluation | None = None) -> None:
        """Loads what a variant needs, and forgets all that is known: a new game begins.

        `evaluation` takes the place of the weights that are shipped.
        """
        self._searcher.prepare(variant, evaluation=evaluation)
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
        with self._opened(position, limit, stop) as until:
            for each in self._passes(position, limit, level):
                guess = report.score
                value = self._value(position, each, None if guess is None else round(guess))
                found = searcher.root_move
                if searcher.aborted:
                    if found is not None and found != report.move:
                        report = replace(report, move=found, pv=(found,), score=None)
                    break
                score = float(value)
                if each.wld and guess is not None and value != 0:  # a bound: the last guess stays, on its side of it
                    score = max(guess, score) if value > 0 else min(guess, score)
                if each.wld and value < 0:
                    report = replace(report, score=score)
                    continue  # what is lost anyway is not better lost by another move
                move = report.move if found is None else found  # none is found where every move loses all
                line = tuple(searcher.known_line(position))
                report = Report(
                    move,
                    score,
                    each.depth,
                    searcher.nodes,
                    time.perf_counter() - began,
                    line if line[:1] == (move,) else (move,),
                    exact=each.certainty == CERTAIN and each.depth >= position.empties and not (each.wld and value),
                )
                tell(report)
                if progress:
                    progress(report)
                if until.is_set:
                    break
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
        """The value of every legal move, best first; all that one pass has found is reported together."""
        searcher, hints = self._searcher, [Hint(move, 0.0, False, 0, (move,)) for move in _moves_of(position)]
        with self._opened(position, limit, stop):
            for each in self._passes(position, limit, level):
                if each.wld:
                    continue
                found = []
                for hint in hints:
                    below = position.play(hint.move)
                    beneath = Pass(max(each.depth - 1, 0), each.certainty)
                    value = -self._value(below, beneath, -round(hint.score) if hint.depth else None)
                    if searcher.aborted:
                        break
                    exact = each.certainty == CERTAIN and beneath.depth >= below.empties
                    line = (hint.move, *searcher.known_line(below))
                    found.append(Hint(hint.move, float(value), exact, each.depth, line))
                # Moves that the pass did not come to keep what the last one said of them.
                hints = sorted([*found, *hints[len(found) :]], key=lambda hint: -hint.score)
                if found and progress:
                    progress(hints)
                if searcher.aborted:
                    break
        return hints

    @property
    def nodes(self) -> int:
        """Positions that the last search visited."""
        return self._searcher.nodes

    def evaluation(self, position: Position) -> float:
        """What the evaluation alone says of a position, in discs."""
        self._searcher.prepare(position.variant)
        return self._searcher.evaluation(position)

    def _opened(self, position: Position, limit: Limit, stop: Stop | None) -> "_Opened":
        return _Opened(self._searcher, position, limit, stop)

    def _passes(self, position: Position, limit: Limit, level: Level) -> Iterator[Pass]:
        """Every pass that the level allows, from the shallowest on."""
        empties = position.empties
        deepest, exact_from = (level.depth, level.exact_from) if limit.depth is None else (limit.depth, limit.depth)
        to_the_end = empties <= exact_from
        depth = 0
        while depth < min(deepest, empties - 1) and not (to_the_end and empties - depth <= TO_THE_END_FROM):
            depth += 1
            yield Pass(depth, level.certainty)
        if not to_the_end:
            if deepest >= empties > depth:
                yield Pass(empties, level.certainty)
            return
        if empties >= SELECTIVE_FROM and self._searcher.selective:
            yield Pass(empties, 0)
            yield Pass(empties, 2)
        if empties >= WLD_FROM:
            yield Pass(empties, CERTAIN, wld=True)
        yield Pass(empties, CERTAIN)

    def _value(self, position: Position, each: Pass, guess: int | None) -> int:
        """A pass's value, looked for near the last pass's first."""
        searcher, most = self._searcher, position.variant.square_count
        if each.wld:
            return searcher.value(position, -1, 1, each.depth, each.certainty)
        return searcher.aspired(
            position, None if each.depth <= WIDE_FROM else guess, -most, most, each.depth, each.certainty
        )


class _Opened:
    """A search under its limit: opens the searcher and watches the time."""

    def __init__(self, searcher: Searcher, position: Position, limit: Limit, stop: Stop | None) -> None:
        searcher.prepare(position.variant)
        self._searcher, self._nodes = searcher, limit.nodes
        self._watched = watched(seconds_for(limit, position.empties), stop)

    def __enter__(self) -> Stop:
        until = self._watched.__enter__()
        self._searcher.begin(until, self._nodes)
        return until

    def __exit__(self, *error: object) -> None:
        self._watched.__exit__(None, None, None)


def _moves_of(position: Position) -> tuple[int, ...]:
    if not position.legal_moves:
        raise ValueError("there is no move to choose: the side to move must pass, or the game is over")
    return position.legal_moves
