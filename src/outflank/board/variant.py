"""A variant is data, never a second code path: the board's size, how it starts, and who wins."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from outflank.board.squares import Color

Objective = Literal["most", "fewest"]
Start = Literal["diagonal", "parallel", "mirrored"]

SMALLEST, LARGEST = 4, 8
NAME = re.compile(
    r"(?:(?P<game>othello|reversed)(?:-(?=[0-9a-z])|$))?(?:(?P<rows>[0-9]+)x(?P<columns>[0-9]+)(?:-(?=[a-z])|$))?"
    r"(?P<start>[a-z]+)?"
)


@dataclass(frozen=True)
class Variant:
    """One of the games that Outflank plays, such as ``Variant.named("reversed-6x6")``."""

    rows: int = 8
    columns: int = 8
    objective: Objective = "most"
    start: Start = "diagonal"

    def __post_init__(self) -> None:
        for length, what in ((self.rows, "rows"), (self.columns, "columns")):
            if not isinstance(length, int) or not SMALLEST <= length <= LARGEST:
                raise ValueError(f"a board has {SMALLEST} to {LARGEST} {what}, not {length}")
        if self.objective not in get_args(Objective):
            raise ValueError(f"the objective is 'most' or 'fewest' discs, not {self.objective!r}")
        if self.start not in get_args(Start):
            raise ValueError(f"the start is one of {', '.join(get_args(Start))}, not {self.start!r}")

    @classmethod
    def named(cls, name: str) -> "Variant":
        """`othello`, `reversed`, `6x6`, `reversed-5x7`, each with `-parallel` or `-mirrored` if wanted."""
        match = NAME.fullmatch(name.strip().lower())
        if match is None or not (match["game"] or match["rows"]):
            raise ValueError(
                f"{name!r} is not a variant: write othello, reversed, 6x6, reversed-6x6 or any ROWSxCOLUMNS"
                " from 4x4 to 8x8, with -parallel or -mirrored for the other starts"
            )
        start = match["start"] or "diagonal"
        if start not in get_args(Start):
            meant = f", and {name!r} is written reversed-…" if start == "reversed" else ""
            raise ValueError(f"{name!r} has an unknown start {start!r}: it is -parallel, -mirrored or nothing{meant}")
        return cls(
            rows=int(match["rows"] or 8),
            columns=int(match["columns"] or 8),
            objective="fewest" if match["game"] == "reversed" else "most",
            start=start,  # type: ignore[arg-type]
        )

    @property
    def name(self) -> str:
        size = "" if self.rows == self.columns == 8 else f"{self.rows}x{self.columns}"
        game = "reversed" if self.reversed else "othello" if not size else ""
        start = "" if self.start == "diagonal" else self.start
        return "-".join(part for part in (game, size, start) if part)

    def __str__(self) -> str:
        return self.name

    @property
    def reversed(self) -> bool:
        """True where the side with fewer discs wins."""
        return self.objective == "fewest"

    @property
    def sign(self) -> int:
        """What turns a margin in discs into a score: 1, or -1 where fewest discs win."""
        return -1 if self.reversed else 1

    @property
    def square_count(self) -> int:
        return self.rows * self.columns

    @cached_property
    def board(self) -> int:
        """The mask of playable squares."""
        row = (1 << self.columns) - 1
        return sum(row << (8 * index) for index in range(self.rows))

    @cached_property
    def corners(self) -> int:
        last_row, last_column = 8 * (self.rows - 1), self.columns - 1
        return 1 | 1 << last_column | 1 << last_row | 1 << (last_row + last_column)

    @property
    def symmetries(self) -> range:
        """The board's symmetries, as `kernels.symmetry` numbers them: eight on square boards, four on others."""
        return range(8 if self.rows == self.columns else 4)

    @property
    def squares(self) -> tuple[int, ...]:
        """The board's squares row by row, as exchange formats number them."""
        return tuple(8 * row + column for row in range(self.rows) for column in range(self.columns))

    def start_discs(self) -> dict[Color, int]:
        """The four discs of the start, around (rows // 2, columns // 2)."""
        row, column = self.rows // 2, self.columns // 2
        upper_left, upper_right = 1 << (8 * (row - 1) + column - 1), 1 << (8 * (row - 1) + column)
        lower_left, lower_right = upper_left << 8, upper_right << 8
        diagonal, other = upper_right | lower_left, upper_left | lower_right
        if self.start == "parallel":
            return {Color.BLACK: lower_left | lower_right, Color.WHITE: upper_left | upper_right}
        if self.start == "mirrored":
            return {Color.BLACK: other, Color.WHITE: diagonal}
        return {Color.BLACK: diagonal, Color.WHITE: other}


OTHELLO = Variant()
REVERSED = Variant(objective="fewest")
