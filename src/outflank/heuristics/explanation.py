"""Why a heuristic values a position as it does: its features for both sides, their weights and their shares."""

import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from outflank.board.position import Position
from outflank.heuristics.compiling import names_in
from outflank.heuristics.features import COUNTS, WEIGHTS
from outflank.heuristics.heuristic import Heuristic, WrittenHeuristic
from outflank.heuristics.weighted import Feature, Line, Term, WeightedHeuristic

NUMBERS = ("int64(uint64, uint64, uint64)", "float64(uint64, uint64, uint64)")
MASK = "uint64(uint64, uint64, uint64)"


@dataclass(frozen=True)
class Explanation:
    """A heuristic's view of a position, for its side to move."""

    position: Position
    heuristic: Heuristic
    lines: tuple[Line, ...]
    value: float
    phase: int | None = None
    """Which of the heuristic's phases, from 0; None without any."""
    compiled: bool = True


def explain(position: Position, heuristic: Heuristic) -> Explanation:
    """The value of a position and what it is made of."""
    value = heuristic.value(position.own, position.opp, position.variant)
    lines = tuple(lines_of(position, heuristic))
    if isinstance(heuristic, WeightedHeuristic):
        discs = (position.own | position.opp).bit_count()
        return Explanation(
            position, heuristic, lines, value, heuristic.phase(discs, position.variant) if heuristic.phases else None
        )
    assert isinstance(heuristic, WrittenHeuristic)
    return Explanation(position, heuristic, lines, value, compiled=heuristic.is_compiled(position.variant))


def lines_of(position: Position, heuristic: Heuristic) -> Iterable[Line]:
    """What the value is made of, without the value: nothing is compiled for that."""
    if isinstance(heuristic, WeightedHeuristic):
        return heuristic.lines(position.own, position.opp, position.variant)
    assert isinstance(heuristic, WrittenHeuristic)
    return _plain_lines(position, heuristic)


def _plain_lines(position: Position, heuristic: WrittenHeuristic) -> Iterator[Line]:
    own, opp, board = position.own, position.opp, position.variant.board
    for name, feature in features_of(heuristic).items():
        mine, theirs = feature(own, opp, board), feature(opp, own, board)
        if _signature(feature) == MASK:
            mine, theirs = int(mine).bit_count(), int(theirs).bit_count()
        yield Line(name, float(mine), float(theirs))


def features_of(heuristic: WrittenHeuristic) -> dict[str, Feature]:
    """The features that a heuristic's code, or that of its helpers, calls by name."""
    found: dict[str, Feature] = {}
    seen: set[int] = set()

    def look(function: types.FunctionType) -> None:
        seen.add(id(function))
        closed = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        for name in names_in(function.__code__):
            thing = closed[name].cell_contents if name in closed else function.__globals__.get(name)
            if isinstance(thing, types.ModuleType):
                for member in set(names_in(function.__code__)) & vars(thing).keys():
                    note(member, getattr(thing, member))
            note(name, thing)

    def note(name: str, thing: Any) -> None:
        plain = thing.function if isinstance(thing, WrittenHeuristic) else thing
        if _signature(plain) in (*NUMBERS, MASK):
            found[name] = plain
        elif isinstance(plain, types.FunctionType) and id(plain) not in seen:
            look(plain)

    look(heuristic.function)
    return found


def _signature(thing: Any) -> str:
    """The signature of one of our kernels; nothing for anything else."""
    signature = getattr(thing, "signature", "")
    return signature if isinstance(signature, str) else ""


def feature_name(term: Term) -> str:
    """The name under which `outflank.features` has a term's feature; nothing for one made from a table."""
    return next((name for name, feature in (*COUNTS.items(), *WEIGHTS.items()) if feature is term.feature), "")
