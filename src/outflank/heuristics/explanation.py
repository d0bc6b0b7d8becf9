"""Why a heuristic values a position as it does: its features for both sides, their weights and their shares."""

import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from outflank.board.position import Position
from outflank.heuristics.features import COUNTS, WEIGHTS
from outflank.heuristics.heuristic import Heuristic, WrittenHeuristic
from outflank.heuristics.weighted import Feature, Term, WeightedHeuristic

NUMBERS = ("int64(uint64, uint64, uint64)", "float64(uint64, uint64, uint64)")
MASK = "uint64(uint64, uint64, uint64)"


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
    if isinstance(heuristic, WeightedHeuristic):
        discs = (position.own | position.opp).bit_count()
        phase = heuristic.phase(discs, position.variant) if heuristic.phases else None
        return Explanation(position, heuristic, tuple(_weighted_lines(position, heuristic)), value, phase)
    assert isinstance(heuristic, WrittenHeuristic)
    compiled = heuristic.is_compiled(position.variant)
    return Explanation(position, heuristic, tuple(_plain_lines(position, heuristic)), value, compiled=compiled)


def _weighted_lines(position: Position, heuristic: WeightedHeuristic) -> Iterator[Line]:
    for share in heuristic.shares(position.own, position.opp, position.variant):
        counts = share.term.combined(share.mine, share.theirs)
        yield Line(share.term.name, share.mine, share.theirs, counts, share.weight, share.value)


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
        for name in _names(function.__code__):
            thing = closed[name].cell_contents if name in closed else function.__globals__.get(name)
            if isinstance(thing, types.ModuleType):
                for member in set(_names(function.__code__)) & vars(thing).keys():
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


def _names(code: types.CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def feature_name(term: Term) -> str:
    """The name under which `outflank.features` has a term's feature; nothing for one made from a table."""
    return next((name for name, feature in (*COUNTS.items(), *WEIGHTS.items()) if feature is term.feature), "")
