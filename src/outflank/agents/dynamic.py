"""`dynamic`, seed 004: minimax, or an alpha-beta that provably plays as it does, on a weighted sum of features."""

from outflank.agents.classic import SearchPlayer
from outflank.board.position import Position
from outflank.evaluation.named import NAMED
from outflank.search.limits import Limit
from outflank.search.treesearch import Algorithm, Ordering

DEPTH = 6


def dynamic(heuristic: str, search: Algorithm, ordering: Ordering, **weights: float) -> SearchPlayer:
    """The player; `heuristic` takes one of its parts alone, as its author's tests did; `weights` are those of the
    whole sum by their letters, p c l m f d."""
    chosen = NAMED[heuristic]
    if heuristic == "combined":
        chosen = chosen.with_weights({term.name: (weights[term.name[0]],) for term in chosen.terms})
    return SearchPlayer(chosen, plan if search == "alphabeta" else plan_minimax, search, ordering)


def plan(position: Position) -> Limit:
    """A fixed depth: the document prints none."""
    return Limit(depth=DEPTH)


def plan_minimax(position: Position) -> Limit:
    """Without pruning two plies less take as long."""
    return Limit(depth=DEPTH - 2)
