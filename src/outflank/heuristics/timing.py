"""How long each feature takes: nanoseconds a call."""

from collections.abc import Iterable
from typing import Any

from outflank.board.timing import nanoseconds
from outflank.board.variant import OTHELLO, Variant
from outflank.heuristics.features import COUNTS, WEIGHTS


def time_features(names: Iterable[str] = (*COUNTS, *WEIGHTS), variant: Variant = OTHELLO) -> dict[str, float]:
    """Nanoseconds a call of each feature on positions of random games."""
    features: dict[str, Any] = {**COUNTS, **WEIGHTS}
    return nanoseconds({name: features[name] for name in names}, variant)
