"""A runner with processes of this machine, and the work that goes on in each of them.

A worker gets a batch of games, plays them in order, and sends back records several times a second. A worker that dies
costs the games it had not sent: they are played again by the one that takes its place.
"""

import gc
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import suppress
from multiprocessing.connection import Connection, wait

from outflank.arena.contest import Fixture
from outflank.arena.record import GameRecord
from outflank.arena.runner import SMALLEST_BATCH, Backlog, Finished, Runner, next_size
from outflank.arena.table import Table

BATCH_SECONDS = 0.4
"""How long a batch shall take: long enough that messages cost nothing, short enough that the last one is not waited
for, and that a sequential test stops soon."""
MESSAGE_SECONDS = 0.1
FAREWELL_SECONDS = 2.0


class _Worker:
    """A process, the wire to it, and the games it has still to send."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.wire, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        with _interrupts_ignored():
            self.process.start()
        theirs.close()  # so that the death of the worker is the end of the wire
        self.batch: deque[Fixture] = deque()
        self.size = SMALLEST_BATCH
        self._began = 0.0
        self._given = 0

    def give(self, batch: list[Fixture]) -> None:
        self.batch.extend(batch)
        self._began, self._given = time.perf_counter(), len(batch)
        with suppress(OSError):  # a dead worker is noticed when it is listened to
            self.wire.send(batch)

    def receive(self) -> Finished:
        """Games that ended, in the order in which they were given; EOFError where the worker is dead."""
        try:
            records: list[GameRecord] = self.wire.recv()
        except OSError:
            raise EOFError from None
        finished = [(self.batch.popleft(), record) for record in records]
        if not self.batch:
            seconds = (time.perf_counter() - self._began) / self._given
            self.size = next_size(self.size, seconds, BATCH_SECONDS)
        return finished

    def sent(self) -> Finished:
        """What lies in the wire."""
        finished: Finished = []
        with suppress(EOFError, OSError):
            while self.batch and self.wire.poll():
                finished += self.receive()
        return finished

    def end(self) -> None:
        """Ends the process. An idle one goes by itself when the wire is cut, and lets its players close."""
        self.wire.close()
        if not self.batch:
            self.process.join(FAREWELL_SECONDS)
        self.process.kill()
        self.process.join()
        self.process.close()


class Processes(Runner):
    """Plays in several processes of this machine at a time."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._workers: list[_Worker] = []
        self._late: Finished = []

    @property
    def pids(self) -> list[int]:
        """The processes that play."""
        return [worker.process.pid for worker in self._workers if worker.process.pid is not None]

    def run(self, fixtures: Iterable[Fixture]) -> Generator[Finished, None, None]:
        backlog = Backlog(fixtures)
        try:
            while self._hand_out(backlog):
                for wire in wait([worker.wire for worker in self._workers if worker.batch]):
                    worker = next(worker for worker in self._workers if worker.wire is wire)
                    try:
                        yield worker.receive()
                    except EOFError:
                        self._bury(worker, backlog)
        finally:
            # Only here where somebody stopped listening: what is still being played is not wanted, what has been is.
            for worker in [worker for worker in self._workers if worker.batch]:
                self._late += worker.sent()
                self._retire(worker)

    def _hand_out(self, backlog: Backlog) -> bool:
        """Gives every idle worker a batch, starting workers as they are needed; False when all is played."""
        for place in range(self._jobs):
            if place < len(self._workers) and self._workers[place].batch:
                continue
            batch = backlog.take(self._workers[place].size if place < len(self._workers) else SMALLEST_BATCH)
            if not batch:
                break
            if place == len(self._workers):
                self._workers.append(_Worker())
            self._workers[place].give(batch)
        return any(worker.batch for worker in self._workers)

    def _bury(self, worker: _Worker, backlog: Backlog) -> None:
        """Gives the games of a dead worker back."""
        left = list(worker.batch)
        worker.process.join()
        code = worker.process.exitcode
        self._retire(worker)
        backlog.lost(left, f"exit code {code}")

    def _retire(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.end()

    def collect(self) -> Finished:
        late, self._late = self._late, []
        return late

    def close(self) -> None:
        while self._workers:
            self._retire(self._workers[-1])


class _interrupts_ignored:  # noqa: N801 (reads as a function)
    """Starts processes that ignore Ctrl-C: it reaches everybody at a terminal, and stopping is the parent's task.
    What is ignored stays ignored in a new program, so that no worker can be hit before it has said so itself."""

    def __enter__(self) -> None:
        self._before = None
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, signal.SIG_IGN)

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


def serve(wire: Connection) -> None:
    """A worker's life: batches in, records out, until nobody listens any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)  # what a player prints must not get into our own output
    _die_with_parent()
    table = Table()
    with suppress(EOFError, OSError):
        while True:
            records: list[GameRecord] = []
            due = time.perf_counter() + MESSAGE_SECONDS
            for fixture in wire.recv():
                records.append(table.play(fixture))
                if time.perf_counter() >= due:
                    wire.send(records)
                    records = []
                    due = time.perf_counter() + MESSAGE_SECONDS
            if records:
                wire.send(records)
            # What is loaded by now stays: without it to search through, collecting the trees of games costs nothing.
            gc.freeze()
    table.close()


def _die_with_parent() -> None:
    """Ends this process with the one that started it, also in the middle of a long game."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="outflank-parent", daemon=True).start()
