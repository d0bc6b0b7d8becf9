"""Compiled access to memory by address: a kernel's own words, words that another thread may change, and functions."""

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba.core import cgutils, types

from outflank.board.compiled import WORDS, inline, instruction
from outflank.board.records import Atomic, Row
from outflank.board.vectors import WORD

EVALUATION = ir.FunctionType(ir.DoubleType(), [WORD, WORD, WORD])


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


@instruction("void(uint64, uint64, uint64)")
def copy_bytes(builder: Any, target: Any, source: Any, number: Any) -> None:
    """Copies so many bytes from one address to another; the two pieces do not overlap."""
    byte = ir.IntType(8).as_pointer()
    cgutils.raw_memcpy(builder, builder.inttoptr(target, byte), builder.inttoptr(source, byte), number, 1)


@instruction("void(uint64)")
def prefetch(builder: Any, address: Any) -> None:
    """Asks for the memory at an address, which will soon be read and written."""
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    of_data = [ir.Constant(number, value) for value in (1, 3, 1)]  # to be written, and kept near
    builder.call(function, [builder.inttoptr(address, byte), *of_data])


@instruction("float64(uint64, uint64, uint64, uint64)")
def evaluate_at(builder: Any, address: Any, own: Any, opp: Any, board: Any) -> Any:
    """Calls the heuristic at an address: C's ``double f(uint64_t own, uint64_t opp, uint64_t board)``."""
    return builder.call(builder.inttoptr(address, EVALUATION.as_pointer()), (own, opp, board))


@instruction("uint64(float64)")
def bits_of(builder: Any, number: Any) -> Any:
    """The 64 bits of a float."""
    return builder.bitcast(number, WORD)


@instruction("uint64(Words)")
def _load_atomic(builder: Any, word: Any) -> Any:
    """A word that other threads change, as it is now; what its writer wrote before it is seen too."""
    return builder.load_atomic(word, "acquire", 8)


@instruction("void(Words, uint64)")
def _store_atomic(builder: Any, word: Any, value: Any) -> None:
    """Writes a word that other threads read; all that was written before it is seen before it."""
    builder.store_atomic(value, word, "release", 8)


@instruction("uint64(Words, uint64)")
def _add_atomic(builder: Any, word: Any, amount: Any) -> Any:
    """Adds to a word that other threads change too; returns what it was before."""
    return builder.atomic_rmw("add", word, amount, "seq_cst")


@instruction("boolean(Words, uint64, uint64)")
def _compare_and_swap(builder: Any, word: Any, old: Any, new: Any) -> Any:
    """Puts `new` where `old` still stands, in one step; whether it did."""
    return builder.extract_value(builder.cmpxchg(word, old, new, "seq_cst", "seq_cst"), 1)


@instruction("void()")
def give_way(builder: Any) -> None:
    """Lets another thread run: what we wait for may be waiting for this processor."""
    kind = ir.FunctionType(ir.IntType(32), [])
    builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])


# As the type checker sees them: a shared word is no number, and only these reach it.
load_atomic: Callable[[Atomic], int] = _load_atomic
store_atomic: Callable[[Atomic, int], Any] = _store_atomic
add_atomic: Callable[[Atomic, int], int] = _add_atomic
compare_and_swap: Callable[[Atomic, int, int], int] = _compare_and_swap
stack_words = cast("Callable[[int], Row[int]]", _stack_words)
