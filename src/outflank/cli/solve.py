"""`outflank solve`: the exact result of positions, one table line each as they are solved."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.cli.options import AsJson, VariantName, print_json

if TYPE_CHECKING:
    from outflank.board.variant import Variant
    from outflank.formats.obf import Problem
    from outflank.search.limits import Report

HEADER = f"{'':>4} {'empties':>7} {'score':>6} {'move':>5} {'seconds':>9} {'nodes':>15} {'nodes/s':>13}  line"


def solve(
    what: Annotated[str, typer.Argument(metavar="FILE.obf|BOARD", help="A suite of positions, or one board text.")],
    threads: Annotated[int, typer.Option(min=1, max=64, help="Threads on one tree.")] = 1,
    hash: Annotated[float, typer.Option("--hash", min=0.1, help="Size of the table in MB.")] = 128.0,
    wld: Annotated[bool, typer.Option("--wld", help="Only who wins: score 1, 0 or -1.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Plain disc differences: no empties to the winner.")] = False,
    all_moves: Annotated[bool, typer.Option("--all-moves", help="The exact score of every legal move.")] = False,
    variant: VariantName = "",
    json: AsJson = False,
) -> None:
    """Solve positions exactly: the score under best play and a best line.

    Example: outflank solve suite.obf --threads 2
    """
    from outflank.board.variant import Variant
    from outflank.search.solver import Question, Solver

    problems = _problems(what, Variant.named(variant) if variant else None)
    solver = Solver(hash, threads)
    question = Question(wld, raw)
    ask = solver.solve_all if all_moves else solver.solve
    if not json:
        print(HEADER)
    nodes, seconds, wrong = 0, 0.0, 0
    for number, problem in enumerate(problems, 1):
        report = ask(problem.position, question)
        nodes, seconds = nodes + report.nodes, seconds + report.seconds
        verdict = _verdict(problem, report, wld, raw)
        wrong += verdict == "wrong"
        if json:
            print_json(_data(problem, report))
        else:
            print(_row(number, problem, report, verdict), flush=True)
        if not report.exact:
            raise KeyboardInterrupt
    if not json:
        checked = f", {wrong} wrong" if any(problem.best is not None for problem in problems) else ""
        speed = nodes / max(seconds, 1e-9)
        print(f"{len(problems)} solved{checked}: {nodes:,} nodes, {seconds:.2f} s, {speed:,.0f} nodes/s")
    if wrong:
        raise typer.Exit(1)


def _problems(what: str, rules: "Variant | None") -> "list[Problem]":
    from outflank.board.position import Position
    from outflank.formats.files import load
    from outflank.formats.obf import Problem

    if what != "-" and not Path(what).is_file():
        if what.endswith(".obf"):
            raise ValueError(f"there is no file {what}")
        return [Problem(Position.from_text(what, rules))]
    found = load(what, variant=rules)
    return list(found.problems) or [Problem(game.position) for game in found.games]


def _verdict(problem: "Problem", report: "Report", wld: bool, raw: bool) -> str:
    """Right or wrong against what the file says; nothing where it says nothing that can be compared."""
    stated = problem.best
    if stated is None or report.score is None or raw or problem.position.variant.reversed:
        return ""
    sign = (stated > 0) - (stated < 0)
    right = report.score == (sign if wld else stated)
    for move, value in ({} if wld else report.values).items():
        right = right and problem.scores.get(move, value) == value
    return "right" if right else "wrong"


def _name(move: int) -> str:
    from outflank.board.squares import square_name

    return square_name(move)


def _row(number: int, problem: "Problem", report: "Report", verdict: str) -> str:
    score = "?" if report.score is None else f"{report.score:+.0f}"
    speed = report.nodes / max(report.seconds, 1e-9)
    move = "-" if problem.position.is_over else _name(report.move)
    line = " ".join(map(_name, report.pv))
    values = "  ".join(f"{_name(square)}:{value:+.0f}" for square, value in report.values.items())
    cells = f"{number:>4} {problem.position.empties:>7} {score:>6} {move:>5} {report.seconds:>9.3f}"
    return f"{cells} {report.nodes:>15,} {speed:>13,.0f}  {line}{f'  [{values}]' if values else ''}  {verdict}".rstrip()


def _data(problem: "Problem", report: "Report") -> dict[str, Any]:
    data: dict[str, Any] = {
        "position": problem.position.text,
        "move": None if problem.position.is_over else _name(report.move),
        "score": report.score,
        "exact": report.exact,
        "nodes": report.nodes,
        "seconds": report.seconds,
        "pv": [_name(move) for move in report.pv],
    }
    if report.values:
        data["moves"] = {_name(square): value for square, value in report.values.items()}
    return data
