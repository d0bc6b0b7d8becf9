"""What the parts of a running server share."""

from collections.abc import Callable
from itertools import repeat
from typing import Annotated, Any

from fastapi import Depends, Response
from pydantic import BaseModel
from starlette.requests import HTTPConnection

from outflank.library.games import Library
from outflank.web import thinking
from outflank.web.connections import MESSAGES_A_SECOND, MESSAGES_AT_ONCE, Connections
from outflank.web.elsewhere import Elsewhere, Question
from outflank.web.guard import Buckets
from outflank.web.keeper import Keeper
from outflank.web.lanes import Lanes
from outflank.web.matches import Matches
from outflank.web.players import Players
from outflank.web.rooms import Rooms
from outflank.web.seats import Seats
from outflank.web.settings import Settings
from outflank.web.training import Trainer
from outflank.web.visitors import Visitors
from outflank.web.warming import Warming


class Services:
    """One server's parts."""

    def __init__(self, settings: Settings, cores: int, warming: Warming | None = None) -> None:
        self.settings, self._cores = settings, cores
        self.warming = warming or Warming()
        self.players = Players(settings)
        self.keeper = Keeper(settings.state)
        self.visitors = Visitors(self.keeper.key)
        self.trainer = Trainer(settings.state)
        self.lanes = Lanes(cores)
        self._elsewhere = Elsewhere() if settings.public else None
        """Who has a server for himself would only wait for the process to start."""
        self.seats = Seats()
        self.values = thinking.values if self._elsewhere is None else self._elsewhere.values
        """Who analyses."""
        self.rooms = Rooms(self.keeper, self.lanes, self.players, self.seats, self.values)
        self.matches = Matches(settings.state, self.players)
        self.library = None if settings.library is None else Library(settings.library)
        self.connections = Connections()
        self.messages = Buckets(MESSAGES_A_SECOND, MESSAGES_AT_ONCE)

    def warm_up(self) -> None:
        """Loads the engine as soon as it is compiled, also where others analyse with it."""
        self.warming.wait_for("engine")
        self.prepare(*repeat(thinking.warm_up, self._cores))
        thinking.warm_up()

    def prepare(self, *works: Callable[[], Any]) -> None:
        """Starts processes that answer elsewhere, one for each of these, so that no visitor waits for that."""
        if self._elsewhere is not None:
            for work in works:
                self._elsewhere.prepare(work)

    async def answer(self, visitor: str, work: Callable[..., BaseModel], *arguments: Any) -> Response:
        """What a function of a module answers that may take long in plain Python."""
        question, elsewhere = Question(work, arguments), self._elsewhere
        if elsewhere is None:
            text = await self.lanes.run("slow", visitor, question)
        else:
            text = await self.lanes.run("elsewhere", visitor, lambda: elsewhere.answer(question))
        return Response(text, media_type="application/json")

    async def close(self) -> None:
        self.warming.close()
        await self.matches.close()
        await self.rooms.close()
        self.lanes.close()
        if self._elsewhere is not None:
            self._elsewhere.close()
        self.seats.close()
        self.keeper.close()
        self.trainer.close()
        if self.library is not None:
            self.library.close()


async def the_services(connection: HTTPConnection) -> Services:
    services: Services = connection.app.state.services
    return services


async def the_visitor(connection: HTTPConnection) -> str:
    return (await the_services(connection)).visitors.of(connection)


Server = Annotated[Services, Depends(the_services)]
Visitor = Annotated[str, Depends(the_visitor)]
