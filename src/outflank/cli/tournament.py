"""`outflank tournament`: many players, one table."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.board.variant import Variant
from outflank.cli.match import (
    Clock,
    Depth,
    GameJobs,
    Nodes,
    OpeningsName,
    Playouts,
    ProgressLine,
    StoreFile,
    Time,
    limit_of,
    until_stopped,
)
from outflank.cli.options import AsJson, Boards, NoEngine, On, Unsafe, VariantName, tell
from outflank.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from outflank.arena.contest import Conditions, Player
    from outflank.arena.openings import Openings
    from outflank.arena.store import Store
    from outflank.arena.tournament import Plan, Tournament
    from outflank.work.workers import Workers

LIMITS = ("time", "clock", "depth", "nodes", "playouts")
SETTINGS: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("variant", "format", "anchor", "openings", "clock"), str),
    **dict.fromkeys(("games", "rounds", "seed", "depth", "nodes", "playouts"), int),
    "time": (int, float),
    "course": bool,
    "players": list,
}
"""What a tournament file may say, and the types it has in TOML."""


def tournament(
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SPEC... | FOLDER | FILE.toml",
            help="The players; a folder is a class, which is checked, played and graded.",
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="round-robin (default), gauntlet (the first against all), swiss or ladder.")
    ] = "",
    games: Annotated[
        int | None,
        typer.Option("--games", "-n", help="Games for each pair of players, rounded up to an even number; default: 2."),
    ] = None,
    course: Annotated[
        bool, typer.Option("--course", help="Two games per pair from the start, +5 / -5 / 0, ranked by points.")
    ] = False,
    anchor: Annotated[str, typer.Option(help="The player whose rating is 0; default: the mean is 0.")] = "",
    rounds: Annotated[int | None, typer.Option(help="Rounds of a Swiss tournament.")] = None,
    variant: VariantName = "",
    time: Time = None,
    clock: Clock = "",
    depth: Depth = None,
    nodes: Nodes = None,
    playouts: Playouts = None,
    openings: OpeningsName = "",
    jobs: GameJobs = None,
    on: On = "",
    seed: Annotated[int | None, typer.Option(help="The seed of everything random; default: 0.")] = None,
    store: StoreFile = "",
    resume: Annotated[str, typer.Option(help="Resume the tournament in this store; players named now join it.")] = "",
    out: Annotated[
        str, typer.Option(help="Where a class's results go; default: a folder beside it, NAME-results.")
    ] = "",
    values: Annotated[
        str, typer.Option(help="Who values the moves of a class: fast (default), deep, none, or a player.")
    ] = "",
    given: Annotated[
        str, typer.Option(help="A file of code given to the whole class: it does not count as copied.")
    ] = "",
    boards: Boards = "",
    no_engine: NoEngine = False,
    unsafe: Unsafe = False,
    json: AsJson = False,
) -> None:
    """Play a tournament, or rank a class. Ratings with intervals, the cross table, times, depths and forfeits.

    Examples: outflank tournament random greedy alphabeta:depth=2 --games 20 --anchor random;
    outflank tournament class/ --variant reversed
    """
    said: dict[str, Any] = {"format": form, "games": games, "course": course, "anchor": anchor, "rounds": rounds}
    said |= {"time": time, "clock": clock, "depth": depth, "nodes": nodes, "playouts": playouts}
    said |= {"variant": variant, "openings": openings, "seed": seed}
    settings = {key: value for key, value in said.items() if value is not None and value is not False and value != ""}
    named = list(players or [])
    if resume and (settings or store):
        option = next(iter(settings), "store")
        raise Fault("tournament.resume", option=option)
    if len(named) == 1 and named[0].lower().endswith(".toml") and Path(named[0]).exists():
        settings = _from_file(Path(named[0])) | settings
        named = settings.pop("players")

    folder = _class_among(named)
    if folder and resume:
        raise Fault("class.resume")
    if folder:
        from outflank.cli.classroom import play_class

        if not settings.keys() & {"format", "games", "course"}:
            settings["course"] = True
        others = [name for name in named if name != folder]
        play_class(
            *(Path(folder), others, settings, jobs, on, store, out),
            *(values or "fast", given, boards, not no_engine, json),
        )
        return
    of_classes = {"out": out, "values": values, "given": given, "boards": boards, "no-engine": no_engine}
    if option := next((option for option, value in of_classes.items() if value), ""):
        raise Fault("class.only", option=option)

    from outflank.arena.store import Store

    if resume:
        with Store.existing(resume) as kept:
            _play(_resumed(kept, resume, named), jobs, on, json, resume)
        return
    begin = _new(named, settings)
    with Store(store or ":memory:") as kept:
        _play(begin(kept), jobs, on, json, store)


def _class_among(named: list[str]) -> str:
    """The folder of a class among the players that are named; "" where there is none."""
    for name in named:
        if ("/" in name or name.endswith(".toml")) and ":" not in name and not Path(name).exists():
            raise Fault("file.or-folder-missing", path=name)
        if name.lower().endswith(".zip") and Path(name).is_file():
            raise Fault("class.zip", path=name)
    folders = [name for name in named if name and Path(name).is_dir()]
    if len(folders) > 1:
        raise Fault("class.folders")
    return folders[0] if folders else ""


def _play(played: "Tournament", jobs: int | None, on: str, json: bool, store: str) -> None:
    from outflank.arena.text import standings_text
    from outflank.work.places import workers_named

    def told() -> None:
        table = played.standings()
        tell(json, table.to_dict, lambda: standings_text(table))

    with workers_named(on, jobs) as workers, until_stopped(told, store) as line:
        play(played, workers, line)


def play(played: "Tournament", workers: "Workers", line: ProgressLine) -> None:
    """Plays a tournament, and shows how far it is."""

    def show(now: "Tournament", games_now: int) -> None:
        line.show(lambda: f"{now.games} of {now.scheduled} games", games_now, now.scheduled - now.games)

    played.play(workers, show)


def _from_file(path: Path) -> dict[str, Any]:
    """The settings of a tournament file."""
    import tomllib

    try:
        data = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise Fault("at.file", path=path, why=error) from None
    for key, value in data.items():
        if key not in SETTINGS:
            raise Fault("tournament.no-setting", path=path, key=key, settings=", ".join(SETTINGS))
        if not isinstance(value, SETTINGS[key]) or (isinstance(value, bool) and key != "course"):
            raise Fault("tournament.setting", path=path, key=key, value=value)
    players = data.get("players", [])
    if not all(isinstance(player, str) for player in players):
        raise Fault("tournament.players-form", path=path)
    return data | {"players": players}


def conditions_of(settings: dict[str, Any]) -> "tuple[Conditions, Openings]":
    """Under which conditions is played, and how games begin."""
    from outflank.arena.contest import Conditions
    from outflank.arena.openings import openings_named

    rules = Variant.named(settings.get("variant", "othello"))
    limit = limit_of(settings.get("time"), settings.get("clock", ""), *map(settings.get, LIMITS[2:]))
    seed = settings.get("seed", 0)
    # A course's games begin where the game begins.
    openings = openings_named(settings.get("openings", "start" if settings.get("course") else ""), rules, seed)
    return Conditions(rules, limit, openings.name, seed), openings


def plan_of(players: "tuple[Player, ...]", settings: dict[str, Any]) -> "Plan":
    """Who meets whom, and how often."""
    from outflank.arena.contest import Player
    from outflank.arena.tournament import COURSE_GAMES, Plan

    anchor = settings.get("anchor")
    return Plan(
        players,
        settings.get("format", "round-robin"),
        settings.get("games", COURSE_GAMES),
        bool(settings.get("course", False)),
        Player.named(anchor) if anchor else None,
        settings.get("rounds"),
    )


def _new(named: list[str], settings: dict[str, Any]) -> "Callable[[Store], Tournament]":
    """A new tournament, once all that was said is in order and there is a store for it."""
    from outflank.arena.contest import Player
    from outflank.arena.tournament import Tournament

    plan = plan_of(tuple(map(Player.named, named)), settings)
    conditions, openings = conditions_of(settings)
    return lambda store: Tournament(plan, conditions, openings, store)


def _resumed(store: "Store", path: str, added: list[str]) -> "Tournament":
    """The latest tournament of a store, with the players added to it."""
    from dataclasses import replace

    from outflank.arena.contest import Player
    from outflank.arena.tournament import KIND, Plan, Tournament

    events = [event for event in store.events() if event.kind == KIND]
    if not events:
        raise Fault("tournament.none", path=path)
    plan = Plan.from_dict(events[-1].plan)
    plan = replace(plan, players=(*plan.players, *map(Player.named, added)))
    return Tournament.stored(store, replace(events[-1], plan=plan.to_dict()))
