"""Who goes first where many wait: the one who used least lately, by address, since one person can be many visitors."""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

ADDRESSES = 10_000
"""Of so many it is remembered what they took."""
FORGOTTEN_AFTER = 10.0
"""Seconds after which half of what was taken is forgotten."""
STEP = 0.1
"""Seconds: of those who differ by less, who came first goes first."""


def address_of(visitor: str) -> str:
    """Where a visitor is: one person can have many cookies, so what one may take from others is counted by this too."""
    return visitor.partition(" ")[0]


def person_of(visitor: str) -> str:
    """Who a visitor is wherever he is: his browser, and without a cookie his address."""
    address, _, browser = visitor.partition(" ")
    return browser or address


class Taken:
    """The seconds of work that each address has had of late."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._taken: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """How much, and when that was so."""

    def add(self, address: str, seconds: float) -> None:
        taken = self._of(address) + seconds
        self._taken.pop(address, None)
        self._taken[address] = taken, self._clock()
        if len(self._taken) > ADDRESSES:
            self._taken.popitem(last=False)

    def rank(self, address: str) -> int:
        """The least goes first."""
        return int(self._of(address) / STEP)

    def _of(self, address: str) -> float:
        taken, at = self._taken.get(address, (0.0, 0.0))
        return taken * 0.5 ** ((self._clock() - at) / FORGOTTEN_AFTER) if taken else 0.0


class Turnstile:
    """Lets so many through at a time; whoever is longer inside than its patience is not counted any more, since he
    waits for something himself. On the event loop only."""

    def __init__(self, at_once: int, patience: float | None = None) -> None:
        self._free, self._patience = at_once, patience
        self._taken = Taken()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def passed(self, visitor: str) -> AsyncIterator[None]:
        address = address_of(visitor)
        if self._free:
            self._free -= 1
        else:
            await self._wait(address)
        began, inside = time.perf_counter(), True

        def leave() -> None:
            nonlocal inside
            if inside:
                inside = False
                self._taken.add(address, time.perf_counter() - began)
                self._free += 1
                self._call_next()

        patience = self._patience
        timer = None if patience is None else asyncio.get_running_loop().call_later(patience, leave)
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()
            leave()

    async def _wait(self, address: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(address, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # called and gone in the same moment
                self._free += 1
                self._call_next()
            raise

    def _call_next(self) -> None:
        while self._free and self._waiting:
            address = min(self._waiting, key=self._taken.rank)
            queue = self._waiting.pop(address)
            turn = queue.popleft()
            if queue:
                self._waiting[address] = queue  # at the end: equals take turns
            if not turn.done():
                self._free -= 1
                turn.set_result(None)
