"""What a worker keeps from task to task, such as players that took long to make."""

from collections.abc import Callable, Hashable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, TypeVar

Made = TypeVar("Made")


class Shelf:
    """The things of one worker."""

    def __init__(self) -> None:
        self._things: dict[Hashable, Any] = {}

    def take(self, make: Callable[..., Made], arguments: tuple[Hashable, ...]) -> Made:
        key = make, *arguments
        if key not in self._things:
            self._things[key] = make(*arguments)
        made: Made = self._things[key]
        return made

    def close(self) -> None:
        """Closes all that can be closed."""
        while self._things:
            _, thing = self._things.popitem()
            if hasattr(thing, "close"):
                with suppress(Exception):  # whatever one does on its way out, the others leave too
                    thing.close()


_of_this_process = Shelf()
shelf: ContextVar[Shelf] = ContextVar("shelf", default=_of_this_process)
"""That of the worker that is at work: each thread's own, and the process's where there are none."""


def held(make: Callable[..., Made], *arguments: Hashable) -> Made:
    """What `make` makes of these arguments: one a worker, made when it is first wanted, closed when the worker ends."""
    return shelf.get().take(make, arguments)
