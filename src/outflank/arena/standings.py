"""The table of a tournament: ratings, points, who scored what against whom, and what everybody spent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import permutations
from typing import Any

from outflank.arena.contest import Player
from outflank.arena.gap import Gap, gap
from outflank.arena.ratings import Rating, Scores, bradley_terry
from outflank.arena.record import Result
from outflank.arena.schedule import Pairing
from outflank.arena.statistics import Interval, Margins, Tally, score_interval, superiority
from outflank.board.squares import Color
from outflank.board.variant import Variant

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
    slowest: float | None = None
    """The longest of its moves, if it has made any."""
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

    def to_dict(self, course: bool) -> dict[str, Any]:
        data: dict[str, Any] = {"rank": self.rank, "player": self.player.spec}
        if course:
            data["course_points"] = self.course_points
        return data | {
            "rating": self.rating.value,
            "rating_interval": [self.rating.low, self.rating.high],
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": self.points / self.games if self.games else None,
            "margin": self.margins.mean,
            "margin_interval": list(self.margins.interval),
            "seconds_a_move": self.seconds_a_move,
            "slowest_move": self.slowest,
            "depth": self.depth,
            "forfeits": self.forfeits,
        }


@dataclass(frozen=True)
class TournamentForfeit:
    """Who forfeited against whom, which game between the two, from 0, and how: as in a `MatchForfeit`."""

    player: str
    opponent: str
    game: int
    kind: str
    reason: str
    board: str | None
    seconds: float | None
    printed: str


@dataclass(frozen=True)
class Meeting:
    """Two players who have met, by their rows: the points of the first one, and how its whole pairs ended."""

    players: tuple[int, int]
    points: float
    games: int
    pentanomial: tuple[int, ...]

    @property
    def score_interval(self) -> Interval:
        return score_interval(self.pentanomial) if any(self.pentanomial) else (None, None)

    @property
    def superiority(self) -> float | None:
        return superiority(self.pentanomial) if any(self.pentanomial) else None

    def to_dict(self) -> dict[str, Any]:
        said = {**asdict(self), "score_interval": self.score_interval, "superiority": self.superiority}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}


class CrossTable:
    """Rows of cells: the points of the row's player against the column's, and their games (or the discs of both); None
    where they have not met. Only those who have met take room: in a large Swiss tournament they are few."""

    def __init__(self, players: int) -> None:
        self._rows: list[dict[int, Cell]] = [{} for _ in range(players)]

    def add(self, row: int, column: int, points: float, games: int) -> None:
        self._rows[row][column] = points, games

    def __getitem__(self, row: int) -> list[Cell | None]:
        return [self._rows[row].get(column) for column in range(len(self._rows))]

    def __iter__(self) -> Iterator[list[Cell | None]]:
        return map(self.__getitem__, range(len(self._rows)))


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
    discs: "CrossTable"
    """The same in discs: the row's and the column's, empty squares as the result has them, without forfeited games."""
    meetings: Sequence[Meeting]
    """In order of rank."""
    forfeits: Sequence[TournamentForfeit]
    gap: Gap | None = None

    def _repr_html_(self) -> str:
        from outflank.arena.text import standings_html

        return standings_html(self)

    def to_dict(self) -> dict[str, Any]:
        """What `outflank tournament --json` prints."""
        plain = ("format", "variant", "course", "anchor", "games", "scheduled")
        return {
            **{name: getattr(self, name) for name in plain},
            "players": [row.to_dict(self.course) for row in self.rows],
            "cross": [[None if cell is None else list(cell) for cell in line] for line in self.cross],
            "discs": [[None if cell is None else list(cell) for cell in line] for line in self.discs],
            "meetings": [meeting.to_dict() for meeting in self.meetings],
            "forfeits": list(map(asdict, self.forfeits)),
            "gap": None if self.gap is None else self.gap.to_dict(),
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
                game = 2 * pair + color
                forfeits.append(TournamentForfeit(loser.spec, winner.spec, game, **result.forfeit.account))
        for player, side in ((first, 0), (second, 1)):
            _note_margins(rows[player], games, side)
    scores = Scores.of_pairs(len(players), {pair: points for pair, (points, _) in met.items()})
    ratings = bradley_terry(scores, None if anchor is None else index[anchor])
    for player, rating in zip(players, ratings, strict=True):
        rows[player].rating = rating
    ranked = _ranked(list(rows.values()), course, order)
    place = {index[row.player]: number for number, row in enumerate(ranked)}
    discs = _discs(played, {player: place[index[player]] for player in players}, Variant.named(variant))
    cross = CrossTable(len(ranked))
    for (here, there), (points, count) in met.items():
        if count:
            cross.add(place[here], place[there], points, int(count))
    meetings = sorted(
        (
            _meeting(place[index[first]], place[index[second]], games)
            for (first, second), games in played.items()
            if games and first != second
        ),
        key=lambda meeting: meeting.players,
    )
    name = None if anchor is None else anchor.spec
    total = sum(map(len, played.values()))
    apart = gap(
        [row.rating.value for row in ranked],
        ((meeting.players, meeting.points, meeting.games) for meeting in meetings),
    )
    return Standings(form, variant, course, name, total, scheduled, ranked, cross, discs, meetings, forfeits, apart)


def _discs(played: Played, place: Mapping[Player, int], variant: Variant) -> CrossTable:
    """Margins as discs. Where fewest discs win, who is ahead has fewer."""
    squares, sign = variant.square_count, -1 if variant.reversed else 1
    found: dict[tuple[int, int], int] = {}
    for (first, second), games in played.items():
        margins = [margin for (_, color), result in games.items() if (margin := result.margin(color)) is not None]
        if margins and first != second:
            for pair, ahead in ((first, second), sign * sum(margins)), ((second, first), -sign * sum(margins)):
                here, there = (place[one] for one in pair)
                found[here, there] = found.get((here, there), 0) + (squares * len(margins) + ahead) // 2
    table = CrossTable(len(place))
    for (here, there), own in found.items():
        table.add(here, there, own, found[there, here])
    return table


def _meeting(first: int, second: int, games: Mapping[tuple[int, Color], Result]) -> Meeting:
    """What two players' games say, from the view of the one that stands higher."""
    turned = first > second
    points = {key: result.points(key[1].other if turned else key[1]) for key, result in games.items()}
    tally = Tally()
    for pair, color in games:
        if color is Color.BLACK and (pair, Color.WHITE) in games:
            tally.add([points[pair, one] for one in Color], [])
    players = (second, first) if turned else (first, second)
    return Meeting(players, sum(points.values()), len(games), tuple(tally.counts))


def _note(row: Row, result: Result, color: Color) -> None:
    points = result.points(color)
    row.wins += points == 1
    row.draws += points == 0.5
    row.losses += points == 0
    effort = result.efforts[color]
    row.moves += effort.moves
    row.seconds += effort.seconds
    if effort.moves:
        row.slowest = max(row.slowest or 0.0, effort.slowest)
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
