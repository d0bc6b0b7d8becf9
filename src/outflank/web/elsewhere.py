"""What a public server does in processes of its own: what takes long in plain Python, and analyses. In a thread they
would keep the interpreter, and with it the event loop, from everybody; a process also gives way to who waits for a
move."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import inf
from multiprocessing.shared_memory import SharedMemory
from typing import Any, TypeVar

from pydantic import BaseModel

from outflank.board.position import Position
from outflank.search.driver import Interruption, interruptible, watched
from outflank.search.engine.engine import Hint
from outflank.web import thinking
from outflank.web.lanes import BusyError
from outflank.work.places import give_way
from outflank.work.processes import Processes
from outflank.work.stop import Stop

LONGEST = 60.0
"""Seconds for an answer."""
NICE = 5
"""A visitor who waits for a move comes before one who reads a file."""
PATIENCE = 1.0
"""Seconds that a process has to end what nobody waits for."""
HEEDED_EVERY = 0.02
"""Seconds after which a process looks whether anybody still waits for its answer."""
FAREWELL = 10.0
"""Seconds that those who are asked while the server ends have to go: more than patience, also on a busy machine."""

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Question:
    """A function that can be named from another process, and what it is asked; the answer is the JSON that is sent."""

    work: Callable[..., BaseModel]
    arguments: tuple[Any, ...] = ()

    def __call__(self) -> bytes:
        return self.work(*self.arguments).model_dump_json().encode()


class _Patience(Stop):
    """Tells another process to stop, in memory that both have; it is set itself where that does not help for long."""

    __slots__ = ("_memory", "_told")

    def __init__(self, memory: SharedMemory) -> None:
        super().__init__()
        self._memory = memory
        self._told = inf
        _word(memory)[0] = 0

    def set(self) -> None:
        self._told = min(self._told, time.monotonic())
        _word(self._memory)[0] = 1

    @property
    def is_set(self) -> bool:
        return time.monotonic() - self._told > PATIENCE


def _word(memory: SharedMemory) -> memoryview:
    assert memory.buf is not None
    return memory.buf


@dataclass(frozen=True)
class _Task:
    """Work as the other process does it, and the name of the memory that says when to stop."""

    work: Callable[[], Any]
    word: str

    def __call__(self, _: Stop) -> Any:
        give_way(NICE)
        with _heeding(self.word):
            return self.work()


@contextlib.contextmanager
def _heeding(word: str) -> Iterator[None]:
    """Whatever is searched in this block ends when the other process says so."""
    memory, interruption, over = SharedMemory(word), Interruption(), threading.Event()

    def watch() -> None:
        while not over.wait(HEEDED_EVERY):
            if _word(memory)[0]:
                interruption.set()
                return

    watcher = threading.Thread(target=watch, name="outflank-heeding", daemon=True)
    watcher.start()
    try:
        with interruptible(interruption):
            yield
    finally:
        over.set()
        watcher.join()
        memory.close()


class _Worker:
    """A process, and the memory through which it is stopped."""

    def __init__(self) -> None:
        self._process = Processes(1)
        self._memory = SharedMemory(create=True, size=1)
        self._patience = _Patience(self._memory)
        self._is_last = False

    def answer(self, work: Callable[[], Answer]) -> Answer:
        tasks = [(0, _Task(work, self._memory.name))]
        self._patience = _Patience(self._memory)
        if self._is_last:
            self._patience.set()
        with (
            watched(LONGEST, self._patience) as stop,
            contextlib.closing(self._process.run(tasks, stop=stop)) as answers,
        ):
            for ((_, answer),) in answers:
                return answer  # type: ignore[no-any-return]
        raise BusyError("web.busy")

    def end_soon(self) -> None:
        """Any thread may ask for that, also before the answer is begun."""
        self._is_last = True
        self._patience.set()

    def close(self) -> None:
        self._process.close()
        self._memory.close()
        self._memory.unlink()


class Elsewhere:
    """As many processes as ask at a time. They begin when they are first needed, and stay. Any thread may ask."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open = True
        self._free: list[_Worker] = []
        self._asked: set[_Worker] = set()

    def prepare(self, work: Callable[[], Any]) -> None:
        """Has this done by one of them, in the background, so that nobody waits for its start."""

        def prepared() -> None:
            with contextlib.suppress(BusyError):  # the server ends already
                self.answer(work)

        threading.Thread(target=prepared, name="outflank-elsewhere", daemon=True).start()

    def answer(self, work: Callable[[], Answer]) -> Answer:
        """Waits for the answer to what can be pickled. Whoever stops waiting ends its searches, and where that does not
        help, or it takes too long, the process."""
        with self._changed:
            if not self._open:
                raise BusyError("web.busy")
            # The one used last: what it has in its tables is the latest.
            worker = self._free.pop() if self._free else _Worker()
            self._asked.add(worker)
        try:
            return worker.answer(work)
        finally:
            with self._changed:
                self._asked.remove(worker)
                self._free.append(worker)
                self._changed.notify_all()

    def values(self, position: Position, seconds: float, level: int | None = None) -> tuple[Hint, ...]:
        """`thinking.values`, by one of them."""
        return self.answer(partial(thinking.values, position, seconds, level))

    def close(self) -> None:
        """Ends all of them, also those that are at work or begin: none outlives the server, nor finds it gone."""
        with self._changed:
            self._open = False
            for worker in self._asked:
                worker.end_soon()
            self._changed.wait_for(lambda: not self._asked, FAREWELL)
            while self._free:
                self._free.pop().close()
