"""How fast the engine is: solving a suite, evaluating, searching for a given time, on one thread and on several, and
beside another player on the same positions in the same run. Only ratios of one run mean something on a busy machine."""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

import numpy as np

from outflank.agents.agent import Agent
from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.timing import POSITIONS, nanoseconds_over, random_positions
from outflank.board.variant import OTHELLO, Variant
from outflank.formats import obf
from outflank.formats.obf import Problem
from outflank.patterns.weights import evaluation_for
from outflank.search.engine import deepening
from outflank.search.engine.engine import Engine
from outflank.search.engine.searcher import Searcher
from outflank.search.engine.solver import Solver
from outflank.search.limits import Limit, Report

TO_THE_END = Limit(depth=60)
"""The depth asked of another player for an ending: NBoard engines solve it then, GTP engines need a level."""


@dataclass(frozen=True)
class Solved:
    """An ending as we solved it, with what the other player took for it."""

    position: str
    empties: int
    score: float | None
    seconds: float
    nodes: int
    right: bool | None
    """Against what the suite says; None where it says nothing."""
    threaded_seconds: float | None = None
    against_seconds: float | None = None
    against_score: float | None = None


@dataclass(frozen=True)
class Searched:
    """A middle game after a given time."""

    position: str
    empties: int
    depth: int
    nodes: int
    seconds: float
    against_depth: int | None = None


@dataclass(frozen=True)
class EngineSpeed:
    """All that was measured, and what it adds up to."""

    evaluations_per_second: float
    endings: tuple[Solved, ...]
    midgames: tuple[Searched, ...]
    threads: int
    against: str
    wrong: int
    solve_seconds: float
    solve_nodes: int
    threaded_seconds: float | None
    """With several threads; None where there was only one."""
    thread_scaling: float | None
    """How many times as fast as one thread several are."""
    against_seconds: float | None
    ratio: float | None
    """Our time on one thread to the other player's: below 1 we are faster."""
    search_nodes_per_second: float
    """In the middle game."""


def _summed(endings: list[Solved], midgames: list[Searched], threads: int, against: str) -> EngineSpeed:
    ours = sum(each.seconds for each in endings)
    threaded = _sum(each.threaded_seconds for each in endings)
    theirs = _sum(each.against_seconds for each in endings)
    searching = max(sum(each.seconds for each in midgames), 1e-9)
    return EngineSpeed(
        *(_evaluations_a_second(), tuple(endings), tuple(midgames), threads, against),
        *(sum(each.right is False for each in endings), ours, sum(each.nodes for each in endings)),
        *(threaded, ours / threaded if threaded else None),
        *(theirs, ours / theirs if theirs else None),
        sum(each.nodes for each in midgames) / searching,
    )


def _sum(seconds: Iterable[Any]) -> float | None:
    known = list(seconds)
    return None if not known or None in known else sum(known)


def own_suite(name: str) -> list[Problem]:
    """Positions that come with Outflank: `endings` with their scores, or `midgames`."""
    return obf.read((files("outflank.bench") / "data" / f"{name}.obf").read_text())


def measure(
    endings: Sequence[Problem],
    midgames: Sequence[Problem],
    *,
    seconds: float = 1.0,
    threads: int = 1,
    hash_mb: float = 128.0,
    against: str = "",
    progress: Callable[[str, int, int], None] | None = None,
) -> EngineSpeed:
    """Measures the engine; `against` is the spec of another player, asked about each position right after us."""
    tell = progress or (lambda _what, _done, _of: None)
    solved: list[Solved] = []
    searched: list[Searched] = []
    with closing(agent(against)) if against else nullcontext() as rival:
        solvers = [Solver(hash_mb, count) for count in sorted({1, threads})]
        engine = Engine(1, hash_mb)
        for solver in solvers:
            solver.solve(own_suite("endings")[0].position.symmetry(1))  # warm: loaded, and the table knows no answer
        for done, problem in enumerate(endings):
            tell("endings solved", done, len(endings))
            solved.append(_solved(problem, solvers, rival))
        for done, problem in enumerate(midgames):
            tell("middle games searched", done, len(midgames))
            searched.append(_searched(problem.position, engine, rival, seconds))
    return _summed(solved, searched, threads, against)


def _solved(problem: Problem, solvers: Sequence[Solver], rival: Agent | None) -> Solved:
    position = problem.position
    report = solvers[0].solve(position)
    if not report.exact:
        raise KeyboardInterrupt
    answer = None if rival is None or not position.legal else _asked(rival, position, TO_THE_END)
    threaded = solvers[1].solve(position) if len(solvers) > 1 else None
    right = None if problem.best is None or position.variant.reversed else report.score == problem.best
    theirs = (None, None) if answer is None else (answer.seconds, answer.score)
    found = (position.text, position.empties, report.score, report.seconds, report.nodes, right)
    return Solved(*found, None if threaded is None else threaded.seconds, *theirs)


def _searched(position: Position, engine: Engine, rival: Agent | None, seconds: float) -> Searched:
    engine.prepare(position.variant)
    report = engine.choose(position, Limit(time=seconds))
    try:
        answer = None if rival is None else _asked(rival, position, Limit(time=seconds))
    except TimeoutError:
        answer = None  # late once, it is only left out here: all that was measured before stays
    theirs = None if answer is None else answer.depth or None
    return Searched(position.text, position.empties, report.depth, report.nodes, report.seconds, theirs)


def _asked(rival: Agent, position: Position, limit: Limit) -> Report:
    """Another player's answer, with the time that it took as we measured it."""
    rival.start(position.variant, position.turn, 0)
    began = time.perf_counter()
    answer = rival.choose(Game(position), limit)
    return replace(answer, seconds=time.perf_counter() - began)


def _evaluations_a_second(variant: Variant = OTHELLO) -> float:
    """The evaluation of positions, each from nothing: within a search it follows from the last move, for less."""
    searcher = Searcher(1)
    searcher.prepare(variant, evaluation_for(variant))
    owns, opps = (np.append(discs, np.uint64(0)) for discs in random_positions(POSITIONS, variant))
    desks = np.full_like(owns, searcher.address)
    desks[-1] = 0
    return 1e9 / nanoseconds_over("evaluated", deepening.evaluate_at_root, desks, owns, opps)
