"""Analyses as a notebook shows them: a board with the values of its moves, a game with what each move cost."""

from typing import TYPE_CHECKING

from outflank.board.squares import Color, square_name
from outflank.board.svg import draw
from outflank.board.svg import game_html as stepped
from outflank.library.judging import SIGNS
from outflank.notebook import beside, table

if TYPE_CHECKING:
    from outflank.library.analysis import GameAnalysis, PositionAnalysis

LINE_SHOWN = 10
"""Moves of a line that a table has room for."""


def _value(score: float, exact: bool) -> str:
    return f"{'=' if exact else ''}{score + 0.0:+g}"


def position_html(found: "PositionAnalysis") -> str:
    """The board with each move's value on its square, and the lines behind them."""
    values = {hint.move: f"{hint.score + 0.0:+g}" for hint in found.hints if found.position.legal >> hint.move & 1}
    rows = [
        (
            square_name(hint.move),
            _value(hint.score, hint.exact),
            "end" if hint.exact else hint.depth,
            " ".join(map(square_name, hint.pv[:LINE_SHOWN])),
        )
        for hint in found.hints
    ]
    caption = "values in discs for the side to move; = is proven"
    return beside(
        draw(found.position, marks=values, size=300), table(("move", "value", "depth", "line"), rows, caption)
    )


def game_html(found: "GameAnalysis") -> str:
    """The game to step through, and its moves with what each cost."""
    rows = []
    for number, each in enumerate(found.moves, 1):
        better = "" if each.loss == 0 else f"{square_name(each.best)} {_value(each.value, each.exact)}"
        sign = SIGNS[each.mark]
        loss = f"{each.loss:g} {sign}".strip() if each.loss else ""
        rows.append(
            (number, each.mover, square_name(each.node.move or 0), _value(each.played, each.exact), loss, better)
        )
    totals = "; ".join(f"{color}: {found.totals(color).loss:g} discs lost" for color in Color)
    return beside(stepped(found.game), table(("", "side", "move", "value", "loss", "better"), rows, totals))
