"""The gradebook: a row for each student, whether they played or not."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from outflank.arena.classroom.checks import Checked
from outflank.arena.classroom.course import Classroom
from outflank.arena.classroom.history import Stood, ranks_text
from outflank.arena.classroom.roll import Student
from outflank.arena.standings import Row, Standings
from outflank.arena.text import csv_text


@dataclass(frozen=True)
class Grade:
    """What the arena says of one student."""

    student: Student
    rank: int | None
    """Among the students; those who do not play have none."""
    row: Row | None
    points: float | None
    check: Checked | None
    faults: dict[str, int]
    """Games that were lost by a fault, by its kind, as the referee tells them apart."""
    left_out: str
    history: tuple[Stood, ...] = ()
    """How it stood after each version, now included."""

    def to_dict(self) -> dict[str, Any]:
        row, check = self.row, self.check
        return {
            "id": self.student.id,
            "name": self.student.name,
            "rank": self.rank,
            "points": self.points,
            "rank_history": ranks_text(self.history),
            "version": self.history[-1].version if self.history else None,
            "rating": None if row is None else round(row.rating.value, 1) + 0.0,  # never -0.0
            "rating_low": None if row is None else round(row.rating.low, 1),
            "rating_high": None if row is None else round(row.rating.high, 1),
            "games": 0 if row is None else row.games,
            "wins": None if row is None else row.wins,
            "draws": None if row is None else row.draws,
            "losses": None if row is None else row.losses,
            "check": None if check is None else check.score,
            "check_result": self.student.problem if check is None else check.summary,
            "engine": "" if check is None else check.engine,
            "faults": sum(self.faults.values()),
            "fault_kinds": "; ".join(f"{kind} {times}" for kind, times in sorted(self.faults.items())),
            "left_out": self.left_out,
            "seconds_a_move": None if row is None or row.seconds_a_move is None else round(row.seconds_a_move, 4),
            "slowest_move": None if row is None or row.slowest is None else round(row.slowest, 4),
            "file": self.student.source,
        }


def grades(room: Classroom, table: Standings | None) -> list[Grade]:
    """Who plays by rank, then the others in the order of the roll. `table` has the players' own specs."""
    rows = {} if table is None else {row.player: row for row in table.rows}
    students = [(one, rows.get(room.players[one.id]) if one.id in room.players else None) for one in room.roll.students]
    ranks = sorted(row.rank for _, row in students if row is not None)
    faults: dict[str, Counter[str]] = {}
    for one in () if table is None else table.forfeits:
        faults.setdefault(one.player, Counter())[one.kind] += 1
    found = []
    for student, row in students:
        player = room.players.get(student.id)
        found.append(
            Grade(
                student,
                None if row is None else ranks.index(row.rank) + 1,
                row,
                None if row is None or table is None else row.course_points if table.course else row.points,
                None if player is None else room.checks.get(player),
                {} if player is None or row is None else dict(faults.get(player.spec, {})),
                room.left_out(student),
            )
        )
    return sorted(found, key=lambda grade: len(found) if grade.rank is None else grade.rank)


def gradebook(graded: list[Grade]) -> str:
    """As CSV."""
    rows = [grade.to_dict() for grade in graded]
    return csv_text([list(rows[0]), *(row.values() for row in rows)])
