"""A small network on top of the pattern sums: what patterns mean together, which no sum over them can say.

Every number of a pattern of at most `MOST_SQUARES` squares has a row of `WIDTH` small integers, the same at all stages.
The rows of a position's patterns are added up; clipped to 0 … 1 they are the inputs of a layer of `HIDDEN` units,
together with counts of moves, and those make the value. The layers are the stage's own. All is in integers of 8 and 16
bits: a value takes half as long as in floats, and is the same on every machine.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types

from outflank.board.compiled import inline, kernel, uint64
from outflank.board.kernels import ONE, legal_moves
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.patterns.shapes import PatternSet, number_on, pattern_set

MOST_SQUARES = 9
"""The tables of larger shapes are six times as large together: their rows lie outside the processor's near caches, and
the errors are hardly smaller."""
WIDTH, HIDDEN, COUNTS = 16, 16, 4
"""Numbers of a pattern's row, units of the layer, and counts of moves that it also sees."""
INPUTS = WIDTH + COUNTS
DISCS = 8
"""A value of 1 is so many discs."""

# What 1 is, as a power of two: of a row's numbers, of the two kinds of inputs, of a unit before and after it is
# clipped, and of the value. A product keeps its upper 16 bits: an input's power and its weight's are a unit's and 16.
STEP_BITS, INPUT_BITS, COUNT_BITS, UNIT_BITS, CLIPPED_BITS, VALUE_BITS = 8, 13, 9, 10, 14, 11
HALF = 16
LARGEST_STEP = 127

FIRST_UNIT = WIDTH
BIAS = FIRST_UNIT + INPUTS * HIDDEN
OUTPUT = BIAS + HIDDEN
CONSTANT = OUTPUT + HIDDEN
LAYER_SIZE = CONSTANT + HIDDEN
"""A stage's numbers: what is added to the sums; a row of weights for each input; the units' biases; what each adds to
the value; a constant (and padding)."""


def _powers() -> Any:
    """What 1 is of each of a stage's numbers."""
    parts = [
        *[STEP_BITS] * WIDTH,
        *[UNIT_BITS + HALF - INPUT_BITS] * (WIDTH * HIDDEN),
        *[UNIT_BITS + HALF - COUNT_BITS] * (COUNTS * HIDDEN),
        *[UNIT_BITS] * HIDDEN,
        *[VALUE_BITS + HALF - CLIPPED_BITS] * HIDDEN,
        *[VALUE_BITS] * HIDDEN,
    ]
    return np.exp2(np.array(parts))


def _shorts(numbers: Any) -> Any:
    """The nearest numbers of 16 bits."""
    most = np.iinfo(np.int16).max
    return np.clip(np.rint(numbers), -most, most).astype(np.int16)


@cache
def row_patterns(variant: Variant) -> PatternSet:
    """The patterns that have rows; only boards of 8x8 have a network."""
    patterns = pattern_set(variant.rows, variant.columns)
    if patterns is None or (variant.rows, variant.columns) != (8, 8):
        raise Fault("patterns.no-network", variant=variant)
    return patterns.up_to(MOST_SQUARES)


@dataclass(frozen=True, eq=False)
class Network:
    """Rows for the numbers of small patterns, and layers for each stage."""

    rows: Any
    """(numbers, WIDTH) of int8; numbers that mean the same have the same."""
    layers: Any
    """(stages, LAYER_SIZE) of int16."""

    @classmethod
    def rounded(cls, rows: Any, layers: Any) -> "Network":
        """From rows and layers of real numbers."""
        steps = np.clip(np.rint(rows * (1 << STEP_BITS)), -LARGEST_STEP, LARGEST_STEP).astype(np.int8)
        scaled = layers * _powers()
        # Each product loses what lies below its lowest bit: half of that on the average.
        speaks = layers.any(axis=1)
        scaled[speaks, BIAS:OUTPUT] += INPUTS / 2
        scaled[speaks, CONSTANT] += HIDDEN / 2
        return cls(np.ascontiguousarray(steps), _shorts(scaled))

    def fits(self, variant: Variant, stages: int) -> bool:
        """Whether it has the shape that a game asks for."""
        shapes = ((row_patterns(variant).weights, WIDTH), (stages, LAYER_SIZE))
        kinds = (self.rows.dtype, self.layers.dtype)
        return (self.rows.shape, self.layers.shape) == shapes and kinds == (np.int8, np.int16)

    def stretched(self, factor: float) -> "Network":
        """One that says so many times as much."""
        layers = self.layers.astype(np.float64)
        layers[:, OUTPUT:] *= factor
        return Network(self.rows, _shorts(layers))

    def share(self, variant: Variant, stage: int, own: int, opp: int) -> float:
        """What it adds to a position's value, in discs: the slow reading, for explanations."""
        layer = self.layers[stage].astype(np.int64)
        numbers = [pattern.offset + number_on(place, own, opp) for pattern, place in row_patterns(variant).places]
        sums = self.rows[numbers].sum(axis=0, dtype=np.int64) + layer[:WIDTH]
        sides, empty = ((own, opp), (opp, own)), variant.board & ~(own | opp)
        counts = [int(legal_moves(*side, variant.board)).bit_count() for side in sides]
        counts += [int(around(other) & empty).bit_count() for _, other in sides]
        clipped = np.clip(sums, 0, 1 << STEP_BITS) << (INPUT_BITS - STEP_BITS)
        inputs = np.concatenate([clipped, np.array(counts) << COUNT_BITS])
        products = inputs[:, None] * layer[FIRST_UNIT:BIAS].reshape(INPUTS, HIDDEN) >> HALF
        units = np.clip(products.sum(axis=0) + layer[BIAS:OUTPUT], 0, 1 << UNIT_BITS) << (CLIPPED_BITS - UNIT_BITS)
        value = (units * layer[OUTPUT:CONSTANT] >> HALF).sum() + layer[CONSTANT]
        return float(DISCS * value / (1 << VALUE_BITS))

    @property
    def content(self) -> bytes:
        return bytes(self.rows.tobytes() + self.layers.tobytes())


