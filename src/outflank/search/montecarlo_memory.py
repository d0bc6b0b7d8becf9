"""The memory of a Monte Carlo tree: how a node is laid out, and the few operations that threads may share.

A tree is one array of nodes, four words (half a cache line) each, the root first; the children of a node stand side
by side, so choosing among them reads a few lines in a row. A node holds no position: replaying the moves from the
root costs less than the cache misses that its bitboards would cause.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from outflank.board.compiled import WORDS, kernel
from outflank.board.kernels import nth_square as loop_square

Words = Any  # compiled.WORDS, a pointer to 64-bit words

# A node's words.
VISITS, SUM, LINK, BOUNDS = (np.uint64(index) for index in range(4))
"""How many simulations came here; the sum of their results for the player (signed); the link; the proven bounds."""
NODE_WORDS = np.uint64(4)

# A link's fields: where the children begin, how many there are, the move that led here, and two flags.
FIRST = np.uint64(0xFFFFFFFF)
COUNT_AT, MOVE_AT = np.uint64(32), np.uint64(40)
BYTE = np.uint64(0xFF)
OURS = np.uint64(1 << 48)
"""The side to move is the player for whom the search works. Who moves next is not always the other side."""
CLAIMED = np.uint64(1 << 49)
"""A thread is making the children, or found no room for them."""

EIGHT = np.uint64(8)
OFFSET = np.int64(128)
"""Bounds are two bytes, each a result plus this."""

MOST_NODES = int(FIRST)

WORD = ir.IntType(64)
SLOW_DEPOSIT = ("znver1", "znver2")


def _at(builder: Any, words: Any, index: Any) -> Any:
    return builder.gep(words, [index])


@intrinsic  # type: ignore[untyped-decorator]
def look(typing_context: Any, words: Any, index: Any) -> Any:
    """A word as it is now; what its writer published before it is visible too."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_at(builder, *arguments), "acquire", 8)

    return types.uint64(WORDS, types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def publish(typing_context: Any, words: Any, index: Any, value: Any) -> Any:
    """Writes a word after everything written before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words, index, value = arguments
        builder.store_atomic(value, _at(builder, words, index), "release", 8)
        return context.get_dummy_value()

    return types.void(WORDS, types.uint64, types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def add_shared(typing_context: Any, words: Any, index: Any, value: Any) -> Any:
    """Adds to a word that other threads add to as well; returns what it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words, index, value = arguments
        return builder.atomic_rmw("add", _at(builder, words, index), value, "monotonic")

    return types.uint64(WORDS, types.uint64, types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def replace_if(typing_context: Any, words: Any, index: Any, old: Any, new: Any) -> Any:
    """Writes a word if it still is what it was; says whether."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words, index, old, new = arguments
        outcome = builder.cmpxchg(_at(builder, words, index), old, new, "seq_cst", "seq_cst")
        return builder.extract_value(outcome, 1)

    return types.boolean(WORDS, types.uint64, types.uint64, types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def nth_square(typing_context: Any, mask: Any, n: Any) -> Any:
    """The n-th square (from 0) of a mask that has more than n: the same as `kernels.nth_square`.

    A loop over the squares ends at an unforeseeable turn; where one instruction deposits a bit at the n-th place a
    playout takes a quarter less time (measured on a Zen 3). Elsewhere the loop is what there is.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        mask, n = arguments
        if not _deposits_fast(context):
            return context.compile_internal(builder, loop_square.py_func, signature, arguments)
        kind = ir.FunctionType(WORD, [WORD, WORD])
        deposit = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind)
        bit = builder.call(deposit, [builder.shl(ir.Constant(WORD, 1), n), mask])
        return builder.cttz(bit, ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64, types.uint64), generate


def _deposits_fast(context: Any) -> bool:
    """Whether the machine compiled for has a quick `pdep`: x86-64 with BMI2, except AMD's first two Zens."""
    triple, processor, features = context.codegen().magic_tuple()
    return triple.startswith("x86_64") and "+bmi2" in features.split(",") and processor not in SLOW_DEPOSIT


@kernel("uint64(CPointer(uint64), uint64, uint64, uint64)")
def add(words: Words, index: int, value: int, shared: int) -> int:
    """Adds to a word, atomically where the tree is shared; returns what it was."""
    if shared:
        return add_shared(words, index, value)  # type: ignore[no-any-return, call-arg]
    before = words[index]
    words[index] = before + value
    return before  # type: ignore[no-any-return]


@kernel("uint64(int64, int64)")
def bounds_of(low: int, high: int) -> int:
    """Two bounds in one word."""
    return np.uint64(low + OFFSET) | np.uint64(high + OFFSET) << EIGHT


@kernel("int64(uint64)")
def low_of(bounds: int) -> int:
    """The result that the player can force."""
    return np.int64(bounds & BYTE) - OFFSET


@kernel("int64(uint64)")
def high_of(bounds: int) -> int:
    """The result that the other side can hold the player to."""
    return np.int64(bounds >> EIGHT) - OFFSET
