"""A small network on top of the pattern sums: what patterns mean together, which no sum over them can say.

Every pattern number has a row of `WIDTH` small integers, the same at all stages. The rows of a position's patterns are
added up; clipped to 0 … 1 they are the inputs of a layer of `HIDDEN` units, together with counts of moves, and those
make the value. The layers are the stage's own. The rows are bytes and their sums 16 bits; the layers are floats, which
give the same result on every machine, as nothing is reordered.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types

from outflank.board.compiled import inline, kernel, uint64
from outflank.board.kernels import ONE, legal_moves
from outflank.patterns.shapes import PatternSet, number_on

WIDTH, HIDDEN, COUNTS = 16, 16, 4
"""Numbers of a pattern's row, units of the layer, and counts of moves that it also sees."""
INPUTS = WIDTH + COUNTS
STEPS = 128
"""So many steps of a row's numbers are 1."""
LARGEST_STEP = 127
DISCS = 8.0
"""A value of 1 is so many discs."""

FIRST_UNIT = WIDTH
BIAS = FIRST_UNIT + INPUTS * HIDDEN
OUTPUT = BIAS + HIDDEN
CONSTANT = OUTPUT + HIDDEN
LAYER_SIZE = CONSTANT + HIDDEN
"""A stage's floats: what is added to the sums; a row of weights for each input; the units' biases; what each adds to
the value; a constant (and padding)."""


@dataclass(frozen=True, eq=False)
class Network:
    """Rows for the numbers of all patterns, and layers for each stage."""

    rows: Any
    """(numbers, WIDTH) of int8; numbers that mean the same have the same."""
    layers: Any
    """(stages, LAYER_SIZE) of float32."""

    def fits(self, patterns: PatternSet, stages: int) -> bool:
        """Whether it has the shape that a board's patterns ask for."""
        shapes = ((patterns.weights, WIDTH), (stages, LAYER_SIZE))
        return (self.rows.shape, self.layers.shape) == shapes and (self.rows.dtype, self.layers.dtype) == (
            np.int8,
            np.float32,
        )

    def share(self, patterns: PatternSet, stage: int, own: int, opp: int, board: int) -> float:
        """What it adds to a position's value, in discs: the slow reading, for explanations."""
        layer = self.layers[stage]
        numbers = [pattern.offset + number_on(place, own, opp) for pattern, place in patterns.places]
        sums = self.rows[numbers].sum(axis=0, dtype=np.int64) / STEPS + layer[:WIDTH]
        sides, empty = ((own, opp), (opp, own)), board & ~(own | opp)
        counts = [int(legal_moves(*side, board)).bit_count() for side in sides]
        counts += [int(around(other) & empty).bit_count() for _, other in sides]
        inputs = np.concatenate([np.clip(sums, 0, 1), counts])
        units = inputs @ layer[FIRST_UNIT:BIAS].reshape(INPUTS, HIDDEN) + layer[BIAS:OUTPUT]
        return float(DISCS * (np.clip(units, 0, 1) @ layer[OUTPUT:CONSTANT] + layer[CONSTANT]))

    @property
    def content(self) -> bytes:
        return bytes(self.rows.tobytes() + self.layers.tobytes())


@kernel("uint64(uint64)")
def around(discs: int) -> int:
    """The discs and all squares beside them."""
    row = discs | ((discs << ONE) & uint64(0xFEFEFEFEFEFEFEFE)) | ((discs >> ONE) & uint64(0x7F7F7F7F7F7F7F7F))
    return row | (row << uint64(8)) | (row >> uint64(8))


BYTE, SHORT, WORD, REAL = ir.IntType(8), ir.IntType(16), ir.IntType(64), ir.FloatType()


def _vector(kind: Any, lanes: int) -> Any:
    return ir.VectorType(kind, lanes)


def _every(kind: Any, lanes: int, value: float) -> Any:
    return ir.Constant(_vector(kind, lanes), [value] * lanes)


def _spread(builder: Any, value: Any, lanes: int) -> Any:
    """The value in every lane."""
    nothing = ir.Constant(_vector(value.type, lanes), ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(_vector(ir.IntType(32), lanes), [0] * lanes))


