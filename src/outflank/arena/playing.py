"""A game as a task for workers (see the `work` room), on this machine or on another, where the files that its players
are made of travel with it."""

import platform
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from outflank.agents.bundle import gathered
from outflank.agents.spec import parse
from outflank.arena.contest import Fixture, Player, files_named
from outflank.arena.record import GameRecord
from outflank.arena.table import Table
from outflank.errors import MachineError
from outflank.work.held import held
from outflank.work.stop import Stop
from outflank.work.workers import Needs, Workers

Files = dict[str, bytes]
"""What the files that players name hold, by the names that stand in their specs."""


@dataclass(frozen=True)
class Play:
    """Plays a game. Players keep their seats at their worker's table."""

    fixture: Fixture
    files: Files = field(default_factory=dict)

    def __call__(self, stop: Stop) -> GameRecord:
        fixture, files = self.fixture, self.files
        try:
            if files:
                first, second = _with_files(fixture.first, files), _with_files(fixture.second, files)
                fixture = replace(fixture, first=first, second=second)
            return held(Table).play(fixture)
        except OSError as error:  # a full disk, a sandbox that does not start: no player's fault
            raise MachineError("match.not-played", game=str(self), where=platform.node(), why=error) from None

    def __str__(self) -> str:
        return f"{self.fixture.black} against {self.fixture.white}"

    @property
    def needs(self) -> Needs | None:
        """To shut players in, where somebody's file plays."""
        names = {parse(player.spec).name for player in (self.fixture.first, self.fixture.second)}
        if "py" not in names:
            return None
        from outflank.agents.sandbox import enclosure  # not every system has it

        return enclosure.require

    @property
    def long(self) -> bool:
        """Games under a limit of time are."""
        players = (self.fixture.first, self.fixture.second)
        limits = [parse(player.spec).limit.under(self.fixture.limit) for player in players]
        return any(limit.time is not None or limit.clock is not None for limit in limits)


def plays(fixtures: Iterable[Fixture], workers: Workers) -> Iterator[tuple[Fixture, Play]]:
    """The tasks of games, for these workers."""
    read = cache(_files)
    for fixture in fixtures:
        files = {**read(fixture.first), **read(fixture.second)} if workers.elsewhere else {}
        yield fixture, Play(fixture, files)


def _files(player: Player) -> Files:
    names = files_named(parse(player.spec)) if player.fingerprint else []
    return {name: _content(Path(name).expanduser()) for name in names}


def _content(path: Path) -> bytes:
    """A file's bytes; of a folder a zip, which is the same player."""
    return gathered(path).packed() if path.is_dir() else path.read_bytes()


def _with_files(player: Player, files: Files) -> Player:
    """The player with its files where this machine has them."""
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
    with suppress(OSError, ValueError):
        if _content(own) == content:
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
