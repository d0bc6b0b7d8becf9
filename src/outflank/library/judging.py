"""The judge of moves: what a position is worth, what each move of a game cost, and where the game turned.

There are two ways to ask. `review` wants the values of all moves of a position, from one search, and so knows each
cost as well as that search does: for one game that somebody looks at. A `Judge` values each position of a game by its
best move alone, so that a move costs what is lost from one position to the next: for thousands of games, and for
whoever wants what is proven.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

from outflank.board.game import Game, Node
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.search.engine.engine import STRONG, Engine, Hint
from outflank.search.engine.levels import Level
from outflank.search.engine.solver import DEFAULT_MEGABYTES, Solver
from outflank.search.limits import Limit, Report

NOTICEABLE = 3.0
"""Discs from which a loss that is only estimated is one: less is within what another depth would say."""
Mark = Literal["inaccuracy", "mistake", "blunder"]
MARKS: tuple[tuple[float, Mark], ...] = ((10.0, "blunder"), (6.0, "mistake"), (NOTICEABLE, "inaccuracy"))
"""Discs thrown away from which a move is called so."""
SIGNS: dict[Mark | None, str] = {"blunder": "??", "mistake": "?", "inaccuracy": "?!", None: ""}
"""What people write after a move."""
REMEMBERED = 200_000
"""Positions that a judge remembers: games between players that never vary begin alike."""


@dataclass(frozen=True)
class Cost:
    """What a move was worth, in discs for its mover."""

    mover: Color
    value: float
    """The best that could be had."""
    played: float
    """What the move left."""
    exact: bool
    """Whether both are proven."""

    @property
    def loss(self) -> float:
        return max(self.value - self.played, 0.0)

    @property
    def mark(self) -> Mark | None:
        return next((mark for least, mark in MARKS if self.loss >= least), None)

    @property
    def black(self) -> float:
        """What the move left for Black."""
        return self.played if self.mover is Color.BLACK else -self.played


def turning_point(costs: Sequence[Cost | None], winner: Color | None) -> int | None:
    """Which of the moves decided a game, or None: of the loser's moves that gave away a position in which he was not
    behind the costliest, and where there is none the costliest of all. The first of equals. A small loss that is not
    proven is no loss; moves of which nothing is known are None."""
    if winner is None:
        return None
    loser = winner.other
    his = [(number, cost) for number, cost in enumerate(costs) if cost is not None and cost.mover is loser]
    costly = [(number, cost) for number, cost in his if cost.loss >= NOTICEABLE or (cost.exact and cost.loss > 0)]
    crossing = [(number, cost) for number, cost in costly if cost.value >= 0 > cost.played]
    return max(crossing or costly, key=lambda one: one[1].loss, default=(None, None))[0]


# All moves of a position


def values_of_moves(
    engine: Engine,
    position: Position,
    limit: Limit,
    level: Level = STRONG,
    progress: Callable[[list[Hint]], None] | None = None,
) -> list[Hint]:
    """The values of a position's moves that can be compared with each other, best first; none where the limit was too
    short for any.

    A pass that was cut off has looked deeper for some moves than for others, and an odd depth sees other values than
    an even one; so only whole passes count, and those to the end, which prove what they say.
    """
    latest: list[Hint] = []

    def hear(found: list[Hint]) -> None:
        if found[0].depth and len({hint.depth for hint in found if not hint.exact}) <= 1:
            latest[:] = [hint for hint in found if hint.depth]
            if progress is not None:
                progress(list(latest))

    engine.hints(position, limit, level=level, progress=hear)
    return latest


def least_sure(hints: Iterable[Hint]) -> int | None:
    """The lowest selectivity among values, in per cent."""
    return min((hint.selectivity for hint in hints if hint.selectivity is not None), default=None)


@dataclass(frozen=True)
class JudgedMove(Cost):
    """A move of a game, what it was worth, and what was better; the lowest square of equals."""

    node: Node
    best: int
    best_line: tuple[int, ...]
    depth: int
    selectivity: int | None = None
    """Of the least sure of the position's values."""


