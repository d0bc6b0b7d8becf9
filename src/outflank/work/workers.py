"""Workers: one interface for threads, processes and clusters.

Tasks go in, each with a key, and results come out in any order, kept by the caller as they come. A task may be done
anywhere and more than once, so its result must depend on the task alone. To resume, pass the tasks that have no result
yet.
"""

import pickle
import time
import traceback
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Self, TypeVar

from outflank.errors import Fault, MachineError
from outflank.work.held import let_go, shelf
from outflank.work.stop import Stop

Key = TypeVar("Key")
Result = TypeVar("Result")
Task = Callable[[Stop], Result]
"""What is to be done; it may end early, with anything, when the stop is set. It can be pickled, and errors name it by
its `str`. One with a true `long` takes more than a second, and one with `needs` can be done where those are met."""
Needs = Callable[[], object]
"""What a task needs of a machine: raises a MachineError on one that cannot do it. It can be pickled."""
Tasks = Iterable[tuple[Key, Task[Result]]]
Finished = list[tuple[Key, Result]]
"""Results that came at about the same time, to be kept together."""
Keep = Callable[[Finished[Key, Result]], object]
"""Keeps results as they come. After an interruption it is called again, so it must accept a result twice."""
Run = Generator[Finished[Key, Result], None, None]

LARGEST_BATCH = 256
LATE = 1.5
"""A batch that takes so many times as long as it should comes back unfinished."""
REFUSALS = 4
"""How often machines may refuse a task before the run is given up."""
DEATHS = 3
"""Workers that may die of the same task before the run is given up."""
POLL_SECONDS = 0.2
"""How soon a stop is noticed while everybody is at work."""


def unkept(finished: Finished[Key, Result]) -> None:
    """For results that are only wanted now."""


def needs_of(task: Task[Any]) -> Needs | None:
    """What a task needs of a machine, if anything."""
    needs: Needs | None = getattr(task, "needs", None)
    return needs


class DeadlyTaskError(Fault, ChildProcessError):
    """A task in which one process after another ended."""


