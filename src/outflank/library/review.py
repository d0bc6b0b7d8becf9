"""Review of a game: what each move cost, and which were blunders. The judge is any search that values all moves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from outflank.arena import turning
from outflank.arena.turning import NOTICEABLE, Cost
from outflank.board.game import Node
from outflank.board.position import Position
from outflank.board.squares import PASS, Color

Mark = Literal["inaccuracy", "mistake", "blunder"]
MARKS: tuple[tuple[float, Mark], ...] = ((10.0, "blunder"), (6.0, "mistake"), (NOTICEABLE, "inaccuracy"))
"""Discs thrown away from which a move is called so."""


@dataclass(frozen=True)
class Judgement:
    """What a search says of a position's moves, each for the side to move."""

    values: Mapping[int, float]
    exact: frozenset[int] = frozenset()
    """The moves whose values are proven."""
    lines: Mapping[int, tuple[int, ...]] | None = None
    depth: int = 0
    in_discs: bool = True
    """Whether the values are discs: only then losses have names."""

    @property
    def best(self) -> int:
        """The move of the best value; the lowest square of equals."""
        return max(self.values, key=lambda move: (self.values[move], -move))


@dataclass(frozen=True)
class Reviewed:
    """A move of a game and what it was worth, for its mover."""

    node: Node
    value: float
    """The best that could be had."""
    played: float
    best: int
    best_line: tuple[int, ...]
    exact: bool
    depth: int
    in_discs: bool

    @property
    def loss(self) -> float:
        return max(self.value - self.played, 0.0)

    @property
    def mark(self) -> Mark | None:
        if not self.in_discs:
            return None
        return next((mark for least, mark in MARKS if self.loss >= least), None)

    @property
    def black(self) -> float:
        """What the move left for Black."""
        return self.played if self.node.mover is Color.BLACK else -self.played


def review(line: Sequence[Node], judge: Callable[[Position], Judgement]) -> Iterator[Reviewed]:
    """Judges the moves of a line, the last one first: what is known of the end helps before it.

    Forced passes and moves without a choice of value (nothing was said of them) are left out.
    """
    for node in reversed(line):
        if node.parent is None or node.move is None or node.move == PASS:
            continue
        judged = judge(node.parent.position)
        if node.move not in judged.values:
            continue
        best = judged.best
        lines = judged.lines or {}
        yield Reviewed(
            node,
            judged.values[best],
            judged.values[node.move],
            best,
            lines.get(best, (best,)),
            {best, node.move} <= judged.exact,
            judged.depth,
            judged.in_discs,
        )


def turning_point(moves: Sequence[Reviewed], winner: Color | None) -> Reviewed | None:
    """The move that decided a game, or None: by the arena's rule."""
    costs = [_cost(each) for each in moves]
    number = turning.turning_point(costs, winner)
    return None if number is None else moves[number]


def _cost(each: Reviewed) -> Cost | None:
    mover = each.node.mover
    return None if mover is None else Cost(mover, each.value, each.played, each.loss, each.exact or bool(each.mark))
