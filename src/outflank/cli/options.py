"""Options that several commands share, so that they are named and explained once."""

import json
from typing import Annotated, Any

import typer

VariantName = Annotated[
    str,
    typer.Option(
        "--variant", "-v", help="othello, reversed, 6x6, reversed-5x7, …; -parallel or -mirrored for other starts."
    ),
]


def _accept(unsafe: bool) -> bool:
    from outflank.agents.sandbox.consent import accept_missing_protection

    if unsafe:
        accept_missing_protection()
    return unsafe


Unsafe = Annotated[
    bool,
    typer.Option("--unsafe", callback=_accept, help="Run py: players also where this machine cannot shut them in."),
]
MOST_MEGABYTES = 1_000_000.0
HashSize = Annotated[
    float,
    typer.Option("--hash", min=0.1, max=MOST_MEGABYTES, help="MB for the table, rounded down to a power of two."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def print_json(data: Any) -> None:
    """One JSON object on one line, flushed, so that a reader at the other end of a pipe sees it at once."""
    print(json.dumps(data), flush=True)
