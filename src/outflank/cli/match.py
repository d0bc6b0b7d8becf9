"""`outflank match`: two players, many games, and which is better."""

import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from time import perf_counter
from typing import Annotated, Self

import typer

from outflank.agents.spec import parse
from outflank.board.variant import Variant
from outflank.cli.options import AsJson, On, Unsafe, VariantName, tell
from outflank.search.limits import Limit

Time = Annotated[float | None, typer.Option("--time", "-t", help="Seconds per move.")]
Clock = Annotated[str, typer.Option(help="Seconds per game, and more for each move: 60+0.5.")]
Depth = Annotated[int | None, typer.Option(help="Plies to look ahead.")]
Nodes = Annotated[int | None, typer.Option(help="Positions to visit per move.")]
Playouts = Annotated[int | None, typer.Option(help="Games to play out per move.")]
OpeningsName = Annotated[
    str,
    typer.Option(
        "--openings",
        help="start, random:8, balanced, or a file of games or positions; default: random:8, fewer on small boards.",
    ),
]
GameJobs = Annotated[
    int | None, typer.Option("--jobs", "-j", help="Games at a time; default: one per core when there is much to do.")
]
Seed = Annotated[int, typer.Option(help="The seed of everything random.")]
StoreFile = Annotated[str, typer.Option("--store", help="Keep every game in this file, and resume where it stopped.")]

GAMES, GAMES_WITH_SPRT = 100, 20_000
REFRESH_SECONDS = 0.25
COMMA = re.compile(r", (?![^\[]*\])")


def match(
    a: Annotated[str, typer.Argument(metavar="A", help="The first player; the result is given from its side.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The second player.")],
    games: Annotated[
        int | None,
        typer.Option("--games", "-n", help="Games, rounded up to pairs; default: 100, or at most 20000 with --sprt."),
    ] = None,
    variant: VariantName = "othello",
    time: Time = None,
    clock: Clock = "",
    depth: Depth = None,
    nodes: Nodes = None,
    playouts: Playouts = None,
    openings: OpeningsName = "",
    sprt: Annotated[
        str, typer.Option(help="Stop when the result is clear: 0,10 in normalized Elo, or 0,10,logistic.")
    ] = "",
    jobs: GameJobs = None,
    on: On = "",
    seed: Seed = 0,
    store: StoreFile = "",
    unsafe: Unsafe = False,
    json: AsJson = False,
) -> None:
    """Play two players against each other, many games. In pairs: the same opening, with the colours swapped.

    Example: outflank match alphabeta:depth=4 greedy --games 100
    """
    from outflank.arena.statistics import Sprt

    for player in (a, b):
        parse(player)
    limit = limit_of(time, clock, depth, nodes, playouts)
    test = Sprt.parse(sprt) if sprt else None

    from outflank.arena.contest import Conditions
    from outflank.arena.match import Match
    from outflank.arena.openings import openings_named
    from outflank.arena.store import Store
    from outflank.arena.text import match_line, match_text
    from outflank.work.places import workers_named

    rules = Variant.named(variant)
    beginnings = openings_named(openings, rules, seed)
    conditions = Conditions(rules, limit, beginnings.name, seed)
    with Store(store or ":memory:") as kept, workers_named(on, jobs) as workers:
        wanted = (GAMES if test is None else GAMES_WITH_SPRT) if games is None else games
        played = Match(a, b, wanted, conditions, beginnings, kept, test)

        def told() -> None:
            result = played.result()
            tell(json, result.to_dict, lambda: match_text(result, sprt))

        with until_stopped(told, store) as line:
            played.play(
                workers,
                lambda result, now: line.show(lambda: match_line(result), now, played.games - result.games),
            )


def limit_of(time: float | None, clock: str, depth: int | None, nodes: int | None, playouts: int | None) -> Limit:
    """The limit that the options name."""
    from outflank.arena.contest import parse_clock

    return Limit(time, parse_clock(clock) if clock else None, depth, nodes, playouts)


@contextmanager
def until_stopped(told: Callable[[], None], store: str) -> "Iterator[ProgressLine]":
    """Plays, and tells the result: all of it, or after Ctrl-C what there is. What players print is no part of it."""
    try:
        with ProgressLine() as line, redirect_stdout(sys.stderr):
            yield line
    except KeyboardInterrupt:
        told()
        if store:
            sys.stderr.write(f"what was played is in {store}: run the same command to resume\n")
        raise
    told()


class ProgressLine:
    """A line at the bottom of a terminal, or a few where it is narrow, told anew a few times a second; nothing where
    there is no terminal.

    Of our own: Rich's has a thread, and Ctrl-C at the wrong moment leaves it on the screen.
    """

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._due = 0.0
        self._began: tuple[float, int] | None = None
        self._lines = 0

    def show(self, text: Callable[[], str], played: int, left: int) -> None:
        """How it stands, after so many games of this run and before so many more."""
        now = perf_counter()
        if not self._shown or now < self._due:
            return
        self._due = now + REFRESH_SECONDS
        self._began = self._began or (now, played)
        seconds = now - self._began[0]
        rate = (played - self._began[1]) / seconds if seconds > 0 else 0.0
        pace = f", {rate:.3g} games/s, {duration(left / rate)} left" if rate > 0 else ""
        lines = _filled(text() + pace, shutil.get_terminal_size().columns - 1)
        sys.stderr.write(self._wiped() + "\n".join(lines))
        sys.stderr.flush()
        self._lines = len(lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write(self._wiped())
            sys.stderr.flush()
            self._lines = 0

    def _wiped(self) -> str:
        """What takes the lines shown last off the screen again, from the lowest up."""
        return "\r\x1b[K" + "\x1b[A\x1b[K" * (self._lines - 1)


def _filled(text: str, width: int) -> list[str]:
    """A text in lines of at most this width, broken at its commas, but for those of an interval `[1, 2]`."""
    first, *others = COMMA.split(text)
    lines = [first]
    for part in others:
        if len(lines[-1]) + len(part) + 2 < width:
            lines[-1] += f", {part}"
        else:
            lines[-1] += ","
            lines.append(part)
    return [line[:width] for line in lines]


def duration(seconds: float) -> str:
    """`0:42`, `1:03:10`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
