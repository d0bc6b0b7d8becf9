"""Limits and stopping: every player answers legally under a limit of time, and Ctrl-C always works."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from crowded import printed_by
from searching import random_games

from outflank.agents.roster import ROSTER
from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.cli import stopping
from outflank.heuristics.heuristic import heuristic
from outflank.search.driver import LATENCY, Interruption, interruptible, seconds_for, watched
from outflank.search.limits import Clock, Limit
from outflank.search.trees.search import TreeSearch

THINKERS = [name for name, entry in ROSTER.items() if name != "human" and not entry.target]
VARIANTS = ["othello", "reversed", "6x6", "reversed-6x6", "5x7"]
SECONDS = 0.1
OUTFLANK = [sys.executable, "-c", "from outflank.cli.main import main; main()"]


# What a limit is


@pytest.mark.parametrize(
    "wrong",
    [
        *({"time": 0}, {"time": -1.0}, {"time": "1"}, {"depth": 0}, {"nodes": 0}, {"playouts": -3}),
        # A search that counts plies would never come to one of these.
        *({"depth": 2.5}, {"depth": "3"}, {"nodes": 1e6}),
    ],
)
def test_a_limit_is_more_than_nothing(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"more than 0 seconds|must be a whole number, 1 or more"):
        Limit(**wrong)


def test_a_limit_in_numpy_s_numbers_is_the_same() -> None:
    limit = Limit(time=np.float32(0.5), depth=np.int64(3))  # type: ignore[arg-type]
    assert limit == Limit(time=0.5, depth=3) and type(limit.depth) is int


def test_a_limit_that_is_named_beats_the_outer_one() -> None:
    assert Limit(depth=4).under(Limit(time=1)) == Limit(depth=4)
    assert Limit().under(Limit(time=1)) == Limit(time=1)


def test_seconds_for_a_move() -> None:
    assert seconds_for(Limit(depth=3), 60) is None
    assert seconds_for(Limit(time=2.5), 60) == 2.5
    shares = [seconds_for(Limit(clock=Clock(60)), empties) for empties in (60, 40, 20, 2)]
    assert shares == sorted(shares, key=lambda share: share or 0)
    assert seconds_for(Limit(clock=Clock(60), time=0.5), 60) == 0.5
    assert 0 < (seconds_for(Limit(clock=Clock(0.001)), 60) or 0) <= LATENCY


def test_a_clock_lasts_to_the_end_of_the_game() -> None:
    for remaining, increment in ((60.0, 0.0), (5.0, 0.0), (1.0, 0.2)):
        for empties in range(60, 0, -2):
            share = seconds_for(Limit(clock=Clock(remaining, increment)), empties)
            assert share is not None
            assert share < remaining
            remaining += increment - share
        assert remaining > 0


# Stops


def test_a_stop_is_set_at_its_deadline_and_not_before() -> None:
    began = time.perf_counter()
    with watched(0.1) as stop:
        while not stop.is_set:
            time.sleep(0.005)
        assert time.perf_counter() - began >= 0.1 - LATENCY


DEADLINE = """
import threading, time
from outflank.search.driver import watched
with watched(0.05) as stop:
    watchdog, = (thread for thread in threading.enumerate() if thread.name == "outflank-watchdog")
    while watchdog.is_alive() and not stop.is_set:
        time.sleep(0.01)
    print(stop.is_set)
"""


def test_deadlines_are_kept_by_a_process_with_more_than_a_thousand_open_files() -> None:
    assert printed_by(DEADLINE) == "True\n"


def test_the_command_line_loads_no_numpy_to_say_that_a_stuck_search_ends_it() -> None:
    script = "import sys; from outflank.cli import stopping; stopping.listen(); from outflank.search import driver;"
    script += " print(driver.exit_when_stuck, 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "True False\n"


def test_without_a_deadline_nothing_is_stopped() -> None:
    with watched(None) as stop:
        time.sleep(0.1)
        assert not stop.is_set


def test_deadlines_of_several_threads_do_not_disturb_each_other() -> None:
    late: list[float] = []

    def think(seconds: float) -> None:
        began = time.perf_counter()
        with watched(seconds) as stop:
            while not stop.is_set:
                time.sleep(0.002)
            late.append(time.perf_counter() - began - seconds)

    threads = [threading.Thread(target=think, args=(0.05 * (1 + index % 4),)) for index in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(late) == 12
    assert min(late) >= -LATENCY


def test_a_stop_from_another_thread_ends_a_search() -> None:
    stop = Interruption()
    search = TreeSearch(heuristic(lambda own, opp, board: 1.0), "minimax")
    search.prepare(Position.start().variant)
    threading.Timer(0.2, stop.set).start()
    with interruptible(stop):
        report = search.run(Position.start(), Limit(depth=40))
    assert report.move in Position.start().legal_moves
    assert report.seconds < 120


def test_a_search_after_a_stopped_one_is_not_stopped() -> None:
    search = TreeSearch(heuristic(lambda own, opp, board: 1.0))
    search.run(Position.start(), Limit(time=0.01))
    assert search.run(Position.start(), Limit(depth=3)).depth == 3


# Every player, under a limit of time


def random_positions(number: int, seed: int) -> Iterator[Position]:
    dice = Random(seed)
    games = {name: random_games(Variant.named(name), seed) for name in VARIANTS}
    for _ in range(number):
        yield dice.choice(next(games[dice.choice(VARIANTS)]))


def answer_times(name: str, positions: list[Position], seconds: float) -> list[float]:
    """Asks a player about positions, asserts that its answers are legal; how long each took."""
    times = []
    player = agent(name)
    for position in positions:
        player.start(position.variant, position.turn, 1)  # compiling and loading belong to the start of a game
        game = Game(position)
        began = time.perf_counter()
        report = player.choose(game, Limit(time=seconds))
        times.append(time.perf_counter() - began)
        assert report.move in position.legal_moves, (name, position.text)
    player.close()
    return times


@pytest.mark.parametrize("name", THINKERS)
def test_every_answer_under_a_limit_of_time_is_legal(name: str) -> None:
    answer_times(name, list(random_positions(6, 5)), 0.03)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", THINKERS)
def test_five_hundred_positions_at_a_tenth_of_a_second(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Issue 3: 99.9 % within 0.15 s. Times are shown, not asserted: on a loaded machine we wait for a processor."""
    times = answer_times(name, list(random_positions(500, 6)), SECONDS)
    within = sum(seconds <= 0.15 for seconds in times) / len(times)
    load = os.getloadavg()[0]
    with capsys.disabled():
        print(f"\n{name:12} within 0.15 s: {within:.1%}, worst {max(times):.3f} s, load {load:.1f}")


