"""`outflank train`: fits the engine's pattern weights, to given games or by self-play."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from outflank.board.variant import Variant
    from outflank.learning.games.labelling import Labelling
    from outflank.learning.games.positions import Positions
    from outflank.learning.patterns.fit import Stage
    from outflank.learning.patterns.learner import Progress, Settings
    from outflank.patterns.weights import Weights
    from outflank.search.driver import Stop

MARGIN_GAMES = 400
"""Games of self-play that margins are measured on where no games are given."""


def train(
    games: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GAMES…]", help="WTHOR or log-book files, folders, or .npz: tables of moves, or self-play."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The weights file to write (with --curves, the picture).")] = None,
    variant: Annotated[str, typer.Option(help="othello, reversed, 6x6, reversed-6x6.")] = "othello",
    self_play: Annotated[bool, typer.Option("--self-play", help="Learn from games against itself, in rounds.")] = False,
    rounds: Annotated[int, typer.Option(min=1, max=99, help="Rounds of self-play.")] = 3,
    games_a_round: Annotated[int, typer.Option("--games", min=1, help="Games of self-play a round.")] = 20_000,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of games in the match that a round must win.")] = 250,
    begin: Annotated[
        str, typer.Option("--from", help="Weights to begin with: a file, `shipped`, or `nothing`; games: shipped.")
    ] = "",
    depth: Annotated[int, typer.Option(min=1, max=20, help="Plies of the searches that play or label.")] = 4,
    exact: Annotated[int, typer.Option(min=0, max=24, help="Empties from which every score is exact.")] = 12,
    share: Annotated[float, typer.Option(min=0, max=1, help="Part of the given games' moves that is searched.")] = 0.25,
    trace: Annotated[
        float, typer.Option(min=0, max=1, help="What the next position's label counts in a searched one's.")
    ] = 0.8,
    work: Annotated[Path | None, typer.Option(help="Folder for what is done so far; OUT.work unless named.")] = None,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="Portions done at a time; one a core unless named.")] = (
        os.cpu_count() or 1
    ),
    on: Annotated[
        str, typer.Option("--on", help="Where: ray, or ray://host:port for a Ray cluster; default: here.")
    ] = "",
    seed: Annotated[int, typer.Option(min=0, max=1_000_000, help="Other seeds, other games.")] = 1,
    iterations: Annotated[int, typer.Option(min=1, max=1000, help="Steps of conjugate gradients a stage.")] = 15,
    margins: Annotated[bool, typer.Option(help="Measure ProbCut's margins too; alone: anew, for --from.")] = True,
    curves: Annotated[
        bool, typer.Option("--curves", help="Draw the errors of weights files (GAMES) as a picture.")
    ] = False,
) -> None:
    """Fit the evaluation to games or by self-play; print the held-out error of each stage.

    Given games are labelled first: their last plies are solved exactly, a share of the others searched. With
    --self-play the engine plays itself, fits, and keeps each round's weights only if they win their match. Stopped and
    run again with the same options, it goes on.

    Examples: outflank train wthor/ logbook.gam.gz --exact 14 --depth 6 --out othello.npz

    outflank train --self-play --variant reversed --rounds 3 --games 40000 --out reversed.npz
    """
    from outflank.board.variant import Variant
    from outflank.learning.games.labelling import Labelling
    from outflank.learning.patterns.learner import Settings

    given = games or []
    if curves:
        _draw(given, out)
        return
    if not self_play and not given and not begin:
        raise ValueError("name games to learn from, or --self-play")
    if out is None:
        raise ValueError("name the weights file to write with --out")
    if not out.parent.is_dir():
        raise ValueError(f"there is no folder {out.parent} to write {out.name} into")
    if out.is_dir():
        raise ValueError(f"{out} is a folder: name the weights file in it")
    rules = Variant.named(variant)
    folder = work or out.with_name(out.name + ".work")
    first = _beginning(begin or ("nothing" if self_play else "shipped"), rules)
    if self_play:
        if given:
            raise ValueError("--self-play makes its own games: train from given ones in a run of its own, then --from")
        settings = Settings(rules, games_a_round, depth, exact, pairs, trace, seed, iterations)
        made = _self_play(settings, first, folder, rounds, jobs, on)
    elif given:
        how = Labelling(exact, depth, round(1000 * share))
        made = _from_games(given, rules, first, folder, how, trace, iterations, jobs, on)
    else:
        if first is None or not margins:
            raise ValueError("there is nothing to do: name games, --self-play, or --from with margins to measure")
        made = first
    if margins:
        made = _with_margins(made, given)
    made.save(out)
    print(f"written to {out} ({out.stat().st_size / 1e6:.1f} MB)")


def _beginning(name: str, variant: "Variant") -> "Weights | None":
    """The weights to begin with."""
    from outflank.patterns.weights import Weights, shipped

    if name == "nothing":
        return None
    found = shipped(variant) if name == "shipped" else Weights.load(Path(name))
    if found is not None and found.variant != variant:
        raise ValueError(f"{name} holds weights for {found.variant}, not for {variant}")
    return found


def _progress() -> "Progress":
    from outflank.cli.match import ProgressLine

    line = ProgressLine()

    def show(what: str, done: int, of: int) -> None:
        line.show(lambda: f"{what} {done:,} of {of:,}", done, of - done)
        if done >= of:
            line.clear()

    return show


def _self_play(
    settings: "Settings", begin: "Weights | None", folder: Path, rounds: int, jobs: int, on: str
) -> "Weights":
    from outflank import __version__
    from outflank.learning.patterns.learner import Training
    from outflank.patterns.weights import Weights

    training = Training(settings, folder, begin, jobs, on, _progress())
    for played in training.rounds(rounds):
        trial, (low, high) = played.trial, played.interval
        _print_stages(played.stages)
        print(
            f"round {played.number}: {played.games:,} games, {played.positions:,} positions; against the weights before"
            f" {trial.wins}-{trial.draws}-{trial.losses}, {100 * (trial.score or 0):.1f} % ({100 * low:.1f} to"
            f" {100 * high:.1f}): {'kept' if played.kept else 'not kept'}",
            flush=True,
        )
    if training.champion is None:
        raise ValueError("no round won its match against playing by mobility: play more games a round")
    about = {
        **training.champion.provenance,
        "sources": ["self-play"],
        "settings": {**settings.to_dict(), "begin": None if begin is None else begin.digest},
        "rounds": [played.to_dict() for played in training.history],
        "version": __version__,
    }
    return Weights(settings.variant, training.champion.table, about)


def _from_games(
    given: list[str],
    variant: "Variant",
    labeller: "Weights | None",
    folder: Path,
    how: "Labelling",
    trace: float,
    iterations: int,
    jobs: int,
    on: str,
) -> "Weights":
    from dataclasses import asdict

    from outflank import __version__
    from outflank.learning.games.files import games_in
    from outflank.learning.games.labelling import valuing_tasks
    from outflank.learning.games.positions import OF_RESULT, Positions
    from outflank.learning.games.scored import ScoredGames
    from outflank.learning.patterns.fit import Fit
    from outflank.learning.portions import done

    learnt, held = [Positions.none()], [Positions.none()]
    count, progress = 0, _progress()
    for games, own in games_in(given, variant):
        count += len(games)
        tasks = {} if own else valuing_tasks(games, labeller, how, folder)
        for number, portion in enumerate([games] if own else done(tasks, ScoredGames, jobs, on), 1):
            one, other = Positions.parted([portion], trace, 0 if own else OF_RESULT)
            learnt.append(one)
            held.append(other)
            progress("portions of games labelled", number, len(tasks))
    together = Positions.joined(learnt)
    if not len(together):
        raise ValueError("there is no finished game to learn from")
    print(f"{count:,} games, {len(together):,} positions", flush=True)
    fit = Fit(together, Positions.joined(held), variant, iterations, labeller)
    stages = []
    for stage in fit.stages():
        stages.append(stage)
        _print_stages([stage])
    about = {
        "sources": [Path(path).name for path in given],
        "games": count,
        "positions": len(together),
        "labelling": {**asdict(how), "weights": None if labeller is None else labeller.digest},
        "trace": trace,
        "iterations": iterations,
        "version": __version__,
        "held_out": [asdict(stage) for stage in reversed(stages)],
    }
    return fit.weights(about)


def _with_margins(weights: "Weights", given: list[str]) -> "Weights":
    """The weights with how well their shallow searches foretell deep ones."""
    from outflank.learning.patterns.margins import fitted, measured
    from outflank.patterns.weights import Evaluation, Weights
    from outflank.search.driver import watched

    evaluation, progress = Evaluation.of(weights), _progress()
    found: dict[tuple[int, int, int], list[int]] = {}
    with watched(None, None) as stop:
        positions = _sample(weights, given, stop)
        for empties, differences in measured(positions, weights.variant, evaluation, stop):
            found.update(differences)
            progress("margins: empties", empties, weights.variant.square_count - 10)
    coefficients, off = fitted(found)
    print(f"margins: {sum(map(len, found.values())):,} differences of searches, a factor {off:.2f} off the curve")
    return Weights(weights.variant, weights.table, {**weights.provenance, "spreads": coefficients})


def _sample(weights: "Weights", given: list[str], stop: "Stop") -> "Positions":
    """Positions to measure on: of the given games, else of self-play with these weights."""
    from outflank.learning.games.files import games_in
    from outflank.learning.games.positions import Positions
    from outflank.learning.games.selfplay import SelfPlay, Style

    if given:
        return Positions.joined([Positions.of(games, of_result=1) for games, _ in games_in(given, weights.variant)])
    style = Style.learning(weights.variant, 4, 12)
    return Positions.of(SelfPlay(weights.variant, weights, style, 77, 0, MARGIN_GAMES)(stop), of_result=0)


def _print_stages(stages: "list[Stage]") -> None:
    for stage in stages:
        print(
            f"{stage.discs:>3} discs  {stage.positions:>9,} positions, {stage.held_out:>7,} held out:"
            f"  mean error {stage.mean_error:5.2f}"
            f"  root mean square {stage.root_mean_square:5.2f}  of {stage.spread:5.2f}  {stage.seconds:6.1f} s",
            flush=True,
        )


def _draw(files: list[str], out: Path | None) -> None:
    from outflank.learning.curves import error_curves, ladder_curves
    from outflank.patterns.guides import Guide, is_guide
    from outflank.patterns.weights import Weights

    if not files or out is None:
        raise ValueError("--curves takes weights files, and the picture to write with --out")
    paths = [Path(file) for file in files]
    if is_guide(paths[0]):
        picture = ladder_curves({path.stem: Guide.load(path) for path in paths})
    else:
        picture = error_curves({path.stem: Weights.load(path) for path in paths})
    out.write_text(picture)
    print(f"written to {out}")
