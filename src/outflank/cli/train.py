"""`outflank train`: the short name of `outflank learn patterns engine`, and plots of training."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.board.variant import Variant
from outflank.cli.learn import Screen, carry_out
from outflank.cli.options import ONE_PER_CORE, Jobs, On
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.agents.options import Value


def train(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAMES…]", help="WTHOR or log-book files, folders, or .npz: tables of moves, or self-play."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The weights file to write (with --curves, the picture).")] = None,
    variant: Annotated[
        str, typer.Option(help="othello, reversed, 6x6, reversed-5x7, …; sides from 5 to 8.")
    ] = "othello",
    self_play: Annotated[bool, typer.Option("--self-play", help="Learn from games against itself, in rounds.")] = False,
    rounds: Annotated[int, typer.Option(min=1, max=99, help="Rounds of self-play.")] = 3,
    games_a_round: Annotated[int, typer.Option("--games", min=1, help="Games of self-play per round.")] = 20_000,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of games in the match that a round must win.")] = 250,
    begin: Annotated[
        str, typer.Option("--from", help="Weights to start from: a file, `shipped` or `nothing`; with games: shipped.")
    ] = "",
    depth: Annotated[int, typer.Option(min=1, max=20, help="Plies of the searches that play or label.")] = 4,
    exact: Annotated[int, typer.Option(min=0, max=24, help="Empties from which every score is exact.")] = 12,
    share: Annotated[float, typer.Option(min=0, max=1, help="The share of the given games' moves to search.")] = 0.25,
    trace: Annotated[
        float, typer.Option(min=0, max=1, help="The weight of the next position's label in a searched one's.")
    ] = 0.8,
    work: Annotated[Path | None, typer.Option(help="The folder for work in progress; default: OUT.work.")] = None,
    jobs: Jobs = ONE_PER_CORE,
    on: On = "",
    seed: Annotated[int, typer.Option(min=0, max=1_000_000, help="The seed: another gives other games.")] = 1,
    iterations: Annotated[int, typer.Option(min=1, max=1000, help="Steps of conjugate gradients per stage.")] = 15,
    network: Annotated[
        int, typer.Option(min=0, max=100, help="Keep --from's weights; fit a network on top in so many passes.")
    ] = 0,
    calibrate: Annotated[
        bool, typer.Option(help="Correct and stretch searched values; with only --from, of that file.")
    ] = True,
    known: Annotated[
        list[str] | None,
        typer.Option(help="Suites, or games, to calibrate on; few are filled up by its own positions."),
    ] = None,
    margins: Annotated[bool, typer.Option(help="Measure ProbCut's margins; with only --from, of that file.")] = True,
    curves: Annotated[
        bool, typer.Option("--curves", help="Draw the errors of weights files (GAMES) as a picture.")
    ] = False,
) -> None:
    """Fit the engine's evaluation to games or by self-play. Print the held-out error of each stage.

    Given games are labelled first: their last plies are solved exactly, and a share of the others is searched. With
    --self-play the engine plays itself, fits, and keeps each round's weights only if they win their match. If stopped,
    run it again with the same options: it resumes.

    Examples: outflank train wthor/ logbook.gam.gz --exact 14 --depth 6 --out othello.npz

    outflank train --self-play --variant reversed --rounds 3 --games 40000 --out reversed.npz
    """
    from outflank.learning.methods import Task
    from outflank.learning.patterns.learner import beginning, finished
    from outflank.learning.run import Budget

    given = games or []
    if curves:
        _draw(given, out)
        return
    if not self_play and not given and not begin:
        raise Fault("train.no-games")
    if out is None:
        raise Fault("train.no-out")
    if not out.parent.is_dir():
        raise Fault("folder.missing", folder=out.parent, name=out.name)
    if out.is_dir():
        raise Fault("train.out-folder", path=out)
    if self_play and given:
        raise Fault("train.self-play-with-games")
    rules = Variant.named(variant)
    if not self_play and not given:
        first = beginning(begin, rules)
        if network:
            raise Fault("train.network-without-games")
        if first is None or not (margins or calibrate):
            raise Fault("train.nothing")
        finished(first, [], calibrate, known or [], margins, Screen()).save(out)
        print(f"written to {out} ({out.stat().st_size / 1e6:.1f} MB)")
        return
    options: dict[str, Value | None] = {
        "start": begin,
        "round": games_a_round,
        "gate": pairs,
        "depth": depth,
        "exact": exact,
        "trace": trace,
        "iterations": iterations,
        "games": os.pathsep.join(given),
        "share": share,
        "network": network,
        "calibrate": calibrate,
        "known": os.pathsep.join(known or []),
        "margins": margins,
    }
    task = Task("patterns", "engine", rules, seed, options)
    carry_out(task, out, Budget(games=rounds * games_a_round), jobs, on, folder=work)


def _draw(files: list[str], out: Path | None) -> None:
    from outflank.learning.curves import error_curves, ladder_curves
    from outflank.patterns.guides import Guide, is_guide
    from outflank.patterns.weights import Weights

    if not files or out is None:
        raise Fault("train.curves")
    paths = [Path(file) for file in files]
    if is_guide(paths[0]):
        picture = ladder_curves({path.stem: Guide.load(path) for path in paths})
    else:
        picture = error_curves({path.stem: Weights.load(path) for path in paths})
    out.write_text(picture)
    print(f"written to {out}")
