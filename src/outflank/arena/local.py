"""Which runner fits: this process, processes of this machine, or a cluster."""

import os
import time
from collections.abc import Generator, Iterable
from itertools import chain

from outflank.agents.spec import parse
from outflank.arena.contest import Fixture
from outflank.arena.processes import Processes
from outflank.arena.runner import Finished, InProcess, Runner
from outflank.search.limits import Limit

SOON = 1.0
"""Seconds of work that are done before processes of their own would have started."""


def runner_named(on: str = "", jobs: int | None = None) -> Runner:
    """The runner that `--on` names: this machine where it names none, `ray` or `ray://host:port` for a cluster."""
    if not on:
        return local_runner(jobs)
    if on != "ray" and not on.startswith("ray://"):
        raise ValueError(f"--on takes ray or ray://host:port, not {on!r}; leave it out to play on this machine")
    if jobs is not None and jobs < 1:
        raise ValueError(f"--jobs is 1 or more, not {jobs}")
    from outflank.arena.cluster import RayCluster  # Ray is an extra, and takes long to load

    return RayCluster(on, jobs)


def local_runner(jobs: int | None = None) -> Runner:
    """A runner with so many jobs: this process for one, processes of their own for several; None leaves it open."""
    if jobs is None:
        return Adaptive(cores())
    if jobs < 1:
        raise ValueError(f"--jobs is 1 or more, not {jobs}")
    return InProcess() if jobs == 1 else Processes(jobs)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Adaptive(Runner):
    """Begins in this process, and goes on in processes of their own when that takes longer than they need to start.

    Games under a limit of time are long: they go to the processes at once.
    """

    def __init__(self, jobs: int) -> None:
        self._here, self._there = InProcess(), Processes(jobs)
        self._jobs = jobs
        self._until: float | None = None

    def run(self, fixtures: Iterable[Fixture]) -> Generator[Finished, None, None]:
        waiting = iter(fixtures)
        self._until = self._until or time.perf_counter() + SOON
        for fixture in waiting:
            if self._jobs > 1 and (time.perf_counter() >= self._until or _timed(fixture)):
                self._until = 0.0
                self._here.close()
                yield from self._there.run(chain([fixture], waiting))
            else:
                yield from self._here.run([fixture])

    def collect(self) -> Finished:
        return self._there.collect()

    def close(self) -> None:
        self._here.close()
        self._there.close()


def _timed(fixture: Fixture) -> bool:
    limits: list[Limit] = [parse(player.spec).limit.under(fixture.limit) for player in (fixture.first, fixture.second)]
    return any(limit.time is not None or limit.clock is not None for limit in limits)
