"""Measures how well shallow searches foretell deep ones, and fits the curve that ProbCut's margins come from."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from outflank.board.position import Position
from outflank.evaluation.weights import Evaluation
from outflank.search.driver import Stop
from outflank.search.probcut import DEEP_FROM, shallower, terms
from outflank.search.searcher import Searcher

Differences = dict[tuple[int, int, int], list[int]]
"""Deep value minus shallow value, by empties, depth and the shallower depth."""
FEWEST = 25
"""Differences needed before a spread is believed."""


def differences(
    positions: Iterable[Position], evaluation: Evaluation | None, deepest: int, solved_from: int
) -> Differences:
    """Searches each position at every depth without ProbCut; to the end where no more squares are empty than that."""
    searcher = Searcher(64)
    found: Differences = defaultdict(list)
    for position in positions:
        searcher.prepare(position.variant, evaluation=evaluation)
        empties, most = position.empties, position.variant.square_count
        values = {}
        depths = [*range(min(deepest, empties - 1) + 1), *([empties] if empties <= solved_from else [])]
        for depth in depths:
            searcher.begin(Stop())
            values[depth] = searcher.value(position, -most, most, depth)
        for depth in depths:
            if depth >= DEEP_FROM:
                for before in {0, shallower(depth)}:
                    if before in values:
                        found[empties, depth, before].append(values[depth] - values[before])
    return found


def fitted(found: Differences) -> tuple[list[float], float]:
    """The coefficients of `probcut.spread`, and by what factor a cell's spread lies off the curve on the average."""
    rows, targets, importance = [], [], []
    for (empties, depth, before), values in found.items():
        if len(values) >= FEWEST:
            rows.append(terms(empties, depth, before))
            targets.append(np.log(max(float(np.sqrt(np.mean(np.square(values)))), 0.1)))
            importance.append(np.sqrt(len(values)))
    matrix, weight = np.array(rows), np.array(importance)
    solution, *_ = np.linalg.lstsq(matrix * weight[:, None], np.array(targets) * weight, rcond=None)
    off = np.exp(np.abs(matrix @ solution - targets).mean())
    return [round(float(value), 5) for value in solution], float(off)
