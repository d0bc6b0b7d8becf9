"""`outflank serve`: the page in the browser, and the server behind it."""

import contextlib
import gc
import sys
import threading
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.cli.options import Unsafe
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
    port: Annotated[int | None, typer.Option(help=f"Default: {PORT}, or the next free port.", min=0, max=65535)] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    open_: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    public: Annotated[
        bool,
        typer.Option("--public", help="Let other machines in: anyone who reaches the address can use this server."),
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
        typer.Option(metavar="FILE", help="A library of games, made by outflank games build, for the page."),
    ] = "",
    state: Annotated[str, typer.Option(help="The folder that keeps the games; default: one in your home.")] = "",
    host_name: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name that a public server answers to; its address needs none."),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="Trust the X-Forwarded-For header of a proxy at this address."),
    ] = None,
    log: Annotated[str, typer.Option(metavar="FILE", help="The file for warnings; default: standard error.")] = "",
    unsafe: Unsafe = False,
) -> None:
    """Open the board in the browser. Play, analyse, and see how players think.

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
        names=tuple(name.rstrip(".").lower() for name in host_name or ()),
        proxies=tuple(_proxies(proxy or [])),
    )
    _run(settings, listener, open_, Path(log) if log else None)


def _run(settings: "Settings", listener: "Listener", open_page: bool, log: Path | None) -> None:
    from outflank.web.warming import Warming
    from outflank.work.places import cores

    warming = Warming(_show_progress)
    import uvicorn

    from outflank.web.app import application
    from outflank.web.logs import keep_log

    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        keep_log(log)
    except OSError as error:
        raise Fault("serve.log", file=log, why=error.strerror or error) from None
    app = application(settings, max(cores(), 2), warming)
    url = _url(settings.host, settings.port)
    warming.wait_for("board")
    print(f"Outflank is at {url} (Ctrl-C ends it; games are kept in {settings.state})", flush=True)
    for warning in _warnings(settings):
        print(warning, file=sys.stderr, flush=True)
    if open_page:
        threading.Timer(0.5, webbrowser.open, (url,)).start()
    gc.collect()
    gc.freeze()  # what is loaded by now stays: to search through it takes 0.1 s, in which nobody is answered
    with contextlib.suppress(KeyboardInterrupt):  # it is how a server ends, and everything is kept
        uvicorn.Server(_config(app, settings)).run(sockets=[listener])


def _warnings(settings: "Settings") -> list[str]:
    """What the owner of the server should know."""
    warnings = []
    if settings.public:
        names = " or ".join(settings.names) or "no name (--host-name)"
        warnings.append(
            "--public: everybody who can reach this address can play, think and match on this machine, and can open"
            f" a board whose link they know. It is called by its address and by {names}."
        )
    submissions = [name for name, spec in settings.agents.items() if spec.startswith("py:")]
    if submissions:
        from outflank.agents.sandbox import enclosure  # not every system has it

        missing = enclosure.strongest().missing
        if missing:
            warnings.append(f"--unsafe: nothing will {'; or '.join(missing)}, for {', '.join(submissions)}.")
    return warnings


def _show_progress(line: str) -> None:
    """A quiet line at the bottom of a terminal; an empty one takes it away."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()


def _config(app: "FastAPI", settings: "Settings") -> "uvicorn.Config":
    from functools import partial

    import uvicorn

    from outflank.web.door import AT_ONCE, Door, Http, Socket, files_for_connections
    from outflank.web.live import LONGEST_MESSAGE

    door = Door(settings.proxies, files_for_connections())
    return uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
        backlog=AT_ONCE,
        http=partial(Http, door),  # type: ignore[arg-type]
        ws=partial(Socket, door),  # type: ignore[arg-type]
        ws_max_size=LONGEST_MESSAGE * 2,
        ws_per_message_deflate=False,  # messages are small, and packing each costs more than sending it
        ws_ping_interval=20.0,
        timeout_graceful_shutdown=2,
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


def _proxies(addresses: list[str]) -> list[str]:
    from ipaddress import ip_address

    for address in addresses:
        try:
            ip_address(address)
        except ValueError:
            raise Fault("serve.proxy", text=address) from None
    return addresses


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
