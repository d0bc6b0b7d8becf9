"""`outflank bench`: how fast the compiled parts are on this machine, one core, warm: a measurement, never a test. Only
`signature` measures nothing: it shows whether a change altered any search."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.cli.match import ProgressLine
from outflank.cli.options import AsJson, HashSize, VariantName, print_json, tell
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.bench.environment import EnvironmentSpeed
    from outflank.bench.signature import Summary
    from outflank.bench.yardstick import EngineSpeed
    from outflank.learning.patterns.accuracy import Searched

bench = typer.Typer(help="Measure speed on this machine.", no_args_is_help=True)

Repeats = Annotated[int, typer.Option("--repeats", min=1, help="Measure this many times and show the best.")]


@bench.command()
def kernels(json: AsJson = False, repeats: Repeats = 5) -> None:
    """Perft, random playouts and each kernel, on one core.

    Example: outflank bench kernels
    """
    from outflank.bench.speed import kernel_speed

    found = kernel_speed(repeats)
    tell(json, lambda: found, lambda: _kernels_text(**found))


def _kernels_text(
    perft: dict[str, Any],
    playouts: dict[str, Any],
    kernel_nanoseconds: dict[str, float],
    finder_nanoseconds: dict[str, float],
) -> str:
    leaves = f"{perft['leaves']:,} in {perft['seconds']:.3f} s"
    rows = [
        f"perft({perft['depth']})           {perft['leaves_per_second'] / 1e6:8.0f} M leaves/s   ({leaves})",
        f"random playouts     {playouts['games_per_second']:8,.0f} games/s",
        "",
        "ns a call, compiled, on positions of random games:",
        *(f"  {name:<18}{cost:9.1f}" for name, cost in kernel_nanoseconds.items()),
    ]
    if finder_nanoseconds:
        rows += ["", "the same in plain Python (corner-shy's two ways of finding moves, from tests/naive.py):"]
    for name, cost in finder_nanoseconds.items():
        rows.append(f"  {name:<26}{cost:11,.0f}   {cost / kernel_nanoseconds['legal_moves']:9,.0f} times the kernel")
    return "\n".join(rows)


@bench.command()
def features(json: AsJson = False) -> None:
    """Each feature that a heuristic can count, in nanoseconds.

    Example: outflank bench features
    """
    from outflank.board.timing import nanoseconds
    from outflank.heuristics.features import COUNTS, WEIGHTS

    found = nanoseconds({**COUNTS, **WEIGHTS})
    tell(json, lambda: found, lambda: "\n".join(f"{each:7.1f}  {name}" for name, each in found.items()))


STARTED = {
    "page": "the page is served",
    "board": "a board can be played on",
    "answer": "the engine has answered a move",
    "all": "everything is compiled",
}
OWN_EMPTIES = 18
"""The most of positions of self-play where none are asked for, and on small boards half of the squares: solved in a
moment each."""


@bench.command()
def players(
    json: AsJson = False, seconds: Annotated[float, typer.Option(min=0.01, help="Time for each.")] = 1.0
) -> None:
    """Alpha-beta with a heuristic of one's own, and Monte Carlo. The heuristic has three lines and comes from a file;
    depths are those at one second per move.

    Example: outflank bench players
    """
    from outflank.bench.speed import player_speed

    found = player_speed(seconds)
    tell(json, lambda: found, lambda: _players_text(found))


def _players_text(found: dict[str, Any]) -> str:
    speeds = found["alphabeta_nodes_per_second_by_ordering"]
    return "\n".join(
        [
            "alpha-beta with a three-line heuristic from a file, depth 9, by ordering:",
            *(f"  {ordering:<10}{rate / 1e6:8.1f} M nodes/s" for ordering, rate in speeds.items()),
            f"  compiling the heuristic {found['heuristic_compile_seconds']:.3f} s",
            f"Monte Carlo tree search from the start: {found['mcts_simulations_per_second']:,.0f} simulations/s",
            f"dynamic in {found['seconds']:g} s from a middle-game position: depth {found['dynamic_depth']}",
        ]
    )


@bench.command()
def engine(
    suite: Annotated[str, typer.Option(metavar="FILE.obf", help="Endings to solve; default: 16 of our own.")] = "",
    against: Annotated[
        str, typer.Option(metavar="SPEC", help="Another player on the same positions: 'nboard:COMMAND', 'gtp:COMMAND'.")
    ] = "",
    seconds: Annotated[float, typer.Option(min=0.01, help="Time for each middle game.")] = 1.0,
    positions: Annotated[int, typer.Option(min=0, help="Positions of each kind at most; 0: all.")] = 0,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Measure this many threads besides one.")] = 2,
    hash: HashSize = 128.0,
    json: AsJson = False,
) -> None:
    """The engine: endings, evaluations, depth and threads. Beside another program, too.

    Example: outflank bench engine --against 'nboard:cd edax/bin && ./lEdax -nboard -level 60 -n 1'
    """
    from dataclasses import asdict

    from outflank.bench.yardstick import measure, own_suite
    from outflank.formats.files import load

    endings = load(suite, "obf").problems if suite else own_suite("endings")
    midgames = own_suite("midgames")
    first = positions or None
    with ProgressLine() as line:
        found = measure(
            endings[:first],
            midgames[:first],
            seconds=seconds,
            threads=threads,
            hash_mb=hash,
            against=against,
            progress=lambda what, done, of: line.show(lambda: f"{what}: {done} of {of}", done, of - done),
        )
    tell(json, lambda: asdict(found), lambda: _engine_text(found, seconds))
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
        f"endings: {len(found.endings)} in {found.solve_seconds:.2f} s, {speed:.1f} M nodes/s, {found.wrong} wrong"
    )
    if found.ratio is not None:
        rows.append(f"the other took {found.against_seconds:.2f} s: our time is {found.ratio:.2f} times its time")
    if found.thread_scaling is not None:
        times = f"{found.thread_scaling:.2f} times as fast as one"
        rows.append(f"{found.threads} threads took {found.threaded_seconds:.2f} s: {times}")
    rows.append(f"evaluations, each from nothing: {found.evaluations_per_second / 1e6:.1f} M/s")
    depths = [one.depth for one in found.midgames]
    if depths:
        average, rate = sum(depths) / len(depths), found.search_nodes_per_second / 1e6
        rows.append(f"middle games, {seconds:g} s each: depth {average:.1f}, {rate:.1f} M nodes/s")
    theirs = [one.against_depth for one in found.midgames if one.against_depth is not None]
    if theirs:
        rows.append(f"the other in the same time: depth {sum(theirs) / len(theirs):.1f}, as it counts")
    return "\n".join(rows)


@bench.command()
def env(
    games: Annotated[int, typer.Option(min=1, help="Games at once.")] = 4096,
    seconds: Annotated[float, typer.Option(min=0.01, help="Time for each round.")] = 1.0,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of each, in turn; the best counts.")] = 3,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Measure this many threads besides one.")] = 2,
    python: Annotated[
        str, typer.Option(metavar="FILE", help="A Python that has pgx and JAX: measures pgx's Othello beside ours.")
    ] = "",
    pgx_games: Annotated[int, typer.Option(min=1, help="Games at once for pgx.")] = 1024,
    json: AsJson = False,
) -> None:
    """Environments for learners, in steps a second. Many games at once, beside pgx; and tree search with an evaluator
    in Python.

    Example: outflank bench env --python pgx/bin/python
    """
    from outflank.bench.environment import measure

    found = measure(games, seconds, rounds, threads, python, pgx_games)
    if json:
        print_json(found.to_dict())
    else:
        print(_env_text(found))


def _env_text(found: "EnvironmentSpeed") -> str:
    rows = [f"{'M steps/s, with masks and observations':<42}{'clock':>9}{'processor':>11}"]
    measured = {f"{name}, {found.games:,} games": rate for name, rate in found.steps.items()}
    measured[f"othello, {found.threads} threads"] = found.threaded
    if found.pgx is not None:
        measured[f"pgx, {found.pgx_games:,} games"] = found.pgx
    rows += [f"  {name:<40}{rate.clock / 1e6:>9.2f}{rate.processor / 1e6:>11.2f}" for name, rate in measured.items()]
    if found.ratio is not None:
        rows.append(f"  {'one thread of ours to pgx':<40}{found.ratio.clock:>8.0f}x{found.ratio.processor:>10.0f}x")
    else:
        rows.append("  beside pgx: python -m venv pgx && pgx/bin/pip install pgx, then --python pgx/bin/python")
    rows.append(f"memory: {found.bytes_per_game:.0f} bytes a game")
    rows.append(f"{'thousand simulations/s from the start':<42}{'clock':>9}{'processor':>11}")
    for name, rate in (("guided by tables", found.guided), ("a network that says nothing", found.network)):
        rows.append(f"  {name:<40}{rate.clock / 1e3:>9.0f}{rate.processor / 1e3:>11.0f}")
    share = found.network.clock / found.guided.clock, found.network.processor / found.guided.processor
    rows.append(f"  {'the second to the first':<40}{share[0]:>8.2f}x{share[1]:>10.2f}x")
    return "\n".join(rows)


@bench.command()
def signature(
    groups: Annotated[list[str] | None, typer.Argument(metavar="[GROUP]...", help="Only these; default: all.")] = None,
    lines: Annotated[str, typer.Option(metavar="FILE", help="Write what every search found, for comparison.")] = "",
    record: Annotated[bool, typer.Option("--record", help="Record what was found as the new standard.")] = False,
    json: AsJson = False,
) -> None:
    """Has a change altered a search? Some hundred are repeated. Exit code 1 if one is not as recorded.

    Example: outflank bench signature solver --lines solver.txt
    """
    from dataclasses import asdict

    from outflank.bench import signature as searches
    from outflank.formats.disk import write_bytes

    chosen = searches.chosen(groups or ())
    if record and len(chosen) < len(searches.GROUPS):
        raise Fault("signature.whole")
    with ProgressLine() as line:
        taken = searches.take(chosen, lambda name, done: line.show(lambda: f"{name}: {done}", 0, 0))
    if lines:
        write_bytes(lines, "".join(f"{one.text}\n" for each in taken.values() for one in each).encode())
    found = {name: searches.summary(each) for name, each in taken.items()}
    if record:
        searches.record(found)
    differing = searches.differing(found, searches.recorded())
    total = searches.total(found)
    of_groups = {name: asdict(one) for name, one in found.items()}
    data = {"groups": of_groups, "total": asdict(total), "differing": differing}
    tell(json, lambda: data, lambda: _signature_text(found, total, differing))
    if differing:
        raise typer.Exit(1)


def _numbers(text: str) -> tuple[int, ...]:
    """`24` or `16-20`; nothing for an empty text."""
    if not text:
        return ()
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal() and 1 <= int(first) <= int(last or first) <= 60):
        raise Fault("known.empties", text=text)
    return tuple(range(int(first), int(last or first) + 1))


def _shown(line: ProgressLine, what: str) -> Callable[[int, int], None]:
    return lambda done, of: line.show(lambda: f"{what}: {done} of {of}", done, of - done)


def _values_text(found: "Searched") -> str:
    """The table by depth, and the bias by depth for each number of empties."""
    from outflank.learning.patterns.accuracy import accuracies, by_empties

    rows = [f"{'depth':>5} {'bias':>7} {'spread':>7} {'error':>7} {'best':>6}"]
    for one in accuracies(found):
        best = "" if one.best is None else f"{100 * one.best:.0f} %"
        rows.append(f"{one.depth:>5} {one.bias:>+7.2f} {one.deviation:>7.2f} {one.mean_error:>7.2f} {best:>6}".rstrip())
    apart = by_empties(found)
    if len(apart) > 1:
        rows += [
            "",
            "bias by empties and depth:",
            f"{'':>7} {'count':>6}" + "".join(f"{one:>6}" for one in range(found.values.shape[1])),
        ]
        rows += [
            f"{empties:>7} {each[0].positions:>6}" + "".join(f"{one.bias:>+6.1f}" for one in each)
            for empties, each in apart.items()
        ]
    nodes = found.nodes / len(found.known)
    return "\n".join([*rows, f"{len(found.known):,} positions, {nodes:,.0f} nodes each"])


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
def values(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Suites (.obf) or games with exact scores; default: positions of mobility and corners, solved.",
        ),
    ] = None,
    variant: VariantName = "othello",
    weights: Annotated[str, typer.Option(help="A weights file, shipped, or sums.")] = "shipped",
    depth: Annotated[int, typer.Option(min=1, max=30, help="The deepest search.")] = 12,
    empties: Annotated[str, typer.Option(help="Only positions with this many empties: 24, or 16-20.")] = "",
    positions: Annotated[
        int,
        typer.Option(min=0, help="Positions at most; in self-play, for each number of empties; 0: all."),
    ] = 100,
    balance: Annotated[
        int, typer.Option(min=0, max=64, help="Only positions where neither side is further ahead than this.")
    ] = 64,
    every: Annotated[bool, typer.Option("--every", help="Include games that training does not hold out.")] = False,
    keep: Annotated[str, typer.Option(metavar="FILE.obf", help="Write the positions with their scores.")] = "",
    json: AsJson = False,
) -> None:
    """The accuracy of the engine's values. Bias, spread and best moves by depth, on positions of known value.

    Example: outflank bench values suite.obf --depth 16
    """
    from outflank.board.variant import Variant
    from outflank.formats import obf
    from outflank.formats.disk import write_bytes
    from outflank.learning.games.known import UNSEEN, known_in, met, solved
    from outflank.learning.patterns.accuracy import as_data, searched
    from outflank.learning.patterns.learner import beginning
    from outflank.patterns.weights import Evaluation
    from outflank.search.driver import watched

    rules = Variant.named(variant)
    chosen, numbers = beginning(weights, rules), _numbers(empties)
    with ProgressLine() as line, watched(None) as stop:
        if files:
            known = known_in(files, rules, "all" if every else "held out")
            if numbers:
                known = known.chosen([number in numbers for number in known.empties])
            known = known.balanced(balance).sampled(positions)
        else:
            most = min(OWN_EMPTIES, rules.square_count // 2)
            open_ones = met(rules, None, numbers or range(most - 2, most + 1), positions or 100, stop, UNSEEN)
            known = solved(open_ones, stop, _shown(line, "positions solved")).balanced(balance)
        if not len(known):
            raise Fault("known.none-chosen", paths=", ".join(files or ["self-play"]))
        if keep:
            write_bytes(keep, obf.write(known.problems()).encode())
        evaluation = None if chosen is None else Evaluation.of(chosen)
        found = searched(known, evaluation, depth, stop, _shown(line, "positions searched"))
    tell(json, lambda: as_data(found), lambda: _values_text(found))


@bench.command()
def start(
    json: AsJson = False,
) -> None:
    """A first start, with nothing compiled, in seconds. The time until the board can be played on, the engine answers,
    and all is done.

    Example: outflank bench start
    """
    from outflank.bench.start import first_start

    found = first_start()
    if json:
        print_json(found)
        return
    print(f"A first start, nothing compiled, {found['processors']} processors: seconds, and processor seconds, until")
    for name in ("page", "board", "answer", "all"):
        print(f"  {STARTED[name]:34} {found[name]['seconds']:6.1f} {found[name]['processor_seconds']:6.1f}")


@bench.command()
def page(
    boards: Annotated[int, typer.Option(min=1, max=900, help="Boards that play at once.")] = 100,
    seconds: Annotated[float, typer.Option(min=1, help="How long.")] = 120.0,
    player: Annotated[str, typer.Option(help="The opponent; default: the page's first difficulty.")] = "",
    pause: Annotated[float, typer.Option(min=0, help="Seconds before a click, on average.")] = 0.5,
    analysis: Annotated[bool, typer.Option("--analysis", help="One more visitor analyses at full strength.")] = False,
    kill: Annotated[bool, typer.Option("--kill", help="Kill the server halfway through, and start it again.")] = False,
    json: AsJson = False,
) -> None:
    """Many boards on one server: how long do visitors wait?

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


