"""Each student's rank after each version: a line for everybody whenever the table has changed."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from outflank.arena.text import as_it_was, csv_text

if TYPE_CHECKING:
    from outflank.arena.classroom.gradebook import Grade


@dataclass(frozen=True)
class Stood:
    """One student in one table."""

    run: int
    """Which table, from 1."""
    day: str
    id: str
    version: int
    """Of the student's own, from 1."""
    fingerprint: str
    rank: int | None
    players: int
    points: float | None
    rating: float | None
    check: int | None


NAMES = [one.name for one in fields(Stood)]


def read(text: str) -> list[Stood]:
    """The lines of a history that `written` made."""

    def number(row: dict[str, str], name: str) -> float | None:
        return float(row[name]) if row[name] else None

    def whole(row: dict[str, str], name: str) -> int | None:
        return int(row[name]) if row[name] else None

    return [
        Stood(
            *(
                int(row["run"]),
                row["day"],
                as_it_was(row["id"]),
                int(row["version"]),
                row["fingerprint"],
                whole(row, "rank"),
            ),
            *(int(row["players"]), number(row, "points"), number(row, "rating"), whole(row, "check")),
        )
        for row in csv.DictReader(io.StringIO(text))
    ]


def written(history: Iterable[Stood]) -> str:
    return csv_text([NAMES, *map(astuple, history)])


def continued(history: Sequence[Stood], graded: "Sequence[Grade]", when: float) -> list[Stood]:
    """The history with the table of now; where that has not changed, as it was."""
    run = max((one.run for one in history), default=0) + 1
    day = datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M")
    players = sum(grade.rank is not None for grade in graded)
    now = []
    for grade in graded:
        if grade.student.copy is None:
            continue
        fingerprint = grade.student.copy.fingerprint
        own = of_student(history, grade.student.id)
        again = bool(own) and own[-1].fingerprint == fingerprint
        version = (own[-1].version + (not again)) if own else 1
        rating = None if grade.row is None else round(grade.row.rating.value, 1) + 0.0
        check = None if grade.check is None else grade.check.score
        now.append(
            Stood(run, day, grade.student.id, version, fingerprint, grade.rank, players, grade.points, rating, check)
        )

    def table(lines: Iterable[Stood]) -> set[tuple[object, ...]]:
        return {(one.id, one.fingerprint, one.rank, one.points) for one in lines}

    last = [one for one in history if one.run == run - 1]
    return [*history] if table(last) == table(now) else [*history, *now]


def of_student(history: Iterable[Stood], id: str) -> tuple[Stood, ...]:
    """A student's own lines."""
    return tuple(one for one in history if one.id == id)


def ranks_text(own: Sequence[Stood]) -> str:
    """`5, 3, none, 2`: the ranks, one table after the other."""
    return ", ".join("none" if one.rank is None else str(one.rank) for one in own)
