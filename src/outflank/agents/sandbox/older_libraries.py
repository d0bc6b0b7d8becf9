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
import operator
import random
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from outflank.agents.sandbox.rehearsal import Compiling

PYTHON_RENAMED: dict[str, dict[str, Callable[[Any], Any]]] = {
    "fractions": {"gcd": lambda fractions: math.gcd},
    "base64": {
        "encodestring": lambda base64: base64.encodebytes,
        "decodestring": lambda base64: base64.decodebytes,
    },
}
ARRAY_RENAMED = {"tostring": "tobytes", "fromstring": "frombytes"}
NUMPY_NAMES: dict[str, Any] = {kind.__name__: kind for kind in (int, float, bool, object, str, complex)}
NUMPY_NAMES |= {"NINF": float("-inf"), "PZERO": 0.0, "NZERO": -0.0, "long": int, "unicode": str}
NUMPY_NAMES |= {"asscalar": lambda array: array.item(), "alen": len, "math": math, "warnings": warnings}
NUMPY_NAMES |= {"asfarray": lambda numbers, dtype=float: sys.modules["numpy"].asarray(numbers, dtype)}
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
NUMPY_MODULES = (
    *("arraypad", "arraysetops", "function_base", "histograms", "index_tricks", "nanfunctions", "polynomial"),
    *("shape_base", "twodim_base", "type_check", "ufunclike", "utils"),
)
"""Of `numpy.lib`: editors of that time wrote imports of them."""
NUMBERS = {
    "__int__": (16, 26),
    "__float__": (18, 11),
    "__add__": (0, 7),
    "__sub__": (1, 36),
    "__mul__": (2, 29),
    "__mod__": (3, 34),
    "__pow__": (5, 33),
    "__lshift__": (11, 28),
    "__and__": (13, 8),
    "__xor__": (14, 38),
    "__or__": (15, 31),
    "__floordiv__": (29, 12),
}
"""Of the C structure of a type's number methods: which pointer of it, and the slot's number for `PyType_GetSlot`."""
NUMBERS_AT = 12
"""Which pointer of a type leads to that structure."""
SMALL = ("int8", "int16", "uint8", "uint16")
"""Types of NumPy's that a Python number once made larger."""
SMALL_NAMES = {*SMALL, "byte", "ubyte", "short", "ushort", "i1", "i2", "u1", "u2"}
"""What a file calls them."""


def complete_python() -> None:
    """`time.clock`, `collections.Iterable` and its siblings again; a random sample of a set, a shuffle with a source of
    its own, and chance up to a float without a fraction; `isAlive` of threads; names of modules that are loaded."""
    if not hasattr(time, "clock"):
        time.clock = time.perf_counter  # type: ignore[attr-defined]
    for name in collections.abc.__all__:
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))
    if not hasattr(threading.Thread, "isAlive"):
        threading.Thread.isAlive = threading.Thread.is_alive  # type: ignore[attr-defined]
    for module, names in PYTHON_RENAMED.items():
        for name, made in names.items():
            if module in sys.modules and not hasattr(sys.modules[module], name):
                setattr(sys.modules[module], name, made(sys.modules[module]))
    for name, now in ARRAY_RENAMED.items():
        if "array" in sys.modules and not hasattr(sys.modules["array"].array, name):
            _add(sys.modules["array"].array, name, getattr(sys.modules["array"].array, now))
    sample, shuffle, randrange = random.Random.sample, random.Random.shuffle, random.Random.randrange

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

    def randrange_of_any(self: random.Random, *numbers: Any, **named: Any) -> int:
        try:
            return randrange(self, *numbers, **named)
        except TypeError:
            if not all(isinstance(number, int | float) and number == int(number) for number in numbers):
                raise
            return randrange(self, *map(int, numbers), **named)

    random.Random.sample, random.Random.shuffle = sample_of_any, shuffle_by  # type: ignore[method-assign]
    if sys.version_info >= (3, 12):  # it costs a call, and players ask for chance all the time
        random.Random.randrange = randrange_of_any  # type: ignore[method-assign, assignment]
    for name in ("sample", "shuffle", "randrange"):
        setattr(random, name, getattr(random._inst, name))


