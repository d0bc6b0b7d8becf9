"""Explains to its author why a heuristic does not compile.

Numba's messages are long and speak of types. Here they become one line: where, what is not possible there, and what
to write instead. Each rule stands for a mistake that a student made or could make (tests/test_diagnosis.py).
"""

import ast
import builtins
import difflib
import linecache
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from outflank.heuristics.features import COUNTS, WEIGHTS

FEATURES = (*COUNTS, *WEIGHTS, "count")


class CannotCompile(UserWarning):
    """A heuristic runs as plain Python because Numba could not compile it."""


ONE_NUMBER = "a bitboard is one number with a bit for each square"
ASK_A_SQUARE = "ask for a square with `own >> square & 1`, and count squares with count(mask)"
LOOK_INSIDE = "look inside a heuristic with `outflank explain`"
LOOP = "add up in a for loop, or over a list in square brackets: sum([…])"
AT_THE_TOP = "put its numbers into variables or lists at the top of the file"

INSTEAD_OF_A_NAME = {
    "bin": "count squares with count(mask) from outflank.features",
    "format": "count squares with count(mask) from outflank.features",
    "map": LOOP,
    "filter": LOOP,
    "print": LOOK_INSIDE,
    "open": "a heuristic has only its three bitboards to go by",
    "input": "a heuristic has only its three bitboards to go by",
    "object": "keep numbers in arrays, not objects",
    "hash": "compute with the bitboards themselves",
}

# In a message of Numba: what to look for, what it means, what to write instead. {0}, {1}, … are the groups found.
MESSAGES: tuple[tuple[str, str, str], ...] = (
    (
        r"No conversion from none to float64",
        "on one way through the function it returns nothing",
        "end every way with `return` and a number",
    ),
    (r"No conversion from (\S+).* to float64", "it returns {0:kind}", "return one number"),
    (
        r"Cannot unify (.+) and (.+) for '(\w+)",
        "`{2}` is {0:kind} in one place and {1:kind} in another",
        "keep one kind of value in a variable",
    ),
    (r"Cannot unify (.+) and (.+) for", "it is {0:kind} or {1:kind}", "keep one kind of value in a variable"),
    (
        r"found for signature:\s+>>> i?(?:and_?|or_?|xor|lshift|rshift)\(.*float64",
        "a bitboard plus or minus a number may be a float, which has no bits",
        "take its lowest square away with `rest ^= rest & -rest`, not `rest &= rest - 1`",
    ),
    (r"found for signature:\s+>>> (?:static_)?getitem\(uint64", ONE_NUMBER, ASK_A_SQUARE),
    (r"getiter with parameters \(uint64\)|>>> len\(uint64\)", ONE_NUMBER, ASK_A_SQUARE),
    (r"getiter with parameters \(Tuple", "the entries of the tuple are of different kinds", AT_THE_TOP),
    (r"Unknown attribute '(\w+)' of type uint64", f"{ONE_NUMBER}: it has no `.{{0}}`", ASK_A_SQUARE),
    (
        r"Unknown attribute '(\w+)' of type Module\(<module '(\w+)'",
        "`{1}.{0}` is not known to the compiler",
        "write it out",
    ),
    (
        r"unsupported NumPy function 'numpy\.(\w+)'",
        "NumPy's `{0}` is not known to the compiler",
        "compute with bitboards, count(mask) and plain numbers",
    ),
    (r"yield in a closure|Cannot capture the non-constant value", "a loop inside a call is not allowed", LOOP),
    (r"Use of unsupported opcode \(STORE_GLOBAL\)", "a global variable is changed", "keep nothing between two calls"),
    (r"LOAD_BUILD_CLASS", "a class inside the function is not allowed", AT_THE_TOP),
    (r"f-strings?", "an f-string is not allowed", f"compute with numbers only; {LOOK_INSIDE}"),
    (
        r"exception_match|Exception matching",
        "`except` with the name of an error is not allowed",
        "test for the case with an if, or catch `Exception`",
    ),
    (r"reflected list.*assigned to variable '(\w+)' in globals", "the list `{0}` holds more than numbers", AT_THE_TOP),
    (r"type of variable '(\w+)'.*list\(undefined\)", "the list `{0}` is never filled", "leave it out"),
    (r"\*args in function call", "a `*` in a call is not allowed", "write the arguments one by one"),
    (r"print\(\) in compiled code", "print() is not allowed", LOOK_INSIDE),
)

