"""The messages that a page may send over a board's WebSocket, typed."""

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt, TypeAdapter

from outflank.web.schemas import NewGame, PersonName, Request, Sides


class Said(Request):
    ref: StrictInt | None = None


class Plain(Said):
    type: Literal["undo", "redo", "pause", "resume", "force", "swap", "resign", "decline", "stop", "ping"]


class Move(Said):
    type: Literal["move"]
    move: str = Field(max_length=4)
    at: StrictInt | None = None


class Goto(Said):
    type: Literal["goto"]
    node: StrictInt


class Turn(Said):
    type: Literal["turn"]
    symmetry: StrictInt = Field(ge=0, le=7)


class Pace(Said):
    type: Literal["pace"]
    seconds: float = Field(ge=0, le=10, allow_inf_nan=False)


class Sit(Said):
    """Takes the free seat at a board that one was invited to."""

    type: Literal["sit"]
    name: PersonName


class Players(Sides, Said):
    type: Literal["players"]


class New(NewGame, Said):
    type: Literal["new"]


class Analyse(Said):
    type: Literal["analyse"]
    node: StrictInt | None = None
    seconds: float = Field(default=5.0, gt=0, le=120, allow_inf_nan=False)
    level: StrictInt | None = Field(default=None, ge=1, le=30)


class ReviewLine(Said):
    type: Literal["review"]
    seconds: float = Field(default=0.5, gt=0, le=10, allow_inf_nan=False)
    again: StrictBool = True
    """Whether moves are judged again that were."""


Message = Plain | Move | Goto | Turn | Pace | Sit | Players | New | Analyse | ReviewLine
READER: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="type")])
