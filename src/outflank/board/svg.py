"""A position as an SVG picture: self-contained, for pages, notebooks and documents.

The board text travels inside the picture, so that it can be read back (`formats.pictures`).
"""

from collections.abc import Mapping
from xml.sax.saxutils import escape

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color, square_name, square_number, squares_of
from outflank.errors import Fault
from outflank.notebook import stepper

CELL = 50
MARGIN = 26  # around the board, for the coordinates
RADIUS = 21

FRAME, FIELD, LINES, LETTERS = "#26332b", "#2d8a57", "#1d5f3b", "#cfd8d2"
LAST, LABEL_ON = "#e0533d", {"X": "#f4f4f2", "O": "#1c1c1c", "-": "#f3f7e9"}

# Soft light from above left. Every picture defines the same gradients, so that many can share a page.
DEFINITIONS = (
    "<defs>"
    '<radialGradient id="outflank-black" cx="35%" cy="30%" r="75%">'
    '<stop offset="0" stop-color="#4d5350"/><stop offset="1" stop-color="#121413"/></radialGradient>'
    '<radialGradient id="outflank-white" cx="35%" cy="30%" r="75%">'
    '<stop offset="0" stop-color="#ffffff"/><stop offset="1" stop-color="#d3d5cf"/></radialGradient>'
    "</defs>"
)


def draw(
    position: Position,
    last: int | str | None = None,
    legal: bool = True,
    marks: Mapping[int, str] | Mapping[str, str] | None = None,
    size: int = 400,
) -> str:
    """The board with its discs; dots on legal moves, a mark on the last one, and small labels by square.

    `size` is the longer side in pixels.
    """
    if size < 1:
        raise Fault("svg.size", size=size)
    labels = {square_number(square): label for square, label in (marks or {}).items()}
    last = None if last is None else square_number(last)
    rows, columns = position.variant.rows, position.variant.columns
    for square in labels if last is None or last == PASS else (*labels, last):
        if not 0 <= square < PASS or not position.variant.board >> square & 1:
            raise Fault("svg.square", square=square, rows=rows, columns=columns)
    parts = [
        *_opened(rows, columns, size),
        f"<title>{escape(_title(position, last))}</title>",
        f'<metadata id="outflank-position">{position.variant.name} {position.text}</metadata>',
        *_empty_board(rows, columns),
    ]
    parts += [_disc(square, Color.BLACK) for square in squares_of(position.black)]
    parts += [_disc(square, Color.WHITE) for square in squares_of(position.white)]
    if legal:
        parts += [_dot(square, position.turn) for square in position.legal_moves if square not in labels]
    if last is not None and last != PASS:
        x, y = _center(last)
        parts.append(f'<circle cx="{x}" cy="{y}" r="5" fill="{LAST}"/>')
    parts += [_label(square, label, position.mark(square)) for square, label in labels.items()]
    return "\n".join([*parts, "</svg>\n"])


def game_html(game: Game, size: int = 340) -> str:
    """A game as a board to step through, which stands where the game stands."""
    nodes = [game.root, *game.line]
    rows, columns = game.variant.rows, game.variant.columns
    squares = game.variant.squares
    steps: list[tuple[str, tuple[int, int] | None, str]] = []
    number = 0
    for node in nodes:
        last, moved = None, "" if node.move is None else f"{node.mover} {square_name(node.move)}; "
        if node.move is not None and node.move != PASS:  # passes have no number
            number += 1
            last, moved = _center(node.move), f"{number}. {moved}"
        steps.append(("".join(map(node.position.mark, squares)), last, f"{moved}{_standing(node.position)}"))
    marks, last, _ = steps[-1]
    discs = []
    for square, mark in zip(squares, marks, strict=True):
        x, y = _center(square)
        fill = "white" if mark == "O" else "black"
        hidden = ' style="display:none"' if mark == "-" else ""
        discs.append(f'<circle data-disc cx="{x}" cy="{y}" r="{RADIUS}" fill="url(#outflank-{fill})"{hidden}/>')
    x, y = last or (0, 0)
    hidden = "" if last else ' style="display:none"'
    discs.append(f'<circle data-last cx="{x}" cy="{y}" r="5" fill="{LAST}"{hidden}/>')
    picture = [*_opened(rows, columns, size), *_empty_board(rows, columns), *discs, "</svg>"]
    return stepper("".join(picture), steps, len(steps) - 1)


