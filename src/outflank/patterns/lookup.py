"""Pattern numbers kept as one vector, and the look-ups that turn them into a value: compiled.

The numbers are in absolute colours: empty 0, black 1, white 2. Weights are kept twice, for Black and for White to
move, so that nothing is turned round when the side changes.
"""

from typing import Any

from llvmlite import ir
from numba.core import types

from outflank.board.compiled import inline, int64, kernel, uint64
from outflank.board.kernels import ONE
from outflank.board.records import Row
from outflank.board.vectors import lowest
from outflank.patterns.shapes import SLOTS, pattern_set

Shorts = Any  # a pointer to 16-bit numbers

SHORT, WORD = ir.IntType(16), ir.IntType(64)
NUMBERS = ir.VectorType(SHORT, SLOTS)
VECTOR_BYTES = 2 * SLOTS
VECTOR_WORDS = VECTOR_BYTES // 8
FIRST_DISCS = 4
"""A game begins with so many discs, and the first stage; a board set up with fewer belongs to it too."""


def _vector_at(builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, NUMBERS.as_pointer())


def _all_lanes(builder: Any, word: Any) -> Any:
    nothing = ir.Constant(NUMBERS, ir.Undefined)
    first = builder.insert_element(nothing, builder.trunc(word, SHORT), ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), SLOTS), [0] * SLOTS))


@inline
def play_numbers(
    typing_context: Any, target: Any, source: Any, powers: Any, square: Any, turned: Any, white: Any
) -> Any:
    """The pattern numbers after a move: from the vector at `source` to the one at `target` (addresses).

    A new disc adds its power once (black) or twice (white); a turned one takes one power away or adds one.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target, source, powers, square, turned, white = arguments

        def power_of(square: Any) -> Any:
            offset = builder.mul(square, ir.Constant(WORD, VECTOR_BYTES))
            return builder.load(_vector_at(builder, builder.add(powers, offset)), align=2)

        placed = power_of(square)
        if_white = _all_lanes(builder, builder.neg(white))
        numbers = builder.add(builder.load(_vector_at(builder, source), align=2), placed)
        numbers = builder.add(numbers, builder.and_(placed, if_white))

        before, loop, done = builder.block, *(builder.append_basic_block(name) for name in ("turn", "turned"))
        builder.branch(loop)
        builder.position_at_end(loop)
        left, total = builder.phi(WORD), builder.phi(NUMBERS)
        left.add_incoming(turned, before)
        total.add_incoming(ir.Constant(NUMBERS, [0] * SLOTS), before)
        grown = builder.add(total, power_of(builder.cttz(left, ir.Constant(ir.IntType(1), 1))))
        rest = builder.and_(left, builder.sub(left, ir.Constant(WORD, 1)))
        left.add_incoming(rest, loop)
        total.add_incoming(grown, loop)
        builder.cbranch(builder.icmp_unsigned("!=", rest, ir.Constant(WORD, 0)), loop, done)
        builder.position_at_end(done)
        # White turns black discs (1) into white ones (2), Black the other way: plus or minus one power each.
        if_black = builder.not_(if_white)
        signed = builder.sub(builder.xor(grown, if_black), if_black)
        builder.store(builder.add(numbers, signed), _vector_at(builder, target), align=2)
        return context.get_dummy_value()

    return types.void(*[types.uint64] * 6), generate


def _shorts(kind: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], SHORT.as_pointer())

    return types.CPointer(kind)(types.uint64), generate


@inline
def unsigned_at(typing_context: Any, address: Any) -> Any:
    """The memory at an address as unsigned 16-bit numbers."""
    return _shorts(types.uint16)


@inline
def signed_at(typing_context: Any, address: Any) -> Any:
    """The memory at an address as signed 16-bit numbers."""
    return _shorts(types.int16)


@kernel("int64(uint64, uint64)")
def weight_at(weights: int, index: int) -> int:
    """One weight of those at an address."""
    weight: Shorts = signed_at(weights)
    return int64(weight[index])


@kernel("uint64(uint64, uint64)")
def stage_of(discs: int, plies_a_stage: int) -> int:
    """The stage of a game with so many discs; the last stage of some tables reaches further than its plies."""
    return (max(discs, uint64(FIRST_DISCS)) - uint64(FIRST_DISCS)) // plies_a_stage


@kernel("int64(uint64, uint64, Words, uint64)")
def look_up_sum(numbers: int, weights: int, offsets: Row[int], slots: int) -> int:
    """The sum of the weights that the numbers point to."""
    number: Shorts = unsigned_at(numbers)
    weight: Shorts = signed_at(weights)
    total = int64(0)
    for slot in range(slots):
        total += int64(weight[offsets[slot] + uint64(number[slot])])
    return total


@inline
def look_up_sum_8x8(typing_context: Any, numbers: Any, weights: Any) -> Any:
    """The same for the patterns of 8x8: where their tables begin is known here, so that there is no loop."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, weight = (builder.inttoptr(address, SHORT.as_pointer()) for address in arguments)
        patterns = pattern_set(8, 8)
        assert patterns is not None
        half = ir.IntType(32)
        totals = [ir.Constant(half, 0)] * 2  # two, so that an addition need not wait for the one before
        for slot, offset in enumerate(patterns.offsets().tolist()):
            at = builder.zext(builder.load(builder.gep(number, [ir.Constant(WORD, slot)])), WORD)
            found = builder.load(builder.gep(builder.gep(weight, [at]), [ir.Constant(WORD, offset)]))
            totals[slot % 2] = builder.add(totals[slot % 2], builder.sext(found, half))
        return builder.sext(builder.add(*totals), WORD)

    return types.int64(types.uint64, types.uint64), generate


@kernel("void(uint64, uint64, uint64, uint64)")
def set_numbers(target: int, powers: int, black: int, white: int) -> None:
    """The pattern numbers of a position, from nothing."""
    number: Shorts = unsigned_at(target)
    for slot in range(uint64(SLOTS)):
        number[slot] = 0
    discs = black | white
    while discs:
        square = lowest(discs)
        discs &= discs - ONE
        power: Shorts = unsigned_at(powers + square * uint64(VECTOR_BYTES))
        for slot in range(uint64(SLOTS)):
            number[slot] += power[slot]
            if (white >> square) & ONE:
                number[slot] += power[slot]
