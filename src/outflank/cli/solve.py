"""`outflank solve`: the exact result of positions, one table line each as they are solved."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.board.squares import square_name
from outflank.board.variant import Variant
from outflank.cli.match import ProgressLine
from outflank.cli.options import AsJson, HashSize, VariantName, rules_named, tell
from outflank.errors import Fault
from outflank.search.limits import Report, certainty

if TYPE_CHECKING:
    from collections.abc import Callable

    from outflank.formats.obf import Problem

HEADER = f"{'':>4} {'empties':>7} {'score':>6} {'move':>5} {'seconds':>9} {'nodes':>15} {'nodes/s':>13}  line"
LINE_SHOWN = 12
"""Moves of a line that the progress has room for."""


def solve(
    what: Annotated[str, typer.Argument(metavar="FILE.obf|BOARD|-", help="A suite of positions, or one board text.")],
    threads: Annotated[int, typer.Option(min=1, max=64, help="Threads on one tree.")] = 1,
    hash: HashSize = 128.0,
    wld: Annotated[bool, typer.Option("--wld", help="Only who wins: score 1, 0 or -1.")] = False,
    raw: Annotated[bool, typer.Option("--raw", help="Plain disc differences: no empties to the winner.")] = False,
    all_moves: Annotated[bool, typer.Option("--all-moves", help="The exact score of every legal move.")] = False,
    variant: VariantName = "",
    json: AsJson = False,
) -> None:
    """Solve positions exactly: the score and a best line.

    Ctrl-C stops it and shows the best line so far; a score with a question mark is not proven.

    Example: outflank solve suite.obf --threads 2
    """
    from outflank.search.engine.solver import Question, Solver

    problems = _problems(what, rules_named(variant))
    solver = Solver(hash, threads)
    ask = partial(solver.solve_all if all_moves else solver.solve, question=Question(wld, raw))
    if not json:
        print(HEADER, flush=True)
    found: list[Report] = []
    wrong = 0
    try:
        for number, problem in enumerate(problems, 1):
            found.append(_answer(ask, problem, f"{number} of {len(problems)}: " if len(problems) > 1 else ""))
            verdict = _verdict(problem, found[-1], wld, raw)
            wrong += verdict == "wrong"
            row = number, problem, found[-1], verdict
            tell(json, partial(_data, problem, found[-1]), partial(_row, *row))
            if not found[-1].exact:
                raise KeyboardInterrupt
    finally:
        if not json:
            print(_total(found, len(problems), wrong, any(problem.best is not None for problem in problems)))
    if wrong:
        raise typer.Exit(1)


def _answer(ask: "Callable[..., Report]", problem: "Problem", which: str) -> Report:
    """The solver's answer; after Ctrl-C what is known by then, which is not exact."""
    known = None

    def hear(report: Report) -> None:
        nonlocal known
        known = report
        best = f"{_score(report)} {' '.join(map(square_name, report.pv[:LINE_SHOWN]))}"
        sure = certainty(report.depth, report.selectivity, report.exact)
        line.show(lambda: f"{which}{sure}, {problem.position.empties} empties, {best}", 0, 0)

    with ProgressLine() as line:
        try:
            return ask(problem.position, progress=hear)
        except KeyboardInterrupt:
            if known is None:
                raise
            return replace(known, exact=False)


def _total(found: list[Report], of: int, wrong: int, checked: bool) -> str:
    solved, nodes = sum(report.exact for report in found), sum(report.nodes for report in found)
    seconds = sum(report.seconds for report in found)
    count = f"{solved}" if solved == of else f"{solved} of {of}"
    return (
        f"{count} solved{f', {wrong} wrong' if checked else ''}: {nodes:,} nodes, {seconds:.2f} s,"
        f" {nodes / max(seconds, 1e-9):,.0f} nodes/s"
    )


def _problems(what: str, rules: Variant | None) -> "list[Problem]":
    from outflank.board.game import Game
    from outflank.cli.show import read_anything
    from outflank.cli.terminal_files import require
    from outflank.formats.obf import Problem

    found = read_anything(what, rules)
    if found.names:
        raise Fault("reading.not-positions", what=found.kind)
    problems = list(found.problems) or [Problem(game.position) for game in found.games]
    if rules is not None:
        for problem in problems:
            require(Game(problem.position), rules)
    return problems


def _verdict(problem: "Problem", report: Report, wld: bool, raw: bool) -> str:
    """Right or wrong against what the file says; nothing where it says nothing that can be compared."""
    stated = problem.best
    if stated is None or report.score is None or not report.exact or raw or problem.position.variant.reversed:
        return ""
    sign = (stated > 0) - (stated < 0)
    right = report.score == (sign if wld else stated)
    for move, value in ({} if wld else report.values).items():
        right = right and problem.scores.get(move, value) == value
    return "right" if right else "wrong"


def _score(report: Report) -> str:
    """The score; with a question mark where it is not proven, but what the last iteration said."""
    return ("" if report.score is None else f"{report.score:+.0f}") + ("" if report.exact else "?")


def _row(number: int, problem: "Problem", report: Report, verdict: str) -> str:
    speed = report.nodes / max(report.seconds, 1e-9)
    move = "-" if problem.position.is_over else square_name(report.move)
    line = " ".join(map(square_name, report.pv))
    values = "  ".join(f"{square_name(square)}:{value:+.0f}" for square, value in report.values.items())
    cells = f"{number:>4} {problem.position.empties:>7} {_score(report):>6} {move:>5} {report.seconds:>9.3f}"
    return f"{cells} {report.nodes:>15,} {speed:>13,.0f}  {line}{f'  [{values}]' if values else ''}  {verdict}".rstrip()


def _data(problem: "Problem", report: Report) -> dict[str, Any]:
    data: dict[str, Any] = {
        "position": problem.position.text,
        "move": None if problem.position.is_over else square_name(report.move),
        "score": report.score,
        "exact": report.exact,
        "depth": report.depth,
        "selectivity": report.selectivity,
        "nodes": report.nodes,
        "seconds": report.seconds,
        "pv": [square_name(move) for move in report.pv],
    }
    if report.values:
        data["moves"] = {square_name(square): value for square, value in report.values.items()}
    return data
