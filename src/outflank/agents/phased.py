"""`phased`: negamax alpha-beta, moves sorted by square weight, an evaluation in three phases."""

from dataclasses import replace

from outflank.agents.classic import OWN, SearchPlayer, with_weights
from outflank.board.position import Position
from outflank.errors import Fault
from outflank.heuristics.named import NAMED
from outflank.heuristics.phases import usual_matrix
from outflank.heuristics.weighted import Term, WeightedHeuristic
from outflank.search.limits import Limit
from outflank.search.trees.search import Ordering

SECONDS = 5.0
"""The course's limit for a move: whatever happens, it answers in time, from the last depth that it finished."""
EARLY, LATE = 20, 50
"""Discs, of 64, between which the middle game lies."""
DEPTH_EARLY, DEPTH_MIDDLE = 8, 7
MIDDLE_PHASE = 1
LARGEST_WEIGHT = 1e6


def phased(
    weighting: str, liberty: str, stable: str, potential: str, phases: bool, weights: str, ordering: Ordering
) -> SearchPlayer:
    """The player; each term can be left out (no) or weighted otherwise (40, or 1/40/30 for the three phases), and
    `phases=no` keeps the middle phase's weights all through."""
    if weights != OWN:
        given = {"weighting": weighting, "liberty": liberty, "stable": stable, "potential": potential, "phases": phases}
        return with_weights(
            weights,
            "phased",
            "phased",
            given,
            lambda found: SearchPlayer(found, plan, ordering=ordering, matrix=usual_matrix(found)),
        )
    wanted = {"weighting": weighting, "liberty": liberty, "stable": stable, "potential liberty": potential}
    heuristic = NAMED["phased"]
    terms = (replace(term, weights=_weights(wanted[term.name], term)) for term in heuristic.terms)
    heuristic = replace(heuristic, terms=tuple(term for term in terms if any(term.weights)))
    if not heuristic.terms:
        raise Fault("phased.no-terms")
    if not phases:
        heuristic = _without_phases(heuristic)
    return SearchPlayer(heuristic, plan, ordering=ordering, matrix="phased")


def _weights(text: str, term: Term) -> tuple[float, ...]:
    """The weights that an option asks for: `yes` for the printed ones, `no` for none, or numbers by phase."""
    if text in ("yes", "no"):
        return term.weights if text == "yes" else (0.0,) * len(term.weights)
    try:
        weights = tuple(float(number) for number in text.split("/"))
    except ValueError:
        weights = ()
    if len(weights) not in (1, len(term.weights)) or not all(abs(weight) <= LARGEST_WEIGHT for weight in weights):
        raise Fault("phased.term", term=term.name, text=text)
    return weights * (len(term.weights) // len(weights))


def _without_phases(heuristic: WeightedHeuristic) -> WeightedHeuristic:
    terms = tuple(replace(term, weights=(term.weights[MIDDLE_PHASE],)) for term in heuristic.terms)
    return replace(heuristic, terms=terms, phases=())


def plan(position: Position) -> Limit:
    """Its getDepth: deeper at the beginning and the end, where there are fewer moves than in the middle."""
    discs = (position.black | position.white).bit_count() * 64 // position.variant.square_count
    if discs >= LATE:
        return Limit(depth=position.empties, time=SECONDS)
    return Limit(depth=DEPTH_EARLY if discs < EARLY else DEPTH_MIDDLE, time=SECONDS)