class Workers(ABC):
    """Does tasks, so many `jobs` at a time. Used in a `with` statement, at the end of which nothing is left running."""

    elsewhere = False
    """Whether tasks may be done on other machines, which do not have our files."""

    def __init__(self, jobs: int = 1) -> None:
        if jobs < 1:
            raise Fault("work.jobs", jobs=jobs)
        self.jobs = jobs

    def run(
        self, tasks: Tasks[Key, Result], keep: Keep[Key, Result] = unkept, stop: Stop | None = None
    ) -> Run[Key, Result]:
        """Does the tasks and yields what they make, once it is kept. Tasks are asked for as they are needed.

        Setting the stop ends it early, and so does closing the generator, which sets the stop for those who are still
        at work, or an error of a task, which is raised here. What has ended by then is kept, but not yielded any more.
        """
        return self._run(tasks, keep, stop or Stop())

    @abstractmethod
    def _run(self, tasks: Tasks[Key, Result], keep: Keep[Key, Result], stop: Stop) -> Run[Key, Result]: ...

    def map(self, tasks: Iterable[Task[Result]], keep: Keep[int, Result] = unkept) -> Generator[Result, None, None]:
        """What the tasks make, in their order; kept, by their numbers, as it comes."""
        waiting: dict[int, Result] = {}
        due = 0
        with closing(self.run(enumerate(tasks), keep)) as batches:
            for finished in batches:
                waiting |= dict(finished)
                while due in waiting:
                    yield waiting.pop(due)
                    due += 1

    @abstractmethod
    def close(self) -> None:
        """Ends everything that is still running."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Here(Workers):
    """Does one task after the other, in the thread that asks."""

    def _run(self, tasks: Tasks[Key, Result], keep: Keep[Key, Result], stop: Stop) -> Run[Key, Result]:
        for key, task in tasks:
            if stop.is_set:
                return
            try:
                finished = [(key, task(stop))]
            except MachineError:
                finished = [(key, task(stop))]  # once more: it may have been a moment's trouble
            if stop.is_set:  # it may have ended early
                return
            keep(finished)
            yield finished

    def close(self) -> None:
        let_go(shelf())


@dataclass(frozen=True)
class Done:
    """What a worker made of a batch: of its first tasks, until the time was over, one raised an error or the worker
    died."""

    results: list[Any]
    seconds: float = 0.0
    error: Exception | None = None
    death: str = ""
    """How it died."""

    def portable(self) -> "Done":
        """The same with an error that another process can read; where it was raised is noted in it."""
        error = self.error
        if error is None:
            return self
        error.add_note("".join(traceback.format_exception(error)))
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = RuntimeError(f"{type(error).__name__}: {error}")
        return replace(self, error=error)


def perform(tasks: Sequence[Task[Any]], seconds: float, stop: Stop, hurry: Callable[[], bool] = lambda: False) -> Done:
    """Does a batch that shall take so many seconds, in a worker: one task at least, and no other when the time is over
    or somebody is in a hurry."""
    began = time.perf_counter()
    results: list[Any] = []
    error = None
    for task in tasks:
        try:
            results.append(task(stop))
        except Exception as raised:
            error = raised
            break
        if time.perf_counter() - began >= LATE * seconds or hurry():
            break
    return Done(results, time.perf_counter() - began, error)


class Crew(Workers):
    """What threads, processes and clusters share: several workers that get batches of tasks and answer each batch."""

    batch_seconds = 0.0
    """How long a batch shall take: long enough that messages cost nothing, short enough that the last one is not waited
    for."""
    patient = False
    """Whether tasks are asked for only when all results so far are kept and told: what comes next may depend on them,
    and the time that workers wait for that is nothing beside the tasks."""
    _size = 1
    """Tasks of the next batch."""

    @abstractmethod
    def _room(self) -> int:
        """How many batches may be under way."""

    @abstractmethod
    def _begin(self, tasks: list[Task[Any]], stop: Stop) -> Any:
        """Gives a batch to a worker; a ticket for it."""

    @abstractmethod
    def _ended(self, tickets: list[Any], seconds: float) -> Iterable[tuple[Any, Done]]:
        """Waits so long for one of these to end; those that have."""

    @abstractmethod
    def _recall(self, tickets: list[Any]) -> Iterable[tuple[Any, Done]]:
        """Ends all of these within a second; those that have ended by themselves."""

    def _run(self, tasks: Tasks[Key, Result], keep: Keep[Key, Result], stop: Stop) -> Run[Key, Result]:
        backlog = _Backlog(tasks)
        flying: dict[Any, Finished[Key, Task[Result]]] = {}
        finished: Finished[Key, Result] = []
        try:
            while not stop.is_set:
                # Otherwise tasks go out before results are kept, so that no worker has to wait.
                waits = self.patient and bool(finished)
                while not waits and len(flying) < self._room() and (batch := backlog.take(self._size)):
                    flying[self._begin([task for _, task in batch], stop)] = batch
                if finished:
                    keep(finished)
                    told, finished = finished, []
                    yield told
                    continue
                if not flying:
                    return
                for ticket, done in self._ended(list(flying), POLL_SECONDS):
                    batch = flying.pop(ticket)
                    finished += _paired(batch, done)
                    self._learn(done)
                    backlog.take_back(batch[len(done.results) :], done)
        finally:
            if flying:
                # Somebody stopped it: what is not done yet is not wanted, what is has to be kept.
                stop.set()
                for ticket, done in self._recall(list(flying)):
                    finished += _paired(flying[ticket], done)
            if finished:
                keep(finished)

    def _learn(self, done: Done) -> None:
        """Sets the size of batches. It grows by steps, since the first tasks also pay for the start."""
        if done.results:
            fitting = int(self.batch_seconds * len(done.results) / max(done.seconds, 1e-6))
            self._size = max(1, min(fitting, LARGEST_BATCH, 4 * self._size))


def _paired(batch: Finished[Key, Task[Result]], done: Done) -> Finished[Key, Result]:
    return [(key, result) for (key, _), result in zip(batch, done.results, strict=False)]


class _Backlog:
    """The tasks that are still to be given out."""

    def __init__(self, tasks: Tasks[Any, Any]) -> None:
        self._waiting = iter(tasks)
        self._again: deque[tuple[Any, Task[Any]]] = deque()
        self._suspects: deque[tuple[Any, Task[Any]]] = deque()
        self._deaths: Counter[Any] = Counter()
        self._refusals: Counter[Any] = Counter()

    def take(self, size: int) -> Finished[Any, Task[Any]]:
        """The next batch, of so many tasks at most; empty when there is none.

        What a dead worker left goes out one by one: should it happen again, it is clear which task it was.
        """
        if self._suspects:
            return [self._suspects.popleft()]
        batch = [self._again.popleft() for _ in range(min(size, len(self._again)))]
        return batch + list(islice(self._waiting, size - len(batch)))

    def take_back(self, left: Finished[Any, Task[Any]], done: Done) -> None:
        """Takes what was not done of a batch; raises an error where that ends the run."""
        if isinstance(done.error, MachineError):
            # Not the task's fault: others try it, after all that is waiting.
            (key, task), *left = left
            self._refusals[key] += 1
            if self._refusals[key] >= REFUSALS:
                raise done.error
            self._again.extendleft(reversed(left))
            self._again.append((key, task))
            return
        if done.error is not None:
            raise done.error
        if not done.death:
            self._again.extendleft(reversed(left))  # its turn comes first
            return
        self._suspects.extend(left)
        key, task = left[0]
        self._deaths[key] += len(left) == 1
        if self._deaths[key] >= DEATHS:
            raise DeadlyTaskError("work.deaths", count=DEATHS, death=done.death, task=task)
