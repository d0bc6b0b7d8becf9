"""What matches and tournaments share: the games still to be played, and playing them into a store."""

from collections.abc import Container, Generator, Iterable, Iterator
from contextlib import closing

from outflank.agents.roster import entry_named
from outflank.agents.spec import agent, parse
from outflank.arena.contest import Conditions, Fixture, Player, game_seed, secret
from outflank.arena.openings import Openings
from outflank.arena.playing import plays
from outflank.arena.record import GameRecord
from outflank.arena.store import Store
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.protocols.child import CannotPlayError, NoProgramError
from outflank.work.workers import Finished, Workers


def check_players(players: Iterable[Player], variant: Variant, all_needed: bool = False) -> None:
    """Makes each player once, so that mistakes in specs are reported before anything is played, and what has to be
    compiled is compiled once.

    Players from elsewhere may fail: one of two hundred that cannot be started must not stop the others, and forfeits
    its own games. Of theirs only an engine that does not know this game at all is refused; files are only read. Where
    `all_needed`, nobody else is there to be stopped, and a command that does not exist is a slip of the pen.
    """
    for player in players:
        spec = parse(player.spec)
        entry = entry_named(spec.name)
        entry.checked(spec.target)
        if entry.target == "file":
            continue
        try:
            with closing(agent(spec)) as made:
                made.start(variant, Color.BLACK, 0)
        except CannotPlayError:
            raise
        except NoProgramError as error:
            if all_needed:
                raise Fault("agent.not-started", player=player, why=error) from None
        except Exception:
            if not entry.target:
                raise


def pairing_fixtures(
    first: Player,
    second: Player,
    pairs: int,
    conditions: Conditions,
    openings: Openings,
    done: Container[tuple[int, Color]],
) -> Iterator[Fixture]:
    """The games of two players that are still to be played, pair by pair."""
    key = secret() if first.is_submission or second.is_submission else b""
    for pair in range(pairs):
        for color in Color:
            if (pair, color) not in done:
                seed = game_seed(conditions.seed, pair, color, key)
                yield Fixture(first, second, pair, color, conditions.variant, openings[pair], conditions.limit, seed)


def kept(
    store: Store, contest: int, workers: Workers, fixtures: Iterable[Fixture]
) -> Generator[Finished[Fixture, GameRecord], None, None]:
    """Plays games, and yields them once the store has them. What ended while somebody stopped it is kept too."""
    return workers.run(plays(fixtures, workers), lambda finished: store.add(contest, finished))
