"""`outflank bench`: how fast the compiled parts are on this machine, one core, warm: a measurement, never a test. Only
`signature` measures nothing: it shows whether a change altered any search."""

import importlib.util
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from outflank.cli.options import AsJson, HashSize, print_json
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.bench.signature import Summary
    from outflank.bench.yardstick import EngineSpeed

bench = typer.Typer(help="Measure speed on this machine.", no_args_is_help=True)

Repeats = Annotated[int, typer.Option("--repeats", min=1, help="Measure this often and give the best.")]
PERFT_DEPTH = 11
PLAYOUTS = 200_000
POSITIONS_IN_PYTHON = 300


def _best_seconds(work: Callable[[], object], repeats: int) -> float:
    """The fastest of several runs: on a shared machine the others measure its other users."""
    work()  # warm: compiled, loaded, in the cache
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


@bench.command()
def kernels(json: AsJson = False, repeats: Repeats = 5) -> None:
    """Perft, random playouts and each kernel, on one core.

    Example: outflank bench kernels
    """
    import numpy as np

    from outflank.board import kernels as compiled
    from outflank.board.position import Position
    from outflank.board.timing import time_kernels

    start = Position.start()
    board = start.variant.board
    leaves = compiled.perft(start.own, start.opp, board, PERFT_DEPTH)
    perft = _best_seconds(lambda: compiled.perft(start.own, start.opp, board, PERFT_DEPTH), repeats)
    margins = np.empty(PLAYOUTS, np.int64)
    playouts = _best_seconds(lambda: compiled.random_playouts(start.own, start.opp, board, margins, 1), repeats)
    nanoseconds = time_kernels()
    finders = _time_finders()
    if json:
        print_json(
            {
                "perft": {
                    "depth": PERFT_DEPTH,
                    "leaves": leaves,
                    "seconds": perft,
                    "leaves_per_second": leaves / perft,
                },
                "playouts": {"games": PLAYOUTS, "seconds": playouts, "games_per_second": PLAYOUTS / playouts},
                "kernel_nanoseconds": nanoseconds,
                "finder_nanoseconds": finders,
            }
        )
        return
    print(f"perft({PERFT_DEPTH})           {leaves / perft / 1e6:8.0f} M leaves/s   ({leaves:,} in {perft:.3f} s)")
    print(f"random playouts     {PLAYOUTS / playouts:8,.0f} games/s")
    print("\nns a call, compiled, on positions of random games:")
    for name, cost in nanoseconds.items():
        print(f"  {name:<18}{cost:9.1f}")
    if finders:
        print("\nthe same in plain Python (corner-shy's two ways of finding moves, from tests/naive.py):")
        for name, cost in finders.items():
            print(f"  {name:<26}{cost:11,.0f}   {cost / nanoseconds['legal_moves']:9,.0f} times the kernel")


@bench.command()
def features(json: AsJson = False) -> None:
    """Each feature that a heuristic can count, in nanoseconds a call.

    Example: outflank bench features
    """
    from outflank.heuristics.timing import time_features

    nanoseconds = time_features()
    if json:
        print_json(nanoseconds)
        return
    for name, each in nanoseconds.items():
        print(f"{each:7.1f}  {name}")


def _time_finders() -> dict[str, float]:
    """What these finders cost in plain Python; nothing outside a source checkout, where they are not installed."""
    path = Path(__file__).resolve().parents[3] / "tests" / "naive.py"
    if not path.is_file():
        return {}
    from outflank.board.timing import random_positions

    spec = importlib.util.spec_from_file_location("outflank_naive", path)
    assert spec is not None and spec.loader is not None
    naive: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(naive)
    own, opp = (side.tolist() for side in random_positions(POSITIONS_IN_PYTHON))
    board = (1 << 64) - 1
    costs = {}
    for name in ("legal_moves_from_discs", "legal_moves_from_empties"):
        finder = getattr(naive, name)
        began = time.perf_counter()
        for mine, theirs in zip(own, opp, strict=True):
            finder(mine, theirs, board)
        costs[name] = (time.perf_counter() - began) / len(own) * 1e9
    return costs


DEFAULT_ORDERING: Literal["estimate"] = "estimate"
MIDDLE_GAME = "f5d6c3d3c4b3c6b6d7e8a6b5b7e6a4g5f4a8e7f6"
THREE_LINES = """\
from outflank import heuristic
from outflank.features import corners, mobility
@heuristic
def edges(own, opp, board):
    return 10 * (mobility(own, opp, board) - mobility(opp, own, board)) + 100 * (
        corners(own, opp, board) - corners(opp, own, board)
    )
"""


