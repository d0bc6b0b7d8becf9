"""What a player is: anything that chooses a move for a game within a limit."""

from abc import ABC, abstractmethod

from outflank.agents.rating import Show, by_rank, rate_by_answers
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.search.limits import Limit, Report


class Agent(ABC):
    """A player. It is asked only when it has a legal move: the game plays passes itself."""

    spec: str
    """The spec that this player was made from."""

    lasting = True
    """False where nothing is gained by keeping the player for its next game."""

    @property
    def overtime(self) -> float:
        """Seconds of its last decision that are not the player's: it was over, and only we were late to see it."""
        return 0.0

    @property
    def printed(self) -> str:
        """The last lines that it printed in this game, where that does not go to the terminal."""
        return ""

    def expect(self, limit: Limit) -> None:  # noqa: B027
        """Called before `start` if the limit of every move of the game is known."""

    def start(self, variant: Variant, color: Color, seed: int) -> None:  # noqa: B027 (most players keep no state)
        """Called before a game; a player's random choices follow from the seed alone."""

    def wake(self) -> None:  # noqa: B027
        """Called before a move, before its time starts, for a player that has to be woken first."""

    @abstractmethod
    def choose(self, game: Game, limit: Limit) -> Report:
        """Decides the move at the game's cursor."""

    def hints(self, game: Game, limit: Limit, show: Show) -> None:
        """Rates every legal move and shows them, best first; again whenever it knows better."""
        rate_by_answers(self.choose, game, limit, show)

    def rated(self, game: Game, report: Report, limit: Limit) -> list[Report]:
        """Every legal move as this player sees it, best first, beside its decision under the same limit. A move it
        knows nothing about has no score; looking at moves that a search has pruned takes extra time."""
        others = [move for move in game.position.legal_moves if move != report.move]
        values = [(move, report.values.get(move)) for move in others]
        return by_rank([report, *(Report(move, value, 0 if value is None else report.depth) for move, value in values)])

    def ponder(self, game: Game, limit: Limit) -> None:  # noqa: B027
        """Thinks while the other side does, about the position at the game's cursor, until it is interrupted. Only what
        a player keeps for its next move is worth the thought, so most do nothing."""

    def close(self) -> None:  # noqa: B027
        """Releases what the player holds: a process, a file, a thread."""


class ForfeitError(Fault):
    """Raised by a player that works outside of this process: it has lost, by `forfeit.` and a kind that the referee
    knows, and `why`."""

    trace = ""
    """Where in its own code it failed, in several lines, if it says so."""
