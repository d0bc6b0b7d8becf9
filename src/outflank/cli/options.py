"""Options that several commands share, so that they are named and explained once."""

import json
import os
from collections.abc import Callable
from typing import Annotated, Any

import typer

from outflank.agents.sandbox.consent import accept_missing_protection
from outflank.board.variant import Variant

VariantName = Annotated[
    str,
    typer.Option(
        "--variant", "-v", help="othello, reversed, 6x6, reversed-5x7, …; -parallel or -mirrored for other starts."
    ),
]
TextVariant = Annotated[str, typer.Option("--variant", "-v", help="The variant of transcripts, which do not name it.")]


def rules_named(variant: str) -> Variant | None:
    """The variant of an option; None where nobody named one."""
    return Variant.named(variant) if variant else None


Boards = Annotated[
    str, typer.Option("--boards", help="How many boards a check uses, 20 (default) or 10, or a file of your own.")
]
NoEngine = Annotated[
    bool, typer.Option("--no-engine", help="Ban submissions that use Outflank's own players and searches.")
]


def _accept(unsafe: bool) -> bool:
    if unsafe:
        accept_missing_protection()
    return unsafe


Unsafe = Annotated[
    bool,
    typer.Option("--unsafe", callback=_accept, help="Run py: players even where this machine cannot sandbox them."),
]
MOST_MEGABYTES = 1_000_000.0
HashSize = Annotated[
    float,
    typer.Option("--hash", min=0.1, max=MOST_MEGABYTES, help="MB for the table, rounded down to a power of two."),
]
ONE_PER_CORE = os.cpu_count() or 1
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, max=256, help="Tasks at a time; default: one per core.")]
On = Annotated[
    str,
    typer.Option("--on", help="Where to run: ray for a Ray cluster, ray://host:port for one elsewhere; default: here."),
]
StopAfter = Annotated[str, typer.Option("--budget", "-b", help="Stop after 90s, 30m, 2h, …; run it again to continue.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def print_json(data: Any) -> None:
    """One JSON object on one line, flushed, so that a reader at the other end of a pipe sees it at once."""
    print(json.dumps(data), flush=True)


def tell(as_json: bool, data: Callable[[], Any], text: Callable[[], str]) -> None:
    """What a command has to say: as JSON, or for people."""
    print(json.dumps(data()) if as_json else text(), flush=True)
