"""Minimax and alpha-beta on small trees that are written out, with every step recorded: for lessons and for the page.

The searches that play are in `search.trees`. These two are the same ideas as plain as they can be said: the side to
move at the root takes the maximum, the other side the minimum, and alpha-beta leaves out what cannot change the result.
"""

import math
from collections.abc import Iterator, Sequence, Sized
from dataclasses import asdict, dataclass
from numbers import Real
from random import Random
from typing import Any, Literal, Union, get_args

from outflank.board.position import Position
from outflank.errors import Fault, check_choice

Algorithm = Literal["minimax", "alphabeta"]
Kind = Literal["enter", "leave", "prune"]
Nested = Union[float, Sequence["Nested"]]  # noqa: UP007 (it contains itself)
"""A tree in brackets: a number is a leaf, a list a node with its children."""


@dataclass(frozen=True)
class Node:
    """A node of an example. Its id is its parent's with its own number behind: A, A1, A2, A21, …"""

    id: str
    value: float | None = None
    """A leaf's value; None above the leaves."""
    children: tuple["Node", ...] = ()
    position: Position | None = None
    """What it stands for in the real game."""
    move: int | None = None
    """The move that led to it."""

    def walk(self) -> Iterator["Node"]:
        """The node and all below it, each before its children."""
        yield self
        for child in self.children:
            yield from child.walk()


def tree(nested: Nested, name: str = "A") -> Node:
    """`tree([[3, 12, 8], [2, 4, 6]])`: two choices for us, then three for the other side."""
    if isinstance(nested, int | float | Real):
        return Node(name, float(nested))
    count = len(nested) if isinstance(nested, Sized) and not isinstance(nested, str) else 0
    if not 0 < count < 10:
        raise Fault("lesson.children", node=name, count=count)
    return Node(name, None, tuple(tree(child, f"{name}{index}") for index, child in enumerate(nested, 1)))


def random_tree(depth: int, branching: int, seed: int, largest: int = 20) -> Node:
    """A full tree with random whole numbers at its leaves, for exercises."""
    dice = Random(seed)

    def grown(depth: int) -> Nested:
        return [grown(depth - 1) for _ in range(branching)] if depth else dice.randint(0, largest)

    return tree(grown(depth))


@dataclass(frozen=True)
class Step:
    """One event of a search, in order. Values are the root's view: the side to move there wants them large."""

    kind: Kind
    node: str
    maximizes: bool
    """Whose choice the node is: the maximizing side's or the other's."""
    alpha: float
    """What the maximizing side is sure of already."""
    beta: float
    """What the minimizing side is sure of already. Where alpha reaches beta, the rest cannot matter."""
    value: float | None = None
    """Known when a node is left."""


@dataclass(frozen=True)
class Lesson:
    """A whole search of an example."""

    algorithm: Algorithm
    root: Node
    steps: tuple[Step, ...]
    value: float
    best: str
    """The root's child to choose; the first of equals. A root that is a leaf is its own best."""

    @property
    def values(self) -> dict[str, float]:
        """The value with which each visited node was left; with pruning a bound for some of them."""
        return {step.node: step.value for step in self.steps if step.value is not None}

    @property
    def visited(self) -> list[str]:
        """The nodes that were looked at, in order."""
        return [step.node for step in self.steps if step.kind == "enter"]

    @property
    def pruned(self) -> list[str]:
        """The nodes that were not: each that was cut off, and all below it."""
        nodes = {node.id: node for node in self.root.walk()}
        return [below.id for step in self.steps if step.kind == "prune" for below in nodes[step.node].walk()]

    def _repr_svg_(self) -> str:
        from outflank.search.teaching.picture import drawn

        return drawn(self)

    def data(self) -> dict[str, Any]:
        """For JSON; an infinite bound is null."""
        return {
            "algorithm": self.algorithm,
            "value": self.value,
            "best": self.best,
            "visited": self.visited,
            "pruned": self.pruned,
            "steps": [
                {name: None if value in (-math.inf, math.inf) else value for name, value in asdict(step).items()}
                for step in self.steps
            ],
        }


def search(example: Node | Nested, algorithm: Algorithm) -> Lesson:
    """Searches an example, or a tree in brackets, and records every step."""
    check_choice("algorithm", algorithm, get_args(Algorithm))
    root = example if isinstance(example, Node) else tree(example)
    steps: list[Step] = []
    prunes = algorithm == "alphabeta"

    def visit(node: Node, maximizes: bool, alpha: float, beta: float) -> float:
        steps.append(Step("enter", node.id, maximizes, alpha, beta))
        best = node.value if node.value is not None else -math.inf if maximizes else math.inf
        for index, child in enumerate(node.children):
            value = visit(child, not maximizes, alpha, beta)
            if maximizes:
                best = max(best, value)
                alpha = max(alpha, best) if prunes else alpha
            else:
                best = min(best, value)
                beta = min(beta, best) if prunes else beta
            if prunes and alpha >= beta:
                steps.extend(Step("prune", cut.id, not maximizes, alpha, beta) for cut in node.children[index + 1 :])
                break
        steps.append(Step("leave", node.id, maximizes, alpha, beta, best))
        return best

    value = visit(root, True, -math.inf, math.inf)
    left = {step.node: step.value for step in steps if step.kind == "leave"}
    # A child that was bounded, not valued, is never above the root's value: it can equal it only after the best one.
    best = next((child.id for child in root.children if left.get(child.id) == value), root.id)
    return Lesson(algorithm, root, tuple(steps), value, best)


@dataclass(frozen=True)
class Example:
    """A tree with a name, and what there is to see in it."""

    title: str
    note: str
    root: Node


EXAMPLES: dict[str, Example] = {
    # `phased` prints the first branch's leaves and the other two branches' values; their leaves are ours.
    "three-replies": Example(
        "Minimax (a figure in the report on phased)",
        "The other side picks the lowest value of each branch, 20, 10 and 5, so the first branch is best.",
        tree(
            [
                [[1, 20], [1, 50], [20, 50]],
                [[10, 3], [25, 7], [40, 12]],
                [[30, 9], [5, 2], [6, 45]],
            ]
        ),
    ),
    # `phased` prints the values 3 of A1 and 2 of A21. The other leaves are those of the textbook tree that it follows.
    "no-need-to-look": Example(
        "Alpha-beta (a figure in the same report)",
        "A1 is worth 3. A21 = 2 shows that A2 is worth 2 or less, so A22 and A23 need not be searched.",
        tree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]),
    ),
}
"""The worked examples of the report on `phased`."""
