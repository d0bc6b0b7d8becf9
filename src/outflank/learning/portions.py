"""Long work in portions, each kept in a file of its own: what is done is not done again.

A portion follows from its task alone, whoever does it and when. Compiled code holds no interpreter lock, so threads
are enough to use every core of this machine.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Protocol, Self, TypeVar

from outflank.search.driver import Stop


class Portion(Protocol):
    """What a task makes: it can be written to a file, whole or not at all, and read again."""

    def save(self, path: Path) -> None: ...
    @classmethod
    def load(cls, path: Path) -> Self: ...


Made = TypeVar("Made", bound=Portion)
Task = Callable[[Stop], Made]


def done(tasks: Mapping[Path, Task[Made]], kind: type[Made], jobs: int) -> Iterator[Made]:
    """What the tasks make, in their order: read from the files that are there, the others made and written.

    Whatever ends it, the finished portions are in their files.
    """
    for path in tasks:
        path.parent.mkdir(parents=True, exist_ok=True)
    stop = Stop()
    with ThreadPoolExecutor(jobs) as pool:
        waiting: list[Future[Made]] = [pool.submit(_made, path, task, kind, stop) for path, task in tasks.items()]
        waiting.reverse()
        try:
            while waiting:
                yield waiting.pop().result()
        finally:
            # Only full where somebody stopped listening or something failed: unfinished games are not wanted then.
            stop.set()
            for future in waiting:
                future.cancel()


def _made(path: Path, task: Task[Made], kind: type[Made], stop: Stop) -> Made:
    if path.exists():
        return kind.load(path)
    made = task(stop)
    if stop.is_set:
        raise InterruptedError("stopped")
    made.save(path)
    return made
