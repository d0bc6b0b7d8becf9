"""Meetings of two players, played into a store and read from it: what every answer rests on."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from outflank import Color, Limit, Store, Variant
from outflank.contests import (
    Conditions,
    Margins,
    Match,
    MatchResult,
    Openings,
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
"""Pairs below which a share proves nothing and an answer says so: the interval rests on the variance seen, which a few
equal pairs make tiny."""


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

    meeting: Meeting
    results: Mapping[tuple[int, Color], Result]
    """By pair and the first player's colour; whole pairs without a forfeit."""
    left_out: int = 0
    """Pairs that were left out."""
    tally: Tally = field(init=False)
    """From the first player's view."""
    black: Tally = field(init=False)
    """From Black's view."""

    def __post_init__(self) -> None:
        first, black = Tally(), Tally()
        for pair in sorted({pair for pair, _ in self.results}):
            games = [(color, self.results[pair, color]) for color in Color]
            first.add([one.points(color) for color, one in games], [one.margin(color) for color, one in games])
            black.add([one.points(Color.BLACK) for _, one in games], [one.margin(Color.BLACK) for _, one in games])
        object.__setattr__(self, "tally", first)
        object.__setattr__(self, "black", black)

    def margins_of_black(self, first: Color) -> Margins:
        """Black's margins in the games in which the first player has this colour."""
        margins = Margins()
        for (_, own), result in self.results.items():
            if own is first and (margin := result.margin(Color.BLACK)) is not None:
                margins.add([margin])
        return margins


@dataclass(frozen=True)
class Share:
    """A share of the points with its 95 % interval, in percent, and what it says."""

    value: float
    low: float
    high: float
    pairs: int

    @classmethod
    def of(cls, tally: Tally) -> "Share":
        """Of a tally; where too little was played, the interval is everything."""
        pairs = sum(tally.counts)
        if tally.score is None:
            return cls(50.0, 0.0, 100.0, 0)
        low, high = score_interval(tally.counts) if pairs > 1 else (0.0, 1.0)
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
        self._openings: dict[tuple[str, str], Openings] = {}

    def openings(self, name: str, variant: str) -> Openings:
        """Openings by name, made once."""
        key = name, variant
        if key not in self._openings:
            self._openings[key] = openings_named(name, Variant.named(variant), self.seed)
        return self._openings[key]

    def _conditions(self, meeting: Meeting) -> Conditions:
        name = self.openings(meeting.openings, meeting.variant).name
        return Conditions(Variant.named(meeting.variant), Limit(), name, self.seed)

    def missing(self, meeting: Meeting) -> int:
        """How many of its games are still to be played."""
        return 2 * meeting.pairs(self.games) - len(self._stored(meeting))

    def play(self, meetings: Iterable[Meeting], workers: Workers, progress: Progress | None = None) -> None:
        """Plays what is missing of the meetings, one after the other."""
        for meeting in meetings:
            if not self.missing(meeting):
                continue
            match = Match(
                meeting.first,
                meeting.second,
                2 * meeting.pairs(self.games),
                self._conditions(meeting),
                self.openings(meeting.openings, meeting.variant),
                self._store,
            )

            def told(result: MatchResult, games: int, played: Meeting = meeting) -> None:
                if progress is not None:
                    progress(played, result, games)

            match.play(workers, told)

    def __getitem__(self, meeting: Meeting) -> Outcome:
        """The outcome of a meeting, as far as it is played."""
        results = self._stored(meeting)
        whole: dict[tuple[int, Color], Result] = {}
        left_out = 0
        for pair in {pair for pair, _ in results}:
            games = {color: results[pair, color] for color in Color if (pair, color) in results}
            if any(result.forfeit for result in games.values()):
                left_out += 1
            elif len(games) == len(Color):
                whole |= {(pair, color): result for color, result in games.items()}
        return Outcome(meeting, whole, left_out)

    def _stored(self, meeting: Meeting) -> dict[tuple[int, Color], Result]:
        contest = self._store.contest(self._conditions(meeting))
        players = Player.named(meeting.first), Player.named(meeting.second)
        pairs = meeting.pairs(self.games)
        return {
            (stored.pair, stored.first_color): stored.result
            for stored in self._store.results(contest, players)
            if stored.pair < pairs
        }
