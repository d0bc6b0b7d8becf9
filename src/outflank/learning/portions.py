"""Long work in portions, each kept in a file of its own, so that no portion is done twice.

A portion depends on its task alone.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Protocol, Self, TypeVar

from outflank.errors import Fault
from outflank.formats.disk import write_bytes
from outflank.work.stop import Stop
from outflank.work.workers import Finished, Workers


class Portion(Protocol):
    """What a task makes: it can be written to a file, whole or not at all, and read again."""

    def save(self, path: Path) -> None: ...
    @classmethod
    def load(cls, path: Path) -> Self: ...


Made = TypeVar("Made", bound=Portion)
Task = Callable[[Stop], Made]


def portions(first: int, count: int, most: int) -> Iterator[tuple[int, int]]:
    """So many things, numbered from `first`, in portions: where each begins, and its size."""
    for begin in range(first, first + count, most):
        yield begin, min(most, first + count - begin)


def done(workers: Workers, tasks: Mapping[Path, Task[Made]], kind: type[Made]) -> Iterator[Made]:
    """What the tasks make, in their order: read from the files that are there, the others made and written.

    Whatever ends it, the finished portions are in their files.
    """
    for path in tasks:
        path.parent.mkdir(parents=True, exist_ok=True)
    missing = {path: task for path, task in tasks.items() if not path.exists()}
    places = list(missing)

    def keep(finished: Finished[int, Made]) -> None:
        for number, made in finished:
            made.save(places[number])

    with closing(workers.map(missing.values(), keep)) as made:
        for path in tasks:
            yield next(made) if path in missing else _loaded(path, kind)


def write_text(file: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    write_bytes(str(file), text.encode(), lasting=False)


def _loaded(path: Path, kind: type[Made]) -> Made:
    try:
        return kind.load(path)
    except ValueError as error:
        raise Fault("learning.portion", why=error) from None