@bench.command()
def attack(
    seconds: Annotated[float, typer.Option(min=1, help="How long.")] = 60.0,
    kind: Annotated[list[str] | None, typer.Option(help="Only these kinds of attack; default: all.")] = None,
    json: AsJson = False,
) -> None:
    """Attack a local server: what do honest visitors notice?

    Example: outflank bench attack --seconds 20
    """
    import asyncio

    from outflank.bench.attack import attack as attacked

    found = asyncio.run(attacked(seconds, kind or ())).data()
    if json:
        print_json(found)
        return
    kept = "{} of {} boards kept".format(*found["boards_kept"])
    print(f"attacked for {found['seconds']:g} s: {found['errors']} errors of honest visitors, {kept}")
    for when, moves, wait, loop in (
        ("before it", "quiet_moves", "quiet", "loop_quiet"),
        ("under attack", "moves", "wait", "loop"),
    ):
        if found[moves]:
            half, most_of_them, slowest = (
                f"{1000 * found[f'{wait}_{share}']:.0f} ms" for share in ("50", "99", "most")
            )
            shares = f"half answered within {half}, 99 % within {most_of_them}, the slowest after {slowest}"
            ran, waited = found[loop]
            print(f"  {when}: {found[moves]:,} moves, {shares}")
            print(f"    the server's event loop ran for {ran:.1f} s and waited {waited:.1f} s for a processor")
    if found["newcomers"]:
        first = f"{1000 * found['newcomer_most']:.0f} ms"
        print(f"  {found['newcomers']} newcomers had the answer to their first move within {first}")
    if found["memory_megabytes"]:
        print("  the server's memory: {} MB, at most {} MB, at the end {} MB".format(*found["memory_megabytes"]))
    print(f"  its log: {found['log_kilobytes']:g} KB; its folder: {found['state_megabytes']:g} MB")
    for name, answers in found["attacks"].items():
        print(f"  {name}: {', '.join(f'{answer} {count:,}' for answer, count in sorted(answers.items()))}")
    for error in found["first_errors"]:
        print(f"  error: {error}")
