"""A rehearsal: code that a submission compiles at its first move is compiled before the game, off the clock.

Another player of the same class decides on boards that are of no game; as soon as nothing is compiled any more, it is
stopped. Then everything that the game's own player can see is as it was: only machine code has come. Whatever goes
wrong here is no fault of anybody's.
"""

import contextlib
import copy
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

QUIET_SECONDS = 0.4
"""Without anything compiled, after which there is nothing more to come."""
LONGEST_SECONDS = 6.0
"""Of the processor, after which no other board is begun: on a busy machine a compile takes long."""
GLANCE_SECONDS = 0.05
ENOUGH = signal.SIGUSR2


class Enough(BaseException):
    """Raised inside of a player whose rehearsal is over."""


class Compiling:
    """What Numba does: whether it compiles just now, and when it last did. `older_libraries` keeps it."""

    depth = 0
    last = 0.0
    count = 0
    """How often."""

    @classmethod
    @contextlib.contextmanager
    def going_on(cls) -> Iterator[None]:
        cls.depth += 1
        cls.count += 1
        try:
            yield
        finally:
            cls.depth -= 1
            cls.last = time.monotonic()


def rehearse(made: Callable[[], Any], questions: Sequence[dict[str, Any]]) -> None:
    """Asks a player that `made` makes; each question ends when it is answered or nothing is compiled any more."""
    main = threading.main_thread().ident
    asked: object = None

    def stop(*_: object) -> None:
        # Never while it compiles: half of that would be of no use.
        if asked is not None and not Compiling.depth:
            raise Enough

    def watch() -> None:
        while asked is not over:
            time.sleep(GLANCE_SECONDS)
            if asked is not None and not Compiling.depth and time.monotonic() - Compiling.last > QUIET_SECONDS:
                signal.pthread_kill(main, ENOUGH)  # type: ignore[arg-type]

    over = object()
    signal.signal(ENOUGH, stop)
    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    until = time.process_time() + LONGEST_SECONDS
    with contextlib.suppress(BaseException):
        player = made()
        for question in questions:
            if time.process_time() > until:
                break
            with contextlib.suppress(BaseException):
                Compiling.last = time.monotonic()
                asked = question
                player.decide(question)
            while asked is not None:
                with contextlib.suppress(Enough):
                    asked = None
    asked = over
    watching.join()
    signal.signal(ENOUGH, signal.SIG_IGN)


@contextlib.contextmanager
def as_before(modules: Sequence[ModuleType]) -> Iterator[None]:
    """Afterwards, the modules and their classes have the values that they have now, and chance goes on as it would."""
    chance = random.getstate()
    numbers = sys.modules.get("numpy")
    their_chance = numbers.random.get_state() if numbers else None
    owners = [*modules, *(one for module in modules for one in vars(module).values() if _is_own_class(one, module))]
    kept = [(owner, {name: (value, _copied(value)) for name, value in _values(owner)}) for owner in owners]
    try:
        yield
    finally:
        for owner, values in kept:
            _restore(owner, values)
        random.setstate(chance)
        if numbers:
            numbers.random.set_state(their_chance)


def _is_own_class(value: Any, module: ModuleType) -> bool:
    return isinstance(value, type) and value.__module__ == module.__name__


def _values(owner: Any) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in vars(owner).items() if not name.startswith("__")]


def _copied(value: Any) -> Any:
    """A copy of data; None for what is none, and for what cannot be copied."""
    if isinstance(value, list | dict | set | bytearray) or hasattr(value, "__array_interface__"):
        with contextlib.suppress(Exception):
            return copy.deepcopy(value)
    return None


def _restore(owner: Any, values: dict[str, tuple[Any, Any]]) -> None:
    """Each name its value, and that its content, in the same object: others may hold it, too."""
    for name in [name for name, _ in _values(owner) if name not in values]:
        with contextlib.suppress(Exception):
            delattr(owner, name)
    for name, (value, content) in values.items():
        with contextlib.suppress(Exception):
            if vars(owner).get(name) is not value:
                setattr(owner, name, value)
            if isinstance(content, list | bytearray):
                value[:] = content
            elif isinstance(content, dict | set):
                value.clear()
                value.update(content)
            elif content is not None:
                value[...] = content
