"""What a spec may ask of any player: a limit of its own, and random moves at first."""

from dataclasses import replace

from outflank.agents.agent import Agent
from outflank.agents.rating import Show
from outflank.agents.simple import RandomPlayer
from outflank.board.game import Game
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.search.limits import Limit, Report


class Wrapper(Agent):
    """A player as its spec wants it: under the limit named there, whatever the command says, and with its first moves
    at random, so that two that never vary still play many games."""

    def __init__(self, player: Agent, limit: Limit, openings: int) -> None:
        self.player, self.limit, self.openings = player, limit, openings
        self.lasting = player.lasting
        self._dice = RandomPlayer()
        self._began: int | None = None

    @property
    def overtime(self) -> float:
        return self.player.overtime

    @property
    def printed(self) -> str:
        return self.player.printed

    def expect(self, limit: Limit) -> None:
        self.player.expect(self.limit.under(limit))

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self.player.start(variant, color, seed)
        self._dice.start(variant, color, seed)
        self._began = None

    def wake(self) -> None:
        self.player.wake()

    def choose(self, game: Game, limit: Limit) -> Report:
        if self.openings and self._moved(game) < self.openings:
            return self._dice.choose(game, limit)
        return self.player.choose(game, self.limit.under(limit))

    def _moved(self, game: Game) -> int:
        """Its own moves so far; a match may begin after a book opening, whose moves do not count."""
        line = game.line
        if self._began is None:
            self._began = len(line)
        return sum(node.mover is game.position.turn and node.move != PASS for node in line[self._began :])

    def hints(self, game: Game, limit: Limit, show: Show) -> None:
        self.player.hints(game, self.limit.under(limit), show)

    def rated(self, game: Game, report: Report, limit: Limit) -> list[Report]:
        return self.player.rated(game, report, self.limit.under(limit))

    def ponder(self, game: Game, limit: Limit) -> None:
        """As far as the spec lets it look; the time is the other side's."""
        self.player.ponder(game, replace(self.limit.under(limit), time=None, clock=None))

    def close(self) -> None:
        self.player.close()
