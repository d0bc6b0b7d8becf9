"""Meetings of two players, played into a store and read from it: what every answer rests on."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial

from outflank import Color, Limit, Store, Variant
from outflank.charts import Point
from outflank.contests import (
    Conditions,
    Match,
    MatchResult,
    Player,
    Result,
    Tally,
    Workers,
    openings_named,
    score_interval,
)

GAMES = 200
"""Games of a meeting unless told otherwise: a hundred openings, each with both colours."""
SECONDS = 0.02
"""Seconds a move where players are compared in equal time."""
FEWEST_PAIRS = 16
"""Pairs below which an answer leaves it open: there are more than a hundred intervals, and with a handful of pairs each
luck would decide some of them."""


@dataclass(frozen=True)
class Meeting:
    """Two players, the game they play, and where their games begin. All limits are in the specs."""

    first: str
    second: str
    variant: str = "othello"
    openings: str = ""
    share: float = 1.0
    """Of the usual number of games: more where they are cheap and the difference small, less where they are dear."""

    def pairs(self, games: int) -> int:
        """Its pairs of games, where a usual meeting has so many games."""
        return max(round(games * self.share / 2), 1)


@dataclass(frozen=True)
class Outcome:
    """How a meeting ended. Pairs with a forfeited game are left out: a question is about play, and a player that a
    busy machine kept waiting has shown nothing."""

    results: Mapping[tuple[int, Color], Result]
    """By pair and the first player's colour; whole pairs without a forfeit."""
    left_out: int = 0
    """Pairs that were left out."""

    @cached_property
    def tally(self) -> Tally:
        """From the first player's view."""
        return self._tally(lambda first: first)

    @cached_property
    def black(self) -> Tally:
        """From Black's view."""
        return self._tally(lambda first: Color.BLACK)

    def _tally(self, side: Callable[[Color], Color]) -> Tally:
        tally = Tally()
        for pair in sorted({pair for pair, _ in self.results}):
            games = [(self.results[pair, first], side(first)) for first in Color]
            tally.add([one.points(color) for one, color in games], [one.margin(color) for one, color in games])
        return tally


@dataclass(frozen=True)
class Share(Point):
    """A share of the points with its 95 % interval, in percent, and what it says."""

    pairs: int

    @classmethod
    def of(cls, tally: Tally) -> "Share":
        """Of a tally; where too little was played, the interval is everything."""
        pairs = sum(tally.counts)
        if tally.score is None:
            return cls(50.0, 0.0, 100.0, 0)
        low, high = score_interval(tally.counts)
        return cls(100 * tally.score, 100 * low, 100 * high, pairs)

    @property
    def enough(self) -> bool:
        return self.pairs >= FEWEST_PAIRS

    @property
    def better(self) -> bool:
        """Whether it is certain, as far as 95 % go, that the share is more than half."""
        return self.enough and self.low > 50

    @property
    def worse(self) -> bool:
        return self.enough and self.high < 50

    @property
    def turned(self) -> "Share":
        """The other side's."""
        return Share(100 - self.value, 100 - self.high, 100 - self.low, self.pairs)

    def __str__(self) -> str:
        return f"{self.value:.1f} % [{self.low:.1f}–{self.high:.1f}]" if self.pairs else "nothing"


Progress = Callable[[Meeting, MatchResult, int], None]
"""Told now and then which meeting is played, how it stands, and how many games this run has played of it."""


class Evidence:
    """The meetings in a store. `games` says how many a usual meeting has."""

    def __init__(self, store: Store, games: int = GAMES, seed: int = 0) -> None:
        if games < 1:
            raise ValueError(f"a meeting has 1 game or more, not {games}")
        self.games = games
        self.seed = seed
        self._store = store
        self.openings = cache(lambda name, variant: openings_named(name, Variant.named(variant), seed))

    def _conditions(self, meeting: Meeting) -> Conditions:
        name = self.openings(meeting.openings, meeting.variant).name
        return Conditions(Variant.named(meeting.variant), Limit(), name, self.seed)

    def missing(self, meeting: Meeting) -> int:
        """How many of its games are still to be played."""
        return 2 * meeting.pairs(self.games) - len(self._stored(meeting))

    def play(self, meetings: Iterable[Meeting], workers: Workers, progress: Progress | None = None) -> None:
        """Plays what is missing of the meetings, one after the other."""
        for meeting in filter(self.missing, meetings):
            games, openings = 2 * meeting.pairs(self.games), self.openings(meeting.openings, meeting.variant)
            match = Match(meeting.first, meeting.second, games, self._conditions(meeting), openings, self._store)
            match.play(workers, None if progress is None else partial(progress, meeting))

    def __getitem__(self, meeting: Meeting) -> Outcome:
        """The outcome of a meeting, as far as it is played."""
        results = self._stored(meeting)
        forfeited = {pair for (pair, _), result in results.items() if result.forfeit}
        whole = {
            (pair, color): result
            for (pair, color), result in results.items()
            if pair not in forfeited and (pair, color.other) in results
        }
        return Outcome(whole, len(forfeited))

    def share(self, meeting: Meeting) -> Share:
        """The first player's share of a meeting's points."""
        return Share.of(self[meeting].tally)

    def _stored(self, meeting: Meeting) -> dict[tuple[int, Color], Result]:
        contest = self._store.contest(self._conditions(meeting))
        players = Player.named(meeting.first), Player.named(meeting.second)
        pairs = meeting.pairs(self.games)
        return {
            (stored.pair, stored.first_color): stored.result
            for stored in self._store.results(contest, players)
            if stored.pair < pairs
        }
