"""What a search is allowed, and what it has to say: one `Limit` and one `Report` for every player."""

from dataclasses import dataclass, field

from outflank.errors import Fault

FINISHED = 1e9
"""A finished game is worth this plus its margin to tree searches: every win beats every estimate, a wider one more."""
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
        if self.time is not None and not self.time > 0:
            raise Fault("limit.time", time=self.time)
        for what in ("depth", "nodes", "playouts"):
            value = getattr(self, what)
            if value is not None and value < 1:
                raise Fault("limit.count", what=what, value=value)

    def under(self, outer: "Limit") -> "Limit":
        """This limit, completed by an outer one: what is named here wins, all of it together.

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
    nodes: int = 0
    seconds: float = 0.0
    pv: tuple[int, ...] = ()
    """The line of best play expected, this move first."""
    exact: bool = False
    """True when the score is the proven result of the game."""
    values: dict[int, float] = field(default_factory=dict)
    """The value of each root move that was searched, where the player knows them."""
    text: str = ""
    """Anything else worth showing."""
