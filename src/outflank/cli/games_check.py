"""`outflank games check`: collections of games as a whole."""

import time
from collections import Counter
from typing import Annotated, Any

import typer

from outflank.cli.options import AsJson, TextVariant, print_json, rules_named
from outflank.errors import Fault

COUNTS = ("games", "legal", "complete", "agreeing", "incomplete")
COLUMNS = ("games", "legal", "complete", "as stated", "incomplete", "seconds")
EXAMPLES_SHOWN = 5


def check(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Files of games, or folders of them.")],
    variant: TextVariant = "",
    json: AsJson = False,
) -> None:
    """Replay every game in files and folders. How many are legal, complete, and end as their file says?

    Exit code 1 when a game is illegal.

    Example: outflank games check wthor/
    """
    from outflank.board import kernels
    from outflank.board.compiled import load
    from outflank.formats.files import game_files

    rules = rules_named(variant)
    load(kernels.replay_games)  # before the clock starts
    rows: list[tuple[str, Counter[str], float]] = []
    illegal: list[str] = []
    for path in paths:
        began = time.perf_counter()
        census, found = _checked(game_files(path), rules)
        rows.append((path, census, time.perf_counter() - began))
        illegal += found
    total = sum((census for _, census, _ in rows), Counter[str]())
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


def _checked(files: list[str], rules: Any) -> tuple[Counter[str], list[str]]:
    """What some files hold, and a line on each illegal game."""
    from outflank.formats.census import count
    from outflank.formats.files import load
    from outflank.formats.table import GameTable

    census, illegal = Counter[str](), []
    for file in files:
        held = load(file, variant=rules, check=False).games
        if not held:
            raise Fault("file.no-games", path=file)
        census += count(held)
        if isinstance(held, GameTable):
            illegal += [f"{file}: {fault}" for fault in held.faults()]
    return census, illegal


def _data(census: Counter[str], seconds: float) -> dict[str, Any]:
    return {**{name: census[name] for name in COUNTS}, "seconds": round(seconds, 3)}


def _print_table(rows: list[tuple[str, Counter[str], float]]) -> None:
    width = max(len(path) for path, _, _ in rows)
    print(" " * width + "".join(f"{column:>12}" for column in COLUMNS))
    for path, census, seconds in rows:
        print(f"{path:{width}}" + "".join(f"{census[name]:12,}" for name in COUNTS) + f"{seconds:12.2f}")
