"""The innermost operations, written as LLVM vector code: four directions side by side.

LLVM lowers ``<4 x i64>`` to AVX2, AVX-512 or NEON by itself. The four lanes are the directions east,
south, south-west and south-east (steps of 1, 8, 7 and 9 bits); shifting left walks along them and
shifting right walks back, so two fills cover all eight.
"""

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import types

from outflank.board.compiled import inline, instruction, uint64

STEPS = (1, 8, 7, 9)
DIRECTIONS = ((0, 1), (1, 0), (1, -1), (1, 1))
LANES = len(STEPS)
ALL = (1 << 64) - 1
NOT_SIDE_COLUMNS = 0x7E7E7E7E7E7E7E7E

WORD = ir.IntType(64)
VECTOR = ir.VectorType(WORD, LANES)
BYTES = ir.VectorType(ir.IntType(8), 64)
ZERO_IS_UNDEFINED = ir.Constant(ir.IntType(1), 1)

Value = Any  # an LLVM value; llvmlite has no types
Builder = Any


def _word(value: int) -> Value:
    return ir.Constant(WORD, value & ALL)


def _lanes(values: Sequence[int]) -> Value:
    return ir.Constant(VECTOR, [_word(value) for value in values])


def _indices(values: Sequence[int]) -> Value:
    return ir.Constant(ir.VectorType(ir.IntType(32), len(values)), list(values))


def _spread(builder: Builder, word: Value) -> Value:
    """The word in every lane."""
    nothing = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, word, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, _indices([0] * LANES))


def _fold(builder: Builder, vector: Value, combine: Callable[[Value, Value], Value]) -> Value:
    """The four lanes combined into one word."""
    halves = [builder.shuffle_vector(vector, vector, _indices(half)) for half in ((0, 1), (2, 3))]
    pair = combine(*halves)
    return combine(*(builder.extract_element(pair, ir.Constant(ir.IntType(32), lane)) for lane in (0, 1)))


def _nonzero(builder: Builder, vector: Value) -> Value:
    """All ones in the lanes that are not zero."""
    return builder.sext(builder.icmp_unsigned("!=", vector, _lanes([0] * LANES)), VECTOR)


def _table(builder: Builder, name: str, rows: Sequence[Sequence[int]]) -> Value:
    """A constant table of vectors inside the compiled module: no address of this process is baked in."""
    module = builder.module
    if name in module.globals:
        return module.globals[name]
    kind = ir.ArrayType(VECTOR, len(rows))
    table = ir.GlobalVariable(module, kind, name)
    table.linkage = "internal"
    table.global_constant = True
    table.align = 32
    table.initializer = ir.Constant(kind, [_lanes(row) for row in rows])
    return table


def _ray(square: int, direction: tuple[int, int]) -> int:
    """The squares from (not with) a square to the rim of the 8x8 board."""
    mask = 0
    row, column = square // 8 + direction[0], square % 8 + direction[1]
    while 0 <= row < 8 and 0 <= column < 8:
        mask |= 1 << (8 * row + column)
        row, column = row + direction[0], column + direction[1]
    return mask


RAYS_FORWARD = [[_ray(square, direction) for direction in DIRECTIONS] for square in range(64)]
RAYS_BACK = [[_ray(square, (-down, -right)) for down, right in DIRECTIONS] for square in range(64)]


def _off_the_rim(rays: list[list[int]], distance: int) -> Value:
    """For each lane, the squares from which that many steps along its rays leave the 8x8 board."""
    return _lanes(
        [sum(1 << square for square in range(64) if rays[square][lane].bit_count() < distance) for lane in range(LANES)]
    )


def _steps(times: int) -> Value:
    return _lanes([times * step for step in STEPS])


@instruction("uint64(uint64)")
def count(builder: Builder, mask: Value) -> Value:
    """The number of squares in a mask."""
    return builder.ctpop(mask)


@instruction("uint64(uint64)")
def lowest(builder: Builder, mask: Value) -> Value:
    """The lowest square of a mask, which must not be empty."""
    return builder.cttz(mask, ZERO_IS_UNDEFINED)


@instruction("uint64(uint64)")
def reverse_rows(builder: Builder, mask: Value) -> Value:
    """The 8x8 board upside down: its eight bytes in reverse order."""
    return builder.bswap(mask)


