"""A variant is data, never a second code path: the board's size, how it starts, and who wins."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from outflank.board.squares import PASS, Color
from outflank.errors import Fault

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
        for length, code in ((self.rows, "variant.rows"), (self.columns, "variant.columns")):
            if not isinstance(length, int) or not SMALLEST <= length <= LARGEST:
                raise Fault(code, least=SMALLEST, most=LARGEST, number=length)
        if self.objective not in get_args(Objective):
            raise Fault("variant.objective", text=self.objective)
        if self.start not in get_args(Start):
            raise Fault("variant.start", starts=", ".join(get_args(Start)), text=self.start)

    @classmethod
    def named(cls, name: "str | Variant") -> "Variant":
        """`othello`, `reversed`, `6x6`, `reversed-5x7`, each with `-parallel` or `-mirrored` if wanted; a variant is
        itself."""
        if isinstance(name, Variant):
            return name
        if not isinstance(name, str):
            raise Fault("variant.unknown", text=name)
        match = NAME.fullmatch(name.strip().lower())
        if match is None or not (match["game"] or match["rows"]):
            raise Fault("variant.unknown", text=name)
        start = match["start"] or "diagonal"
        if start not in get_args(Start):
            if start == "reversed":
                raise Fault("variant.reversed-last", text=name)
            raise Fault("variant.unknown-start", text=name, start=start)
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
        """True if the side with fewer discs wins."""
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

    def mirrored(self, square: int, which: int) -> int:
        """Where a symmetry of the board takes a square; a pass stays a pass."""
        if square == PASS:
            return PASS
        row, column = divmod(square, 8)
        if which & 4:
            row, column = column, row
        if which & 1:
            column = self.columns - 1 - column
        return 8 * (self.rows - 1 - row if which & 2 else row) + column

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
