"""How far a shallow search may be trusted: margins for ProbCut from measured spreads.

A search of d plies is foretold by one of `shallower(d)` plies; the spread of the difference is a smooth function of
the empties and both depths, fitted for each evaluation by `outflank train`. A margin is so many spreads.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from outflank.board.compiled import kernel, uint64
from outflank.board.kernels import ONE, ZERO
from outflank.patterns.weights import Evaluation
from outflank.search.engine.desk import Desk, Margin

LOOSE, CLOSE, TIGHT = 0, 1, 2
"""The selectivities that prune; `table.NO_SELECTIVITY` is the fourth."""
CONFIDENCE = {LOOSE: 1.1, CLOSE: 2.0, TIGHT: 2.6}
"""Spreads kept as a margin: 1.1 spreads are 73 % of all cases, 2.0 are 95 % and 2.6 are 99 %."""
MOST_EMPTIES = 64
DEEP_FROM = uint64(3)
"""Plies from which the table and sorting by the evaluation pay for themselves, and searches foretell others; less is
foretold by the evaluation alone."""


@kernel("uint64(uint64)")
def shallower(depth: int) -> int:
    """How deep the search is that foretells one of so many plies: about half as deep, of the same parity."""
    return uint64(2) * (depth >> uint64(2)) + (depth & ONE) if depth >= DEEP_FROM else ZERO


@kernel("Margin(uint64, uint64, Desk)")
def margin_for(empties: int, depth: int, desk: Desk) -> Margin:
    """The margins of a search that goes on."""
    return desk.margins[empties * uint64(MOST_EMPTIES) + depth]


def terms(empties: int, depth: int, shallow: int) -> list[float]:
    """What the logarithm of a spread is a weighted sum of: the empties, both depths, and whether it is to the end."""
    return [1.0, empties / 10, math.log1p(depth - shallow), math.log1p(shallow), float(depth == empties)]


def spread(coefficients: Sequence[float], empties: int, depth: int, shallow: int) -> float:
    """The spread of the difference of two searches, in discs."""
    return math.exp(sum(map(math.prod, zip(coefficients, terms(empties, depth, shallow), strict=True))))


def margins(evaluation: Evaluation | None) -> dict[int, Any] | None:
    """For each selectivity the margins in whole discs by empties and depth, as the desk has them.

    None where nothing has been measured.
    """
    if evaluation is None or evaluation.spreads is None:
        return None
    return _margins(tuple(evaluation.spreads))


@cache
def _margins(coefficients: tuple[float, ...]) -> dict[int, Any]:
    tables = {}
    for selectivity, factor in CONFIDENCE.items():
        table = np.zeros((MOST_EMPTIES, MOST_EMPTIES), np.dtype(Margin))
        for empties in range(1, MOST_EMPTIES):
            for depth in range(1, empties + 1):
                shallow = shallower(depth)
                cut = factor * spread(coefficients, empties, depth, shallow)
                near = 0.5 * (cut + factor * spread(coefficients, empties, depth, 0))
                table[empties, depth] = max(round(cut + 0.5), 1), round(near)
        tables[selectivity] = table
    return tables
