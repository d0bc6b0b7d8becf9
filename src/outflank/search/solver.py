"""Exact solving as a user asks for it: a position in; its score, best move and best line out."""

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.board.compiled import load
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.evaluation.weights import evaluation_for
from outflank.search import endgame, lastplies
from outflank.search.driver import Stop, watched
from outflank.search.limits import Report
from outflank.search.table import WORDS_A_BUCKET, new_table

DEFAULT_MEGABYTES = 128.0
NEVER = 65
"""More empties than any board has: the evaluation is not used."""


@dataclass(frozen=True)
class Question:
    """What to find out: the exact score, or only who wins (`wld`); `raw` gives no empties to the winner."""

    wld: bool = False
    raw: bool = False


class Solver:
    """An exact solver with its transposition table. It answers one question at a time."""

    def __init__(self, megabytes: float = DEFAULT_MEGABYTES, threads: int = 1) -> None:
        if not megabytes > 0:
            raise ValueError(f"the table needs more than 0 MB, not {megabytes:g}")
        if threads < 1:
            raise ValueError(f"a search needs 1 thread or more, not {threads}")
        self._table = new_table(megabytes)
        self._desks = [np.zeros(endgame.DESK_WORDS, np.uint64) for _ in range(threads)]
        self._age = 0
        self._asked: tuple[Variant, Question] | None = None

    def solve(self, position: Position, question: Question | None = None, stop: Stop | None = None) -> Report:
        """The score under best play for the side to move, and a best move; not exact if it was stopped."""
        question = question or Question()
        self._prepare(position.variant, question)
        began = time.perf_counter()
        with watched(None, stop) as until:
            self._begin(until)
            bound = 1 if question.wld else position.variant.square_count
            score = self._value(position, -bound, bound)
            line = self._line(position, score, question.wld) if not until.is_set else []
            exact = not until.is_set
        move = line[0] if line else (position.legal_moves or (PASS,))[0]
        nodes = sum(int(desk[lastplies.NODES]) for desk in self._desks)
        if question.wld:
            score = (score > 0) - (score < 0)
        seconds = time.perf_counter() - began
        if not exact:
            return Report(move, None, 0, nodes, seconds, (move,))
        return Report(move, float(score), position.empties, nodes, seconds, tuple(line), exact=True)

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

    def _prepare(self, variant: Variant, question: Question) -> None:
        """Lays the variant's data on the desks; entries of another game or question are forgotten."""
        if self._asked == (variant, question):
            return
        load(endgame.solve_window)
        self._table[:] = 0
        evaluation = evaluation_for(variant)
        for number, desk in enumerate(self._desks):
            desk[lastplies.BOARD] = variant.board
            desk[lastplies.SQUARES] = variant.square_count
            desk[lastplies.REVERSED] = variant.reversed
            desk[lastplies.RAW] = question.raw
            desk[lastplies.TABLE] = self._table.ctypes.data
            desk[lastplies.TABLE_MASK] = len(self._table) // int(WORDS_A_BUCKET) - 1
            desk[lastplies.CORNERS] = variant.corners
            quarters = _quarters(variant)
            _put(desk, lastplies.QUARTERS, quarters)
            _put(desk, lastplies.QUARTER_OF, [next((q for q in quarters if q >> s & 1), 0) for s in range(64)])
            desk[endgame.SELF] = desk.ctypes.data
            desk[endgame.SALT] = number
            desk[endgame.VALUED_FROM] = NEVER
            if evaluation is not None:
                desk[endgame.VALUED_FROM] = endgame.VALUED_FROM_EMPTIES
                desk[endgame.POWERS] = evaluation.powers.ctypes.data
                desk[endgame.WEIGHTS] = evaluation.weights.ctypes.data
                desk[endgame.OFFSETS] = evaluation.offsets.ctypes.data
                desk[endgame.SLOT_COUNT] = len(evaluation.offsets)
                desk[endgame.STAGE_BYTES] = evaluation.weights.strides[1]
        self._evaluation = evaluation  # keeps the memory alive that the desks point to
        self._asked = (variant, question)

    def _begin(self, until: Stop) -> None:
        self._age = (self._age + 1) % 256
        for desk in self._desks:
            desk[lastplies.STOP] = until.address
            desk[lastplies.NODES] = desk[lastplies.ABORTED] = 0
            desk[lastplies.AGE] = self._age

    def _value(self, position: Position, alpha: int, beta: int) -> int:
        """The score within a window. Helpers search the same tree in another order and fill the table ahead of us."""
        for desk in self._desks:
            desk[endgame.WHITE_AT_ROOT] = int(position.turn)
        arguments = (position.own, position.opp, alpha, beta)
        enough = Stop()
        helpers = [self._helper(desk, enough, arguments) for desk in self._desks[1:]]
        try:
            return endgame.solve_window(self._desks[0].ctypes.data, *arguments)
        finally:
            enough.set()
            for helper in helpers:
                helper.join()

    @staticmethod
    def _helper(desk: Any, enough: Stop, arguments: tuple[int, int, int, int]) -> threading.Thread:
        desk[lastplies.STOP] = enough.address
        desk[lastplies.ABORTED] = 0
        thread = threading.Thread(target=endgame.solve_window, args=(desk.ctypes.data, *arguments), daemon=True)
        thread.start()
        return thread

    def _line(self, position: Position, score: int, wld: bool) -> list[int]:
        """A line of best play: at each step the first move whose value is the position's. The table knows most."""
        line: list[int] = []
        while not position.is_over:
            moves = position.legal_moves
            if not moves:
                move = PASS
            else:
                # The table's move first: to refute the others takes long where many squares are empty.
                known = endgame.known_move(self._desks[0].ctypes.data, position.own, position.opp)
                moves = tuple(sorted(moves, key=lambda square: square != known))
                move = next((m for m in moves if self._keeps(position.play(m), -score, wld)), moves[0])
            line.append(move)
            position = position.play(move)
            score = -score
        return line

    def _keeps(self, position: Position, score: int, wld: bool) -> bool:
        """Whether a position has exactly this score (or this result)."""
        if wld:
            value = self._value(position, -1, 1)
            return (value > 0) - (value < 0) == (score > 0) - (score < 0)
        return self._value(position, score - 1, score + 1) == score


def _put(desk: Any, begin: int, words: list[int]) -> None:
    desk[int(begin) : int(begin) + len(words)] = np.array(words, np.uint64)


def _quarters(variant: Variant) -> list[int]:
    """The quarters of a board; the middle line of an odd board belongs to the lower and right ones."""
    top, left = variant.rows // 2, variant.columns // 2
    quarters = [0, 0, 0, 0]
    for square in variant.squares:
        row, column = divmod(square, 8)
        quarters[2 * (row >= top) + (column >= left)] |= 1 << square
    return quarters
