"""What goes over the wire to an enclosed program: one line of JSON a message, none of it longer than a move needs.

The program at the other end may write whatever it likes. So every message from there is bounded in length, is JSON
and nothing that could run, and carries the token of the request that it answers: random, so that no answer can be
prepared before its question.
"""

import json
import os
import secrets
import sys
from contextlib import suppress
from typing import Any

from outflank.errors import Fault

LONGEST = 64 * 1024
"""Bytes of a message from the program: a candidate list of a thousand squares takes a quarter."""
MOST = 1024 * 1024
"""Bytes that the program may write for one request, all messages together."""
PIECE = 64 * 1024
PRINTED, PRINTED_LINES = 2000, 20
"""Characters and lines that are kept of what a program prints."""

Message = dict[str, Any]


class WireError(Fault):
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
            raise WireError("wire.bytes", bytes=MOST)
        *lines, self._waiting = (self._waiting + data).split(b"\n")
        if len(self._waiting) > LONGEST:
            raise WireError("wire.line", bytes=LONGEST)
        return [self._message(line) for line in lines]

    def _message(self, line: bytes) -> Message:
        if len(line) > LONGEST:
            raise WireError("wire.line", bytes=LONGEST)
        try:
            message = json.loads(line.decode("ascii"))
        except (ValueError, RecursionError):
            raise WireError("wire.not-json") from None
        if not isinstance(message, dict) or message.get("token") != self._expected:
            raise WireError("wire.not-asked")
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
    return float(value) if type(value) in (int, float) and abs(value) <= sys.float_info.max else None  # type: ignore[arg-type]


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


def reason(message: Message) -> Fault | str:
    """Why a program failed: by the code of an error that its guest knows, else in the program's own words."""
    code, params = message.get("code"), message.get("params")
    if isinstance(code, str) and code.startswith("guest.") and isinstance(params, dict):
        fault = Fault(code)
        fault.params = {name: text(value) for name, value in params.items()}
        with suppress(LookupError, ValueError):  # it is not ours, or not with these parameters
            str(fault)
            return fault
    return text(message.get("text"))


def lines(value: object, longest: int = 4000) -> str:
    """A text of several printable lines."""
    if not isinstance(value, str):
        return ""
    return "".join(mark if mark.isprintable() or mark == "\n" else "?" for mark in value[:longest])


def last_lines(text: str) -> str:
    """The end of what somebody printed: a few printable lines, whatever it was."""
    kept = "\n".join(text.expandtabs(4).splitlines()[-PRINTED_LINES:])
    kept = "".join(mark if mark.isprintable() or mark == "\n" else "?" for mark in kept)
    return kept if len(kept) <= PRINTED else "…" + kept[-PRINTED:]


def square(value: object) -> int | None:
    """A square's number, 0 to 63."""
    return value if type(value) is int and 0 <= value < 64 else None
