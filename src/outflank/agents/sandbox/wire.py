"""What goes over the wire to an enclosed program: one line of JSON a message, none of it longer than a move needs.

The program at the other end may write whatever it likes. So every message from there is bounded in length, is JSON
and nothing that could run, and carries the token of the request that it answers: random, so that no answer can be
prepared before its question.
"""

import json
import os
import secrets
from typing import Any

LONGEST = 64 * 1024
"""Bytes of a message from the program: a candidate list of a thousand squares takes a quarter."""
MOST = 1024 * 1024
"""Bytes that the program may write for one request, all messages together."""
PIECE = 64 * 1024

Message = dict[str, Any]


class WireError(Exception):
    """Something else than an answer came over the wire."""


def token() -> str:
    """What an answer must begin with."""
    return secrets.token_hex(8)


def encoded(message: Message) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


class Inbox:
    """What came in and was not read yet, of one request."""

    def __init__(self, expected: str) -> None:
        self._expected = expected
        self._waiting = b""
        self._received = 0

    def add(self, data: bytes) -> list[Message]:
        """The messages that are complete now."""
        self._received += len(data)
        if self._received > MOST:
            raise WireError(f"it wrote more than {MOST:,} bytes to the referee")
        *lines, self._waiting = (self._waiting + data).split(b"\n")
        if len(self._waiting) > LONGEST:
            raise WireError(f"it wrote a line of more than {LONGEST:,} bytes to the referee")
        return [self._message(line) for line in lines]

    def _message(self, line: bytes) -> Message:
        if len(line) > LONGEST:
            raise WireError(f"it wrote a line of more than {LONGEST:,} bytes to the referee")
        try:
            message = json.loads(line.decode("ascii"))
        except (ValueError, RecursionError):
            raise WireError("it wrote to the referee's wire itself") from None
        if not isinstance(message, dict) or message.get("token") != self._expected:
            raise WireError("it answered a question that was not asked")
        return message


def read_piece(descriptor: int) -> bytes | None:
    """What lies in a pipe that does not block; b"" at its end, None where nothing is there."""
    try:
        return os.read(descriptor, PIECE)
    except BlockingIOError:
        return None
    except OSError:
        return b""


# Values out of a message, each as it must be or not at all


def number(value: object) -> float | None:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if abs(found) < float("inf") else None


def count(value: object) -> int:
    """A whole number that a column of a table holds, or 0."""
    return value if type(value) is int and 0 <= value < 2**62 else 0


def text(value: object, longest: int = 300) -> str:
    """One printable line."""
    if not isinstance(value, str):
        return ""
    line = " ".join(value[: 4 * longest].split())
    line = "".join(mark if mark.isprintable() else "?" for mark in line)
    return line if len(line) <= longest else line[:longest] + "…"


def lines(value: object, longest: int = 4000) -> str:
    """A text of several printable lines."""
    if not isinstance(value, str):
        return ""
    return "".join(mark if mark.isprintable() or mark == "\n" else "?" for mark in value[:longest])


def square(value: object) -> int | None:
    """A square's number, 0 to 63."""
    return value if type(value) is int and 0 <= value < 64 else None
