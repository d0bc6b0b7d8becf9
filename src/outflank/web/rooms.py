"""The boards in use, each a `room` of its own: opened, found, deleted, and let go when nobody looks for a while."""

import asyncio
import contextlib
import logging
import time

from outflank.web import thinking
from outflank.web.boards import Board
from outflank.web.faults import NotFoundError
from outflank.web.guard import Buckets
from outflank.web.keeper import Keeper
from outflank.web.lanes import BusyError, Lanes
from outflank.web.players import Players
from outflank.web.room import Room
from outflank.web.seats import Seats
from outflank.web.turns import Turnstile, address_of

BOARDS_A_SECOND, BOARDS_AT_ONCE = 0.5, 500.0
"""New boards of one address."""
CHANGED_AT_ONCE = 4
"""Boards that are changed, kept and shown at a time; of those who wait, whoever has had least of that goes first."""

log = logging.getLogger("outflank.web")


class Rooms:
    """The boards in use; others are in the keeper's file."""

    def __init__(self, keeper: Keeper, lanes: Lanes, players: Players, seats: Seats, values: thinking.Values) -> None:
        self._rooms: dict[str, Room] = {}
        self._parts = keeper, lanes, players, seats, values, Turnstile(CHANGED_AT_ONCE)
        self._keeper = keeper
        self._loading = asyncio.Lock()
        self._new = Buckets(BOARDS_A_SECOND, BOARDS_AT_ONCE)

    IDLE = 300.0
    """Seconds after which a board that nobody looks at leaves the memory."""
    SWEEP_ABOVE = 200

    async def add(self, board: Board, visitor: str) -> Room:
        """A new board, if a visitor may have another."""
        if not self._new.take(address_of(visitor)):
            raise BusyError("web.too-many-new-boards")
        board.owner = visitor
        await self._keeper.add(board)
        await self._keeper.hold(visitor, board.id)
        return self._opened(board)

    async def find(self, identity: str) -> Room:
        if identity in self._rooms:
            return self._rooms[identity]
        async with self._loading:
            if identity in self._rooms:  # somebody else has loaded it meanwhile
                return self._rooms[identity]
            try:
                board = await self._keeper.load(identity)
            except (ValueError, LookupError, TypeError):
                log.exception("a board in the file cannot be read")
                board = None
            if board is None:
                raise NotFoundError("web.no-board")
            return self._opened(board)

    def _opened(self, board: Board) -> Room:
        room = self._rooms[board.id] = Room(board, *self._parts)
        board.changed.clear()
        self._sweep()
        return room

    async def delete(self, identity: str) -> None:
        room = self._rooms.pop(identity, None)
        if room is not None:
            room.close()
            for viewer in room.viewers:
                with contextlib.suppress(asyncio.QueueFull):
                    viewer.outbox.put_nowait(None)
        await self._keeper.delete(identity)

    def _sweep(self) -> None:
        if len(self._rooms) < self.SWEEP_ABOVE:
            return
        now = time.monotonic()
        # They are in the file. Under many, those that were left first go first, however short ago.
        idle = sorted((room.left_at, name) for name, room in self._rooms.items() if not room.in_use)
        keep = self.SWEEP_ABOVE // 2
        for number, (left, name) in enumerate(idle):
            if now - left > self.IDLE or len(idle) - number > keep:
                self._rooms.pop(name).close()

    async def close(self) -> None:
        for room in self._rooms.values():
            room.stop_work()
        await asyncio.gather(*(task for room in self._rooms.values() for task in room.tasks))
        for room in self._rooms.values():
            room.close()
