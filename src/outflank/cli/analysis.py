"""`outflank analysis`: the engine for other programs, many queries at once."""

from typing import Annotated

import typer

from outflank.board.variant import Variant
from outflank.cli.gtp import clean_output
from outflank.cli.options import HashSize, VariantName


def analysis(
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, max=256, help="Positions at a time; default: one per core."),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Threads for each position.")] = 1,
    hash: HashSize = 32.0,
    variant: VariantName = "othello",
) -> None:
    """Answer queries of other programs, as JSON. They come on standard input, one object per line, and are answered in
    the order they finish. See docs/analysis.md.

    Example: echo '{"id": 1, "moves": "f5d6c3", "depth": 10}' | outflank analysis
    """
    rules = Variant.named(variant)

    from outflank.protocols.analysis import AnalysisEngine
    from outflank.work.places import cores

    with clean_output() as output:
        engine = AnalysisEngine(0, output.write, rules, jobs or cores(), threads, hash)
        engine.run(output.descriptor)
