"""A heuristic: a function of three bitboards that the compiled searches call at native speed.

`@heuristic` compiles a plain Python function. The searches know it by its machine address, so they need not be
compiled again for it. What Numba cannot compile still plays, slowly, through a call back into Python.
"""

import ctypes
import dis
import math
import types
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, overload

import numba
from numba.core.errors import NumbaError

from outflank.board.compiled import callback
from outflank.board.variant import Objective, Variant
from outflank.evaluation.diagnosis import CannotCompile, explain_compile_error

SIGNATURE = "float64(uint64, uint64, uint64)"
IN_PYTHON = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)

PlainFunction = Callable[[int, int, int], float]


class Heuristic(ABC):
    """Values a position for the side to move, in the game being played; higher is better."""

    name: str
    summary: str
    objective: Objective | None
    """The game it was made for; None suits both."""

    @abstractmethod
    def address(self, variant: Variant) -> int:
        """Where the compiled function is that values this variant's positions."""

    @abstractmethod
    def value(self, own: int, opp: int, variant: Variant) -> float:
        """The same value, from Python; a ValueError says what is wrong with a heuristic that has none."""


class WrittenHeuristic(Heuristic):
    """A heuristic written as a Python function of `(own, opp, board)`."""

    def __init__(self, function: PlainFunction, name: str | None = None, objective: Objective | None = None) -> None:
        self.function = function
        self.name = name or function.__name__
        self.summary = (function.__doc__ or "").strip().split("\n")[0]
        self.objective = objective
        self._compiled: dict[bool, tuple[int, Any]] = {}  # the address, and what keeps it alive

    def __call__(self, own: int, opp: int, board: int) -> float:
        return self.function(own, opp, board)

    def negated(self, variant: Variant) -> bool:
        """Made for one objective, it counts the other way round under the other."""
        return self.objective is not None and self.objective != variant.objective

    def address(self, variant: Variant) -> int:
        negated = self.negated(variant)
        if negated not in self._compiled:
            self._compiled[negated] = self._compile(negated)
        return self._compiled[negated][0]

    def _compile(self, negated: bool) -> tuple[int, Any]:
        try:
            compiled = compile_evaluation(self.function, negated)
            return compiled.address, compiled
        except NumbaError as error:
            problem = explain_compile_error(self.function, error)
            warnings.warn(f"{problem} It runs as plain Python instead, a thousand times slower.", CannotCompile, 4)
        in_python = IN_PYTHON(self._without_exceptions(negated))
        return ctypes.cast(in_python, ctypes.c_void_p).value or 0, in_python

    def _without_exceptions(self, negated: bool) -> PlainFunction:
        """No exception may cross compiled code: nan stands for it, and `value` finds it again."""

        def call(own: int, opp: int, board: int) -> float:
            try:
                value = float(self.function(own, opp, board))
            except Exception:
                return math.nan
            return -value if negated else value

        return call

    def value(self, own: int, opp: int, variant: Variant) -> float:
        try:
            value = self.function(own, opp, variant.board)
        except Exception as error:
            raise ValueError(f"the heuristic {self.name} raised {type(error).__name__}: {error}") from error
        if isinstance(value, bool | str) or not hasattr(value, "__float__"):
            raise ValueError(f"the heuristic {self.name} returned {value!r}: it must return a number")
        number = float(value)
        if math.isnan(number):
            raise ValueError(f"the heuristic {self.name} returned nan (0 divided by 0?): guard against that case")
        return -number if self.negated(variant) else number


def compile_evaluation(function: PlainFunction, negated: bool = False) -> Any:
    """A function compiled as C's `double f(uint64_t, uint64_t, uint64_t)`; what it raises becomes nan."""
    whole = _with_helpers(function)
    raises = _may_raise(whole)
    if not negated and not raises:
        return callback(SIGNATURE, whole)
    inner = numba.njit(nogil=True, error_model="numpy")(whole)
    sign = -1.0 if negated else 1.0

    def signed(own: int, opp: int, board: int) -> float:
        return sign * float(inner(own, opp, board))

    def guarded(own: int, opp: int, board: int) -> float:
        try:
            return sign * float(inner(own, opp, board))
        except Exception:
            return math.nan

    return callback(SIGNATURE, guarded if raises else signed)


def _with_helpers(function: Any, seen: dict[int, Any] | None = None) -> Any:
    """The function with the plain functions and heuristics that it calls compiled too, so that a student may split
    a heuristic into parts without knowing about Numba."""
    seen = {} if seen is None else seen
    compiled = dict(function.__globals__)
    whole = types.FunctionType(
        function.__code__, compiled, function.__name__, function.__defaults__, function.__closure__
    )
    seen[id(function)] = whole
    for name in function.__code__.co_names:
        helper = compiled.get(name)
        if isinstance(helper, WrittenHeuristic):
            helper = helper.function
        if isinstance(helper, types.FunctionType) and id(helper) not in seen:
            compiled[name] = numba.njit(nogil=True, error_model="numpy")(_with_helpers(helper, seen))
    return whole


def _may_raise(function: Any) -> bool:
    """True when the function, or a helper compiled with it, has a raise or an assert: guarding costs compile time."""
    if any(instruction.opname == "RAISE_VARARGS" for instruction in dis.get_instructions(function)):
        return True
    helpers = (function.__globals__.get(name) for name in function.__code__.co_names)
    own = (helper.py_func for helper in helpers if isinstance(helper, numba.core.dispatcher.Dispatcher))
    return any(_may_raise(helper) for helper in own if not helper.__module__.startswith("outflank."))


@overload
def heuristic(function: PlainFunction, /) -> WrittenHeuristic: ...


@overload
def heuristic(
    *, objective: Objective | None = None, name: str | None = None
) -> Callable[[PlainFunction], WrittenHeuristic]: ...


def heuristic(
    function: PlainFunction | None = None, *, objective: Objective | None = None, name: str | None = None
) -> WrittenHeuristic | Callable[[PlainFunction], WrittenHeuristic]:
    """Turns a function of `(own, opp, board)` into a heuristic that the compiled searches call directly.

    `own` holds the side to move's discs, `opp` the other side's, `board` the playable squares, one bit a square;
    the function returns a number, higher is better for the side to move.
    """

    def make(function: PlainFunction) -> WrittenHeuristic:
        return WrittenHeuristic(function, name, objective)

    return make if function is None else make(function)
