"""The memory of a Monte Carlo tree: how a node is laid out, and the few operations that threads may share.

A tree is one array of nodes, four words (half a cache line) each, the root first; the children of a node stand side
by side, so choosing among them reads a few lines in a row. A node holds no position: replaying the moves from the
root costs less than the cache misses that its bitboards would cause.
"""

from typing import Any

from llvmlite import ir
from numba.core import types

from outflank.board.compiled import WORDS, inline, int64, kernel, uint64

Words = Any  # compiled.WORDS, a pointer to 64-bit words

# A node's words.
VISITS, SUM, LINK, BOUNDS = (uint64(index) for index in range(4))
"""How many simulations came here; the sum of their results for the player (signed); the link; the proven bounds."""
NODE_WORDS = uint64(4)

# A link's fields: where the children begin, how many there are, the move that led here, and two flags.
FIRST = uint64(0xFFFFFFFF)
COUNT_AT, MOVE_AT = uint64(32), uint64(40)
BYTE = uint64(0xFF)
OURS = uint64(1 << 48)
"""The side to move is the player for whom the search works. Who moves next is not always the other side."""
CLAIMED = uint64(1 << 49)
"""A thread is making the children, or found no room for them."""

EIGHT = uint64(8)
OFFSET = int64(128)
"""Bounds are two bytes, each a result plus this."""
BOTH_BOUNDS = uint64(0xFFFF)
MARK_AT = uint64(16)
"""While a tree is compacted, the rest of the word tells a block of children where their parent has moved."""

MOST_NODES = int(FIRST)

WORD = ir.IntType(64)


def _at(builder: Any, words: Any, index: Any) -> Any:
    return builder.gep(words, [index])


@inline
def look(typing_context: Any, words: Any, index: Any) -> Any:
    """A word as it is now; what its writer published before it is visible too."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_at(builder, *arguments), "acquire", 8)

    return types.uint64(WORDS, types.uint64), generate


@inline
def publish(typing_context: Any, words: Any, index: Any, value: Any) -> Any:
    """Writes a word after everything written before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words, index, value = arguments
        builder.store_atomic(value, _at(builder, words, index), "release", 8)
        return context.get_dummy_value()

    return types.void(WORDS, types.uint64, types.uint64), generate


@inline
def add_shared(typing_context: Any, words: Any, index: Any, value: Any) -> Any:
    """Adds to a word that other threads add to as well; returns what it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words, index, value = arguments
        return builder.atomic_rmw("add", _at(builder, words, index), value, "monotonic")

    return types.uint64(WORDS, types.uint64, types.uint64), generate


@inline
def replace_if(typing_context: Any, words: Any, index: Any, old: Any, new: Any) -> Any:
    """Writes a word if it still is what it was; says whether."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words, index, old, new = arguments
        outcome = builder.cmpxchg(_at(builder, words, index), old, new, "seq_cst", "seq_cst")
        return builder.extract_value(outcome, 1)

    return types.boolean(WORDS, types.uint64, types.uint64, types.uint64), generate


@kernel("uint64(CPointer(uint64), uint64, uint64, uint64)")
def add(words: Words, index: int, value: int, shared: int) -> int:
    """Adds to a word, atomically where the tree is shared; returns what it was."""
    if shared:
        return add_shared(words, index, value)
    before = words[index]
    words[index] = before + value
    return before  # type: ignore[no-any-return]


@kernel("uint64(int64, int64)")
def bounds_of(low: int, high: int) -> int:
    """Two bounds in one word."""
    return uint64(low + OFFSET) | uint64(high + OFFSET) << EIGHT


@kernel("int64(uint64)")
def low_of(bounds: int) -> int:
    """The result that the player can force."""
    return int64(bounds & BYTE) - OFFSET


@kernel("int64(uint64)")
def high_of(bounds: int) -> int:
    """The result that the other side can hold the player to."""
    return int64(bounds >> EIGHT) - OFFSET


def packed(low: int, high: int) -> int:
    """`bounds_of` outside compiled code."""
    return low + int(OFFSET) | (high + int(OFFSET)) << int(EIGHT)


def unpacked(bounds: int) -> tuple[int, int]:
    """The two bounds in a word."""
    return (bounds & int(BYTE)) - int(OFFSET), (bounds >> int(EIGHT)) - int(OFFSET)
