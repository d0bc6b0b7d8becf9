"""A runner on a Ray cluster: the same batches of games as on this machine, wherever there is a core.

Batches wait in Ray's queue and free cores pull them. A batch whose node or process dies is lost as a whole; its games
go back into the backlog and are played again by others. Nodes that join while it runs get work, and the files that
players are made of travel with the games.
"""

import gc
import importlib
import os
import socket
import tempfile
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from sys import stderr
from typing import Any

from outflank import __version__
from outflank.agents.spec import parse
from outflank.arena.contest import Fixture, Player, files_named
from outflank.arena.record import GameRecord
from outflank.arena.runner import SMALLEST_BATCH, Backlog, Finished, Runner, next_size
from outflank.arena.table import Table

BATCH_SECONDS = 1.0
"""Longer than on one machine: a batch costs a message over the network, and comes back as a whole."""
WAITING_FOR_A_CORE = 1
"""Batches in the queue for each core beside the one it plays, so that no core waits for us."""
COUNT_CORES_EVERY = 2.0
KNOCK_SECONDS = 5.0
TOKEN = "if it asks for a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN here too"
INSTALL = "Ray is not installed: pip install 'outflank[cluster]' (here and on every node)"

Files = dict[str, bytes]
"""What the files that players name hold, by the name that stands in their specs."""


class RayCluster(Runner):
    """Plays on a cluster. `address` is the `ray://host:port` of one that runs, or `ray`: the one that the variable
    RAY_ADDRESS names, and without it one of this machine alone, started now and ended with us. `jobs` bounds how many
    batches are played at a time."""

    def __init__(self, address: str = "ray", jobs: int | None = None) -> None:
        self._ray = _ray()
        self._jobs = jobs
        self._mine = not self._ray.is_initialized()
        self._late: Finished = []
        self._cores, self._counted = 1, 0.0
        self._size = SMALLEST_BATCH
        if self._mine:
            self._connect(address)
        self._play = self._ray.remote(num_cpus=1, max_retries=0)(play_batch)
        self._shipped: dict[Player, Any] = {}

    def _connect(self, address: str) -> None:
        address = os.environ.get("RAY_ADDRESS", "local") if address == "ray" else address
        options: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
        _knock(address)
        try:
            with redirect_stdout(stderr):
                self._ray.init(address, log_to_driver=False, logging_level="ERROR", **options)
        except BaseException as error:
            with suppress(Exception):  # half a cluster must not stay
                self._ray.shutdown()
            if not isinstance(error, Exception):
                raise
            # Whatever its class: Ray raises plain Exceptions too, as when a busy machine starts it too slowly.
            said = (str(error).strip() or type(error).__name__).splitlines()[0]
            if address == "local":
                raise ValueError(f"Ray cannot be started on this machine: {said}") from None
            raise ValueError(f"no Ray cluster answers at {address}: {said} ({TOKEN})") from None

    def run(self, fixtures: Iterable[Fixture]) -> Generator[Finished, None, None]:
        backlog = Backlog(fixtures)
        flying: dict[Any, list[Fixture]] = {}
        try:
            while self._hand_out(backlog, flying):
                ended, _ = self._ray.wait(list(flying), num_returns=1)
                for one in ended:
                    batch = flying.pop(one)
                    try:
                        finished = self._received(one, batch)
                    except _Died as death:
                        backlog.lost(batch, str(death))
                    else:
                        yield finished
        finally:
            # Only here where somebody stopped listening: what is still being played is not wanted, what has been is.
            self._recall(flying)

    def _hand_out(self, backlog: Backlog, flying: dict[Any, list[Fixture]]) -> bool:
        """Fills the queue; False when all is played."""
        while len(flying) < self._room():
            fixtures = backlog.take(self._size)
            if not fixtures:
                break
            flying[self._play.remote(__version__, fixtures, *self._files(fixtures))] = fixtures
        return bool(flying)

    def _room(self) -> int:
        """How many batches may be under way: nodes come and go."""
        now = time.perf_counter()
        if now >= self._counted + COUNT_CORES_EVERY:
            self._cores = max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
            self._counted = now
        return self._jobs or self._cores * (1 + WAITING_FOR_A_CORE)

    def _files(self, fixtures: Sequence[Fixture]) -> list[Any]:
        """The files that the players of a batch name, each player's put into Ray's store once."""
        players = {player for one in fixtures for player in (one.first, one.second) if player.fingerprint}
        for player in players - self._shipped.keys():
            names = files_named(parse(player.spec))
            self._shipped[player] = self._ray.put({name: Path(name).expanduser().read_bytes() for name in names})
        return [self._shipped[player] for player in players]

    def _received(self, one: Any, batch: list[Fixture]) -> Finished:
        errors = self._ray.exceptions
        try:
            records, seconds = self._ray.get(one)
        except errors.RayTaskError as error:
            cause = error.cause if isinstance(error.cause, Exception) else error
            raise cause from None
        except errors.RayError as error:
            raise _Died(type(error).__name__) from None
        self._size = next_size(self._size, seconds / len(records), BATCH_SECONDS)
        return list(zip(batch, records, strict=True))

    def _recall(self, flying: dict[Any, list[Fixture]]) -> None:
        if not flying:
            return
        ended, running = self._ray.wait(list(flying), num_returns=len(flying), timeout=0)
        for one in ended:
            with suppress(_Died, ValueError):
                self._late += self._received(one, flying[one])
        for one in running:
            with suppress(Exception):  # it may have ended meanwhile, or its node is gone
                self._ray.cancel(one, force=True)

    def collect(self) -> Finished:
        late, self._late = self._late, []
        return late

    def close(self) -> None:
        if self._mine:
            self._ray.shutdown()


class _Died(Exception):  # noqa: N818 (it is caught here, and no error)
    """The process or the node that played a batch is gone."""


def _knock(address: str) -> None:
    """Fails at once where nobody listens: Ray itself would try for many minutes."""
    host, colon, port = address.removeprefix("ray://").rstrip("/").rpartition(":")
    if colon and port.isdecimal():
        try:
            socket.create_connection((host, int(port)), KNOCK_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise ValueError(f"no Ray cluster answers at {address}: {error}") from None
    elif address.startswith("ray://"):
        raise ValueError(f"the address of a cluster has a port, usually ray://host:10001, and {address} has none")


def _ray() -> Any:
    """The library, without its reports to its makers."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # What Ray will do one day is no news for somebody who wants to see a match.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ValueError(INSTALL) from None


# What follows runs on the nodes.


def play_batch(version: str, fixtures: list[Fixture], *shipped: Files) -> tuple[list[GameRecord], float]:
    """Plays games in a process of a node; the records in order, and the seconds it took."""
    if version != __version__:
        raise ValueError(f"a node of the cluster has Outflank {__version__}, here it is {version}: install the same")
    began = time.perf_counter()
    files = {name: content for one in shipped for name, content in one.items()}
    with redirect_stdout(stderr):  # what a player prints is no part of anything
        records = [_table().play(_at_home(fixture, files)) for fixture in fixtures]
    gc.freeze()  # as every worker: what is loaded by now stays
    return records, time.perf_counter() - began


@cache
def _table() -> Table:
    """One a process: Ray keeps its processes, and so players keep their seats."""
    return Table()


def _at_home(fixture: Fixture, files: Files) -> Fixture:
    """The game with players whose files are where this node has them."""
    if not files:
        return fixture
    return replace(fixture, first=_with_files(fixture.first, files), second=_with_files(fixture.second, files))


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
    """Where this node has a file: at its own place, if it is the same there, or else in a temporary folder."""
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
