"""What the Python and the libraries of the courses' years had and newer ones have dropped: files that worked there work
here. The courses run Python 3.7 with the NumPy and Numba of that time.

The names are put back into the libraries that are here, in the guest alone. A second, older NumPy would be the other
way: but none of that time runs with this Python, and Numba, which files use beside it, goes with one NumPy only.
"""

import collections
import collections.abc
import ctypes
import gc
import math
import random
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from outflank.agents.sandbox.rehearsal import Compiling

NUMPY_NAMES: dict[str, Any] = {kind.__name__: kind for kind in (int, float, bool, object, str, complex)}
NUMPY_NAMES |= {"NINF": float("-inf"), "PZERO": 0.0, "NZERO": -0.0, "long": int, "unicode": str}
NUMPY_NAMES |= {"asscalar": lambda array: array.item(), "alen": len, "math": math, "warnings": warnings}
NUMPY_RENAMED = {
    "Inf": "inf",
    "Infinity": "inf",
    "infty": "inf",
    "PINF": "inf",
    "NaN": "nan",
    "NAN": "nan",
    "mat": "asmatrix",
    "float_": "float64",
    "complex_": "complex128",
    "singlecomplex": "complex64",
    "cfloat": "complex128",
    "longfloat": "longdouble",
    "string_": "bytes_",
    "unicode_": "str_",
    "bool8": "bool_",
    "int0": "intp",
    "uint0": "uintp",
    "product": "prod",
    "cumproduct": "cumprod",
    "alltrue": "all",
    "sometrue": "any",
    "in1d": "isin",
    "row_stack": "vstack",
    "round_": "round",
    "trapz": "trapezoid",
}
NUMBERS = {"__int__": (16, 26), "__float__": (18, 11)}
"""Of the C structure of a type's number methods: which pointer of it, and the slot's number for `PyType_GetSlot`."""
NUMBERS_AT = 12
"""Which pointer of a type leads to that structure."""


def complete_python() -> None:
    """`time.clock`, `collections.Iterable` and its siblings again; a random sample of a set, and a shuffle with a
    source of its own; `isAlive` of threads."""
    if not hasattr(time, "clock"):
        time.clock = time.perf_counter  # type: ignore[attr-defined]
    for name in collections.abc.__all__:
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))
    if not hasattr(threading.Thread, "isAlive"):
        threading.Thread.isAlive = threading.Thread.is_alive  # type: ignore[attr-defined]
    sample, shuffle = random.Random.sample, random.Random.shuffle

    def sample_of_any(self: random.Random, population: Any, *rest: Any, **named: Any) -> list[Any]:
        if isinstance(population, set | frozenset):
            population = tuple(population)
        return sample(self, population, *rest, **named)

    def shuffle_by(self: random.Random, x: Any, random: Callable[[], float] | None = None) -> None:
        if random is None:
            shuffle(self, x)
        else:
            for i in range(len(x) - 1, 0, -1):
                j = int(random() * (i + 1))
                x[i], x[j] = x[j], x[i]

    random.Random.sample, random.Random.shuffle = sample_of_any, shuffle_by  # type: ignore[method-assign]
    random.sample, random.shuffle = random._inst.sample, random._inst.shuffle


def complete_numpy(numpy: Any, compiles: bool = False) -> None:
    """`np.int`, `np.Inf`, `tostring` of arrays and others again, and arrays of one element as numbers; also arrays of
    rows of different lengths, unless Numba compiles, which knows NumPy's functions by what they are."""
    for name, value in NUMPY_NAMES.items():
        if name not in vars(numpy):
            setattr(numpy, name, value)
    for name, now in NUMPY_RENAMED.items():
        if name not in vars(numpy) and hasattr(numpy, now):
            setattr(numpy, name, getattr(numpy, now))
    for name in numpy.exceptions.__all__:
        if name not in vars(numpy):
            setattr(numpy, name, getattr(numpy.exceptions, name))
    if not hasattr(numpy.random, "random_integers"):
        numpy.random.random_integers = lambda low, high=None, size=None: numpy.random.randint(
            *((1, low + 1) if high is None else (low, high + 1)), size
        )
    for name, method in METHODS.items():
        if not hasattr(numpy.ndarray, name):
            _add(numpy.ndarray, name, method(numpy))
    for convert in (int, float):
        try:
            convert(numpy.ones(1))
        except TypeError:
            _accept_one_element(numpy.ndarray, convert)
    if not compiles:
        numpy.array, numpy.asarray = _lenient(numpy.array), _lenient(numpy.asarray)
        numpy.fromstring = _from_bytes(numpy)


