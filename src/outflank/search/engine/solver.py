"""Exact solving as a user asks for it: a position in; its score, best move and best line out.

It deepens iteration by iteration (see `deepening`), at the pace of a solver, which nothing but Ctrl-C interrupts.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.patterns.weights import SUMS, Evaluations
from outflank.search.driver import Stop, watched
from outflank.search.engine.deepening import DIRECT, SOLVER, Iteration, iterations
from outflank.search.engine.searcher import Searcher, Step
from outflank.search.limits import Report

DEFAULT_MEGABYTES = 128.0
MEGABYTES_AT_22 = 4.0
"""How much of the table 22 empties or fewer use; each further one doubles it. More saves no node, but memory that is
used for the first time costs more than such a search."""

Progress = Callable[[Report], None]


@dataclass(frozen=True)
class Question:
    """What to find out: the exact score, or only who wins (`wld`); `raw` gives no empties to the winner."""

    wld: bool = False
    raw: bool = False


class Solver:
    """An exact solver with its transposition table. It answers one question at a time."""

    def __init__(self, megabytes: float = DEFAULT_MEGABYTES, threads: int = 1) -> None:
        self._searcher = Searcher(megabytes, threads)
        self._evaluations = Evaluations(SUMS)  # a network saves no nodes of a solve, and takes time

    def solve(
        self,
        position: Position,
        question: Question | None = None,
        stop: Stop | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """The score under best play for the side to move, and a best move and line.

        Stopped before that, the report is not exact and has the best line so far, with the value that the last whole
        iteration gave it. `progress` hears of each iteration, and of what is known when Ctrl-C ends the search.
        """
        question, searcher = question or Question(), self._searcher
        searcher.prepare(position.variant, self._evaluations.fitting(position.variant), question.raw)
        began = time.perf_counter()
        first = (position.legal_moves or (PASS,))[0]
        known, line = Report(first, pv=(first,)), None

        def told(report: Report) -> Report:
            return replace(report, nodes=searcher.nodes, seconds=time.perf_counter() - began)

        with watched(None, stop) as until:
            searcher.begin(until, megabytes=MEGABYTES_AT_22 * 2.0 ** max(position.empties - 22, 0))
            try:
                for step in searcher.deepened(position, self._schedule(position, question), SOLVER.wide_to):
                    if step.found.aborted:
                        known = _cut_off(known, step.found.move)
                        break
                    known = self._after(position, known, step, question.wld)
                    if progress:
                        progress(told(known))
                else:
                    line = self._line(position, step.value, question.wld)
            except KeyboardInterrupt:
                if progress:
                    progress(told(_cut_off(known, searcher.root_move)))
                raise
            if line is None or until.is_set:
                return told(known)
        move = line[0] if line else PASS
        return told(replace(known, move=move, pv=tuple(line), exact=True))

    def solve_all(
        self,
        position: Position,
        question: Question | None = None,
        stop: Stop | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """As `solve`, with the exact value of every legal move; stopped, with those that are known by then."""
        question = question or Question()
        report = best = self.solve(position, question, stop, progress)
        twin_of = {move: twin for move, (twin, _) in position.twins().items()}
        known = {twin_of[best.move]: best.score} if best.exact and position.legal_moves else {}
        for move in position.different_moves if best.exact else ():
            if move not in known:
                reply = self.solve(position.play(move), question, stop)
                if reply.exact and reply.score is not None:
                    known[move] = 0.0 - reply.score  # never -0.0
                exact, nodes, seconds = reply.exact, report.nodes + reply.nodes, report.seconds + reply.seconds
                report = replace(report, nodes=nodes, seconds=seconds, exact=exact)
            # In the order of the squares, however they were found; moves that mirror each other have one value.
            values = {each: score for each, twin in twin_of.items() if (score := known.get(twin)) is not None}
            report = replace(report, values=values)
            if not report.exact:
                break
            if progress:
                progress(replace(report, exact=len(values) == len(position.legal_moves)))
        return report

    def _schedule(self, position: Position, question: Question) -> list[Iteration]:
        """Ever deeper and ever surer: each iteration finds its moves sorted and its bounds known. The last is exact."""
        empties, selective = position.empties, self._searcher.selective
        *earlier, last = iterations(empties, empties, True, SOLVER if selective else DIRECT, selective)
        return [*earlier, replace(last, wld=question.wld)]

    def _after(self, position: Position, known: Report, step: Step, wld: bool) -> Report:
        """What a whole iteration says. None of its moves is found where each of them loses all."""
        line = tuple(self._searcher.known_line(position))
        move = step.found.move
        move = (line[0] if line else known.move) if move is None else move
        score = float((step.value > 0) - (step.value < 0) if wld else step.value)
        line = line if line[:1] == (move,) else (move,)
        return Report(move, score, step.iteration.depth, pv=line, selectivity=step.selectivity)

    def _line(self, position: Position, score: int, wld: bool) -> list[int]:
        """A line of best play: at each step the first move whose value is the position's. The table knows most."""
        line: list[int] = []
        while not position.is_over:
            moves = position.legal_moves
            if not moves:
                move = PASS
            else:
                # The table's move first: to refute the others takes long where many squares are empty.
                known = self._searcher.known_move(position)
                moves = tuple(sorted(moves, key=lambda square: square != known))
                move = next((m for m in moves if self._keeps(position.play(m), -score, wld)), moves[0])
            line.append(move)
            position = position.play(move)
            score = -score
        return line

    def _keeps(self, position: Position, score: int, wld: bool) -> bool:
        """Whether a position has exactly this score (or this result)."""
        to_the_end = Iteration(position.empties, wld=wld)
        if wld:
            value = self._searcher.search(position, to_the_end).value
            return (value > 0) - (value < 0) == (score > 0) - (score < 0)
        return self._searcher.within(position, score - 1, score + 1, to_the_end).value == score


def _cut_off(known: Report, move: int | None) -> Report:
    """What is known after an iteration that was cut off: it still counts where it has found a better move."""
    return known if move is None or move == known.move else replace(known, move=move, pv=(move,), score=None)
