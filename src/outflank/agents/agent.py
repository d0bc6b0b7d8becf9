"""What a player is: anything that chooses a move for a game within a limit."""

from abc import ABC, abstractmethod

from outflank.agents.rating import Show, rate_by_answers
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.search.limits import Limit, Report


class Agent(ABC):
    """A player. It is asked only where it has a legal move: passes are the game's business."""

    spec: str
    """The text that names this player, set by whoever made it from one."""

    lasting = True
    """False where nothing is gained by keeping the player for its next game."""

    def expect(self, limit: Limit) -> None:  # noqa: B027
        """Called before `start` by whoever knows what each move of the game will be limited to."""

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


class ForfeitError(ValueError):
    """Raised by a player that works outside of this process: it has lost, for a reason that begins with the kind, which
    is `time`, `illegal move`, `memory` or `crash`."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind
        self.trace = ""
        """Where in its own code it failed, in several lines, if it says so."""