def _itemset(numpy: Any) -> Any:
    def itemset(array: Any, *arguments: Any) -> None:
        *place, value = arguments
        if len(place) == 1 and not isinstance(place[0], tuple):
            array.flat[place[0]] = value
        else:
            array[place[0] if len(place) == 1 else tuple(place)] = value

    return itemset


METHODS: dict[str, Callable[[Any], Any]] = {
    "tostring": lambda numpy: lambda array, order="C": array.tobytes(order),
    "ptp": lambda numpy: lambda array, *rest, **named: numpy.ptp(array, *rest, **named),
    "itemset": _itemset,
}
"""What arrays could be asked, made of a NumPy."""


def _add(kind: Any, name: str, method: Any) -> None:
    """Gives a type of C another method: only its dictionary itself can be written to."""
    gc.get_referents(vars(kind))[0][name] = method
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def _lenient(make: Any) -> Any:
    """Rows of different lengths are an array of objects, and what cannot be had without a copy is copied."""

    def made(*arguments: Any, **named: Any) -> Any:
        try:
            return make(*arguments, **named)
        except ValueError as error:
            if "inhomogeneous" in str(error) and "dtype" not in named and len(arguments) < 2:
                return make(*arguments, dtype=object, **named)
            if named.get("copy") is False:
                return make(*arguments, **{**named, "copy": None})
            raise

    return made


def _from_bytes(numpy: Any) -> Any:
    reads_text = numpy.fromstring

    def from_string(string: Any, dtype: Any = float, count: int = -1, *, sep: str = "", **named: Any) -> Any:
        if sep:
            return reads_text(string, dtype, count, sep=sep, **named)
        return numpy.frombuffer(string.encode("latin-1") if isinstance(string, str) else string, dtype, count).copy()

    return from_string


def _accept_one_element(arrays: Any, convert: Any) -> None:
    """Has `int` or `float` take an array of one element, as NumPy did until 2.4.

    A type of C can only be changed in its memory: it gets the method that a class of Python would have, and the
    function that calls such methods. The old function must stand where we expect it, or nothing is changed.
    """
    name = f"__{convert.__name__}__"
    as_before = getattr(arrays, name)

    def converted(array: Any) -> Any:
        return convert(array.item()) if array.ndim and array.size == 1 else as_before(array)

    at, slot = NUMBERS[name]
    word = ctypes.sizeof(ctypes.c_void_p)
    get_slot = ctypes.pythonapi.PyType_GetSlot
    get_slot.restype, get_slot.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_int)
    methods = ctypes.c_void_p.from_address(id(arrays) + NUMBERS_AT * word).value
    if not methods:
        return
    place = ctypes.c_void_p.from_address(methods + at * word)
    if not place.value or place.value != get_slot(arrays, slot):
        return
    for known in arrays.__subclasses__():
        setattr(known, name, converted)
    _add(arrays, name, converted)
    place.value = get_slot(type("Python", (), {name: converted}), slot)


def complete_numba(numba: Any) -> None:
    """`numba.jitclass` at its old place; and a plain `@jit`, which runs as Python what it cannot compile."""
    from numba.core.errors import NumbaError
    from numba.core.registry import CPUDispatcher
    from numba.experimental import jitclass

    if "jitclass" not in vars(numba):
        numba.jitclass = jitclass
    strict_jit, strict_compile, compile_as_usual = numba.jit, CPUDispatcher._compile_for_args, CPUDispatcher.compile

    def jit(*arguments: Any, **options: Any) -> Any:
        made = strict_jit(*arguments, **options)
        if "nopython" in options or "forceobj" in options:
            return made
        if isinstance(made, CPUDispatcher):
            made.outflank_lenient = True
            return made

        def decorate(function: Any) -> Any:
            dispatcher = made(function)
            dispatcher.outflank_lenient = True
            return dispatcher

        return decorate

    def compile_or_interpret(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return strict_compile(self, *arguments, **named)
        except NumbaError:
            if getattr(self, "outflank_lenient", False):
                return self.py_func
            raise

    def compile_noted(self: Any, *arguments: Any, **named: Any) -> Any:
        with Compiling.going_on():
            return compile_as_usual(self, *arguments, **named)

    numba.jit = jit
    CPUDispatcher._compile_for_args = compile_or_interpret
    CPUDispatcher.compile = compile_noted
