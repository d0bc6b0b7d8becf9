"""What a player is: anything that chooses a move for a game within a limit."""

from abc import ABC, abstractmethod

from outflank.agents.rating import Show, rate_by_answers
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.search.limits import Limit, Report


class IllegalMoveError(ValueError):
    """What a player from elsewhere answered is not a move at all."""


class Agent(ABC):
    """A player. It is asked only where it has a legal move: passes are the game's business."""

    spec: str
    """The text that names this player, set by whoever made it from one."""

    def start(self, variant: Variant, color: Color, seed: int) -> None:  # noqa: B027 (most players keep no state)
        """Called before a game; a player's random choices follow from the seed alone."""

    @abstractmethod
    def choose(self, game: Game, limit: Limit) -> Report:
        """Decides the move at the game's cursor."""

    def hints(self, game: Game, limit: Limit, show: Show) -> None:
        """Rates every legal move and shows them, best first; again whenever it knows better."""
        rate_by_answers(self.choose, game, limit, show)

    def close(self) -> None:  # noqa: B027
        """Lets go of what the player holds: a process, a file, a thread."""
