"""Exercises: positions with one clear best move, for people to find; the shipped ones, and their format."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Literal

from outflank.board.position import Position
from outflank.board.squares import parse_square, square_name
from outflank.board.variant import Variant
from outflank.errors import Fault

Kind = Literal["games", "endings", "mistakes"]
SHIPPED = Path(__file__).parent / "data" / "exercises.tsv"
CLEAR, CLEAR_EXACT = 3.0, 2.0
"""Discs by which the best move is better than every other: where values are estimated, and where they are proven."""
FEWEST_MOVES = 3
"""Moves to choose from."""


@dataclass(frozen=True)
class Exercise:
    """A position, where it comes from, and the value of each of its moves in discs for the side to move."""

    kind: Kind
    position: Position
    values: tuple[tuple[int, float], ...]
    """The best first."""
    exact: bool

    @property
    def best(self) -> int:
        return self.values[0][0]

    @property
    def id(self) -> str:
        return exercise_id(self.position)

    @property
    def line(self) -> str:
        """One line of a file."""
        values = " ".join(f"{square_name(move)}:{value:g}" for move, value in self.values)
        sure = "exact" if self.exact else "estimated"
        return "\t".join((self.kind, self.position.variant.name, self.position.text, sure, values))

    @classmethod
    def from_line(cls, line: str) -> "Exercise":
        try:
            kind, variant, text, sure, values = line.split("\t")
            if kind not in ("games", "endings", "mistakes") or sure not in ("exact", "estimated"):
                raise ValueError(line)
            pairs = (each.split(":") for each in values.split())
            position = Position.from_text(text, Variant.named(variant))
            return cls(
                kind,  # type: ignore[arg-type]
                position,
                tuple((parse_square(move), float(value)) for move, value in pairs),
                sure == "exact",
            )
        except ValueError:
            raise Fault("exercises.line", line=line[:60]) from None


def exercise_id(position: Position) -> str:
    """The same for the same position, wherever it comes from."""
    return sha256(f"{position.variant.name} {position.text}".encode()).hexdigest()[:16]


def exercise_of(kind: Kind, position: Position, values: Mapping[int, float], exact: bool) -> Exercise | None:
    """The exercise that a position makes, if one move is clearly the best of several."""
    if len(values) < FEWEST_MOVES or len(values) < len(position.legal_moves):
        return None
    ordered = sorted(values.items(), key=lambda one: (-one[1], one[0]))
    if ordered[0][1] - ordered[1][1] < (CLEAR_EXACT if exact else CLEAR):
        return None
    return Exercise(kind, position, tuple((move, round(value, 1) + 0.0) for move, value in ordered), exact)


def written(exercises: Iterable[Exercise]) -> str:
    """The text of a file of exercises, each position once."""
    return "".join(f"{line}\n" for line in dict.fromkeys(one.line for one in exercises))


def read(text: str) -> list[Exercise]:
    return [Exercise.from_line(line) for line in text.splitlines()]


@cache
def shipped() -> dict[str, Exercise]:
    """Those that come with Outflank, by their ids; made by `outflank data exercises`."""
    return {one.id: one for one in read(SHIPPED.read_text("utf-8"))}
