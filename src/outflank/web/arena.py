"""The interface for matches, and for the tournaments in stores that the server's owner opened to the page."""

import asyncio
import sqlite3
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response, WebSocket

from outflank.arena.match import KIND
from outflank.arena.report.data import game_detail, overview
from outflank.arena.store import Event, Store
from outflank.web.faults import NotFoundError, without_folders
from outflank.web.matches import Running
from outflank.web.players import Names
from outflank.web.routes import REFUSALS
from outflank.web.schemas import GameDetail, MatchAsked, MatchOut, MatchStarted, ReportOut, Stores
from outflank.web.services import Server, Services, Visitor
from outflank.web.viewers import encoded

OWN = "matches"
"""The store of the matches that were run from the page."""
EVENTS_SHOWN = 200
router = APIRouter(prefix="/api", responses=REFUSALS)
MatchId = Annotated[str, Path(max_length=40)]
StoreId = Annotated[str, Path(max_length=8)]
EventId = Annotated[int, Path(ge=0, le=2**53)]


# Matches


@router.post("/matches", status_code=201)
async def start_match(asked: MatchAsked, server: Server, visitor: Visitor) -> MatchStarted:
    """Begins a match of two players."""
    return MatchStarted(id=server.matches.start(asked, visitor).id)


@router.get("/matches/{match}")
async def match_standing(server: Server, match: MatchId) -> MatchOut:
    """How a match stands."""
    return MatchOut.model_validate(server.matches.find(match).data)


@router.delete("/matches/{match}", status_code=204)
async def stop_match(server: Server, match: MatchId) -> Response:
    """Stops a match; what was played stays."""
    server.matches.stop(server.matches.find(match))
    return Response(status_code=204)


@router.websocket("/matches/{match}/live")
async def match_live(socket: WebSocket, match: str, server: Server, visitor: Visitor) -> None:
    """The standing now and whenever it changes."""
    async with server.connections.accepted(socket, visitor):
        await _follow(socket, server.matches.find(match))


async def _follow(socket: WebSocket, running: Running) -> None:
    gone = asyncio.create_task(_until_gone(socket))
    try:
        while not gone.done():
            news = running.changed
            data = running.data
            await socket.send_text(encoded(data))
            if not data["running"]:
                await socket.close()
                return
            waiting = asyncio.create_task(news.wait())
            await asyncio.wait([waiting, gone], return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
    except RuntimeError:
        pass  # it went while we sent
    finally:
        gone.cancel()


async def _until_gone(socket: WebSocket) -> None:
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


# Stores


@router.get("/stores")
async def stores(server: Server, visitor: Visitor) -> Stores:
    """The stores that the owner opened, and what is in them."""
    return Stores.model_validate({"stores": await server.lanes.run("slow", visitor, lambda: _stores(server))})


def _paths(server: Services) -> dict[str, FilePath]:
    """The stores by their ids: those that the owner named, and the page's own matches where there are any."""
    paths = {str(number): path for number, path in enumerate(server.settings.stores)}
    if server.matches.file.is_file():
        paths[OWN] = server.matches.file
    return paths


def _stores(server: Services) -> list[dict[str, Any]]:
    listed = []
    for identity, path in _paths(server).items():
        with _opened(path) as store:
            events = [_event_data(store, event) for event in store.events()[-EVENTS_SHOWN:]]
        listed.append({"id": identity, "name": OWN if identity == OWN else path.name, "events": events})
    return listed


def _path(server: Services, identity: str) -> FilePath:
    path = _paths(server).get(identity)
    if path is None:
        raise NotFoundError("web.no-store")
    return path


def _opened(path: FilePath) -> Store:
    try:
        return Store.existing(path)
    except (ValueError, sqlite3.Error):
        raise NotFoundError("web.store-gone") from None


def _event_data(store: Store, event: Event) -> dict[str, Any]:
    players = [spec for spec, _ in event.plan["players"]]
    conditions, _ = store.conditions(event.contest)
    title = " – ".join(players) if event.kind == KIND else f"{len(players)} players, {event.plan['format']}"
    return {
        "id": event.id,
        "kind": event.kind,
        "title": without_folders(title),
        "variant": conditions.variant.name,
        "players": len(players),
        "opened": event.opened,
    }


def _event(store: Store, number: int) -> Event:
    event = next((one for one in store.events() if one.id == number), None)
    if event is None:
        raise NotFoundError("web.no-event")
    return event


@router.get("/stores/{store}/events/{event}", response_model=ReportOut)
async def event_report(server: Server, visitor: Visitor, store: StoreId, event: EventId) -> Response:
    """The standing and the games of a match or tournament."""
    return await server.answer(visitor, report, _path(server, store), event, server.players.names)


def report(path: FilePath, number: int, names: Names) -> ReportOut:
    """Of an event in a store; there may be many thousand games in it."""
    with _opened(path) as opened:
        found = overview(opened, _event(opened, number))
    return ReportOut.model_validate({"summary": _shown(found.summary, names), "games": found.games})


def _shown(data: Any, names: Names) -> Any:
    """The data with every spec as a page may see it."""
    if isinstance(data, dict):
        return {key: _shown(value, names) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_shown(value, names) for value in data]
    return names.shown(data) if isinstance(data, str) else data


@router.get("/stores/{store}/events/{event}/games/{game}")
async def event_game(server: Server, visitor: Visitor, store: StoreId, event: EventId, game: EventId) -> GameDetail:
    """The moves of a game, by its id, with its players' values."""
    path = _path(server, store)
    return await server.lanes.run("quick", visitor, lambda: _game(path, event, game))


def _game(path: FilePath, event: int, game: int) -> GameDetail:
    with _opened(path) as opened:
        found = game_detail(opened, _event(opened, event), game)
    if found is None:
        raise NotFoundError("web.no-game")
    return GameDetail.model_validate(found)
