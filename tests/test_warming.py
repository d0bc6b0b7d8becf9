"""The first compile on a machine: who takes which kernel, in which order, and who waits for whom."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from serving import Server

from outflank.board.compiled import _locked, cache_folder, crew_at_work
from outflank.board.warming import callees, every_kernel, kernels_for
from outflank.cli.warmup import ENGINE

PERFT = "from outflank.board.perft import perft; from outflank import Position; print(perft(Position.start(), 6))"


def started(script: str, cache: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OUTFLANK_CACHE": str(cache)},
    )


def run(script: str, cache: Path) -> str:
    out, complaint = started(script, cache).communicate(timeout=300)
    assert complaint == ""
    return out.strip()


def test_a_kernel_comes_after_all_that_it_calls_in_no_circle() -> None:
    made: set[object] = set()
    left = every_kernel()
    assert {"outflank.board.kernels", "outflank.learning.games.loops"} <= {kernel.py_func.__module__ for kernel in left}
    while left:
        free = [kernel for kernel in left if callees(kernel) <= made]
        assert free, "some wait for each other"
        made.update(free)
        left = [kernel for kernel in left if kernel not in made]


def test_no_kernel_is_compiled_inside_another_and_none_twice(tmp_path: Path) -> None:
    script = """
from outflank.board import compiled, warming
from outflank.cli.warmup import BOARD
compiled.in_crew = True
made, make = [], compiled._Kernel._make
def counted(kernel):
    before = len(made)
    kept = kernel._cache.holds_something()
    make(kernel)
    if not kept:
        assert len(made) == before, f"{kernel} compiled others"
        made.append(kernel.__name__)
compiled._Kernel._make = counted
kernels = warming.kernels_for(BOARD)
left = list(kernels)
while left:
    left = [kernel for kernel in left if not kernel.is_made]
    any(all(c.is_made for c in warming.callees(kernel)) and kernel.ready_unless_taken() for kernel in left)
print(len(made), len(set(made)), len(kernels))
"""
    made, different, wanted = map(int, run(script, tmp_path).split())
    assert made == different == wanted > 5


def test_what_is_compiled_first_is_all_that_a_first_game_needs() -> None:
    script = """
from outflank.board import compiled
wanted, ready = set(), compiled._Kernel.ready
def noted(kernel):
    wanted.add(kernel)
    return ready(kernel)
compiled._Kernel.ready = noted
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.agents.spec import agent, parse
from outflank.search.limits import Limit
from outflank.web import thinking
from outflank.web.boards import Board
from outflank.web.views import state_data
thinking.warm_up()
game = Game()
player = agent(parse(dict(thinking.difficulties())["casual"]))
player.start(game.variant, Color.BLACK, 1)
while not game.is_over:
    game.push(player.choose(game, Limit()).move)
    state_data(Board(game, ("human", "human"), None))
from outflank.board.warming import kernels_for
from outflank.cli.warmup import BOARD, ENGINE
print(*sorted(kernel.__name__ for kernel in wanted - set(kernels_for(BOARD + ENGINE))))
"""
    assert run(script, cache_folder().parent) == ""


def test_whoever_needs_a_kernel_while_the_crew_is_at_work_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTFLANK_CACHE", str(tmp_path))
    cache_folder.cache_clear()
    try:
        with crew_at_work():
            waiting = started(
                "from outflank.board.compiled import _first_compile, _FirstCompile\n"
                "steps, step = [], _FirstCompile.step\n"
                "_FirstCompile.step = lambda *which: steps.append(which)\n"
                f"{PERFT}\nprint(len(steps))",
                tmp_path,
            )
            alone = f"from outflank.board import compiled; compiled.in_crew = True\n{PERFT}"
            assert run(alone, tmp_path) == "8200"
            out, complaint = waiting.communicate(timeout=300)
    finally:
        monkeypatch.undo()
        cache_folder.cache_clear()
    assert (out.split(), complaint) == (["8200", "0"], "")


def test_the_crew_that_has_died_is_waited_for_no_longer(tmp_path: Path) -> None:
    run("from outflank.board.compiled import cache_folder, CREW; (cache_folder() / CREW).touch()", tmp_path)
    assert run(PERFT, tmp_path) == "8200"


def test_what_another_process_compiles_is_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "kernel.lock"
    with _locked(path) as mine, _locked(path, wait=False) as mine_too:
        assert mine and not mine_too
    assert not path.exists()


@pytest.mark.slow
def test_a_board_can_be_played_on_before_the_engine_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTFLANK_CACHE", str(tmp_path / "cache"))
    cache_folder.cache_clear()
    try:
        # Held here, so that the crew cannot end before we look.
        engine = next(kernel for kernel in kernels_for(ENGINE) if kernel.__name__ == "aspirate_at")
        with _locked(cache_folder() / engine._lock_path.name), Server(tmp_path / "state") as server:
            assert server.get("/api/about")["warming"]["step"] in ("board", "engine")
            with server.board(server.new_board(black="human", white="engine:level=4")) as board:
                assert board.play("d3")["last"] == "d3"
                assert board.state["to_move"] == "agent"
            assert server.get("/api/warming")["step"] == "engine"
            assert server.stop() == 0
    finally:
        monkeypatch.undo()
        cache_folder.cache_clear()
