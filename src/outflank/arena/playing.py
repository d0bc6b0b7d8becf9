"""A game as a task for workers (see the `work` room), on this machine or on another, where the files that its players
are made of travel with it."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from outflank.agents.spec import parse
from outflank.arena.contest import Fixture, Player, files_named
from outflank.arena.record import GameRecord
from outflank.arena.table import Table
from outflank.work.held import held
from outflank.work.stop import Stop
from outflank.work.workers import Workers

Files = dict[str, bytes]
"""What the files that a player names hold, by the name that stands in its spec."""


@dataclass(frozen=True)
class Play:
    """Plays a game. Players keep their seats at their worker's table."""

    fixture: Fixture
    files: tuple[Files, ...] = ()

    def __call__(self, stop: Stop) -> GameRecord:
        return held(Table).play(self._at_home() if self.files else self.fixture)

    def __str__(self) -> str:
        return f"{self.fixture.black} against {self.fixture.white}"

    @property
    def long(self) -> bool:
        """Games under a limit of time are."""
        players = (self.fixture.first, self.fixture.second)
        limits = [parse(player.spec).limit.under(self.fixture.limit) for player in players]
        return any(limit.time is not None or limit.clock is not None for limit in limits)

    def _at_home(self) -> Fixture:
        """The game with players whose files are where this machine has them."""
        files = {name: content for one in self.files for name, content in one.items()}
        first, second = (_with_files(player, files) for player in (self.fixture.first, self.fixture.second))
        return replace(self.fixture, first=first, second=second)


def plays(fixtures: Iterable[Fixture], workers: Workers) -> Iterator[tuple[Fixture, Play]]:
    """The tasks of games. Those of a batch share the files of their players, so that these are sent once with it."""
    read: dict[Player, Files] = {}
    for fixture in fixtures:
        players = [player for player in (fixture.first, fixture.second) if player.fingerprint]
        if not players or not workers.elsewhere:
            yield fixture, Play(fixture)
            continue
        for player in players:
            if player not in read:
                names = files_named(parse(player.spec))
                read[player] = {name: Path(name).expanduser().read_bytes() for name in names}
        yield fixture, Play(fixture, tuple(read[player] for player in players))


def _with_files(player: Player, files: Files) -> Player:
    spec = parse(player.spec)

    def placed(text: str) -> str:
        name, colon, inside = text.rpartition(":")
        if text in files:
            return _placed(text, files[text])
        return f"{_placed(name, files[name])}{colon}{inside}" if name in files else text

    options = tuple((key, placed(value) if isinstance(value, str) else value) for key, value in spec.options)
    return replace(player, spec=str(replace(spec, options=options, target=placed(spec.target))))


def _placed(name: str, content: bytes) -> str:
    """Where this machine has a file: at its own place, if it is the same there, or else in a temporary folder."""
    own = Path(name).expanduser()
    with suppress(OSError):
        if own.read_bytes() == content:
            return str(own.resolve())
    place = Path(_folder().name) / sha256(content).hexdigest()[:16] / own.name
    if not place.is_file():
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(content)
    return str(place)


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """This process's own, gone when it ends: nobody else writes what a player is made of."""
    return tempfile.TemporaryDirectory(prefix="outflank-")
