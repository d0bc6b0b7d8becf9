"""`outflank data`: positions with values, policies and results, for other programs."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.board.variant import Variant
from outflank.cli.match import ProgressLine
from outflank.cli.options import ONE_PER_CORE, AsJson, Jobs, On, TextVariant, VariantName, rules_named, tell
from outflank.cli.stopping import goes_on_from
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.datasets.export import Export, Task

FORMS = ("parquet", "numpy", "both")
PLAYERS = ("engine", "alphazero")

data = typer.Typer(
    help="""Write positions with values as Parquet and NumPy files. docs/data.md has the columns.

    If stopped, run the same command again: it resumes, and makes the same files.

    Example: outflank data self-play --games 1000 --variant 6x6 --out positions""",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write, or to resume.")]
Form = Annotated[str, typer.Option("--format", help=f"{', '.join(FORMS[:-1])} or {FORMS[-1]}.")]


@data.command(name="self-play")
def self_play(
    out: Out,
    games: Annotated[int, typer.Option(min=1, max=100_000_000, help="Games to play.")] = 1000,
    variant: VariantName = "othello",
    player: Annotated[
        str, typer.Option(help="Who plays itself: engine, or alphazero, whose visits give a policy.")
    ] = "engine",
    depth: Annotated[int, typer.Option(min=1, max=20, help="Plies that the engine looks ahead.")] = 4,
    exact: Annotated[int, typer.Option(min=0, max=24, help="Empties from which the engine plays perfectly.")] = 12,
    playouts: Annotated[
        int, typer.Option(min=2, max=100_000, help="Simulations of alphazero's thorough searches.")
    ] = 200,
    quick: Annotated[
        int, typer.Option(min=2, max=100_000, help="Simulations of its quick searches, seven in ten.")
    ] = 40,
    seed: Annotated[int, typer.Option(min=0, max=1_000_000, help="The seed: another gives other games.")] = 1,
    format: Form = "both",
    jobs: Jobs = ONE_PER_CORE,
    on: On = "",
    json: AsJson = False,
) -> None:
    """Games of a player against itself. They begin with random moves.

    Example: outflank data self-play --games 200 --variant 6x6 --out positions
    """
    rules = Variant.named(variant)
    if player not in PLAYERS:
        raise Fault("data.player", player=player, players=" or ".join(PLAYERS))

    from outflank.datasets import sources
    from outflank.datasets.export import Export
    from outflank.patterns.weights import shipped_digest

    settings = {"variant": rules.name, "player": player, "games": games, "seed": seed, "weights": shipped_digest()}
    tasks: Iterable[Task]
    if player == "engine":
        settings |= {"depth": depth, "exact": exact}
        tasks, unit = sources.engine_games(rules, games, depth, exact, seed), "discs"
    else:
        settings |= {"playouts": playouts, "quick": quick}
        tasks, unit = sources.guided_games(rules, games, playouts, quick, seed), "result"
    _write(Export(out, "self-play", settings, unit, _form(format)), tasks, jobs, on, json)


@data.command()
def library(
    library: Annotated[str, typer.Argument(metavar="LIBRARY", help="A library made by outflank games build.")],
    out: Out,
    variant: VariantName = "othello",
    exact: Annotated[int, typer.Option(min=0, max=24, help="Empties from which positions are solved.")] = 12,
    depth: Annotated[int, typer.Option(min=1, max=20, help="Plies to search the others.")] = 6,
    share: Annotated[float, typer.Option(min=0, max=1, help="The share of the others to search.")] = 0.0,
    format: Form = "both",
    jobs: Jobs = ONE_PER_CORE,
    on: On = "",
    json: AsJson = False,
) -> None:
    """The games of a library, with values. Their last positions are solved, a share of the others searched.

    Example: outflank data library games.duckdb --exact 14 --out positions
    """
    rules = Variant.named(variant)

    from outflank.datasets import sources
    from outflank.datasets.export import Export
    from outflank.learning.games.labelling import Labelling
    from outflank.library.games import Library
    from outflank.patterns.weights import shipped_digest

    how = Labelling(exact, depth, round(1000 * share))
    with Library(library) as opened:
        found = opened.played(rules)
        if not len(found.numbers):
            raise Fault("data.no-games", path=library, variant=rules)
        settings = {
            "variant": rules.name,
            "games": len(found.numbers),
            "moves": found.digest,
            "exact": exact,
            "depth": depth,
            "share": how.share / 1000,
            "weights": shipped_digest(),
        }
        tasks = sources.library_games(opened, rules, how)
        _write(Export(out, "library", settings, form=_form(format)), tasks, jobs, on, json)


@data.command()
def solve(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Files of positions, or of games.")],
    out: Out,
    empties: Annotated[
        int, typer.Option(min=1, max=60, help="In games, solve positions with this many empties or fewer.")
    ] = 12,
    variant: TextVariant = "",
    format: Form = "both",
    jobs: Jobs = ONE_PER_CORE,
    on: On = "",
    json: AsJson = False,
) -> None:
    """Positions solved, with the proven value of every move.

    Example: outflank data solve games.wtb --empties 14 --out positions
    """
    from hashlib import sha256

    from outflank.datasets import sources
    from outflank.datasets.export import Export
    from outflank.formats.files import game_files

    asked = sources.positions_to_solve(
        [file for path in paths for file in game_files(path)], rules_named(variant), empties
    )
    digest = sha256("\n".join(f"{one.game} {one.move} {one.position.text}" for one in asked).encode()).hexdigest()
    settings = {
        "variant": asked[0].position.variant.name,
        "positions": len(asked),
        "digest": digest[:12],
    }
    _write(Export(out, "solve", settings, form=_form(format)), sources.solving_tasks(asked), jobs, on, json)


@data.command()
def exercises(
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="The folder to write, or to resume.")],
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[GAMES]...", help="Files of games; default: self-play of the engine.")
    ] = None,
    variant: VariantName = "othello",
    each: Annotated[int, typer.Option(min=1, max=100_000, help="Exercises of each kind.")] = 300,
    games: Annotated[int, typer.Option(min=1, max=1_000_000, help="Games to look through for each kind.")] = 3000,
    seed: Annotated[int, typer.Option(min=0, max=1_000_000, help="The seed: another gives other positions.")] = 1,
    jobs: Jobs = ONE_PER_CORE,
    on: On = "",
    json: AsJson = False,
) -> None:
    """Positions with one clear best move, for the page's trainer. Middle games and solved endings.

    Example: outflank data exercises --variant 6x6 --each 20 --out exercises
    """
    from functools import partial

    from outflank.datasets.exercises import Found as Portion
    from outflank.datasets.exercises import first_of, tasks
    from outflank.learning.games.files import games_in
    from outflank.learning.games.scored import ScoredGames
    from outflank.learning.portions import done, write_text
    from outflank.library.exercises import Kind, written
    from outflank.work.places import threads_named

    rules = Variant.named(variant)
    given = ScoredGames.joined([found for found, _ in games_in(paths, rules)]).moves if paths else None
    found = []

    def show(line: ProgressLine, kind: str, count: int) -> None:
        line.show(lambda: f"{count} of {each} exercises from {kind}", 0, 0)

    with ProgressLine() as line, threads_named(on, jobs) as workers, goes_on_from(out, "found"):
        kinds: tuple[Kind, ...] = ("games", "endings")
        for kind in kinds:
            made = done(workers, tasks(out / "portions", rules, kind, seed, games, given), Portion)
            found += first_of(made, each, partial(show, line, kind))
    write_text(out / "exercises.tsv", written(found))
    tell(json, lambda: {"exercises": len(found)}, lambda: f"{len(found)} exercises in {out / 'exercises.tsv'}")


def _form(name: str) -> str:
    if name not in FORMS:
        raise Fault("data.format", format=name, formats=", ".join(FORMS))
    return name


def _write(export: "Export", tasks: "Iterable[Task]", jobs: int, on: str, json: bool) -> None:
    from outflank.work.places import threads_named

    with threads_named(on, jobs) as workers, goes_on_from(export.folder, "written"), ProgressLine() as line:
        written = export.run(tasks, workers, lambda made: line.show(lambda: f"{made:,} portions written", 0, 0))
    tell(
        json,
        lambda: {"folder": str(export.folder), **vars(written), "about": export.about},
        lambda: (
            f"{written.positions:,} positions in {export.folder}, {written.bytes / 1e6:.1f} MB;"
            f" {written.made:,} of {written.portions:,} portions made now"
        ),
    )