def review(line: Sequence[Node], values: Callable[[Position], Sequence[Hint]]) -> Iterator[JudgedMove]:
    """Judges the moves of a line, the last one first: what is known of the end helps before it.

    Forced passes, and moves of which the search said nothing, are left out.
    """
    for node in reversed(line):
        if node.parent is None or node.move is None or node.move == PASS:
            continue
        position = node.parent.position
        hints = {hint.move: hint for hint in values(position)}
        played = hints.get(node.move)
        if played is None:
            continue
        best = max(hints.values(), key=lambda hint: (hint.score, -hint.move))
        yield JudgedMove(
            *(position.turn, best.score, played.score, best.exact and played.exact),
            *(node, best.move, best.pv, min(hint.depth for hint in hints.values())),
            selectivity=least_sure(hints.values()),
        )


# The best move of each position


class Valued(NamedTuple):
    """A position's best move and its value for the side to move; None if the judge gave none."""

    move: int
    score: float | None
    exact: bool


@dataclass(frozen=True)
class GameValues:
    """A game's values in discs, from Black's view, one for each position: before each move (passes are no moves here)
    and at the end. `best` has the judge's choice before each move, and from position `exact_from` on the values are
    proven."""

    values: tuple[float | None, ...]
    best: tuple[int, ...]
    exact_from: int

    def to_text(self) -> str:
        return json.dumps([self.values, self.best, self.exact_from], separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> "GameValues":
        values, best, exact_from = json.loads(text)
        return cls(tuple(values), tuple(best), exact_from)

    def costs(self, movers: Sequence[Color], moves: Sequence[int]) -> list[Cost | None]:
        """What each move gave away; None where that is not known. The judge's own choice costs nothing, whatever it
        thinks of the position that follows."""
        found: list[Cost | None] = []
        steps = zip(pairwise(self.values), movers, moves, self.best, strict=True)
        for number, ((before, after), mover, move, best) in enumerate(steps):
            if before is None or after is None:
                found.append(None)
                continue
            played = before if move == best else after
            sign = 1 if mover is Color.BLACK else -1
            found.append(Cost(mover, sign * before, sign * played, number >= self.exact_from))
        return found


class Judge:
    """Values positions: from `solved_from` empties on by the solver, exactly, before that by a search. Without a
    search everything is solved."""

    def __init__(
        self,
        search: Callable[[Position], Report] | None = None,
        solved_from: int = 0,
        hash_mb: float = DEFAULT_MEGABYTES,
    ) -> None:
        self._search = search
        self._solved_from = solved_from
        self._hash_mb = hash_mb
        self._known: dict[Position, Valued] = {}

    @cached_property
    def _solver(self) -> Solver:
        return Solver(self._hash_mb)

    def position(self, position: Position) -> Valued:
        """The best move of a position, and its value."""
        if position not in self._known:
            search = self._search if position.empties > self._solved_from else None
            report = self._solver.solve(position) if search is None else search(position)
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[position] = Valued(report.move, report.score, search is None and report.exact)
        return self._known[position]

    def move(self, position: Position, move: int) -> float | None:
        """The value of a move, for its mover."""
        after = self.position(position.play(move)).score
        return None if after is None else 0.0 - after

    def game(self, game: Game) -> GameValues:
        """The values of a game's positions."""
        values: list[float | None] = []
        best: list[int] = []
        exact_from = 0
        for before, after in pairwise([game.root, *game.line]):
            if after.move == PASS:
                continue
            move, score, exact = self.position(before.position)
            if not exact:
                exact_from = len(values) + 1
            values.append(None if score is None else round(-score if before.position.turn else score, 1))
            best.append(move)
        outcome = game.outcome()
        values.append(None if outcome is None or outcome.score is None else float(outcome.score))
        return GameValues(tuple(values), tuple(best), exact_from)