@instruction("uint64(uint64, uint64)")
def reachable(builder: Builder, own: Value, opp: Value) -> Value:
    """The squares that end an unbroken run of enemy discs begun at an own disc, empty or not.

    A parallel-prefix fill: three doublings cover the six enemy discs that a line can hold.
    """
    own, opp = _spread(builder, own), _spread(builder, opp)
    # Runs along a row or diagonal never pass through a side column, so the mask stops wrap-around.
    enemy = builder.and_(opp, _lanes([NOT_SIDE_COLUMNS, ALL, NOT_SIDE_COLUMNS, NOT_SIDE_COLUMNS]))

    def fill(shift: Callable[[Value, Value], Value]) -> Value:
        run = builder.and_(enemy, shift(own, _steps(1)))
        run = builder.or_(run, builder.and_(enemy, shift(run, _steps(1))))
        pairs = builder.and_(enemy, shift(enemy, _steps(1)))
        run = builder.or_(run, builder.and_(pairs, shift(run, _steps(2))))
        run = builder.or_(run, builder.and_(pairs, shift(run, _steps(2))))
        return shift(run, _steps(1))

    return _fold(builder, builder.or_(fill(builder.shl), fill(builder.lshr)), builder.or_)


def _flips_forward(builder: Builder, own: Value, opp: Value, square: Value) -> Value:
    """Lane by lane, the enemy discs turned towards higher squares."""
    table = _table(builder, "outflank_rays_forward", RAYS_FORWARD)
    ray = builder.load(builder.gep(table, [_word(0), square], inbounds=True), align=32)
    own, opp = _spread(builder, own), _spread(builder, opp)
    # Adding one below the ray carries through its enemy discs to the first other square.
    first_other = builder.add(builder.or_(opp, builder.not_(ray)), _lanes([1] * LANES))
    outflanking = builder.and_(first_other, builder.and_(ray, own))
    return builder.and_(builder.add(outflanking, _nonzero(builder, outflanking)), ray)


def _flips_back(builder: Builder, own: Value, opp: Value, square: Value) -> Value:
    """Lane by lane, those turned towards lower squares, where vectors have a leading-zero count.

    The carry does not run downwards: the count finds the first other square.
    """
    table = _table(builder, "outflank_rays_back", RAYS_BACK)
    ray = builder.load(builder.gep(table, [_word(0), square], inbounds=True), align=32)
    own, opp = _spread(builder, own), _spread(builder, opp)
    others = builder.or_(builder.and_(builder.not_(opp), ray), _lanes([1] * LANES))
    kind = ir.FunctionType(VECTOR, [VECTOR, ir.IntType(1)])
    leading_zeros = builder.module.declare_intrinsic(f"llvm.ctlz.v{LANES}i64", (), kind)
    nearest = builder.lshr(_lanes([1 << 63] * LANES), builder.call(leading_zeros, [others, ZERO_IS_UNDEFINED]))
    outflanking = builder.and_(builder.and_(nearest, own), ray)
    beyond = builder.shl(outflanking, _lanes([1] * LANES))
    return builder.and_(builder.sub(_lanes([0] * LANES), beyond), ray)


def _flips_back_by_words(builder: Builder, own: Value, opp: Value, square: Value) -> Value:
    """The same in one word. AVX2 cannot count leading zeros; four scalar counts measured faster than smearing bits."""
    table = _table(builder, "outflank_rays_back", RAYS_BACK)
    rows = builder.bitcast(table, ir.ArrayType(ir.ArrayType(WORD, LANES), 64).as_pointer())
    flipped = _word(0)
    for lane in range(LANES):
        ray = builder.load(builder.gep(rows, [_word(0), square, _word(lane)], inbounds=True))
        others = builder.or_(builder.and_(builder.not_(opp), ray), _word(1))
        nearest = builder.lshr(_word(1 << 63), builder.ctlz(others, ZERO_IS_UNDEFINED))
        outflanking = builder.and_(builder.and_(nearest, own), ray)
        run = builder.and_(builder.neg(builder.shl(outflanking, _word(1))), ray)
        flipped = builder.or_(flipped, run)
    return flipped


