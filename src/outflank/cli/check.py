"""`outflank check`: does a player work, does it find good moves, and would it repeat its decisions?"""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.agents.options import quoted
from outflank.agents.roster import entry_named
from outflank.agents.spec import parse
from outflank.board.squares import square_name
from outflank.board.variant import Variant
from outflank.cli.match import GameJobs
from outflank.cli.options import AsJson, Boards, NoEngine, Unsafe, VariantName, rules_named, tell
from outflank.errors import Fault
from outflank.search.limits import Limit

if TYPE_CHECKING:
    from outflank.arena.asked_again import AskedAgain
    from outflank.arena.suite import SuiteResult
    from outflank.arena.usability import Usability

NEGATIVE = 1
FILE = re.compile(r"(?!py:).+\.(?:py|zip)(?::\w+)?", re.IGNORECASE)
MISSING = re.compile(r"No module named '(\w+)")


def check(
    player: Annotated[
        str, typer.Argument(metavar="FILE.py | FOLDER | SPEC", help="The player to check; a folder is a class.")
    ] = "",
    variant: VariantName = "",
    time: Annotated[float | None, typer.Option("--time", "-t", help="Seconds per move; default: its course's.")] = None,
    depth: Annotated[int | None, typer.Option(help="Plies to look ahead.")] = None,
    suite: Annotated[str, typer.Option(help="Positions with scores (OBF): how often does it find a best move?")] = "",
    store: Annotated[
        str, typer.Option(help="Repeat decisions in this store; without SPEC, by the players who made them.")
    ] = "",
    event: Annotated[
        int | None, typer.Option(help="Which match or tournament of the store; default: the latest.")
    ] = None,
    who: Annotated[
        str, typer.Option("--of", help="Whose decisions to repeat; default: SPEC's own, or everybody's.")
    ] = "",
    game: Annotated[int | None, typer.Option(help="Only this game, by its number in the store, from 0.")] = None,
    ply: Annotated[int | None, typer.Option(help="Only this ply of a game, from 1.")] = None,
    boards: Boards = "",
    no_engine: NoEngine = False,
    jobs: GameJobs = None,
    unsafe: Unsafe = False,
    json: AsJson = False,
) -> None:
    """Check a player, or a class of them. Its interface and its answers, its moves on test positions, or its decisions
    in a store.

    Examples: outflank check mine.py --variant reversed;  outflank check class/;
    outflank check greedy --suite ends.obf;  outflank check py:mine.py --store class.db --game 3 --ply 20
    """
    if suite and store:
        raise Fault("check.two-ways")
    if not store and (event is not None or who or game is not None or ply is not None):
        raise Fault("check.no-store")
    if not player and not store:
        raise Fault("check.no-player")
    limit = Limit(time=time, depth=depth)
    if player and Path(player).is_dir():
        if suite or store:
            raise Fault("class.check", option="suite" if suite else "store")
        from outflank.cli.classroom import check_class

        check_class(Path(player), Variant.named(variant or "othello"), limit, boards, not no_engine, jobs, json)
        return
    spec = _spec(player)
    if no_engine:
        from outflank.agents.submission import without_engine

        spec = without_engine(spec)
    if store:
        if variant:
            raise Fault("check.variant")
        _ask_again(store, spec, limit, event, _spec(who), game, ply, json)
    elif suite:
        _suite(suite, spec, limit, variant, json)
    else:
        _usability(spec, limit, variant, boards, json)


def _spec(text: str) -> str:
    """A spec; the name of a Python file or a zip will do, with the class or without, and a folder's with the class."""
    folder, _, name = text.rpartition(":")
    if FILE.fullmatch(text) or (folder not in ("", "py") and name.isidentifier() and Path(folder).is_dir()):
        text = f"py:{quoted(text)}"
    return str(parse(text)) if text else ""


def _usability(spec: str, limit: Limit, variant: str, boards: str, json: bool) -> None:
    from outflank.arena.usability import boards_named
    from outflank.arena.usability import check as checked

    named = parse(spec)
    entry_named(named.name).checked(named.target)
    rules = Variant.named(variant or "othello")
    result = checked(spec, rules, limit, boards_named(boards, rules))
    tell(json, result.to_dict, lambda: _usability_text(result) + _helper_hint(result, named.target))
    if result.score < 100:
        raise typer.Exit(NEGATIVE)


def _usability_text(result: "Usability") -> str:
    lines = [f"{result.player}, {result.variant}: {result.score} of 100"]
    lines.append(f"  interface    {result.interface or 'none found'}")
    lines.append(f"  boards       {result.passed} of {len(result.cases)} correct")
    if result.start_seconds is not None:
        longest = f", at most {result.slowest:.3f} s a move" if result.slowest else ""
        lines.append(f"  time         {result.start_seconds:.2f} s to start{longest}")
    if result.memory_megabytes is not None:
        lines.append(f"  memory       {result.memory_megabytes:.1f} MB beyond its libraries")
    if result.enclosure:
        if result.engine:
            lines.append(f"  engine       it uses Outflank's own: {result.engine}")
        lines.append(f"  sandbox      {'none (--unsafe)' if result.enclosure == 'bare' else result.enclosure}")
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
    if result.printed:
        lines += ["", "The last thing it printed:", result.printed]
    return "\n".join(lines)


def _helper_hint(result: "Usability", target: str) -> str:
    """Where a lone file lacks a module that stands beside it: how both come along."""
    for case in result.cases:
        missing = MISSING.search(case.problem)
        folder = Path(target).expanduser().parent
        if missing and ((folder / f"{missing[1]}.py").is_file() or (folder / missing[1]).is_dir()):
            return f"\n\n{missing[1]} stands beside it: a folder comes with all its modules, outflank check py:{folder}"
    return ""


def _suite(path: str, spec: str, limit: Limit, variant: str, json: bool) -> None:
    from outflank.arena.suite import run
    from outflank.formats import obf

    try:
        problems = obf.read(Path(path).read_text(), rules_named(variant))
    except (UnicodeDecodeError, ValueError) as error:
        raise Fault("at.file", path=path, why=error) from None
    result = run(spec, problems, limit)
    tell(json, result.to_dict, lambda: _suite_text(result))


def _suite_text(result: "SuiteResult") -> str:
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
    path: str, spec: str, limit: Limit, event: int | None, who: str, game: int | None, ply: int | None, json: bool
) -> None:
    from outflank.arena.asked_again import ask_again
    from outflank.arena.store import Store

    with Store.existing(path) as store:
        result = ask_again(store, spec, limit, event, who, game, ply)
    tell(json, result.to_dict, lambda: _again_text(result))


def _again_text(result: "AskedAgain") -> str:
    asked = len(result.answers)
    many = "1 decision" if asked == 1 else f"{asked} decisions"
    lines = [f"{many} repeated{f' by {result.player}' if result.player else ''}"]
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
