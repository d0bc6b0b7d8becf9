"""Fits a network on top of pattern weights: gradient descent on what their sums leave over, compiled.

Positions are taken one by one, in random order, and what spoke is corrected with AdaGrad's steps (Duchi and others
2011). All stages share the rows of pattern numbers, so that every position teaches them; the layers are the stage's.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from outflank.board.compiled import kernel, uint64
from outflank.board.kernels import legal_moves
from outflank.board.memory import address_of, stack_words
from outflank.board.vectors import count
from outflank.learning.games.positions import Positions
from outflank.patterns.lookup import VECTOR_WORDS, set_numbers, stage_of, unsigned_at
from outflank.patterns.network import (
    BIAS,
    CONSTANT,
    COUNTS,
    DISCS,
    FIRST_UNIT,
    HIDDEN,
    INPUTS,
    LAYER_SIZE,
    MOST_SQUARES,
    OUTPUT,
    WIDTH,
    Network,
    around,
    row_patterns,
)
from outflank.patterns.shapes import PLIES_A_STAGE, require_patterns
from outflank.patterns.weights import UNITS_A_DISC, Weights

Array = Any

FEWEST_DISCS, FEWEST_EMPTIES = 20, 4
"""Where the network speaks: searches hardly ever ask about earlier positions, and solve later ones."""
ROW_RATE, LAYER_RATE = 0.01, 0.08
"""The size of a first correction. On 8 million positions rows at 0.05 and 0.2 left more error."""
CAUTION = 1.0
"""What AdaGrad's sums begin with."""
LEAK = np.float32(0.02)
"""What part of a gradient passes where a value is clipped, so that no unit is lost for good."""
LARGEST_ERROR = np.float32(2.5)
"""Errors count no more than this, times `DISCS`: a few games of blunders would outweigh the rest."""
OF_RESULT = 0.3
"""What a position counts whose label is only the exact score of a later one."""
A_PART = 1_000_000
"""Positions between two looks at how far it is."""
MIDDLE = 0.5
SEED = 5


@kernel(
    "float64(uint64[::1], uint64[::1], float32[::1], float32[::1], int64[::1], uint64, uint64, int64[::1],"
    " int16[:, ::1], int64[::1], int64[::1], int32[::1], float32[:, ::1], float32[::1], float32[:, ::1],"
    " float32[:, ::1], float32)"
)
def descend(
    own: Array,
    opp: Array,
    margins: Array,
    importance: Array,
    order: Array,
    board: int,
    powers: int,
    offsets: Array,
    table: Array,
    slots: Array,
    row_offsets: Array,
    canonical: Array,
    rows: Array,
    row_squares: Array,
    layers: Array,
    layer_squares: Array,
    rate: float,
) -> float:
    """One pass over positions in an order, correcting rows and layers; returns the mean of the squared errors met, in
    discs. A rate of 0 only measures."""
    numbers = address_of(stack_words(VECTOR_WORDS))
    found = np.zeros(slots.size, np.int32)
    sums, inputs = np.zeros(WIDTH, np.float32), np.zeros(INPUTS, np.float32)
    units, down = np.zeros(HIDDEN, np.float32), np.zeros(WIDTH, np.float32)
    none, one, discs_a_unit = np.float32(0), np.float32(1), np.float32(DISCS)
    losses, counted = 0.0, 0.0
    for index in range(order.size):
        at = order[index]
        empty = board & ~(own[at] | opp[at])
        stage = stage_of(count(own[at] | opp[at]), uint64(PLIES_A_STAGE))
        layer, squares = layers[stage], layer_squares[stage]
        set_numbers(numbers, powers, own[at], opp[at])
        number: Any = unsigned_at(numbers)
        by_sum = np.int64(0)
        sums[:] = layer[:WIDTH]
        for slot in range(offsets.size):
            by_sum += np.int64(table[stage, offsets[slot] + number[slot]])
        for which in range(slots.size):
            where = canonical[row_offsets[which] + number[slots[which]]]
            found[which] = where
            row = rows[where]
            for k in range(WIDTH):
                sums[k] += row[k]
        for k in range(WIDTH):
            inputs[k] = min(max(sums[k], none), one)
        inputs[WIDTH] = np.float32(count(legal_moves(own[at], opp[at], board)))
        inputs[WIDTH + 1] = np.float32(count(legal_moves(opp[at], own[at], board)))
        inputs[WIDTH + 2] = np.float32(count(around(opp[at]) & empty))
        inputs[WIDTH + 3] = np.float32(count(around(own[at]) & empty))
        units[:] = layer[BIAS:OUTPUT]
        for k in range(INPUTS):
            weights = layer[FIRST_UNIT + HIDDEN * k : FIRST_UNIT + HIDDEN * (k + 1)]
            for j in range(HIDDEN):
                units[j] += weights[j] * inputs[k]
        value = layer[CONSTANT] + np.float32(by_sum) / np.float32(UNITS_A_DISC * DISCS)
        for j in range(HIDDEN):
            value += layer[OUTPUT + j] * min(max(units[j], none), one)
        error = value - margins[at] / discs_a_unit
        counting = importance[at]
        losses += np.float64(counting * error * error)
        counted += np.float64(counting)
        if rate <= none:
            continue
        slope = counting * min(max(error, -LARGEST_ERROR), LARGEST_ERROR)
        step = rate * np.float32(LAYER_RATE)
        _correct(layer, squares, CONSTANT, slope, step)
        for j in range(HIDDEN):
            spoken = min(max(units[j], none), one)
            back = slope * layer[OUTPUT + j]
            if units[j] < none or units[j] > one:
                back *= LEAK
            _correct(layer, squares, OUTPUT + j, slope * spoken, step)
            _correct(layer, squares, BIAS + j, back, step)
            units[j] = back  # from here on the gradient
        squared = none
        for k in range(INPUTS):
            first, total = FIRST_UNIT + HIDDEN * k, none
            for j in range(HIDDEN):
                total += units[j] * layer[first + j]
            # Counts of moves are some eight times as large as the other inputs, and their weights as much smaller.
            length = step if k < WIDTH else step / discs_a_unit
            for j in range(HIDDEN):
                gradient = units[j] * inputs[k]
                squares[first + j] += gradient * gradient
                layer[first + j] -= length * gradient / np.sqrt(squares[first + j])
            if k < WIDTH:
                if sums[k] < none or sums[k] > one:
                    total *= LEAK
                down[k] = total
                squared += total * total
                _correct(layer, squares, k, total, step)
        squared /= np.float32(WIDTH)
        for which in range(slots.size):
            where = found[which]
            row_squares[where] += squared
            length = rate * np.float32(ROW_RATE) / np.sqrt(row_squares[where])
            row = rows[where]
            for k in range(WIDTH):
                row[k] -= length * down[k]
    return DISCS * DISCS * losses / max(counted, 1e-9)