# In the text of the function: what is not allowed there, and what to write instead.
CONSTRUCTS: tuple[tuple[Any, str, str], ...] = (
    (ast.Import | ast.ImportFrom, "an import inside the function", "import at the top of the file"),
    (ast.Try | ast.ExceptHandler, "try with except", "test for the case with an if"),
    (ast.With, "a with statement", "leave files and locks out of a heuristic"),
    (ast.JoinedStr, "an f-string", f"compute with numbers only; {LOOK_INSIDE}"),
    (ast.Yield | ast.YieldFrom | ast.GeneratorExp, "a generator", LOOP),
    (ast.NamedExpr, "an assignment inside an expression (:=)", "give it a line of its own"),
    (ast.Starred, "a `*` in a call or a list", "write the values one by one"),
    (ast.Dict | ast.DictComp, "a dictionary of this kind", "use a list or a tuple, indexed by number"),
    (ast.ClassDef, "a class inside the function", AT_THE_TOP),
    (ast.Global | ast.Nonlocal, "changing a variable outside the function", "keep nothing between two calls"),
    (ast.Await | ast.AsyncFor | ast.AsyncWith, "async", "leave it out of a heuristic"),
    (ast.Set | ast.SetComp, "a set of this kind", "keep squares in a bitboard and join them with |"),
    (ast.FunctionDef | ast.Lambda, "a function of this kind inside the function", "write it above the heuristic"),
)
# In an error that the function raised as plain Python: what helps.
ADVICE = (
    (r"int too big to convert|can't convert negative int", "keep a shifted bitboard on the board with & board"),
    (r"'int' object|object of type 'int'", f"{ONE_NUMBER}; {ASK_A_SQUARE}"),
    (r"(not enough|too many) arguments: expected 3", "a feature takes (own, opp, board)"),
    (r"division by zero", "guard against that case with an if"),
    (r"maximum recursion depth", "let it end, or write a loop"),
)
KINDS = (
    (r"none", "None"),
    (r"unicode_type|Literal\[str\]", "text"),
    (r"(Uni)?Tuple|NamedTuple", "a tuple"),
    (r"list|reflected list|ListType", "a list"),
    (r"DictType|LiteralStrKey", "a dictionary"),
    (r"set|reflected set", "a set"),
    (r"array", "an array"),
    (r"complex", "a complex number"),
    (r"bool|Literal\[bool\]", "True or False"),
    (r"uint64", "a bitboard"),
    (r"u?int\d+|float\d+|Literal\[int\]", "a number"),
)
GROUP = re.compile(r"\{(\d)(:kind)?\}")


def explain_compile_error(function: Callable[..., Any], error: Exception) -> str:
    """One line: where, what is not possible there, and what to write instead."""
    text = str(error)
    file, line = _place(text) or (function.__code__.co_filename, 0)
    found = _untyped_name(text, function) or _by_message(text)
    if not found or not line:
        by_syntax = _by_syntax(function, file, line)
        if by_syntax:
            line, found = by_syntax
    what, instead = found or (_telling_line(text), "use numbers, bitboards, if, for and while")
    line = line or function.__code__.co_firstlineno
    source = linecache.getline(file, line).strip()
    shown = f" at `{source}`" if source and not source.startswith(("def ", "@")) else ""
    return f"{_shown(file)}:{line}: {function.__name__} cannot be compiled{shown}: {what}; {instead}."


def differs(function: Callable[..., Any], value: float, native: float) -> str:
    """One line on a function whose machine code has another value than its text."""
    where = f"{_shown(function.__code__.co_filename)}:{function.__code__.co_firstlineno}"
    return (
        f"{where}: {function.__name__} is {value:g} as Python but {native:g} compiled, mostly because bitboards have"
        " 64 bits and no sign there; count discs with count(mask) before you subtract."
    )


