"""Guided tree search in plain objects: the slow truth that the compiled one is tested against.

It is the plain Monte Carlo of `naive_montecarlo` with a chance for every move, PUCT, and a value in place of a random
game. Patterns are read square by square.
"""

import math
from dataclasses import dataclass, field

import naive_montecarlo
from naive_montecarlo import Node

from outflank.patterns.guides import Guide
from outflank.patterns.shapes import require_patterns

WIN = 127
STEPS = 16383


def logits(table: list[int], guide: Guide, own: int, opp: int) -> float:
    """The sum of the weights that a board's patterns point to, in logits, `own` being digit 1 and `opp` digit 2."""
    total = 0
    for pattern in require_patterns(guide.variant).patterns:
        for place in pattern.places:
            number = sum(
                (own >> square & 1 or 2 * (opp >> square & 1)) * 3**digit for digit, square in enumerate(place)
            )
            total += int(table[pattern.offset + number])
    return total / 1024


def stage(guide: Guide, own: int, opp: int) -> int:
    return min(((own | opp).bit_count() - 4) // 4, len(guide.values) - 1)


def worth(guide: Guide, own: int, opp: int) -> float:
    """What the side to move expects, -1 to 1."""
    return math.tanh(logits(guide.values[stage(guide, own, opp)], guide, own, opp) / 2)


def softmax(values: list[float]) -> list[float]:
    powers = [math.exp(value - max(values)) for value in values]
    return [power / sum(powers) for power in powers]


@dataclass
class GuidedNode(Node):
    prior: float = 0.0
    children: "list[GuidedNode]" = field(default_factory=list)  # type: ignore[assignment]


@dataclass
class Search(naive_montecarlo.Search):
    guide: Guide | None = None
    doubt: float = 0.0

    def __post_init__(self) -> None:
        self.best = WIN
        self.known = {}
        self.root = GuidedNode(0, True, -WIN, WIN)
        self.expand(self.root, self.own, self.opp)

    def chances(self, own: int, opp: int) -> list[float]:
        moves = sorted(self.moves(own, opp))
        if self.guide is None:
            return [1 / len(moves)] * len(moves)
        table = self.guide.policies[stage(self.guide, own, opp)]
        found = []
        for move in moves:
            theirs, mine = self.after(own, opp, move)
            found.append(logits(table, self.guide, mine, theirs))
        return softmax(found)

    def expand(self, node: Node, own: int, opp: int) -> None:
        assert isinstance(node, GuidedNode)
        for move, chance in zip(sorted(self.moves(own, opp)), self.chances(own, opp), strict=True):
            theirs, mine = self.after(own, opp, move)
            low, high, ours = -WIN, WIN, not node.ours
            if not self.moves(theirs, mine):
                ours = node.ours
                if not self.moves(mine, theirs):
                    low = high = WIN * self.result(self.final_margin(mine, theirs), ours)
            node.children.append(GuidedNode(move, ours, low, high, prior=math.floor(chance * STEPS + 0.5) / STEPS))
        self.prove(node)

    def leaf(self, own: int, opp: int, ours: bool) -> int:
        if self.guide is None:
            return WIN * self.result(self.playout(own, opp), ours)
        value = min(max(math.floor(WIN * worth(self.guide, own, opp) + 0.5), 1 - WIN), WIN - 1)
        return value if ours else -value

    def select(self, node: Node) -> Node:
        """The child with the greatest PUCT; ties by dice."""
        sign = 1 if node.ours else -1
        sure = node.low if node.ours else -node.high
        before = node.visits - 1  # without the simulation that is under way
        unseen = (sign * node.total / before / WIN if before else 0.0) - self.doubt
        values: list[tuple[float, Node]] = []
        for child in node.children:
            assert isinstance(child, GuidedNode)
            low, high = (child.low, child.high) if node.ours else (-child.high, -child.low)
            if high <= sure:
                continue
            mean = sign * child.total / child.visits / WIN if child.visits else unseen
            if (low, high) != (-WIN, WIN):
                mean = min(max(mean, low / WIN), high / WIN)
            values.append((mean + self.c * math.sqrt(before) * child.prior / (1 + child.visits), child))
        best = max(value for value, _ in values)
        tied = [child for value, child in values if value >= best - 1e-12]
        return tied[self.dice.below(len(tied))] if len(tied) > 1 else tied[0]
