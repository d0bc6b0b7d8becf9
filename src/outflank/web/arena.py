"""The interface for matches, and for the tournaments in stores that the server's owner opened to the page."""

import asyncio
import sqlite3
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Query, Response, WebSocket

from outflank.arena.contest import Player
from outflank.arena.match import KIND, stored_match
from outflank.arena.store import Event, Store
from outflank.arena.tournament import Tournament
from outflank.web.matches import Running, game_data
from outflank.web.players import Players, without_folders
from outflank.web.routes import REFUSALS
from outflank.web.schemas import GamesPlayed, MatchAsked, MatchOut, MatchStarted, Stores
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
        raise HTTPException(404, "there is no such match")
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
            await socket.close(NOT_FOUND, "there is no such match")
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
        raise HTTPException(404, "there is no such store")
    try:
        return Store.existing(path)
    except (ValueError, sqlite3.Error):
        raise HTTPException(404, "this store is not there any more") from None


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
        raise HTTPException(404, "there is no such match or tournament")
    return event


@router.get("/stores/{store}/events/{event}")
async def event_report(server: Server, visitor: Visitor, store: StoreId, event: EventId) -> dict[str, Any]:
    """The result of a match, or the table of a tournament."""
    return await server.lanes.run("slow", visitor, lambda: _report(server, store, event))


def _report(server: Services, store: str, number: int) -> dict[str, Any]:
    with _opened(server, store) as opened:
        event = _event(opened, number)
        if event.kind == KIND:
            data = stored_match(opened, event).to_dict()
        else:
            data = Tournament.stored(opened, event).standings().to_dict()
    shown: dict[str, Any] = _shown({"kind": event.kind, **data}, server.players)
    return shown


def _shown(data: Any, players: Players) -> Any:
    """The data with every spec as a page may see it."""
    if isinstance(data, dict):
        return {key: _shown(value, players) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_shown(value, players) for value in data]
    return players.shown(data) if isinstance(data, str) else data


@router.get("/stores/{store}/events/{event}/games")
async def event_games(
    server: Server,
    visitor: Visitor,
    store: StoreId,
    event: EventId,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    player: Annotated[str | None, Query(max_length=400)] = None,
) -> GamesPlayed:
    """The games of a match or tournament, to be replayed."""
    found = await server.lanes.run("slow", visitor, lambda: _games(server, store, event, offset, limit, player))
    return GamesPlayed.model_validate(found)


def _games(server: Services, store: str, number: int, offset: int, limit: int, player: str | None) -> dict[str, Any]:
    with _opened(server, store) as opened:
        event = _event(opened, number)
        members = [Player(*one) for one in event.plan["players"]]
        of = None if player is None else [one for one in members if server.players.shown(one.spec) == player]
        games = opened.games(event.contest, members, of, offset, limit)
        return {
            "total": opened.count(event.contest, members, of),
            "games": [game_data(game, server.players) for game in games],
        }
