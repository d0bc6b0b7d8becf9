"""What a board knows of its moves beyond the game itself: who made them, what that player thought, what a review says.

Every note can be kept as plain data, and turned with its board.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from math import inf, isfinite
from typing import Any

from outflank.board.squares import square_name
from outflank.library.judging import JudgedMove, Mark
from outflank.search.limits import Report

Named = Callable[[str], str]
LONGEST_LINE = 12
"""Moves of the line that a player expects which are kept."""


@dataclass(frozen=True)
class Review:
    """What a review found out about a move."""

    value: float
    loss: float
    best: str
    best_line: tuple[str, ...]
    exact: bool
    depth: int
    unit: str
    mark: Mark | None
    black: float
    selectivity: int | None = None
    """How sure each cut of the search was, in per cent."""

    @classmethod
    def of(cls, found: JudgedMove) -> "Review":
        line = tuple(map(square_name, found.best_line))
        best, mark = square_name(found.best), found.mark
        return cls(
            found.value, found.loss, best, line, found.exact, found.depth, "discs", mark, found.black, found.selectivity
        )

    def moved(self, named: Named) -> "Review":
        """The same with other names for the squares."""
        return replace(self, best=named(self.best), best_line=tuple(map(named, self.best_line)))


@dataclass(frozen=True)
class Candidate:
    """What a player knew of a move that it could have made: its value, and how often it was tried."""

    move: str
    value: float | None
    visits: int | None


@dataclass(frozen=True)
class Thought:
    """How a player came to its move, beside its score and depth."""

    nodes: int
    """Positions looked at, or playouts."""
    selectivity: int | None
    pv: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    """The best first."""

    @classmethod
    def of(cls, report: Report) -> "Thought":
        values = {move: value for move, value in report.values.items() if isfinite(value)}  # JSON has no infinity
        known = {move: values.get(move) for move in {**values, **report.visits}}
        ranked = sorted(known, key=lambda move: (-report.visits.get(move, 0), -values.get(move, -inf), move))
        return cls(
            report.nodes,
            report.selectivity,
            tuple(square_name(move) for move in report.pv[:LONGEST_LINE]),
            tuple(Candidate(square_name(move), known[move], report.visits.get(move)) for move in ranked),
        )

    def moved(self, named: Named) -> "Thought":
        """The same with other names for the squares."""
        candidates = tuple(replace(one, move=named(one.move)) for one in self.candidates)
        return replace(self, pv=tuple(map(named, self.pv)), candidates=candidates)

    def data(self) -> list[Any]:
        known = [[one.move, one.value, one.visits] for one in self.candidates]
        return [self.nodes, self.selectivity, " ".join(self.pv), known]

    @classmethod
    def from_data(cls, row: list[Any]) -> "Thought":
        nodes, selectivity, pv, known = row
        return cls(nodes, selectivity, tuple(pv.split()), tuple(Candidate(*one) for one in known))


@dataclass(frozen=True)
class Note:
    """What a board knows about a node beyond the game itself."""

    by: str | None = None
    exact: bool = False
    depth: int | None = None
    unit: str = "discs"
    clocks: tuple[float, float] | None = None
    """What both sides had left after the move."""
    review: Review | None = None
    thought: Thought | None = None

    def moved(self, named: Named) -> "Note":
        """The same with other names for the squares."""
        review, thought = self.review, self.thought
        return replace(self, review=review and review.moved(named), thought=thought and thought.moved(named))

    def data(self) -> list[Any]:
        """A row, in the order of the fields: every move writes those of the whole game."""
        review = None if self.review is None else asdict(self.review)
        row = [self.by, self.exact, self.depth, self.unit, self.clocks, review]
        return row if self.thought is None else [*row, self.thought.data()]

    @classmethod
    def from_data(cls, row: list[Any]) -> "Note":
        by, exact, depth, unit, clocks, review, *more = row
        return cls(
            by,
            exact,
            depth,
            unit,
            None if clocks is None else (clocks[0], clocks[1]),
            None if review is None else Review(**{**review, "best_line": tuple(review["best_line"])}),
            Thought.from_data(more[0]) if more else None,
        )