@inline
def flips(typing_context: Any, own: Any, opp: Any, square: Any) -> Any:
    """The enemy discs turned by playing a square (0–63)."""

    def generate(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        forward = _flips_forward(builder, *arguments)
        if {"+avx512cd", "+avx512vl"} <= _features(context):
            return _fold(builder, builder.or_(forward, _flips_back(builder, *arguments)), builder.or_)
        return builder.or_(_fold(builder, forward, builder.or_), _flips_back_by_words(builder, *arguments))

    return types.uint64(types.uint64, types.uint64, types.uint64), generate


@instruction("uint64(uint64, uint64, uint64)")
def stable(builder: Builder, own: Value, opp: Value, board: Value) -> Value:
    """The own discs that can never be turned, by three reasons and their closure.

    A disc is safe along an axis when the whole line is occupied, when its neighbour on one side is off
    the board, or when that neighbour is an own disc already known to be stable; safe along all four,
    it is stable. Squares beyond a small board count as occupied, so one rule serves every size.
    """
    outside = builder.not_(board)
    filled = _spread(builder, builder.or_(builder.or_(own, opp), outside))

    def full(shift: Callable[[Value, Value], Value], rays: list[list[int]]) -> Value:
        line = filled
        for distance in (1, 2, 4):
            line = builder.and_(line, builder.or_(shift(line, _steps(distance)), _off_the_rim(rays, distance)))
        return line

    full_lines = builder.and_(full(builder.lshr, RAYS_FORWARD), full(builder.shl, RAYS_BACK))
    beyond = _spread(builder, outside)
    at_the_rim = builder.or_(
        builder.or_(builder.lshr(beyond, _steps(1)), _off_the_rim(RAYS_FORWARD, 1)),
        builder.or_(builder.shl(beyond, _steps(1)), _off_the_rim(RAYS_BACK, 1)),
    )
    safe = builder.or_(full_lines, at_the_rim)
    first = builder.and_(own, _fold(builder, safe, builder.and_))

    before, grow, done = builder.block, *(builder.append_basic_block(name) for name in ("grow", "grown"))
    builder.branch(grow)
    builder.position_at_end(grow)
    known = builder.phi(WORD)
    known.add_incoming(first, before)
    friends = _spread(builder, known)
    # No mask against wrap-around: a square that a shift wraps onto is at the rim, safe already.
    sides = builder.or_(builder.shl(friends, _steps(1)), builder.lshr(friends, _steps(1)))
    grown = builder.and_(own, _fold(builder, builder.or_(safe, sides), builder.and_))
    known.add_incoming(grown, grow)
    builder.cbranch(builder.icmp_unsigned("!=", grown, known), grow, done)
    builder.position_at_end(done)
    return grown


@inline
def write_bytes(typing_context: Any, mask: Any, address: Any) -> Any:
    """Writes 64 bytes from an address on: 1 for each square of the mask, 0 for the others."""

    def generate(context: Any, builder: Builder, signature: Any, arguments: Any) -> Value:
        mask, address = arguments
        squares = builder.zext(builder.bitcast(mask, ir.VectorType(ir.IntType(1), 64)), BYTES)
        builder.store(squares, builder.inttoptr(address, BYTES.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64), generate


SLOW_DEPOSIT = ("znver1", "znver2")


@inline
def nth_square(typing_context: Any, mask: Any, n: Any) -> Any:
    """The n-th square (from 0) of a mask that has more than n.

    A loop over the squares ends at an unforeseeable turn; where one instruction deposits a bit at the n-th place a
    playout takes a quarter less time (measured on a Zen 3). Elsewhere the loop is what there is.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        mask, n = arguments
        if not _deposits_fast(context):
            return context.compile_internal(builder, _nth_by_loop, signature, arguments)
        kind = ir.FunctionType(WORD, [WORD, WORD])
        deposit = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind)
        bit = builder.call(deposit, [builder.shl(ir.Constant(WORD, 1), n), mask])
        return builder.cttz(bit, ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64, types.uint64), generate


def _nth_by_loop(mask: int, n: int) -> int:
    """`nth_square` on machines that cannot deposit bits, or not quickly."""
    while n != uint64(0):
        mask &= mask - uint64(1)
        n -= uint64(1)
    return lowest(mask)


def _features(context: Any) -> set[str]:
    """What the machine compiled for has, in LLVM's words."""
    _, _, features = context.codegen().magic_tuple()
    return set(features.split(","))


def _deposits_fast(context: Any) -> bool:
    """Whether the machine compiled for has a quick `pdep`: x86-64 with BMI2, except AMD's first two Zens."""
    triple, processor, _ = context.codegen().magic_tuple()
    return triple.startswith("x86_64") and "+bmi2" in _features(context) and processor not in SLOW_DEPOSIT
