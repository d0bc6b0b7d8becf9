"""A class and its tournament: everybody is checked, who can play does, and everything is kept in one results folder.

What was handed in is copied there by its content, and players are named from there: so who hands in the same again, in
whatever file, is the same player, and the class may be moved with its results. Students who hand in the same content
are one player, and each has its result.
"""

from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from outflank.agents.options import quoted
from outflank.agents.submission import without_engine
from outflank.arena.classroom.checks import Checked
from outflank.arena.classroom.roll import Copy, Roll, Student, called
from outflank.arena.contest import Player
from outflank.arena.standings import Standings
from outflank.errors import Fault, MachineError

PLAYERS = "players"
STORE = "games.db"
THE_FIVE = ("corner-shy", "mini-go", "phased", "self-taught", "dynamic")
"""Who stands on the ladder that a class climbs."""
NOT_CHECKED = "it was not checked"


@dataclass
class Classroom:
    """A class: its students and their players, by the students' ids."""

    roll: Roll
    results: Path
    players: dict[str, Player]
    checks: dict[Player, Checked] = field(default_factory=dict)

    @classmethod
    def opened(cls, folder: Path, results: Path, engine: bool = True) -> "Classroom":
        """Reads a class's folder, and keeps what is new of it in the folder of results. Its players may use Outflank's
        engine or not."""
        if not any(folder.iterdir()):
            raise Fault("tournament.no-submission", folder=folder)
        try:
            (results / PLAYERS).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MachineError("class.results", path=results, why=error.strerror) from None
        room = cls(called(folder, results / PLAYERS), results, {})
        with room.inside():
            room.players = {one.id: _player(one.copy, engine) for one in room.roll.students if one.copy is not None}
        return room

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Where its players are found by their names, for us and the workers that we start."""
        with chdir(self.results):
            yield

    @property
    def playing(self) -> tuple[Player, ...]:
        """Those that can play, in the order of the roll, each once."""
        able = [player for player in self.players.values() if self.checks[player].can_play]
        return tuple(dict.fromkeys(able))

    def left_out(self, student: Student) -> str:
        """Why a student does not play; "" for one who does."""
        if student.id not in self.players:
            return student.problem
        result = self.checks.get(self.players[student.id])
        if result is None:
            return NOT_CHECKED
        return "" if result.can_play else result.summary

    @property
    def labels(self) -> dict[str, str]:
        """What the teacher's tables call the players, by their specs: who handed in the same stands together."""
        found: dict[str, list[str]] = {}
        for student in self.roll.students:
            if student.id in self.players:
                found.setdefault(self.players[student.id].spec, []).append(student.label)
        return {spec: " = ".join(labels) for spec, labels in found.items()}


def _player(copy: Copy, engine: bool) -> Player:
    """The player of a copy, named from the folder of results."""
    spec = f"py:{quoted(f'{PLAYERS}/{copy.path.name}')}"
    player = Player.named(spec if engine else without_engine(spec))
    if player.fingerprint != copy.fingerprint:
        raise Fault("class.changed", path=copy.path)
    return player


def with_labels(table: Standings, labels: dict[str, str]) -> Standings:
    """A table in which players go by their students."""

    def said(spec: str) -> str:
        return labels.get(spec, spec)

    return replace(
        table,
        anchor=None if table.anchor is None else said(table.anchor),
        rows=[replace(row, player=replace(row.player, spec=said(row.player.spec))) for row in table.rows],
        forfeits=[replace(one, player=said(one.player), opponent=said(one.opponent)) for one in table.forfeits],
    )


def with_the_five(players: Sequence[Player], others: Sequence[Player]) -> tuple[Player, ...]:
    """The players who climb a ladder: the others stand on it first, by default the five."""
    return (*(others or tuple(map(Player.named, THE_FIVE))), *players)
