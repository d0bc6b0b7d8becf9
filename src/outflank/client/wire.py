"""HTTP and WebSockets with the standard library: just what the client of the page's server needs."""

import base64
import hashlib
import json
import os
import socket
import ssl
import struct
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import SplitResult, urlencode, urlsplit

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
"""RFC 6455 has it: a server that answers with its hash has understood."""
JSON = "application/json"


class ServerError(Exception):
    """What the server refuses, or why it cannot be reached: one line, the status, and the error's code."""

    def __init__(self, text: str, status: int = 0, code: str = "") -> None:
        super().__init__(text)
        self.status, self.code = status, code


def address(url: str) -> SplitResult:
    try:
        found = urlsplit(url if "://" in url else f"http://{url}")
        if found.scheme in ("http", "https") and found.hostname and found.port != 0:
            return found
    except ValueError:
        pass  # brackets or a port that cannot be
    raise ServerError(f"{url!r} is not the address of a server, such as http://127.0.0.1:8400")


def request(server: SplitResult, method: str, path: str, query: Mapping[str, Any], body: object, timeout: float) -> Any:
    """The answer to one request, as JSON has it; None where it is empty."""
    kind = HTTPSConnection if server.scheme == "https" else HTTPConnection
    connection = kind(str(server.hostname), server.port, timeout=timeout)
    asked = {key: _written(value) for key, value in query.items() if value is not None}
    data, headers = None, {"Accept": JSON}
    if isinstance(body, bytes):
        data, headers["Content-Type"] = body, "application/octet-stream"
    elif body is not None:
        data, headers["Content-Type"] = json.dumps(body).encode(), JSON
    try:
        connection.request(method, f"{path}?{urlencode(asked)}" if asked else path, data, headers)
        answer = connection.getresponse()
        text = answer.read()
    except (OSError, HTTPException) as error:
        why = " ".join(str(error).split()) or type(error).__name__
        raise ServerError(f"{server.geturl()} does not answer: {why}") from None
    finally:
        connection.close()
    if answer.status >= 300:
        raise refusal(text, answer.status)
    return understood(text) if text else None


def understood(text: bytes) -> Any:
    """JSON: whatever else comes is of another server, or of the page."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ServerError(f"this is not an answer of Outflank's interface: {_shown(text)!r}") from None


def _shown(text: bytes) -> str:
    return " ".join(text[:80].decode(errors="replace").split())


def refusal(text: bytes, status: int) -> ServerError:
    """An error as the server tells it."""
    try:
        told = json.loads(text)
        return ServerError(str(told["error"]), status, (told.get("fault") or {}).get("code", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        return ServerError(f"the server answers {status}: {_shown(text)}".rstrip(": "), status)


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class WebSocket:
    """One WebSocket, for messages of JSON both ways. Not for several threads at once."""

    def __init__(self, server: SplitResult, path: str, timeout: float) -> None:
        port = server.port or (443 if server.scheme == "https" else 80)
        try:
            self._socket = socket.create_connection((str(server.hostname), port), timeout)
            if server.scheme == "https":
                self._socket = ssl.create_default_context().wrap_socket(self._socket, server_hostname=server.hostname)
        except OSError as error:
            raise ServerError(f"{server.geturl()} does not answer: {error}") from None
        self._reader = self._socket.makefile("rb")
        try:
            self._shake_hands(server.netloc, path)
        except OSError as error:
            self.close()
            raise ServerError(f"{server.geturl()} does not answer: {error}") from None
        except BaseException:
            self.close()
            raise

    def _shake_hands(self, host: str, path: str) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        self._socket.sendall("\r\n".join(lines).encode())
        words = self._reader.readline().split(None, 2)
        headers: dict[str, str] = {}
        while (line := self._reader.readline().strip()) and len(headers) < 100:
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        wanted = base64.b64encode(hashlib.sha1((key + MAGIC).encode()).digest()).decode()
        if len(words) < 2 or words[1] != b"101" or headers.get("sec-websocket-accept") != wanted:
            status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
            raise ServerError(f"the server does not open a WebSocket at {path} ({status})", status)

    def send(self, message: Mapping[str, Any]) -> None:
        self._frame(TEXT, json.dumps(message).encode())

    def receive(self) -> dict[str, Any] | None:
        """The next message; None where the server has ended the conversation in good order."""
        whole = b""
        while True:
            last, kind, data = self._read_frame()
            if kind == PING:
                self._frame(PONG, data)
            elif kind == CLOSE:
                code = int.from_bytes(data[:2], "big") if len(data) >= 2 else 1005
                if code in (1000, 1005):
                    return None
                raise refusal(data[2:], code)
            elif kind != PONG:
                whole += data
                if last:
                    message: dict[str, Any] = understood(whole)
                    return message

    def _frame(self, kind: int, data: bytes) -> None:
        """What a client sends is masked, as the protocol asks: no proxy may take it for HTTP."""
        size = len(data)
        length = bytes([128 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size)
        if size > 0xFFFF:
            length = b"\xff" + struct.pack(">Q", size)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
        if self._socket.fileno() < 0:
            raise ServerError("the connection was closed")
        try:
            self._socket.sendall(bytes([128 | kind]) + length + mask + masked)
        except OSError as error:
            raise ServerError(f"the server is gone: {error}") from None

    def _read_frame(self) -> tuple[bool, int, bytes]:
        head = self._exactly(2)
        size = head[1] & 127
        if size == 126:
            size = int.from_bytes(self._exactly(2), "big")
        elif size == 127:
            size = int.from_bytes(self._exactly(8), "big")
        return bool(head[0] & 128), head[0] & 15, self._exactly(size)

    def _exactly(self, size: int) -> bytes:
        try:
            data = self._reader.read(size)
        except OSError as error:
            raise ServerError(f"the server does not answer: {error}") from None
        except ValueError:
            raise ServerError("the connection was closed") from None
        if len(data) < size:
            raise ServerError("the server is gone")
        return data

    def close(self) -> None:
        try:
            self._frame(CLOSE, b"\x03\xe8")
        except ServerError:
            pass  # it was gone already
        finally:
            self._reader.close()
            self._socket.close()
