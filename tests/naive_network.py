"""Tree search with an evaluator in plain objects: leaves in batches, losses lent while they wait.

It is the guided search of `naive_guided` with the walk of docs/network.md: a leaf gets its children with its answer.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import naive_guided
from naive_guided import WIN
from naive_montecarlo import Node

Opinion = Callable[[int, int], tuple[Sequence[float], float]]
"""Logits of all squares (0 to 63) and a value, for the side to move."""


@dataclass
class Walk:
    path: list[Node]
    own: int
    opp: int


@dataclass
class Search(naive_guided.Search):
    opinion: Opinion = field(default=lambda own, opp: ([0.0] * 64, 0.0))
    batch: int = 1
    asked: int = 0

    def chances(self, own: int, opp: int) -> list[float]:
        logits, _ = self.opinion(own, opp)
        return naive_guided.softmax([logits[move] for move in sorted(self.moves(own, opp))])

    def run(self, playouts: int) -> int:
        """So many simulations, fewer where the root is proven before; the root has its children already."""
        self.asked = 1
        started = done = 0
        while True:
            waiting: list[Walk] = []
            met: list[Walk] = []
            while len(waiting) < self.batch and len(met) < self.batch and started < playouts:
                if self.root.low == self.root.high:
                    break
                started += 1
                walk = self.descend()
                leaf = walk.path[-1]
                if leaf.low == leaf.high:
                    self.ascend(walk, leaf.low)
                    done += 1
                elif any(leaf is other.path[-1] for other in waiting):
                    met.append(walk)
                else:
                    waiting.append(walk)
            if not waiting:
                return done
            self.asked += 1
            for walk in met:
                self.take_back(walk)
            started -= len(met)
            for walk in waiting:
                leaf = walk.path[-1]
                self.expand(leaf, walk.own, walk.opp)
                _, value = self.opinion(walk.own, walk.opp)
                worth = min(max(math.floor(WIN * min(max(value, -1.0), 1.0) + 0.5), 1 - WIN), WIN - 1)
                self.ascend(walk, worth if leaf.ours else -worth)
                done += 1

    def descend(self) -> Walk:
        node, own, opp = self.root, self.own, self.opp
        path: list[Node] = []
        while True:
            path.append(node)
            node.visits += 1
            if node.low == node.high or not node.children:
                return Walk(path, own, opp)
            child = self.select(node)
            child.total -= WIN if node.ours else -WIN
            own, opp = self.after(own, opp, child.move)
            if child.ours == node.ours:
                own, opp = opp, own
            node = child

    def ascend(self, walk: Walk, result: int) -> None:
        for node in reversed(walk.path):
            self.prove(node)
        for depth in range(len(walk.path) - 1, -1, -1):
            node = walk.path[depth]
            result = min(max(result, node.low), node.high)
            node.total += result
            if depth:
                node.total += WIN if walk.path[depth - 1].ours else -WIN

    def take_back(self, walk: Walk) -> None:
        for depth, node in enumerate(walk.path):
            node.visits -= 1
            if depth:
                node.total += WIN if walk.path[depth - 1].ours else -WIN
