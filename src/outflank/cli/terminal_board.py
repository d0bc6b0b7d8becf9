"""A game as a terminal shows it: the board, in colour or in plain ASCII, with moves and results in words."""

import math
from typing import TYPE_CHECKING

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.search.limits import Report, certainty

if TYPE_CHECKING:
    from rich.text import Text

LETTERS = "abcdefgh"

# Every cell has its own background, so the board looks the same in dark and in light terminals. The greens are of the
# 256-colour palette, which nearly every terminal has, and about as far from black as from white.
FELT = ("color(29)", "color(65)")
LAST_FELT = "color(136)"
DISC = {Color.BLACK: "color(16)", Color.WHITE: "color(231)"}
LEGAL = "color(230)"
BRACKETS = "color(16)"


def plain_board(position: Position, last: int | None = None) -> str:
    """X and O, + on the legal squares, the last move in brackets."""
    legal = position.legal
    lines = ["   " + "".join(f" {letter} " for letter in LETTERS[: position.variant.columns])]
    for row in range(position.variant.rows):
        cells = []
        for square in range(8 * row, 8 * row + position.variant.columns):
            mark = "+" if legal >> square & 1 else position.mark(square)
            cells.append(f"({mark})" if square == last else f" {mark} ")
        lines.append(f" {row + 1} " + "".join(cells))
    return "\n".join(line.rstrip() for line in lines)


def coloured_board(position: Position, last: int | None = None) -> "Text":
    """Discs on a green board, dots on the legal squares, the last move on gold and in brackets."""
    from rich.text import Text

    legal = position.legal
    text = Text("   ")
    text.append("".join(f" {letter} " for letter in LETTERS[: position.variant.columns]), "bold")
    for row in range(position.variant.rows):
        text.append(f"\n {row + 1} ", "bold")
        for square in range(8 * row, 8 * row + position.variant.columns):
            felt = LAST_FELT if square == last else FELT[(row + square) % 2]
            if legal >> square & 1:
                text.append(" · ", f"bold {LEGAL} on {felt}")
            elif position.mark(square) == "-":
                text.append("   ", f"on {felt}")
            else:
                color = Color.BLACK if position.black >> square & 1 else Color.WHITE
                left, right = "[]" if square == last else "  "
                text.append(left, f"{BRACKETS} on {felt}")
                text.append("●", f"{DISC[color]} on {felt}")
                text.append(right, f"{BRACKETS} on {felt}")
    return text


def coloured_disc(color: Color) -> "Text":
    """A disc on a patch of the board, for the line of counts."""
    from rich.text import Text

    return Text(" ● ", f"{DISC[color]} on {FELT[0]}")


def described(report: Report) -> str:
    """What a player says of its move: `value +3, depth 1, 0.002 s`; `result +12, exact, 0.310 s`."""
    parts = []
    if report.score is not None:
        parts.append(f"{'result' if report.decided else 'value'} {value_text(report.score)}")
    if report.depth or report.exact:
        parts.append(certainty(report.depth, report.selectivity, report.exact))
    return ", ".join([*parts, f"{report.seconds:.3f} s"])


def value_text(score: float) -> str:
    """`+3`, `-0.25`, `0`, `+inf`."""
    if score == 0:
        return "0"
    return f"{score:+.0f}" if math.isinf(score) or score == int(score) else f"{score:+.2f}"


def thinking_seconds(game: Game, color: Color) -> float:
    """How long a side has thought on the way to the cursor, as far as the game knows."""
    return sum(node.seconds or 0.0 for node in game.line if node.mover is color and node.move != PASS)


def result_text(game: Game) -> str:
    """`White wins by 12. Black 26, White 38.`; in a reversed game it says what winning means."""
    outcome = str(game.outcome())
    counts = ", ".join(f"{color} {game.position.count(color)}" for color in Color)
    objective = "; fewest discs win" if game.variant.reversed else ""
    return f"{outcome[0].upper()}{outcome[1:]}. {counts}{objective}."
