"""Whether this process was suspended, by Ctrl-Z or with the whole machine.

A monotonic clock goes on meanwhile, so a player measured by it seems slow.
"""

import threading
from functools import cache
from time import monotonic, sleep

BEAT_SECONDS = 0.1
STILL_SECONDS = 1.0
"""How late a beat is that was kept from us: a busy machine makes it wait a tenth of that."""


class _Pulse:
    def __init__(self) -> None:
        self._still = 0.0
        self._last = monotonic()
        threading.Thread(target=self._beat, name="outflank-pulse", daemon=True).start()

    def _beat(self) -> None:
        while True:
            sleep(BEAT_SECONDS)
            self._still, self._last = self.seconds(), monotonic()

    def seconds(self) -> float:
        late = monotonic() - self._last - BEAT_SECONDS
        return self._still + (late if late > STILL_SECONDS else 0.0)


@cache
def _pulse() -> _Pulse:
    return _Pulse()


def stood_still() -> float:
    """For how many seconds this process has stood still, since somebody first asked."""
    return _pulse().seconds()
