"""What a compiled function of `(own, opp, third)` costs: a compiled loop over positions of random games, so that no
call from Python is measured. Independent calls overlap in the processor, as they do in a search."""

import time
import types
from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np

from outflank.board import kernels
from outflank.board.compiled import kernel, uint64
from outflank.board.squares import Color, squares_of
from outflank.board.variant import OTHELLO, Variant

POSITIONS = 4096
REPEATS = 40


def timed(own: int, opp: int, third: int) -> float:
    """Stands for the function that a loop is compiled with."""
    raise NotImplementedError


def _sum_over(owns: Any, opps: Any, thirds: Any) -> float:
    # An empty board ends the loop: an end that depends on the data keeps the compiler from taking several positions
    # at once, which no search could.
    index = uint64(0)
    total = timed(owns[index], opps[index], thirds[index])
    while owns[index] | opps[index]:
        total += timed(owns[index], opps[index], thirds[index])
        index += uint64(1)
    return total


def _loop_around(name: str, function: Any) -> Any:
    """The loop with its call bound to one function, as direct as the call in a search."""
    loop = types.FunctionType(_sum_over.__code__, {**globals(), "timed": function}, "time")
    return kernel("float64(uint64[::1], uint64[::1], uint64[::1])", identity=name)(loop)


def random_positions(how_many: int, variant: Variant = OTHELLO, seed: int = 0) -> tuple[Any, Any]:
    """Positions of random games, each side to move in turn: two arrays, `own` and `opp`."""
    rng = Random(seed)
    discs = variant.start_discs()
    start = discs[Color.BLACK], discs[Color.WHITE]
    own, opp = start
    positions: list[tuple[int, int]] = []
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


def nanoseconds(functions: Mapping[str, Any], variant: Variant = OTHELLO, third: int | None = None) -> dict[str, float]:
    """Nanoseconds a call of each function, the best of several passes; `third` is the board unless it is given."""
    owns, opps = (np.append(discs, np.uint64(0)) for discs in random_positions(POSITIONS, variant))
    # The third argument comes from an array as well: in a search nothing computed from it is carried from call to call.
    thirds = np.full_like(owns, variant.board if third is None else third)
    return {name: nanoseconds_over(name, function, owns, opps, thirds) for name, function in functions.items()}


def nanoseconds_over(name: str, function: Any, *arrays: Any) -> float:
    """Nanoseconds a call of a function of three words that stand in three arrays; the last ones of the first two are
    0 and end the loop. The best of several passes."""
    loop = _loop_around(name, function)
    best = float("inf")
    for _ in range(REPEATS):
        began = time.perf_counter_ns()
        loop(*arrays)
        best = min(best, time.perf_counter_ns() - began)
    return best / (len(arrays[0]) - 1)


def time_kernels() -> dict[str, float]:
    """Nanoseconds a call of the board's kernels."""
    on_the_board = {name: getattr(kernels, name) for name in ("legal_moves", "frontier", "stable_discs")}
    return {**nanoseconds(on_the_board), **nanoseconds({"flips": kernels.flips}, third=CENTRE_OF_A_SIDE)}


CENTRE_OF_A_SIDE = 3
"""d1: a square with five directions, some of them long; what stands there does not matter to the cost."""
