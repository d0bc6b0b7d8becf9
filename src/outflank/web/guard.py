"""What stands before every request: who may call, how much, how often; and what every answer carries.

The server listens on loopback, but any page in the same browser can send requests there. So a request must come under
a name of ours (a foreign name that points to 127.0.0.1 is refused), and whatever can change something or open a
WebSocket must come from a page of ours.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from ipaddress import IPv6Interface
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from outflank.errors import Fault
from outflank.web.faults import told
from outflank.web.turns import ADDRESSES, Turnstile

LARGEST_BODY = 4 << 20
REQUESTS_A_SECOND, REQUESTS_AT_ONCE = 50.0, 400.0
BYTES_A_SECOND, BYTES_AT_ONCE = 1 << 20, 64 << 20
"""What an address may send: to take in a large body costs everybody's time, whatever is made of it."""
BEGUN_AT_ONCE, PATIENCE = 4, 0.05
"""Requests that are begun at a time, and the seconds after which one that waits for something lets the next begin."""
TOO_MANY, PENALTY = 429, 1.0
"""The status of "too many", and the seconds for which it is held back: a refusal costs the server nearly as much as an
answer, so whoever is refused must not be able to ask again at once."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


class Bucket:
    """Lets so many through at once, and so many a second on the long run."""

    def __init__(self, rate: float, at_once: float) -> None:
        self._rate, self._at_once = rate, at_once
        self._left, self._at = at_once, time.monotonic()

    def take(self, cost: float = 1.0) -> bool:
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * self._rate, self._at_once)
        self._at = now
        if self._left < cost:
            return False
        self._left -= cost
        return True


class Buckets:
    """A bucket for each address, as far as they are remembered."""

    def __init__(self, rate: float, at_once: float) -> None:
        self._rate, self._at_once = rate, at_once
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, address: str, cost: float = 1.0) -> bool:
        bucket = self._buckets.pop(address, None) or Bucket(self._rate, self._at_once)
        self._buckets[address] = bucket
        if len(self._buckets) > ADDRESSES:
            self._buckets.popitem(last=False)
        return bucket.take(cost)


class TooLargeError(Exception):
    """A body beyond the limit, found while it was read."""


class Guard:
    """The middleware. It is plain ASGI, so that WebSockets pass through it too."""

    def __init__(
        self,
        app: ASGIApp,
        answers_to: Callable[[str], bool],
        rate: float = REQUESTS_A_SECOND,
        at_once: float = REQUESTS_AT_ONCE,
        penalty: float = PENALTY,
    ) -> None:
        self._app, self._answers_to, self._penalty = app, answers_to, penalty
        self._requests = Buckets(rate, at_once)
        self._bytes = Buckets(BYTES_A_SECOND, BYTES_AT_ONCE)
        self._turnstile = Turnstile(BEGUN_AT_ONCE, PATIENCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        address, port = scope.get("client") or ("", 0)
        scope = {**scope, "client": (network(address), port)}
        refused = self._refused(scope, Headers(scope=scope))
        if refused is not None:
            await self._hold_back(refused[0])
            await _refuse(scope, receive, send, *refused)
            return
        async with self._turnstile.passed(scope["client"][0]):
            if scope["type"] == "websocket":
                await self._app(scope, receive, send)
            else:
                await self._answer(scope, receive, send)

    def _refused(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, Fault] | None:
        host = headers.get("host", "")
        if not self._answers_to(_name(host)):
            return 403, Fault("web.other-name")
        origin = headers.get("origin")
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if origin is not None and not _same(origin, host):
            return 403, Fault("web.other-page")
        if scope["type"] == "websocket" and origin is None and headers.get("sec-fetch-mode"):
            return 403, Fault("web.other-page")
        if changes and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, Fault("web.other-page")
        if not self._requests.take(scope["client"][0]):
            return TOO_MANY, Fault("web.too-many-requests")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > LARGEST_BODY:
            return 413, Fault("web.too-large", size=LARGEST_BODY >> 20)
        size = LARGEST_BODY if "transfer-encoding" in headers else int(length)
        if size and not self._bytes.take(scope["client"][0], size):
            return TOO_MANY, Fault("web.too-many-requests")
        return None

    async def _hold_back(self, status: int) -> None:
        if status == TOO_MANY:
            await asyncio.sleep(self._penalty)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        size, started = 0, False

        async def limited() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > LARGEST_BODY:
                raise TooLargeError
            return message

        async def completed(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                await self._hold_back(message["status"])
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, limited, completed)
        except TooLargeError:
            if not started:
                await _refuse(scope, receive, send, 413, Fault("web.too-large", size=LARGEST_BODY >> 20))


def _same(origin: str, host: str) -> bool:
    """Whether a page comes from where it sends its request to."""
    try:
        return urlsplit(origin).netloc == host
    except ValueError:
        return False


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0].rstrip(".").lower()


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, why: Fault) -> None:
    if scope["type"] == "websocket":
        # Before it is accepted this is a plain 403. An answer of our own would be one too, but uvicorn takes that for
        # a fault and writes it to its log: whoever knocks often would fill the disk.
        await send({"type": "websocket.close", "code": 1008, "reason": str(why)})
    else:
        await JSONResponse(told(why), status, HEADERS)(scope, receive, send)


def network(address: str) -> str:
    """A visitor's address as it is counted: one IPv6 address means 2**64 of them."""
    try:
        return str(IPv6Interface(f"{address}/64").network) if ":" in address else address
    except ValueError:
        return address
