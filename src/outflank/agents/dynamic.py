"""`dynamic`: minimax, or an alpha-beta that provably plays as it does, on a weighted sum of features."""

from outflank.agents.classic import OWN, SearchPlayer, plies, with_weights
from outflank.heuristics.named import NAMED
from outflank.search.trees.search import Algorithm, Ordering

DEPTH = 6
"""The report prints none."""
plan, plan_minimax = plies(DEPTH), plies(DEPTH - 2)
"""Without pruning two plies less take as long."""


def dynamic(heuristic: str, weights: str, search: Algorithm, ordering: Ordering, **letters: float) -> SearchPlayer:
    """The player; `heuristic` takes one of its parts alone, as its author's tests did; `letters` are the weights of
    the whole sum, p c l m f d."""
    own_plan = plan if search == "alphabeta" else plan_minimax
    if weights != OWN:
        given = {**letters, "heuristic": heuristic}
        return with_weights(
            weights, "dynamic", "combined", given, lambda found: SearchPlayer(found, own_plan, search, ordering)
        )
    chosen = NAMED[heuristic]
    if heuristic == "combined":
        chosen = chosen.with_weights({term.name: (letters[term.name[0]],) for term in chosen.terms})
    return SearchPlayer(chosen, own_plan, search, ordering)
