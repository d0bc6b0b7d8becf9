"""The table of a tournament: ratings, points, who scored what against whom, and what everybody spent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, overload

from outflank.arena.contest import Player
from outflank.arena.ratings import Rating, Scores, bradley_terry
from outflank.arena.record import Result
from outflank.arena.schedule import Pairing
from outflank.arena.statistics import Interval, Margins
from outflank.board.squares import Color

COURSE_POINTS = 5
"""What the course gives for a won game; a lost one costs as much, and a draw brings nothing."""

Cell = tuple[float, int]
Played = Mapping[Pairing, Mapping[tuple[int, Color], Result]]
"""The results of each pairing, by pair and the first player's colour."""


@dataclass
class Row:
    """One player's line."""

    player: Player
    rank: int = 0
    rating: Rating = field(default_factory=lambda: Rating(0.0, 0.0, 0.0))
    wins: int = 0
    draws: int = 0
    losses: int = 0
    margins: Margins = field(default_factory=Margins)
    moves: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    depths: float = 0.0
    forfeits: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + self.draws / 2

    @property
    def course_points(self) -> int:
        return COURSE_POINTS * (self.wins - self.losses)

    @property
    def seconds_a_move(self) -> float | None:
        return self.seconds / self.moves if self.moves else None

    @property
    def depth(self) -> float | None:
        """The mean depth of its moves; None where it reports none."""
        return self.depths / self.moves if self.depths else None


@dataclass(frozen=True)
class TournamentForfeit:
    """Who forfeited against whom, why, and which game between the two, from 0."""

    player: str
    opponent: str
    reason: str
    game: int


class CrossTable(Sequence[Sequence[Cell | None]]):
    """Rows of cells: the points of the row's player against the column's, and their games; None where they have not
    met. Only those who have met take room: in a large Swiss tournament they are few."""

    def __init__(self, players: int) -> None:
        self._rows: list[dict[int, Cell]] = [{} for _ in range(players)]

    def add(self, row: int, column: int, points: float, games: int) -> None:
        self._rows[row][column] = points, games

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Sequence[Cell | None]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Sequence[Cell | None]]: ...
    def __getitem__(self, index: int | slice) -> Sequence[Cell | None] | Sequence[Sequence[Cell | None]]:
        if isinstance(index, slice):
            return [self[row] for row in range(*index.indices(len(self)))]
        met = self._rows[index]
        return [met.get(column) for column in range(len(self))]

    @property
    def games(self) -> int:
        """All games, each once."""
        return sum(games for row in self._rows for _, games in row.values()) // 2


@dataclass(frozen=True)
class Standings:
    """A tournament as it stands. Rows are in order of rank, and the cross table has the same order."""

    format: str
    variant: str
    course: bool
    anchor: str | None
    games: int
    scheduled: int
    """How many games there will be, at most."""
    rows: Sequence[Row]
    cross: "CrossTable"
    forfeits: Sequence[TournamentForfeit]

    def to_dict(self) -> dict[str, Any]:
        """What `outflank tournament --json` prints."""
        return {
            "format": self.format,
            "variant": self.variant,
            "course": self.course,
            "anchor": self.anchor,
            "games": self.games,
            "scheduled": self.scheduled,
            "players": [_row_data(row, self.course) for row in self.rows],
            "cross": [[None if cell is None else list(cell) for cell in line] for line in self.cross],
            "forfeits": [
                {"player": one.player, "opponent": one.opponent, "reason": one.reason, "game": one.game}
                for one in self.forfeits
            ],
        }


def _row_data(row: Row, course: bool) -> dict[str, Any]:
    interval: Interval = row.rating.low, row.rating.high
    data: dict[str, Any] = {"rank": row.rank, "player": row.player.spec}
    if course:
        data["course_points"] = row.course_points
    return data | {
        "rating": row.rating.value,
        "rating_interval": list(interval),
        "games": row.games,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "score": row.points / row.games if row.games else None,
        "margin": row.margins.mean,
        "margin_interval": list(row.margins.interval),
        "seconds_a_move": row.seconds_a_move,
        "slowest_move": row.slowest,
        "depth": row.depth,
        "forfeits": row.forfeits,
    }


