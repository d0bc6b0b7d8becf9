"""`dynamic`: minimax, or an alpha-beta that provably plays as it does, on a weighted sum of features."""

from outflank.agents.classic import OWN, ByVariant, SearchPlayer, refuse_changes, weights_from
from outflank.board.position import Position
from outflank.heuristics.named import NAMED
from outflank.search.limits import Limit
from outflank.search.trees.search import Algorithm, Ordering

DEPTH = 6


def dynamic(heuristic: str, weights: str, search: Algorithm, ordering: Ordering, **letters: float) -> SearchPlayer:
    """The player; `heuristic` takes one of its parts alone, as its author's tests did; `letters` are the weights of
    the whole sum, p c l m f d."""
    own_plan = plan if search == "alphabeta" else plan_minimax
    if weights != OWN:
        refuse_changes("dynamic", weights, {**letters, "heuristic": heuristic})
        return ByVariant(
            lambda variant: SearchPlayer(
                weights_from(weights, "dynamic", "combined", variant), own_plan, search, ordering
            )
        )
    chosen = NAMED[heuristic]
    if heuristic == "combined":
        chosen = chosen.with_weights({term.name: (letters[term.name[0]],) for term in chosen.terms})
    return SearchPlayer(chosen, own_plan, search, ordering)


def plan(position: Position) -> Limit:
    """A fixed depth: the report prints none."""
    return Limit(depth=DEPTH)


def plan_minimax(position: Position) -> Limit:
    """Without pruning two plies less take as long."""
    return Limit(depth=DEPTH - 2)
