"""The WebSocket of a board: reads what the page says within limits, and sends what its room has for it."""

import asyncio
import contextlib
import json

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from outflank.errors import Fault
from outflank.web.connections import TRY_LATER
from outflank.web.faults import reason, wrong_form
from outflank.web.guard import Bucket
from outflank.web.messages import READER
from outflank.web.rooms import Room
from outflank.web.services import Services
from outflank.web.viewers import Viewer

MESSAGES_A_SECOND, MESSAGES_AT_ONCE = 30.0, 120.0
WARNINGS = 20
"""Messages beyond the rate that are answered with an error; then the connection is closed."""
LONGEST_MESSAGE = 64 << 10
NOT_FOUND, POLICY, TOO_LARGE = 4404, 1008, 1009

router = APIRouter(prefix="/api")


@router.websocket("/boards/{board}/live")
async def live(socket: WebSocket, board: str) -> None:
    services: Services = socket.app.state.services
    async with services.connections.accepted(socket) as visitor:
        if visitor is None:
            return
        room = await services.rooms.find(board)
        if room is None:
            await socket.close(NOT_FOUND, str(Fault("web.no-board")))
            return
        await _attend(socket, room, Viewer(visitor))


async def _attend(socket: WebSocket, room: Room, viewer: Viewer) -> None:
    """Somebody looks at a board, until he goes."""
    room.enter(viewer)
    sender = asyncio.create_task(_send(socket, viewer))
    try:
        await _receive(socket, room, viewer)
    except WebSocketDisconnect:
        pass
    finally:
        room.leave(viewer)
        sender.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await sender


async def _send(socket: WebSocket, viewer: Viewer) -> None:
    while (text := await viewer.outbox.get()) is not None:
        if viewer.lost:
            await socket.close(TRY_LATER, reason(Fault("web.not-read")))
            return
        await socket.send_text(text)
    await socket.close(NOT_FOUND, str(Fault("web.deleted")))


async def _receive(socket: WebSocket, room: Room, viewer: Viewer) -> None:
    bucket, warnings = Bucket(MESSAGES_A_SECOND, MESSAGES_AT_ONCE), 0
    while True:
        frame = await socket.receive()
        if frame["type"] == "websocket.disconnect":
            return
        text = frame.get("text")
        if text is None:
            await socket.close(1003, str(Fault("web.not-text")))
            return
        if len(text) > LONGEST_MESSAGE:
            await socket.close(TOO_LARGE, str(Fault("web.message-too-large")))
            return
        if not bucket.take():
            warnings += 1
            if warnings > WARNINGS:
                await socket.close(POLICY, str(Fault("web.flood")))
                return
            viewer.refuse(Fault("web.too-many-messages"))
            continue
        try:
            message = READER.validate_json(text)
        except ValidationError as error:
            viewer.refuse(wrong_form(error.errors(include_url=False, include_input=False)), _ref(text))
            continue
        await room.hear(viewer, message)


def _ref(text: str) -> int | None:
    """The reference of a message that is wrong otherwise."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    ref = said.get("ref") if isinstance(said, dict) else None
    return ref if isinstance(ref, int) and not isinstance(ref, bool) and abs(ref) < 2**53 else None
