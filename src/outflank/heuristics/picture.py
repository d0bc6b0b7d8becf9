"""Tables of square values as a picture (SVG): green squares are good for their owner, red ones bad."""

from collections.abc import Mapping, Sequence
from html import escape

from outflank.errors import Fault
from outflank.heuristics.matrices import Matrix
from outflank.heuristics.phases import matrices_of
from outflank.heuristics.weighted import WeightedHeuristic

SQUARE, GAP, TOP, LEFT = 40, 28, 46, 26
GOOD, BAD = (11, 140, 95), (200, 85, 61)


def tables_of(heuristic: WeightedHeuristic, title: str = "") -> dict[str, Matrix]:
    """The tables of a heuristic by what to call them: with their weight, and one for each phase where they differ."""
    found: dict[str, Matrix] = {}
    begins = [0, *heuristic.phases]
    for term in heuristic.terms:
        tables = matrices_of(term.feature)
        if not tables:
            continue
        count = max(len(tables), len(term.weights))
        for phase in range(count):
            weight = term.weights[phase % len(term.weights)] * term.scale
            name = title or f"{heuristic.name}: {term.name}"
            if count > 1:
                name += f", from {begins[phase]} discs"
            table = tables[phase % len(tables)]
            found[name] = tuple(tuple(weight * value for value in row) for row in table)
    return found


def table_picture(tables: Mapping[str, Matrix], across: int = 3) -> str:
    """The tables side by side, each coloured by its own largest value."""
    if not tables:
        raise Fault("heuristic.nothing-to-draw")
    wide = max(len(table[0]) for table in tables.values()) * SQUARE + LEFT + GAP
    tall = max(len(table) for table in tables.values()) * SQUARE + TOP + GAP
    columns = 2 if len(tables) == 4 else min(across, len(tables))
    rows = -(-len(tables) // columns)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {columns * wide} {rows * tall}" role="img"'
        f' aria-label="{escape(", ".join(tables))}" font-family="sans-serif" font-size="12">',
        f'<rect width="{columns * wide}" height="{rows * tall}" fill="#fff"/>',
    ]
    for number, (name, table) in enumerate(tables.items()):
        parts += _one(name, table, number % columns * wide + LEFT, number // columns * tall + TOP)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _one(name: str, table: Matrix, left: int, top: int) -> list[str]:
    most = max((abs(value) for row in table for value in row), default=0.0) or 1.0
    parts = [f'<text x="{left}" y="{top - 26}" font-weight="bold">{escape(name)}</text>']
    for column in range(len(table[0])):
        letter = "abcdefgh"[column]
        parts.append(f'<text x="{left + SQUARE * (column + 0.5)}" y="{top - 8}" text-anchor="middle">{letter}</text>')
    for down, row in enumerate(table):
        y = top + SQUARE * down
        parts.append(f'<text x="{left - 8}" y="{y + SQUARE / 2 + 4}" text-anchor="end">{down + 1}</text>')
        for column, value in enumerate(row):
            x = left + SQUARE * column
            parts.append(
                f'<rect x="{x}" y="{y}" width="{SQUARE - 2}" height="{SQUARE - 2}" rx="3"'
                f' fill="{_colour(value / most)}"/>'
            )
            parts.append(
                f'<text x="{x + SQUARE / 2 - 1}" y="{y + SQUARE / 2 + 3}" text-anchor="middle"'
                f' font-size="11">{_shown(value)}</text>'
            )
    return parts


def _shown(value: float) -> str:
    """Short enough for a square."""
    digits = 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:.{digits}f}".replace("-", "−")


def _colour(part: float) -> str:
    """By the root of the value: a corner would leave all other squares white."""
    far = GOOD if part > 0 else BAD
    return "#" + "".join(f"{round(255 + (channel - 255) * 0.8 * abs(part) ** 0.5):02x}" for channel in far)


def table_text(table: Sequence[Sequence[float]]) -> str:
    """A table in letters, row by row."""
    return "\n".join("  " + " ".join(f"{value:8.4g}" for value in row) for row in table)
