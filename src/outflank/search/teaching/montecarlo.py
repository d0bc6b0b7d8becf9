"""Monte Carlo tree search as plain as it can be said, with every playout recorded: for lessons and for the page.

The search that plays is in `search.montecarlo`; this one has its four steps one after the other. Select: from the
root down, the child with the best UCB1. Expand: the first move not tried yet becomes a node. Simulate: a random game
from there. Back-propagate: its result counts for every node on the path.
"""

import math
from dataclasses import dataclass, field
from random import Random

from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.errors import Fault
from outflank.search.teaching.positions import DIGITS


@dataclass
class Branch:
    """A node of the tree. Its mean is the root's view: 1 a win of the side to move there, 0 a draw, -1 a loss."""

    id: str
    position: Position
    move: int | None = None
    born: int = 0
    """The playout that made it; 0 for the root, and the first playout is 1."""
    visits: int = 0
    total: float = 0.0
    children: "list[Branch]" = field(default_factory=list)
    untried: list[int] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return self.total / self.visits if self.visits else 0.0


@dataclass(frozen=True)
class Playout:
    """One round of the four steps."""

    path: tuple[str, ...]
    """The nodes it went through, the root first."""
    ucb: dict[str, float]
    """What UCB1 said of the root's children before it; empty while some of them were untried."""
    expanded: str | None
    result: float


@dataclass(frozen=True)
class Growth:
    """A whole search: its tree at the end, and how it grew."""

    root: Branch
    branches: tuple[Branch, ...]
    """All nodes, in the order of their birth."""
    playouts: tuple[Playout, ...]

    @property
    def best(self) -> Branch:
        """The root's child that was visited most; the first of equals."""
        return max(self.root.children, key=lambda child: child.visits)


def grow(position: Position, playouts: int, c: float, seed: int) -> Growth:
    """Searches a position; the same arguments give the same tree."""
    if position.is_over:
        raise Fault("lesson.game-over")
    dice = Random(seed)
    root = Branch("A", position, untried=_moves(position))
    branches, played = [root], []
    for number in range(1, playouts + 1):
        ucb = {child.id: _ucb(child, root, c, root) for child in root.children} if not root.untried else {}
        path = [root]
        while not path[-1].untried and path[-1].children:
            here = path[-1]
            path.append(max(here.children, key=lambda child: _ucb(child, here, c, root)))
        expanded = None
        if path[-1].untried:
            expanded = _expanded(path[-1], dice, number)
            branches.append(expanded)
            path.append(expanded)
        result = _simulated(path[-1].position, root.position.turn, dice)
        for branch in path:
            branch.visits += 1
            branch.total += result
        played.append(Playout(tuple(branch.id for branch in path), ucb, expanded.id if expanded else None, result))
    return Growth(root, tuple(branches), tuple(played))


def _moves(position: Position) -> list[int]:
    return [] if position.is_over else list(position.legal_moves) or [PASS]


def _ucb(child: Branch, parent: Branch, c: float, root: Branch) -> float:
    """UCB1 for the side that chooses at the parent; results are scaled to 0 … 1 as usual."""
    mine = parent.position.turn is root.position.turn
    value = (1 + (child.mean if mine else -child.mean)) / 2
    return value + c * math.sqrt(2 * math.log(parent.visits) / child.visits)


def _expanded(parent: Branch, dice: Random, number: int) -> Branch:
    move = parent.untried.pop(dice.randrange(len(parent.untried)))
    position = parent.position.play(move)
    child = Branch(parent.id + DIGITS[len(parent.children)], position, move, number, untried=_moves(position))
    parent.children.append(child)
    return child


def _simulated(position: Position, side: Color, dice: Random) -> float:
    while not position.is_over:
        position = position.play(dice.choice(_moves(position)))
    outcome = position.outcome()
    assert outcome is not None
    return 0.0 if outcome.winner is None else 1.0 if outcome.winner is side else -1.0
