"""What files of the course take from the library `func_timeout`: a function that is given up after some seconds."""

import ctypes
import functools
import threading
from collections.abc import Callable
from typing import Any


class FunctionTimedOut(BaseException):
    """The function had no result in time. Raised where it was called, and inside of it, so that it ends."""


def func_timeout(timeout: float, func: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
    """What a function returns or raises; after so many seconds a `FunctionTimedOut`."""
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["value"] = func(*args, **(kwargs or {}))
        except BaseException as error:
            outcome["error"] = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(timeout)
    if "value" in outcome:
        return outcome["value"]
    if "error" in outcome:
        raise outcome["error"]
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(FunctionTimedOut))
    raise FunctionTimedOut(f"no result after {timeout} s")


def func_set_timeout(timeout: Any, allowOverride: bool = False) -> Any:  # noqa: N803 (the library's name)
    """A decorator: the function has so many seconds, or as many as a function of its arguments says."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def limited(*args: Any, **kwargs: Any) -> Any:
            seconds = timeout(*args, **kwargs) if callable(timeout) else timeout
            if allowOverride:
                seconds = kwargs.pop("forceTimeout", seconds)
            return func_timeout(seconds, function, args, kwargs)

        return limited

    return decorate


NAMES = {one.__name__: one for one in (func_timeout, func_set_timeout, FunctionTimedOut)}
