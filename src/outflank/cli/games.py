"""`outflank games`: checks collections of games as a whole."""

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.cli.options import AsJson, print_json
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.formats.census import Census

COLUMNS = ("games", "legal", "complete", "as stated", "incomplete", "seconds")
EXAMPLES_SHOWN = 5


def games(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Files of games, or folders of them.")],
    variant: Annotated[
        str, typer.Option("--variant", "-v", help="The variant of transcripts, which do not name it.")
    ] = "",
    json: AsJson = False,
) -> None:
    """Replay every game of files and folders: how many are legal, complete, and ended as their file states.

    Exit code 1 when a game is illegal.

    Example: outflank games check wthor/
    """
    from outflank.board import kernels
    from outflank.board.compiled import load
    from outflank.board.variant import Variant
    from outflank.formats.census import Census
    from outflank.formats.files import game_files

    rules = Variant.named(variant) if variant else None
    load(kernels.replay_games)  # before the clock starts
    rows: list[tuple[str, Census, float]] = []
    illegal: list[str] = []
    for path in paths:
        began = time.perf_counter()
        census, found = _checked(game_files(path), rules)
        rows.append((path, census, time.perf_counter() - began))
        illegal += found
    total = sum((census for _, census, _ in rows), Census())
    seconds = sum(row[2] for row in rows)
    if json:
        files = [{"path": path, **_data(census, spent)} for path, census, spent in rows]
        print_json({**_data(total, seconds), "paths": files, "illegal": illegal})
    else:
        _print_table(rows if len(rows) == 1 else [*rows, ("total", total, seconds)])
        for line in illegal[:EXAMPLES_SHOWN]:
            print(line)
        if len(illegal) > EXAMPLES_SHOWN:
            print(f"and {len(illegal) - EXAMPLES_SHOWN:,} more illegal games")
    if illegal:
        raise typer.Exit(1)


def _checked(files: list[str], rules: Any) -> tuple["Census", list[str]]:
    """What some files hold, and a line on each illegal game."""
    from outflank.formats.census import Census, count
    from outflank.formats.files import load
    from outflank.formats.table import GameTable

    census, illegal = Census(), []
    for file in files:
        held = load(file, variant=rules, check=False).games
        if not held:
            raise Fault("file.no-games", path=file)
        census += count(held)
        if isinstance(held, GameTable):
            illegal += [f"{file}: {fault}" for fault in held.faults()]
    return census, illegal


def _data(census: "Census", seconds: float) -> dict[str, Any]:
    return {**asdict(census), "incomplete": census.incomplete, "seconds": round(seconds, 3)}


def _print_table(rows: list[tuple[str, "Census", float]]) -> None:
    width = max(len(path) for path, _, _ in rows)
    print(" " * width + "".join(f"{column:>12}" for column in COLUMNS))
    for path, census, seconds in rows:
        counts = (census.games, census.legal, census.complete, census.agreeing, census.incomplete)
        print(f"{path:{width}}" + "".join(f"{number:12,}" for number in counts) + f"{seconds:12.2f}")
