"""Long work in portions, each kept in a file of its own: what is done is not done again.

A portion follows from its task alone, whoever does it and when. Compiled code holds no interpreter lock, so threads
are enough to use every core of this machine; a Ray cluster does the same tasks elsewhere.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

from outflank import __version__
from outflank.arena.local import runner_named
from outflank.search.driver import Stop


class Portion(Protocol):
    """What a task makes: it can be written to a file, whole or not at all, and read again."""

    def save(self, path: Path) -> None: ...
    @classmethod
    def load(cls, path: Path) -> Self: ...


Made = TypeVar("Made", bound=Portion)
Task = Callable[[Stop], Made]
LOST_TASKS = 3
"""Nodes that may die with a task before it is given up."""


def done(tasks: Mapping[Path, Task[Made]], kind: type[Made], jobs: int, on: str = "") -> Iterator[Made]:
    """What the tasks make, in their order: read from the files that are there, the others made and written.

    `on` names a Ray cluster as `--on` does; without it the work is done here, so many `jobs` at a time. Whatever ends
    it, the finished portions are in their files.
    """
    for path in tasks:
        path.parent.mkdir(parents=True, exist_ok=True)
    missing = {path: task for path, task in tasks.items() if not path.exists()}
    made = _in_cluster(missing, jobs, on) if on and missing else _here(missing, jobs)
    with closing(made):
        for path in tasks:
            if path not in missing:
                yield kind.load(path)
                continue
            yield next(made)


def _here(tasks: Mapping[Path, Task[Made]], jobs: int) -> Generator[Made, None, None]:
    stop = Stop()
    with ThreadPoolExecutor(jobs) as pool:
        waiting: deque[Future[Made]] = deque(pool.submit(_made, path, task, stop) for path, task in tasks.items())
        try:
            while waiting:
                yield waiting.popleft().result()
        finally:
            # Only full where somebody stopped listening or something failed: unfinished games are not wanted then.
            stop.set()
            for future in waiting:
                future.cancel()


def _made(path: Path, task: Task[Made], stop: Stop) -> Made:
    made = task(stop)
    if stop.is_set:
        raise InterruptedError("stopped")
    made.save(path)
    return made


def _in_cluster(tasks: Mapping[Path, Task[Made]], jobs: int, on: str) -> Generator[Made, None, None]:
    """Tasks in Ray's queue, never more than twice the cores: each carries its weights. Ray does lost ones again."""
    cluster = runner_named(on)  # connects, and says in one line why it cannot
    import ray

    try:
        remote: Any = ray.remote(num_cpus=1, max_retries=LOST_TASKS)(_on_a_node)
        waiting, flying = deque(tasks.items()), deque[tuple[Path, Any]]()
        while waiting or flying:
            cores = max(int(ray.cluster_resources().get("CPU", 1)), 1)
            while waiting and len(flying) < 2 * max(cores, jobs):
                path, task = waiting.popleft()
                flying.append((path, remote.remote(__version__, task)))
            path, one = flying.popleft()
            try:
                made = ray.get(one)
            except ray.exceptions.RayTaskError as error:
                raise (error.cause if isinstance(error.cause, Exception) else error) from None
            made.save(path)
            yield made
    finally:
        cluster.close()


def _on_a_node(version: str, task: Task[Made]) -> Made:
    if version != __version__:
        raise ValueError(f"a node of the cluster has Outflank {__version__}, here it is {version}: install the same")
    return task(Stop())
