"""Compiled access to memory by address: a kernel's own words, words that another thread may change, and functions."""

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba.core import cgutils, types

from outflank.board.compiled import WORDS, inline
from outflank.board.records import Atomic, Row
from outflank.board.vectors import WORD

EVALUATION = ir.FunctionType(ir.DoubleType(), [WORD, WORD, WORD])


@inline
def _words_at(typing_context: Any, address: Any) -> Any:
    """The memory at an address (``array.ctypes.data``) as a row of words."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], WORD.as_pointer())

    return WORDS(types.uint64), generate


@inline
def _stack_words(typing_context: Any, number: Any) -> Any:
    """So many words, all 0, on the stack of the kernel that asks: a plain number, known when it is compiled.

    They live until the kernel returns. An array would not do: Numba frees one after its last use by name, and a
    pointer into it is no use of it.
    """
    if not isinstance(number, types.IntegerLiteral):
        return None  # Numba asks again, with the number

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = cgutils.alloca_once(builder, WORD, size=number.literal_value)  # once, even inside a loop
        cgutils.memset(builder, words, ir.Constant(WORD, 8 * number.literal_value), 0)
        return words

    return WORDS(number), generate


@inline
def address_of(typing_context: Any, memory: Any) -> Any:
    """Where a record, a row or a shared word lies."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(arguments[0], WORD)

    return types.uint64(memory), generate


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


@inline
def _load_atomic(typing_context: Any, word: Any) -> Any:
    """A word that other threads change, as it is now; what its writer wrote before it is seen too."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(arguments[0], "acquire", 8)

    return types.uint64(WORDS), generate


@inline
def _store_atomic(typing_context: Any, word: Any, value: Any) -> Any:
    """Writes a word that other threads read; all that was written before it is seen before it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, value = arguments
        builder.store_atomic(value, word, "release", 8)
        return context.get_dummy_value()

    return types.void(WORDS, types.uint64), generate


@inline
def _add_atomic(typing_context: Any, word: Any, amount: Any) -> Any:
    """Adds to a word that other threads change too; returns what it was before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.atomic_rmw("add", *arguments, "seq_cst")

    return types.uint64(WORDS, types.uint64), generate


@inline
def _compare_and_swap(typing_context: Any, word: Any, old: Any, new: Any) -> Any:
    """Puts `new` where `old` still stands, in one step; whether it did."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.extract_value(builder.cmpxchg(*arguments, "seq_cst", "seq_cst"), 1)

    return types.boolean(WORDS, types.uint64, types.uint64), generate


@inline
def give_way(typing_context: Any) -> Any:
    """Lets another thread run: what we wait for may be waiting for this processor."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), [])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), generate


# As the type checker sees them: a shared word is no number, and only these reach it.
load_atomic: Callable[[Atomic], int] = _load_atomic
store_atomic: Callable[[Atomic, int], Any] = _store_atomic
add_atomic: Callable[[Atomic, int], int] = _add_atomic
compare_and_swap: Callable[[Atomic, int, int], int] = _compare_and_swap
stack_words = cast("Callable[[int], Row[int]]", _stack_words)
words_at = cast("Callable[[int], Row[int]]", _words_at)
