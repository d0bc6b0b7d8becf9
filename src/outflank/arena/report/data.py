"""All that a report shows, gathered from a store: plain data, from which the page is made.

Players are numbered in order of rank, games in the order in which they ended, and both are meant by their numbers
everywhere. What is heavy (the moves, times and values of each game) is apart, in `details`.
"""

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank import __version__
from outflank.arena.contest import Opening, Player, limit_data
from outflank.arena.match import KIND as MATCH
from outflank.arena.match import stored_match
from outflank.arena.openings import start_of
from outflank.arena.ratings import Scores, without_intervals
from outflank.arena.record import Result
from outflank.arena.report.judge import JudgeSpec, judged_games
from outflank.arena.schedule import Pairing
from outflank.arena.standings import Played, Standings, standings
from outflank.arena.statistics import Interval, Margins, score_interval
from outflank.arena.store import Event, Store, StoredGame
from outflank.arena.tournament import Tournament
from outflank.board import kernels
from outflank.board.position import Position
from outflank.board.squares import Color, parse_square
from outflank.board.variant import Variant
from outflank.library.judging import GameValues, turning_point
from outflank.library.openings import name_along

CHECKPOINTS = 40
"""Points of the curve of ratings over time."""


@dataclass(frozen=True)
class Contents:
    """What a page is made of."""

    summary: dict[str, Any]
    games: dict[str, list[Any]]
    """A column for each fact about a game."""
    details: list[list[Any]]
    """For each game what is only needed once somebody looks at it: see `_detail`. An overview has none."""


@dataclass(frozen=True)
class _Matter:
    """What an event consists of, of either kind."""

    table: Standings
    played: Played
    headline: dict[str, Any] | None = None