def _clipped(builder: Any, vector: Any, lanes: int) -> Any:
    """Each lane, not below 0 nor above 1."""
    for outside, bound in (("<", 0.0), (">", 1.0)):
        limit = _every(REAL, lanes, bound)
        vector = builder.select(builder.fcmp_ordered(outside, vector, limit), limit, vector)
    return vector


@inline
def network_value(
    typing_context: Any, numbers: Any, offsets: Any, slots: Any, rows: Any, layers: Any, counts: Any
) -> Any:
    """The network's share of a value, in discs: of the pattern numbers, the tables' offsets, a side's rows, a stage's
    layers and the counts of moves, a word each, all at their addresses."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbers, offsets, slots, rows, layers, counts = arguments
        sums_type = _vector(SHORT, WIDTH)
        number_at, offset_at = (
            builder.inttoptr(address, kind.as_pointer()) for address, kind in ((numbers, SHORT), (offsets, WORD))
        )
        before, loop, done = builder.block, *(builder.append_basic_block(name) for name in ("row", "summed"))
        builder.branch(loop)
        builder.position_at_end(loop)
        slot, total = builder.phi(WORD), builder.phi(sums_type)
        slot.add_incoming(ir.Constant(WORD, 0), before)
        total.add_incoming(_every(SHORT, WIDTH, 0), before)
        which = builder.add(
            builder.load(builder.gep(offset_at, [slot])),
            builder.zext(builder.load(builder.gep(number_at, [slot])), WORD),
        )
        address = builder.add(rows, builder.mul(which, ir.Constant(WORD, WIDTH)))
        row = builder.load(builder.inttoptr(address, _vector(BYTE, WIDTH).as_pointer()), align=1)
        grown = builder.add(total, builder.sext(row, sums_type))
        following = builder.add(slot, ir.Constant(WORD, 1))
        slot.add_incoming(following, loop)
        total.add_incoming(grown, loop)
        builder.cbranch(builder.icmp_unsigned("<", following, slots), loop, done)
        builder.position_at_end(done)

        layer = builder.inttoptr(layers, REAL.as_pointer())

        def floats(first: int, lanes: int) -> Any:
            at = builder.gep(layer, [ir.Constant(WORD, first)])
            return builder.load(builder.bitcast(at, _vector(REAL, lanes).as_pointer()), align=4)

        sums = builder.fmul(builder.sitofp(grown, _vector(REAL, WIDTH)), _every(REAL, WIDTH, 1 / STEPS))
        clipped = _clipped(builder, builder.fadd(sums, floats(0, WIDTH)), WIDTH)
        inputs = [builder.extract_element(clipped, ir.Constant(ir.IntType(32), at)) for at in range(WIDTH)]
        count_at = builder.inttoptr(counts, WORD.as_pointer())
        for index in range(COUNTS):
            counted = builder.load(builder.gep(count_at, [ir.Constant(WORD, index)]))
            inputs.append(builder.sitofp(counted, REAL))
        # Four sums, so that an addition need not wait for the one before.
        parts = [floats(BIAS, HIDDEN), *[_every(REAL, HIDDEN, 0.0)] * 3]
        for index, value in enumerate(inputs):
            weights = floats(FIRST_UNIT + HIDDEN * index, HIDDEN)
            part = builder.fmul(weights, _spread(builder, value, HIDDEN))
            parts[index % 4] = builder.fadd(parts[index % 4], part)
        units = builder.fadd(builder.fadd(parts[0], parts[1]), builder.fadd(parts[2], parts[3]))
        shares = builder.fmul(_clipped(builder, units, HIDDEN), floats(OUTPUT, HIDDEN))
        lanes = HIDDEN
        while lanes > 1:
            lanes //= 2
            halves = [
                builder.shuffle_vector(
                    shares, shares, ir.Constant(_vector(ir.IntType(32), lanes), list(range(first, first + lanes)))
                )
                for first in (0, lanes)
            ]
            shares = builder.fadd(*halves)
        constant = builder.load(builder.gep(layer, [ir.Constant(WORD, CONSTANT)]))
        value = builder.fadd(builder.extract_element(shares, ir.Constant(ir.IntType(32), 0)), constant)
        return builder.fpext(builder.fmul(value, ir.Constant(REAL, DISCS)), ir.DoubleType())

    return types.float64(*[types.uint64] * 6), generate
