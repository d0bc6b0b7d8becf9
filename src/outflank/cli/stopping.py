"""Ctrl-C on the command line: it stops whatever runs, also where Python would lose it.

Python raises KeyboardInterrupt wherever the main thread happens to be. Inside a callback of the compiler, or while an
object is deleted, nobody can catch it there: it is reported as unraisable and forgotten, and the work goes on or
breaks in a strange place. Here such a one is remembered and raised again a moment later.
"""

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from outflank.search import driver

AGAIN_AFTER = 0.05
"""Seconds; time enough to leave the callback that swallowed it."""

_swallowed = False


def listen() -> None:
    """Called once by the program: a library must not change how its host handles Ctrl-C."""
    driver.exit_when_stuck = True
    sys.unraisablehook = _hear


def was_swallowed() -> bool:
    """True when Ctrl-C was pressed and lost: any error after it is only its consequence."""
    return _swallowed


@contextmanager
def goes_on_from(folder: Path, made: str) -> Iterator[None]:
    """Says after Ctrl-C in a long run that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        if folder.exists():
            sys.stderr.write(f"\nwhat was {made} is in {folder}: run the same command to resume\n")
        raise


def _hear(report: Any) -> None:
    global _swallowed
    if not issubclass(report.exc_type, KeyboardInterrupt):
        if not _swallowed:
            sys.__unraisablehook__(report)
        return
    _swallowed = True
    again = threading.Timer(AGAIN_AFTER, _press)
    again.daemon = True
    again.start()


def _press() -> None:
    """Ctrl-C once more; where a thread can be sent a signal, it also ends what the main thread waits for."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()