@bench.command()
def players(json: AsJson = False, seconds: Annotated[float, typer.Option(help="Time for each.")] = 1.0) -> None:
    """Alpha-beta with a user's own three-line heuristic from a file, Monte Carlo, and depths at a second a move.

    Example: outflank bench players
    """
    import tempfile

    from outflank.board.game import Game
    from outflank.heuristics.named import NAMED, find
    from outflank.search.limits import Limit
    from outflank.search.montecarlo.search import speed
    from outflank.search.trees.search import Ordering, TreeSearch

    position = Game.from_transcript(MIDDLE_GAME).position
    TreeSearch(NAMED["discs"]).run(position, Limit(depth=4))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mine.py"
        file.write_text(THREE_LINES)
        heuristic = find(f"{file}:edges")
        began = time.perf_counter()
        heuristic.address(position.variant)
        compiling = time.perf_counter() - began
    speeds = {}
    orderings: tuple[Ordering, ...] = ("square", "mobility", "estimate")
    for ordering in orderings:
        runs = []
        for _ in range(3):
            report = TreeSearch(heuristic, ordering=ordering).run(position, Limit(depth=9))
            runs.append(report.nodes / report.seconds)
        speeds[ordering] = median(runs)
    simulations = speed(seconds)
    depth = TreeSearch(NAMED["combined"]).run(position, Limit(time=seconds)).depth
    result = {
        "alphabeta_nodes_per_second": speeds[DEFAULT_ORDERING],
        "alphabeta_nodes_per_second_by_ordering": speeds,
        "heuristic_compile_seconds": compiling,
        "mcts_simulations_per_second": simulations,
        "dynamic_depth": depth,
        "seconds": seconds,
    }
    if json:
        print_json(result)
        return
    print("alpha-beta with a three-line heuristic from a file, depth 9, by ordering:")
    for ordering, rate in speeds.items():
        print(f"  {ordering:<10}{rate / 1e6:8.1f} M nodes/s")
    print(f"  compiling the heuristic {compiling:.3f} s")
    print(f"Monte Carlo tree search from the start: {simulations:,.0f} simulations/s")
    print(f"dynamic in {seconds:g} s from a middle-game position: depth {depth}")


@bench.command()
def engine(
    suite: Annotated[str, typer.Option(metavar="FILE.obf", help="Endings to solve; default: 16 of our own.")] = "",
    against: Annotated[
        str, typer.Option(metavar="SPEC", help="Another player on the same positions: 'nboard:COMMAND', 'gtp:COMMAND'.")
    ] = "",
    seconds: Annotated[float, typer.Option(min=0.01, help="Time for each middle game.")] = 1.0,
    positions: Annotated[int, typer.Option(min=0, help="Only so many positions of each kind; 0: all.")] = 0,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Measure so many threads beside one.")] = 2,
    hash: HashSize = 128.0,
    json: AsJson = False,
) -> None:
    """The engine: endings solved, evaluations/s, depth and nodes/s in a given time, threads; beside another program.

    Example: outflank bench engine --against 'nboard:cd edax/bin && ./lEdax -nboard -level 60 -n 1'
    """
    from outflank.bench.yardstick import measure, own_suite
    from outflank.cli.match import ProgressLine
    from outflank.formats.files import load

    endings = load(suite, "obf").problems if suite else own_suite("endings")
    midgames, line = own_suite("midgames"), ProgressLine()
    first = positions or None
    try:
        found = measure(
            endings[:first],
            midgames[:first],
            seconds=seconds,
            threads=threads,
            hash_mb=hash,
            against=against,
            progress=lambda what, done, of: line.show(lambda: f"{what}: {done} of {of}", done, of - done),
        )
    finally:
        line.clear()
    if json:
        print_json(found.to_dict())
    else:
        print(_engine_text(found, seconds))
    if found.wrong:
        raise typer.Exit(1)


def _engine_text(found: "EngineSpeed", seconds: float) -> str:
    """The two tables, and under them what they add up to."""
    other = bool(found.against)
    rows = [
        f"{'':>4} {'empties':>7} {'score':>6} {'seconds':>9} {'M nodes/s':>10}" + f" {'theirs':>9} {'ratio':>7}" * other
    ]
    for number, one in enumerate(found.endings, 1):
        score = "?" if one.score is None else f"{one.score:+g}"
        rate = one.nodes / max(one.seconds, 1e-9) / 1e6
        row = f"{number:>4} {one.empties:>7} {score:>6} {one.seconds:>9.3f} {rate:>10.1f}"
        if one.against_seconds is not None:
            differs = one.against_score is not None and one.against_score != one.score
            row += f" {one.against_seconds:>9.3f} {one.seconds / max(one.against_seconds, 1e-9):>7.2f}"
            row += f"  it says {one.against_score:+g}" if differs else ""
        rows.append(row + ("  wrong" if one.right is False else ""))
    speed = found.solve_nodes / max(found.solve_seconds, 1e-9) / 1e6
    rows.append(
        f"{len(found.endings)} endings in {found.solve_seconds:.2f} s, {speed:.1f} M nodes/s, {found.wrong} wrong"
    )
    if found.ratio is not None:
        rows.append(f"the other took {found.against_seconds:.2f} s: our time is {found.ratio:.2f} times its time")
    if found.scaling is not None:
        rows.append(
            f"{found.threads} threads took {found.threaded_seconds:.2f} s: {found.scaling:.2f} times as fast as one"
        )
    rows.append(f"evaluations, each from nothing: {found.evaluations_per_second / 1e6:.1f} M/s")
    depths = [one.depth for one in found.midgames]
    if depths:
        average = sum(depths) / len(depths)
        rows.append(
            f"middle games, {seconds:g} s each: depth {average:.1f}, {found.nodes_per_second / 1e6:.1f} M nodes/s"
        )
    theirs = [one.against_depth for one in found.midgames if one.against_depth is not None]
    if theirs:
        rows.append(f"the other in the same time: depth {sum(theirs) / len(theirs):.1f}, as it counts")
    return "\n".join(rows)


