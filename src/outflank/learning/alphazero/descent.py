"""One pass of gradient descent over positions of self-play, compiled: for the value, and for the policy.

Positions are taken one by one, and the weights that spoke are corrected with AdaGrad's steps (Duchi and others 2011):
what has been corrected often moves less.
"""

import math
from typing import Any

import numpy as np

from outflank.board.compiled import kernel, uint64
from outflank.board.kernels import ONE, legal_moves
from outflank.board.memory import address_of, stack_words
from outflank.board.vectors import flips, lowest
from outflank.learning.alphazero.loops import MOST_MOVES
from outflank.patterns.lookup import VECTOR_WORDS, play_numbers, set_numbers, unsigned_at

Array = Any


@kernel("void(uint64, uint64, int64[::1], int32[::1], int32[::1])")
def _look(numbers: int, slots: int, offsets: Array, canonical: Array, found: Array) -> None:
    """Which weights the pattern numbers at an address point to."""
    number: Any = unsigned_at(numbers)
    for slot in range(slots):
        found[slot] = canonical[offsets[slot] + number[slot]]


@kernel("void(float32[::1], float32[::1], int32, float64, float64)")
def _correct(weights: Array, squares: Array, at: int, gradient: float, rate: float) -> None:
    squares[at] += np.float32(gradient * gradient)
    weights[at] -= np.float32(rate * gradient / math.sqrt(np.float64(squares[at])))


@kernel(
    "float64(uint64[::1], uint64[::1], float32[::1], int64[::1], uint64, int64[::1], int32[::1], float32[::1],"
    " float32[::1], float64)"
)
def descend_values(
    own: Array,
    opp: Array,
    targets: Array,
    order: Array,
    powers: int,
    offsets: Array,
    canonical: Array,
    weights: Array,
    squares: Array,
    rate: float,
) -> float:
    """One pass over positions, correcting the value's weights; returns the sum of the losses met on the way.

    Targets are expected results from 0 to 1. A rate of 0 only measures.
    """
    here = address_of(stack_words(VECTOR_WORDS))
    slots = uint64(offsets.size)
    found = np.zeros(offsets.size, np.int32)
    losses = 0.0
    for index in range(order.size):
        row = order[index]
        set_numbers(here, powers, own[row], opp[row])
        _look(here, slots, offsets, canonical, found)
        logit = 0.0
        for slot in range(slots):
            logit += np.float64(weights[found[slot]])
        target = np.float64(targets[row])
        # The cross entropy, written so that no exponential overflows.
        losses += max(logit, 0.0) - logit * target + math.log1p(math.exp(-abs(logit)))
        if rate > 0.0:
            gradient = 1.0 / (1.0 + math.exp(-logit)) - target
            for slot in range(slots):
                _correct(weights, squares, found[slot], gradient, rate)
    return losses


@kernel(
    "float64(uint64[::1], uint64[::1], int64[::1], uint16[::1], int64[::1], uint64, uint64, int64[::1], int32[::1],"
    " float32[::1], float32[::1], float64)"
)
def descend_policies(
    own: Array,
    opp: Array,
    starts: Array,
    counts: Array,
    order: Array,
    board: int,
    powers: int,
    offsets: Array,
    canonical: Array,
    weights: Array,
    squares: Array,
    rate: float,
) -> float:
    """One pass over positions, correcting the policy's weights towards the visits of their moves; returns the sum of
    the divergences met on the way (0 where the policy says what the search found). A rate of 0 only measures.
    """
    here = address_of(stack_words(VECTOR_WORDS))
    after = address_of(stack_words(VECTOR_WORDS))
    slots = uint64(offsets.size)
    before = np.zeros(offsets.size, np.int32)
    found = np.zeros((MOST_MOVES, offsets.size), np.int32)
    likely = np.zeros(MOST_MOVES, np.float64)
    losses = 0.0
    for index in range(order.size):
        row = order[index]
        set_numbers(here, powers, own[row], opp[row])
        _look(here, slots, offsets, canonical, before)
        moves = legal_moves(own[row], opp[row], board)
        children, visits, greatest = 0, 0.0, -math.inf
        while moves:
            square = lowest(moves)
            moves &= moves - ONE
            play_numbers(after, here, powers, square, flips(own[row], opp[row], square), uint64(0))
            _look(after, slots, offsets, canonical, found[children])
            logit = 0.0
            for slot in range(slots):
                logit += np.float64(weights[found[children, slot]])
            likely[children] = logit
            greatest = max(greatest, logit)
            visits += np.float64(counts[starts[row] + children])
            children += 1
        total = 0.0
        for child in range(children):
            likely[child] = math.exp(likely[child] - greatest)
            total += likely[child]
        for child in range(children):
            likely[child] /= total
            wanted = np.float64(counts[starts[row] + child]) / visits
            if wanted > 0.0:
                losses += wanted * math.log(wanted / max(likely[child], 1e-12))
            likely[child] -= wanted  # from here on the gradient
        if rate > 0.0:
            for slot in range(slots):
                # A pattern that most moves leave alone is corrected once for all of them.
                untouched = 0.0
                for child in range(children):
                    if found[child, slot] == before[slot]:
                        untouched += likely[child]
                    else:
                        _correct(weights, squares, found[child, slot], likely[child], rate)
                _correct(weights, squares, before[slot], untouched, rate)
    return losses
