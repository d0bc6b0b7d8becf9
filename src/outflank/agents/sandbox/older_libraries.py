"""What the libraries of the courses' years had and newer ones have dropped: files that worked there work here.

The courses run Python 3.7 with the NumPy and Numba of that time.
"""

from types import ModuleType
from typing import Any

NUMPY_NAMES: dict[str, Any] = {
    "int": int,
    "float": float,
    "bool": bool,
    "object": object,
    "str": str,
    "complex": complex,
}
NUMPY_RENAMED = {
    "Inf": "inf",
    "Infinity": "inf",
    "NINF": "NINF",
    "NaN": "nan",
    "infty": "inf",
    "float_": "float64",
    "product": "prod",
    "cumproduct": "cumprod",
    "alltrue": "all",
    "sometrue": "any",
    "in1d": "isin",
    "row_stack": "vstack",
    "round_": "round",
}


def complete_numpy(numpy: ModuleType) -> None:
    """`np.int`, `np.Inf` and others again."""
    for name, value in NUMPY_NAMES.items():
        if name not in vars(numpy):
            setattr(numpy, name, value)
    for name, now in NUMPY_RENAMED.items():
        if name not in vars(numpy) and now in vars(numpy):
            setattr(numpy, name, vars(numpy)[now])


def complete_numba(numba: Any) -> None:
    """`numba.jitclass` at its old place; and a plain `@jit`, which runs as Python what it cannot compile.

    Compiled code lets go of the interpreter while it runs, so that the candidates of a player whose search takes too
    long are still seen. It has one thread, and does not notice.
    """
    from numba.core.errors import NumbaError
    from numba.core.registry import CPUDispatcher
    from numba.experimental import jitclass

    if "jitclass" not in vars(numba):
        numba.jitclass = jitclass
    strict_jit, strict_compile = numba.jit, CPUDispatcher._compile_for_args
    made_as_usual = CPUDispatcher.__init__

    def made_to_let_go(self: Any, py_func: Any, locals: Any = None, targetoptions: Any = None, **named: Any) -> None:
        options = dict(targetoptions or {})
        if not options.get("forceobj"):
            options.setdefault("nogil", True)
        made_as_usual(self, py_func, locals, options, **named)

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

    numba.jit = jit
    CPUDispatcher.__init__ = made_to_let_go
    CPUDispatcher._compile_for_args = compile_or_interpret
