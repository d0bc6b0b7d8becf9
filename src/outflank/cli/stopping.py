"""Ctrl-C on the command line: it stops whatever runs, also where Python would lose it.

Python raises KeyboardInterrupt wherever the main thread happens to be. Inside a callback of the compiler, or while an
object is deleted, nobody can catch it there: it is reported as unraisable and forgotten, and the work goes on or
breaks in a strange place. Here such a one is remembered and raised again a moment later.
"""

import signal
import sys
import threading
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


def _hear(report: Any) -> None:
    global _swallowed
    if not issubclass(report.exc_type, KeyboardInterrupt):
        if not _swallowed:
            sys.__unraisablehook__(report)
        return
    _swallowed = True
    main_thread = threading.main_thread().ident or 0
    again = threading.Timer(AGAIN_AFTER, signal.pthread_kill, (main_thread, signal.SIGINT))
    again.daemon = True
    again.start()
