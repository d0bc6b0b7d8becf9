"""What is learnt: a weighted heuristic as a row of parameters, and back.

A target is the heuristic that learning begins with, made ready: seen from the game it is learnt for, with the phases
wanted, and with its tables of square values as one value for each class of squares that the board's symmetries make
equal (10 on 8x8, 6 on 6x6). It is plain data, so that it can travel to a worker.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, get_args

import numpy as np

from outflank.board.squares import square_name
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.heuristics.learnt import LEARNT, Data, about_of, from_data, load_data, shipped_data, to_data
from outflank.heuristics.matrices import Matrix, scaled
from outflank.heuristics.named import BOTH_FACTOR, NAMED
from outflank.heuristics.phases import matrices_of, square_table
from outflank.heuristics.weighted import Term, WeightedHeuristic
from outflank.learning.weights.linear import Columns

Array = Any
Free = Literal["tables", "weights", "all"]

PLAYERS: dict[str, tuple[str, Free]] = {
    "self-taught": ("evaluation-3", "tables"),
    "corner-shy": ("corner-shy", "all"),
    "phased": ("phased", "all"),
    "dynamic": ("combined", "all"),
}
"""Players whose heuristic is learnt under their own name: it, and what of it. `self-taught` learns its piece values."""
ALIASES = {"squares": "static"}
"""A table of squares and nothing else."""
NEARLY_NOTHING = 1e-6
"""In the place of a weight of 0 that a value is to be divided by."""
DIGITS = 4
"""Significant digits of a learnt number in a file."""


@dataclass(frozen=True)
class Target:
    """A heuristic to learn. `start` is the JSON of the weights that it begins with; `free` says which may change."""

    name: str
    variant: Variant
    start: str
    free: Free

    @classmethod
    def named(cls, name: str, variant: Variant, free: str = "", phases: Sequence[int] | None = None) -> "Target":
        """The target of a player's or heuristic's name, or of a weights file to go on from.

        `phases` are the disc counts, of 64, at which new weights begin; None leaves those of the heuristic.
        """
        if name.endswith(".json") or name.startswith(LEARNT):
            data = load_data(name) if name.endswith(".json") else shipped_data(name)
            heuristic, known = from_data(data, name), str(about_of(data).get("target"))
            if PLAYERS.get(known, ("",))[0] != heuristic.name:
                known = ""  # learnt for no player, or for one that takes other weights
            name, usual = (known, PLAYERS[known][1]) if known else (heuristic.name, "all")
        elif name in PLAYERS:
            named, usual = PLAYERS[name]
            heuristic = NAMED[named]
        elif ALIASES.get(name, name) in NAMED:
            heuristic, usual = NAMED[ALIASES.get(name, name)], "all"
        else:
            raise Fault("learning.target", name=name, players=", ".join(PLAYERS))
        wanted = free or usual
        if wanted not in get_args(Free):
            raise Fault("learning.free", choices=", ".join(get_args(Free)), text=free)
        ready = _in_phases(_as_played(heuristic, variant), phases)
        if wanted != "weights":
            ready = _opened(ready, variant)
        if wanted == "tables" and not any(matrices_of(term.feature) for term in ready.terms):
            raise Fault("learning.no-table", name=name, terms=", ".join(term.name for term in ready.terms))
        return cls(name, variant, json.dumps(to_data(ready, variant)), wanted)  # type: ignore[arg-type]

    @property
    def model(self) -> "Model":
        return _model(self)


def _as_played(heuristic: WeightedHeuristic, variant: Variant) -> WeightedHeuristic:
    """The same values, written for the game being played."""
    terms = []
    for term in heuristic.terms:
        sign = term.sign(heuristic.objective, variant)
        terms.append(replace(term, weights=tuple(sign * weight for weight in term.weights)))
    return replace(heuristic, objective=variant.objective, terms=tuple(terms))


def _in_phases(heuristic: WeightedHeuristic, phases: Sequence[int] | None) -> WeightedHeuristic:
    """The heuristic in other phases: each begins with the weights that its first position has now."""
    if phases is None or tuple(phases) == heuristic.phases:
        return heuristic
    begins = [0, *phases]
    if sorted(set(begins)) != begins or begins[-1] >= 64:
        raise Fault("learning.phases", text=",".join(map(str, phases)))
    now = [sum(begin >= old for old in heuristic.phases) for begin in begins]
    terms = []
    for term in heuristic.terms:
        weights = tuple(term.weights[phase if len(term.weights) > 1 else 0] for phase in now)
        tables = matrices_of(term.feature)
        feature = term.feature
        if len(tables) > 1:
            feature = square_table([tables[phase] for phase in now], phases)
        terms.append(replace(term, weights=weights, feature=feature))
    return replace(heuristic, terms=tuple(terms), phases=tuple(phases))


def _opened(heuristic: WeightedHeuristic, variant: Variant) -> WeightedHeuristic:
    """With tables of this board's size that hold their terms' weights, one for each phase where those differ."""
    terms = []
    for term in heuristic.terms:
        tables = matrices_of(term.feature)
        if not tables or term.scale != 1 or term.combination != "difference":
            terms.append(term)
            continue
        count = max(len(tables), len(term.weights))
        sized = [scaled(table, variant.rows, variant.columns) for table in tables]
        weighted = [
            tuple(
                tuple(term.weights[phase % len(term.weights)] * value for value in row)
                for row in sized[phase % len(sized)]
            )
            for phase in range(count)
        ]
        feature = square_table(weighted, heuristic.phases if count > 1 else ())
        terms.append(replace(term, weights=(1.0,), feature=feature))
    return replace(heuristic, terms=tuple(terms))


@dataclass(frozen=True)
class Parameter:
    """One learnt number: its name, the column it weighs, and its phase, or None for all of them."""

    name: str
    column: int
    phase: int | None


class Model:
    """A target's parameters, and how they become the weights of columns."""

    def __init__(self, target: Target) -> None:
        self.target, self.variant = target, target.variant
        self.heuristic = from_data(json.loads(target.start))
        self.opened = [
            index
            for index, term in enumerate(self.heuristic.terms)
            if target.free != "weights" and matrices_of(term.feature) and term.weights == (1.0,) and term.scale == 1
        ]
        self.columns = Columns(self.heuristic, self.variant, self.opened)
        self.phases = len(self.heuristic.phases) + 1
        self.parameters: list[Parameter] = []
        self.fixed = np.zeros((self.phases, len(self.columns)))
        """The weights of what is not learnt, 0 elsewhere."""
        self.number = np.full((self.phases, len(self.columns)), -1)
        """The parameter of each phase and column, -1 where there is none."""
        self.start = np.array(self._lay_out())

    def _lay_out(self) -> list[float]:
        """Numbers the parameters; returns their values at the start."""
        values: list[float] = []
        for at, column in enumerate(self.columns.columns):
            term = self.heuristic.terms[column.term]
            if column.squares:
                square = (column.squares & -column.squares).bit_length() - 1
                by_phase = [table[square // 8][square % 8] for table in matrices_of(term.feature)]
                name = f"{term.name} {square_name(square)}"
            else:
                by_phase, name = list(term.weights), term.name
                if self.target.free == "tables":
                    self.fixed[:, at] = by_phase if len(by_phase) > 1 else by_phase[0]
                    continue
            for phase in range(len(by_phase)):
                one = phase if len(by_phase) > 1 else None
                self.number[slice(None) if one is None else one, at] = len(values)
                self.parameters.append(Parameter(name if one is None else f"{name}, phase {one + 1}", at, one))
                values.append(float(by_phase[phase]))
        return values

    def __len__(self) -> int:
        return len(self.parameters)

    def weights(self, vector: Array) -> Array:
        """A row of weights for each phase."""
        return np.where(self.number >= 0, np.asarray(vector)[self.number], self.fixed)

    def phases_of(self, own: Array, opp: Array) -> Array:
        """The phase of each position."""
        discs = np.bitwise_count(own | opp).astype(np.int64)
        return sum(
            (discs * 64 >= begin * self.variant.square_count).astype(np.int64) for begin in self.heuristic.phases
        ) + np.zeros(len(discs), np.int64)

    def heuristic_of(self, vector: Array) -> WeightedHeuristic:
        """The heuristic with these parameters, rounded as its file has them."""
        rounded = np.array([float(f"{value:.{DIGITS}g}") for value in vector])
        weights = self.weights(rounded)
        terms = []
        for index, term in enumerate(self.heuristic.terms):
            columns = [at for at, column in enumerate(self.columns.columns) if column.term == index]
            if index in self.opened:
                count = len(matrices_of(term.feature))
                tables = [self._matrix(weights[phase], columns) for phase in range(count)]
                terms.append(replace(term, feature=square_table(tables, self.heuristic.phases if count > 1 else ())))
            else:
                terms.append(replace(term, weights=tuple(weights[: len(term.weights), columns[0]].tolist())))
        if self.opened:
            terms = [self._linked(term, terms) for term in terms]
        return replace(self.heuristic, terms=tuple(terms))

    def _matrix(self, weights: Array, columns: list[int]) -> Matrix:
        rows = [[0.0] * self.variant.columns for _ in range(self.variant.rows)]
        for at in columns:
            for square in range(64):
                if self.columns.columns[at].squares >> square & 1:
                    rows[square // 8][square % 8] = float(weights[at])
        return tuple(tuple(row) for row in rows)

    def _linked(self, term: Term, terms: list[Term]) -> Term:
        """`self-taught`: the value of corners when both sides have some is a multiple of a piece value."""
        if not self.columns.links(term):
            return term
        both = BOTH_FACTOR * matrices_of(terms[self.opened[0]].feature)[0][2][2]
        weight = term.weights[0] or (NEARLY_NOTHING if both else 1.0)
        return replace(term, weights=(weight if both else term.weights[0],), both=both / weight)

    def data(self, vector: Array, about: Data | None = None) -> Data:
        """The content of the weights file with these parameters."""
        return to_data(self.heuristic_of(vector), self.variant, about)


@cache
def _model(target: Target) -> Model:
    return Model(target)
