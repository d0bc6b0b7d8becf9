"""`outflank check`: is a player in order, does it find good moves, and would it decide so again?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.cli.options import AsJson, Unsafe, VariantName, print_json
from outflank.errors import Fault

if TYPE_CHECKING:
    from outflank.arena.asked_again import AskedAgain
    from outflank.arena.suite import SuiteResult
    from outflank.arena.usability import Usability
    from outflank.search.limits import Limit

NEGATIVE = 1


def check(
    player: Annotated[str, typer.Argument(metavar="FILE.py | SPEC", help="Who is checked.")] = "",
    variant: VariantName = "",
    time: Annotated[float | None, typer.Option("--time", "-t", help="Seconds a move; default: its course's.")] = None,
    depth: Annotated[int | None, typer.Option(help="Plies to look ahead.")] = None,
    suite: Annotated[str, typer.Option(help="Positions with scores (OBF): how often does it find a best move?")] = "",
    store: Annotated[str, typer.Option(help="Ask decisions in this store again; without SPEC, of who made them.")] = "",
    event: Annotated[
        int | None, typer.Option(help="Which match or tournament of the store; default: the latest.")
    ] = None,
    who: Annotated[
        str, typer.Option("--of", help="Whose decisions are asked again; default: SPEC's own, or all.")
    ] = "",
    game: Annotated[int | None, typer.Option(help="Only this game, by its number in the store, from 0.")] = None,
    ply: Annotated[int | None, typer.Option(help="Only this move of a game, from 1.")] = None,
    unsafe: Unsafe = False,
    json: AsJson = False,
) -> None:
    """Check a player: its interface and its answers to 20 boards; on test positions; or against its own log.

    Examples: outflank check mine.py --variant reversed;  outflank check greedy --suite ends.obf;
    outflank check py:mine.py --store class.db --game 3 --ply 20
    """
    from outflank.search.limits import Limit

    if suite and store:
        raise Fault("check.two-ways")
    if not store and (event is not None or who or game is not None or ply is not None):
        raise Fault("check.no-store")
    if not player and not store:
        raise Fault("check.no-player")
    spec = _spec(player)
    limit = Limit(time=time, depth=depth)
    if store:
        if variant:
            raise Fault("check.variant")
        _ask_again(store, spec, limit, event, _spec(who), game, ply, json)
    elif suite:
        _suite(suite, spec, limit, variant, json)
    else:
        _usability(spec, limit, variant, json)


def _spec(text: str) -> str:
    """A spec; the name of a Python file will do."""
    from outflank.agents.options import quoted
    from outflank.agents.spec import parse

    if text and not text.startswith("py:") and text.endswith(".py"):
        text = f"py:{quoted(text)}"
    return str(parse(text)) if text else ""


def _usability(spec: str, limit: "Limit", variant: str, json: bool) -> None:
    from outflank.agents.roster import entry_named
    from outflank.agents.spec import parse
    from outflank.arena.usability import check as checked
    from outflank.board.variant import Variant

    named = parse(spec)
    entry_named(named.name).checked(named.target)
    result = checked(spec, Variant.named(variant or "othello"), limit)
    if json:
        print_json(result.to_dict())
    else:
        print(_usability_text(result), flush=True)
    if result.score < 100:
        raise typer.Exit(NEGATIVE)


def _usability_text(result: "Usability") -> str:
    lines = [f"{result.player}, {result.variant}: {result.score} of 100"]
    lines.append(f"  interface    {result.interface or 'none found'}")
    lines.append(f"  boards       {result.passed} of {len(result.cases)} in order")
    if result.start_seconds is not None:
        lines.append(f"  time         {result.start_seconds:.2f} s to start, at most {result.slowest:.3f} s a move")
    if result.memory_megabytes is not None:
        lines.append(f"  memory       {result.memory_megabytes:.1f} MB beyond its libraries")
    if result.enclosure:
        lines.append(f"  enclosed by  {'nothing (--unsafe)' if result.enclosure == 'bare' else result.enclosure}")
    problems = [case for case in result.cases if case.problem]
    said: set[str] = set()
    for case in problems:
        if case.problem in said:
            continue  # one and the same failure of every board is told once
        said.add(case.problem)
        same = sum(other.problem == case.problem for other in problems)
        often = f" (and {same - 1} boards more)" if same > 1 else ""
        lines += ["", f"{case.board.kind}{often}: {case.problem}"]
        if same < len(result.cases):
            lines.append(str(case.board.position))
    if result.trace:
        lines += ["", result.trace.rstrip()]
    return "\n".join(lines)


def _suite(path: str, spec: str, limit: "Limit", variant: str, json: bool) -> None:
    from outflank.arena.suite import run
    from outflank.board.variant import Variant
    from outflank.formats import obf

    rules = Variant.named(variant) if variant else None
    try:
        problems = obf.read(Path(path).read_text(), rules)
    except (UnicodeDecodeError, ValueError) as error:
        raise Fault("at.file", path=path, why=error) from None
    result = run(spec, problems, limit)
    if json:
        print_json(result.to_dict())
    else:
        print(_suite_text(result), flush=True)


def _suite_text(result: "SuiteResult") -> str:
    from outflank.board.squares import square_name

    lines = [f"{result.player}: {result.found} of {result.known} best moves found ({result.score:.1f} %)"]
    if result.mean_loss is not None:
        lines.append(f"  mean loss    {result.mean_loss:.2f} discs")
    lines.append(f"  time         {result.seconds:.2f} s in all")
    for number, case in enumerate(result.cases, 1):
        move = "-" if case.move is None else square_name(case.move)
        best = " ".join(map(square_name, case.best_moves)) or "?"
        loss = "" if case.loss is None else f"loses {case.loss:g}" if case.loss else "best"
        lines.append(f"{number:5}  {move:4}  {loss or case.problem:10}  best {best}")
    return "\n".join(lines)


def _ask_again(
    path: str, spec: str, limit: "Limit", event: int | None, who: str, game: int | None, ply: int | None, json: bool
) -> None:
    from outflank.arena.asked_again import ask_again
    from outflank.arena.store import Store

    with Store.existing(path) as store:
        result = ask_again(store, spec, limit, event, who, game, ply)
    if json:
        print_json(result.to_dict())
    else:
        print(_again_text(result), flush=True)


def _again_text(result: "AskedAgain") -> str:
    from outflank.board.squares import square_name

    asked = len(result.answers)
    many = "1 decision" if asked == 1 else f"{asked} decisions"
    lines = [f"{many} asked again{f' of {result.player}' if result.player else ''}"]
    lines.append(f"  the same     {result.same} of {result.compared}")
    lines.append(f"  in time      {result.in_time} of {asked}")
    lines += ["", f"{'game':>6}  move  {'then':16}  {'now':16}"]
    for answer in result.answers:
        then = "nothing" if answer.then is None else square_name(answer.then)
        then += "" if answer.then_seconds is None else f" ({answer.then_seconds:.2f} s)"
        now = "nothing" if answer.now is None else square_name(answer.now)
        now += f" ({answer.seconds:.2f} s)"
        notes = ["" if answer.same else "another", "" if answer.in_time else "too late", answer.problem]
        notes += ["" if result.player else answer.asked]
        said = ", ".join(note for note in notes if note)
        lines.append(f"{answer.game:6}  {answer.ply:4}  {then:16}  {now:16}  {said}".rstrip())
    if asked == 1:
        lines += ["", str(result.answers[0].position)]
    return "\n".join(lines)
