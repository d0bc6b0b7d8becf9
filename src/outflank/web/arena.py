"""The interface for matches, and for the tournaments in stores that the server's owner opened to the page."""

import asyncio
import sqlite3
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response, WebSocket

from outflank.arena.match import KIND
from outflank.arena.report.data import game_detail, overview
from outflank.arena.store import Event, Store
from outflank.errors import Fault
from outflank.web.faults import NotFoundError, without_folders
from outflank.web.matches import Running
from outflank.web.players import Players
from outflank.web.routes import REFUSALS
from outflank.web.schemas import GameDetail, MatchAsked, MatchOut, MatchStarted, ReportOut, Stores
from outflank.web.services import Server, Services, Visitor
from outflank.web.viewers import encoded

NOT_FOUND = 4404
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


def _match(server: Services, identity: str) -> Running:
    match = server.matches.find(identity)
    if match is None:
        raise NotFoundError("web.no-match")
    return match


@router.get("/matches/{match}")
async def match_standing(server: Server, match: MatchId) -> MatchOut:
    """How a match stands."""
    return MatchOut.model_validate(_match(server, match).data)


@router.delete("/matches/{match}", status_code=204)
async def stop_match(server: Server, match: MatchId) -> Response:
    """Stops a match; what was played stays."""
    _match(server, match)
    server.matches.stop(match)
    return Response(status_code=204)


@router.websocket("/matches/{match}/live")
async def match_live(socket: WebSocket, match: str) -> None:
    """The standing now and whenever it changes."""
    services: Services = socket.app.state.services
    async with services.connections.accepted(socket) as visitor:
        if visitor is None:
            return
        running = services.matches.find(match)
        if running is None:
            await socket.close(NOT_FOUND, str(Fault("web.no-match")))
            return
        await _follow(socket, running)


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
        with _opened(server, identity) as store:
            events = [_event_data(store, event) for event in store.events()[-EVENTS_SHOWN:]]
        listed.append({"id": identity, "name": OWN if identity == OWN else path.name, "events": events})
    return listed


def _opened(server: Services, identity: str) -> Store:
    path = _paths(server).get(identity)
    if path is None:
        raise NotFoundError("web.no-store")
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
    }


def _event(store: Store, number: int) -> Event:
    event = next((one for one in store.events() if one.id == number), None)
    if event is None:
        raise NotFoundError("web.no-event")
    return event


@router.get("/stores/{store}/events/{event}")
async def event_report(server: Server, visitor: Visitor, store: StoreId, event: EventId) -> ReportOut:
    """A match or a tournament as it stands, and who met whom in its games."""
    return await server.lanes.run("slow", visitor, lambda: _report(server, store, event))


def _report(server: Services, store: str, number: int) -> ReportOut:
    with _opened(server, store) as opened:
        found = overview(opened, _event(opened, number))
    return ReportOut.model_validate({"summary": _shown(found.summary, server.players), "games": found.games})


def _shown(data: Any, players: Players) -> Any:
    """The data with every spec as a page may see it."""
    if isinstance(data, dict):
        return {key: _shown(value, players) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_shown(value, players) for value in data]
    return players.shown(data) if isinstance(data, str) else data


@router.get("/stores/{store}/events/{event}/games/{game}")
async def event_game(server: Server, visitor: Visitor, store: StoreId, event: EventId, game: EventId) -> GameDetail:
    """The moves of a game, by its id, with what its players said of them."""
    return await server.lanes.run("quick", visitor, lambda: _game(server, store, event, game))


def _game(server: Services, store: str, event: int, game: int) -> GameDetail:
    with _opened(server, store) as opened:
        found = game_detail(opened, _event(opened, event), game)
    if found is None:
        raise NotFoundError("web.no-game")
    return GameDetail.model_validate(found)
