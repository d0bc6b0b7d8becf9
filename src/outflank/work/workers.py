"""Whoever does tasks: one interface, whatever is behind it.

Tasks go in, each with a key, and what they make comes out in any order, kept by the caller as it comes. A task may be
done anywhere and more than once, so what it makes must follow from the task alone. To go on after a stop, give what is
not kept yet.
"""

import pickle
import time
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self, TypeVar

from outflank.work.held import Shelf, shelf
from outflank.work.stop import Stop

Key = TypeVar("Key")
Result = TypeVar("Result")
Task = Callable[[Stop], Result]
"""What is to be done; it may end early, with anything, when the stop is set. It can be pickled, and where it is told in
an error, its `str` says what it is. One with a true `long` takes more than a second."""
Finished = list[tuple[Key, Result]]
"""What ended at about the same time: whoever keeps it can do so at once."""
Keep = Callable[[Finished[Key, Result]], None]
"""Keeps results as they come. Where keeping was interrupted it is asked again, so it must bear to hear things twice."""
Batch = list[tuple[Any, Task[Any]]]

LARGEST_BATCH = 256
DEATHS = 3
"""Workers that may die of the same task before the run is given up."""
LATE = 1.5
"""A batch that takes so many times as long as it should comes back unfinished."""
POLL_SECONDS = 0.2
"""How soon a stop is noticed while everybody is at work."""


