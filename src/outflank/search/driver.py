"""The one driver of time and stopping.

A compiled search holds no interpreter lock and sees no Python signal. It looks now and then at one word of memory,
its `Stop`; one watchdog thread a process sets that word when the time is up or somebody presses Ctrl-C. Whoever lets
a player think in a thread can stop all that it searches there, whatever it is, through an `Interruption`, and hear
meanwhile what it has found (`followed`).
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any

from outflank.search.limits import Limit, Report
from outflank.work.stop import Stop as Stop  # searches and those who stop them have it from here
from outflank.work.waiting import Bell

LATENCY = 0.002
"""Seconds kept back for waking up and reporting, so that a move is answered within its limit."""
STUCK_AFTER = 1.5
"""Seconds after Ctrl-C in which a search must have returned."""
exit_when_stuck = False
"""True in the command line's own process: there, Ctrl-C always works, even inside an endless user heuristic."""


class Interruption:
    """A way to end a player's thinking from another thread, though `choose` takes no stop: every search that the
    player begins in an `interruptible` block ends at once when `set` is called, and so does every later one.

    A search still has a `Stop` of its own: one that ends by its time must not end the next.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a finalizer may set it, in whatever thread that runs
        self._stops: set[Stop] = set()
        self._set = False

    def set(self) -> None:
        with self._lock:
            self._set = True
            for stop in self._stops:
                stop.set()

    @property
    def is_set(self) -> bool:
        return self._set

    def add(self, stop: Stop) -> None:
        with self._lock:
            self._stops.add(stop)
            if self._set:
                stop.set()

    def remove(self, stop: Stop) -> None:
        with self._lock:
            self._stops.discard(stop)


_interruption: ContextVar[Interruption | None] = ContextVar("interruption", default=None)


def interruptible(interruption: Interruption) -> AbstractContextManager[None]:
    """Whatever this thread searches in this block ends when the interruption is set."""
    return _with(_interruption, interruption)


@contextlib.contextmanager
def _with(variable: ContextVar[Any], value: object) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def is_interrupted() -> bool:
    """Whether somebody has stopped what this thread is doing: for work made of many searches."""
    interruption = _interruption.get()
    return interruption is not None and interruption.is_set


Follower = Callable[[Report], None]

_follower: ContextVar[Follower | None] = ContextVar("follower", default=None)


def followed(follower: Follower) -> AbstractContextManager[None]:
    """Whatever this thread searches in this block, and knows before it ends, is told to the follower, though `choose`
    takes none: searches that deepen say what each depth has found."""
    return _with(_follower, follower)


def is_followed() -> bool:
    """Whether anybody hears what this thread tells: what only a follower wants need not be gathered otherwise."""
    return _follower.get() is not None


def tell(report: Report) -> None:
    """What a running search has found so far, for its follower."""
    follower = _follower.get()
    if follower is not None:
        follower(report)


class _Watchdog:
    """Sets stops at their deadlines and on SIGINT. Sleeps until a bell that both deadlines and signals ring."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._deadlines: dict[Stop, float] = {}  # of the searches that run; infinite where there is none or it is over
        self._interrupted: set[Stop] = set()
        self._patience_ends = float("inf")
        self._bell = Bell()
        self._asleep_until = float("inf")
        threading.Thread(target=self._watch, name="outflank-watchdog", daemon=True).start()

    def add(self, stop: Stop, deadline: float) -> None:
        self._hear_interrupts()
        with self._lock:
            self._deadlines[stop] = deadline
            sooner = deadline < self._asleep_until
        if sooner:
            self._bell.ring()

    def remove(self, stop: Stop) -> None:
        with self._lock:
            self._deadlines.pop(stop, None)
            self._interrupted.discard(stop)

    def _hear_interrupts(self) -> None:
        """Python runs signal handlers only between bytecodes; its wake-up descriptor is written at once."""
        if threading.current_thread() is threading.main_thread():
            previous = signal.set_wakeup_fd(self._bell.hand, warn_on_full_buffer=False)
            if previous not in (-1, self._bell.hand):
                signal.set_wakeup_fd(previous)  # an event loop is here: it has its own way to stop us

    def _watch(self) -> None:
        while True:
            with self._lock:
                self._asleep_until = min([*self._deadlines.values(), self._patience_ends])
                wait = min(max(self._asleep_until - time.perf_counter(), 0.0), 3600.0)
            rung = self._sleep(wait)
            now = time.perf_counter()
            if signal.SIGINT in rung:
                self._interrupt(now)
            with self._lock:
                for stop in [stop for stop, deadline in self._deadlines.items() if deadline <= now]:
                    stop.set()
                    self._deadlines[stop] = float("inf")  # known until it has returned: Ctrl-C may have to end it
            if now >= self._patience_ends:
                self._end_if_stuck()

    def _sleep(self, seconds: float) -> bytes:
        """Sleeps so long at most, or until the bell rings; what rang it. `poll` knows whole milliseconds only."""
        if seconds < 0.001:
            time.sleep(seconds)
        return self._bell.heard(int(1000 * seconds) / 1000)

    def _interrupt(self, now: float) -> None:
        with self._lock:
            for stop in self._deadlines:
                stop.set()
            self._interrupted = set(self._deadlines)
            if self._interrupted and exit_when_stuck:
                self._patience_ends = now + STUCK_AFTER

    def _end_if_stuck(self) -> None:
        with self._lock:
            self._patience_ends = float("inf")
            stuck = bool(self._interrupted)
        if stuck:
            sys.stderr.write("\noutflank: stopped; the search did not return (does the heuristic loop for ever?)\n")
            sys.stderr.flush()
            os._exit(130)


