"""What a search is allowed, and what it found: one `Limit` and one `Report` for every player."""

import math
from dataclasses import dataclass, field
from numbers import Real
from operator import index
from typing import SupportsIndex

from outflank.errors import Fault

FINISHED = 1e9
"""A finished game is worth this plus its margin inside a tree search: every win beats every estimate, a wider one more.
No report has it in: see `Report.decided`."""
WIDEST = 64
"""The widest margin there is: a heuristic may well return more than `FINISHED`."""
NO_LIMIT = (1 << 63) - 1
"""More nodes or playouts than any search gets to."""


@dataclass(frozen=True)
class Clock:
    """A game clock as the side to move sees it, in seconds."""

    remaining: float
    increment: float = 0.0


@dataclass(frozen=True)
class Limit:
    """What bounds one decision; None leaves a measure free. The first bound reached ends the search."""

    time: float | None = None
    """Seconds for this move."""
    clock: Clock | None = None
    depth: int | None = None
    nodes: int | None = None
    playouts: int | None = None

    def __post_init__(self) -> None:
        if self.time is not None and not (isinstance(self.time, Real) and self.time > 0):
            raise Fault("limit.time", time=self.time)
        for what in ("depth", "nodes", "playouts"):
            value = getattr(self, what)
            if value is not None and not (isinstance(value, SupportsIndex) and index(value) >= 1):
                raise Fault("limit.count", what=what, value=value)
            if value is not None:
                object.__setattr__(self, what, index(value))  # also one of NumPy's

    def under(self, outer: "Limit") -> "Limit":
        """This limit, or the outer one where this one names nothing.

        A player told `depth=4` in its spec plays at depth 4 also where the command says `--time 1`.
        """
        return self if self != UNLIMITED else outer


UNLIMITED = Limit()
"""Leaves every measure free."""


@dataclass(frozen=True)
class Report:
    """A player's decision and what it knows about it."""

    move: int
    """The square chosen; 64 is a pass."""
    score: float | None = None
    """The side to move's view, higher is better under the objective; discs or the heuristic's units."""
    depth: int = 0
    """Plies that were looked ahead, of the last iteration that was finished."""
    nodes: int = 0
    seconds: float = 0.0
    pv: tuple[int, ...] = ()
    """The line of best play expected, this move first."""
    exact: bool = False
    """True when the score is the proven result of the game."""
    selectivity: int | None = None
    """Of a search that prunes by likelihood: how sure each of its cuts was, in per cent; 100 where it left nothing out.
    Depth alone does not say how far a value can be trusted: 21 plies at 73 % reach the end and prove nothing."""
    decided: bool = False
    """True when the score is the margin, in discs, of an end of the game that the search has seen: it stands above or
    below every estimate, whatever the heuristic's units are. Not `exact`: another line may have been better still."""
    values: dict[int, float] = field(default_factory=dict)
    """The value of each root move that was searched, where the player knows them."""
    visits: dict[int, int] = field(default_factory=dict)
    """How often each root move was tried, where the player counts that."""
    text: str = ""
    """Anything else worth showing."""

    @property
    def rank(self) -> float:
        """A number to compare scores of one search by, though some are results and others estimates."""
        score = self.score or 0.0
        return score + math.copysign(FINISHED, score) if self.decided and score else score


def without_finish(value: float) -> tuple[float, bool]:
    """A tree search's value as people read it, and whether it is a result: then it is the margin alone.

    A draw is worth 0, which an estimate may be as well: it is not told apart.
    """
    if not 0 < abs(value) - FINISHED <= WIDEST:
        return value, False
    return value - math.copysign(FINISHED, value), True


def certainty(depth: int, selectivity: int | None, exact: bool) -> str:
    """How far a value can be trusted, in a word or two: `exact`, `depth 21 at 73 %`, `depth 6`."""
    if exact:
        return "exact"
    return f"depth {depth}" + ("" if selectivity in (None, 100) else f" at {selectivity} %")
