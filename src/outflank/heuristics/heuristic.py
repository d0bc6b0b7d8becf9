"""A heuristic: a function of three bitboards that the compiled searches call at native speed.

`@heuristic` compiles a plain Python function. The searches know it by its machine address, so they need not be
compiled again for it. What Numba cannot compile still plays, slowly, through a call back into Python.
"""

import contextlib
import ctypes
import inspect
import math
import time
import types
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any, get_args, overload

from outflank.board.position import Position
from outflank.board.variant import Objective, Variant
from outflank.errors import Fault
from outflank.heuristics.compiling import compile_evaluation
from outflank.heuristics.diagnosis import CannotCompile, differs, explain_compile_error, explain_error

IN_PYTHON = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)
SECONDS_TO_COMPARE = 0.05
"""How long a newly compiled heuristic is compared with itself as plain Python."""
SAMPLE_GAMES, SAMPLES = 2, 24

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

    def raise_interruption(self) -> None:  # noqa: B027 (machine code cannot be interrupted)
        """Raises what ended a search from within the heuristic, such as Ctrl-C in one that runs as plain Python."""


class WrittenHeuristic(Heuristic):
    """A heuristic written as a Python function of `(own, opp, board)`."""

    def __init__(self, function: PlainFunction, name: str | None = None, objective: Objective | None = None) -> None:
        self.function = _checked(function)
        self.name = name or self.function.__name__
        self.summary = (self.function.__doc__ or "").strip().split("\n")[0]
        if objective not in (None, *get_args(Objective)):
            raise Fault("heuristic.objective", text=objective)
        self.objective = objective
        self._compiled: dict[bool, Any] = {}  # by whether it is negated: a compiled function, or a call into Python
        self._interruption: BaseException | None = None

    def __call__(self, own: int, opp: int, board: int) -> float:
        return self.function(own, opp, board)  # type: ignore[no-any-return]

    def negated(self, variant: Variant) -> bool:
        """Made for one objective, it counts the other way round under the other."""
        return self.objective is not None and self.objective != variant.objective

    def is_compiled(self, variant: Variant) -> bool:
        """False when it runs as plain Python, because Numba could not compile it."""
        return not isinstance(self._native(variant), IN_PYTHON)

    def address(self, variant: Variant) -> int:
        native = self._native(variant)
        if isinstance(native, IN_PYTHON):
            return ctypes.cast(native, ctypes.c_void_p).value or 0
        return int(native.address)

    def _native(self, variant: Variant) -> Any:
        negated = self.negated(variant)
        if negated not in self._compiled:
            self._compiled[negated] = self._compile(negated, variant)
        return self._compiled[negated]

    def _compile(self, negated: bool, variant: Variant) -> Any:
        try:
            compiled = compile_evaluation(self.function, negated)
        except Exception as error:  # mostly a NumbaError, but Numba has others for code it does not understand
            self._raise_if_useless(variant)
            problem = explain_compile_error(self.function, error)
        else:
            problem = self._difference(compiled, variant)
            if not problem:
                return compiled
        warnings.warn(f"{problem} It runs as plain Python, about a thousand times slower.", CannotCompile, stacklevel=5)
        return IN_PYTHON(self._call_into_python(variant))

    def _raise_if_useless(self, variant: Variant) -> None:
        """A function that has no value anywhere is not slow but wrong: its own error says more than Numba's."""
        first: ValueError | None = None
        for own, opp in sample_positions(variant):
            try:
                self._in_python(own, opp, variant)
                return
            except ValueError as error:
                first = first or error
        if first is not None:
            raise first

    def _difference(self, compiled: Any, variant: Variant) -> str:
        """What is wrong when the machine code has other values than the Python text; nothing when it has the same.

        Compiled integers have 64 bits and bitboards no sign, so `own - opp` can be another number than in Python.
        """
        until = time.perf_counter() + SECONDS_TO_COMPARE
        for own, opp in sample_positions(variant):
            with contextlib.suppress(ValueError):  # it has no value here: the search will say so, if it comes here
                value = self._in_python(own, opp, variant)
                native = compiled.ctypes(own, opp, variant.board)
                same = math.isclose(value, native, rel_tol=1e-6, abs_tol=1e-9)
                if not same and value == self._in_python(own, opp, variant):  # otherwise it is random
                    return differs(self.function, value, native)
            if time.perf_counter() > until:
                break
        return ""

    def _call_into_python(self, variant: Variant) -> PlainFunction:
        """No exception may cross compiled code: nan stands for it, and `value` finds it again."""

        def call(own: int, opp: int, board: int) -> float:
            try:
                return self._in_python(own, opp, variant, board)
            except (Exception, SystemExit):
                return math.nan
            except BaseException as interruption:  # Ctrl-C: raised again when the search has come back
                self._interruption = interruption
                return math.nan

        return call

    def raise_interruption(self) -> None:
        if self._interruption is not None:
            interruption, self._interruption = self._interruption, None
            raise interruption

    def value(self, own: int, opp: int, variant: Variant) -> float:
        native = self._native(variant)
        if not isinstance(native, IN_PYTHON):
            value = float(native.ctypes(own, opp, variant.board))
            if not math.isnan(value):
                return value
        return self._in_python(own, opp, variant)

    def _in_python(self, own: int, opp: int, variant: Variant, board: int | None = None) -> float:
        try:
            value: Any = self.function(own, opp, variant.board if board is None else board)
        except (Exception, SystemExit) as error:
            where, text = explain_error(self.function, error)
            raise Fault("heuristic.raised", where=where, name=self.name, text=text) from error
        try:
            if isinstance(value, str):
                raise TypeError
            number = float(value)
        except OverflowError:
            raise Fault("heuristic.too-large", name=self.name) from None
        except (TypeError, ValueError):
            shown = Fault("heuristic.nothing") if value is None else repr(value)
            raise Fault("heuristic.no-number", name=self.name, text=shown) from None
        if math.isnan(number):
            raise Fault("heuristic.nan", name=self.name)
        return -number if self.negated(variant) else number


@cache
def sample_positions(variant: Variant) -> list[tuple[int, int]]:
    """A few positions of all phases in which the side to move has a move, as `(own, opp)`; the same every time."""
    dice = Random(0)
    positions = []
    for _ in range(SAMPLE_GAMES):
        position = Position.start(variant)
        while not position.is_over:
            moves = position.legal_moves
            if moves:
                positions.append((position.own, position.opp))
            position = position.play(dice.choice(moves) if moves else "pass")
    return dice.sample(positions, min(SAMPLES, len(positions)))


class NotAHeuristicError(Fault, TypeError):
    """What stands under `@heuristic` is no function of three bitboards."""


def _checked(function: Any) -> types.FunctionType:
    """The Python function to compile, if it is one of three bitboards."""
    function = getattr(function, "py_func", function)  # one that Numba's own decorator stands above
    if not isinstance(function, types.FunctionType):
        raise NotAHeuristicError("heuristic.no-function", what=function)
    taken = inspect.signature(function)
    plain = all(one.kind is one.POSITIONAL_OR_KEYWORD and one.default is one.empty for one in taken.parameters.values())
    if len(taken.parameters) != 3 or not plain:
        raise NotAHeuristicError("heuristic.takes", name=function.__name__, taken=taken)
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise NotAHeuristicError("heuristic.asynchronous", name=function.__name__)
    return function


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
