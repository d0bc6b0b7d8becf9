"""Monte Carlo players: `mcts` with a tree, `montecarlo` without one. docs/monte-carlo.md explains their options."""

from typing import Any

from outflank.agents.agent import Agent
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.search.limits import Limit, Report
from outflank.search.montecarlo.search import MonteCarlo, Options


class MonteCarloPlayer(Agent):
    """A Monte Carlo search that follows a game, so that the tree can be kept from move to move."""

    def __init__(self, **options: Any) -> None:
        self.search = MonteCarlo(Options(**options))

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self.search.seed = seed
        self.search.forget()

    def choose(self, game: Game, limit: Limit) -> Report:
        self._follow(game)
        return self.search.run(game.position, limit)

    def close(self) -> None:
        self.search.close()

    def _follow(self, game: Game) -> None:
        """Tells the search what was played since it was last asked, if that was in this game.

        Asked again in the same place it starts anew: the same question has the same answer.
        """
        asked = self.search.position
        moves: list[int] = []
        node = game.node
        while node.position != asked and node.parent is not None and node.move is not None:
            moves.append(node.move)
            node = node.parent
        if moves and node.position == asked:
            self.search.follow(moves[::-1])
        else:
            self.search.forget()


def montecarlo(**options: Any) -> MonteCarloPlayer:
    """Plain Monte Carlo: random games from each move, and the move with the best of them."""
    return MonteCarloPlayer(tree=False, final="value", memory=1.0, **options)
