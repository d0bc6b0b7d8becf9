"""What the parts of a running server share."""

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from outflank.library.games import Library
from outflank.web.beginnings import Beginnings
from outflank.web.connections import Connections
from outflank.web.guard import visitor_of
from outflank.web.keeper import Keeper
from outflank.web.lanes import Lanes
from outflank.web.matches import Matches
from outflank.web.players import Players
from outflank.web.rooms import Rooms
from outflank.web.seats import Seats
from outflank.web.settings import Settings


@dataclass
class Services:
    """One server's parts."""

    settings: Settings
    keeper: Keeper
    lanes: Lanes
    players: Players
    beginnings: Beginnings
    rooms: Rooms
    seats: Seats
    matches: Matches
    library: Library | None
    connections: Connections = field(default_factory=Connections)

    @classmethod
    def open(cls, settings: Settings, cores: int) -> "Services":
        players = Players(settings)
        keeper = Keeper(settings.state)
        lanes = Lanes(cores)
        beginnings = Beginnings(players, lanes)
        seats = Seats()
        rooms = Rooms(keeper, lanes, players, beginnings, seats)
        library = None if settings.library is None else Library(settings.library)
        matches = Matches(settings.state, players)
        return cls(settings, keeper, lanes, players, beginnings, rooms, seats, matches, library)

    async def close(self) -> None:
        await self.matches.close()
        await self.rooms.close()
        self.lanes.close()
        self.seats.close()
        self.keeper.close()
        if self.library is not None:
            self.library.close()


async def the_services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


async def the_visitor(request: Request) -> str:
    return visitor_of(request.headers.get("cookie"), request.client.host if request.client else "")


Server = Annotated[Services, Depends(the_services)]
Visitor = Annotated[str, Depends(the_visitor)]
