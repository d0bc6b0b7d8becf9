"""Players that are other programs: `gtp:COMMAND` and `nboard:COMMAND`."""

from outflank.agents.agent import Agent, ForfeitError
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.protocols.gtphost import GtpHost
from outflank.protocols.host import Host, NoMoveError
from outflank.protocols.nboardhost import NBoardHost
from outflank.search.limits import Limit, Report


class ExternalEngine(Agent):
    """An engine behind a protocol. Its program is started for its first game, and again after it has failed."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self._variant: Variant | None = None

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self.host.begin(variant)
        self._variant = variant

    def choose(self, game: Game, limit: Limit) -> Report:
        if self._variant is None:
            self.start(game.variant, game.position.turn, 0)
        try:
            return self.host.choose(game, limit)
        except NoMoveError as error:
            raise ForfeitError("forfeit.illegal-move", why=error) from None
        except BaseException:
            self._variant = None  # the next question starts it anew
            raise

    def close(self) -> None:
        self._variant = None
        self.host.close()


def gtp(command: str, patience: float) -> ExternalEngine:
    """An engine that speaks GTP."""
    return ExternalEngine(GtpHost(command, patience))


def nboard(command: str, patience: float, variants: bool) -> ExternalEngine:
    """An engine that speaks the NBoard protocol."""
    return ExternalEngine(NBoardHost(command, patience, variants))
