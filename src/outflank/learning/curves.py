"""How weights came about, as a picture (SVG): their error in the course of a game, or their strength as they learnt."""

from html import escape
from typing import Any

from outflank.arena.findings.charts import Point, curves
from outflank.arena.statistics import moments, score_interval
from outflank.patterns.guides import Guide
from outflank.patterns.weights import Weights

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 48, 16, 24, 44
COLOURS = ("#0b6e4f", "#c8553d", "#3a5a9b", "#a0790a", "#7b4b94", "#4a4a4a")


def error_curves(named: dict[str, Weights]) -> str:
    """A line for each weights file: root mean square error, in discs, on held-out positions, by discs on the board."""
    curves = {name: _points(weights.provenance) for name, weights in named.items()}
    for name, points in curves.items():
        if not points:
            raise ValueError(f"{name} does not say how well it was fitted: it was not made by `outflank train`")
    most_discs = max(discs for points in curves.values() for discs, _ in points)
    most_error = max(error for points in curves.values() for _, error in points)
    if not most_error > 0:
        raise ValueError("nothing was held out of these few games: there is no error to draw")
    step = 1 if most_error <= 8 else 2 if most_error <= 16 else 5

    def across(discs: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (discs - 4) / max(most_discs - 4, 1)

    def up(error: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * error / most_error

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    for error in range(0, int(most_error) + 1, step):
        parts.append(f'<path d="M{LEFT} {up(error):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{up(error) + 4:.1f}" text-anchor="end">{error}</text>')
    for discs in range(4, most_discs + 1, 4):
        parts.append(f'<text x="{across(discs):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{discs}</text>')
    parts.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">discs on the board</text>')
    parts.append(f'<text x="{LEFT}" y="14">error on positions not seen, discs (root mean square)</text>')
    for number, (name, points) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{across(discs):.1f},{up(error):.1f}" for discs, error in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y = TOP + 18 + 18 * number
        # On the right, where every error falls to nothing, there is room.
        parts.append(f'<path d="M{WIDTH - RIGHT - 30} {y - 4}h20" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="{WIDTH - RIGHT - 36}" y="{y}" text-anchor="end">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _points(provenance: dict[str, Any]) -> list[tuple[int, float]]:
    stages = provenance.get("held_out", [])
    try:
        known = [stage for stage in stages if "root_mean_square" in stage]  # files of before had another name for it
        return sorted((int(stage["discs"]), float(stage["root_mean_square"])) for stage in known)
    except (TypeError, KeyError, ValueError):
        return []


def ladder_curves(named: dict[str, Guide]) -> str:
    """A line for each guide: what the guides on its way score against it, 50 % being as strong as the last one."""
    series = {}
    for name, guide in named.items():
        rungs = guide.provenance.get("ladder", [])
        if not rungs:
            raise ValueError(f"{name} does not say how it was learnt: it was not made by `outflank learn alphazero`")
        series[name] = [(float(rung["games"]), _rung(rung["pairs"])) for rung in rungs]
    return curves("Score of earlier tables against the last ones", "games of learning", series)


def _rung(pairs: list[int]) -> Point:
    if not pairs:  # the last one itself
        return Point(50.0, 50.0, 50.0)
    low, high = score_interval(pairs)
    return Point(100 * moments(pairs).mean, 100 * low, 100 * high)