@kernel("void(float32[::1], float32[::1], int64, float32, float32)", inlined=True)
def _correct(weights: Array, squares: Array, at: int, gradient: Array, step: Array) -> None:
    """One step of a single weight; numbers are of 32 bits."""
    squares[at] += gradient * gradient
    weights[at] -= step * gradient / np.sqrt(squares[at])


def first_layers(stages: int, seed: int) -> Array:
    """Layers that say nothing yet: random weights that average out, the same for every stage."""
    dice = np.random.default_rng(seed)
    layers = np.zeros((stages, LAYER_SIZE), np.float32)
    into = dice.normal(0, 1 / math.sqrt(WIDTH), (INPUTS, HIDDEN))
    into[WIDTH:] *= 0.3 / DISCS
    middle = np.array([MIDDLE] * WIDTH + [MIDDLE * DISCS] * COUNTS)
    out = dice.normal(0, 0.5, HIDDEN)
    layers[:, :WIDTH] = MIDDLE
    layers[:, FIRST_UNIT:BIAS] = into.ravel()
    layers[:, BIAS:OUTPUT] = MIDDLE - middle @ into + dice.normal(0, 0.1, HIDDEN)
    layers[:, OUTPUT:CONSTANT] = out
    layers[:, CONSTANT] = -MIDDLE * out.sum()
    return layers


class NetworkFit:
    """A network for positions with labels, on top of the patterns' sums. Iterate over `parts` to do the work."""

    def __init__(self, positions: Positions, held: Positions, weights: Weights, passes: int, seed: int = SEED) -> None:
        self.weights, self.passes = weights, passes
        variant = weights.variant
        patterns, small = require_patterns(variant), row_patterns(variant)
        most = variant.square_count - FEWEST_EMPTIES
        self._learnt, self._held = (each.between(FEWEST_DISCS, most) for each in (positions, held))
        self._dice = np.random.default_rng(seed)
        self._rows = np.zeros((small.weights, WIDTH), np.float32)
        self._row_squares = np.full(small.weights, CAUTION, np.float32)
        self._layers = first_layers(len(weights.table), seed)
        self._squares = np.full_like(self._layers, CAUTION)
        self._powers = np.ascontiguousarray(patterns.powers())
        self._canonical = small.canonical().astype(np.int32)
        self._places = (
            patterns.offsets().astype(np.int64),
            np.ascontiguousarray(weights.table),
            np.array(patterns.slots(MOST_SQUARES)),
            small.offsets().astype(np.int64),
            self._canonical,
        )

    @property
    def part_count(self) -> int:
        return self.passes * -(-len(self._learnt) // A_PART)

    def parts(self) -> Iterator[float]:
        """Fits one part after the other; each gives the error met on its way, before it was learnt."""
        done, of = 0, max(self.passes * len(self._learnt), 1)
        for _ in range(self.passes):
            order = self._dice.permutation(len(self._learnt))
            for first in range(0, len(order), A_PART):
                rate = min(1.0, 2 * (1 - done / of))  # full for the first half, then less and less
                done += len(order[first : first + A_PART])
                yield math.sqrt(self._pass(self._learnt, order[first : first + A_PART], rate))

    def error(self) -> float:
        """The root mean square error on the positions held out, in discs, by their importance."""
        return math.sqrt(self._pass(self._held, np.arange(len(self._held)), 0.0))

    def _pass(self, positions: Positions, order: Array, rate: float) -> float:
        columns = (positions.own, positions.opp, positions.margin, positions.importance, order)
        board = (self.weights.variant.board, self._powers.ctypes.data)
        learnt = (self._rows, self._row_squares, self._layers, self._squares)
        return float(descend(*columns, *board, *self._places, *learnt, rate))

    def network(self) -> Network:
        """The result; stages that no position speaks for say nothing."""
        layers = self._layers.copy()
        spoken = np.unique((self._learnt.discs.astype(np.int64) - 4) // PLIES_A_STAGE)
        layers[np.setdiff1d(np.arange(len(layers)), spoken)] = 0
        return Network.rounded(self._rows[self._canonical], layers)
