"""Which workers fit: this process, threads or processes of this machine, or a cluster."""

import os
import time
from contextlib import suppress
from itertools import chain

from outflank.work.cluster import Cluster
from outflank.work.processes import Processes
from outflank.work.stop import Stop
from outflank.work.threads import Threads
from outflank.work.workers import Here, Keep, Key, Result, Run, Tasks, Workers

SOON = 1.0
"""Seconds of work that are done before processes of their own would have started."""


def workers_named(on: str = "", jobs: int | None = None) -> Workers:
    """The workers that `--on` names: `ray` or `ray://host:port` for a cluster, and this machine where it names none.
    There, one job is this process and several are processes of their own; None leaves it open."""
    if on:
        return Cluster(on, jobs)
    if jobs is None:
        return Adaptive(cores())
    return Here() if jobs == 1 else Processes(jobs)


def threads_named(on: str = "", jobs: int = 1, patient: bool = False) -> Workers:
    """The same for compiled tasks, which hold no interpreter lock: threads are enough to use every core of this
    machine, and one of its own leaves Ctrl-C to the program. A cluster has as many jobs as cores, and is never
    patient."""
    return Cluster(on, None, jobs) if on else Threads(jobs, patient)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def give_way(nice: int, process: int = 0) -> None:
    """Lets others go before a process, this one by default, where the system knows of that."""
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process, nice)


class Adaptive(Workers):
    """Begins in this process, and goes on in processes of their own when that takes longer than they need to start.
    Tasks that are known to be long go there at once."""

    def __init__(self, jobs: int) -> None:
        super().__init__(jobs)
        self._here, self._there = Here(), Processes(jobs)
        self._until = 0.0

    def _run(self, tasks: Tasks[Key, Result], keep: Keep[Key, Result], stop: Stop) -> Run[Key, Result]:
        self._until = self._until or time.perf_counter() + SOON
        waiting = iter(tasks)
        for one in waiting:
            if stop.is_set:
                return
            if self.jobs > 1 and (time.perf_counter() >= self._until or getattr(one[1], "long", False)):
                self._here.close()
                yield from self._there.run(chain([one], waiting), keep, stop)
            else:
                yield from self._here.run([one], keep, stop)

    def close(self) -> None:
        self._here.close()
        self._there.close()
