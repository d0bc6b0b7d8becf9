"""Openings and the masters' games: what is known of a position, by name and by what was played in it."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field, StrictInt

from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.library.exploring import explored
from outflank.library.games import Wanted
from outflank.library.openings import Opening
from outflank.web.beginnings import game_of
from outflank.web.faults import NotFoundError
from outflank.web.routes import REFUSALS
from outflank.web.schemas import Color as ColorName
from outflank.web.schemas import GameAsked, GameOver, Points, Request
from outflank.web.services import Server, Visitor

GAMES_SHOWN = 10
PLAYERS_SHOWN = 12
NAME = 80
"""Characters of a player's name that are looked for."""

router = APIRouter(prefix="/api", responses=REFUSALS)


Year = Annotated[StrictInt, Field(ge=1, le=9999)]


class WantedGames(Request):
    """Which games of the library are asked about: a player's, as Black or White or both, and those of some years."""

    player: str = Field(default="", max_length=NAME)
    color: ColorName | None = None
    since: Year | None = None
    until: Year | None = None

    def wanted(self) -> Wanted:
        color = None if self.color is None else Color[self.color.upper()]
        return Wanted(self.player, color, self.since, self.until)


class ExploreAsked(GameAsked):
    games: WantedGames = WantedGames()


class TallyOut(Points):
    """How games ended for the side to move."""

    games: int
    years: tuple[int | None, int | None]


class MovePlayed(TallyOut):
    moves: list[str]
    """One move, or those of a symmetric position that are the same one."""
    opening: str | None


class LibraryGame(GameOver):
    """A game, turned so that it comes through the position asked about as it stands."""

    id: int
    ply: int
    """After how many of the moves it does."""
    event: str
    year: int | None
    decided: bool
    opening: str | None


class Explored(TallyOut):
    position: str
    opening: Opening | None
    moves: list[MovePlayed]
    latest: list[LibraryGame]


@router.post("/explore")
async def explore(asked: ExploreAsked, server: Server, visitor: Visitor) -> Explored:
    """The name of a position's opening and, if the server has a library, what was played in it."""

    def found() -> Explored:
        game = game_of(Variant.named(asked.variant), asked.start, asked.moves)
        return Explored.model_validate(explored(game, server.library, GAMES_SHOWN, asked.games.wanted()))

    return await server.lanes.run("quick", visitor, found)


class LibraryPlayer(BaseModel):
    name: str
    games: int


@router.get("/players")
async def players(
    server: Server, visitor: Visitor, name: Annotated[str, Query(min_length=1, max_length=NAME)]
) -> list[LibraryPlayer]:
    """The library's players whose names contain a text, most games first."""
    library = server.library
    if library is None:
        raise NotFoundError("web.no-library")
    found = await server.lanes.run("quick", visitor, lambda: library.players(name, PLAYERS_SHOWN))
    return [LibraryPlayer(name=each, games=games) for each, games in found]