class Workers(ABC):
    """Does tasks, so many `jobs` at a time. Used in a `with` statement, at the end of which nothing is left running."""

    elsewhere = False
    """Whether tasks may be done on other machines, which do not have our files."""

    def __init__(self, jobs: int = 1) -> None:
        if jobs < 1:
            raise ValueError(f"--jobs is 1 or more, not {jobs}")
        self.jobs = jobs

    @abstractmethod
    def run(
        self,
        tasks: Iterable[tuple[Key, Task[Result]]],
        keep: Keep[Key, Result] | None = None,
        stop: Stop | None = None,
    ) -> Generator[Finished[Key, Result], None, None]:
        """Does the tasks and yields what they make, once it is kept. Tasks are asked for as they are needed.

        Setting the stop ends it early, and so does closing the generator, which sets the stop for those who are still
        at work. What has ended by then is kept, but not yielded any more. So it is when a task raises an error, which
        is raised here.
        """

    def map(
        self, tasks: Iterable[Task[Result]], keep: Keep[int, Result] | None = None
    ) -> Generator[Result, None, None]:
        """What the tasks make, in their order; kept, by their numbers, as it comes."""
        waiting: dict[int, Result] = {}
        due = 0
        with closing(self.run(enumerate(tasks), keep)) as batches:
            for finished in batches:
                waiting |= dict(finished)
                while due in waiting:
                    yield waiting.pop(due)
                    due += 1

    def close(self) -> None:  # noqa: B027 (some hold nothing)
        """Ends whatever still runs."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Here(Workers):
    """Does one task after the other, in the thread that asks."""

    def __init__(self) -> None:
        super().__init__()
        self._shelf = Shelf()

    def run(
        self,
        tasks: Iterable[tuple[Key, Task[Result]]],
        keep: Keep[Key, Result] | None = None,
        stop: Stop | None = None,
    ) -> Generator[Finished[Key, Result], None, None]:
        stop = stop or Stop()
        for key, task in tasks:
            if stop.is_set:
                return
            token = shelf.set(self._shelf)
            try:
                finished = [(key, task(stop))]
            finally:
                shelf.reset(token)
            if stop.is_set:  # it may have ended early
                return
            if keep is not None:
                keep(finished)
            yield finished

    def close(self) -> None:
        self._shelf.close()


@dataclass(frozen=True)
class Done:
    """What a worker made of a batch: of the first so many tasks, until its time was over or a task raised an error."""

    results: list[Any]
    seconds: float = 0.0
    error: Exception | None = None


@dataclass(frozen=True)
class Died:
    """How a worker ended that had a batch."""

    how: str


Answer = tuple[Batch, Done | Died]


def perform(
    tasks: Sequence[Task[Any]], seconds: float, stop: Stop, hurried: Callable[[], bool] = lambda: False
) -> Done:
    """Does a batch that shall take so many seconds, in a worker: one task at least, and no other when the time is over
    or somebody is in a hurry."""
    began = time.perf_counter()
    results: list[Any] = []
    for task in tasks:
        try:
            results.append(task(stop))
        except Exception as error:
            return Done(results, time.perf_counter() - began, error)
        if time.perf_counter() - began >= LATE * seconds or hurried():
            break
    return Done(results, time.perf_counter() - began)


def portable(error: Exception) -> Exception:
    """An error that another process can read, with the place where it was raised as a note."""
    error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


class Crew(Workers):
    """What threads, processes and clusters share: several workers that get batches of tasks and answer each batch."""

    batch_seconds = 0.0
    """How long a batch shall take: long enough that messages cost nothing, short enough that the last one is not waited
    for."""

    def __init__(self, jobs: int) -> None:
        super().__init__(jobs)
        self._size = 1

    @property
    @abstractmethod
    def _busy(self) -> int:
        """The batches that are under way."""

    @property
    @abstractmethod
    def _room(self) -> int:
        """How many may be."""

    @abstractmethod
    def _give(self, batch: Batch, stop: Stop) -> None:
        """Gives a batch to a worker, and starts one where none is idle."""

    @abstractmethod
    def _answers(self, seconds: float) -> list[Answer]:
        """Waits so long for an answer; those that there are."""

    @abstractmethod
    def _recall(self) -> list[Answer]:
        """Ends all that is under way, within a second; what has ended."""

    def run(
        self,
        tasks: Iterable[tuple[Key, Task[Result]]],
        keep: Keep[Key, Result] | None = None,
        stop: Stop | None = None,
    ) -> Generator[Finished[Key, Result], None, None]:
        if self._busy:
            raise RuntimeError("these workers are in the middle of another run")
        stop = stop or Stop()
        backlog = _Backlog(tasks)
        finished: Finished[Key, Result] = []
        try:
            self._hand_out(backlog, stop)
            while self._busy and not stop.is_set:
                error = self._take_in(self._answers(POLL_SECONDS), backlog, finished)
                if error is None:
                    self._hand_out(backlog, stop)  # before what follows, so that no worker waits for it
                if finished:
                    if keep is not None:
                        keep(finished)
                    told, finished = finished, []
                    yield told
                if error is not None:
                    raise error
        finally:
            if self._busy:
                # Somebody stopped it: what is not done yet is not wanted, what is has to be kept.
                stop.set()
                self._take_in(self._recall(), backlog, finished)
            if finished and keep is not None:
                keep(finished)

    def _hand_out(self, backlog: "_Backlog", stop: Stop) -> None:
        while self._busy < self._room and (batch := backlog.take(self._size)):
            self._give(batch, stop)

    def _take_in(self, answers: list[Answer], backlog: "_Backlog", finished: Finished[Any, Any]) -> Exception | None:
        """Adds to what is finished, and to the backlog what is not; an error that ends the run."""
        error = None
        for batch, answer in answers:
            if isinstance(answer, Died):
                error = error or backlog.lost(batch, answer.how)
                continue
            done = len(answer.results)
            finished += [(key, result) for (key, _), result in zip(batch, answer.results, strict=False)]
            backlog.back(batch[done:])
            error = error or answer.error
            if done:
                # It grows by steps, since the first tasks also pay for the start.
                fitting = int(self.batch_seconds * done / max(answer.seconds, 1e-6))
                self._size = max(1, min(fitting, LARGEST_BATCH, 4 * self._size))
        return error


class _Backlog:
    """The tasks that are still to be given out."""

    def __init__(self, tasks: Iterable[tuple[Any, Task[Any]]]) -> None:
        self._waiting = iter(tasks)
        self._again: deque[tuple[Any, Task[Any]]] = deque()
        self._suspects: deque[tuple[Any, Task[Any]]] = deque()
        self._deaths: dict[Any, int] = {}

    def take(self, size: int) -> Batch:
        """The next batch, of so many tasks at most; empty when there is none.

        What a dead worker left goes out one by one: should it happen again, it is clear which task it was.
        """
        if self._suspects:
            return [self._suspects.popleft()]
        batch = [self._again.popleft() for _ in range(min(size, len(self._again)))]
        return batch + list(islice(self._waiting, size - len(batch)))

    def back(self, left: Batch) -> None:
        """Takes back what a worker had no time for: its turn comes first."""
        self._again.extendleft(reversed(left))

    def lost(self, batch: Batch, how: str) -> Exception | None:
        """Takes back what a worker had that died; an error where a task has ended its workers too often."""
        self._suspects.extend(batch)
        if len(batch) > 1:
            return None
        key, task = batch[0]
        self._deaths[key] = self._deaths.get(key, 0) + 1
        if self._deaths[key] < DEATHS:
            return None
        return ChildProcessError(
            f"{DEATHS} processes ended ({how}) in one task, {task}: it ends its process, or the machine lacks memory"
            " (in a script of your own, jobs need `if __name__ == '__main__':`)"
        )
