"""Who a visitor is: a browser, by the cookie that our page gave it, or else an address.

A cookie is signed, and an address gets only so many. Invented cookies count as one visitor: the address.
"""

import hashlib
import hmac
import secrets

from starlette.requests import HTTPConnection

from outflank.web.guard import Buckets

COOKIE = "outflank-visitor"
NEW_A_SECOND, NEW_AT_ONCE = 0.1, 500.0
"""New visitors of one address: a school in the morning, and then one every ten seconds."""


class Visitors:
    """Knows a server's visitors by a key that nobody else has."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._new = Buckets(NEW_A_SECOND, NEW_AT_ONCE)

    def of(self, connection: HTTPConnection) -> str:
        """The address and, after a space, which browser it is."""
        address = connection.client.host if connection.client else ""
        name, _, signature = connection.cookies.get(COOKIE, "")[:80].partition(".")
        known = hmac.compare_digest(signature.encode(), self._signed(name).encode())
        return f"{address} {name}" if known else address

    def cookie(self, address: str) -> str | None:
        """A cookie for a new visitor; None where an address has had too many: then they are one."""
        if not self._new.take(address):
            return None
        name = secrets.token_urlsafe(12)
        return f"{name}.{self._signed(name)}"

    def _signed(self, name: str) -> str:
        return hmac.new(self._key, name.encode(), hashlib.sha256).hexdigest()[:32]