def explain_error(function: Callable[..., Any], error: BaseException) -> tuple[str, str]:
    """Where in the function's file an error came, as `mine.py:5`, and the error with what helps against it."""
    file, line, trace = function.__code__.co_filename, function.__code__.co_firstlineno, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    text = f"{type(error).__name__}: {error}"
    advice = next((advice for pattern, advice in ADVICE if re.search(pattern, text)), "")
    if isinstance(error, NameError):
        advice = _nearest_name(str(error.name), function)
    return f"{_shown(file)}:{line}", f"{text}; {advice}" if advice else text


def _nearest_name(name: str, function: Any) -> str:
    if name in FEATURES:
        return f"write `from outflank.features import {name}` at the top of the file"
    near = difflib.get_close_matches(name, [*FEATURES, *function.__globals__, *function.__code__.co_varnames], 1)
    return f"did you mean {near[0]}?" if near else ""


def _shown(file: str) -> str:
    """A file as its owner knows it: from the folder that they are in."""
    relative = os.path.relpath(file) if Path(file).is_absolute() else file
    return file if relative.startswith("..") else relative


def _place(text: str) -> tuple[str, int] | None:
    """The first place that Numba names is the innermost: in a helper, when the mistake is there."""
    places = re.findall(r'File "([^"]+)", line (\d+)', text) + re.findall(r"(?:at|from) (/.+?) \((\d+)\)", text)
    for file, line in places:
        found = Path(file).resolve()
        if found.is_file() and "site-packages" not in found.parts:
            return str(found), int(line)
    return None


def _untyped_name(text: str, function: Any) -> tuple[str, str] | None:
    """A global name that stands for something other than numbers and functions of numbers."""
    match = re.search(r"Untyped global name '(\w+)'.*?<class '([\w.]+)'>", text)
    if not match:
        return None
    name, kind = match.groups()
    if name in vars(builtins) and name not in function.__globals__:
        advice = INSTEAD_OF_A_NAME.get(name, "use numbers, bitboards, if, for and while")
        return f"`{name}` is not allowed", advice
    return f"`{name}` is a {kind.rpartition('.')[2]}", AT_THE_TOP


def _by_message(text: str) -> tuple[str, str] | None:
    for pattern, what, instead in MESSAGES:
        match = re.search(pattern, text)
        if match:
            return _filled(what, match.groups()), instead
    return None


def _filled(text: str, groups: tuple[str, ...]) -> str:
    return GROUP.sub(lambda part: _kind(groups[int(part[1])]) if part[2] else groups[int(part[1])], text)


def _kind(numba_type: str) -> str:
    return next((words for pattern, words in KINDS if re.match(pattern, numba_type)), f"a {numba_type}")


def _telling_line(text: str) -> str:
    """The line of Numba's message that says most."""
    dull = ("Failed in", "During", "File", "-", "There are", "Overload", "Rejected", "For Numba", "def ", "<source")
    lines = (" ".join(line.split()) for line in text.splitlines())
    return next((line for line in lines if line and not line.startswith(dull)), "Numba does not know it")[:160]


def _by_syntax(function: Any, file: str, line: int) -> tuple[int, tuple[str, str]] | None:
    """A construct that cannot be compiled, on the line that Numba named or else anywhere in the function."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree) if line else _body(tree, function):
        if not line or getattr(node, "lineno", 0) == line:
            for kinds, what, instead in CONSTRUCTS:
                if isinstance(node, kinds):
                    return node.lineno, (f"{what} is not allowed", instead)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in INSTEAD_OF_A_NAME:
                return node.lineno, (f"{node.func.id}() is not allowed", INSTEAD_OF_A_NAME[node.func.id])
    return None


def _body(tree: ast.Module, function: Any) -> Iterator[Any]:
    """What stands inside a function, without its own `def`."""
    first = function.__code__.co_firstlineno  # that of its decorator, if it has one
    for node in ast.walk(tree):
        begins = [getattr(node, "lineno", 0), *(mark.lineno for mark in getattr(node, "decorator_list", ()))]
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__ and first in begins:
            for statement in node.body:
                yield from ast.walk(statement)