def test_a_heuristic_in_plain_python_keeps_the_time_too() -> None:
    @heuristic
    def slow(own, opp, board):  # type: ignore[no-untyped-def]
        return bin(own).count("1") - bin(opp).count("1")

    with pytest.warns(UserWarning, match="cannot be compiled"):
        slow.address(Variant())
    report = TreeSearch(slow).run(Position.start(), Limit(time=1.0))
    assert report.depth >= 1
    assert report.seconds < 120


# Ctrl-C


ENDLESS = """\
from outflank import heuristic

DISCS = 0x0000001818000000 | 1 << 19 | 1 << 18 | 1 << 17  # after d3 c3 b3


@heuristic
def compiled(own, opp, board):
    turns = 1
    while own | opp == DISCS and turns > 0:
        turns = turns % 7 + 1
    return turns


@heuristic
def in_python(own, opp, board):
    import math
    turns = 1
    while own | opp == DISCS and turns > 0:
        turns = turns % 7 + 1
    return turns
"""


def processor_seconds(pid: int) -> float:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def interrupted(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Runs the program, presses Ctrl-C once it thinks; its exit code and its errors."""
    (tmp_path / "mine.py").write_text(ENDLESS)

    def run(*arguments: str) -> tuple[int, str]:
        # The process says when it begins to search: before that it only loads, however long that takes.
        program = (
            "import sys, outflank.search.driver as driver\n"
            "watched = driver.watched\n"
            "def said(*arguments):\n    print('searching', flush=True)\n    return watched(*arguments)\n"
            "import outflank.search.trees.search as treesearch\n"
            "treesearch.watched = said\n"
            "from outflank.cli.main import main\nmain()"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "searching\n", process.communicate()
        # Its own processor time says that it is under way: by the clock, a busy machine may not have let it begin.
        begun = processor_seconds(process.pid)
        while process.poll() is None and processor_seconds(process.pid) < begun + 0.5:
            time.sleep(0.02)
        assert process.poll() is None, "it must still be thinking"
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=300)
        finally:
            process.kill()
        return process.returncode, errors

    return run


Interrupted = Callable[..., tuple[int, str]]


@pytest.mark.parametrize("spec", ["alphabeta:depth=30", "minimax:depth=30", "phased:time=600"])
def test_ctrl_c_ends_a_long_search(interrupted: Interrupted, spec: str) -> None:
    assert interrupted("move", "--agent", spec) == (130, "\nstopped\n")


@pytest.mark.parametrize("limit", ["depth=6", "time=0.2"])
def test_ctrl_c_ends_an_endless_heuristic(interrupted: Interrupted, limit: str) -> None:
    """Also one that has missed its deadline long ago: compiled code that does not return cannot be told to."""
    assert interrupted("move", "--agent", f"alphabeta:heuristic=./mine.py:compiled,{limit}") == (
        130,
        "\noutflank: stopped; the search did not return (does the heuristic loop for ever?)\n",
    )


def test_ctrl_c_ends_an_endless_heuristic_in_plain_python(interrupted: Interrupted) -> None:
    code, errors = interrupted("move", "--agent", "alphabeta:heuristic=./mine.py:in_python,depth=6")
    assert code == 130
    assert errors.endswith("\nstopped\n")
    assert "Traceback" not in errors


def test_ctrl_c_reaches_whoever_uses_the_library(tmp_path: Path) -> None:
    """As KeyboardInterrupt, which they may catch: a library does not end its host."""
    program = (
        "import os, signal, threading\nfrom outflank import Game, Limit, agent\n"
        "player = agent('alphabeta')\nplayer.start(Game().variant, 0, 0)\n"
        "pressed = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))\n"
        "try:\n    pressed.start()\n    player.choose(Game(), Limit(depth=40))\n"
        "except KeyboardInterrupt:\n    print('caught')\n"
        "print(player.choose(Game(), Limit(depth=3)).depth)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, "caught\n3\n", "")


def test_ctrl_c_that_python_lost_is_heard_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that comes while an object is deleted cannot be caught there."""
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr(stopping, "_swallowed", False)
    stopping.listen()

    class Swallows:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        one = Swallows()
        del one
        time.sleep(120)
    assert stopping.was_swallowed()
