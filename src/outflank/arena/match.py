"""A match: two players, pairs of games with the colours swapped, and what it says about who is better."""

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict, dataclass, field
from operator import index
from pathlib import Path
from typing import Any, SupportsIndex

from outflank.arena.contest import Conditions, Fixture, Player
from outflank.arena.openings import FromFile, Openings, openings_named
from outflank.arena.record import Result
from outflank.arena.session import check_players, kept, pairing_fixtures
from outflank.arena.statistics import Decision, Interval, Sprt, Tally, elo, elo_interval, score_interval, superiority
from outflank.arena.store import Event, Store
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.search.limits import Limit
from outflank.work.places import workers_named
from outflank.work.workers import Workers

KIND = "match"


@dataclass(frozen=True)
class MatchForfeit:
    """Who forfeited a game of a match (0 the first player, 1 the second), which game, from 0, and how: what it did, in
    which position, after how many seconds, and the last lines that it printed."""

    player: int
    game: int
    kind: str
    reason: str
    board: str | None
    seconds: float | None
    printed: str


@dataclass(frozen=True)
class MatchResult:
    """A match from its first player's view. Only whole pairs count; margins leave forfeited games out."""

    players: tuple[str, str]
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    score: float | None = None
    """Points a game, 0 to 1."""
    score_interval: Interval = (None, None)
    elo: float | None = None
    """None where it is infinite, or nothing was played."""
    elo_interval: Interval = (None, None)
    margin: float | None = None
    """Discs a game."""
    margin_interval: Interval = (None, None)
    pentanomial: tuple[int, ...] = (0, 0, 0, 0, 0)
    """Pairs that brought the first player 0, ½, 1, 1½ and 2 points."""
    superiority: float | None = None
    """The likelihood that the first player is the better one."""
    sprt: str | None = None
    """The sequential test, where there is one; then its log-likelihood ratio and what it has decided."""
    llr: float | None = None
    decision: Decision | None = None
    forfeits: tuple[MatchForfeit, ...] = ()

    def _repr_html_(self) -> str:
        from outflank.arena.text import match_html

        return match_html(self)

    def to_dict(self) -> dict[str, Any]:
        """What `outflank match --json` prints."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


@dataclass
class Count:
    """Counts a match's games as they come in, by whole pairs.

    Where a test may stop the match it takes the pairs in the order of the schedule: short games end first, and counting
    them first would favour whoever wins quickly. So the result does not depend on how many are played at a time.
    """

    sprt: Sprt | None = None
    tally: Tally = field(default_factory=Tally)
    decision: Decision | None = None
    forfeits: list[MatchForfeit] = field(default_factory=list)
    _open: dict[int, dict[Color, Result]] = field(default_factory=dict, repr=False)
    _next: int = 0

    def add(self, pair: int, first_color: Color, result: Result) -> None:
        self._open.setdefault(pair, {})[first_color] = result
        if self.sprt is None:
            if len(self._open[pair]) == len(Color):
                self._count(pair, self._open.pop(pair))
            return
        while self.decision is None and len(self._open.get(self._next, ())) == len(Color):
            self._count(self._next, self._open.pop(self._next))
            self._next += 1
            self.decision = self.sprt.decision(self.tally.counts)

    def _count(self, pair: int, games: dict[Color, Result]) -> None:
        for color in Color:
            forfeit = games[color].forfeit
            if forfeit is not None:
                loser = 0 if forfeit.color is color else 1
                self.forfeits.append(MatchForfeit(loser, 2 * pair + color, **forfeit.account))
        self.tally.add([games[color].points(color) for color in Color], [games[color].margin(color) for color in Color])

    def result(self, players: tuple[str, str]) -> MatchResult:
        """The match as it stands."""
        tally = self.tally
        test = None if self.sprt is None else str(self.sprt)
        llr = None if self.sprt is None else self.sprt.llr(tally.counts)
        if tally.score is None:
            return MatchResult(players, sprt=test, llr=llr)
        return MatchResult(
            players,
            tally.games,
            tally.wins,
            tally.draws,
            tally.losses,
            tally.score,
            score_interval(tally.counts),
            elo(tally.score),
            elo_interval(tally.counts),
            tally.margins.mean,
            tally.margins.interval,
            tuple(tally.counts),
            superiority(tally.counts),
            test,
            llr,
            self.decision,
            tuple(sorted(self.forfeits, key=lambda forfeit: forfeit.game)),
        )


Progress = Callable[[MatchResult, int], None]
"""Told now and then how the match stands, and how many games this run has played."""


class Match:
    """A match and the store that keeps it. Played again with the same store, it resumes where it stopped."""

    def __init__(
        self,
        first: str,
        second: str,
        games: int,
        conditions: Conditions,
        openings: Openings,
        store: Store,
        sprt: Sprt | None = None,
    ) -> None:
        if games < 1:
            raise Fault("match.games", games=games)
        self.first, self.second = Player.named(first), Player.named(second)
        self.pairs = (games + 1) // 2
        self.sprt = sprt
        self._conditions, self._openings, self._store = conditions, openings, store
        self._contest = store.contest(conditions, openings.openings if isinstance(openings, FromFile) else None)

    @property
    def games(self) -> int:
        """How many it has at most: whole pairs."""
        return 2 * self.pairs

    def play(self, workers: Workers, progress: Progress | None = None) -> MatchResult:
        """Plays what is missing."""
        check_players([self.first, self.second], self._conditions.variant, all_needed=True)
        plan = {
            "players": [[player.spec, player.fingerprint] for player in (self.first, self.second)],
            "pairs": self.pairs,
            "sprt": None if self.sprt is None else str(self.sprt),
        }
        self._store.note_event(self._contest, KIND, plan)
        count, done = self._counted()
        names = (self.first.spec, self.second.spec)
        played = 0
        missing: Iterable[Fixture] = ()
        if count.decision is None:
            missing = pairing_fixtures(self.first, self.second, self.pairs, self._conditions, self._openings, done)
        with closing(kept(self._store, self._contest, workers, missing)) as batches:
            for finished in batches:
                for fixture, record in finished:
                    count.add(fixture.pair, fixture.first_color, record.result)
                played += len(finished)
                if progress is not None:
                    progress(count.result(names), played)
                if count.decision is not None:
                    break
        return self.result()

    def _counted(self) -> tuple[Count, set[tuple[int, Color]]]:
        return counted(self._store, self._contest, self.first, self.second, self.pairs, self.sprt)

    def result(self) -> MatchResult:
        """The match as the store has it."""
        return self._counted()[0].result((self.first.spec, self.second.spec))


def counted(
    store: Store, contest: int, first: Player, second: Player, pairs: int, sprt: Sprt | None
) -> tuple[Count, set[tuple[int, Color]]]:
    """The count of a match's stored games, and which of them there are."""
    count = Count(sprt)
    done = set()
    for stored in store.results(contest, (first, second)):
        if stored.pair < pairs:
            count.add(stored.pair, stored.first_color, stored.result)
            done.add((stored.pair, stored.first_color))
    return count, done


