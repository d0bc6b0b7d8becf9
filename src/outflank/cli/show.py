"""`outflank show`: the board of a pasted game or position, and its format."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.board.squares import Color, square_name, squares_of
from outflank.board.variant import Variant
from outflank.cli.options import AsJson, print_json, rules_named
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.board.game import Game
    from outflank.formats.obf import Problem
    from outflank.formats.reading import Detected

NAMES_SHOWN = 20


def show(
    text: Annotated[
        str, typer.Argument(metavar="TEXT|FILE|-", help="A game or position in any format; - is standard input.")
    ],
    variant: Annotated[str, typer.Option("--variant", "-v", help="The variant of text that does not name it.")] = "",
    game: Annotated[int, typer.Option("--game", "-g", min=1, help="Which game or position, if there are several.")] = 1,
    ply: Annotated[int | None, typer.Option("--ply", "-p", min=0, help="The position after so many plies.")] = None,
    svg: Annotated[str, typer.Option("--svg", metavar="FILE", help="Also draw the board into this file.")] = "",
    json: AsJson = False,
) -> None:
    """Show the board of a game or position in any format. A transcript, board text, OBF, GGF, SGF, WTHOR or .gam file,
    link, or picture by Outflank.

    Example: outflank show f5d6c3d3c4
    """
    from outflank.board.game import Game
    from outflank.board.svg import draw
    from outflank.formats import disk

    found = read_anything(text, rules_named(variant))
    if found.names:
        _show_names(found, json)
        return
    count = len(found.games) or len(found.problems)
    if game > count:
        raise Fault("show.no-number", number=game, what=found.kind)
    problem = None if found.games else found.problems[game - 1]
    shown = found.games[game - 1] if problem is None else Game(problem.position)
    if ply is not None:
        line = shown.line
        if ply > len(line):
            raise Fault("show.no-ply", ply=ply, count=len(line))
        shown.goto(line[ply - 1] if ply else shown.root)
    if svg:
        disk.write_bytes(svg, draw(shown.position, shown.peek()).encode())
    if json:
        print_json(
            {"kind": found.kind, "format": found.format, "count": count, "number": game, **_data(shown, problem)}
        )
    else:
        print(found.kind + (f": number {game:,}" if count > 1 else ""))
        _print(shown, problem)


def read_anything(text: str, rules: Variant | None) -> "Detected":
    """A file where there is one of that name, else the text itself."""
    from outflank.formats import disk, files
    from outflank.formats.detect import detect

    if text == disk.STANDARD or _is_file(text):
        return files.load(text, variant=rules)
    try:
        return detect(text, rules)
    except ValueError:
        if 0 < len(text) < 256 and Path(text).is_dir():
            raise Fault("show.folder", path=text) from None
        if files.format_of(text) or ("/" in text and "://" not in text and len(text) < 256):
            raise Fault("show.no-file", path=text) from None
        raise


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a name, or with a zero byte
        return False


def _data(game: "Game", problem: "Problem | None") -> dict[str, Any]:
    from outflank.library.openings import opening_name

    position, outcome = game.position, game.outcome()
    return {
        "variant": game.variant.name,
        "position": position.text,
        "turn": None if game.is_over else str(position.turn).lower(),
        "black": position.count(Color.BLACK),
        "white": position.count(Color.WHITE),
        "empties": position.empties,
        "legal": [] if game.is_over else [square_name(square) for square in squares_of(position.legal)],
        "moves": [square_name(move) for move in game.moves],
        "start": game.start.text,
        "opening": opening_name(game),
        "outcome": outcome
        and {
            "winner": None if outcome.winner is None else str(outcome.winner).lower(),
            "score": outcome.score,
            "reason": outcome.reason,
        },
        "scores": {square_name(move): score for move, score in problem.scores.items()} if problem else {},
        "tags": game.tags,
    }


def _print(game: "Game", problem: "Problem | None") -> None:
    from outflank.cli.terminal import Terminal
    from outflank.cli.terminal_board import result_text
    from outflank.library.openings import opening_of

    terminal = Terminal()
    for tag, value in game.tags.items():
        line = f"  {tag}: {' '.join(value.split())}"
        print("".join(letter if letter.isprintable() else "?" for letter in line))
    terminal.show(game)
    if game.transcript:
        print(f"   {game.transcript}")
    if opening := opening_of(game):
        print(f"   opening: {', also '.join((opening.name, *opening.aliases))}")
    if game.is_over:
        print(f"   {result_text(game)}")
    if problem and problem.scores:
        print("   " + "  ".join(f"{square_name(move)} {score:+g}" for move, score in problem.scores.items()))


def _show_names(found: "Detected", json: bool) -> None:
    if json:
        print_json({"kind": found.kind, "format": found.format, "names": list(found.names)})
        return
    print(found.kind)
    for number, name in enumerate(found.names[:NAMES_SHOWN]):
        print(f"{number:6}  {name}")
    if len(found.names) > NAMES_SHOWN:
        print(f"     …  {found.names[-1]}")
