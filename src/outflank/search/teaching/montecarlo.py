"""Monte Carlo tree search as plain as it can be said, with every playout recorded: for lessons and for the page.

The search that plays is in `search.montecarlo`; this one has its four steps one after the other. Select: from the
root down, the child with the best UCB1. Expand: the first move not tried yet becomes a node. Simulate: a random game
from there. Back-propagate: its result counts for every node on the path.

With advice it is AlphaZero's search: PUCT selects, by the chance that the advice gives each move, and in place of a
random game the advice says what the position is worth.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.errors import Fault
from outflank.search.teaching.positions import DIGITS

Advice = Callable[[Position], tuple[float, Mapping[int, float]]]
"""What the side to move can expect in a position, -1 to 1, and the chance of each of its moves."""


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
    chance: float | None = None
    """That of its move, where there is advice."""
    chances: Mapping[int, float] = field(default_factory=dict)
    """Those of the moves from here."""
    worth: float = 0.0
    """What the advice says of the position."""

    @property
    def mean(self) -> float:
        return self.total / self.visits if self.visits else 0.0


@dataclass(frozen=True)
class Playout:
    """One round of the four steps."""

    path: tuple[str, ...]
    """The nodes it went through, the root first."""
    ucb: dict[str, float]
    """What UCB1 or PUCT said of the root's children before it; of UCB1 empty while some of them were untried."""
    expanded: str | None
    end: Position
    """Where the random game ended; with advice the position that was valued."""
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


def grow_with(position: Position, playouts: int, c: float, advice: Advice, doubt: float) -> Growth:
    """Searches a position as AlphaZero does. A move that was not tried counts as its parent's mean less `doubt`."""
    if position.is_over:
        raise Fault("lesson.game-over")
    root = _advised(Branch("A", position), advice)
    branches, played = [root], []
    for number in range(1, playouts + 1):
        scores = {child.id: _puct(root, child.move or 0, child, c, doubt, root) for child in root.children}
        path, expanded = [root], None
        while expanded is None and path[-1].chances:
            here = path[-1]
            known = {child.move: child for child in here.children}
            # What PUCT takes for equal, as all of a new node's moves, goes by the advice alone.
            move = max(
                here.chances, key=lambda one: (_puct(here, one, known.get(one), c, doubt, root), here.chances[one])
            )
            if move not in known:
                name = here.id + DIGITS[len(here.children)]
                expanded = Branch(name, here.position.play(move), move, number, chance=here.chances[move])
                here.children.append(_advised(expanded, advice))
                branches.append(expanded)
            path.append(known.get(move) or here.children[-1])
        last = path[-1]
        mine = last.position.turn is position.turn
        over = last.position.is_over
        result = _result(last.position, position.turn) if over else last.worth if mine else -last.worth
        for branch in path:
            branch.visits += 1
            branch.total += result
        born = expanded.id if expanded else None
        played.append(Playout(tuple(branch.id for branch in path), scores, born, last.position, result))
    return Growth(root, tuple(branches), tuple(played))


def _advised(branch: Branch, advice: Advice) -> Branch:
    if not branch.position.is_over:
        branch.worth, chances = advice(branch.position)
        branch.chances = {PASS: 1.0} if branch.position.must_pass else chances
    return branch


def _puct(parent: Branch, move: int, child: Branch | None, c: float, doubt: float, root: Branch) -> float:
    """PUCT for the side that chooses at the parent."""
    sign = 1 if parent.position.turn is root.position.turn else -1
    mean, visits = (parent.mean * sign - doubt, 0) if child is None else (child.mean * sign, child.visits)
    return mean + c * parent.chances[move] * math.sqrt(parent.visits) / (1 + visits)


def grow(position: Position, playouts: int, c: float, seed: int) -> Growth:
    """Searches a position by UCB1 and random games; the same arguments give the same tree."""
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
        end = _simulated(path[-1].position, dice)
        result = _result(end, root.position.turn)
        for branch in path:
            branch.visits += 1
            branch.total += result
        played.append(Playout(tuple(branch.id for branch in path), ucb, expanded.id if expanded else None, end, result))
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


def _simulated(position: Position, dice: Random) -> Position:
    while not position.is_over:
        position = position.play(dice.choice(_moves(position)))
    return position


def _result(position: Position, side: Color) -> float:
    outcome = position.outcome()
    assert outcome is not None
    return 0.0 if outcome.winner is None else 1.0 if outcome.winner is side else -1.0
