"""Tables that guide a tree search: what a position promises, and how likely each move is to be the right one.

Both are sums over the engine's patterns, in logits. The value is looked up where a side is to move, and says its odds
of winning; the policy is looked up on the board after a move, with the tables of the position before it, and a move's
chance is its share of the exponentials.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from outflank.board.variant import Variant
from outflank.patterns.shapes import require_patterns
from outflank.patterns.weights import Evaluation, Weights, packed, read_tables, write_tables

FORMAT = "guide 1"
TABLES = ("values", "policies")
UNITS = 1024
"""Tables are stored in 1/1024 of a logit."""
PLIES_A_STAGE = 4
"""A set of tables serves so many plies: twice the engine's, for self-play brings fewer positions."""


def guide_shape(variant: Variant) -> tuple[int, int]:
    """How many sets of tables a game has, and how many weights each of them."""
    return (variant.square_count - 4 + PLIES_A_STAGE - 1) // PLIES_A_STAGE, require_patterns(variant).weights


@dataclass(frozen=True)
class Guide:
    """A learnt value and policy: tables with a row a stage, seen by the side to move; and how they came about."""

    variant: Variant
    values: Any
    policies: Any
    provenance: dict[str, Any]

    @property
    def digest(self) -> str:
        """A short name for the tables' content."""
        return hashlib.sha256(self.values.tobytes() + self.policies.tobytes()).hexdigest()[:12]

    def save(self, path: Path) -> None:
        """Writes one compressed file; the provenance travels inside."""
        about = {"format": FORMAT, "variant": self.variant.name, **self.provenance}
        tables = {name: packed(getattr(self, name), self.variant) for name in TABLES}
        write_tables(path, about, **tables)

    @classmethod
    def load(cls, path: Path) -> "Guide":
        """Reads a file that `save` wrote; a ValueError says what is wrong with another one."""
        variant, about, (values, policies) = read_tables(path, FORMAT, TABLES, guide_shape, "outflank learn alphazero")
        return cls(variant, values, policies, about)

    @property
    def rules(self) -> Variant:
        """The board and objective it was learnt for; it serves every start."""
        return Variant(self.variant.rows, self.variant.columns, self.variant.objective)


def is_guide(path: Path) -> bool:
    """Whether a file looks like a guide's."""
    try:
        with np.load(path) as file:
            return "policies" in file.files
    except (OSError, ValueError, EOFError, BadZipFile):
        return False


class Tables:
    """A guide laid out for compiled searches: each stage once for Black and once for White to move."""

    def __init__(self, guide: Guide) -> None:
        self.guide = guide
        laid = [Evaluation.of(Weights(guide.variant, table, {})) for table in (guide.values, guide.policies)]
        self.powers, self.offsets = laid[0].powers, laid[0].offsets
        self.values, self.policies = laid[0].weights, laid[1].weights

    @property
    def last_stage(self) -> int:
        return len(self.values) - 1


@cache
def shipped_tables(variant: Variant) -> Tables | None:
    """What was learnt for a board and objective and comes with the package; None where nothing does."""
    name = Variant(variant.rows, variant.columns, variant.objective).name
    file = resources.files("outflank.patterns") / "data" / f"alphazero-{name}.npz"
    if not file.is_file():
        return None
    with resources.as_file(file) as path:
        return Tables(Guide.load(path))
