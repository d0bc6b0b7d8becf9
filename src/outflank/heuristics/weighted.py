"""A heuristic as data: a weighted sum of features, by phase of the game.

Because its terms are data they can be shown (`outflank explain`), changed and learnt; because the sum is turned into
source text and compiled, it runs as fast as one written by hand.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Literal

from outflank.board.compiled import callback, uint64
from outflank.board.kernels import count
from outflank.board.variant import Objective, Variant
from outflank.errors import Fault
from outflank.heuristics.compiling import SIGNATURE
from outflank.heuristics.heuristic import Heuristic

Feature = Callable[[int, int, int], float]
"""One side's count of something: `feature(own, opp, board)`, compiled."""
Combination = Literal["difference", "share", "own", "unless-both"]

# How the two sides' counts become one number for the side to move.
COMBINATIONS: dict[Combination, str] = {
    "difference": "mine - theirs",
    # `dynamic`: the larger side's share, signed; nothing when equal, which also guards 0 / 0.
    "share": "mine / (mine + theirs) if mine > theirs else -theirs / (mine + theirs) if mine < theirs else 0.0",
    "own": "mine",
    # `self-taught`: a fixed value once both sides have some.
    "unless-both": "both if mine >= 1.0 and theirs >= 1.0 else mine - theirs",
}


@cache
def _rule(combination: Combination) -> Any:
    return compile(COMBINATIONS[combination], "<combination>", "eval")


@dataclass(frozen=True)
class Term:
    """A feature in a weighted sum. `weights` has one weight, or one for each phase."""

    name: str
    feature: Feature
    weights: tuple[float, ...]
    combination: Combination = "difference"
    scale: float = 1.0
    turns: bool = True
    """Whether it changes sign under the other objective: discs, corners and stability do, mobility does not."""
    both: float = 0.0
    """The value that `unless-both` takes when both sides have some."""

    def combined(self, mine: float, theirs: float) -> float:
        rule = _rule(self.combination)
        return self.scale * float(eval(rule, {"mine": mine, "theirs": theirs, "both": self.both}))

    def counting(self, index: int) -> list[str]:
        """What a function's text needs before the rule of the combination: both sides' counts."""
        theirs = [f"    theirs = float(feature{index}(opp, own, board))"] if self.combination != "own" else []
        return [f"    mine = float(feature{index}(own, opp, board))", *theirs]

    def sign(self, made_for: Objective, variant: Variant) -> float:
        return -1.0 if self.turns and made_for != variant.objective else 1.0


@dataclass(frozen=True)
class Line:
    """One feature of a position. A heuristic written as a function has no weights to show: then they are None."""

    name: str
    own: float
    """What the side to move has."""
    opp: float
    """What the other side has."""
    counts: float | None = None
    """The two as one number, before it is weighted: their difference, or as the term's combination says."""
    weight: float | None = None
    """In this phase and under this objective."""
    share: float | None = None
    """Its part of the value."""


@dataclass(frozen=True)
class WeightedHeuristic(Heuristic):
    """A sum of terms. `phases` are the disc counts, of 64, at which the next of a term's weights begins to count."""

    name: str
    summary: str
    objective: Objective
    terms: tuple[Term, ...]
    phases: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for term in self.terms:
            if len(term.weights) not in (1, len(self.phases) + 1):
                raise Fault(
                    "heuristic.weight-count",
                    heuristic=self.name,
                    term=term.name,
                    phases=len(self.phases) + 1,
                    count=len(term.weights),
                )

    def phase(self, discs: int, variant: Variant) -> int:
        """Which phase a number of discs belongs to, on a board of any size."""
        return sum(discs * 64 >= begin * variant.square_count for begin in self.phases)

    def lines(self, own: int, opp: int, variant: Variant) -> list[Line]:
        """Each term for both sides, its weight in this phase, and its part of the value."""
        phase = self.phase((own | opp).bit_count(), variant)
        lines = []
        for term in self.terms:
            mine, theirs = (float(term.feature(*sides, variant.board)) for sides in ((own, opp), (opp, own)))
            weight = term.sign(self.objective, variant) * term.weights[phase if len(term.weights) > 1 else 0]
            counts = term.combined(mine, theirs)
            lines.append(Line(term.name, mine, theirs, counts, weight, weight * counts))
        return lines

    def with_weights(self, weights: Mapping[str, tuple[float, ...]]) -> "WeightedHeuristic":
        """The same terms with other weights, by the terms' names."""
        unknown = sorted(weights.keys() - {term.name for term in self.terms})
        if unknown:
            raise Fault(
                "heuristic.no-term", heuristic=self.name, term=unknown[0], terms=", ".join(t.name for t in self.terms)
            )
        return replace(self, terms=tuple(replace(t, weights=tuple(weights.get(t.name, t.weights))) for t in self.terms))

    def address(self, variant: Variant) -> int:
        return int(_compiled(self, variant.objective).address)

    def value(self, own: int, opp: int, variant: Variant) -> float:
        return float(_compiled(self, variant.objective).ctypes(own, opp, variant.board))

    def source(self, objective: Objective) -> str:
        """The sum as a Python function."""
        made = Variant(objective=objective)
        lines = ["def function(own, opp, board):", "    total = 0.0"]
        if self.phases:
            lines.append("    discs, squares = count(own | opp), count(board)")
            steps = " + ".join(f"(discs * 64 >= {begin} * squares)" for begin in self.phases)
            lines.append(f"    phase = 0 + {steps}")  # a single comparison would be no index
        for index, term in enumerate(self.terms):
            weights = tuple(term.sign(self.objective, made) * term.scale * weight for weight in term.weights)
            if not any(weights):
                continue
            lines += term.counting(index)
            rule = COMBINATIONS[term.combination].replace("both", repr(term.both))
            weight = f"{weights!r}[phase]" if len(weights) > 1 else repr(weights[0])
            lines.append(f"    total += {weight} * ({rule})")
        lines.append("    return total")
        return "\n".join(lines) + "\n"


@cache
def _compiled(heuristic: WeightedHeuristic, objective: Objective) -> Any:
    features = [term.feature for term in heuristic.terms]
    return compiled_text(heuristic.source(objective), features, partial(callback, SIGNATURE))


_texts: dict[str, Any] = {}


def compiled_text(source: str, features: Sequence[Feature], make: Callable[[Any, str], Any]) -> Any:
    """What is made of a function's text, which calls features as `feature0`, `feature1`, …

    It is made once, and kept on disk under the hash of the text and of the features' own tables.
    """
    digest = hashlib.sha256(source.encode())
    for feature in features:
        function = getattr(feature, "py_func", feature)
        identity = getattr(function, "cache_identity", "")
        digest.update(f"{function.__module__}.{function.__qualname__} {identity}\n".encode())
    identity = digest.hexdigest()[:16]
    if identity not in _texts:
        names: dict[str, Any] = {"count": count, "uint64": uint64, "__name__": __name__}
        names |= {f"feature{index}": feature for index, feature in enumerate(features)}
        exec(compile(source, "<features>", "exec"), names)
        _texts[identity] = make(names["function"], identity)
    return _texts[identity]