def complete_numpy(numpy: Any, compiles: bool = False, small: bool = False) -> None:
    """`np.int`, `np.Inf`, `tostring` of arrays and others again, and arrays of one element as numbers; also arrays of
    rows of different lengths, unless Numba compiles, which knows NumPy's functions by what they are. For who names
    small types, their arithmetic too."""
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
    for name in NUMPY_MODULES:
        module = sys.modules.get(f"numpy.lib._{name}_impl")
        if module is not None and not hasattr(numpy.lib, name):
            sys.modules[f"numpy.lib.{name}"] = module
            setattr(numpy.lib, name, module)
    for convert in (int, float):
        try:
            convert(numpy.ones(1))
        except TypeError:
            _accept_one_element(numpy.ndarray, convert)
    if small:
        _widen(numpy)
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
    """Rows of different lengths are an array of objects, what cannot be had without a copy is copied, and numbers too
    large for a small type lose their upper bits."""

    def made(*arguments: Any, **named: Any) -> Any:
        try:
            return make(*arguments, **named)
        except OverflowError:
            kind = named["dtype"] if "dtype" in named else arguments[1]
            return make(arguments[0]).astype(kind)
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
    """Has `int` or `float` take an array of one element, as NumPy did until 2.4."""
    name = f"__{convert.__name__}__"
    as_before = getattr(arrays, name)

    def converted(array: Any) -> Any:
        return convert(array.item()) if array.ndim and array.size == 1 else as_before(array)

    _replace(arrays, name, converted)


def _widen(numpy: Any) -> None:
    """A Python number beside a number of a small type counts as one of 64 bits, as it did until NumPy 2; beside an
    array of such, where it is too large for that."""
    names = [name for name in NUMBERS if hasattr(operator, name)]
    for kind in (getattr(numpy, small) for small in SMALL):
        for name in names:
            _replace(kind, name, _wide(kind, name, numpy.int64), _wide(kind, _reflected(name), numpy.int64))
    for name in names:
        _replace(numpy.ndarray, name, *(_roomy(numpy, one) for one in (name, _reflected(name))))


def _reflected(name: str) -> str:
    return f"__r{name[2:]}"


def _wide(kind: Any, name: str, wide: Any) -> Any:
    as_before, instead = getattr(kind, name), getattr(wide, name)

    def computed(number: Any, other: Any, *rest: Any) -> Any:
        return instead(wide(number), other, *rest) if type(other) is int else as_before(number, other, *rest)

    return computed


def _roomy(numpy: Any, name: str) -> Any:
    as_before = getattr(numpy.ndarray, name)

    def computed(array: Any, other: Any, *rest: Any) -> Any:
        try:
            return as_before(array, other, *rest)
        except OverflowError:
            return as_before(array, numpy.array(other), *rest)

    return computed


def _replace(kind: Any, name: str, method: Any, reflected: Any = None) -> None:
    """Exchanges a method for numbers of a type of C, and the one for a number on its left.

    Such a type can only be changed in its memory: it gets the method that a class of Python would have, and the
    function that calls such methods. The old function must stand where we expect it, or nothing is changed.
    """
    at, slot = NUMBERS[name]
    word = ctypes.sizeof(ctypes.c_void_p)
    get_slot = ctypes.pythonapi.PyType_GetSlot
    get_slot.restype, get_slot.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_int)
    methods = ctypes.c_void_p.from_address(id(kind) + NUMBERS_AT * word).value
    if not methods:
        return
    place = ctypes.c_void_p.from_address(methods + at * word)
    if not place.value or place.value != get_slot(kind, slot):
        return
    made = {name: method} | ({_reflected(name): reflected} if reflected else {})
    for one, value in made.items():
        for known in kind.__subclasses__():
            if one not in vars(known):
                setattr(known, one, value)
        _add(kind, one, value)
    place.value = get_slot(type("Python", (), made), slot)


def complete_numba(numba: Any) -> None:
    """`numba.jitclass` and `numba.errors` at their old places; a plain `@jit`, which runs as Python what it cannot
    compile; and more threads than there are may be wished for."""
    from numba.core.errors import NumbaError
    from numba.core.registry import CPUDispatcher
    from numba.experimental import jitclass

    if "jitclass" not in vars(numba):
        numba.jitclass = jitclass
    sys.modules.setdefault("numba.errors", numba.errors)
    use_threads = numba.set_num_threads
    numba.set_num_threads = lambda wanted: use_threads(min(wanted, numba.config.NUMBA_NUM_THREADS))
    strict_jit, strict_compile, compile_as_usual = numba.jit, CPUDispatcher._compile_for_args, CPUDispatcher.compile

    def jit(*arguments: Any, **options: Any) -> Any:
        made = strict_jit(*arguments, **options)
        if options.get("nopython") or "forceobj" in options:
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
