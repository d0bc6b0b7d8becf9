"""Monte Carlo tree search in plain objects: the slow truth that the compiled one is tested against.

Given the same position, options and random words it makes the same tree, node for node. It is written from the words
of docs/monte-carlo.md: a node is an object, a result is seen by the player at the root, a pass is no node.
"""

import math
from dataclasses import dataclass, field

import gridboard
from gridboard import Grid

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(word: int) -> int:
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
    return word ^ word >> 31


@dataclass
class Dice:
    """SplitMix64."""

    state: int
    thrown: int = 0

    def below(self, limit: int) -> int:
        self.state = self.state + GOLDEN & WORD
        self.thrown += 1
        return (mix(self.state) >> 32) * limit >> 32


@dataclass
class Node:
    move: int
    ours: bool
    low: int
    high: int
    visits: int = 0
    total: int = 0
    children: "list[Node]" = field(default_factory=list)


@dataclass
class Search:
    """The options by the names of `montecarlo.Options`."""

    own: int
    opp: int
    board: Grid
    reversed: bool
    dice: Dice
    c: float = 0.5
    tree: bool = True
    spread: str = "even"
    draw: str = "half"
    reward: str = "win"
    cut: int = 0
    proven: bool = True

    def __post_init__(self) -> None:
        self.best = len(self.board.squares) if self.reward == "margin" else 1
        self.known: dict[tuple[int, int], dict[int, int]] = {}
        self.root = Node(0, True, -self.best, self.best)
        self.expand(self.root, self.own, self.opp)

    def run(self, playouts: int) -> int:
        """Makes that many simulations, or fewer when the root is proven before; returns how many."""
        for done in range(playouts):
            if self.root.low == self.root.high:
                return done
            self.simulate()
        return playouts

    def simulate(self) -> None:
        node, own, opp = self.root, self.own, self.opp
        path = []
        while True:
            path.append(node)
            node.visits += 1
            if node.low == node.high:
                result = node.low
                break
            if not node.children:
                if node.visits > 1 and self.tree:
                    self.expand(node, own, opp)
                else:
                    result = self.leaf(own, opp, node.ours)
                    break
                if node.low == node.high:
                    result = node.low
                    break
            child = self.select(node)
            own, opp = self.after(own, opp, child.move)
            if child.ours == node.ours:
                own, opp = opp, own
            node = child
        for node in reversed(path):
            self.prove(node)
        for node in reversed(path):
            result = min(max(result, node.low), node.high)
            node.total += result

    def leaf(self, own: int, opp: int, ours: bool) -> int:
        """What a node that is seen for the first time is worth: the result of a random game."""
        return self.result(self.playout(own, opp), ours)

    def select(self, node: Node) -> Node:
        """The child with the greatest UCB1; one never visited is worth more than any other; ties by dice."""
        sign = 1 if node.ours else -1
        sure = node.low if node.ours else -node.high
        before = node.visits - 1  # without the simulation that is under way
        values: list[tuple[float, Node]] = []
        for child in node.children:
            low, high = (child.low, child.high) if node.ours else (-child.high, -child.low)
            if self.proven and high <= sure:
                continue
            if not child.visits:
                values.append((math.inf, child))
                continue
            if not self.tree and self.spread == "even":
                values.append((-child.visits, child))
                continue
            mean = 0.5 + sign * 0.5 / self.best * child.total / child.visits
            if self.proven:
                mean = min(max(mean, 0.5 + 0.5 / self.best * low), 0.5 + 0.5 / self.best * high)
            values.append((mean + self.c * math.sqrt(2 * math.log(before) / child.visits), child))
        best = max(value for value, _ in values)
        tied = [child for value, child in values if value == best]
        return tied[self.dice.below(len(tied))] if len(tied) > 1 else tied[0]

    def expand(self, node: Node, own: int, opp: int) -> None:
        """All children at once, each knowing whose turn it is and, where its game is over, its result."""
        for move in sorted(self.moves(own, opp)):
            theirs, mine = self.after(own, opp, move)
            low, high, ours = -self.best, self.best, not node.ours
            if not self.moves(theirs, mine):
                ours = node.ours
                if not self.moves(mine, theirs):
                    low = high = self.result(self.final_margin(mine, theirs), ours)
            node.children.append(Node(move, ours, low, high))
        self.prove(node)

    def prove(self, node: Node) -> None:
        if self.proven and node.children:
            choose = max if node.ours else min
            node.low = choose(child.low for child in node.children)
            node.high = choose(child.high for child in node.children)

    def playout(self, own: int, opp: int) -> int:
        """The margin for the side to move. `mini-go` stops at depth > 32: after 33 moves; passes are free."""
        sign, depth = 1, 0
        while True:
            moves = self.moves(own, opp)
            if not moves:
                own, opp, sign = opp, own, -sign
                moves = self.moves(own, opp)
                if not moves:
                    return sign * self.final_margin(own, opp)
            if self.cut and depth > self.cut:
                return sign * (own.bit_count() - opp.bit_count())
            own, opp = self.after(own, opp, sorted(moves)[self.dice.below(len(moves))])
            sign, depth = -sign, depth + 1

    def moves(self, own: int, opp: int) -> dict[int, int]:
        if (own, opp) not in self.known:
            self.known[own, opp] = gridboard.moves(own, opp, self.board)
        return self.known[own, opp]

    def after(self, own: int, opp: int, move: int) -> tuple[int, int]:
        return gridboard.play(own, opp, move, self.moves(own, opp)[move])

    def final_margin(self, own: int, opp: int) -> int:
        margin = own.bit_count() - opp.bit_count()
        empties = len(self.board.squares) - (own | opp).bit_count()
        return margin + empties if margin > 0 else margin - empties if margin < 0 else 0

    def result(self, margin: int, ours: bool) -> int:
        """What a margin of the side to move is worth to the player."""
        if ours == self.reversed:
            margin = -margin
        if self.reward == "margin":
            return margin
        if margin == 0:
            return -1 if self.draw == "loss" else 0
        return 1 if margin > 0 else -1


def ucb1(reward: float, nplayout: int, t: int, cval: float) -> float:
    """`mini-go`'s function of this name."""
    return (reward / nplayout) + cval * math.sqrt(2 * math.log(t) / nplayout)
