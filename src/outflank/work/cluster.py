"""Workers of a Ray cluster: the same batches as on this machine, wherever there is a core.

Batches wait in Ray's queue and free cores pull them. A batch whose node or process dies is lost as a whole; its tasks
go back into the backlog and are done by others. Nodes that join while it runs get work; one that cannot do what a task
needs gets none, and one that has refused a task gets no more.
"""

import gc
import importlib
import os
import socket
import time
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from sys import stderr
from typing import Any

from outflank import __version__
from outflank.errors import Fault, MachineError
from outflank.work.nodes import Nodes
from outflank.work.stop import Stop
from outflank.work.workers import Crew, Done, Task, needs_of, perform

BATCH_SECONDS = 1.0
"""Longer than on one machine: a batch costs a message over the network."""
WAITING_FOR_A_CORE = 1
"""Batches in the queue for each core beside the one it does, so that no core waits for us."""
LOOK_EVERY = 2.0
"""Seconds after which we look which nodes there are."""
KNOCK_SECONDS = 5.0
UNFIT_SECONDS = 3.0
"""How long a node that cannot do a task keeps its core busy: so the others get what is waiting, and not this one, which
would refuse it all within a moment."""


class Cluster(Crew):
    """Does tasks on a cluster. `address` is the `ray://host:port` of one that runs, or `ray`: the one that the variable
    RAY_ADDRESS names, and without it one of this machine alone, started now and ended with us. It is connected to when
    there is something to do. `most` bounds how many batches are done at a time, `jobs` is about this machine."""

    batch_seconds = BATCH_SECONDS
    elsewhere = True

    def __init__(self, address: str = "ray", most: int | None = None, jobs: int = 1) -> None:
        super().__init__(jobs if most is None else most)
        if address != "ray" and not address.startswith("ray://"):
            raise Fault("cluster.address", address=address)
        self._address, self._most = address, most
        self._ray: Any = None
        self._mine = False
        self._nodes: Nodes | None = None
        self._looked = 0.0

    def _room(self) -> int:
        now = time.perf_counter()
        if self._nodes is not None and now >= self._looked + LOOK_EVERY:
            self._nodes.look()
            self._looked = now
        cores = 1 if self._nodes is None else self._nodes.cores
        return self._most or cores * (1 + WAITING_FOR_A_CORE)

    def _begin(self, tasks: list[Task[Any]], stop: Stop) -> Any:
        if self._nodes is None:
            ray = _ray()
            self._mine = not ray.is_initialized()
            if self._mine:
                _start(ray, os.environ.get("RAY_ADDRESS", "local") if self._address == "ray" else self._address)
            self._ray = ray
            self._perform = ray.remote(num_cpus=1, max_retries=0)(perform_on_a_node)
            self._nodes = Nodes(ray)
        where = self._nodes.strategy(needs for task in tasks if (needs := needs_of(task)) is not None)
        return self._perform.options(scheduling_strategy=where).remote(__version__, tasks)

    def _ended(self, tickets: list[Any], seconds: float, most: int = 1) -> Iterator[tuple[Any, Done]]:
        errors = self._ray.exceptions
        for ticket in self._ray.wait(tickets, num_returns=most, timeout=seconds)[0]:
            try:
                done, node = self._ray.get(ticket)
                if isinstance(done.error, MachineError) and self._nodes is not None:
                    self._nodes.note_refusal(node)
            except errors.RayTaskError as error:
                done = Done([], error=error.cause if isinstance(error.cause, Exception) else error)
            except errors.RayError as error:
                done = Done([], death=type(error).__name__)
            yield ticket, done

    def _recall(self, tickets: list[Any]) -> Iterator[tuple[Any, Done]]:
        ended = list(self._ended(tickets, 0.0, len(tickets))) if self._ray is not None else []
        for ticket in set(tickets) - {ticket for ticket, _ in ended}:
            with suppress(Exception):  # it may have ended meanwhile, or its node is gone
                self._ray.cancel(ticket, force=True)
        yield from ended

    def close(self) -> None:
        if self._mine and self._ray is not None:
            self._ray.shutdown()
        self._ray = self._nodes = None


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
            raise Fault("cluster.no-start", why=said) from None
        raise Fault("cluster.no-answer-token", address=address, why=said) from None


def _knock(address: str) -> None:
    """Fails at once where nobody listens: Ray itself would try for many minutes."""
    host, colon, port = address.removeprefix("ray://").rstrip("/").rpartition(":")
    if colon and port.isdecimal():
        try:
            socket.create_connection((host, int(port)), KNOCK_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise Fault("cluster.no-answer", address=address, why=error) from None
    elif address.startswith("ray://"):
        raise Fault("cluster.no-port", address=address)


def _ray() -> Any:
    """The library, without its reports to its makers."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # What Ray will do one day is no news for somebody who wants to see a match.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise Fault("cluster.no-ray") from None


def perform_on_a_node(version: str, tasks: list[Task[Any]]) -> tuple[Done, str]:
    """Does a batch in a process of a node, which it names."""
    if version != __version__:
        raise Fault("cluster.version", there=__version__, here=version)
    with redirect_stdout(stderr):  # what a task prints is no part of anything
        done = perform(tasks, BATCH_SECONDS, Stop())
    if isinstance(done.error, MachineError):
        time.sleep(UNFIT_SECONDS)
    gc.freeze()  # as every worker: what is loaded by now stays
    return done.portable(), _ray().get_runtime_context().get_node_id()
