"""`corner-shy`: Reversed Reversi by alpha-beta, with a depth planned from candidates and empties."""

from typing import Literal

from outflank.agents.classic import OWN, SearchPlayer, with_weights
from outflank.board.position import Position
from outflank.heuristics.features import frontier, frontier_contacts, mobility, ray_stable, ray_stable_as_printed
from outflank.heuristics.matrices import MATRICES, Matrix, square_weights
from outflank.heuristics.named import NAMED
from outflank.heuristics.phases import usual_matrix
from outflank.heuristics.weighted import Term, WeightedHeuristic
from outflank.search.limits import Limit
from outflank.search.trees.search import Ordering

SECONDS = 5.0
"""The course's limit for a move, which the plan is made for."""
SOLVE_FROM = 13
"""Empties from which it looks to the end of the game: "big enough to predict until the game is over"."""
PLAN = ((5, 9), (9, 8), (13, 7), (65, 6))
"""Below so many candidates, so many plies. The document says the opposite, which contradicts its own aim of 5 s."""

Counting = Literal["once", "printed"]


def corner_shy(
    squares: float,
    corner: float,
    stable: float,
    frontier: float,
    moves: float,
    counting: Counting,
    weights: str,
    ordering: Ordering,
) -> SearchPlayer:
    """The player with its four weights; `counting=printed` counts stable and frontier discs as its code does."""
    given = {"squares": squares, "stable": stable, "frontier": frontier, "moves": moves}
    if weights != OWN:
        return with_weights(
            weights,
            "corner-shy",
            "corner-shy",
            {**given, "corner": corner, "counting": counting},
            lambda found: SearchPlayer(found, plan, ordering=ordering, matrix=usual_matrix(found)),
        )
    matrix = _with_corner(MATRICES["corner-shy"], corner)
    return SearchPlayer(_heuristic(matrix, given, counting), plan, ordering=ordering, matrix=matrix)


def _with_corner(matrix: Matrix, value: float) -> Matrix:
    rows = [list(row) for row in matrix]
    for row in (0, -1):
        for column in (0, -1):
            rows[row][column] = value
    return tuple(tuple(row) for row in rows)


def _heuristic(matrix: Matrix, weights: dict[str, float], counting: Counting) -> WeightedHeuristic:
    named = NAMED["corner-shy"]
    once = counting == "once"
    return WeightedHeuristic(
        named.name,
        named.summary,
        named.objective,
        (
            Term("squares", square_weights(matrix), (weights["squares"],)),
            Term("stable", ray_stable if once else ray_stable_as_printed, (weights["stable"],)),
            Term("frontier", frontier if once else frontier_contacts, (weights["frontier"],)),
            Term("moves", mobility, (weights["moves"],), turns=False),
        ),
    )


def plan(position: Position) -> Limit:
    """The dynamic depth planning: deep where there is little to look at, to the end near the end, never over 5 s."""
    if position.empties <= SOLVE_FROM:
        return Limit(depth=position.empties, time=SECONDS)
    candidates = len(position.legal_moves)
    return Limit(depth=next(depth for below, depth in PLAN if candidates < below), time=SECONDS)
