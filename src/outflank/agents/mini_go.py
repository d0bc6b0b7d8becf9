"""`mini-go`: its author's "miniAlphaGo for Reversi", a Monte Carlo tree search with UCB1.

From its document: the constant 0.1, simulations that stop at depth > 32 and then count discs, a draw taken as a loss,
a new tree for every move, the time of the step and of the game. Ours, because it does not print them: the number of
playouts and what its modes of difficulty are. docs/the-five.md lists each decision.
"""

from dataclasses import replace
from typing import Literal

from outflank.agents.mcts import MonteCarloPlayer
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.search.limits import Limit, Report
from outflank.search.montecarlo.search import Draw, Final, Options, Reward

Mode = Literal["easy", "normal", "hard"]
PLAYOUTS: dict[Mode, int] = {"easy": 100, "normal": 1_000, "hard": 10_000}


class MiniGo(MonteCarloPlayer):
    """A mode says how many playouts it makes where no limit of playouts is given."""

    def __init__(self, options: Options, mode: Mode | None) -> None:
        super().__init__(replace(options, playouts=PLAYOUTS[mode or "normal"]))
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


def mini_go(
    mode: Mode | None,
    c: float,
    cut: int,
    draw: Draw,
    reward: Reward,
    final: Final,
    reuse: bool,
    proven: bool,
    threads: int,
) -> MiniGo:
    """The player; `cut=0` plays its random games to the end."""
    options = Options(c, draw=draw, reward=reward, cut=cut, final=final, reuse=reuse, proven=proven, threads=threads)
    return MiniGo(options, mode)
