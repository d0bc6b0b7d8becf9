"""Tree search with a guide: the search of `search`, except that learnt tables say which moves to look at and what a
position is worth (AlphaZero's way). docs/alphazero.md explains it.

Puts `Guidance` on the desk: `kernels` then walks by PUCT and asks `guided_kernels` for priors and values.
"""

from dataclasses import dataclass
from typing import SupportsIndex

from outflank.board.position import Position
from outflank.board.records import place_of
from outflank.board.squares import square_name
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.patterns.guides import Tables
from outflank.search.montecarlo.guided_kernels import RESULT_RANGE
from outflank.search.montecarlo.memory import PRIOR_AT, PRIOR_STEPS, Guidance, children_of
from outflank.search.montecarlo.search import Candidate, MonteCarlo, Options

DEFAULT_C = 1.5
DEFAULT_DOUBT = 0.2
DEFAULT_PLAYOUTS = 800
SHOWN = 3
"""The moves whose visits and chances the report tells."""


@dataclass(frozen=True)
class GuidedOptions(Options):
    """How a guided search works: options of Monte Carlo, with two meanings of their own."""

    c: float = DEFAULT_C
    """Multiplies a move's chance times sqrt(N) / (1 + n) in PUCT."""
    doubt: float = DEFAULT_DOUBT
    """How much less than its parent's mean a move is taken for before it is tried; results go from -1 to 1."""
    playouts: int = DEFAULT_PLAYOUTS

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.doubt <= 2:
            raise Fault("montecarlo.doubt", doubt=self.doubt)

    def result_range(self, variant: Variant) -> int:
        return RESULT_RANGE


class GuidedSearch(MonteCarlo):
    """A search with its options, its tables and its tree. One caller at a time."""

    options: GuidedOptions

    def __init__(self, options: GuidedOptions | None = None, seed: SupportsIndex = 0) -> None:
        super().__init__(options or GuidedOptions(), seed)
        self._tables: Tables | None = None
        self._guidance = Guidance.new()
        self._guidance.doubt = self.options.doubt
        self._desk.guide = place_of(self._guidance)

    def guide(self, tables: Tables | None) -> None:
        """Sets what guides the search; without tables all moves are alike and random games say what they are worth."""
        if tables is not self._tables:
            self.forget()
        self._tables, guidance = tables, self._guidance
        guidance.powers = 0
        if tables is not None:
            guidance.powers, guidance.offsets = place_of(tables.powers), place_of(tables.offsets)
            guidance.slots, guidance.stage_bytes = len(tables.offsets), tables.values.strides[1]
            guidance.last_stage = tables.last_stage
            guidance.values, guidance.policies = place_of(tables.values), place_of(tables.policies)

    def priors(self) -> dict[int, float]:
        """The probability that the policy gives each move at the root."""
        if self.position is None:
            raise Fault("montecarlo.not-searched")
        return {one.move: (self._link(one.node) >> int(PRIOR_AT)) / PRIOR_STEPS for one in self.candidates()}

    def candidates(self, node: int | None = None) -> list[Candidate]:
        most = RESULT_RANGE
        return [
            Candidate(one.move, one.visits, one.value / most, _outcome(one.low), _outcome(one.high), one.node)
            for one in super().candidates(node)
        ]

    def _bounds(self) -> tuple[int, int]:
        low, high = super()._bounds()
        return _outcome(low), _outcome(high)

    def _keeps(self, position: Position, playouts: int, seconds: float | None) -> bool:
        """A root without children knows nothing that a new one does not."""
        return super()._keeps(position, playouts, seconds) and bool(children_of(self._link(self.root)))

    def _text(self, score: float, kept: int) -> str:
        parts = [super()._text(score, kept), *self._notes()]
        priors = self.priors()
        for one in sorted(self.candidates(), key=lambda one: -one.visits)[:SHOWN]:
            parts.append(f"{square_name(one.move)} {one.visits:,} visits, policy {100 * priors[one.move]:.0f} %")
        return "; ".join(parts)

    def _notes(self) -> list[str]:
        """What else there is to say of a search."""
        return ["untrained"] if self._tables is None else []


def _outcome(bound: int) -> int:
    """A bound as a result: only a finished game's is one of -1, 0 and 1."""
    return round(bound / RESULT_RANGE)
