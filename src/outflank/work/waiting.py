"""Waiting for whichever of several descriptors has something first, on every system."""

import os
import select
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

CHUNK = 1 << 16
POLLS = hasattr(select, "poll")
"""Windows has `select` alone, and that for sockets only."""


def ready(
    seconds: float | None, reading: Iterable[int], writing: Iterable[int] = (), ending: Iterable[int] = ()
) -> set[int]:
    """Those of the descriptors that can be read or written, or have ended, within so many seconds; None waits for one.

    `select` would do, but on most systems it refuses descriptors from 1024 on, which a busy server reaches; and it does
    not hear that somebody ends.
    """
    if not POLLS:
        wanted = list(reading), list(writing)
        if not any(wanted):  # Windows takes no empty lists
            time.sleep(seconds or 0.0)
            return set()
        readable, writable, _ = select.select(*wanted, [], seconds)
        return {*readable, *writable}
    waiting = select.poll()
    for descriptor in reading:
        waiting.register(descriptor, select.POLLIN)
    for descriptor in writing:
        waiting.register(descriptor, select.POLLOUT)
    for descriptor in ending:
        waiting.register(descriptor, 0)
    return {descriptor for descriptor, _ in waiting.poll(None if seconds is None else seconds * 1000)}


class Source:
    """Bytes of a pipe, a terminal or a file, which can be waited for beside others.

    Where only sockets can be waited for, a thread passes the bytes on through one.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        """To wait for; it is read through us."""
        self._socket: socket.socket | None = None
        if not POLLS:
            self._socket, end = _sockets()
            self.descriptor = self._socket.fileno()
            threading.Thread(target=_pass_on, args=(descriptor, end), name="outflank-source", daemon=True).start()

    def read(self) -> bytes:
        """What has come, waiting for it if need be; nothing at the end."""
        return os.read(self.descriptor, CHUNK) if self._socket is None else self._socket.recv(CHUNK)


def _pass_on(descriptor: int, end: "socket.socket") -> None:
    with suppress(OSError), end:
        while data := os.read(descriptor, CHUNK):
            end.sendall(data)


class Bell:
    """What a thread waits for beside other things, by its `descriptor`, and another thread rings, or a signal by its
    `hand` (see `signal.set_wakeup_fd`)."""

    def __init__(self) -> None:
        self._sockets: tuple[socket.socket, ...] = ()
        if POLLS:  # a pipe: submissions may not have sockets
            self.descriptor, self.hand = os.pipe()
            os.set_blocking(self.descriptor, False)
            os.set_blocking(self.hand, False)
        else:
            self._sockets = _sockets()
            for end in self._sockets:
                end.setblocking(False)
            self.descriptor, self.hand = (end.fileno() for end in self._sockets)
        self._lock = threading.RLock()  # a finalizer may ring it in the midst of a ring
        self._closed = False

    def ring(self) -> None:
        """Can be heard until somebody asks what was; nothing happens where it was rung often, or is closed."""
        with self._lock, suppress(BlockingIOError):
            if not self._closed:
                self._sockets[1].send(b"\0") if self._sockets else os.write(self.hand, b"\0")

    def heard(self, seconds: float = 0.0) -> bytes:
        """What has been rung with within so many seconds: the numbers of signals, and zeros."""
        if not ready(seconds, [self.descriptor]):
            return b""
        return self._sockets[0].recv(256) if self._sockets else os.read(self.descriptor, 256)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for end in self._sockets:
                end.close()
            if not self._sockets:
                os.close(self.descriptor)
                os.close(self.hand)


def _sockets() -> "tuple[socket.socket, socket.socket]":
    import socket  # few need it

    return socket.socketpair()
