"""How long each feature takes: nanoseconds a call, in a compiled loop over positions of random games."""

import time
import types
from collections.abc import Iterable
from random import Random
from typing import Any

import numpy as np

from outflank.board import kernels
from outflank.board.compiled import kernel
from outflank.board.squares import Color, squares_of
from outflank.board.variant import OTHELLO, Variant
from outflank.evaluation.features import COUNTS, WEIGHTS

POSITIONS = 4096
REPEATS = 40


def feature(own: int, opp: int, board: int) -> float:
    """Stands for the feature that a loop is compiled with."""
    raise NotImplementedError


def _sum_over(owns: Any, opps: Any, boards: Any) -> float:
    # An empty board ends the loop: an end that depends on the data keeps the compiler from taking several positions
    # at once, which no search could.
    index = np.uint64(0)
    total = feature(owns[index], opps[index], boards[index])
    while owns[index] | opps[index]:
        total += feature(owns[index], opps[index], boards[index])
        index += np.uint64(1)
    return total


def _loop_around(name: str, timed: Any) -> Any:
    """The loop with its call bound to one feature, as direct as the call in a heuristic."""
    loop = types.FunctionType(_sum_over.__code__, {**globals(), "feature": timed}, f"time_{name}")
    loop.__qualname__ = loop.__name__
    return kernel("float64(uint64[::1], uint64[::1], uint64[::1])", identity=name)(loop)


def random_positions(how_many: int, variant: Variant = OTHELLO, seed: int = 0) -> tuple[Any, Any]:
    """Positions of random games, each side to move in turn: two arrays, `own` and `opp`."""
    rng = Random(seed)
    discs = variant.start_discs()
    start = discs[Color.BLACK], discs[Color.WHITE]
    own, opp = start
    positions = []
    while len(positions) < how_many:
        positions.append((own, opp))
        moves = kernels.legal_moves(own, opp, variant.board)
        if moves:
            own, opp = kernels.play(own, opp, rng.choice(list(squares_of(moves))))
        elif kernels.legal_moves(opp, own, variant.board):
            own, opp = opp, own
        else:
            own, opp = start
    mine, theirs = zip(*positions, strict=True)
    return np.array(mine, np.uint64), np.array(theirs, np.uint64)


def time_features(names: Iterable[str] = (*COUNTS, *WEIGHTS), variant: Variant = OTHELLO) -> dict[str, float]:
    """Nanoseconds a call of each feature, the best of several passes over the same positions."""
    owns, opps = (np.append(discs, np.uint64(0)) for discs in random_positions(POSITIONS, variant))
    # The board comes from an array as well: in a search nothing computed from it is carried from call to call.
    boards = np.full_like(owns, variant.board)
    features: dict[str, Any] = {**COUNTS, **WEIGHTS}
    return {name: _time(_loop_around(name, features[name]), owns, opps, boards) for name in names}


def _time(loop: Any, *arrays: Any) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        began = time.perf_counter_ns()
        loop(*arrays)
        best = min(best, time.perf_counter_ns() - began)
    return best / POSITIONS
