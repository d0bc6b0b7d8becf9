"""The door: connections before anything is asked, and those that ask slowly.

Opening a connection costs next to nothing, so they are counted by address. One without a request makes room for the
next; one that does not finish its request is closed.
"""

import asyncio
import contextlib
import logging
from collections import Counter, OrderedDict
from collections.abc import Collection
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from outflank.web.guard import network

MOST, FROM_ONE_ADDRESS = 4000, 600
"""Connections: a browser has up to six and two or three WebSockets, so that is a class behind one address."""
SPARE_FILES = 400
"""Files that the system lets us open and connections leave alone: for boards, matches and a burst of new ones."""
AT_ONCE = 256
"""Connections that are let in before those before them are counted."""
SECONDS_TO_ASK, SECONDS_TO_SEND, SECONDS_TO_READ = 10.0, 60.0, 60.0
"""For a request's headers, for its body, and for a client that does not read the answer."""

log = logging.getLogger("outflank.web")


class Door:
    """Counts the connections that are open. Those of a proxy are counted together with all others only."""

    def __init__(self, proxies: Collection[str] = (), most: int = MOST, of_address: int = FROM_ONE_ADDRESS) -> None:
        self._proxies, self._most, self._of_address = frozenset(map(network, proxies)), most, of_address
        self._open: Counter[str] = Counter()
        self._all = 0
        self._silent: dict[str, OrderedDict[Http, None]] = {}  # those that have not asked yet, by address, oldest first

    def enter(self, address: str) -> None:
        self._open[address] += 1
        self._all += 1

    def leave(self, address: str) -> None:
        self._all -= 1
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    def admits(self, connection: "Http", address: str) -> bool:
        """Counts a new connection, if there is room for it or room can be made."""
        crowded = self._open[address] >= self._of_address and address not in self._proxies
        if crowded or self._all >= self._most:
            silent = self._silent.get(address) or (None if crowded else next(iter(self._silent.values()), None))
            if not silent:
                log.warning("no room for another connection")
                return False
            oldest = next(iter(silent))
            oldest.transport.abort()
            oldest.gone()
        self.enter(address)
        self._silent.setdefault(address, OrderedDict())[connection] = None
        return True

    def asked(self, connection: "Http", address: str) -> None:
        """It is not silent any more."""
        silent = self._silent.get(address, OrderedDict())
        silent.pop(connection, None)
        if not silent:
            self._silent.pop(address, None)


class Http(H11Protocol):
    """A connection as uvicorn serves it, that is counted and has to come to the point."""

    def __init__(self, door: Door, **parts: Any) -> None:
        super().__init__(**parts)
        self._door = door
        self._address = ""
        self._inside = False
        self._waits_for: Any = None
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        peer = transport.get_extra_info("peername")
        self._address = network(peer[0]) if peer else ""
        self._inside = self._door.admits(self, self._address)
        if not self._inside:
            transport.abort()
            return
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.transport is not None:
            super().connection_lost(exc)
        self.gone()

    def gone(self) -> None:
        """Counts it no more."""
        if self._inside:
            self._inside = False
            self._door.asked(self, self._address)
            self._door.leave(self._address)
        for timer in (self._deadline, self._unread):
            if timer is not None:
                timer.cancel()

    def data_received(self, data: bytes) -> None:
        if self._inside:
            super().data_received(data)
            self._expect()

    def _expect(self) -> None:
        """Sets the time by which the rest of a request must be here."""
        state = self.conn.their_state
        if state is not h11.IDLE:
            self._door.asked(self, self._address)
        if state is self._waits_for:
            return
        if self._deadline is not None:
            self._deadline.cancel()
        self._waits_for, self._deadline = state, None
        seconds = {h11.IDLE: SECONDS_TO_ASK, h11.SEND_BODY: SECONDS_TO_SEND}.get(state)
        if seconds is not None and self._inside:
            self._deadline = self.loop.call_later(seconds, self.transport.abort)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self.loop.call_later(SECONDS_TO_READ, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        super().handle_websocket_upgrade(event)
        self.gone()


class Socket(WebSocketsSansIOProtocol):
    """A WebSocket, that is counted as the connection was."""

    def __init__(self, door: Door, **parts: Any) -> None:
        super().__init__(**parts)
        self._door = door
        self._address = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._address = network(self.client[0]) if self.client else ""
        self._door.enter(self._address)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._door.leave(self._address)


def files_for_connections() -> int:
    """How many connections the system lets us have: as many open files as it allows at all, without those we need."""
    try:
        import resource
    except ImportError:  # not on Windows, which has no such limit
        return MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else max(min(soft - SPARE_FILES, MOST), 64)
