"""`self-taught`: minimax, alpha-beta or iterative deepening on its evaluations 1, 2 and 3."""

from dataclasses import replace
from typing import Literal

from outflank.agents.classic import LEARNT, ByVariant, SearchPlayer, plies, weights_from
from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.heuristics.matrices import Matrix, as_matrix, square_weights
from outflank.heuristics.named import NAMED, both_have_corners
from outflank.heuristics.phases import usual_matrix
from outflank.heuristics.weighted import WeightedHeuristic
from outflank.search.limits import Limit
from outflank.search.trees.search import Ordering

DEPTH = 6
SOLVE_FROM = 10
plan_minimax = plies(DEPTH - 2)
"""Without pruning two plies less take as long."""

VERSIONS = {"version-1": "self-taught", "version-2": LEARNT}
"""The report has two versions of the piece values and prints the numbers of neither. It began with a set and learnt the
other by matches: here the table made by hand, and the one that we learnt."""
PRINTED = "printed"
AS_PRINTED = {"1": "version-1", "2": "version-2", "3": "version-2"}
"""Which of them each evaluation has: the report's table says so for 1 and 2, the code of 3 calls `PieceValue2`."""

Search = Literal["minimax", "alphabeta", "iterative"]


def self_taught(evaluation: str, search: Search, values: str, ordering: Ordering) -> SearchPlayer:
    """The player; `values` names the table of piece values, and `weight` orders moves by it, as in the report."""
    values = VERSIONS.get(AS_PRINTED[evaluation] if values == PRINTED else values, values)
    if values == LEARNT or values.endswith(".json"):
        return ByVariant(lambda variant: _player(evaluation, search, _learnt_values(values, variant), ordering))
    return _player(evaluation, search, as_matrix(values), ordering)


def _learnt_values(values: str, variant: Variant) -> Matrix:
    """The learnt table, as it would be for most discs: the evaluations turn it themselves."""
    heuristic = weights_from(values, "self-taught", "evaluation-3", variant)
    sign = 1.0 if heuristic.objective == "most" else -1.0
    return tuple(tuple(sign * value for value in row) for row in usual_matrix(heuristic))


def _player(evaluation: str, search: Search, values: Matrix, ordering: Ordering) -> SearchPlayer:
    return SearchPlayer(
        _with_values(NAMED[f"evaluation-{evaluation}"], values),
        plan_minimax if search == "minimax" else plan,
        "minimax" if search == "minimax" else "alphabeta",
        ordering,
        matrix=values,
        deepening=search == "iterative",
    )


def _with_values(heuristic: WeightedHeuristic, values: Matrix) -> WeightedHeuristic:
    """An evaluation with another table; the fixed bonus of evaluation 3 is a multiple of one of its values, too."""
    pieces, both = square_weights(values), both_have_corners(values)
    terms = tuple(
        replace(term, feature=pieces) if term.name == "piece values" else replace(term, both=both)
        for term in heuristic.terms
    )
    return replace(heuristic, terms=terms)


def plan(position: Position) -> Limit:
    """A fixed depth, and the end of the game when it is near."""
    return Limit(depth=position.empties if position.empties <= SOLVE_FROM else DEPTH)
