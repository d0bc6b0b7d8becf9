"""Where thinking is done: a bounded number of threads, off the event loop, shared fairly among visitors.

There are three lanes. What is known to be quick (a move of a low level) never waits behind what is slow (an analysis, a
strong player): it has threads of its own. Within a lane addresses take turns, those first that have taken least of
late, and the visitors at one address take those of the address: whoever invents visitors has no more turns for it. Slow
work comes in slices: it is an iterator, and after each step whoever waits goes first. So one visitor's full-strength
analysis takes nothing from another but what nobody else wants. Some work cannot be cut, a strong player's move for one:
when it has taken longer than a slice and somebody waits, a thread that stands by takes the next piece beside it, and
the system shares the cores.

Threads are right here because the searches are compiled and hold no interpreter lock. All have the same priority: on a
busy machine a thread of a lower one would sleep with the interpreter's lock, and everybody would wait for it. What
takes long in plain Python would keep that lock from the event loop, and so has the third lane, where a process does it.
"""

import asyncio
import contextlib
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from outflank.errors import Fault
from outflank.search.driver import Interruption, interruptible
from outflank.web.turns import Taken, address_of

Lane = Literal["quick", "slow", "elsewhere"]
Answer = TypeVar("Answer")
WAITING, WAITING_OF_ONE_ADDRESS = 64, 1000
"""Pieces of work of one visitor that may wait in a lane, and of all visitors at an address."""
PATIENCE = 2.0
"""Seconds that a step may take before others who wait are let in beside it; longer than any slice."""
STANDING_BY = 1
"""Threads a core beside the first, for those."""
ELSEWHERE = 1
"""Processes that work at a time, and as many that stand by."""


class BusyError(Fault):
    """A visitor asks for more than there is room for."""


