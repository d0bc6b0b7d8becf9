"""`outflank openings`: a list of balanced openings, judged by a search."""

from pathlib import Path
from typing import Annotated

import typer

from outflank.board.variant import Variant
from outflank.cli.match import ProgressLine
from outflank.cli.options import ONE_PER_CORE, AsJson, Jobs, On, VariantName, tell
from outflank.cli.stopping import goes_on_from

KEPT = ".judged"


def openings(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The list to write, one opening a line.")],
    variant: VariantName = "othello",
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=1_000_000, help="Openings to find.")] = 2000,
    plies: Annotated[int, typer.Option(min=1, max=40, help="Random plies of each.")] = 8,
    level: Annotated[int, typer.Option(min=10, max=30, help="The level of the search that judges.")] = 20,
    within: Annotated[int, typer.Option(min=0, max=64, help="Discs that either side may be ahead.")] = 1,
    seed: Annotated[int, typer.Option(min=0, max=1_000_000, help="The seed: another gives other openings.")] = 1,
    jobs: Jobs = ONE_PER_CORE,
    on: On = "",
    json: AsJson = False,
) -> None:
    """Make a list of balanced openings. They are random, and a search finds them even; for `--openings FILE`.

    Judged openings are kept beside the list: if stopped or killed, run the same command again to resume. A larger
    count adds to the list. Exit code 1 if there are not enough.

    Example: outflank openings --variant reversed --count 2000 --out even.txt
    """
    from outflank.arena.balanced import Plan
    from outflank.formats.disk import write_bytes
    from outflank.search.driver import watched
    from outflank.work.kept import Kept
    from outflank.work.places import threads_named

    plan = Plan(Variant.named(variant), plies, level, within, seed)
    beside = out.with_name(out.name + KEPT)
    with (
        Kept(beside, plan.settings) as kept,
        threads_named(on, jobs) as workers,
        goes_on_from(beside, "judged"),
        ProgressLine() as line,
        watched(None) as stop,
    ):
        found = plan.judged(
            *(kept, workers, count, stop),
            lambda even, judged: line.show(lambda: f"{even:,} of {count:,} even, {judged:,} judged", 0, 0),
        )
    write_bytes(str(out), "".join(f"{moves}\n" for moves, _ in found).encode())
    tell(
        json,
        lambda: {**plan.settings, "file": str(out), "openings": [{"moves": each, "value": at} for each, at in found]},
        lambda: f"{len(found):,} openings in {out}, each within {within} by a search of level {level}",
    )
    if len(found) < count:
        raise typer.Exit(1)
