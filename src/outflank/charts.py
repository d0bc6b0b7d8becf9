"""Plots as SVG, for learning and studies: shares with their intervals, curves with theirs, a coloured cross table."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

WIDTH = 720
COLOURS = ("#0b6e4f", "#c8553d", "#3a5a9b", "#a0790a", "#7b4b94", "#4a4a4a")
GRID, HALF = "#ddd", "#888"
ROW = 26
DIGIT = 6.6
"""The width of a character at the size we write, about."""


@dataclass(frozen=True)
class Point:
    """A value with its interval."""

    value: float
    low: float
    high: float


class Picture(str):
    """An SVG text that notebooks show as what it draws."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def _picture(height: float, title: str, parts: Sequence[str]) -> Picture:
    return Picture(
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img"'
                f' aria-label="{escape(title)}" font-family="sans-serif" font-size="12">',
                f'<rect width="{WIDTH}" height="{height:g}" fill="#fff"/>',
                f'<text x="12" y="18" font-weight="bold">{escape(title)}</text>',
                *parts,
                "</svg>\n",
            ]
        )
    )


def _text(x: float, y: float, text: str, anchor: str = "start", colour: str = "#222") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def intervals(title: str, rows: Sequence[tuple[str, Point]], unit: str = "%", half: float | None = 50) -> Picture:
    """A line for each row: its value as a dot and its interval as a bar. Shares run from 0 to 100; anything else from
    the least bound to the greatest."""
    left = 24 + DIGIT * max(len(label) for label, _ in rows)
    right, top = WIDTH - 64, 36
    if unit == "%":
        least, most = 0.0, 100.0
    else:
        least, most = min(point.low for _, point in rows), max(point.high for _, point in rows)
        step = _step(most - least)
        least, most = math.floor(least / step) * step, math.ceil(most / step) * step
    step = _step(most - least)
    bottom = top + ROW * len(rows)

    def across(value: float) -> float:
        return left + (right - left) * (value - least) / ((most - least) or 1)

    parts = []
    for number in range(round((most - least) / step) + 1):
        value = least + number * step
        colour = HALF if value == half else GRID
        parts.append(f'<path d="M{across(value):.1f} {top}V{bottom}" stroke="{colour}"/>')
        parts.append(_text(across(value), bottom + 16, f"{value:g}", "middle"))
    for number, (label, point) in enumerate(rows):
        y = top + ROW * (number + 0.5)
        parts.append(_text(left - 10, y + 4, label, "end"))
        parts.append(
            f'<path d="M{across(point.low):.1f} {y}H{across(point.high):.1f}" stroke="{COLOURS[0]}" stroke-width="3"/>'
        )
        parts.append(f'<circle cx="{across(point.value):.1f}" cy="{y}" r="5" fill="{COLOURS[0]}"/>')
        parts.append(_text(right + 12, y + 4, f"{point.value:.0f} {unit}"))
    return _picture(bottom + 28, title, parts)


def _step(width: float) -> float:
    """A round distance between grid lines, of which there are four to ten."""
    power = 10 ** math.floor(math.log10(width or 1))
    return float(next(power * part for part in (0.1, 0.2, 0.5, 1, 2) if width / (power * part) <= 10))


