"""What a worker keeps from task to task, such as players that took long to make."""

import threading
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import Any, TypeVar

Made = TypeVar("Made")
Shelf = dict[Hashable, Any]

_this_thread = threading.local()


def shelf() -> Shelf:
    """What is held in this thread."""
    return _this_thread.__dict__.setdefault("shelf", {})  # type: ignore[no-any-return]


def held(make: Callable[..., Made], *arguments: Hashable) -> Made:
    """What `make` makes of these arguments: one a worker, made when it is first wanted, closed when the worker ends."""
    things, key = shelf(), (make, *arguments)
    if key not in things:
        things[key] = make(*arguments)
    made: Made = things[key]
    return made


def let_go(things: Shelf) -> None:
    """Closes all that can be closed."""
    while things:
        _, thing = things.popitem()
        with suppress(Exception):  # whatever one does on its way out, the others leave too
            thing.close()
