"""What a spec may ask of any player: a limit of its own, and random moves at first. Each is put around the player."""

from outflank.agents.agent import Agent
from outflank.agents.rating import Show
from outflank.agents.simple import RandomPlayer
from outflank.board.game import Game
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.search.limits import Limit, Report


class Wrapper(Agent):
    """A player around another one."""

    def __init__(self, player: Agent) -> None:
        self.player = player

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self.player.start(variant, color, seed)

    def choose(self, game: Game, limit: Limit) -> Report:
        return self.player.choose(game, limit)

    def hints(self, game: Game, limit: Limit, show: Show) -> None:
        self.player.hints(game, limit, show)

    def close(self) -> None:
        self.player.close()


class Limited(Wrapper):
    """A player whose spec names its limit: that one holds, whatever the command says."""

    def __init__(self, player: Agent, limit: Limit) -> None:
        super().__init__(player)
        self.limit = limit

    def choose(self, game: Game, limit: Limit) -> Report:
        return super().choose(game, self.limit.under(limit))

    def hints(self, game: Game, limit: Limit, show: Show) -> None:
        super().hints(game, self.limit.under(limit), show)


class RandomOpenings(Wrapper):
    """A player that makes its first moves at random, so that two that never vary still play many games."""

    def __init__(self, player: Agent, moves: int) -> None:
        super().__init__(player)
        self.moves = moves
        self._dice = RandomPlayer()
        self._began: int | None = None

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        super().start(variant, color, seed)
        self._dice.start(variant, color, seed)
        self._began = None

    def choose(self, game: Game, limit: Limit) -> Report:
        line = game.line
        if self._began is None:
            # A match may begin after a book opening; the moves counted are this player's own.
            self._began = len(line)
        own = [node for node in line[self._began :] if node.mover is game.position.turn and node.move != PASS]
        return self._dice.choose(game, limit) if len(own) < self.moves else super().choose(game, limit)
