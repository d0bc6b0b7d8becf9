"""Lines of text as they come through a pipe from a stranger: any bytes, any length, at any pace."""

import select
from collections.abc import Iterable

LONGEST_LINE = 1 << 20
"""Bytes of a line that are kept; a whole game is a hundredth of that."""
CHUNK = 1 << 16


class LineBuffer:
    """Bytes in, lines out. What a line has beyond `LONGEST_LINE` is dropped as it comes: no sender can fill memory."""

    def __init__(self) -> None:
        self._begun = bytearray()
        self.overlong = False
        """Whether a line had to be cut."""

    def feed(self, data: bytes) -> list[str]:
        """The lines that these bytes end."""
        *endings, rest = data.split(b"\n")
        lines = []
        for ending in endings:
            self._extend(ending)
            lines.append(self.rest())
        self._extend(rest)
        return lines

    def _extend(self, piece: bytes) -> None:
        room = LONGEST_LINE - len(self._begun)
        self.overlong |= len(piece) > room
        self._begun += piece[:room]

    def rest(self) -> str:
        """The line begun so far, which is then forgotten: the last one where the sender ends without a line break."""
        line = self._begun.decode("utf-8", "replace").removesuffix("\r")
        self._begun.clear()
        return line


def ready(seconds: float | None, reading: Iterable[int], writing: Iterable[int] = ()) -> set[int]:
    """Those of the descriptors that can be read or written, or have ended, within so many seconds; None waits for one.

    `select` would do, but refuses descriptors from 1024 on, which a busy server reaches.
    """
    waiting = select.poll()
    for descriptor in reading:
        waiting.register(descriptor, select.POLLIN)
    for descriptor in writing:
        waiting.register(descriptor, select.POLLOUT)
    return {descriptor for descriptor, _ in waiting.poll(None if seconds is None else seconds * 1000)}


def plain(text: str, longest: int = 300) -> str:
    """A text that is safe in one line of an answer or an error."""
    line = " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
    return line if len(line) <= longest else line[:longest] + "…"
