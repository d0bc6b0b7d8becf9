"""The WebSockets that are open: how many one visitor, one address and all together may have."""

import contextlib
from collections import Counter
from collections.abc import AsyncIterator

from fastapi import WebSocket

from outflank.errors import Fault
from outflank.web.faults import reason
from outflank.web.guard import visitor_of

MOST, FROM_ONE_ADDRESS, OF_ONE_VISITOR = 1000, 400, 60
"""A tab of the page has two or three, so that is a visitor with twenty tabs, and a class behind one address."""
TRY_LATER = 1013


class Connections:
    """Lets WebSockets in, and counts them for as long as they are open."""

    def __init__(self) -> None:
        self._addresses: Counter[str] = Counter()
        self._visitors: Counter[str] = Counter()

    @contextlib.asynccontextmanager
    async def accepted(self, socket: WebSocket) -> AsyncIterator[str | None]:
        """Who has opened it; None where there are too many already, and it has been closed."""
        await socket.accept()
        address = socket.client.host if socket.client else ""
        visitor = visitor_of(socket.headers.get("cookie"), address)
        why = self._refusal(address, visitor)
        if why is not None:
            await socket.close(TRY_LATER, reason(why))
            yield None
            return
        self._count(address, visitor, 1)
        try:
            yield visitor
        finally:
            self._count(address, visitor, -1)

    def _refusal(self, address: str, visitor: str) -> Fault | None:
        if self._visitors[visitor] >= OF_ONE_VISITOR:
            return Fault("web.own-boards")
        if self._addresses.total() >= MOST or self._addresses[address] >= FROM_ONE_ADDRESS:
            return Fault("web.all-boards")
        return None

    def _count(self, address: str, visitor: str, more: int) -> None:
        for counter, name in ((self._addresses, address), (self._visitors, visitor)):
            counter[name] += more
            if not counter[name]:
                del counter[name]
