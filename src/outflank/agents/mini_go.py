"""`mini-go`: its author's "miniAlphaGo for Reversi", a Monte Carlo tree search with UCB1.

From its document: the constant 0.1, simulations that stop at depth > 32 and then count discs, a draw taken as a loss,
a new tree for every move, the time of the step and of the game. Ours, because it does not print them: the number of
playouts and what its modes of difficulty are. docs/the-five.md lists each decision.
"""

from dataclasses import replace
from typing import Any, Literal

from outflank.agents.mcts import MonteCarloPlayer
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.search.limits import Limit, Report

Mode = Literal["easy", "normal", "hard"]
PLAYOUTS: dict[Mode, int] = {"easy": 100, "normal": 1_000, "hard": 10_000}


class MiniGo(MonteCarloPlayer):
    """A mode says how many playouts it makes where no limit of playouts is given; `cut=0` plays its random games to the
    end."""

    def __init__(self, mode: Mode | None, **options: Any) -> None:
        super().__init__(playouts=PLAYOUTS[mode or "normal"], **options)
        self._mode = mode
        self._total = 0.0

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        super().start(variant, color, seed)
        self._total = 0.0

    def choose(self, game: Game, limit: Limit) -> Report:
        if self._mode and limit.playouts is None and limit.nodes is None:
            limit = replace(limit, playouts=PLAYOUTS[self._mode])
        report = super().choose(game, limit)
        self._total += report.seconds
        times = f"step time {report.seconds:.4f} s, total {self._total:.4f} s"
        return replace(report, text=f"{times}; {report.text}")
