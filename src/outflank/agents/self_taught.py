"""`self-taught`, seed 003: minimax, alpha-beta or iterative deepening on its evaluations 1, 2 and 3."""

from dataclasses import replace
from typing import Literal

from outflank.agents.classic import SearchPlayer
from outflank.board.position import Position
from outflank.evaluation.named import NAMED
from outflank.evaluation.square_weights import square_weights
from outflank.search.limits import Limit
from outflank.search.treesearch import Ordering

DEPTH = 6
SOLVE_FROM = 10

Search = Literal["minimax", "alphabeta", "iterative"]


def self_taught(evaluation: str, search: Search, values: str, ordering: Ordering) -> SearchPlayer:
    """The player; `values` names the table of piece values, and `weight` orders moves by it, as in the seed."""
    heuristic = NAMED[f"evaluation-{evaluation}"]
    pieces = square_weights(values)
    terms = tuple(replace(term, feature=pieces) if term.name == "piece values" else term for term in heuristic.terms)
    return SearchPlayer(
        replace(heuristic, terms=terms),
        plan_minimax if search == "minimax" else plan,
        "minimax" if search == "minimax" else "alphabeta",
        ordering,
        matrix=values,
        deepening=search == "iterative",
    )


def plan(position: Position) -> Limit:
    """A fixed depth, and the end of the game when it is near."""
    return Limit(depth=position.empties if position.empties <= SOLVE_FROM else DEPTH)


def plan_minimax(position: Position) -> Limit:
    """Without pruning two plies less take as long."""
    return Limit(depth=DEPTH - 2)
