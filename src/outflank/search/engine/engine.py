"""The engine: the best move, or the value of every move, within a limit.

It deepens iteration by iteration (see `deepening`), at the pace of a player; once the end of the game is near enough,
it goes to the end, first selectively, then for win, draw or loss, then exactly. An iteration that is cut off still
counts where it has found a better move. `searcher` searches; the agents and the page ask here.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from outflank.board.position import Position
from outflank.board.squares import PASS, Color, square_name
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.patterns.weights import Evaluations
from outflank.search.driver import Stop, seconds_for, tell, watched
from outflank.search.engine.deepening import PLAYER, Iteration, iterations
from outflank.search.engine.levels import Level
from outflank.search.engine.searcher import Searcher, Step
from outflank.search.limits import Limit, Report

DEFAULT_MEGABYTES = 64.0
STRONG = Level(depth=60, exact_from=60)
"""As far as the limit allows."""
FORCED_DEPTH = 4
"""A forced move is not thought about: a few plies give it a value."""
SOLVED_IN_A_SECOND = 21
"""Empties; one more takes twice as long."""
MOST_PROVEN = 10_000
"""Positions whose exact value an engine remembers, beside its table, which forgets."""


@dataclass(frozen=True)
class Hint:
    """A move and its value for the side to move, in discs."""

    move: int
    score: float
    exact: bool
    depth: int
    pv: tuple[int, ...]
    selectivity: int | None = None
    """As in a `Report`: how sure each cut was, in per cent; None where nothing was searched."""
    book: bool = False
    """Whether an opening book says it."""

    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "move": square_name(self.move),
            "score": self.score + 0.0,  # never -0.0
            "exact": self.exact,
            "depth": self.depth,
            "selectivity": self.selectivity,
            "pv": [square_name(move) for move in self.pv],
        }


class Engine:
    """The engine with its memory. It thinks about one position at a time; its table remembers from move to move."""

    def __init__(
        self, threads: int = 1, hash_mb: float = DEFAULT_MEGABYTES, evaluations: Evaluations | None = None
    ) -> None:
        self._searcher = Searcher(hash_mb, threads)
        self._evaluations = evaluations or Evaluations()
        self._proven: dict[Position, Report] = {}

    def prepare(self, variant: Variant) -> None:
        """Loads what a variant needs, and forgets all that is known: a new game begins."""
        self._lay_out(variant)
        self._searcher.forget()
        self._proven.clear()

    def choose(self, position: Position, limit: Limit, *, level: Level = STRONG) -> Report:
        """The best move. Whatever ends the search, the report has a legal move and what is known of it.

        What it has proven it answers at once when it is asked again: no shorter search may say otherwise.
        """
        moves, searcher = _moves_of(position), self._searcher
        if position in self._proven:
            return self._recalled(position)
        began = time.perf_counter()
        report = Report(moves[0], pv=(moves[0],))
        if len(moves) == 1:
            level = replace(level, depth=min(level.depth, FORCED_DEPTH), exact_from=min(level.exact_from, FORCED_DEPTH))
        self._lay_out(position.variant)
        with watched(seconds_of_move(limit, position.empties)) as until:
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
                    selectivity=step.selectivity,
                )
                tell(report)
                if report.exact:
                    self._keep(position, report)
                    break
        return replace(report, nodes=searcher.nodes, seconds=time.perf_counter() - began)

    def hints(
        self,
        position: Position,
        limit: Limit,
        *,
        level: Level = STRONG,
        progress: Callable[[list[Hint]], None] | None = None,
    ) -> list[Hint]:
        """The value of every legal move, best first; all that one iteration has found is reported together.

        Moves that mirror each other are looked at once and have one value; one that is proven keeps it.
        """
        _moves_of(position)
        searcher = self._searcher
        boards = {move: position.play(move) for move in position.different_moves}
        hints = [self._first_hint(move, board) for move, board in boards.items()]
        self._lay_out(position.variant)
        with watched(seconds_of_move(limit, position.empties)) as until:
            searcher.begin(until, limit.nodes)
            schedule = [iteration for iteration in self._schedule(position, limit, level) if not iteration.wld]
            deeper = {
                move: searcher.deepened(below, [iteration.below for iteration in schedule], PLAYER.wide_to)
                for move, below in boards.items()
            }
            for iteration in schedule:
                found = []
                for hint in hints:
                    if hint.exact:
                        found.append(hint)
                        continue
                    below, step = boards[hint.move], next(deeper[hint.move])
                    if step.found.aborted:
                        break
                    line = (hint.move, *searcher.known_line(below))
                    exact = step.iteration.proves(below.empties)
                    hint = Hint(hint.move, 0.0 - step.value, exact, iteration.depth, line, step.selectivity)
                    found.append(hint)
                    if exact:
                        self._keep(below, _proof(below, step, line[1:]))
                aborted = len(found) < len(hints)
                # Moves that the iteration did not come to keep what the last one said of them.
                hints = sorted([*found, *hints[len(found) :]], key=lambda hint: -hint.score)
                if found and progress:
                    progress(self._told(position, hints))
                if aborted or all(hint.exact for hint in hints):
                    break
        return self._told(position, hints)

    def _recalled(self, position: Position) -> Report:
        """What is proven of a position."""
        report = self._proven[position]
        self._searcher.begin(Stop())  # nothing is visited
        tell(report)
        return report

    def _keep(self, position: Position, report: Report) -> None:
        """Remembers a proof; of too many the oldest is forgotten."""
        self._proven[position] = replace(report, nodes=0, seconds=0.0)
        if len(self._proven) > MOST_PROVEN:
            del self._proven[next(iter(self._proven))]

    def _told(self, position: Position, hints: list[Hint]) -> list[Hint]:
        """The hints of all moves, best first. The best move of a position that is proven has its score, however little
        the move itself was searched."""
        proof = self._proven.get(position)
        hints = _with_twins(position, hints)
        if proof is None or proof.score is None:
            return hints
        best = Hint(proof.move, proof.score, True, proof.depth, proof.pv, proof.selectivity)
        told = [best if hint.move == proof.move and not hint.exact else hint for hint in hints]
        return sorted(told, key=lambda hint: -hint.score)

    def _first_hint(self, move: int, below: Position) -> Hint:
        """A move before anything is searched: its value where the position after it is proven or the game is over."""
        outcome, known = below.outcome(), self._proven.get(below)
        if outcome is not None and outcome.score is not None:
            margin = -outcome.score if below.turn is Color.BLACK else outcome.score
            return Hint(move, float(margin), True, 1, (move,), 100)
        if known is not None and known.score is not None:
            return Hint(move, 0.0 - known.score, True, below.empties + 1, (move, *known.pv), 100)
        return Hint(move, 0.0, False, 0, (move,))

    @property
    def nodes(self) -> int:
        """Positions that the last search visited."""
        return self._searcher.nodes

    def _lay_out(self, variant: Variant) -> None:
        self._searcher.prepare(variant, self._evaluations.fitting(variant))

    def _schedule(self, position: Position, limit: Limit, level: Level) -> Iterator[Iteration]:
        """Every iteration that the level allows."""
        deepest, exact_from = (level.depth, level.exact_from) if limit.depth is None else (limit.depth, limit.depth)
        exact = position.empties <= exact_from
        return iterations(position.empties, deepest, exact, PLAYER, self._searcher.selective)


def seconds_of_move(limit: Limit, empties: int) -> float | None:
    """How long a move may take. Of a clock nothing is kept for moves after the one that solves the game: how early that
    will be depends on the share, and the share on that."""
    share = seconds_for(limit, empties)
    for _ in range(2 if limit.clock is not None and share else 0):
        share = seconds_for(limit, empties, max(SOLVED_IN_A_SECOND + math.floor(math.log2(share or 1)), 0))
    return share


def valued(searcher: Searcher, position: Position, level: Level, plies_before: int = 0) -> Step:
    """The last step of a level's search, by a searcher that is prepared; after a move or two, as far as from before."""
    empties = position.empties + plies_before
    schedule = iterations(empties, level.depth, empties <= level.exact_from, PLAYER, searcher.selective)
    sooner = [replace(each, depth=each.depth - plies_before) for each in schedule if not each.wld]
    return deque(searcher.deepened(position, [each for each in sooner if each.depth > 0], PLAYER.wide_to), 1)[0]


def _proof(position: Position, step: Step, line: tuple[int, ...]) -> Report:
    """What an iteration to the end says of a position. No move is found where each loses all: then any will do."""
    moves, best = position.legal_moves or (PASS,), step.found.move
    best = best if best in moves else moves[0]
    line = line if line[:1] == (best,) else (best,)
    return Report(best, float(step.value), position.empties, pv=line, exact=True, selectivity=step.selectivity)


def _with_twins(position: Position, hints: list[Hint]) -> list[Hint]:
    """The hints of all moves, from those of the moves that differ: each twin beside its own, its line mirrored."""
    if len(hints) == len(position.legal_moves):
        return hints
    twins, mirrored = position.twins(), position.variant.mirrored
    return [
        replace(hint, move=move, pv=tuple(mirrored(square, which) for square in hint.pv))
        for hint in hints
        for move, (twin, which) in twins.items()
        if twin == hint.move
    ]


def _moves_of(position: Position) -> tuple[int, ...]:
    if not position.legal_moves:
        raise Fault("search.no-move")
    return position.legal_moves
