"""A tournament: many players, a format that says who meets whom, and one table at the end."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from operator import index
from pathlib import Path
from typing import Any, SupportsIndex

from outflank.arena.contest import Conditions, Fixture, Player
from outflank.arena.openings import BY, FromFile, Openings, openings_named
from outflank.arena.record import Result
from outflank.arena.schedule import FORMATS, Format, Pairing, due, ladder_order, most_pairings, planned
from outflank.arena.session import check_players, kept, pairing_fixtures
from outflank.arena.standings import Standings, standings
from outflank.arena.store import Event, Store
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.search.limits import Limit
from outflank.work.places import workers_named
from outflank.work.workers import Workers

KIND = "tournament"
COURSE_GAMES = 2


@dataclass(frozen=True)
class Plan:
    """What a tournament is, beside its conditions."""

    players: tuple[Player, ...]
    format: Format = "round-robin"
    games: int = 2
    """Games of each pair of players, rounded up to pairs of games."""
    course: bool = False
    anchor: Player | None = None
    rounds: int | None = None
    """Rounds of a Swiss tournament."""

    def __post_init__(self) -> None:
        if len(self.players) < 2:
            raise Fault("tournament.players")
        most, times = Counter(self.players).most_common(1)[0]
        if times > 1:
            raise Fault("tournament.twice", player=most)
        if self.format not in FORMATS:
            raise Fault("tournament.format", formats=", ".join(FORMATS), format=self.format)
        if self.games < 1:
            raise Fault("tournament.games", games=self.games)
        if self.rounds is not None and self.rounds < 1:
            raise Fault("tournament.rounds", rounds=self.rounds)
        if self.anchor is not None and self.anchor not in self.players:
            raise Fault("tournament.anchor", anchor=self.anchor)
        if self.course and (self.format != "round-robin" or self.pairs != 1):
            raise Fault("tournament.course")

    @property
    def pairs(self) -> int:
        return (self.games + 1) // 2

    def to_dict(self) -> dict[str, Any]:
        return {
            "players": [[player.spec, player.fingerprint] for player in self.players],
            "format": self.format,
            "games": 2 * self.pairs,
            "course": self.course,
            "anchor": None if self.anchor is None else [self.anchor.spec, self.anchor.fingerprint],
            "rounds": self.rounds,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Plan":
        return cls(
            tuple(Player(*one) for one in data["players"]),
            data["format"],
            data["games"],
            data["course"],
            Player(*data["anchor"]) if data["anchor"] else None,
            data["rounds"],
        )


Progress = Callable[["Tournament", int], None]
"""Told now and then about the tournament, and how many games this run has played."""


class Tournament:
    """A tournament and the store that keeps it. Games that the store has are counted and never played again: so a
    killed run goes on, and a player added later plays only its own games."""

    def __init__(self, plan: Plan, conditions: Conditions, openings: Openings, store: Store) -> None:
        self.plan = plan
        self.conditions, self._openings, self._store = conditions, openings, store
        self._contest = store.contest(conditions, openings.openings if isinstance(openings, FromFile) else None)
        self._played = _stored(store, self._contest, plan)

    @classmethod
    def stored(cls, store: Store, event: Event) -> "Tournament":
        """One that a store knows."""
        conditions, own = store.conditions(event.contest)
        if own is not None:
            openings: Openings = FromFile(conditions.openings, own)
        else:
            openings = openings_named(conditions.openings.partition(BY)[0], conditions.variant, conditions.seed)
        return cls(Plan.from_dict(event.plan), conditions, openings, store)

    def play(self, workers: Workers, progress: Progress | None = None) -> Standings:
        """Plays what is missing."""
        if self._openings.name != self.conditions.openings:
            raise Fault("tournament.openings", openings=self.conditions.openings, now=self._openings.name)
        check_players(self.plan.players, self.conditions.variant)
        self._store.note_event(self._contest, KIND, self.plan.to_dict())
        try:
            self._play(workers, progress)
        finally:
            # What ended while somebody stopped us is in the store, and was not counted yet.
            self._played = _stored(self._store, self._contest, self.plan)
        return self.standings()

    def _play(self, workers: Workers, progress: Progress | None) -> None:
        count = 0
        while pairings := due(self.plan.format, self.plan.players, self.score, self.plan.rounds):
            with closing(kept(self._store, self._contest, workers, self._missing(pairings))) as batches:
                for finished in batches:
                    for fixture, record in finished:
                        games = self._played.setdefault((fixture.first, fixture.second), {})
                        games[fixture.pair, fixture.first_color] = record.result
                    count += len(finished)
                    if progress is not None:
                        progress(self, count)

    def _missing(self, pairings: Sequence[Pairing]) -> Iterator[Fixture]:
        for first, second in pairings:
            done = set(self._played.get((first, second), ()))
            yield from pairing_fixtures(first, second, self.plan.pairs, self.conditions, self._openings, done)

    def score(self, met: Pairing) -> float | None:
        """The first player's points a game in a pairing, once all of it is played."""
        games = self._played.get(met, {})
        if len(games) < 2 * self.plan.pairs:
            return None
        return sum(result.points(color) for (_, color), result in games.items()) / len(games)

    @property
    def games(self) -> int:
        """How many are played."""
        return sum(map(len, self._played.values()))

    @property
    def scheduled(self) -> int:
        """How many games there will be; for a ladder, at most."""
        return 2 * self.plan.pairs * most_pairings(self.plan.format, len(self.plan.players), self.plan.rounds)

    @property
    def counted(self) -> dict[Pairing, dict[tuple[int, Color], Result]]:
        """The games that count: the store may have others between the same players."""
        plan = self.plan
        wanted = set(planned(plan.format, plan.players, self.score, plan.rounds))
        return {met: games for met, games in self._played.items() if met in wanted}

    def standings(self) -> Standings:
        """The table as it stands."""
        plan = self.plan
        return standings(
            plan.format,
            self.conditions.variant.name,
            plan.players,
            self.counted,
            self.scheduled,
            plan.anchor,
            plan.course,
            ladder_order(plan.players, self.score) if plan.format == "ladder" else None,
        )


def _stored(store: Store, contest: int, plan: Plan) -> dict[Pairing, dict[tuple[int, Color], Result]]:
    """What the store has of a tournament's games."""
    members = set(plan.players)
    played: dict[Pairing, dict[tuple[int, Color], Result]] = {}
    for stored in store.results(contest):
        if stored.first in members and stored.second in members and stored.pair < plan.pairs:
            met = played.setdefault((stored.first, stored.second), {})
            met[stored.pair, stored.first_color] = stored.result
    return played


def tournament(
    players: Sequence[str],
    games: int = 2,
    format: Format = "round-robin",
    variant: str | Variant = "othello",
    limit: Limit | None = None,
    openings: str = "",
    jobs: int | None = 1,
    seed: SupportsIndex = 0,
    store: str | Path | None = None,
    on: str = "",
) -> Standings:
    """Plays a tournament of these players, so many games for every two that meet, and returns its table.

    The rest is as `match` has it: with a `store` every game is kept, and those it has already are not played again.
    """
    rules = Variant.named(variant)
    seed = index(seed)
    beginnings = openings_named(openings, rules, seed)
    conditions = Conditions(rules, limit or Limit(), beginnings.name, seed)
    names = [players] if isinstance(players, str) else players  # one text is one player, not its letters
    plan = Plan(tuple(map(Player.named, names)), format, games)
    with Store(":memory:" if store is None else store) as kept_games, workers_named(on, jobs) as workers:
        return Tournament(plan, conditions, beginnings, kept_games).play(workers)