@dataclass(eq=False)
class Job:
    """A piece of work. `tell` hears each result on the event loop, and `done` the end with the error, if any."""

    visitor: str
    work: Callable[[Interruption], Iterator[Any]]
    tell: Callable[[Any], None]
    done: Callable[[BaseException | None], None]
    stop: Interruption = field(default_factory=Interruption)
    """Ends the search that runs now; the work itself goes on with what was found."""
    cancelled: bool = False
    _steps: Iterator[Any] | None = None
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)

    def cancel(self) -> None:
        """Ends the work and drops its results."""
        self.cancelled = True
        self.stop.set()

    def step(self) -> bool:
        """Does the next slice, in a worker's thread; says whether there may be more."""
        if self.cancelled:
            return self._finish(None)
        try:
            with interruptible(self.stop):
                if self._steps is None:
                    self._steps = self.work(self.stop)
                answer = next(self._steps)
        except StopIteration:
            return self._finish(None)
        except BaseException as error:  # whatever a player does, the thread goes on
            return self._finish(error)
        self._call(self.tell, answer)
        return True

    def _finish(self, error: BaseException | None) -> bool:
        if self._steps is not None and hasattr(self._steps, "close"):
            with contextlib.suppress(Exception):
                self._steps.close()
        self._call(self.done, error)
        return False

    def _call(self, hear: Callable[[Any], None], what: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has closed: nobody is left to hear it
            self._loop.call_soon_threadsafe(lambda: None if self.cancelled else hear(what))


class _Threads:
    """The threads of one lane and the queue before them. So many steps run at a time as there are cores, not counting
    those that have gone on for too long."""

    def __init__(self, name: str, cores: int) -> None:
        self._cores = cores
        # Addresses in the order of their turns, and the visitors of each in theirs.
        self._waiting: OrderedDict[str, OrderedDict[str, deque[Job]]] = OrderedDict()
        self._taken = Taken()
        self._changed = threading.Condition()
        self._open = True
        self.running: dict[Job, float] = {}
        """The steps that run now, and since when."""
        self._threads = [
            threading.Thread(target=self._serve, name=f"outflank-{name}-{number}", daemon=True)
            for number in range(cores * (1 + STANDING_BY))
        ]
        for thread in self._threads:
            thread.start()

    def add(self, job: Job) -> None:
        with self._changed:
            visitors = self._waiting.get(address_of(job.visitor), OrderedDict())
            queue = visitors.get(job.visitor, deque())
            for waiting in [waiting for waiting in queue if waiting.cancelled]:
                queue.remove(waiting)
            if len(queue) >= WAITING or sum(map(len, visitors.values())) >= WAITING_OF_ONE_ADDRESS:
                raise BusyError("web.busy")
            self._wait(job)

    def _wait(self, job: Job) -> None:
        visitors = self._waiting.setdefault(address_of(job.visitor), OrderedDict())
        visitors.setdefault(job.visitor, deque()).append(job)
        self._changed.notify()

    def _serve(self) -> None:
        while (job := self._next()) is not None:
            more = False
            try:
                more = job.step()
            finally:
                with self._changed:  # at no moment is it neither running nor waiting: then nobody could cancel it
                    self._taken.add(address_of(job.visitor), time.monotonic() - self.running.pop(job))
                    if more:
                        self._wait(job)

    def _next(self) -> Job | None:
        with self._changed:
            while self._open:
                wait = self._room_in() if self._waiting else None
                if wait == 0.0:
                    job = self._take()
                    self.running[job] = time.monotonic()
                    return job
                self._changed.wait(wait)
            return None

    def _room_in(self) -> float:
        """Seconds until there is a core for another step; one that has taken too long no longer has it to itself."""
        now = time.monotonic()
        ends = sorted(begun + PATIENCE for begun in self.running.values() if begun + PATIENCE > now)
        return 0.0 if len(ends) < self._cores else ends[-self._cores] - now

    def _take(self) -> Job:
        """The next piece of work: of the first address for which least is running now and was of late, and there of the
        first visitor for whom least is running."""
        running = [job.visitor for job in self.running]
        at_work = [address_of(visitor) for visitor in running]
        address = min(self._waiting, key=lambda one: (at_work.count(one), self._taken.rank(one)))
        visitors = self._waiting.pop(address)
        visitor = min(visitors, key=running.count)
        queue = visitors.pop(visitor)
        job = queue.popleft()
        if queue:
            visitors[visitor] = queue
        if visitors:
            self._waiting[address] = visitors
        return job

    def close(self) -> None:
        with self._changed:
            self._open = False
            queued = [job for visitors in self._waiting.values() for queue in visitors.values() for job in queue]
            for job in (*self.running, *queued):
                job.cancel()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(timeout=2.0)


class Lanes:
    """The three lanes of a server."""

    def __init__(self, cores: int) -> None:
        sizes: dict[Lane, int] = {"quick": cores, "slow": cores, "elsewhere": ELSEWHERE}
        self._lanes = {name: _Threads(name, size) for name, size in sizes.items()}

    def start(
        self,
        lane: Lane,
        visitor: str,
        work: Callable[[Interruption], Iterator[Answer]],
        tell: Callable[[Answer], None],
        done: Callable[[BaseException | None], None],
    ) -> Job:
        """Begins a piece of work; called on the event loop."""
        job = Job(visitor, work, tell, done)
        self._lanes[lane].add(job)
        return job

    async def run(self, lane: Lane, visitor: str, function: Callable[[], Answer]) -> Answer:
        """One answer, awaited; to stop waiting stops the work."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def tell(value: Answer) -> None:
            if not answer.done():
                answer.set_result(value)

        def done(error: BaseException | None) -> None:
            if not answer.done():
                answer.set_exception(error or RuntimeError("the work ended without an answer"))

        def work(_: Interruption) -> Iterator[Answer]:
            yield function()

        job = self.start(lane, visitor, work, tell, done)
        try:
            return await answer
        except asyncio.CancelledError:
            job.cancel()
            raise

    def close(self) -> None:
        for lane in self._lanes.values():
            lane.close()
