"""Memory that kernels know by address is there for as long as they use it."""

import ast
import importlib
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np

from outflank.board import compiled
from outflank.board.compiled import kernel, uint64
from outflank.board.memory import address_of, stack_words
from outflank.board.records import Row, Word, at_address
from outflank.board.sources import Sources

Words = Any
words_at = at_address(Row[Word])


@kernel("uint64(int64)")
def _read_among_arrays(size: int) -> int:
    mine: Words = stack_words(2)
    mine[0], mine[1] = 7, 8
    total = uint64(0)
    for step in range(3):
        first, second = np.zeros(size, np.uint64), np.zeros(size, np.uint64)
        first[0], second[0] = 100 + step, 200 + step
        total = total * uint64(100) + mine[0] * mine[1]
    return total


def test_words_on_the_stack_outlast_every_array_made_meanwhile() -> None:
    for size in (1, 2, 16, 5000):
        assert _read_among_arrays(size) == 565656


@kernel("uint64(uint64)")
def _counted(steps: int) -> int:
    total = uint64(0)
    for step in range(steps):
        fresh: Words = stack_words(3)
        total += fresh[0] + fresh[1] + fresh[2]
        fresh[0], fresh[1], fresh[2] = step, step, step
    return total


def test_words_on_the_stack_are_zero_whenever_asked_for() -> None:
    """In a loop as well, which takes no more of the stack however long it runs."""
    assert _counted(10_000_000) == 0


@kernel("uint64(uint64)")
def _twice(word: int) -> int:
    one: Words = stack_words(1)
    other: Words = stack_words(1)
    one[0], other[0] = word, word + uint64(1)
    again = words_at(address_of(one))
    return int(again[0] * uint64(1000) + other[0])


def test_words_are_found_again_by_their_address() -> None:
    assert _twice(41) == 41_042


def _kernels() -> Iterator[Any]:
    for module in Sources(compiled.PACKAGE).users(compiled.__name__, ["kernel"]):
        importlib.import_module(module)
    return (kernel.py_func for kernel in compiled._kernels if kernel.py_func.__module__.startswith("outflank."))


def _borrowed(function: Any) -> Iterator[str]:
    """The names of a kernel's own arrays whose address it takes."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    parameters = {argument.arg for argument in ast.walk(tree) if isinstance(argument, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "ctypes":
            array: Any = node.value
            while not isinstance(array, ast.Name):
                array = getattr(array, "value", None) or array.func
            if array.id not in parameters:
                yield array.id


def test_no_kernel_takes_the_address_of_an_array_of_its_own() -> None:
    """Numba frees it after its last use by name, which the use by address is not; see `stack_words`."""
    names = set()
    for function in _kernels():
        if not function.__code__.co_filename.startswith("<"):
            names.add(function.__name__)
            assert not list(_borrowed(function)), f"{function.__module__}.{function.__name__}"
    assert {"random_playouts", "play_games", "open_games", "descend_policies"} <= names


def test_the_check_sees_such_an_address() -> None:
    def wrong(given: Any) -> int:
        memory = np.zeros(1, np.uint64)
        return words_at(given.ctypes.data)[0] + words_at(memory[0].ctypes.data)[0]

    assert list(_borrowed(wrong)) == ["memory"]
