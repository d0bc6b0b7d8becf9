"""`outflank games`: checks collections of games, builds libraries of them, and looks positions up."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from outflank.board.squares import Color, square_name
from outflank.board.variant import OTHELLO
from outflank.cli.games_check import check
from outflank.cli.match import ProgressLine
from outflank.cli.options import AsJson, TextVariant, VariantName, print_json, rules_named
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.board.game import Game
    from outflank.library.building import Built
    from outflank.library.games import Exploration, GameFound, Tally

FAULTS_SHOWN = 5
LibraryFile = Annotated[str, typer.Argument(metavar="LIBRARY", help="A library made by outflank games build.")]


class WithDefault(TyperGroup):
    """A group whose first command needs no name: `outflank games PATH` is `outflank games check PATH`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in (*self.commands, "-h", "--help"):
            args = ["check", *args]
        return super().parse_args(ctx, args)


games = typer.Typer(
    cls=WithDefault,
    help="""Check games, build a library, ask what was played.

    Without a command it checks: outflank games FILE... is outflank games check FILE...

    Example: outflank games build games.wtb --out games.duckdb""",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
games.command(name="check")(check)


@games.command()
def build(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Files of games, or folders of them.")],
    out: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="The library to make, or to replace.")],
    variant: TextVariant = "",
    json: AsJson = False,
) -> None:
    """Build a library of games from files in any format. Each game is kept once, illegal ones are left out.

    Example: outflank games build games.wtb more.ggf --out games.duckdb
    """
    from time import perf_counter

    from outflank.library.building import build as build_library

    began = perf_counter()

    def show(done: int, files: int, read: int) -> None:
        text = f"{done} of {files} files, {read:,} games" if done < files else f"{read:,} games: sorting"
        line.show(lambda: text, 0, 0)

    with ProgressLine() as line:
        built = build_library(paths, out, rules_named(variant), show)
    if json:
        print_json(
            {
                "library": out,
                "games": built.games,
                "positions": built.positions,
                "duplicates": built.duplicates,
                "without_moves": built.without_moves,
                "illegal": built.faults,
                "bytes": built.bytes,
                "seconds": round(perf_counter() - began, 3),
            }
        )
        return
    print(f"{out}: {built.games:,} games, {built.positions:,} positions, {built.bytes / 1e6:.1f} MB")
    _tell_left_out(built)


def _tell_left_out(built: "Built") -> None:
    left_out = {"duplicate": built.duplicates, "without a move": built.without_moves, "illegal": len(built.faults)}
    told = [f"{count:,} {what}" for what, count in left_out.items() if count]
    if told:
        print(f"left out: {', '.join(told)}")
    for fault in built.faults[:FAULTS_SHOWN]:
        print(f"  {fault}")
    if len(built.faults) > FAULTS_SHOWN:
        print(f"  and {len(built.faults) - FAULTS_SHOWN:,} more illegal games")


@games.command(context_settings={"ignore_unknown_options": True})
def explore(
    library: LibraryFile,
    what: Annotated[
        str, typer.Argument(metavar="[BOARD|GAME|FILE|-]", help="A board text or a game; default: the start.")
    ] = "",
    shown: Annotated[int, typer.Option("--games", "-g", min=0, max=1000, help="Games to list, the latest first.")] = 5,
    player: Annotated[str, typer.Option("--player", "-p", help="Only games of players with this in their name.")] = "",
    color: Annotated[str, typer.Option("--color", "-c", help="That player's colour: black or white.")] = "",
    since: Annotated[int | None, typer.Option("--since", min=1, max=9999, help="Only games from this year on.")] = None,
    until: Annotated[int | None, typer.Option("--until", min=1, max=9999, help="Only games up to this year.")] = None,
    variant: VariantName = "",
    json: AsJson = False,
) -> None:
    """What was played in a position, how often, and how it ended. For a game, in the position it ends in.

    Example: outflank games explore games.duckdb f5d6c3 --player tamenori --since 1990
    """
    from outflank.library.exploring import explored
    from outflank.library.games import Library, Wanted

    game, wanted = _asked(what, variant), Wanted(player, _color(color), since, until)
    with Library(library) as opened:
        if json:
            print_json(explored(game, opened, shown, wanted))
            return
        found, examples = opened.explore(game.position, wanted), opened.games(game.position, shown, wanted=wanted)
    print(_text(game, found, examples))


@games.command()
def openings(library: LibraryFile, json: AsJson = False) -> None:
    """The openings of a library's games by name. How often each was played, and how Black did.

    Example: outflank games openings games.duckdb
    """
    from outflank.library.exploring import tally_data
    from outflank.library.games import Library

    with Library(library) as opened:
        found = opened.openings()
    if json:
        print_json({"openings": [{"name": one.name, **tally_data(one.tally)} for one in found]})
        return
    width = max((len(one.name or "") for one in found), default=0)
    print(f"{'':{width}}  {_heading(Color.BLACK)}")
    for one in found:
        print(f"{one.name or '(no name)':{width}}  {_row(one.tally)}")


def _color(name: str) -> Color | None:
    if name.upper() not in ("", *Color.__members__):
        raise Fault("option.color-name", name=name)
    return Color[name.upper()] if name else None


def _asked(what: str, variant: str) -> "Game":
    from outflank.board.game import Game
    from outflank.cli.show import read_anything

    rules = rules_named(variant)
    return Game(rules or OTHELLO) if not what else read_anything(what, rules).only


def _text(game: "Game", found: "Exploration", examples: "list[GameFound]") -> str:
    from outflank.library.openings import opening_name, openings_after

    position, total = found.position, found.total
    rows = [str(position)]
    if name := opening_name(game):
        rows.append(f"opening: {name}")
    if not total.games:
        return "\n".join([*rows, "", "no game of the library came here"])
    rows += ["", f"{'':>12} {_heading(position.turn)}", f"{'all':>12} {_row(total)}"]
    names = openings_after(position)
    for one in found.moves:
        squares = " ".join(map(square_name, one.moves))
        named = names.get(one.moves[0])
        rows.append(f"{squares:>12} {_row(one.tally)}{f'  {named}' if named else ''}")
    if examples:
        rows += ["", "the latest:", *(f"  {_line(one)}" for one in examples)]
    return "\n".join(rows)


def _heading(turn: Color) -> str:
    return f"{'games':>8} {f'{turn} won':>10} {'draws':>7} {'lost':>8} {'score':>7} {'discs':>6}  years"


def _row(tally: "Tally") -> str:
    share = "" if tally.share is None else f"{100 * tally.share:.1f} %"
    margin = "" if tally.margin is None else f"{tally.margin + 0.0:+.1f}"
    years = "" if tally.first_year is None else f"{tally.first_year}–{tally.last_year}"
    counts = f"{tally.games:>8,} {tally.wins:>10,} {tally.draws:>7,} {tally.losses:>8,}"
    return f"{counts} {share:>7} {margin:>6}  {years:<9}".rstrip()


def _line(game: "GameFound") -> str:
    result = "?" if game.result is None else f"{game.score:+d}" if game.score is not None else _verdict(game)
    who = f"{game.black or '?'} – {game.white or '?'}"
    return "  ".join(str(part) for part in (game.year or "    ", f"{who}  {result}", game.event, game.opening) if part)


def _verdict(game: "GameFound") -> str:
    """How a game ended that was not played out."""
    return "draw" if game.winner is None else f"{game.winner} won"
