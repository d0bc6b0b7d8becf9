"""The first compile on a machine, by several processes: which kernels there are, which call which, and who takes what.

Every process walks the same list and takes what nobody else has taken and all of whose callees are there already, so
that no kernel is compiled twice and none waits for another inside a compile.
"""

import importlib
import time
import types
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from outflank.board import compiled
from outflank.board.compiled import PACKAGE, _Kernel, _kernels, cache_folder
from outflank.board.sources import Sources

COMPLETE = "complete"
"""The file in the cache folder that says: every kernel is there."""
PAUSE = 0.01


class Stop(Protocol):
    """What ends the work early."""

    @property
    def is_set(self) -> bool: ...


def is_complete() -> bool:
    return (cache_folder() / COMPLETE).exists()


def note_complete() -> None:
    (cache_folder() / COMPLETE).touch()


def every_kernel() -> list[_Kernel]:
    """All kernels of the package, the longest ways to a root first."""
    for module in Sources(PACKAGE).users(compiled.__name__, ("kernel",)):
        importlib.import_module(module)
    return _in_order(_kernels)


def kernels_for(roots: Iterable[str]) -> list[_Kernel]:
    """The kernels named, as `module:name`, and all that they call."""
    wanted: dict[_Kernel, None] = {}
    waiting = [getattr(importlib.import_module(module), name) for module, name in (root.split(":") for root in roots)]
    while waiting:
        kernel = waiting.pop()
        if kernel not in wanted:
            wanted[kernel] = None
            waiting.extend(callees(kernel))
    return _in_order(wanted)


@lru_cache(None)
def callees(kernel: _Kernel) -> frozenset[_Kernel]:
    """The kernels that a kernel's code names, itself left out."""
    function = kernel.py_func
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    for module in [each for each in named if isinstance(each, types.ModuleType)]:
        named.extend(getattr(module, name, None) for name in function.__code__.co_names)
    named.extend(cell.cell_contents for cell in function.__closure__ or ())
    return frozenset(each for each in named if isinstance(each, _Kernel) and each is not kernel)


def _in_order(kernels: Iterable[_Kernel]) -> list[_Kernel]:
    """Those first upon which the longest chain of others waits, weighed by their code: it decides when all are done."""
    listed = list(kernels)
    ahead = dict.fromkeys(listed, 0)
    for kernel in sorted(listed, key=_height, reverse=True):
        for callee in callees(kernel):
            if callee in ahead:
                ahead[callee] = max(ahead[callee], ahead[kernel] + len(kernel.py_func.__code__.co_code))
    return sorted(listed, key=lambda kernel: -ahead[kernel] - len(kernel.py_func.__code__.co_code))


@lru_cache(None)
def _height(kernel: _Kernel) -> int:
    return 1 + max((_height(callee) for callee in callees(kernel)), default=0)


@dataclass(frozen=True)
class Share:
    """The task of one of several processes: to compile what others do not, and before all others the kernels named,
    group by group, with those that they call. Makes the processor seconds that it took."""

    first: tuple[tuple[str, ...], ...] = ()
    long = True

    def __call__(self, stop: Stop) -> float:
        compiled.in_crew = True
        began = time.process_time()
        left, whole = list(dict.fromkeys(kernel for group in self.first for kernel in kernels_for(group))), False
        while (left or not whole) and not stop.is_set:
            left = [kernel for kernel in left if not kernel.is_made]
            free = (kernel for kernel in left if all(callee.is_made for callee in callees(kernel)))
            if any(kernel.ready_unless_taken() for kernel in free):
                continue
            if whole:
                time.sleep(PAUSE)
            else:  # nothing of the first is free just now
                whole = True
                left.extend(kernel for kernel in every_kernel() if kernel not in left)
        return time.process_time() - began
