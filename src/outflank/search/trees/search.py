"""Minimax, alpha-beta and iterative deepening as a player uses them: a position and a limit in, a report out.

`kernels` searches one depth; this module lays out its desk, iterates over the depths under `driver`'s clock and turns
what was found into a `Report`. Agents, `outflank explain` and the learners call it with a heuristic of theirs.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Literal, get_args

import numpy as np

from outflank.board.compiled import load
from outflank.board.position import Position
from outflank.board.records import fill
from outflank.board.variant import Variant
from outflank.errors import Fault, check_choice
from outflank.heuristics.heuristic import Heuristic
from outflank.heuristics.matrices import as_matrix, scaled, squares_by_value
from outflank.search.driver import is_followed, seconds_for, tell, watched
from outflank.search.limits import NO_LIMIT, Limit, Report, without_finish
from outflank.search.trees import kernels as tree

Algorithm = Literal["minimax", "alphabeta"]
Ordering = Literal["square", "weight", "mobility", "estimate"]
ORDERINGS: tuple[Ordering, ...] = get_args(Ordering)
"""Numbered as the kernels number them."""
SORT_FROM = 3
"""Plies above the leaves from which sorting by mobility or estimate pays for itself."""
DEFAULT_DEPTH = 4
NO_MOVE = int(tree.NO_MOVE)
GROWTH = 2.0
"""How many times the last iteration's work the next one takes at least: where there is no time for that, it is not
begun, since a depth that is not finished is worth nothing."""


class TreeSearch:
    """A search with its heuristic and its options, and the memory it works in. One thread at a time."""

    def __init__(
        self,
        heuristic: Heuristic,
        algorithm: Algorithm = "alphabeta",
        ordering: Ordering = "estimate",
        matrix: str | Sequence[Sequence[float]] = "static",
        deepening: bool = False,
    ) -> None:
        """`matrix` holds the square values by which `weight` orders, highest first (lowest first where fewest discs
        win and the heuristic was made for most); `deepening` asks for iterations also under a limit of depth alone."""
        check_choice("algorithm", algorithm, get_args(Algorithm))
        check_choice("ordering", ordering, ORDERINGS)
        self.heuristic = heuristic
        self.deepening = deepening
        self._matrix = as_matrix(matrix)
        self._variant: Variant | None = None
        self._desk = tree.TreeDesk.new()
        self._address, self._line = self._desk.address, self._desk.plies[0].line  # once: short searches are short
        self._desk.pruning = algorithm == "alphabeta"
        self._desk.ordering = ORDERINGS.index(ordering) if self._desk.pruning else int(tree.BY_SQUARE)
        self._desk.sort_from = SORT_FROM

    def run(self, position: Position, limit: Limit) -> Report:
        """The best move. Ties go to the lowest square; where the end of the game
        is seen, the score is its margin (`Report.decided`)."""
        self.prepare(position.variant)
        began = time.perf_counter()
        moves = position.legal_moves
        if not moves:
            raise Fault("search.no-move")
        self._begin(limit)
        seconds = seconds_for(limit, position.empties)
        report = Report(moves[0], pv=(moves[0],))
        with watched(seconds) as until:
            self._desk.stop = until.address
            for depth in self._depths(position, limit):
                worked = 0.0 if seconds is None else time.thread_time()
                found = self._search(position, depth, _with_first(report.move, moves))
                if found is None:
                    break
                report = found
                if is_followed():
                    tell(replace(report, nodes=self._desk.nodes, seconds=time.perf_counter() - began))
                if report.exact:
                    break
                if seconds is not None:
                    # Work, not waiting: on a busy machine a depth of four positions can take long by the clock.
                    worked = time.thread_time() - worked
                    if time.perf_counter() - began + GROWTH * worked > seconds:
                        break
        self.heuristic.raise_interruption()
        self._raise_failure(position)
        return replace(report, nodes=self._desk.nodes, seconds=time.perf_counter() - began)

    def root_values(self, position: Position, report: Report, limit: Limit) -> list[Report]:
        """Every move with a value of its own, to the depth of a report: pruning leaves all but the best a bound.

        It takes at most as long as the search did; moves it does not reach keep the value at half the depth, or none.
        """
        self.prepare(position.variant)
        self._begin(limit)
        known = {move: Report(move, pv=(move,)) for move in position.legal_moves}
        with watched(seconds_for(limit, position.empties)) as until:
            self._desk.stop = until.address
            for depth in sorted({(report.depth + 1) // 2, report.depth} - {0}):
                for move in position.legal_moves:
                    if move == report.move and depth == report.depth:
                        continue
                    found = self._search(position, depth, (move,))
                    if found is None:
                        break
                    known[move] = found
        known[report.move] = report
        self.heuristic.raise_interruption()
        self._raise_failure(position)
        return [replace(each, values={}, nodes=0, seconds=0.0) for each in known.values()]

    def _begin(self, limit: Limit) -> None:
        desk = self._desk
        desk.nodes = desk.aborted = desk.failed_own = desk.failed_opp = 0
        desk.node_limit = limit.nodes or NO_LIMIT

    def use(self, heuristic: Heuristic) -> None:
        """Searches with another heuristic from now on."""
        self.heuristic, self._variant = heuristic, None

    def prepare(self, variant: Variant) -> None:
        """Compiles or loads what a variant needs. It costs nothing the second time."""
        if variant == self._variant:
            return
        load(tree.search_root)
        desk = self._desk
        desk.board = variant.board
        desk.reversed = variant.reversed
        desk.evaluation = self.heuristic.address(variant)
        masks = squares_by_value(scaled(self._matrix, variant.rows, variant.columns))
        highest_first = self.heuristic.objective in (None, variant.objective)
        fill(desk.classes, (masks[value] for value in sorted(masks, reverse=highest_first)))
        self._variant = variant

    def _depths(self, position: Position, limit: Limit) -> Sequence[int]:
        """Every depth in turn under a limit of time or nodes; the one wanted depth otherwise."""
        bounded = limit.time is not None or limit.clock is not None or limit.nodes is not None
        deepest = limit.depth or (position.empties if bounded else DEFAULT_DEPTH)
        deepest = max(min(deepest, position.empties), 1)
        return range(1, deepest + 1) if bounded or self.deepening else [deepest]

    def _search(self, position: Position, depth: int, moves: Sequence[int]) -> Report | None:
        """One whole search to a depth, or None when it was cut off: a half-searched depth is worth nothing."""
        desk = self._desk
        desk.estimates = 0
        values = np.empty(len(moves))
        order = np.array(moves, np.uint64)
        best = tree.search_root(self._address, position.own, position.opp, depth, order, values)
        if desk.aborted:
            return None
        line = tuple(takewhile(NO_MOVE.__ne__, self._line))
        known = (
            {} if desk.pruning else {move: _shown(value)[0] for move, value in zip(moves, values.tolist(), strict=True)}
        )
        score, decided = _shown(best)
        return Report(line[0], score, depth, pv=line, exact=not desk.estimates, decided=decided, values=known)

    def _raise_failure(self, position: Position) -> None:
        own, opp = self._desk.failed_own, self._desk.failed_opp
        if not own | opp:
            return
        self.heuristic.value(own, opp, position.variant)  # says itself what is wrong
        where = Position(own, opp, variant=position.variant).text
        raise Fault("heuristic.nan-compiled", name=self.heuristic.name, where=where)


def _shown(value: float) -> tuple[float, bool]:
    """A value of the kernels as a report has it; never -0.0."""
    score, decided = without_finish(value)
    return score + 0.0, decided


def _with_first(first: int, moves: tuple[int, ...]) -> Sequence[int]:
    """The moves, one of them before the others."""
    return moves if moves[0] == first else (first, *(move for move in moves if move != first))