@bench.command()
def signature(
    groups: Annotated[list[str] | None, typer.Argument(metavar="[GROUP]...", help="Only these; default: all.")] = None,
    lines: Annotated[str, typer.Option(metavar="FILE", help="Write what every search found, to be compared.")] = "",
    record: Annotated[bool, typer.Option("--record", help="Take what was found as what is meant from now on.")] = False,
    json: AsJson = False,
) -> None:
    """Does a change alter any search? Some hundred repeatable ones; the exit code is 1 where not all is as recorded.

    Example: outflank bench signature solver --lines solver.txt
    """
    from dataclasses import asdict

    from outflank.bench import signature as searches
    from outflank.cli.match import ProgressLine
    from outflank.formats.disk import write_bytes

    chosen, line = searches.chosen(groups or ()), ProgressLine()
    if record and len(chosen) < len(searches.GROUPS):
        raise Fault("signature.whole")
    try:
        taken = searches.take(chosen, lambda name, done: line.show(lambda: f"{name}: {done}", 0, 0))
    finally:
        line.clear()
    if lines:
        write_bytes(lines, "".join(f"{one.text}\n" for each in taken.values() for one in each).encode())
    found = {name: searches.summary(each) for name, each in taken.items()}
    if record:
        searches.record(found)
    differing = searches.differing(found, searches.recorded())
    total = searches.total(found)
    if json:
        of_groups = {name: asdict(one) for name, one in found.items()}
        print_json({"groups": of_groups, "total": asdict(total), "differing": differing})
    else:
        print(_signature_text(found, total, differing))
    if differing:
        raise typer.Exit(1)


def _signature_text(found: "dict[str, Summary]", total: "Summary", differing: list[str]) -> str:
    rows = [f"{'':<12}{'lines':>6}{'nodes':>14}  digest"]
    for name, one in [*found.items(), ("total", total)]:
        mark = "  not as recorded" if name in differing else ""
        rows.append(f"{name:<12}{one.lines:>6}{one.nodes:>14,}  {one.digest}{mark}")
    if not differing:
        return "\n".join([*rows, "as recorded: no search was altered"])
    return "\n".join(
        [
            *rows,
            f"other than recorded: {', '.join(differing)}. To see which searches, write `--lines FILE` here and in the",
            "version before, and compare the two with diff. Where the change is meant, `--record` and commit the file.",
        ]
    )


@bench.command()
def page(
    boards: Annotated[int, typer.Option(min=1, max=900, help="Boards that play at once.")] = 100,
    seconds: Annotated[float, typer.Option(min=1, help="How long.")] = 120.0,
    player: Annotated[str, typer.Option(help="Who answers; default: the page's first difficulty.")] = "",
    pause: Annotated[float, typer.Option(min=0, help="Seconds before a click, on average.")] = 0.5,
    analysis: Annotated[bool, typer.Option("--analysis", help="One more visitor analyses at full strength.")] = False,
    kill: Annotated[bool, typer.Option("--kill", help="Kill the server in the middle, and start it again.")] = False,
    json: AsJson = False,
) -> None:
    """Many boards of the page at once, on a server of their own: how long does anybody wait for a move?

    Example: outflank bench page --boards 20 --seconds 10
    """
    import asyncio

    from outflank.bench.crowd import crowd
    from outflank.web.thinking import difficulties

    named = player or difficulties()[0][1]
    found = asyncio.run(crowd(boards, seconds, named, pause, analysis, kill)).data()
    if json:
        print_json(found)
        return
    print(f"{boards} boards against {named} for {seconds:g} s{', one visitor analysing' if analysis else ''}")
    print(f"  {found['moves']:,} answers, {found['games']:,} games, {found['errors']} errors")
    if found["moves"]:
        milliseconds = {key: 1000 * found[key] for key in ("wait_mean", "wait_99", "wait_most", "echo_99")}
        print(
            "  click to answer: mean {wait_mean:.0f} ms, 99 % within {wait_99:.0f} ms, longest {wait_most:.0f} ms;"
            " click to board: 99 % within {echo_99:.0f} ms".format(**milliseconds)
        )
    if found["processor_milliseconds_an_answer"]:
        print(f"  the server's processor time: {found['processor_milliseconds_an_answer']:.1f} ms an answer")
    if kill:
        print(f"  the server was killed and started again: {found['came_back']} of {boards} found their game there")
    else:
        before, after = found["memory_megabytes"]
        print(f"  the server's memory: {before:.0f} MB, at the end {after:.0f} MB")
    for error in found["first_errors"]:
        print(f"  error: {error}")
