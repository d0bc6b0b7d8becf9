"""How fast the compiled parts are: the rules' kernels, and searches with a user's heuristic. On one core, warm."""

import importlib.util
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from outflank.board import kernels
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.timing import random_positions, time_kernels
from outflank.heuristics.named import NAMED, find
from outflank.search.limits import Limit
from outflank.search.montecarlo.search import MonteCarlo, Options
from outflank.search.trees.search import Ordering, TreeSearch

PERFT_DEPTH = 11
PLAYOUTS = 200_000
POSITIONS_IN_PYTHON = 300
FINDERS = ("legal_moves_from_discs", "legal_moves_from_empties")
ORDERINGS: tuple[Ordering, ...] = ("square", "mobility", "estimate")
DEFAULT_ORDERING: Ordering = "estimate"
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


def kernel_speed(repeats: int) -> dict[str, Any]:
    """Perft and random playouts, the best of so many runs, and what a call of each kernel costs."""
    start = Position.start()
    board = start.variant.board
    leaves = kernels.perft(start.own, start.opp, board, PERFT_DEPTH)
    perft = _best_seconds(lambda: kernels.perft(start.own, start.opp, board, PERFT_DEPTH), repeats)
    margins = np.empty(PLAYOUTS, np.int64)
    playouts = _best_seconds(lambda: kernels.random_playouts(start.own, start.opp, board, margins, 1), repeats)
    return {
        "perft": {"depth": PERFT_DEPTH, "leaves": leaves, "seconds": perft, "leaves_per_second": leaves / perft},
        "playouts": {"games": PLAYOUTS, "seconds": playouts, "games_per_second": PLAYOUTS / playouts},
        "kernel_nanoseconds": time_kernels(),
        "finder_nanoseconds": _time_finders(),
    }


def _best_seconds(work: Callable[[], object], repeats: int) -> float:
    """The fastest of several runs: on a shared machine the others measure its other users."""
    work()  # warm: compiled, loaded, in the cache
    return min(_seconds(work) for _ in range(repeats))


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _time_finders() -> dict[str, float]:
    """What these finders cost in plain Python; nothing outside a source checkout, where they are not installed."""
    path = Path(__file__).resolve().parents[3] / "tests" / "naive.py"
    if not path.is_file():
        return {}
    spec = importlib.util.spec_from_file_location("outflank_naive", path)
    assert spec is not None and spec.loader is not None
    naive: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(naive)
    own, opp = (side.tolist() for side in random_positions(POSITIONS_IN_PYTHON))
    board = (1 << 64) - 1

    def all_with(finder: Any) -> None:
        for mine, theirs in zip(own, opp, strict=True):
            finder(mine, theirs, board)

    return {name: _seconds(partial(all_with, getattr(naive, name))) / len(own) * 1e9 for name in FINDERS}


def player_speed(seconds: float) -> dict[str, Any]:
    """Alpha-beta with a heuristic from a file, Monte Carlo, and the depth that `dynamic` reaches in so many seconds."""
    position = Game.from_transcript(MIDDLE_GAME).position
    TreeSearch(NAMED["discs"]).run(position, Limit(depth=4))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mine.py"
        file.write_text(THREE_LINES)
        heuristic = find(f"{file}:edges")
        compiling = _seconds(lambda: heuristic.address(position.variant))
    speeds = {}
    for ordering in ORDERINGS:
        reports = [TreeSearch(heuristic, ordering=ordering).run(position, Limit(depth=9)) for _ in range(3)]
        speeds[ordering] = median(report.nodes / report.seconds for report in reports)
    return {
        "alphabeta_nodes_per_second": speeds[DEFAULT_ORDERING],
        "alphabeta_nodes_per_second_by_ordering": speeds,
        "heuristic_compile_seconds": compiling,
        "mcts_simulations_per_second": _simulations_a_second(seconds),
        "dynamic_depth": TreeSearch(NAMED["combined"]).run(position, Limit(time=seconds)).depth,
        "seconds": seconds,
    }


def _simulations_a_second(seconds: float) -> float:
    """From the start position, the tree included."""
    search = MonteCarlo(Options(reuse=False))
    search.run(Position.start(), Limit(playouts=1000))
    report = search.run(Position.start(), Limit(time=seconds))
    return report.nodes / report.seconds
