"""What is to be played: players, the conditions they share, and single games as they go to a worker.

Everything about a game follows from the conditions, the two players, the number of the pair and who has Black: where
and when it is played changes nothing. That is what lets a killed run go on, and two runs be compared.
"""

import hashlib
import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from outflank.agents.spec import Spec, parse
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.search.limits import Clock, Limit

PIECE = 1 << 20


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


def _fingerprint(spec: Spec) -> str:
    """A hash of the files that a spec names; "" where it names none."""
    digest = hashlib.sha256()
    names = files_named(spec)
    for name in names:
        with Path(name).expanduser().open("rb") as file:
            while piece := file.read(PIECE):  # a file that somebody hands in may be larger than memory
                digest.update(piece)
    return digest.hexdigest()[:12] if names else ""


def files_named(spec: Spec) -> list[str]:
    """The files that a spec names, such as `./mine.py:edges`, as they are written there."""
    found = []
    for text in [spec.target, *(value for _, value in spec.options if isinstance(value, str))]:
        for name in (text, text.rpartition(":")[0]):
            if name and len(name) < 4096 and Path(name).expanduser().is_file():
                found.append(name)
                break
    return found


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

    def to_text(self) -> str:
        """One line of JSON, the same for equal conditions."""
        data = {
            "variant": self.variant.name,
            "limit": limit_data(self.limit),
            "openings": self.openings,
            "seed": self.seed,
        }
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
    def number(self) -> int:
        """The game's number between these two, from 0: the first player has Black in the even ones."""
        return 2 * self.pair + self.first_color

    @property
    def black(self) -> Player:
        return self.first if self.first_color is Color.BLACK else self.second

    @property
    def white(self) -> Player:
        return self.second if self.first_color is Color.BLACK else self.first


def game_seed(seed: int, pair: int, first_color: Color) -> int:
    """What decides all that is random in one game: 32 bits that follow from a contest's seed, the pair and the colour.

    It is the same for whoever plays, so that a player and its next version meet the same luck.
    """
    return int.from_bytes(hashlib.sha256(f"{seed} {pair} {int(first_color)}".encode()).digest()[:4], "big")
