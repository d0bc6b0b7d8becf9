"""`outflank heuristics`: the heuristics that have a name, and what they are made of."""

from typing import TYPE_CHECKING, Any

from outflank.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from outflank.evaluation.weighted import Term, WeightedHeuristic

GAMES = {"most": "made for most discs", "fewest": "made for fewest discs"}
SIGN_CHANGES = {"most": "changes sign where fewest discs win", "fewest": "changes sign where most discs win"}
COMBINATIONS = {
    "difference": "difference",
    "share": "larger side's share",
    "own": "own side only",
    "unless-both": "difference, or {both:g} when both have some",
}


def heuristics(json: AsJson = False) -> None:
    """List the heuristics by name: the game each was made for, its terms and their weights.

    Example: outflank heuristics
    """
    from outflank.evaluation.named import HEURISTICS

    if json:
        print_json([_data(heuristic) for heuristic in HEURISTICS])
    else:
        print("\n\n".join(_text(heuristic) for heuristic in HEURISTICS))


def _data(heuristic: "WeightedHeuristic") -> dict[str, Any]:
    from outflank.evaluation.explanation import feature_name

    terms = [
        {
            "name": term.name,
            "feature": feature_name(term),
            "weights": list(term.weights),
            "scale": term.scale,
            "combination": term.combination,
            "changes_sign": term.turns,
        }
        for term in heuristic.terms
    ]
    return {
        "name": heuristic.name,
        "objective": heuristic.objective,
        "summary": heuristic.summary,
        "phases": list(heuristic.phases),
        "terms": terms,
    }


def _text(heuristic: "WeightedHeuristic") -> str:
    lines = [f"{heuristic.name:12}  {heuristic.summary} ({GAMES[heuristic.objective]})"]
    if heuristic.phases:
        first, *others = heuristic.phases
        phases = " / ".join([f"below {first} discs", *(f"from {begin}" for begin in (first, *others))])
        lines.append(f"  weights: {phases}, on 64 squares")
    names = max(len(term.name) for term in heuristic.terms)
    weights = [_weights(term) for term in heuristic.terms]
    width = max(map(len, weights))
    for term, weight in zip(heuristic.terms, weights, strict=True):
        how = COMBINATIONS[term.combination].format(both=term.both)
        sign = f"; {SIGN_CHANGES[heuristic.objective]}" if term.turns else ""
        lines.append(f"  {term.name:{names}}  {weight:>{width}}  {how}{sign}")
    return "\n".join(lines)


def _weights(term: "Term") -> str:
    scale = "" if term.scale == 1 else f" × {term.scale:g}"
    return " / ".join(f"{weight:g}" for weight in term.weights) + scale
