"""A lesson's tree as an SVG picture: what each node is worth, whose choice it is, and what was never looked at."""

from html import escape

from outflank.search.teaching.trees import Lesson, Node

ACROSS, DOWN, HALF = 44, 64, 17
"""Pixels between leaves and between levels, and half of a node."""
LOOKED_AT, CHOSEN, LEFT_OUT = "#2b6cb0", "#0b6e4f", "#b8b8b8"


def drawn(lesson: Lesson) -> str:
    """Triangles point to what their side wants: up for the largest value, down for the smallest; leaves are squares.
    The line of best play is green, what was pruned is grey."""
    places: dict[str, tuple[float, int]] = {}
    leaves = _placed(lesson.root, 0, 0, places)
    values, pruned, best = lesson.values, set(lesson.pruned), _best_line(lesson)
    below = {child.id: node for node in lesson.root.walk() for child in node.children}
    maximizes = {step.node: step.maximizes for step in lesson.steps}
    parts = []
    for name, (x, level) in places.items():
        if name in below:
            from_x, from_level = places[below[name].id]
            colour = LEFT_OUT if name in pruned else CHOSEN if name in best else LOOKED_AT
            dashes = ' stroke-dasharray="4 4"' if name in pruned else ""
            parts.append(
                f'<line x1="{from_x:g}" y1="{_y(from_level)}" x2="{x:g}" y2="{_y(level)}" stroke="{colour}"'
                f' stroke-width="{3 if name in best else 1.5}"{dashes}/>'
            )
    for node in lesson.root.walk():
        x, level = places[node.id]
        colour = LEFT_OUT if node.id in pruned else CHOSEN if node.id in best else LOOKED_AT
        known = values.get(node.id, node.value)
        parts.append(_shape(x, _y(level), maximizes.get(node.id, level % 2 == 0), not node.children, colour))
        text = "?" if known is None else f"{known:g}"
        parts.append(f'<text x="{x:g}" y="{_y(level) + 5}" text-anchor="middle" fill="#fff">{escape(text)}</text>')
    width, height = leaves * ACROSS + 16, _y(max(level for _, level in places.values())) + 2 * HALF
    title = f"{lesson.algorithm}: {lesson.value:g}; {len(pruned)} nodes pruned"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" font-family="sans-serif" font-size="13"><title>{escape(title)}</title>{"".join(parts)}</svg>'
    )


def _placed(node: Node, level: int, left: int, places: dict[str, tuple[float, int]]) -> int:
    """Places a node above the middle of its leaves, with so many others left of it; returns how many there are then."""
    right = left
    for child in node.children:
        right = _placed(child, level + 1, right, places)
    right = right if node.children else left + 1
    places[node.id] = 8 + ACROSS * (left + right) / 2, level
    return right


def _best_line(lesson: Lesson) -> set[str]:
    """The nodes of best play: at each the first child that was left with its value."""
    values, node, line = lesson.values, lesson.root, {lesson.root.id}
    following: Node | None = next((child for child in node.children if child.id == lesson.best), None)
    while following is not None:
        line.add(following.id)
        wanted = values.get(following.id)
        following = next((child for child in following.children if values.get(child.id) == wanted), None)
    return line


def _y(level: int) -> int:
    return HALF + 8 + DOWN * level


def _shape(x: float, y: int, maximizes: bool, leaf: bool, colour: str) -> str:
    if leaf:
        return f'<rect x="{x - HALF:g}" y="{y - HALF}" width="{2 * HALF}" height="{2 * HALF}" rx="3" fill="{colour}"/>'
    tip = -1 if maximizes else 1
    points = f"{x - HALF - 6:g},{y - tip * HALF} {x + HALF + 6:g},{y - tip * HALF} {x:g},{y + tip * (HALF + 6)}"
    return f'<polygon points="{points}" fill="{colour}"/>'
