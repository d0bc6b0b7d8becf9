"""`outflank tournament`: many players, one table."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.agents.options import quoted
from outflank.cli.match import (
    Clock,
    Depth,
    Jobs,
    Nodes,
    On,
    OpeningsName,
    Playouts,
    ProgressLine,
    StoreFile,
    Time,
    limit_of,
    until_stopped,
)
from outflank.cli.options import AsJson, Unsafe, VariantName, print_json
from outflank.errors import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    from outflank.arena.store import Store
    from outflank.arena.tournament import Tournament

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
        typer.Argument(metavar="SPEC... | FOLDER | FILE.toml", help="Who plays; a folder is a class of submissions."),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="round-robin (default), gauntlet (the first against all), swiss or ladder.")
    ] = "",
    games: Annotated[
        int | None, typer.Option("--games", "-n", help="Games of each pair of players, rounded up to 2; default: 2.")
    ] = None,
    course: Annotated[
        bool, typer.Option("--course", help="Two games a pair from the start, +5 / -5 / 0, ranked by points.")
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
    jobs: Jobs = None,
    on: On = "",
    seed: Annotated[int | None, typer.Option(help="Decides all that is random; default: 0.")] = None,
    store: StoreFile = "",
    resume: Annotated[
        str, typer.Option(help="Go on with the tournament in this store; players named now are added to it.")
    ] = "",
    unsafe: Unsafe = False,
    json: AsJson = False,
) -> None:
    """Play a tournament: ratings with intervals, the cross table, times, depths and forfeits.

    Example: outflank tournament random greedy alphabeta:depth=2 --games 20 --anchor random
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

    named, folders = _with_folders(named)
    if folders and not resume and not settings.keys() & {"format", "games", "course"}:
        settings["course"] = True

    from outflank.arena.store import Store

    if resume:
        with Store.existing(resume) as kept:
            _play(_resumed(kept, resume, named, folders), jobs, on, json, resume)
        return
    begin = _new(named, settings)
    with Store(store or ":memory:") as kept:
        _play(begin(kept), jobs, on, json, store)


def _play(played: "Tournament", jobs: int | None, on: str, json: bool, store: str) -> None:
    from outflank.arena.text import standings_text
    from outflank.work.places import workers_named

    line = ProgressLine()

    def show(now: "Tournament", games_now: int) -> None:
        line.show(lambda: f"{now.games} of {now.scheduled} games", games_now, now.scheduled - now.games)

    def told() -> None:
        table = played.standings()
        if json:
            print_json(table.to_dict())
        else:
            print(standings_text(table), flush=True)

    with workers_named(on, jobs) as workers:
        until_stopped(lambda: played.play(workers, show), line, told, store)


def _with_folders(named: list[str]) -> tuple[list[str], bool]:
    """The players, each folder replaced by the submissions in it; and whether there was one."""
    players: list[str] = []
    for name in named:
        if Path(name).is_dir():
            players += [f"py:{quoted(str(file))}" for file in _submissions(Path(name))]
        elif ("/" in name or name.endswith(".toml")) and ":" not in name and not Path(name).exists():
            raise Fault("file.or-folder-missing", path=name)
        else:
            players.append(name)
    return players, players != named


def _submissions(folder: Path) -> list[Path]:
    """The files of a class. What only looks like one is passed over: it must not keep the others from playing."""
    files = []
    for path in sorted(folder.glob("*.py")):
        if path.is_file():
            files.append(path)
        else:
            warnings.warn(f"{path} is no file and does not take part", stacklevel=2)
    if not files:
        raise Fault("tournament.no-submission", folder=folder)
    return files


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


def _new(named: list[str], settings: dict[str, Any]) -> "Callable[[Store], Tournament]":
    """A new tournament, once all that was said is in order and there is a store for it."""
    from outflank.arena.contest import Conditions, Player
    from outflank.arena.openings import openings_named
    from outflank.arena.tournament import COURSE_GAMES, Plan, Tournament
    from outflank.board.variant import Variant

    course = bool(settings.get("course", False))
    anchor = settings.get("anchor")
    plan = Plan(
        tuple(map(Player.named, named)),
        settings.get("format", "round-robin"),
        settings.get("games", COURSE_GAMES),
        course,
        Player.named(anchor) if anchor else None,
        settings.get("rounds"),
    )
    rules = Variant.named(settings.get("variant", "othello"))
    limit = limit_of(settings.get("time"), settings.get("clock", ""), *map(settings.get, LIMITS[2:]))
    seed = settings.get("seed", 0)
    # A course's games begin where the game begins.
    openings = openings_named(settings.get("openings", "start" if course else ""), rules, seed)
    conditions = Conditions(rules, limit, openings.name, seed)
    return lambda store: Tournament(plan, conditions, openings, store)


def _resumed(store: "Store", path: str, added: list[str], folders: bool) -> "Tournament":
    """The latest tournament of a store, with the players added to it: of a folder, those that are new, and those that
    have changed in place of what they were."""
    from dataclasses import replace

    from outflank.arena.contest import Player
    from outflank.arena.tournament import KIND, Plan, Tournament

    events = [event for event in store.events() if event.kind == KIND]
    if not events:
        raise Fault("tournament.none", path=path)
    plan = Plan.from_dict(events[-1].plan)
    new = tuple(map(Player.named, added))
    old = plan.players
    if folders:
        specs = {player.spec for player in new}
        old = tuple(player for player in old if player in new or player.spec not in specs)
        new = tuple(player for player in new if player not in old)
    plan = replace(plan, players=old + new)
    return Tournament.stored(store, replace(events[-1], plan=plan.to_dict()))