def contents(
    store: Store,
    event: Event,
    judge: JudgeSpec | None = None,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Contents:
    """Gathers a match or tournament; with a judge, the value of every move."""
    found, games, index = _gathered(store, event)
    variant = store.conditions(event.contest)[0].variant
    judged = {} if judge is None else judged_games(store, event.contest, judge, games, jobs, progress)
    replays = [_replayed(game, variant) for game in games]
    starts = (start_of(game.record.opening, variant) for game in games)
    more = {
        "progress": _progress(games, index, found.summary["anchor"]),
        "times": _times(games, replays, index),
        "values": None if judge is None else {"judge": judge.spec, "measured": not judge.counts_discs},
    }
    called = [name_along(start, moves) for start, (moves, _) in zip(starts, replays, strict=True)]
    return Contents(
        found.summary | more,
        found.games | {"called": called},
        [_detail(game, *replay, judged.get(game.id)) for game, replay in zip(games, replays, strict=True)],
    )


def overview(store: Store, event: Event) -> Contents:
    """What can be said without replaying a game, soon enough for somebody who waits; `game_detail` has the rest of one
    game."""
    return _gathered(store, event)[0]


def game_detail(store: Store, event: Event, number: int) -> list[Any] | None:
    """A game by its number in the store, as `Contents.details` has it."""
    game = next(store.games(event.contest, number), None)
    return None if game is None else _detail(game, _moves(game), [], None)


def _gathered(store: Store, event: Event) -> tuple[Contents, list[StoredGame], dict[Player, int]]:
    """The overview, the games that count, and the players' numbers."""
    conditions, _ = store.conditions(event.contest)
    variant = conditions.variant
    matter = _matter(store, event, variant)
    index = {row.player: number for number, row in enumerate(matter.table.rows)}
    games = [game for game in store.games(event.contest) if _counts(game, matter.played)]
    openings = _Openings()
    columns = _columns(games, index, openings)
    summary = {
        "title": _title(event, matter.table),
        "kind": event.kind,
        "format": matter.table.format,
        "variant": _variant(variant),
        "limit": limit_data(conditions.limit),
        "openings_from": conditions.openings,
        "games": matter.table.games,
        "scheduled": matter.table.scheduled,
        "course": matter.table.course,
        "anchor": matter.table.anchor,
        "match": matter.headline,
        "written_by": __version__,
        "versions": _versions(games),
        "to": max((game.ended for game in games), default=None),
        "players": _players(matter.table),
        "cross": _cross(matter.played, index),
        "openings": openings.rows(),
        "forfeits": [
            [number, game.record.result.forfeit.reason]
            for number, game in enumerate(games)
            if game.record.result.forfeit is not None
        ],
        "progress": None,
        "times": None,
        "values": None,
    }
    return Contents(summary, columns, []), games, index


def _matter(store: Store, event: Event, variant: Variant) -> _Matter:
    if event.kind != MATCH:
        tournament = Tournament.stored(store, event)
        return _Matter(tournament.standings(), tournament.counted)
    result = stored_match(store, event)
    first, second = (Player(*one) for one in event.plan["players"])
    games: dict[tuple[int, Color], Result] = {}
    for stored in store.results(event.contest):
        if (stored.first, stored.second) == (first, second) and stored.pair < event.plan["pairs"]:
            games[stored.pair, stored.first_color] = stored.result
    whole = {key: found for key, found in games.items() if (key[0], key[1].other) in games}
    played = {(first, second): whole}
    players = [first] if first == second else [first, second]
    if first == second:  # a player that meets itself has nobody to be rated against
        played = {}
    table = standings("match", variant.name, players, played, 2 * event.plan["pairs"])
    headline = {**result.to_dict(), "superiority": result.superiority, "pentanomial": list(result.pentanomial)}
    headline |= {"decision": result.decision, "sprt": event.plan["sprt"]}
    return _Matter(table, {(first, second): whole}, headline)


def _counts(game: StoredGame, played: Mapping[Pairing, Mapping[tuple[int, Color], Result]]) -> bool:
    return (game.at.pair, game.at.first_color) in played.get((game.at.first, game.at.second), ())


def _title(event: Event, table: Standings) -> str:
    if event.kind == MATCH:
        first, second = event.plan["players"]
        return f"{first[0]} against {second[0]}"
    names = {"round-robin": "Round robin", "gauntlet": "Gauntlet", "swiss": "Swiss tournament", "ladder": "Ladder"}
    name = "Course" if table.course else names.get(table.format, table.format)
    return f"{name} of {len(table.rows)} players"


def _variant(variant: Variant) -> dict[str, Any]:
    start = Position.start(variant)
    return {
        "name": variant.name,
        "rows": variant.rows,
        "columns": variant.columns,
        "reversed": variant.reversed,
        "start": start.text,
    }


def _versions(games: Iterable[StoredGame]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for game in games:
        counts[game.version] = counts.get(game.version, 0) + 1
    return dict(sorted(counts.items()))


def _players(table: Standings) -> list[dict[str, Any]]:
    """The table's rows; of players with one spec, whose files changed in between, the fingerprint tells which is
    which."""
    rows = table.to_dict()["players"]
    specs = [row.player.spec for row in table.rows]
    for data, row in zip(rows, table.rows, strict=True):
        if specs.count(row.player.spec) > 1:
            data["player"] = f"{row.player.spec} ({row.player.fingerprint})"
    return list(rows)


# Between two players


def _cross(played: Played, index: Mapping[Player, int]) -> list[list[Any]]:
    """For each two that have met: both numbers, the first one's points, games, and the interval of its score."""
    cells = []
    for (first, second), games in played.items():
        if games and first != second:
            points = sum(result.points(color) for (_, color), result in games.items())
            low, high = _interval_of(games)
            cells.append([index[first], index[second], points, len(games), _short(low), _short(high)])
    return sorted(cells)


def _interval_of(games: Mapping[tuple[int, Color], Result]) -> Interval:
    """The 95 % interval of the first player's score, by whole pairs; one pair alone bounds nothing."""
    counts = [0] * 5
    for (pair, color), result in games.items():
        other = games.get((pair, color.other))
        if color is Color.BLACK and other is not None:
            counts[round(2 * (result.points(color) + other.points(color.other)))] += 1
    return score_interval(counts) if sum(counts) > 1 else (None, None)


# Over time


def _progress(games: Sequence[StoredGame], index: Mapping[Player, int], anchor: str | None) -> dict[str, Any]:
    """Ratings after the first games, the next ones, and so on to all: for each player the curve of its ratings."""
    points: defaultdict[tuple[int, int], float] = defaultdict(float)
    anchored = next((number for player, number in index.items() if player.spec == anchor), None)
    ends = sorted({round(len(games) * step / CHECKPOINTS) for step in range(1, CHECKPOINTS + 1)} - {0})
    curves: list[list[int]] = []
    begin = 0
    for end in ends:
        for game in games[begin:end]:
            if game.at.first != game.at.second:
                here, there = index[game.at.first], index[game.at.second]
                points[here, there] += game.record.result.points(game.at.first_color)
                points[there, here] += game.record.result.points(game.at.first_color.other)
        begin = end
        curves.append([round(value) for value in without_intervals(Scores.of_pairs(len(index), points), anchored)])
    return {"games": ends, "ratings": [list(curve) for curve in zip(*curves, strict=True)]}


def _times(
    games: Sequence[StoredGame], replays: Sequence["_Replay"], index: Mapping[Player, int]
) -> list[list[float | None]]:
    """For each player the mean seconds of its moves by their number in the game (from 1, both sides counted)."""
    longest = max((len(moves) for moves, _ in replays), default=0)
    seconds = np.zeros((len(index), longest))
    counts = np.zeros((len(index), longest), np.int64)
    for game, (moves, movers) in zip(games, replays, strict=True):
        spent = json.loads(game.record.seconds)
        begin = len(moves) - len(spent)
        players = _by_color(game, index)
        for at, one in enumerate(spent, begin):
            seconds[players[movers[at]], at] += one
            counts[players[movers[at]], at] += 1
    return [
        [_short(total / number) if number else None for total, number in zip(row, numbers, strict=True)]
        for row, numbers in zip(seconds.tolist(), counts.tolist(), strict=True)
    ]


# Openings


class _Openings:
    """How games from each opening went, from Black's view."""

    def __init__(self) -> None:
        self._numbers: dict[Opening, int] = {}
        self._points: list[list[float]] = []
        self._margins: list[Margins] = []

    def add(self, opening: Opening, result: Result) -> int:
        """Counts a game; the number of its opening."""
        number = self._numbers.setdefault(opening, len(self._numbers))
        if number == len(self._points):
            self._points.append([])
            self._margins.append(Margins())
        self._points[number].append(result.points(Color.BLACK))
        if result.score is not None:
            self._margins[number].add([result.score])
        return number

    def rows(self) -> list[list[Any]]:
        """Start, moves, games, Black's wins and draws, and Black's mean margin."""
        return [
            [
                *(opening.start, opening.moves, len(points), points.count(1.0), points.count(0.5)),
                _short(self._margins[number].mean),
            ]
            for (opening, number), points in zip(self._numbers.items(), self._points, strict=True)
        ]


# Games


def _columns(games: Sequence[StoredGame], index: Mapping[Player, int], openings: _Openings) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {name: [] for name in ("id", "black", "white", "winner", "score", "opening")}
    for game in games:
        black, white = _by_color(game, index)
        result = game.record.result
        values = (
            *(game.id, black, white, None if result.winner is None else int(result.winner), result.score),
            openings.add(game.record.opening, result),
        )
        for name, value in zip(columns, values, strict=True):
            columns[name].append(value)
    return columns


def _by_color(game: StoredGame, index: Mapping[Player, int]) -> tuple[int, int]:
    first, second = index[game.at.first], index[game.at.second]
    return (first, second) if game.at.first_color is Color.BLACK else (second, first)


_Replay = tuple[list[int], list[Color]]
"""The moves of a game without its passes, and who made each."""


def _moves(game: StoredGame) -> list[int]:
    text = game.record.moves
    return [parse_square(text[at : at + 2]) for at in range(0, len(text), 2)]


def _replayed(game: StoredGame, variant: Variant) -> _Replay:
    moves = _moves(game)
    position = start_of(game.record.opening, variant)
    own, opp, turn, board = position.own, position.opp, position.turn, variant.board
    movers = []
    for move in moves:
        if not kernels.legal_moves(own, opp, board):
            own, opp, turn = opp, own, turn.other
        movers.append(turn)
        own, opp = kernels.play(own, opp, move)
        turn = turn.other
    return moves, movers


def _detail(game: StoredGame, moves: list[int], movers: list[Color], judged: GameValues | None) -> list[Any]:
    """Moves; the players' microseconds, scores (each player's own view) and depths, for the moves after the opening;
    the judge's values, choices, and the position from which they are proven; the turning point."""
    record = game.record
    seconds = json.loads(record.seconds)
    first = len(moves) - len(seconds)
    detail: list[Any] = [
        moves,
        [_two_digits(1e6 * one) for one in seconds],
        [_short(one) for one in json.loads(record.scores)],
        json.loads(record.depths),
    ]
    if judged is None:
        return [*detail, None, None, None, None]
    costs = judged.costs(movers, moves)
    turning = turning_point([*[None] * first, *costs[first:]], record.result.winner)  # an opening is nobody's fault
    return [*detail, judged.values, judged.best, judged.exact_from, turning]


def _short(value: float | None) -> Any:
    """Four digits are enough to show; a whole number stays one."""
    if value is None or not math.isfinite(value):
        return None
    rounded = float(f"{value:.4g}")
    return int(rounded) if rounded.is_integer() else rounded


def _two_digits(value: float) -> int:
    return int(float(f"{value:.2g}"))
