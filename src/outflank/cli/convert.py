"""`outflank convert`: games and positions from one format to another."""

import sys
from typing import Annotated

import typer

from outflank.cli.options import rules_named

From = Annotated[str, typer.Option("--from", help="The input's format, if its name does not show it.")]
To = Annotated[str, typer.Option("--to", help="The output's format, if its name does not show it.")]


def convert(
    inputs: Annotated[
        list[str], typer.Argument(metavar="IN", help="Files to read, or folders of games; - is standard input.")
    ],
    output: Annotated[str, typer.Argument(metavar="OUT", help="The file to write; - is standard output.")],
    from_: From = "",
    to: To = "",
    variant: Annotated[
        str,
        typer.Option("--variant", "-v", help="The variant of text that does not name it: transcripts, boards, OBF."),
    ] = "",
    skip: Annotated[
        bool, typer.Option("--skip", help="Leave out games that OUT cannot hold, instead of refusing.")
    ] = False,
) -> None:
    """Convert games or positions from one format to another. Transcript, board, array, obf, ggf, sgf, wthor, gam, svg.

    The formats follow from the names (.txt .board .array .obf .ggf .sgf .wtb .gam .svg, each with .gz or without).
    WTHOR's lists of names are read and written beside the games.

    Example: outflank convert WTH_1997.wtb games.ggf
    """
    from outflank.cli.terminal import Terminal
    from outflank.formats import disk, files, reading, writing

    target = files.known_format(to or files.format_of(output), "--to", output)
    source = files.known_format(from_, "--from") if from_ else ""
    rules = rules_named(variant)
    found = writing.joined([files.load(file, source, rules) for path in inputs for file in files.game_files(path)])
    skipped = 0
    if skip:
        found, skipped = writing.holdable(found, target)
    missing = writing.left_out(found, target)
    written = files.save(found, output, target)
    count = len(found.games) or len(found.problems)
    noun = ("game" if found.games else "position") + ("" if count == 1 else "s")
    line = f"{count:,} {noun}: {reading.TITLES.get(found.format, found.format)} → {reading.TITLES[target]}"
    if len(written) > 1:
        line += f", names in {' and '.join(written[:-1])}"
    if skipped:
        line += f"; {skipped:,} skipped"
    if missing:
        line += f" (left out: {', '.join(missing)})"
    if output == disk.STANDARD:
        print(line, file=sys.stderr)
    else:
        Terminal().say(line)
