"""`outflank book`: opening books, built by the engine, shown, merged and verified."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.board.squares import square_name
from outflank.board.variant import Variant
from outflank.cli.match import ProgressLine, duration
from outflank.cli.options import ONE_PER_CORE, AsJson, Jobs, On, StopAfter, VariantName, rules_named, tell
from outflank.cli.stopping import goes_on_from
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.library.book.book import Book, Worth
    from outflank.library.book.growing import State
    from outflank.library.book.verifying import Regret

KEPT = ".searched"

book = typer.Typer(
    help="""Build opening books, show, merge and verify them. See docs/book.md.

    Example: outflank book show shipped f5d6""",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

BookName = Annotated[str, typer.Argument(metavar="BOOK", help="A file, or shipped for Outflank's own.")]


@book.command()
def build(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The book to write, or to resume.")],
    variant: VariantName = "othello",
    positions: Annotated[
        int, typer.Option("--positions", "-n", min=1, max=10_000_000, help="Its size, in positions.")
    ] = 500,
    level: Annotated[int, typer.Option(min=10, max=30, help="The level of the searches.")] = 24,
    plies: Annotated[int, typer.Option(min=1, max=60, help="Plies of its longest line.")] = 24,
    named: Annotated[bool, typer.Option(help="Start with the named openings.")] = True,
    library: Annotated[str, typer.Option(help="A library of games whose positions come first.")] = "",
    played: Annotated[int, typer.Option(min=1, help="Only those in this many games of the library or more.")] = 100,
    budget: StopAfter = "",
    jobs: Jobs = ONE_PER_CORE,
    on: On = "",
    json: AsJson = False,
) -> None:
    """Build an opening book. The positions that matter most come first, each searched by the engine.

    Searches are kept beside the book: if stopped or killed, run the same command again to resume; the book will be the
    same. A larger size makes it grow. Exit code 1 if it has not reached its size yet.

    Example: outflank book build --variant 6x6 --level 12 --positions 40 --out six.book
    """
    from hashlib import sha256

    from outflank.library.book import file
    from outflank.library.book.growing import Grower, Plan, named_positions, played_positions
    from outflank.library.games import Library
    from outflank.search.driver import watched
    from outflank.work.durations import seconds_of
    from outflank.work.kept import Kept
    from outflank.work.places import threads_named

    rules = Variant.named(variant)
    given = named_positions(rules) if named else []
    if library:
        with Library(library) as opened:
            given = list(dict.fromkeys([*given, *played_positions(opened, rules, plies, played)]))
    origin = sha256(repr(given).encode()).hexdigest()[:12] if given else ""
    plan = Plan(rules, level, plies, tuple(given), origin)
    beside = out.with_name(out.name + KEPT)
    began = time.perf_counter()
    with (
        Kept(beside, plan.settings) as kept,
        threads_named(on, jobs) as workers,
        goes_on_from(beside, "searched"),
        ProgressLine() as line,
        watched(seconds_of(budget) if budget else None) as stop,
    ):
        grower = Grower(plan, kept)
        made = grower.grown(
            positions, workers, stop, lambda state: line.show(lambda: _state(state, positions, began), 0, 0)
        )
    size = file.save(made, str(out))
    tell(
        json,
        lambda: {"file": str(out), "bytes": size, "positions": len(made.entries), "about": made.about},
        lambda: f"{out}: {made}, {size:,} bytes; {grower.state.searched:,} searched now",
    )
    if len(made.entries) < positions:
        raise typer.Exit(1)


@book.command(context_settings={"ignore_unknown_options": True})  # a board text begins with -
def show(
    name: BookName,
    moves: Annotated[str, typer.Argument(help="The moves to a position, or any board text; default: the start.")] = "",
    variant: Annotated[str, typer.Option("--variant", "-v", help="Which shipped book; default: othello.")] = "",
    json: AsJson = False,
) -> None:
    """Show what a book says of a position. Its value, its moves, and the line that it plays.

    Example: outflank book show shipped f5d6
    """
    from outflank.board.game import Game
    from outflank.board.position import Position
    from outflank.formats.detect import detect

    found = _opened(name, variant)
    game = detect(moves, found.variant).only if moves else Game(Position.start(found.variant))
    position = (game if isinstance(game, Game) else Game(game)).position
    if not found.fits(position.variant):
        raise Fault("book.other-game", found=position.variant, variant=found.variant)
    worth = found.worth(position)
    known, line = found.moves(position), [square_name(move) for move in found.line(position)]
    if worth is None and moves:
        raise Fault("book.outside")

    def data() -> dict[str, Any]:
        return {
            "variant": found.variant.name,
            "positions": len(found.entries),
            "about": found.about,
            "board": position.text,
            **({} if worth is None else worth._asdict()),
            "moves": [
                {"move": square_name(each.move), **each.worth._asdict(), "followed": each.followed} for each in known
            ],
            "line": line,
        }

    def text() -> str:
        rows = [
            f"{square_name(each.move):>4}  {_told(each.worth)}{'' if each.followed else '  not followed up'}"
            for each in known
        ]
        here = "" if worth is None else f"worth to the side to move: {_told(worth)}"
        return "\n".join([str(found), str(position), here, *rows, "line: " + " ".join(line)])

    tell(json, data, text)


@book.command()
def merge(
    books: Annotated[list[str], typer.Argument(metavar="BOOK...", help="Two books or more, of one game.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="The book to write.")],
    json: AsJson = False,
) -> None:
    """Merge books. All positions, each from the highest level that searched it.

    Example: outflank book merge one.book other.book --out both.book
    """
    from functools import reduce

    from outflank.library.book import file

    made = reduce(lambda one, other: one.merged(other), [file.load(name) for name in books])
    size = file.save(made, str(out))
    tell(
        json,
        lambda: {"file": str(out), "bytes": size, "positions": len(made.entries)},
        lambda: f"{out}: {made}, {size:,} bytes",
    )


@book.command()
def verify(
    name: BookName,
    sample: Annotated[int, typer.Option("--sample", "-n", min=1, help="Random positions to search.")] = 100,
    level: Annotated[int, typer.Option(min=10, max=30, help="The level of the search.")] = 24,
    most: Annotated[int, typer.Option(min=0, max=64, help="Discs that a move may lose.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="The seed: another gives other positions.")] = 1,
    mend: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Search bad moves again, deeper, and write the mended book.")
    ] = None,
    variant: Annotated[str, typer.Option("--variant", "-v", help="Which shipped book; default: othello.")] = "",
    jobs: Jobs = ONE_PER_CORE,
    on: On = "",
    json: AsJson = False,
) -> None:
    """Check a book by a deeper search. How many discs do its moves lose in random positions?

    Exit code 1 if one loses more than --most, unless the book is mended.

    Example: outflank book verify shipped --sample 20
    """
    from outflank.library.book import file
    from outflank.library.book.verifying import doubted, mended, regrets
    from outflank.search.driver import watched
    from outflank.work.places import threads_named

    found = _opened(name, variant)
    tasks = doubted(found, sample, level, seed)
    if not tasks:
        raise Fault("book.empty", name=name)
    with threads_named(on, jobs) as workers, ProgressLine() as line, watched(None) as stop:
        answers, sound = [], None
        for each in regrets(tasks, workers, stop):
            answers.append(each)
            line.show(lambda: f"{len(answers):,} of {len(tasks):,} asked", 0, 0)
        worst = sorted(
            (each for each in answers if each.discs > most), key=lambda each: (-each.discs, each.position.text)
        )
        if mend is not None:
            sound = mended(found, worst, level, workers, stop)
            file.save(sound, str(mend))
    mean = sum(each.discs for each in answers) / len(answers)
    data = {
        "positions": len(found.entries),
        "asked": len(answers),
        "level": level,
        "mean": round(mean, 3),
        "mended": None if sound is None else len(sound.entries),
        "regretted": [_regret_data(each) for each in worst],
    }
    within = f"{len(answers) - len(worst):,} of {len(answers):,} moves within {most} of level {level}'s best"
    lines = [*(_regret_text(each, level) for each in worst), f"{within}; {mean:.2f} discs on average"]
    if sound is not None:
        lines.append(f"{mend}: {sound}; {len(worst):,} of its moves looked at again")
    tell(json, lambda: data, lambda: "\n".join(lines))
    if worst and mend is None:
        raise typer.Exit(1)


def _opened(name: str, variant: str) -> "Book":
    from outflank.library.book.file import open_book

    return open_book(name, rules_named(variant) or Variant())


def _regret_data(one: "Regret") -> dict[str, Any]:
    return {
        "board": one.position.text,
        "move": square_name(one.move),
        "book": one.book_value,
        "best": square_name(one.best),
        "value": one.value,
        "played": one.played,
    }


def _regret_text(one: "Regret", level: int) -> str:
    book = f"{one.position.text}  book {square_name(one.move)} {one.book_value:+}"
    return f"{book}, which level {level} holds to be {one.played:+}; it plays {square_name(one.best)} {one.value:+}"


def _told(worth: "Worth") -> str:
    drawn = {True: "  drawn", None: "  may be drawn", False: ""}[worth.drawn]
    return f"{worth.value:+3} ({worth.lower:+} to {worth.upper:+}){drawn}"


def _state(state: "State", positions: int, began: float) -> str:
    passed, left = time.perf_counter() - began, positions - state.positions
    pace = f", {duration(passed / state.searched * left)} left" if state.searched else ""
    return f"{state.positions:,} of {positions:,} positions, {state.searched:,} searched{pace}"