def stored_match(store: Store, event: Event) -> MatchResult:
    """The result of a match that a store knows."""
    first, second = (Player(*one) for one in event.plan["players"])
    sprt = Sprt.parse(event.plan["sprt"]) if event.plan["sprt"] else None
    count, _ = counted(store, event.contest, first, second, event.plan["pairs"], sprt)
    return count.result((first.spec, second.spec))


def match(
    a: str,
    b: str,
    games: int = 100,
    variant: str | Variant = "othello",
    limit: Limit | None = None,
    openings: str = "",
    sprt: str | Sprt | None = None,
    jobs: int | None = 1,
    seed: SupportsIndex = 0,
    store: str | Path | None = None,
    progress: Progress | None = None,
    on: str = "",
) -> MatchResult:
    """Plays a match of two players and returns its statistics, from the first one's view.

    `openings` is `start`, `random:8`, `balanced` or a file; `sprt` such as "0,10" ends the match when the test has
    decided. With a `store` every game is kept, and those it has already are not played again. More than one of `jobs`
    plays in processes of their own; None uses every core where that pays. `on` is `ray` or `ray://host:port`.
    """
    rules = Variant.named(variant)
    seed = index(seed)
    beginnings = openings_named(openings, rules, seed)
    test = Sprt.parse(sprt) if isinstance(sprt, str) else sprt
    conditions = Conditions(rules, limit or Limit(), beginnings.name, seed)
    with Store(":memory:" if store is None else store) as kept_games, workers_named(on, jobs) as workers:
        return Match(a, b, games, conditions, beginnings, kept_games, test).play(workers, progress)
