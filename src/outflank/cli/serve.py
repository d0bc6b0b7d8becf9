"""`outflank serve`: the page in the browser, and the server behind it."""

import contextlib
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.errors import Fault

if TYPE_CHECKING:
    from socket import socket as Listener  # noqa: N812

    import uvicorn
    from fastapi import FastAPI

    from outflank.web.settings import Settings

PORT = 8400
PORTS_TRIED = 20
SWITCH_SECONDS = 0.0005
"""How soon a thread that thinks lets the one that answers have the interpreter."""


def serve(
    port: Annotated[
        int | None, typer.Option(help=f"Default: {PORT}, or the next one that is free.", min=0, max=65535)
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    open_: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    public: Annotated[
        bool, typer.Option("--public", help="Let other machines in: whoever reaches the address can use this server.")
    ] = False,
    agent: Annotated[
        list[str] | None, typer.Option(help="Add a player of your own to the page: NAME=SPEC, or SPEC.")
    ] = None,
    heuristic: Annotated[
        list[str] | None, typer.Option(help="Add a heuristic of your own to the page: FILE:NAME.")
    ] = None,
    store: Annotated[
        list[str] | None, typer.Option(help="A store whose matches and tournaments the page can open.")
    ] = None,
    library: Annotated[
        str,
        typer.Option(metavar="FILE", help="What masters play: a library, made by outflank games build."),
    ] = "",
    state: Annotated[str, typer.Option(help="The folder in which games are kept; default: yours.")] = "",
) -> None:
    """Open the board in the browser: play, analyse, and see how players think.

    Example: outflank serve --open
    """
    from outflank.web.settings import LOOPBACK, Settings, state_folder

    if host not in LOOPBACK and not public:
        raise Fault("serve.public", host=host)
    listener = _listener(host, port)
    settings = Settings(
        host=host,
        port=listener.getsockname()[1],
        public=public,
        state=Path(state) if state else state_folder(),
        agents=_named_agents(agent or []),
        heuristics=_named_heuristics(heuristic or []),
        stores=tuple(_stores(store or [])),
        library=_library(library) if library else None,
    )
    _run(settings, listener, open_)


def _run(settings: "Settings", listener: "Listener", open_page: bool) -> None:
    import uvicorn

    from outflank.web.app import application
    from outflank.work.places import cores

    sys.setswitchinterval(SWITCH_SECONDS)
    app = application(settings, max(cores(), 2))
    url = _url(settings.host, settings.port)
    print(f"Outflank is at {url} (Ctrl-C ends it; games are kept in {settings.state})", flush=True)
    if settings.public:
        print(
            "--public: everybody who can reach this address can play, think and match on this machine, and can open"
            " a board whose link they know.",
            file=sys.stderr,
            flush=True,
        )
    if open_page:
        threading.Timer(0.5, webbrowser.open, (url,)).start()
    with contextlib.suppress(KeyboardInterrupt):  # it is how a server ends, and everything is kept
        uvicorn.Server(_config(app)).run(sockets=[listener])


def _config(app: "FastAPI") -> "uvicorn.Config":
    import uvicorn

    from outflank.web.live import LONGEST_MESSAGE

    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="websockets-sansio",
        ws_max_size=LONGEST_MESSAGE * 2,
        ws_per_message_deflate=False,  # messages are small, and packing each costs more than sending it
        ws_ping_interval=20.0,
        timeout_graceful_shutdown=2,
        limit_concurrency=4000,
    )


def _listener(host: str, port: int | None) -> "Listener":
    """A socket that listens already, so that no other program can take the port between choosing and using it."""
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    wanted = [port] if port is not None else range(PORT, PORT + PORTS_TRIED)
    for number in wanted:
        # The protocol is named because asyncio asks for it before it sends small messages without delay.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
        except OSError as error:
            listener.close()
            reason = (error.strerror or str(error)).lower()
            continue
        except OverflowError:
            raise Fault("serve.port", port=port) from None
        listener.listen(1024)  # now: whoever reads our first line may call at once
        listener.set_inheritable(False)
        return listener
    where = f"port {port}" if port is not None else f"ports {PORT} to {PORT + PORTS_TRIED - 1}"
    raise Fault("serve.address", host=host, where=where, why=reason)


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _named_agents(texts: list[str]) -> dict[str, str]:
    from outflank.web.players import OWN_NAME, own_name

    named: dict[str, str] = {}
    for text in texts:
        name, equals, spec = text.partition("=")
        if not equals or not OWN_NAME.fullmatch(name):
            name, spec = own_name(text), text
        if name in named:
            raise Fault("serve.two-players", name=name, spec=spec)
        named[name] = spec
    return named


def _named_heuristics(texts: list[str]) -> dict[str, str]:
    named = {}
    for text in texts:
        file, _, name = text.rpartition(":")
        if not file.endswith(".py"):
            raise Fault("serve.heuristic", text=text)
        named[name] = text
    return named


def _stores(paths: list[str]) -> list[Path]:
    from outflank.arena.store import Store

    for path in paths:
        Store.existing(path).close()
    return [Path(path).resolve() for path in paths]


def _library(path: str) -> Path:
    from outflank.library.games import Library

    Library(path).close()
    return Path(path).resolve()