def _opened(rows: int, columns: int, size: int) -> list[str]:
    width, height = CELL * columns + 2 * MARGIN, CELL * rows + 2 * MARGIN
    scale = size / max(width, height)
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width * scale:.6g}" height="{height * scale:.6g}" role="img">'
    ]


def _empty_board(rows: int, columns: int) -> list[str]:
    width, height = CELL * columns + 2 * MARGIN, CELL * rows + 2 * MARGIN
    frame = f'<rect width="{width}" height="{height}" rx="10" fill="{FRAME}"/>'
    return [DEFINITIONS, frame, *_field(rows, columns), *_coordinates(rows, columns)]


def _standing(position: Position) -> str:
    counts = f"Black {position.count(Color.BLACK)}, White {position.count(Color.WHITE)}"
    state = str(position.outcome()) if position.is_over else f"{position.turn} to move"
    return f"{counts}; {state}"


def _title(position: Position, last: int | None) -> str:
    """What a screen reader says."""
    played = "" if last is None else f"; last move {square_name(last)}"
    return f"Othello board, {position.variant.rows}x{position.variant.columns}: {_standing(position)}{played}"


def _center(square: int) -> tuple[int, int]:
    row, column = divmod(square, 8)
    return MARGIN + CELL * column + CELL // 2, MARGIN + CELL * row + CELL // 2


def _field(rows: int, columns: int) -> list[str]:
    """The green cloth with its lines, and the four dots of a real board where there is room for them."""
    width, height = CELL * columns, CELL * rows
    lines = "".join(
        [f"M{MARGIN + CELL * column} {MARGIN}v{height}" for column in range(columns + 1)]
        + [f"M{MARGIN} {MARGIN + CELL * row}h{width}" for row in range(rows + 1)]
    )
    dots = [
        f'<circle cx="{MARGIN + CELL * column}" cy="{MARGIN + CELL * row}" r="3.5" fill="{LINES}"/>'
        for row in (2, rows - 2)
        for column in (2, columns - 2)
        if min(rows, columns) > 5
    ]
    return [
        f'<rect x="{MARGIN}" y="{MARGIN}" width="{width}" height="{height}" fill="{FIELD}"/>',
        f'<path d="{lines}" stroke="{LINES}" stroke-width="1.5" stroke-linecap="square" fill="none"/>',
        *dots,
    ]


def _coordinates(rows: int, columns: int) -> list[str]:
    style = f'fill="{LETTERS}" font-family="sans-serif" font-size="14" text-anchor="middle"'
    letters = [
        f'<text x="{MARGIN + CELL * column + CELL // 2}" y="{MARGIN - 9}">{"abcdefgh"[column]}</text>'
        for column in range(columns)
    ]
    numbers = [
        f'<text x="{MARGIN // 2}" y="{MARGIN + CELL * row + CELL // 2 + 5}">{row + 1}</text>' for row in range(rows)
    ]
    return [f"<g {style}>", *letters, *numbers, "</g>"]


def _disc(square: int, color: Color) -> str:
    x, y = _center(square)
    edge = "#0b0c0b" if color is Color.BLACK else "#9fa39b"
    return (
        f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="url(#outflank-{str(color).lower()})"'
        f' stroke="{edge}" stroke-width="1"/>'
    )


def _dot(square: int, color: Color) -> str:
    x, y = _center(square)
    return f'<circle cx="{x}" cy="{y}" r="6" fill="{"#000" if color is Color.BLACK else "#fff"}" opacity="0.35"/>'


def _label(square: int, label: str, mark: str) -> str:
    x, y = _center(square)
    size = min(17, max(7, 70 // max(len(label), 1)))  # what fits into a square
    # XML has no way to write most control characters, not even escaped.
    text = escape("".join(letter if letter.isprintable() else " " for letter in label))
    return (
        f'<text x="{x}" y="{y + size * 0.36:.4g}" fill="{LABEL_ON[mark]}" font-family="sans-serif"'
        f' font-size="{size}" font-weight="600" text-anchor="middle">{text}</text>'
    )
