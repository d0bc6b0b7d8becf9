"""Workers in processes of this machine. One that dies loses its batch, which others repeat."""

import gc
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

from outflank.errors import MachineError
from outflank.work.held import let_go, shelf
from outflank.work.stop import Stop
from outflank.work.waiting import POLLS, ready
from outflank.work.workers import Crew, Done, Task, perform

BATCH_SECONDS = 0.4
HURRY_SECONDS = 0.3
"""How long a worker has for the task that it is at, when the others of its batch are not wanted any more."""
FAREWELL_SECONDS = 2.0


class _Worker:
    """A process, the wire to it, and whether it has a batch to answer."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.wire, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        # Ctrl-C at a terminal reaches everybody, and stopping is the parent's task. What is ignored stays ignored in a
        # new program, so that no worker can be hit before it has said so itself.
        main = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
        try:
            self.process.start()
        finally:
            if before is not None:
                signal.signal(signal.SIGINT, before)
        theirs.close()  # so that the death of the worker is the end of the wire
        self.busy = False

    def send(self, tasks: list[Task[Any]]) -> None:
        with suppress(OSError):  # a dead worker is noticed when it is listened to
            self.wire.send(tasks)

    def answer(self) -> Done:
        self.busy = False
        try:
            done: Done = self.wire.recv()
        except (EOFError, OSError):
            self.process.join()
            done = Done([], death=f"exit code {self.process.exitcode}")
        return done

    def end(self) -> None:
        """Ends the process. An idle one goes by itself when the wire is cut, and closes what it holds."""
        self.wire.close()
        if not self.busy:
            self.process.join(FAREWELL_SECONDS)
        self.process.kill()
        self.process.join()
        self.process.close()


class Processes(Crew):
    """Does tasks in so many processes at a time; they are started when there is something to do, and stay."""

    batch_seconds = BATCH_SECONDS

    def __init__(self, jobs: int) -> None:
        super().__init__(jobs)
        self._workers: list[_Worker] = []

    def _room(self) -> int:
        return self.jobs

    def _begin(self, tasks: list[Task[Any]], stop: Stop) -> _Worker:
        if all(worker.busy for worker in self._workers):
            self._workers.append(_Worker())
        worker = next(worker for worker in self._workers if not worker.busy)
        worker.busy = True
        worker.send(tasks)
        return worker

    def _ended(self, tickets: list[_Worker], seconds: float) -> Iterator[tuple[_Worker, Done]]:
        ready = wait([worker.wire for worker in tickets], seconds)
        for worker in [worker for worker in tickets if worker.wire in ready]:
            done = worker.answer()
            if done.death or isinstance(done.error, MachineError):  # what it cannot do, a new one may
                self._retire(worker)
            yield worker, done

    def _recall(self, tickets: list[_Worker]) -> Iterator[tuple[_Worker, Done]]:
        tickets = [worker for worker in tickets if worker in self._workers]  # none after they were closed
        for worker in tickets:
            worker.send([])
        until = time.perf_counter() + HURRY_SECONDS
        while tickets and (left := until - time.perf_counter()) > 0:
            yield from self._ended(tickets, left)
            tickets = [worker for worker in tickets if worker.busy]
        for worker in tickets:
            self._retire(worker)

    def _retire(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.end()

    def close(self) -> None:
        while self._workers:
            self._retire(self._workers[-1])


def serve(wire: Connection) -> None:
    """A worker's life: batches in, answers out, until nobody listens any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)  # what a task prints must not get into our own output
    threading.Thread(target=_die_with_parent, name="outflank-parent", daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            tasks = wire.recv()
            if tasks:  # none ask it to hurry, and it may have answered before it heard
                wire.send(perform(tasks, BATCH_SECONDS, Stop(), lambda: _has_word(wire)).portable())
            # What is loaded by now stays: without it to search through, collecting what tasks leave costs nothing.
            gc.freeze()
    let_go(shelf())


def _has_word(wire: Connection) -> bool:
    """Whether something waits to be read. It is asked after every task, and the wire's own `poll` costs ten times as
    much, but on Windows a wire is no descriptor."""
    return bool(ready(0, [wire.fileno()])) if POLLS else wire.poll()


def _die_with_parent() -> None:
    """Ends this process with the one that started it, also in the middle of a long task."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
