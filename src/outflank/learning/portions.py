"""Long work in portions, each kept in a file of its own where that is wanted: what is done is not done again.

A portion follows from its task alone, whoever does it and when. Compiled code holds no interpreter lock, so threads
are enough to use every core of this machine; a Ray cluster does the same tasks elsewhere.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from outflank import __version__
from outflank.arena.local import runner_named
from outflank.arena.runner import Runner
from outflank.search.driver import Stop


class Portion(Protocol):
    """What a task makes: it can be written to a file, whole or not at all, and read again."""

    def save(self, path: Path) -> None: ...
    @classmethod
    def load(cls, path: Path) -> Self: ...


Made = TypeVar("Made", bound=Portion)
Task = Callable[[Stop], Made]
Result = TypeVar("Result")
Work = Callable[[Stop], Result]
Keep = Callable[[int, Result], None]
"""Takes the number of a task and what it made, as soon as that is there."""
LOST_TASKS = 3
"""Nodes that may die with a task before it is given up."""


class Workers:
    """Who does the tasks: so many threads of this machine (`jobs`), or the nodes of a Ray cluster that `on` names.

    A cluster is connected to when there is something to do for it, once.
    """

    def __init__(self, jobs: int = 1, on: str = "") -> None:
        self.jobs, self.on = jobs, on
        self._cluster: Runner | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None

    def map(self, tasks: Sequence[Work[Result]], keep: Keep[Result] | None = None) -> Generator[Result, None, None]:
        """What the tasks make, in their order; whoever stops listening ends what is not done yet."""
        keep = keep or _nothing_kept
        if self.on and tasks:
            yield from self._in_cluster(tasks, keep)
        else:
            yield from self._here(tasks, keep)

    def _here(self, tasks: Sequence[Work[Result]], keep: Keep[Result]) -> Generator[Result, None, None]:
        stop = Stop()

        def made(number: int, task: Work[Result]) -> Result:
            found = task(stop)
            if stop.is_set:
                raise InterruptedError("stopped")
            keep(number, found)
            return found

        with ThreadPoolExecutor(self.jobs) as pool:
            waiting = deque(pool.submit(made, number, task) for number, task in enumerate(tasks))
            try:
                while waiting:
                    yield waiting.popleft().result()
            finally:
                # Only full where somebody stopped listening or something failed: unfinished games are not wanted then.
                stop.set()
                for future in waiting:
                    future.cancel()

    def _in_cluster(self, tasks: Sequence[Work[Result]], keep: Keep[Result]) -> Generator[Result, None, None]:
        """Tasks in Ray's queue, never more than twice the cores: each carries its weights. Ray does lost ones again."""
        self._cluster = self._cluster or runner_named(self.on)  # connects, and says in one line why it cannot
        import ray

        remote: Any = ray.remote(num_cpus=1, max_retries=LOST_TASKS)(_on_a_node)
        waiting, flying = deque(enumerate(tasks)), deque[tuple[int, Any]]()
        try:
            while waiting or flying:
                cores = max(int(ray.cluster_resources().get("CPU", 1)), 1)
                while waiting and len(flying) < 2 * max(cores, self.jobs):
                    number, task = waiting.popleft()
                    flying.append((number, remote.remote(__version__, task)))
                number, one = flying[0]
                try:
                    made = ray.get(one)
                except ray.exceptions.RayTaskError as error:
                    raise (error.cause if isinstance(error.cause, Exception) else error) from None
                flying.popleft()
                keep(number, made)
                yield made
        finally:
            for _, one in flying:
                ray.cancel(one)


def _nothing_kept(number: int, made: Any) -> None:
    pass


def _on_a_node(version: str, task: Work[Result]) -> Result:
    if version != __version__:
        raise ValueError(f"a node of the cluster has Outflank {__version__}, here it is {version}: install the same")
    return task(Stop())


def done(tasks: Mapping[Path, Task[Made]], kind: type[Made], jobs: int, on: str = "") -> Iterator[Made]:
    """What the tasks make, in their order: read from the files that are there, the others made and written.

    `on` names a Ray cluster as `--on` does; without it the work is done here, so many `jobs` at a time. Whatever ends
    it, the finished portions are in their files.
    """
    with Workers(jobs, on) as workers:
        yield from done_by(workers, tasks, kind)


def done_by(workers: Workers, tasks: Mapping[Path, Task[Made]], kind: type[Made]) -> Iterator[Made]:
    """The same, by workers that others use too."""
    for path in tasks:
        path.parent.mkdir(parents=True, exist_ok=True)
    missing = {path: task for path, task in tasks.items() if not path.exists()}
    places = list(missing)
    with closing(workers.map(list(missing.values()), lambda number, made: made.save(places[number]))) as made:
        for path in tasks:
            yield next(made) if path in missing else _loaded(path, kind)


def _loaded(path: Path, kind: type[Made]) -> Made:
    try:
        return kind.load(path)
    except ValueError as error:
        raise ValueError(f"{error}: remove that file, and it is made again") from None