@kernel("uint64(uint64)")
def around(discs: int) -> int:
    """The discs and all squares beside them."""
    row = discs | ((discs << ONE) & uint64(0xFEFEFEFEFEFEFEFE)) | ((discs >> ONE) & uint64(0x7F7F7F7F7F7F7F7F))
    return row | (row << uint64(8)) | (row >> uint64(8))


BYTE, SHORT, INT, WORD = (ir.IntType(bits) for bits in (8, 16, 32, 64))


def _every(value: int) -> Any:
    return ir.Constant(ir.VectorType(SHORT, HIDDEN), [value] * HIDDEN)


def _lanes(*chosen: int) -> Any:
    return ir.Constant(ir.VectorType(INT, len(chosen)), list(chosen))


def _clipped(builder: Any, vector: Any, most: int) -> Any:
    """Each lane, not below 0 nor above so much."""
    for outside, bound in (("<", 0), (">", most)):
        limit = _every(bound)
        vector = builder.select(builder.icmp_signed(outside, vector, limit), limit, vector)
    return vector


def _product(builder: Any, one: Any, other: Any) -> Any:
    """The upper halves of the lanes' products: one instruction on most processors."""
    wide = ir.VectorType(INT, HIDDEN)
    product = builder.mul(builder.sext(one, wide), builder.sext(other, wide))
    return builder.trunc(builder.lshr(product, ir.Constant(wide, [HALF] * HIDDEN)), one.type)


@inline
def network_value(typing_context: Any, numbers: Any, rows: Any, layer: Any, counts: Any) -> Any:
    """What the network adds on 8x8, of `VALUE_BITS`: from the pattern numbers, a side's rows, a stage's layer and the
    counts of moves, a word each, all at their addresses."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers, rows, layers, counts = arguments
        vector, row = ir.VectorType(SHORT, HIDDEN), ir.VectorType(BYTE, WIDTH)
        number_at, layer_at = (builder.inttoptr(at, SHORT.as_pointer()) for at in (numbers, layers))
        row_at, count_at = builder.inttoptr(rows, row.as_pointer()), builder.inttoptr(counts, WORD.as_pointer())

        def shorts(first: int) -> Any:
            at = builder.gep(layer_at, [ir.Constant(WORD, first)])
            return builder.load(builder.bitcast(at, vector.as_pointer()), align=2)

        patterns = pattern_set(8, 8)
        assert patterns is not None
        sums = shorts(0)
        for slot, offset in zip(
            patterns.slots(MOST_SQUARES), patterns.up_to(MOST_SQUARES).offsets().tolist(), strict=True
        ):
            number = builder.zext(builder.load(builder.gep(number_at, [ir.Constant(WORD, slot)])), WORD)
            found = builder.gep(builder.gep(row_at, [number]), [ir.Constant(WORD, offset)])
            sums = builder.add(sums, builder.sext(builder.load(found, align=1), vector))
        clipped = builder.shl(_clipped(builder, sums, 1 << STEP_BITS), _every(INPUT_BITS - STEP_BITS))
        nothing = ir.Constant(vector, ir.Undefined)
        inputs = [(clipped, at) for at in range(WIDTH)]
        for at in range(COUNTS):
            counted = builder.trunc(builder.load(builder.gep(count_at, [ir.Constant(WORD, at)])), SHORT)
            scaled = builder.shl(counted, ir.Constant(SHORT, COUNT_BITS))
            inputs.append((builder.insert_element(nothing, scaled, ir.Constant(INT, 0)), 0))
        units = [shorts(BIAS), _every(0)]  # two sums, so that an addition need not wait for the one before
        for index, (source, lane) in enumerate(inputs):
            spread = builder.shuffle_vector(source, nothing, _lanes(*[lane] * HIDDEN))
            product = _product(builder, spread, shorts(FIRST_UNIT + HIDDEN * index))
            units[index % 2] = builder.add(units[index % 2], product)
        together = _clipped(builder, builder.add(*units), 1 << UNIT_BITS)
        shares = _product(builder, builder.shl(together, _every(CLIPPED_BITS - UNIT_BITS)), shorts(OUTPUT))
        lanes = HIDDEN
        while lanes > 1:
            lanes //= 2
            halves = (_lanes(*range(first, first + lanes)) for first in (0, lanes))
            shares = builder.add(*(builder.shuffle_vector(shares, shares, half) for half in halves))
        constant = builder.load(builder.gep(layer_at, [ir.Constant(WORD, CONSTANT)]))
        return builder.sext(builder.add(builder.extract_element(shares, ir.Constant(INT, 0)), constant), WORD)

    return types.int64(*[types.uint64] * 4), generate
