"""Plots of training (SVG): the error in the course of a game, or the strength as it grew."""

from collections.abc import Sequence
from typing import Any

from outflank.arena.statistics import moments, score_interval
from outflank.charts import Point, curves
from outflank.errors import Fault
from outflank.learning.run import Measure
from outflank.patterns.guides import Guide
from outflank.patterns.weights import Weights


def error_curves(named: dict[str, Weights]) -> str:
    """A line for each weights file: root mean square error, in discs, on held-out positions, by discs on the board."""
    series = {name: _points(weights.provenance) for name, weights in named.items()}
    for name, points in series.items():
        if not points:
            raise Fault("curves.no-fit", name=name)
    if not any(point.value > 0 for points in series.values() for _, point in points):
        raise Fault("curves.nothing-held-out")
    title = "Error on positions not seen, discs (root mean square)"
    return curves(title, "discs on the board", series, upwards="values")


def _points(provenance: dict[str, Any]) -> list[tuple[float, Point]]:
    stages = provenance.get("held_out", [])
    try:
        known = [stage for stage in stages if "root_mean_square" in stage]  # files of before had another name for it
        errors = sorted((int(stage["discs"]), float(stage["root_mean_square"])) for stage in known)
    except (TypeError, KeyError, ValueError):
        return []
    return [(float(discs), Point(error, error, error)) for discs, error in errors]


def ladder_curves(named: dict[str, Guide]) -> str:
    """A line for each guide: what the guides on its way score against it, 50 % being as strong as the last one."""
    series = {}
    for name, guide in named.items():
        rungs = guide.provenance.get("ladder", [])
        if not rungs:
            raise Fault("curves.no-history", name=name)
        series[name] = [(float(rung["games"]), _rung(rung["pairs"])) for rung in rungs]
    return curves("Score of earlier tables against the last ones", "games of learning", series)


def strength_curve(title: str, measures: Sequence[Measure]) -> str:
    """The score against the start over the games played."""
    line = [(0.0, _rung([])), *((float(one.games), _rung(one.pairs)) for one in measures)]
    return curves(f"{title}: score against the start", "games of learning", {"score": line})


def _rung(pairs: list[int]) -> Point:
    if not pairs:  # against itself
        return Point(50.0, 50.0, 50.0)
    low, high = score_interval(pairs)
    return Point(100 * moments(pairs).mean, 100 * low, 100 * high)
