"""The WebSocket of a board: reads what the page says within limits, and sends what its room has for it."""

import asyncio
import contextlib
import json

from fastapi import APIRouter, WebSocket, WebSocketDisconnect, WebSocketException
from pydantic import ValidationError

from outflank.errors import Fault
from outflank.web.connections import NOT_FOUND, TRY_LATER
from outflank.web.faults import reason, wrong_form
from outflank.web.guard import Bucket, Buckets
from outflank.web.messages import READER, Message
from outflank.web.room import Room
from outflank.web.services import Server, Visitor
from outflank.web.turns import address_of
from outflank.web.viewers import Viewer

MESSAGES_A_SECOND, MESSAGES_AT_ONCE = 30.0, 120.0
NODES_A_MESSAGE = 250
"""A change of a board with so many nodes more counts as another message of its address: all of them are kept."""
WAITING = 60
"""Messages that may wait for those before them."""
WARNINGS = 20
"""Messages beyond the rate that are answered with an error; then the connection is closed."""
LONGEST_MESSAGE = 64 << 10
NOT_TEXT, POLICY, TOO_LARGE = 1003, 1008, 1009

router = APIRouter(prefix="/api")


@router.websocket("/boards/{board}/live")
async def live(socket: WebSocket, board: str, server: Server, visitor: Visitor) -> None:
    async with server.connections.accepted(socket, visitor):
        await _attend(socket, await server.rooms.find(board), Viewer(visitor), server.messages)


async def _attend(socket: WebSocket, room: Room, viewer: Viewer, from_address: Buckets) -> None:
    """Somebody looks at a board, until he goes."""
    await room.enter(viewer)
    said: asyncio.Queue[Message | None] = asyncio.Queue(WAITING)
    sender = asyncio.create_task(_send(socket, viewer))
    worker = asyncio.create_task(_do(room, viewer, said))
    reader = asyncio.create_task(_receive(socket, room, viewer, said, from_address))
    try:
        await asyncio.wait([worker, reader], return_when=asyncio.FIRST_COMPLETED)
        reader.cancel()
        while not said.empty():  # what is being done is finished, what waits is not begun
            said.get_nowait()
        said.put_nowait(None)
        await worker
        with contextlib.suppress(WebSocketDisconnect, asyncio.CancelledError):
            await reader
    finally:
        room.leave(viewer)
        for task in (reader, worker, sender):
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await sender


async def _do(room: Room, viewer: Viewer, said: asyncio.Queue[Message | None]) -> None:
    while (message := await said.get()) is not None:
        await room.hear(viewer, message)


async def _send(socket: WebSocket, viewer: Viewer) -> None:
    while (text := await viewer.next_text()) is not None:
        if viewer.lost:
            await socket.close(TRY_LATER, reason(Fault("web.not-read")))
            return
        await socket.send_text(text)
    await socket.close(NOT_FOUND, str(Fault("web.deleted")))


async def _receive(
    socket: WebSocket, room: Room, viewer: Viewer, said: asyncio.Queue[Message | None], from_address: Buckets
) -> None:
    """Takes in what is said as it comes: what a message costs is no excuse for the number of those behind it."""
    bucket, warnings, address = Bucket(MESSAGES_A_SECOND, MESSAGES_AT_ONCE), 0, address_of(viewer.visitor)
    while True:
        frame = await socket.receive()
        if frame["type"] == "websocket.disconnect":
            return
        text = frame.get("text")
        if text is None:
            raise WebSocketException(NOT_TEXT, str(Fault("web.not-text")))
        if len(text) > LONGEST_MESSAGE:
            raise WebSocketException(TOO_LARGE, str(Fault("web.message-too-large")))
        cost = 1 + len(room.board.nodes) // NODES_A_MESSAGE
        if not bucket.take() or not from_address.take(address, cost) or said.full():
            warnings += 1
            if warnings > WARNINGS:
                raise WebSocketException(POLICY, str(Fault("web.flood")))
            viewer.refuse(Fault("web.too-many-messages"))
            continue
        try:
            message = READER.validate_json(text)
        except ValidationError as error:
            viewer.refuse(wrong_form(error.errors(include_url=False, include_input=False)), _ref(text))
            continue
        said.put_nowait(message)


def _ref(text: str) -> int | None:
    """The reference of a message that is wrong otherwise."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    ref = said.get("ref") if isinstance(said, dict) else None
    return ref if isinstance(ref, int) and not isinstance(ref, bool) and abs(ref) < 2**53 else None
