"""Exact solving as a user asks for it: a position in; its score, best move and best line out."""

import time
from dataclasses import dataclass

from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.search.driver import Stop, watched
from outflank.search.limits import Report
from outflank.search.searcher import CERTAIN, Searcher

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


@dataclass(frozen=True)
class Question:
    """What to find out: the exact score, or only who wins (`wld`); `raw` gives no empties to the winner."""

    wld: bool = False
    raw: bool = False


class Solver:
    """An exact solver with its transposition table. It answers one question at a time."""

    def __init__(self, megabytes: float = DEFAULT_MEGABYTES, threads: int = 1) -> None:
        self._searcher = Searcher(megabytes, threads)
        self._asked: tuple[Variant, Question] | None = None

    def solve(self, position: Position, question: Question | None = None, stop: Stop | None = None) -> Report:
        """The score under best play for the side to move, and a best move; not exact if it was stopped."""
        question = question or Question()
        searcher = self._searcher
        searcher.prepare(position.variant, question.raw)
        began = time.perf_counter()
        with watched(None, stop) as until:
            searcher.begin(until)
            score = self._score(position, question)
            line = self._line(position, score, question.wld) if not until.is_set else []
            exact = not until.is_set
        move = line[0] if line else (position.legal_moves or (PASS,))[0]
        if question.wld:
            score = (score > 0) - (score < 0)
        seconds = time.perf_counter() - began
        if not exact:
            return Report(move, None, 0, searcher.nodes, seconds, (move,))
        return Report(move, float(score), position.empties, searcher.nodes, seconds, tuple(line), exact=True)

    def solve_all(self, position: Position, question: Question | None = None, stop: Stop | None = None) -> Report:
        """As `solve`, with the exact value of every legal move."""
        question = question or Question()
        best = self.solve(position, question, stop)
        values, nodes, seconds = {}, best.nodes, best.seconds
        for move in position.legal_moves:
            if move == best.move and best.score is not None:
                values[move] = best.score
                continue
            reply = self.solve(position.play(move), question, stop)
            nodes, seconds = nodes + reply.nodes, seconds + reply.seconds
            if reply.score is not None:
                values[move] = -reply.score
        return Report(best.move, best.score, best.depth, nodes, seconds, best.pv, best.exact, values)

    def _score(self, position: Position, question: Question) -> int:
        """Ever deeper and ever surer: each pass finds its moves sorted and its bounds known. The last one is exact."""
        searcher, empties = self._searcher, position.empties
        most = position.variant.square_count
        guess = None
        for depth, certainty in self._passes(empties):
            guess = searcher.aspired(position, guess if depth > WIDE_TO else None, -most, most, depth, certainty)
        if question.wld:
            return searcher.value(position, -1, 1, empties)
        return searcher.aspired(position, guess, -most, most, empties, CERTAIN)

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
