"""All that a report shows, gathered from a store: plain data, from which the page is made.

Players are numbered in order of rank, games in the order in which they ended, and both are meant by their numbers
everywhere. What is heavy (the moves, times and values of each game) is apart, in `details`.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank import __version__
from outflank.arena.contest import Opening, Player, limit_data
from outflank.arena.match import KIND as MATCH
from outflank.arena.match import stored_match
from outflank.arena.openings import start_of
from outflank.arena.ratings import Scores, populations, without_intervals
from outflank.arena.record import Result
from outflank.arena.report.judge import JudgeSpec, judged_games
from outflank.arena.standings import Played, Standings, standings
from outflank.arena.store import Event, Store, StoredGame
from outflank.arena.tournament import Tournament
from outflank.board.position import Position
from outflank.board.squares import Color, parse_square
from outflank.board.variant import Variant
from outflank.library.exploring import replayed
from outflank.library.judging import GameValues, turning_point
from outflank.library.openings import opening_along

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
    named = [opening_along(start, moves) for start, (moves, _) in zip(starts, replays, strict=True)]
    return Contents(
        found.summary | more,
        found.games | {"called": [None if opening is None else opening.name for opening in named]},
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
    table, played, headline = _matter(store, event, variant)
    index = {row.player: number for number, row in enumerate(table.rows)}
    games = _counted(store, event, played)
    openings: dict[Opening, list[Result]] = {}
    for game in games:
        openings.setdefault(game.record.opening, []).append(game.record.result)
    summary = {
        "title": _title(event, table),
        "kind": event.kind,
        "format": table.format,
        "variant": {
            "name": variant.name,
            "rows": variant.rows,
            "columns": variant.columns,
            "reversed": variant.reversed,
            "start": Position.start(variant).text,
        },
        "limit": limit_data(conditions.limit),
        "openings_from": conditions.openings,
        "games": table.games,
        "scheduled": table.scheduled,
        "course": table.course,
        "anchor": table.anchor,
        "match": headline,
        "written_by": __version__,
        "versions": dict(sorted(Counter(game.version for game in games).items())),
        "to": max((game.ended for game in games), default=None),
        "players": _players(table),
        "cross": _cross(table),
        "gap": None if table.gap is None else table.gap.to_dict(),
        "openings": [_opening_row(opening, results) for opening, results in openings.items()],
        "forfeits": [
            {"game": number, **game.record.result.forfeit.account}
            for number, game in enumerate(games)
            if game.record.result.forfeit is not None
        ],
        "progress": None,
        "times": None,
        "values": None,
    }
    return Contents(summary, _columns(games, index, list(openings)), []), games, index


def counted_games(store: Store, event: Event) -> list[StoredGame]:
    """The games of a match or tournament, whole, in the order in which they ended."""
    return _counted(store, event, _matter(store, event, store.conditions(event.contest)[0].variant)[1])


def _counted(store: Store, event: Event, played: Played) -> list[StoredGame]:
    return [
        game
        for game in store.games(event.contest)
        if (game.at.pair, game.at.first_color) in played.get((game.at.first, game.at.second), ())
    ]


def _matter(store: Store, event: Event, variant: Variant) -> tuple[Standings, Played, dict[str, Any] | None]:
    """The table of an event of either kind, the games it rests on, and what there is to say of a match."""
    if event.kind != MATCH:
        tournament = Tournament.stored(store, event)
        return tournament.standings(), tournament.counted, None
    result, pairs = stored_match(store, event), event.plan["pairs"]
    first, second = (Player(*one) for one in event.plan["players"])
    found = store.results(event.contest, (first, second))
    games = {(one.pair, one.first_color): one.result for one in found if one.pair < pairs}
    played = {(first, second): {key: one for key, one in games.items() if (key[0], key[1].other) in games}}
    # A player that meets itself has nobody to be rated against.
    table = standings("match", variant.name, list({first, second}), {} if first == second else played, 2 * pairs)
    return table, played, result.to_dict()


def _title(event: Event, table: Standings) -> str:
    if event.kind == MATCH:
        first, second = event.plan["players"]
        return f"{first[0]} against {second[0]}"
    names = {"round-robin": "Round robin", "gauntlet": "Gauntlet", "swiss": "Swiss tournament", "ladder": "Ladder"}
    name = "Course" if table.course else names.get(table.format, table.format)
    return f"{name} of {len(table.rows)} players"


def _players(table: Standings) -> list[dict[str, Any]]:
    """The table's rows; of players with one spec, whose files changed in between, the fingerprint tells which is
    which."""
    rows = [row.to_dict(table.course) for row in table.rows]
    specs = Counter(row.player.spec for row in table.rows)
    for data, row in zip(rows, table.rows, strict=True):
        if specs[row.player.spec] > 1:
            data["player"] = f"{row.player.spec} ({row.player.fingerprint})"
    return rows


# Between two players


def _cross(table: Standings) -> list[list[Any]]:
    """For each two that have met: both numbers, the first one's points, games, and the interval of its score."""
    return [
        [*meeting.players, meeting.points, meeting.games, *map(_short, meeting.score_interval)]
        for meeting in table.meetings
    ]