_watchdog: _Watchdog | None = None
_process = 0


def _the_watchdog() -> _Watchdog:
    """One a process: a forked child has none of its parent's threads."""
    global _watchdog, _process
    if _watchdog is None or _process != os.getpid():
        _watchdog, _process = _Watchdog(), os.getpid()
    return _watchdog


class watched:  # noqa: N801 (reads as a function; a generator would cost more than a short search)
    """Runs a search under a deadline, under Ctrl-C and `interruptible`; a caller's own `stop` can end it too."""

    __slots__ = ("_interruption", "_seconds", "_stop", "_watchdog")

    def __init__(self, seconds: float | None, stop: Stop | None = None) -> None:
        self._seconds = seconds
        self._stop = stop or Stop()
        self._watchdog = _the_watchdog()
        self._interruption = _interruption.get()

    def __enter__(self) -> Stop:
        seconds = self._seconds
        deadline = float("inf") if seconds is None else time.perf_counter() + max(seconds - LATENCY, 0.0)
        self._watchdog.add(self._stop, deadline)
        if self._interruption is not None:
            self._interruption.add(self._stop)
        return self._stop

    def __exit__(self, *_: object) -> None:
        self._watchdog.remove(self._stop)
        if self._interruption is not None:
            self._interruption.remove(self._stop)


@contextlib.contextmanager
def ended_after(seconds: float | None, stop: Stop | Interruption) -> Iterator[None]:
    """Sets a stop where the block takes longer: for several searches together, and those that are given the stop."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def seconds_for(limit: Limit, empties: int, solved: int = 0) -> float | None:
    """How long a move may take: its own time, or its share of the clock; None without either.

    Moves at `solved` empties and fewer will hardly need any.
    """
    if limit.clock is None:
        return limit.time
    # Half of the empties are ours. A little less than an even share keeps a reserve for the last moves.
    moves_left = max((empties - solved) // 2, 1) + 2
    share = limit.clock.remaining / moves_left + 0.8 * limit.clock.increment
    share = max(min(share, limit.clock.remaining / 2), LATENCY)
    return share if limit.time is None else min(share, limit.time)
