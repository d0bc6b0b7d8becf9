"""Compiles a user's function of `(own, opp, board)` into C's `double f(uint64_t, uint64_t, uint64_t)`.

A student may split a heuristic into helper functions, keep square values in a global list and raise errors without
knowing about Numba: helpers are compiled too, lists become arrays, and what the function raises becomes nan.
"""

import itertools
import math
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaWarning, UnsupportedError
from numba.core.registry import cpu_target
from numba.core.sigutils import normalize_signature
from numba.core.types import Integer
from numba.extending import overload_method

from outflank.board.compiled import uint64
from outflank.heuristics.features import count

SIGNATURE = "float64(uint64, uint64, uint64)"
# As in Python, an index beyond the end and a division by zero are errors: garbage would only be found much later.
OPTIONS = {"nopython": True, "error_model": "python", "boundscheck": True}
_numbers = itertools.count()
KNOWN_TO_NUMBA = ("numpy", "numba", "math", "random", "outflank")


def compile_evaluation(function: Callable[..., Any], negated: bool = False) -> CFunc:
    """The function as machine code with an `address`; negated for a game with the other objective."""
    plain = _plain(function)
    whole = _copied(plain)
    _make_known(whole, plain, {})
    whole.__qualname__ = f"{whole.__name__}_heuristic_{next(_numbers)}"
    compiled = CFunc(whole, normalize_signature(SIGNATURE), locals={}, options=OPTIONS)
    context = cpu_target.target_context
    with global_compiler_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaWarning)
        # Numba's own wrapper prints what a callback raises and returns rubbish.
        context.create_cfunc_wrapper = _wrapper_of(whole.__qualname__, negated)
        try:
            compiled.compile()
        finally:
            del context.create_cfunc_wrapper
    return compiled


def _wrapper_of(qualified_name: str, negated: bool) -> Callable[..., None]:
    """Numba's C entry of one function, except that an error gives nan and that it may change the sign."""
    context = cpu_target.target_context

    def create(library: Any, description: Any, *rest: Any) -> None:
        if description.qualname != qualified_name:  # a kernel that the function calls, compiled by the way
            type(context).create_cfunc_wrapper(context, library, description, *rest)
            return
        module = context.create_module("heuristic_wrapper")
        convention = context.call_conv.get_function_type(description.restype, description.argtypes)
        inner = ir.Function(module, convention, description.llvm_func_name)
        arguments = [context.get_value_type(kind) for kind in description.argtypes]
        outer_type = ir.FunctionType(context.get_value_type(description.restype), arguments)
        outer = ir.Function(module, outer_type, description.llvm_cfunc_wrapper_name)
        builder = ir.IRBuilder(outer.append_basic_block("entry"))
        status, value = context.call_conv.call_function(
            builder, inner, description.restype, description.argtypes, outer.args
        )
        if negated:
            value = builder.fneg(value)
        builder.ret(builder.select(status.is_error, ir.Constant(ir.DoubleType(), math.nan), value))
        library.add_ir_module(module)

    return create


def _plain(function: Any) -> types.FunctionType:
    """The Python function behind a heuristic or behind one that was compiled already."""
    plain = getattr(function, "function", function)
    return getattr(plain, "py_func", plain)  # type: ignore[no-any-return]


def _copied(function: types.FunctionType) -> types.FunctionType:
    """A copy with globals and cells of its own."""
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    names = dict(function.__globals__)
    copy = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells or None)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def _make_known(copy: types.FunctionType, original: types.FunctionType, made: dict[int, Any]) -> None:
    """Exchanges what the code of a copy uses for what Numba knows.

    `made` holds the helpers so far: two functions may share one, and a function may call itself.
    """
    names = copy.__globals__
    if "print" in names_in(copy.__code__):
        raise UnsupportedError("print() in compiled code that holds no interpreter lock stops the process for ever")
    for name in set(names_in(copy.__code__)) & names.keys():
        names[name] = _known(names[name], made)
    for cell, before in zip(copy.__closure__ or (), original.__closure__ or (), strict=True):
        with suppress(ValueError):  # a cell that is not filled yet
            cell.cell_contents = _known(before.cell_contents, made)


def names_in(code: types.CodeType) -> Iterator[str]:
    """The names from outside that a code uses, and the functions, lambdas and comprehensions inside it."""
    yield from (*code.co_names, *code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant)


def _known(thing: Any, made: dict[int, Any]) -> Any:
    """A thing that a heuristic uses, as Numba understands it; unchanged where there is nothing to do."""
    if isinstance(thing, list | tuple):
        return _constants(thing)
    if isinstance(thing, types.ModuleType):
        return thing
    plain = _plain(thing)
    if not isinstance(plain, types.FunctionType) or plain.__module__.split(".")[0] in KNOWN_TO_NUMBA:
        return thing
    if id(plain) not in made:
        copy = _copied(plain)
        made[id(plain)] = numba.njit(nogil=True, error_model="python", boundscheck=True)(copy)
        _make_known(copy, plain, made)
    return made[id(plain)]


def _constants(values: list[Any] | tuple[Any, ...]) -> Any:
    """Numbers in lists and tuples: a list becomes an array, a row of tuples one in which all rows are of one kind.

    Numba would refuse the list, and a loop over tuples such as `((0x81, 100), (0x42, -2.5))`.
    """
    if isinstance(values, list) and not any(isinstance(value, tuple) for value in values):
        try:
            array = np.array(values)
        except ValueError:  # rows of different lengths
            return values
        return array if array.size and array.dtype.kind in "bif" else values
    if values and all(isinstance(value, tuple) for value in values) and len({len(value) for value in values}) == 1:
        return tuple(zip(*(_alike(column) for column in zip(*values, strict=True)), strict=True))
    return _alike(tuple(values))


def _alike(numbers: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numbers of one kind: floats if one of them is a float, bitboards if one of them needs all 64 bits."""
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in numbers):
        return numbers
    if any(isinstance(number, float) for number in numbers):
        return tuple(float(number) for number in numbers)
    if numbers and max(numbers) >= 1 << 63 and min(numbers) >= 0:
        return tuple(np.uint64(number) for number in numbers)
    return numbers


@overload_method(Integer, "bit_count")  # type: ignore[untyped-decorator]
def _bit_count(number: Any) -> Any:
    """`own.bit_count()`, as in Python."""

    def counted(number: Any) -> int:
        return count(uint64(number))

    return counted


@overload_method(Integer, "bit_length")  # type: ignore[untyped-decorator]
def _bit_length(number: Any) -> Any:
    """`own.bit_length()`, as in Python: one more than the highest square."""

    def length(number: Any) -> int:
        filled = uint64(number)
        for step in (1, 2, 4, 8, 16, 32):
            filled |= filled >> uint64(step)
        return count(filled)

    return length