def curves(
    title: str,
    across_title: str,
    series: Mapping[str, Sequence[tuple[float, Point]]],
    powers: bool = False,
    even: bool = False,
    upwards: Literal["shares", "powers", "values"] = "shares",
) -> Picture:
    """A line for each series. `powers` makes the way across logarithmic; `even` gives all its values the same
    distance. Shares go up from 0 to 100 %, other values evenly from 0 (or below, where one is negative) or by powers of
    ten."""
    left, right, top, bottom = 84, WIDTH - 16, 36, 320
    places = sorted({x for points in series.values() for x, _ in points})
    place = _scale(places, powers, even)
    ends = [end for points in series.values() for _, point in points for end in (point.low, point.high)]
    marks = _marks(min(0.0, *ends), max(ends), upwards)
    shares = upwards == "shares"

    def across(x: float) -> float:
        return left + 16 + (right - left - 32) * place(x)

    def up(value: float) -> float:
        if upwards == "powers":
            part = math.log10(max(value, 1)) / math.log10(marks[-1])
        else:
            part = (value - marks[0]) / (marks[-1] - marks[0])
        return bottom - (bottom - top) * part

    columns = max(int((right - left) // (48 + DIGIT * max(map(len, series)))), 1)
    parts = []
    for value in marks:
        colour = HALF if value == (50 if shares else 0) else GRID
        parts.append(f'<path d="M{left} {up(value):.1f}H{right}" stroke="{colour}"/>')
        parts.append(_text(left - 8, up(value) + 4, f"{value:.0f} %" if shares else f"{value:,.15g}", "end"))
    free = -math.inf
    for x in places:
        label = f"{x:,.15g}"
        half = DIGIT * len(label) / 2
        if across(x) - half >= free:  # one that would lie on the last is left out
            parts.append(_text(across(x), bottom + 18, label, "middle"))
            free = across(x) + half
    parts.append(_text((left + right) / 2, bottom + 38, across_title, "middle"))
    for number, (name, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{across(x):.1f},{up(point.value):.1f}" for x, point in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for x, point in points:
            parts.append(f'<path d="M{across(x):.1f} {up(point.low):.1f}V{up(point.high):.1f}" stroke="{colour}"/>')
            parts.append(f'<circle cx="{across(x):.1f}" cy="{up(point.value):.1f}" r="3.5" fill="{colour}"/>')
        if len(series) > 1:
            x = left + (right - left) / columns * (number % columns)
            y = bottom + 62 + 18 * (number // columns)
            parts.append(f'<path d="M{x:.1f} {y - 4}h20" stroke="{colour}" stroke-width="3"/>')
            parts.append(_text(x + 26, y, name))
    legend = 18 * math.ceil(len(series) / columns) + 6 if len(series) > 1 else 0
    return _picture(bottom + 48 + legend, title, parts)


def _marks(lowest: float, highest: float, upwards: str) -> list[float]:
    """The grid lines from the bottom to the top."""
    if upwards == "shares":
        return [0.0, 25.0, 50.0, 75.0, 100.0]
    if upwards == "powers":
        return [10.0**power for power in range(max(math.ceil(math.log10(highest)), 1) + 1)]
    step = _step(highest - lowest)
    return [number * step for number in range(math.floor(lowest / step), max(math.ceil(highest / step), 0) + 1)]


def _scale(places: Sequence[float], powers: bool, even: bool) -> Callable[[float], float]:
    """Where a value stands between the first place, 0, and the last, 1."""
    if even:
        order = {x: number / max(len(places) - 1, 1) for number, x in enumerate(places)}
        return order.__getitem__
    measure = math.log if powers else float
    first, last = measure(places[0]), measure(places[-1])
    return lambda x: (measure(x) - first) / ((last - first) or 1)


def cross_table(title: str, names: Sequence[str], shares: Mapping[tuple[str, str], Point]) -> Picture:
    """The row's share against the column's player, green above half and red below, its interval underneath."""
    left = 24 + DIGIT * max(map(len, names))
    top, tall = 56, 44
    wide = min((WIDTH - 16 - left) / len(names), 100)
    parts = [_text(left + wide * (place + 0.5), top - 10, name, "middle") for place, name in enumerate(names)]
    for down, row in enumerate(names):
        y = top + tall * down
        parts.append(_text(left - 10, y + tall / 2 + 4, row, "end"))
        for place, column in enumerate(names):
            x = left + wide * place
            point = shares.get((row, column))
            colour = "#f2f2f2" if point is None else _colour(point.value)
            parts.append(
                f'<rect x="{x:.1f}" y="{y}" width="{wide - 2:.1f}" height="{tall - 2}" rx="3" fill="{colour}"/>'
            )
            if point is not None:
                middle = x + wide / 2 - 1
                parts.append(_text(middle, y + 18, f"{point.value:.0f} %", "middle"))
                parts.append(_text(middle, y + 33, f"{point.low:.0f} to {point.high:.0f}", "middle", "#555"))
    return _picture(top + tall * len(names) + 12, title, parts)


def _colour(share: float) -> str:
    """From red through white to green."""
    far = (200, 85, 61) if share < 50 else (11, 140, 95)
    part = 0.75 * abs(share - 50) / 50
    return "#" + "".join(f"{round(255 + (channel - 255) * part):02x}" for channel in far)
