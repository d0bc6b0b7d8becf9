"""The WebSockets that are open: how many one visitor, one address and all together may have."""

import contextlib
from collections.abc import AsyncIterator

from fastapi import WebSocket, WebSocketException

from outflank.errors import Fault
from outflank.web.faults import NotFoundError, reason
from outflank.web.turns import address_of

MOST, FROM_ONE_ADDRESS, OF_ONE_VISITOR = 1000, 400, 60
"""A tab of the page has two or three, so that is a visitor with twenty tabs, and a class behind one address."""
MESSAGES_A_SECOND, MESSAGES_AT_ONCE = 300.0, 1500.0
"""Messages of one address: that class, each of them clicking twice a second."""
TRY_LATER, NOT_FOUND = 1013, 4404


class Connections:
    """Lets WebSockets in, and counts them for as long as they are open."""

    def __init__(self) -> None:
        self._visitors: list[str] = []  # one for each that is open

    @contextlib.asynccontextmanager
    async def accepted(self, socket: WebSocket, visitor: str) -> AsyncIterator[None]:
        """Closes it where there are too many already, and where what it asks for is not there."""
        await socket.accept()
        at_address = [address_of(one) for one in self._visitors].count(address_of(visitor))
        if self._visitors.count(visitor) >= OF_ONE_VISITOR:
            raise WebSocketException(TRY_LATER, reason(Fault("web.own-boards")))
        if len(self._visitors) >= MOST or at_address >= FROM_ONE_ADDRESS:
            raise WebSocketException(TRY_LATER, reason(Fault("web.all-boards")))
        self._visitors.append(visitor)
        try:
            yield
        except NotFoundError as error:
            raise WebSocketException(NOT_FOUND, str(error)) from None
        finally:
            self._visitors.remove(visitor)