# Over time


def _progress(games: Sequence[StoredGame], index: Mapping[Player, int], anchor: str | None) -> dict[str, Any]:
    """Ratings after the first games, the next ones, and so on to all: for each player the curve of its ratings."""
    points: defaultdict[tuple[int, int], float] = defaultdict(float)
    anchored = next((number for player, number in index.items() if player.spec == anchor), None)
    ends = sorted({round(len(games) * step / CHECKPOINTS) for step in range(1, CHECKPOINTS + 1)} - {0})
    so_far: list[Scores] = []
    begin = 0
    for end in ends:
        for game in games[begin:end]:
            if game.at.first != game.at.second:
                here, there = index[game.at.first], index[game.at.second]
                points[here, there] += game.record.result.points(game.at.first_color)
                points[there, here] += game.record.result.points(game.at.first_color.other)
        begin = end
        so_far.append(Scores.of_pairs(len(index), points))
    spreads = populations(so_far[-1]) if so_far else []
    curves = [[round(value) for value in without_intervals(scores, spreads, anchored)] for scores in so_far]
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


# Games


def _opening_row(opening: Opening, results: Sequence[Result]) -> list[Any]:
    """Start, moves, games, Black's wins and draws, and Black's mean margin."""
    points = [result.points(Color.BLACK) for result in results]
    margins = [result.score for result in results if result.score is not None]
    mean = _short(sum(margins) / len(margins)) if margins else None
    return [opening.start, opening.moves, len(points), points.count(1.0), points.count(0.5), mean]


def _columns(games: Sequence[StoredGame], index: Mapping[Player, int], openings: list[Opening]) -> dict[str, list[Any]]:
    numbers = {opening: number for number, opening in enumerate(openings)}
    rows = []
    for game in games:
        result = game.record.result
        winner = None if result.winner is None else int(result.winner)
        rows.append((game.id, *_by_color(game, index), winner, result.score, numbers[game.record.opening]))
    names = ("id", "black", "white", "winner", "score", "opening")
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


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
    return moves, [mover for mover, _, _ in replayed(start_of(game.record.opening, variant), moves)]


def _detail(game: StoredGame, moves: list[int], movers: list[Color], judged: GameValues | None) -> list[Any]:
    """Moves; the players' microseconds, scores (each player's own view) and depths, for the moves after the opening;
    the judge's values, choices, and the position from which they are proven; the turning point."""
    record = game.record
    seconds = json.loads(record.seconds)
    first = len(moves) - len(seconds)
    detail: list[Any] = [
        moves,
        [int(float(f"{1e6 * one:.2g}")) for one in seconds],
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
