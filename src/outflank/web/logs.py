"""The server's log: warnings on standard error or in a file, bounded in size.

An attacker could fill a disk by repeating one warning, so each place in the code logs a few times in a while and then
only counts.
"""

import logging
import logging.handlers
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

LINES, SECONDS = 5, 600.0
"""So many lines of one place in so much time."""
FILE_BYTES, FILES = 5 << 20, 2
"""A log file begins anew at this size; so many that were full are kept beside it."""
LONGEST = 8000
"""Characters of a line, or of a traceback with it."""


class Folded(logging.Filter):
    """Lets the first lines of each place through; later the first again, which says how many were left out."""

    def __init__(
        self, lines: int = LINES, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._lines, self._seconds, self._clock = lines, seconds, clock
        self._places: dict[tuple[str, int, str], tuple[float, int]] = {}
        """When each place was first heard in its while, and how often since."""
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        place = record.pathname, record.lineno, record.levelname
        with self._lock:
            began, count = self._places.get(place, (0.0, 0))
            now = self._clock()
            left_out = 0
            if not count or now - began >= self._seconds:
                left_out = max(count - self._lines, 0)
                began, count = now, 0
            self._places[place] = began, count + 1
        if left_out:
            record.msg = f"{record.getMessage()} ({left_out:,} more such lines were left out)"
            record.args = ()
        return count < self._lines


class _Short(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}\n…\n{text[-LONGEST // 2 :]}"


def keep_log(file: Path | None = None) -> None:
    """From now on what is worth a warning is written, to a file or to standard error."""
    handler: logging.Handler = (
        logging.StreamHandler(sys.stderr)
        if file is None
        else logging.handlers.RotatingFileHandler(file, maxBytes=FILE_BYTES, backupCount=FILES, encoding="utf-8")
    )
    handler.setFormatter(_Short("%(asctime)s %(levelname)s: %(message)s"))
    handler.addFilter(Folded())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
