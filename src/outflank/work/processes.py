"""Workers in processes of this machine. One that dies costs the batch it had, which others do again."""

import gc
import multiprocessing
import os
import select
import signal
import threading
import time
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection, wait

from outflank.work.held import shelf
from outflank.work.stop import Stop
from outflank.work.workers import Answer, Batch, Crew, Died, Done, perform, portable

BATCH_SECONDS = 0.4
HURRY_SECONDS = 0.3
"""How long a worker has for the task that it is at, when the others of its batch are not wanted any more."""
FAREWELL_SECONDS = 2.0


class _Worker:
    """A process, the wire to it, and the batch that it has not answered."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.wire, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs,), daemon=True)
        with _interrupts_ignored():
            self.process.start()
        theirs.close()  # so that the death of the worker is the end of the wire
        self.batch: Batch = []

    def give(self, batch: Batch) -> None:
        self.batch = batch
        self._send(batch)

    def hurry(self) -> None:
        self._send([])

    def _send(self, batch: Batch) -> None:
        with suppress(OSError):  # a dead worker is noticed when it is listened to
            self.wire.send([task for _, task in batch])

    def answer(self) -> Answer:
        batch, self.batch = self.batch, []
        try:
            done: Done = self.wire.recv()
        except (EOFError, OSError):
            self.process.join()
            return batch, Died(f"exit code {self.process.exitcode}")
        return batch, done

    def end(self) -> None:
        """Ends the process. An idle one goes by itself when the wire is cut, and closes what it holds."""
        self.wire.close()
        if not self.batch:
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

    @property
    def pids(self) -> list[int]:
        """The processes that there are."""
        return [worker.process.pid for worker in self._workers if worker.process.pid is not None]

    @property
    def _busy(self) -> int:
        return len(self._working)

    @property
    def _room(self) -> int:
        return self.jobs

    @property
    def _working(self) -> list[_Worker]:
        return [worker for worker in self._workers if worker.batch]

    def _give(self, batch: Batch, stop: Stop) -> None:
        idle = next((worker for worker in self._workers if not worker.batch), None)
        if idle is None:
            idle = _Worker()
            self._workers.append(idle)
        idle.give(batch)

    def _answers(self, seconds: float) -> list[Answer]:
        ready = wait([worker.wire for worker in self._working], seconds)
        answers = []
        for worker in [worker for worker in self._working if worker.wire in ready]:
            answers.append(worker.answer())
            if isinstance(answers[-1][1], Died):
                self._retire(worker)
        return answers

    def _recall(self) -> list[Answer]:
        for worker in self._working:
            worker.hurry()
        until = time.perf_counter() + HURRY_SECONDS
        answers: list[Answer] = []
        while self._working and (left := until - time.perf_counter()) > 0:
            answers += self._answers(left)
        for worker in self._working:
            self._retire(worker)
        return answers

    def _retire(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.end()

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
    """A worker's life: batches in, answers out, until nobody listens any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)  # what a task prints must not get into our own output
    _die_with_parent()
    words = select.poll()  # the wire's own `poll` costs ten times as much, and it is asked after every task
    words.register(wire.fileno(), select.POLLIN)
    with suppress(EOFError, OSError):
        while True:
            tasks = wire.recv()
            if not tasks:  # it was asked to hurry when it had answered already
                continue
            # A word that comes meanwhile asks it to hurry.
            done = perform(tasks, BATCH_SECONDS, Stop(), lambda: bool(words.poll(0)))
            _answer(wire, done if done.error is None else replace(done, error=portable(done.error)))
            # What is loaded by now stays: without it to search through, collecting what tasks leave costs nothing.
            gc.freeze()
    shelf.get().close()


def _answer(wire: Connection, done: Done) -> None:
    try:
        wire.send(done)
    except (EOFError, OSError):
        raise
    except Exception as error:  # a result that cannot be pickled
        wire.send(Done([], done.seconds, portable(error)))


def _die_with_parent() -> None:
    """Ends this process with the one that started it, also in the middle of a long task."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="outflank-parent", daemon=True).start()
