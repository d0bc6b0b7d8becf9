"""Openings and the masters' games: what is known of a position, by name and by what was played in it."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from outflank.board.variant import Variant
from outflank.library.exploring import explored
from outflank.web.beginnings import game_of
from outflank.web.routes import REFUSALS
from outflank.web.schemas import BoardText, Request, Transcript, VariantName
from outflank.web.services import Server, Visitor

GAMES_SHOWN = 10

router = APIRouter(prefix="/api", responses=REFUSALS)


class ExploreAsked(Request):
    """A game; what is asked about is the position in which it stands."""

    variant: VariantName = "othello"
    start: BoardText | None = None
    moves: Transcript = ""


class TallyOut(BaseModel):
    """How games ended for the side to move: `score` in points a game, `margin` in discs."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float | None
    margin: float | None
    years: list[int | None]


class MovePlayed(TallyOut):
    moves: list[str]
    """One move, or those of a symmetric position that are the same one."""
    opening: str | None


class OpeningOut(BaseModel):
    name: str
    aliases: list[str]
    line: str


class LibraryGame(BaseModel):
    id: int
    variant: str
    start: str | None
    moves: str
    black: str
    white: str
    event: str
    year: int | None
    decided: bool
    winner: Literal["black", "white"] | None
    score: int | None
    opening: str | None


class Explored(TallyOut):
    position: str
    opening: OpeningOut | None
    moves: list[MovePlayed]
    latest: list[LibraryGame]


@router.post("/explore")
async def explore(asked: ExploreAsked, server: Server, visitor: Visitor) -> Explored:
    """What is known of a position: its opening's name and, where the server has a library, what was played."""

    def found() -> Explored:
        game = game_of(Variant.named(asked.variant), asked.start, asked.moves)
        return Explored.model_validate(explored(game, server.library, GAMES_SHOWN))

    return await server.lanes.run("quick", visitor, found)
