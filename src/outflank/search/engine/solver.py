"""Exact solving as a user asks for it: a position in; its score, best move and best line out."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.search.driver import Stop, watched
from outflank.search.engine.searcher import CERTAIN, Searcher
from outflank.search.limits import Report

DEFAULT_MEGABYTES = 128.0
# Chosen by node counts on FFO #20–49.
DEEPENED_FROM = 15
"""Empties from which the search deepens step by step before it goes to the end."""
DEEPENED_TO = 10
"""It does so until this many plies are missing."""
SELECTIVE_FROM, TWICE_FROM = 17, 23
"""Empties from which it goes to the end selectively first, and twice."""
WIDE_TO = 6
"""Depth up to which the last pass's value is too uncertain to begin near it."""

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

    def solve(
        self,
        position: Position,
        question: Question | None = None,
        stop: Stop | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """The score under best play for the side to move, and a best move and line.

        Stopped before that, the report is not exact and has the best line so far, with the value that the last whole
        pass gave it. `progress` hears of each pass, and of what is known when Ctrl-C ends the search.
        """
        question, searcher = question or Question(), self._searcher
        searcher.prepare(position.variant, question.raw)
        began = time.perf_counter()
        first = (position.legal_moves or (PASS,))[0]
        known, line = Report(first, pv=(first,)), None

        def told(report: Report) -> Report:
            return replace(report, nodes=searcher.nodes, seconds=time.perf_counter() - began)

        with watched(None, stop) as until:
            searcher.begin(until)
            try:
                score = 0
                for depth, score in self._values(position, question):
                    if until.is_set:
                        known = self._cut_off(known)
                        break
                    known = self._after_a_pass(position, known, depth, question.wld, score)
                    if progress:
                        progress(told(known))
                else:
                    line = self._line(position, score, question.wld)
            except KeyboardInterrupt:
                if progress:
                    progress(told(self._cut_off(known)))
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
        values = {best.move: best.score} if best.exact and best.score is not None else {}
        for move in position.legal_moves if best.exact else ():
            if move != best.move:
                reply = self.solve(position.play(move), question, stop)
                if reply.exact and reply.score is not None:
                    values[move] = 0.0 - reply.score  # never -0.0
                exact, nodes, seconds = reply.exact, report.nodes + reply.nodes, report.seconds + reply.seconds
                report = replace(report, nodes=nodes, seconds=seconds, exact=exact)
            # In the order of the squares, however they were found.
            report = replace(report, values={each: values[each] for each in position.legal_moves if each in values})
            if not report.exact:
                break
            if progress:
                progress(replace(report, exact=len(values) == len(position.legal_moves)))
        return report

    def _values(self, position: Position, question: Question) -> Iterator[tuple[int, int]]:
        """Ever deeper and ever surer: each pass finds its moves sorted and its bounds known. The last one is exact."""
        searcher, empties = self._searcher, position.empties
        most = position.variant.square_count
        guess = None
        for depth, certainty in self._passes(empties):
            guess = searcher.aspired(position, guess if depth > WIDE_TO else None, -most, most, depth, certainty)
            yield depth, guess
        if question.wld:
            yield empties, searcher.value(position, -1, 1, empties)
        else:
            yield empties, searcher.aspired(position, guess, -most, most, empties, CERTAIN)

    def _after_a_pass(self, position: Position, known: Report, depth: int, wld: bool, value: int) -> Report:
        """What a whole pass says. None of its moves is found where each of them loses all."""
        line = tuple(self._searcher.known_line(position))
        move = self._searcher.root_move
        move = (line[0] if line else known.move) if move is None else move
        score = float((value > 0) - (value < 0) if wld else value)
        return Report(move, score, depth, pv=line if line[:1] == (move,) else (move,))

    def _cut_off(self, known: Report) -> Report:
        """What is known after a pass that was cut off: it still counts where it has found a better move."""
        found = self._searcher.root_move
        return known if found is None or found == known.move else Report(found, depth=known.depth, pv=(found,))

    def _passes(self, empties: int) -> list[tuple[int, int]]:
        """Depth and certainty of what comes before the exact search."""
        if not self._searcher.selective or empties < DEEPENED_FROM:
            return []
        deepening = [(depth, 0) for depth in range(2 + empties % 2, empties - DEEPENED_TO, 2)]
        if empties < SELECTIVE_FROM:
            return deepening
        return [*deepening, (empties, 0), *([(empties, 2)] if empties >= TWICE_FROM else [])]

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
        if wld:
            value = self._searcher.value(position, -1, 1, position.empties)
            return (value > 0) - (value < 0) == (score > 0) - (score < 0)
        return self._searcher.value(position, score - 1, score + 1, position.empties) == score
