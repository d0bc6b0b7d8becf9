"""Tree search with a guide: `montecarlo`'s search, except that learnt tables say which moves to look at and what a
position is worth (AlphaZero's way). docs/alphazero.md explains it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.board.compiled import load
from outflank.board.position import Position
from outflank.board.squares import square_name
from outflank.board.variant import Variant
from outflank.patterns.guides import Tables
from outflank.search.montecarlo import guided_kernels as compiled
from outflank.search.montecarlo import kernels as montecarlo_kernels
from outflank.search.montecarlo.memory import COUNT_AT, LINK
from outflank.search.montecarlo.search import NODE_WORDS, Candidate, MonteCarlo, Options

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
            raise ValueError(f"the doubt is a number from 0 to 2, not {self.doubt}")

    def result_range(self, variant: Variant) -> int:
        return compiled.RESULT_RANGE


class GuidedSearch(MonteCarlo):
    """A search with its options, its tables and its tree. One caller at a time."""

    options: GuidedOptions
    desk_words, thread_words = compiled.DESK_WORDS, compiled.THREAD_WORDS
    run_kernel = staticmethod(compiled.run)
    plant_kernel = staticmethod(compiled.plant)

    def __init__(self, options: GuidedOptions | None = None, seed: int = 0) -> None:
        super().__init__(options or GuidedOptions(), seed)
        self._tables: Tables | None = None
        for kernel in (compiled.number_root, montecarlo_kernels.plant):
            load(kernel)

    def guide(self, tables: Tables | None) -> None:
        """Sets what guides the search; without tables all moves are alike and random games say what they are worth."""
        if tables is not self._tables:
            self.forget()
        self._tables = tables
        lay_tables(self._desk, tables)

    def priors(self) -> dict[int, float]:
        """The chance that the policy gives each move at the root."""
        links = {one.move: int(self._nodes[one.node * NODE_WORDS + int(LINK)]) for one in self.candidates()}
        return {move: (link >> int(compiled.PRIOR_AT)) / compiled.PRIOR_STEPS for move, link in links.items()}

    def candidates(self, node: int | None = None) -> list[Candidate]:
        most = compiled.RESULT_RANGE
        return [
            Candidate(one.move, one.visits, one.value / most, _outcome(one.low), _outcome(one.high), one.node)
            for one in super().candidates(node)
        ]

    def _bounds(self) -> tuple[int, int]:
        low, high = super()._bounds()
        return _outcome(low), _outcome(high)

    def _keeps(self, position: Position, playouts: int, seconds: float | None) -> bool:
        """A root without children is not worth keeping: those that it gets here must have their chances."""
        if not super()._keeps(position, playouts, seconds):
            return False
        return bool(int(self._nodes[self.root * NODE_WORDS + int(LINK)]) >> int(COUNT_AT) & 255)

    def _plant(self, fresh: bool) -> None:
        if fresh:
            self.plant_kernel(self._desk.ctypes.data, self._threads[0].ctypes.data)
            return
        montecarlo_kernels.plant(self._desk.ctypes.data, fresh)
        compiled.number_root(self._desk.ctypes.data, 1)

    def _constants(self) -> tuple[float, float]:
        return self.options.c, self.options.doubt

    def _text(self, score: float, kept: int) -> str:
        parts = [super()._text(score, kept)]
        if self._tables is None:
            parts.append("untrained")
        priors = self.priors()
        for one in sorted(self.candidates(), key=lambda one: -one.visits)[:SHOWN]:
            parts.append(f"{square_name(one.move)} {one.visits:,} visits, policy {100 * priors[one.move]:.0f} %")
        return "; ".join(parts)


def lay_tables(desk: np.ndarray[Any, np.dtype[np.uint64]], tables: Tables | None) -> None:
    """Puts the addresses of the tables on a desk; they must live as long as it is used."""
    desk[compiled.POWERS] = 0
    if tables is None:
        return
    desk[compiled.POWERS] = tables.powers.ctypes.data
    desk[compiled.OFFSETS] = tables.offsets.ctypes.data
    desk[compiled.SLOT_COUNT] = len(tables.offsets)
    desk[compiled.STAGE_BYTES] = tables.values.strides[1]
    desk[compiled.LAST_STAGE] = tables.last_stage
    desk[compiled.VALUES] = tables.values.ctypes.data
    desk[compiled.POLICIES] = tables.policies.ctypes.data


def _outcome(bound: int) -> int:
    """A bound as a result: only a finished game's is one of -1, 0 and 1."""
    return round(bound / compiled.RESULT_RANGE)
