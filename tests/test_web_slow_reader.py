"""A viewer who does not read what he is sent costs the server a bounded queue, and is let go."""

import asyncio
import threading
from socket import create_server

import pytest
import uvicorn
from fastapi import FastAPI, WebSocket
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import connect

from outflank.cli.serve import _config
from outflank.web.connections import TRY_LATER
from outflank.web.live import _send
from outflank.web.settings import Settings
from outflank.web.viewers import QUEUED, Viewer

MESSAGE = "x" * (1 << 20)
IN_FLIGHT = 128
"""Messages of a megabyte: far more than the buffers of a connection hold, and the sender may run ahead by so many."""


def test_a_viewer_who_does_not_read_is_let_go() -> None:
    """The limit bites only where the server's WebSockets hold their sender back while nothing is read."""
    app, viewer = FastAPI(), Viewer("somebody")
    told = threading.Event()

    @app.websocket("/")
    async def live(socket: WebSocket) -> None:
        await socket.accept()
        sender = asyncio.create_task(_send(socket, viewer))
        for _ in range(QUEUED + IN_FLIGHT):
            viewer.send_text(MESSAGE)
            await asyncio.sleep(0)  # the sender takes what it may
        told.set()
        await sender

    with create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(_config(app, Settings()))
        running = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        running.start()
        try:
            address = f"ws://127.0.0.1:{listener.getsockname()[1]}/"
            with connect(address, max_size=None, max_queue=1, compression=None, open_timeout=60) as socket:
                assert told.wait(60)
                assert viewer.lost
                received = 0
                with pytest.raises(ConnectionClosedError) as closed:
                    while socket.recv(60):
                        received += 1
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == TRY_LATER
                assert received < IN_FLIGHT
        finally:
            server.should_exit = True
            running.join(30)