def standings(
    form: str,
    variant: str,
    players: Sequence[Player],
    played: Played,
    scheduled: int,
    anchor: Player | None = None,
    course: bool = False,
    order: Sequence[Player] | None = None,
) -> Standings:
    """The table of what was played. It is ranked by an order of its own (a ladder's), by the course's points, or else
    by rating; equal points share a rank."""
    players = sorted(players)  # so that the last digits of a rating do not depend on who was named first
    rows = {player: Row(player) for player in players}
    index = {player: number for number, player in enumerate(players)}
    met: dict[tuple[int, int], list[float]] = {}  # points and games, for each of the two
    forfeits = []
    for (first, second), games in sorted(played.items()):
        own, theirs = (met.setdefault((index[one], index[two]), [0.0, 0]) for one, two in permutations((first, second)))
        for (pair, color), result in sorted(games.items()):
            own[0] += result.points(color)
            theirs[0] += result.points(color.other)
            own[1] += 1
            theirs[1] += 1
            _note(rows[first], result, color)
            _note(rows[second], result, color.other)
            if result.forfeit is not None:
                loser, winner = (first, second) if result.forfeit.color is color else (second, first)
                forfeits.append(TournamentForfeit(loser.spec, winner.spec, result.forfeit.reason, 2 * pair + color))
        for player, side in ((first, 0), (second, 1)):
            _note_margins(rows[player], games, side)
    scores = Scores.of_pairs(len(players), {pair: points for pair, (points, _) in met.items()})
    ratings = bradley_terry(scores, None if anchor is None else index[anchor])
    for player, rating in zip(players, ratings, strict=True):
        rows[player].rating = rating
    ranked = _ranked(list(rows.values()), course, order)
    place = {index[row.player]: number for number, row in enumerate(ranked)}
    cross = CrossTable(len(ranked))
    for (here, there), (points, count) in met.items():
        if count:
            cross.add(place[here], place[there], points, int(count))
    name = None if anchor is None else anchor.spec
    return Standings(form, variant, course, name, cross.games, scheduled, ranked, cross, forfeits)


def _note(row: Row, result: Result, color: Color) -> None:
    points = result.points(color)
    row.wins += points == 1
    row.draws += points == 0.5
    row.losses += points == 0
    effort = result.efforts[color]
    row.moves += effort.moves
    row.seconds += effort.seconds
    row.slowest = max(row.slowest, effort.slowest)
    row.depths += effort.depth
    row.forfeits += result.forfeit is not None and result.forfeit.color is color


def _note_margins(row: Row, games: Mapping[tuple[int, Color], Result], side: int) -> None:
    """Margins go in by pairs, which are what varies independently."""
    by_pair: dict[int, list[float]] = {}
    for (pair, color), result in games.items():
        margin = result.margin(color if side == 0 else color.other)
        if margin is not None:
            by_pair.setdefault(pair, []).append(margin)
    for margins in by_pair.values():
        row.margins.add(margins)


def _ranked(rows: list[Row], course: bool, order: Sequence[Player] | None) -> list[Row]:
    if order is not None:
        place = {player: number for number, player in enumerate(order)}
        rows.sort(key=lambda row: place[row.player])
        keys: list[float] = [float(number) for number in range(len(rows))]
    else:
        # Behind equal points the better rating stands first, though it does not change the rank.
        rows.sort(key=lambda row: (-row.course_points if course else 0, -round(row.rating.value, 6), row.player))
        keys = [float(-row.course_points) if course else -round(row.rating.value, 6) for row in rows]
    for number, row in enumerate(rows):
        row.rank = rows[number - 1].rank if number and keys[number] == keys[number - 1] else number + 1
    return rows
