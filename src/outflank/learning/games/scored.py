"""Games with a value for each move: what self-play makes, what solving and searching add to given games, in a file."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.formats.table import NONE, WIDTH, GameTable
from outflank.learning.games.loops import NO_VALUE, UNKNOWN
from outflank.patterns.weights import write_tables

Array = Any
FORMAT = 1
HELD_OUT = 20
"""One game in so many is kept for the test."""


@dataclass(frozen=True)
class ScoredGames:
    """Games of one variant from its start: squares, values for the side that moves, and the kinds of those values."""

    variant: Variant
    moves: Array
    values: Array
    kinds: Array

    def __len__(self) -> int:
        return len(self.moves)

    @classmethod
    def unscored(cls, games: GameTable) -> "ScoredGames":
        """Games of which nothing is known but their moves."""
        moves = np.full((len(games), WIDTH), NONE, np.uint8)
        width = min(games.squares.shape[1], WIDTH)
        moves[:, :width] = games.squares[:, :width]
        values, kinds = np.full(moves.shape, NO_VALUE, np.int8), np.full(moves.shape, UNKNOWN, np.uint8)
        return cls(games.variant, moves, values, kinds)

    def rows(self, begin: int, end: int) -> "ScoredGames":
        """Some of the games, as a copy."""
        return ScoredGames(self.variant, *(part[begin:end].copy() for part in (self.moves, self.values, self.kinds)))

    def parted(self) -> "tuple[ScoredGames, ScoredGames]":
        """The games to learn from, and those held out for the test: about one in twenty, whatever the others are."""
        weights = np.random.default_rng(0).integers(0, 1 << 63, WIDTH, np.uint64)
        held = ((self.moves * weights).sum(axis=1) >> np.uint64(40)) % np.uint64(HELD_OUT) == 0
        columns = (self.moves, self.values, self.kinds)
        one, other = (ScoredGames(self.variant, *(part[which] for part in columns)) for which in (~held, held))
        return one, other

    @classmethod
    def joined(cls, parts: "list[ScoredGames]") -> "ScoredGames":
        columns = ("moves", "values", "kinds")
        together = (np.concatenate([getattr(part, column) for part in parts]) for column in columns)
        return cls(parts[0].variant, *together)

    def save(self, path: Path) -> None:
        """Writes one file, whole or not at all. Its `moves` can be read by all that reads tables of games."""
        about = {"format": FORMAT, "variant": self.variant.name}
        write_tables(path, about, moves=self.moves, values=self.values, kinds=self.kinds)

    @classmethod
    def load(cls, path: Path) -> "ScoredGames":
        """Reads a file that `save` wrote; a ValueError says what is wrong with another one."""
        try:
            with np.load(path) as file:
                about = json.loads(str(file["about"]))
                moves, values, kinds = file["moves"], file["values"], file["kinds"]
            variant = Variant.named(about["variant"])
        except FileNotFoundError:
            raise Fault("file.missing", path=path) from None
        except Exception:
            raise Fault("scored.unreadable", path=path) from None
        kinds_of_array = [(part.dtype, part.shape) for part in (moves, values, kinds)]
        shape = (len(moves), WIDTH)
        if (
            kinds_of_array != [(np.dtype(kind), shape) for kind in (np.uint8, np.int8, np.uint8)]
            or kinds.max(initial=0) > 3
        ):
            raise Fault("scored.arrays", path=path)
        return cls(variant, *map(np.ascontiguousarray, (moves, values, kinds)))
