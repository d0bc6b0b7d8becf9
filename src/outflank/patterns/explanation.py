"""Why pattern tables value a position as they do: the share of each shape, and what a policy makes of the moves.

For the engine's weights (`outflank train`) a share is in discs; for a guide's (`outflank learn alphazero`) in logits of
the result.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outflank.board.position import Position
from outflank.board.squares import square_name
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.patterns import guides, weights
from outflank.patterns.guides import Guide, is_guide, shipped_tables
from outflank.patterns.lookup import stage_of
from outflank.patterns.network import Network
from outflank.patterns.shapes import PLIES_A_STAGE, number_on, require_patterns
from outflank.patterns.weights import Weights, shipped

ENGINE, GUIDED = "engine", "alphazero"
NAMES = (ENGINE, GUIDED)
"""The players whose shipped tables are meant by their names."""
PARITY_NAMES = ("even number of discs", "odd number of discs")
NETWORK_NAME = "all of them together, with the moves of both sides"


@dataclass(frozen=True)
class PatternTables:
    """Tables of pattern weights from a file or from those shipped, of either kind."""

    name: str
    variant: Variant
    values: Any
    """A row a stage."""
    policies: Any
    """The same for moves; None where there are none."""
    plies: int
    """How many a stage has."""
    units: int
    """So many make one disc, or one logit."""
    provenance: Mapping[str, Any]
    network: Network | None = None
    """What the engine's patterns add together, beside their sums."""

    @property
    def unit(self) -> str:
        return "discs" if self.policies is None else "logits"

    @classmethod
    def named(cls, name: str, variant: Variant | None) -> "PatternTables":
        """Those of a file, or those that come with Outflank for a player and a game."""
        if name not in NAMES:
            path = Path(name).expanduser()
            return cls._of(path.name, Guide.load(path) if is_guide(path) else Weights.load(path))
        rules = variant or Variant()
        found = shipped(rules) if name == ENGINE else getattr(shipped_tables(rules), "guide", None)
        if found is None:
            raise Fault("patterns.no-tables", name=name, rules=rules)
        return cls._of(name, found)

    @classmethod
    def _of(cls, name: str, found: Weights | Guide) -> "PatternTables":
        if isinstance(found, Guide):
            about = (guides.PLIES_A_STAGE, guides.UNITS, found.provenance)
            return cls(name, found.rules, found.values, found.policies, *about)
        made = (PLIES_A_STAGE, weights.UNITS_A_DISC, found.provenance, found.network)
        return cls(name, found.variant, found.table, None, *made)

    def stage(self, own: int, opp: int) -> int:
        return min(stage_of((own | opp).bit_count(), self.plies), len(self.values) - 1)

    def shares(self, table: Any, own: int, opp: int) -> "Iterator[ShapeShare]":
        """What each shape adds up to in all its places; `own` is the side whose view the table takes."""
        patterns = require_patterns(self.variant)
        for pattern in patterns.patterns:
            squares = " ".join(square_name(square) for square in pattern.places[0])
            found = (int(table[pattern.offset + number_on(place, own, opp)]) for place in pattern.places)
            yield ShapeShare(squares, len(pattern.places), sum(found) / self.units)
        if len(table) > patterns.weights:
            odd = (own | opp).bit_count() % 2
            yield ShapeShare(PARITY_NAMES[odd], 1, int(table[patterns.weights + odd]) / self.units)


@dataclass(frozen=True)
class ShapeShare:
    """A shape: one of its places, how many there are, and what they say together. Or the parity of the discs,
    or the network."""

    squares: str
    places: int
    share: float


@dataclass(frozen=True)
class PatternExplanation:
    """What pattern tables make of a position, for its side to move."""

    position: Position
    tables: PatternTables
    stage: int
    shares: tuple[ShapeShare, ...]
    value: float
    """The sum of the shares."""
    moves: dict[str, float]
    """The policy's chance of each move, the likeliest first; empty where there is no policy."""

    @property
    def expected(self) -> float | None:
        """The result that a guide expects, -1 to 1; the engine's tables have none."""
        return None if self.tables.policies is None else math.tanh(self.value / 2)


def explain_patterns(position: Position, tables: PatternTables) -> PatternExplanation:
    """The value of a position by shapes, and the chances of its moves."""
    here = position.variant
    if Variant(here.rows, here.columns, here.objective) != tables.variant:
        raise Fault("patterns.other-variant", name=tables.name, variant=tables.variant, here=here)
    stage = tables.stage(position.own, position.opp)
    shares = tuple(tables.shares(tables.values[stage], position.own, position.opp))
    if tables.network is not None:
        share = tables.network.share(here, stage, position.own, position.opp)
        shares += (ShapeShare(NETWORK_NAME, 1, share),)
    value = sum(one.share for one in shares)
    return PatternExplanation(position, tables, stage, shares, value, _chances(position, tables, stage))


def _chances(position: Position, tables: PatternTables, stage: int) -> dict[str, float]:
    """The softmax of what the policy says of the board after each move, seen by the side that made it."""
    logits = {}
    for move in position.legal_moves if tables.policies is not None else ():
        after = position.play(move)
        mine, theirs = (after.black, after.white) if position.own == position.black else (after.white, after.black)
        logits[square_name(move)] = sum(one.share for one in tables.shares(tables.policies[stage], mine, theirs))
    powers = {move: math.exp(logit - max(logits.values())) for move, logit in logits.items()}
    whole = sum(powers.values())
    return dict(sorted(((move, power / whole) for move, power in powers.items()), key=lambda one: -one[1]))
