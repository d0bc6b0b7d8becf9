"""What a line of the analysis protocol says: a query or an action, typed and checked, with its id."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.protocols.faults import wrong_form
from outflank.search.limits import Limit

Id = str | int
LONGEST_ID, LARGEST_ID = 200, 1 << 53
MOST_SECONDS = 1e6

Seconds = Annotated[float, Field(allow_inf_nan=False, le=MOST_SECONDS)]
Identity = Annotated[Any, Field()]
"""Checked by hand: a union of kinds would be refused in words that nobody understands."""


class Asked(BaseModel):
    """Nothing but the fields that are known: a name misspelt must not pass for a default."""

    model_config = ConfigDict(extra="forbid")
    id: Identity


class Query(Asked):
    """A question about one or several positions of a game."""

    variant: Annotated[str, Field(max_length=40)] | None = None
    start: Annotated[str, Field(max_length=200)] | None = None
    moves: Annotated[str, Field(max_length=2000)] = ""
    turns: Annotated[list[StrictInt], Field(min_length=1, max_length=200)] | None = None
    want: Literal["moves", "best", "exact", "winner"] = "moves"
    time: Annotated[Seconds, Field(gt=0)] | None = None
    depth: StrictInt | None = Field(default=None, ge=1, le=60)
    nodes: StrictInt | None = Field(default=None, ge=1, le=LARGEST_ID)
    level: StrictInt | None = Field(default=None, ge=1, le=30)
    top: StrictInt | None = Field(default=None, ge=1, le=64)
    every: Annotated[Seconds, Field(ge=0)] | None = None
    priority: StrictInt = Field(default=0, ge=-LARGEST_ID, le=LARGEST_ID)

    @property
    def limit(self) -> Limit:
        return Limit(time=self.time, depth=self.depth, nodes=self.nodes)


class Terminate(Asked):
    action: Literal["terminate"]
    target: Identity


class Plain(Asked):
    action: Literal["terminate_all", "version"]


Line = Query | Terminate | Plain
ACTIONS: dict[object, type[Line]] = {
    None: Query,
    "terminate": Terminate,
    "terminate_all": Plain,
    "version": Plain,
}


@dataclass(frozen=True)
class Wrong:
    """A line that cannot be followed: why, and its id where it has one."""

    id: Id | None
    why: Fault


def read(text: str) -> Line | Wrong:
    """What a line says."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        return Wrong(None, Fault("analysis.not-an-object"))
    identity = said.get("id")
    if not _is_id(identity):
        return Wrong(None, Fault("analysis.id", field="id", most=LONGEST_ID))
    try:
        return _checked(said)
    except ValidationError as error:
        return Wrong(identity, wrong_form(error.errors(include_url=False, include_input=False)))
    except Fault as error:
        return Wrong(identity, error)


def _checked(said: dict[str, Any]) -> Line:
    action = said.get("action")
    kind = ACTIONS.get(action) if isinstance(action, str) or action is None else None
    if kind is None or (action is None and "action" in said):
        known = ", ".join(f"'{name}'" for name in ACTIONS if name)
        raise Fault("form.wrong", where="action", why=Fault("form.choice", expected=known))
    moves = said.get("moves")
    if isinstance(moves, list) and all(isinstance(move, str) for move in moves):
        said = {**said, "moves": " ".join(moves)}
    line = kind.model_validate(said)
    if isinstance(line, Query) and line.want in ("exact", "winner"):
        for field in ("depth", "nodes", "level"):
            if getattr(line, field) is not None:
                raise Fault("analysis.no-limit", field=field, want=line.want)
    if isinstance(line, Terminate) and not _is_id(line.target):
        raise Fault("analysis.id", field="target", most=LONGEST_ID)
    return line


def _is_id(value: object) -> bool:
    if isinstance(value, str):
        return len(value) <= LONGEST_ID
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_ID


def positions(query: Query, variant: Variant) -> dict[int, Position]:
    """The positions that are asked about, by how many moves were played before them; passes do not count."""
    rules = Variant.named(query.variant) if query.variant else variant
    start = Position.from_text(query.start, rules) if query.start else Position.start(rules)
    game = Game.from_transcript(query.moves, start)
    reached = [game.start]
    for node in game.line:
        if node.move == PASS:
            reached[-1] = node.position
        else:
            reached.append(node.position)
    turns = [len(reached) - 1] if query.turns is None else query.turns
    for turn in turns:
        if not 0 <= turn < len(reached):
            raise Fault("analysis.turn", turn=turn, most=len(reached) - 1)
    return {turn: reached[turn] for turn in turns}
