"""Compiled access to shared memory: words that another thread may change, and functions known by address."""

from typing import Any

from llvmlite import ir
from numba.core import types

from outflank.board.compiled import WORDS, inline

WORD = ir.IntType(64)
EVALUATION = ir.FunctionType(ir.DoubleType(), [WORD, WORD, WORD])


@inline
def words_at(typing_context: Any, address: Any) -> Any:
    """The memory at an address (``array.ctypes.data``) as a pointer to 64-bit words."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], WORD.as_pointer())

    return WORDS(types.uint64), generate


@inline
def shared_word(typing_context: Any, address: Any) -> Any:
    """The word at an address as it is now: an atomic read, which the compiler may not move or merge."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], WORD.as_pointer())
        return builder.load_atomic(pointer, "monotonic", 8)

    return types.uint64(types.uint64), generate


@inline
def evaluate_at(typing_context: Any, address: Any, own: Any, opp: Any, board: Any) -> Any:
    """Calls the heuristic at an address: C's ``double f(uint64_t own, uint64_t opp, uint64_t board)``."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address, *boards = arguments
        return builder.call(builder.inttoptr(address, EVALUATION.as_pointer()), boards)

    return types.float64(types.uint64, types.uint64, types.uint64, types.uint64), generate


@inline
def bits_of(typing_context: Any, number: Any) -> Any:
    """The 64 bits of a float."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], WORD)

    return types.uint64(types.float64), generate
