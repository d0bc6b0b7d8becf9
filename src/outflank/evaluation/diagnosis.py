"""What is wrong with a heuristic that does not compile, said to the person who wrote it."""

import ast
import inspect
import linecache
import re
import textwrap
from collections.abc import Callable
from typing import Any


class CannotCompile(UserWarning):
    """A heuristic runs as plain Python because Numba could not compile it."""


NOT_ALLOWED: tuple[tuple[Any, str, str], ...] = (
    (ast.Import | ast.ImportFrom, "an import inside the function", "import at the top of the file"),
    (ast.Try, "try/except", "test for the case with an if"),
    (ast.With, "a with statement", "leave files and locks out of a heuristic"),
    (ast.Dict | ast.DictComp, "a dictionary", "write an if chain, or a tuple indexed by number"),
    (ast.Set | ast.SetComp, "a set", "keep squares in a bitboard and join them with |"),
    (ast.JoinedStr, "an f-string", "return numbers only; use `outflank explain` to look inside"),
    (ast.Yield | ast.YieldFrom, "a generator", "add up in a for loop"),
    (ast.Lambda, "a lambda", "write the expression out, or a function of its own"),
    (ast.ListComp, "a list", "add up in a for loop"),
    (ast.List, "a list", "use a tuple, or single variables"),
    (ast.Global | ast.Nonlocal, "a global variable that is written to", "pass values as arguments and return them"),
)
CALLS = {
    "print": "use `outflank explain` to look inside a heuristic",
    "open": "a heuristic has only its three bitboards to go by",
    "bin": "count discs with `count(mask)` from outflank.features",
    "str": "return numbers only",
    "sorted": "compare values with if, max and min",
    "sum": "add up in a for loop",
}


def explain_compile_error(function: Callable[..., Any], error: Exception) -> str:
    """One line: where, what is not allowed there, and what to write instead."""
    line = _line_of(error)
    where = f"{function.__code__.co_filename}:{line or function.__code__.co_firstlineno}"
    name = function.__name__
    found = _culprit(function, line)
    if found:
        what, instead = found
        return f"{where}: {name} cannot be compiled: {what} is not allowed in a heuristic; {instead}."
    source = linecache.getline(function.__code__.co_filename, line).strip() if line else ""
    shown = f" at `{source}`" if source else ""
    return f"{where}: {name} cannot be compiled{shown}: {_reason(error)}; use numbers, bitboards, if, for and while."


def _line_of(error: Exception) -> int | None:
    """Numba says the line in its text, several times; the last is the one in the user's own function."""
    lines = re.findall(r'File "[^"]*", line (\d+)', str(error))
    return int(lines[-1]) if lines else None


def _culprit(function: Callable[..., Any], line: int | None) -> tuple[str, str] | None:
    try:
        source, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(source)))
    except (OSError, TypeError, SyntaxError):
        return None
    suspects = [(node, at) for node in ast.walk(tree) if (at := getattr(node, "lineno", None)) is not None]
    # The line that Numba named is the best place to look; it is sometimes off, so then the whole function.
    on_the_line = [node for node, at in suspects if line is not None and at + first - 1 == line]
    for nodes in (on_the_line, [node for node, _ in suspects]):
        for node in nodes:
            for kinds, what, instead in NOT_ALLOWED:
                if isinstance(node, kinds):
                    return what, instead
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
                return f"{node.func.id}()", CALLS[node.func.id]
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and nodes is on_the_line:
                return "a string", "return numbers only"
    return None


def _reason(error: Exception) -> str:
    """The most telling line of Numba's long message."""
    text = str(error)
    for pattern, meaning in (
        (r"Untyped global name '(\w+)'", "`{0}` is not a number, a feature or a function of numbers"),
        (r"NameError: name '(\w+)' is not defined", "`{0}` is not defined"),
        (r"Unknown attribute '(\w+)' of type (\w+)", "a {1} has no `.{0}`"),
        (
            r"No implementation of function Function\(<[^>]*function (\w+)[^>]*>\)",
            "`{0}` does not work on these values",
        ),
        (
            r"cannot convert native ([\w()]+) to|can't unbox|Cannot unify (\S+) and (\S+)",
            "a value is of different kinds in different branches",
        ),
    ):
        match = re.search(pattern, text)
        if match:
            return meaning.format(*match.groups())
    return " ".join(text.strip().split("\n")[-1].split())[:160]
