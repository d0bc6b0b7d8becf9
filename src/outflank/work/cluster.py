"""Workers of a Ray cluster: the same batches as on this machine, wherever there is a core.

Batches wait in Ray's queue and free cores pull them. A batch whose node or process dies is lost as a whole; its tasks
go back into the backlog and are done by others. Nodes that join while it runs get work.
"""

import gc
import importlib
import os
import socket
import time
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from sys import stderr
from typing import Any

from outflank import __version__
from outflank.work.stop import Stop
from outflank.work.workers import Answer, Batch, Crew, Died, Done, Task, perform, portable

BATCH_SECONDS = 1.0
"""Longer than on one machine: a batch costs a message over the network."""
WAITING_FOR_A_CORE = 1
"""Batches in the queue for each core beside the one it does, so that no core waits for us."""
COUNT_CORES_EVERY = 2.0
KNOCK_SECONDS = 5.0
TOKEN = "if it asks for a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN here too"
INSTALL = "Ray is not installed: pip install 'outflank[cluster]' (here and on every node)"


class Cluster(Crew):
    """Does tasks on a cluster. `address` is the `ray://host:port` of one that runs, or `ray`: the one that the variable
    RAY_ADDRESS names, and without it one of this machine alone, started now and ended with us. It is connected to when
    there is something to do. `most` bounds how many batches are done at a time, `jobs` is about this machine."""

    batch_seconds = BATCH_SECONDS
    elsewhere = True

    def __init__(self, address: str = "ray", most: int | None = None, jobs: int = 1) -> None:
        super().__init__(jobs)
        if address != "ray" and not address.startswith("ray://"):
            raise ValueError(
                f"--on takes ray or ray://host:port, not {address!r}; leave it out to stay on this machine"
            )
        self._address, self._most = address, most
        self._ray: Any = None
        self._mine = False
        self._cores, self._counted = 1, 0.0
        self._flying: dict[Any, Batch] = {}

    def _connect(self) -> None:
        ray = _ray()
        if not ray.is_initialized():
            address = os.environ.get("RAY_ADDRESS", "local") if self._address == "ray" else self._address
            _start(ray, address)
            self._mine = True
        self._perform = ray.remote(num_cpus=1, max_retries=0)(perform_on_a_node)
        self._ray = ray

    @property
    def _busy(self) -> int:
        return len(self._flying)

    @property
    def _room(self) -> int:
        """Nodes come and go."""
        now = time.perf_counter()
        if self._ray is not None and now >= self._counted + COUNT_CORES_EVERY:
            self._cores = max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
            self._counted = now
        return self._most or self._cores * (1 + WAITING_FOR_A_CORE)

    def _give(self, batch: Batch, stop: Stop) -> None:
        if self._ray is None:
            self._connect()
        self._flying[self._perform.remote(__version__, [task for _, task in batch])] = batch

    def _answers(self, seconds: float) -> list[Answer]:
        ended, _ = self._ray.wait(list(self._flying), num_returns=1, timeout=seconds)
        return [self._answer(one) for one in ended]

    def _answer(self, one: Any) -> Answer:
        batch = self._flying.pop(one)
        errors = self._ray.exceptions
        try:
            done: Done = self._ray.get(one)
        except errors.RayTaskError as error:
            return batch, Done([], 0.0, error.cause if isinstance(error.cause, Exception) else error)
        except errors.RayError as error:
            return batch, Died(type(error).__name__)
        return batch, done

    def _recall(self) -> list[Answer]:
        ended, running = self._ray.wait(list(self._flying), num_returns=len(self._flying), timeout=0)
        answers = [self._answer(one) for one in ended]
        for one in running:
            with suppress(Exception):  # it may have ended meanwhile, or its node is gone
                self._ray.cancel(one, force=True)
        self._flying.clear()
        return answers

    def close(self) -> None:
        if self._mine:
            self._ray.shutdown()
        self._ray, self._mine = None, False


def _start(ray: Any, address: str) -> None:
    options: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
    _knock(address)
    try:
        with redirect_stdout(stderr):
            ray.init(address, log_to_driver=False, logging_level="ERROR", **options)
    except BaseException as error:
        with suppress(Exception):  # half a cluster must not stay
            ray.shutdown()
        if not isinstance(error, Exception):
            raise
        # Whatever its class: Ray raises plain Exceptions too, as when a busy machine starts it too slowly.
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        if address == "local":
            raise ValueError(f"Ray cannot be started on this machine: {said}") from None
        raise ValueError(f"no Ray cluster answers at {address}: {said} ({TOKEN})") from None


def _knock(address: str) -> None:
    """Fails at once where nobody listens: Ray itself would try for many minutes."""
    host, colon, port = address.removeprefix("ray://").rstrip("/").rpartition(":")
    if colon and port.isdecimal():
        try:
            socket.create_connection((host, int(port)), KNOCK_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise ValueError(f"no Ray cluster answers at {address}: {error}") from None
    elif address.startswith("ray://"):
        raise ValueError(f"the address of a cluster has a port, usually ray://host:10001, and {address} has none")


def _ray() -> Any:
    """The library, without its reports to its makers."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # What Ray will do one day is no news for somebody who wants to see a match.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ValueError(INSTALL) from None


def perform_on_a_node(version: str, tasks: list[Task[Any]]) -> Done:
    """Does a batch in a process of a node."""
    if version != __version__:
        raise ValueError(f"a node of the cluster has Outflank {__version__}, here it is {version}: install the same")
    with redirect_stdout(stderr):  # what a task prints is no part of anything
        done = perform(tasks, BATCH_SECONDS, Stop())
    gc.freeze()  # as every worker: what is loaded by now stays
    return done if done.error is None else replace(done, error=portable(done.error))
