"""What is to be played: players, the conditions they share, and single games as they go to a worker.

Everything about a game follows from the conditions, the two players, the number of the pair and who has Black: where
and when it is played changes nothing. That is what lets a killed run go on, and two runs be compared.
"""

import contextlib
import functools
import hashlib
import json
import os
import secrets
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from outflank.agents.bundle import gathered, is_zip
from outflank.agents.spec import Spec, parse
from outflank.board import compiled
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.search.limits import Clock, Limit


@dataclass(frozen=True, order=True)
class Player:
    """Somebody who plays: a spec, and a fingerprint of the files it names, so that a changed file is another player."""

    spec: str
    fingerprint: str = ""

    @classmethod
    def named(cls, text: str) -> "Player":
        """The player of a spec, as it stands now."""
        spec = parse(text)
        return cls(str(spec), _fingerprint(spec))

    def __str__(self) -> str:
        return self.spec

    @property
    def is_submission(self) -> bool:
        """Whether it is somebody else's program."""
        return parse(self.spec).name == "py"

    def check_unchanged(self) -> None:
        """Raises an error if the files have changed: what was played since is not this player's."""
        if self.fingerprint and _fingerprint_now(self.spec, _stamps(self.spec)) != self.fingerprint:
            raise Fault("match.changed", player=self.spec)


def _stamps(spec: str) -> tuple[object, ...]:
    """What tells that a file was not written since; of a folder nothing does."""
    about = []
    for name in files_named(parse(spec)):
        path = Path(name).expanduser()
        stat = path.stat()
        about.append(
            object() if path.is_dir() else (name, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        )
    return tuple(about)


@functools.lru_cache(64)
def _fingerprint_now(spec: str, stamps: tuple[object, ...]) -> str:
    """Once for each state of the files: a network's weights may be large, and games short."""
    try:
        return _fingerprint(parse(spec))
    except (OSError, Fault):
        return "not there"


def _fingerprint(spec: Spec) -> str:
    """A hash of the files that a spec names; "" where it names none."""
    digest = hashlib.sha256()
    names = files_named(spec)
    for name in names:
        path = Path(name).expanduser()
        if spec.name == "py" and has_several(path):
            return gathered(path).fingerprint
        with path.open("rb") as file:
            hashlib.file_digest(file, lambda: digest)  # by pieces: what somebody hands in may be larger than memory
    return digest.hexdigest()[:12] if names else ""


def files_named(spec: Spec) -> list[str]:
    """The files that a spec names, such as `./mine.py:edges`, as they are written there; a player that is handed in may
    be a folder, too."""
    found = []
    for text in [spec.target, *(value for _, value in spec.options if isinstance(value, str))]:
        for name in (text, text.rpartition(":")[0]):
            path = Path(name).expanduser()
            if name and len(name) < 4096 and (path.is_file() or (spec.name == "py" and path.is_dir())):
                found.append(name)
                break
    return found


def has_several(path: Path) -> bool:
    """Whether a player that is handed in has several files: a folder or a zip of them."""
    return path.is_dir() or is_zip(path)


@dataclass(frozen=True)
class Opening:
    """How a game begins: a start position (the variant's own where it is empty) and moves from it."""

    start: str = ""
    """A board text."""
    moves: str = ""
    """A transcript."""


@dataclass(frozen=True)
class Conditions:
    """What all games of a contest share. Games under equal conditions belong together and are never played twice."""

    variant: Variant
    limit: Limit
    openings: str
    """`start`, `random:8`, `balanced:8`, or a file's name with a hash of its content."""
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.limit, Limit):
            raise Fault("limit.kind", limit=self.limit)

    def to_text(self) -> str:
        """One line of JSON, the same for equal conditions."""
        limit = limit_data(self.limit)
        data = {"variant": self.variant.name, "limit": limit, "openings": self.openings, "seed": self.seed}
        return json.dumps(data, sort_keys=True)

    @classmethod
    def from_text(cls, text: str) -> "Conditions":
        data = json.loads(text)
        return cls(Variant.named(data["variant"]), limit_from(data["limit"]), data["openings"], data["seed"])


def limit_data(limit: Limit) -> dict[str, Any]:
    """A limit as plain data, without what it leaves free."""
    data: dict[str, Any] = {}
    for measure in fields(Limit):
        value = getattr(limit, measure.name)
        if value is not None:
            data[measure.name] = [value.remaining, value.increment] if isinstance(value, Clock) else value
    return data


def limit_from(data: dict[str, Any]) -> Limit:
    """The inverse of `limit_data`."""
    clock = data.get("clock")
    return Limit(**{**data, "clock": Clock(*clock) if clock else None})


def parse_clock(text: str) -> Clock:
    """Reads `60+0.5`: seconds for the game, and for each move on top."""
    base, _, increment = text.partition("+")
    try:
        clock = Clock(float(base), float(increment or 0))
    except ValueError:
        clock = Clock(0.0)
    if not (0 < clock.remaining < float("inf") and 0 <= clock.increment < float("inf")):
        raise Fault("clock.form", text=text)
    return clock


@dataclass(frozen=True)
class Fixture:
    """One game to be played, with all that a worker needs to know."""

    first: Player
    second: Player
    pair: int
    first_color: Color
    variant: Variant
    opening: Opening
    limit: Limit
    seed: int

    @property
    def black(self) -> Player:
        return self.first if self.first_color is Color.BLACK else self.second

    @property
    def white(self) -> Player:
        return self.second if self.first_color is Color.BLACK else self.first


def game_seed(seed: int, pair: int, first_color: Color, secret: bytes = b"") -> int:
    """What decides all that is random in one game: 32 bits that follow from a contest's seed, the pair and the colour.

    It is the same for whoever plays, so that a player and its next version meet the same luck. With a secret it cannot
    be computed by a submission that wants to know its opponent's luck, nor be guessed from its own: it has 62 bits.
    """
    digest = hashlib.sha256(secret + f"{seed} {pair} {int(first_color)}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 2 if secret else int.from_bytes(digest[:4], "big")


@functools.cache
def secret() -> bytes:
    """What seeds the games of submissions: `OUTFLANK_SECRET`, or random bytes that stay in our cache's folder, so that
    the same command plays the same games on this machine. No submission sees it."""
    named = os.environ.get("OUTFLANK_SECRET")
    if named:
        return named.encode()
    path = compiled.cache_folder().with_name("secret")
    if not path.is_file():
        own = path.with_name(f".secret.{os.getpid()}")
        own.touch(0o600)
        try:
            own.write_bytes(secrets.token_bytes(32))
            with contextlib.suppress(FileExistsError):  # another process was faster
                path.hardlink_to(own)
        finally:
            own.unlink()
    return path.read_bytes()
