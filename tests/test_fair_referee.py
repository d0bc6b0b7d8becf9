"""What the machine or the operator causes is nobody's loss: faults injected where they happen, and what the store has
afterwards."""

import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from enclosed import FILES, needs_enclosure

from outflank.agents import submission
from outflank.agents.roster import ROSTER, Entry
from outflank.agents.sandbox import enclosure, process, seccomp
from outflank.agents.sandbox.consent import ACCEPTED
from outflank.agents.sandbox.process import Enclosed
from outflank.agents.simple import GreedyPlayer
from outflank.arena.contest import Fixture, Opening, Player
from outflank.arena.match import match
from outflank.arena.playing import Play, plays
from outflank.arena.record import GameRecord
from outflank.arena.store import Store
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import MachineError
from outflank.search.limits import Limit, Report
from outflank.work.processes import Processes
from outflank.work.stop import Stop
from outflank.work.workers import Done, Here, Task, _Backlog

SMALL = Variant.named("4x4")
HONEST = FILES / "honest" / "course_player.py"


def game(pair: int = 0, second: str = "greedy", limit: Limit | None = None) -> Fixture:
    """A game of somebody's file."""
    first = Player(f'py:"{HONEST}",time=60')
    return Fixture(first, Player(second), pair, Color.BLACK, SMALL, Opening("", ""), limit or Limit(), 1)


@dataclass(frozen=True)
class Spoiled:
    """Leaves its worker, after a game that is in order, with too few descriptors for another sandbox."""

    before: Play

    def __call__(self, stop: Stop) -> GameRecord:
        record = self.before(stop)
        left = len(list(Path("/proc/self/fd").iterdir())) + 4
        resource.setrlimit(resource.RLIMIT_NOFILE, (left, left))
        return record


@dataclass(frozen=True)
class Later:
    """A game that begins once a file is there: so its worker is busy, and the other one gets what is next."""

    before: Play
    sign: Path

    def __call__(self, stop: Stop) -> GameRecord:
        until = time.monotonic() + 60
        while not self.sign.exists() and time.monotonic() < until:
            time.sleep(0.01)
        return self.before(stop)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_sandbox_that_fails_on_one_worker_costs_no_game(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker is made to refuse a game, which then another one plays: of two, while the second is busy."""
    needs_enclosure()
    refusals: list[str] = []
    sign = tmp_path / "refused"

    def note(self: _Backlog, left: Any, done: Done) -> None:
        if done.error is not None:
            refusals.append(str(done.error))
            sign.touch()
        known(self, left, done)

    known = _Backlog.take_back
    monkeypatch.setattr(_Backlog, "take_back", note)
    spoiled, *wanted = (game(pair) for pair in range(5))
    tasks: list[tuple[Fixture, Task[GameRecord]]] = [(spoiled, Spoiled(Play(spoiled)))]
    with Processes(jobs) as workers:
        tasks += plays(wanted, workers)
        if jobs == 2:
            tasks[1] = wanted[0], Later(Play(wanted[0]), sign)
        done = {key: record for finished in workers.run(iter(tasks)) for key, record in finished}
    assert refusals and all("could not be played on" in one and "Too many open files" in one for one in refusals)
    assert set(done) == {spoiled, *wanted}
    assert all(record.result.forfeit is None for record in done.values())


def test_a_machine_that_cannot_shut_anybody_in_says_so_and_has_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ACCEPTED, raising=False)
    monkeypatch.setattr(enclosure, "_tried", lambda how: "no namespaces here")
    enclosure.strongest.cache_clear()
    try:
        with pytest.raises(
            MachineError, match=r"course_player.*could not be played on .*no namespaces here.*bubblewrap"
        ):
            Play(game())(Stop())
        with pytest.raises(MachineError, match="no namespaces here"):
            match(f'py:"{HONEST}"', "greedy", games=2, variant="4x4", store=tmp_path / "games.db")
    finally:
        enclosure.strongest.cache_clear()
    with Store(tmp_path / "games.db") as store:
        assert [one for number in (1, 2) for one in store.results(number)] == []


def test_a_probe_that_failed_once_is_tried_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ACCEPTED, raising=False)
    answers = iter(["it does not answer", "it does not answer", "", ""])
    monkeypatch.setattr(enclosure, "_tried", lambda how: next(answers))
    monkeypatch.setattr(seccomp, "missing", lambda: "")
    enclosure.strongest.cache_clear()
    try:
        with pytest.raises(MachineError, match="does not answer"):
            enclosure.require()
        assert enclosure.require().missing == ()
    finally:
        enclosure.strongest.cache_clear()


class Assassin(GreedyPlayer):
    """Ends whoever it meets, or the guard, so many times."""

    times = 0
    whom = "guard"

    def choose(self, game: Game, limit: Limit) -> Report:
        if Assassin.times:
            Assassin.times -= 1
            if Assassin.whom == "guard":
                guard = Guarded.last._guard
                guard.send_signal(signal.SIGKILL)
                guard.wait()
            else:
                os.kill(Guarded.last._pid, signal.SIGKILL)
        return super().choose(game, limit)


class Guarded(Enclosed):
    last: Enclosed

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        Guarded.last = self


@pytest.mark.parametrize(("whom", "why"), [("guard", "ended from outside"), ("guest", "killed from outside")])
def test_a_guard_or_guest_that_is_killed_is_no_loss_and_the_game_is_played_again(
    whom: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A guest as by a machine that lacks memory: within its quota it is not its fault."""
    needs_enclosure()
    monkeypatch.setattr(Assassin, "whom", whom)
    monkeypatch.setitem(ROSTER, "assassin", Entry("assassin", "Tests.", Assassin))
    monkeypatch.setattr(submission, "Enclosed", Guarded)
    fixture = game(second="assassin")
    Assassin.times = 1
    with Here() as here:
        ((_, record),) = next(here.run(plays([fixture], here)))
    assert record.result.forfeit is None
    Assassin.times = 2
    with Here() as here, pytest.raises(MachineError, match=why):
        next(here.run(plays([fixture], here)))


def test_a_file_that_somebody_took_away_is_no_loss(tmp_path: Path) -> None:
    needs_enclosure()
    gone = tmp_path / "gone.py"
    fixture = replace(game(), first=Player(f'py:"{gone}"'))
    with pytest.raises(MachineError, match=r"there is no file .*gone\.py"):
        Play(fixture)(Stop())


def test_a_full_disk_ends_the_run_with_one_line_and_the_rest_is_played_later(tmp_path: Path) -> None:
    """A guard against a return: a store is all or nothing since it is one."""
    path = tmp_path / "games.db"
    command = [sys.executable, "-m", "outflank", "match", "greedy", "random", "--variant", "4x4", "--games", "600"]
    command += ["--jobs", "1", "--store", str(path)]
    full = 120_000

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (full, full))

    stopped = subprocess.run(command, capture_output=True, text=True, preexec_fn=limited)
    assert stopped.returncode not in (0, -signal.SIGXFSZ), stopped.stderr
    assert len(stopped.stderr.strip().splitlines()) == 1
    assert str(path) in stopped.stderr
    with Store(path) as store:
        before = len(store.results(1))
        assert all(one.result.forfeit is None for one in store.results(1))
    assert before < 600
    assert subprocess.run(command, capture_output=True).returncode == 0
    with Store(path) as store:
        assert len(store.results(1)) == 600


FULL = """
import resource, sys
from test_fair_referee import game
from outflank.arena.table import Table
table, fixture = Table(), game()
assert table.play(fixture).result.forfeit is None
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    print(table.play(fixture).result.forfeit)
except OSError as error:
    print("refused:", error)
"""


def test_a_full_disk_is_no_loss_of_a_file_that_has_no_room_there() -> None:
    """The sandbox lays out the files of a submission before any of it runs: where that fails, it is not its fault."""
    needs_enclosure()
    place = Path(__file__).parent
    environment = {**os.environ, "PYTHONPATH": f"{place}:{enclosure.SOURCES}"}
    done = subprocess.run([sys.executable, "-c", FULL], env=environment, capture_output=True, text=True, cwd=place)
    assert done.stdout.startswith("refused: the sandbox did not start: [Errno 27]"), done.stdout + done.stderr


def test_a_clock_that_is_set_while_they_play_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A guard against a return: no time of a game was ever taken from the system's clock, which jumps by days here at
    every look."""
    needs_enclosure()
    jumps = count()
    monkeypatch.setattr(time, "time", lambda: 1e9 + 1e6 * (-1) ** next(jumps))
    record = Play(game(limit=Limit(time=30)))(Stop())
    assert record.result.forfeit is None
    assert record.result.efforts[0].slowest < 30


STOPPED = """
import os, subprocess
from test_fair_referee import SMALL, Fixture, Here, Limit, MachineError, Opening, Player, Color, plays
from test_fair_referee import ROSTER, Entry, GreedyPlayer

class Halting(GreedyPlayer):
    times = 1
    def choose(self, game, limit):
        if Halting.times:
            Halting.times -= 1
            halt = f"kill -STOP {os.getpid()}; sleep 1.4; kill -CONT {os.getpid()}"
            subprocess.run(["sh", "-c", halt])
        return super().choose(game, limit)

ROSTER["halting"] = Entry("halting", "Tests.", Halting)
fixture = Fixture(Player("halting"), Player("greedy"), 0, Color.BLACK, SMALL, Opening("", ""), Limit(time=1), 1)
with Here() as here:
    ((_, record),) = next(here.run(plays([fixture], here)))
    print(record.result.forfeit)
    Halting.times = 2
    try:
        next(here.run(plays([fixture], here)))
    except MachineError as error:
        print(error)
"""


def test_who_is_to_move_while_somebody_stops_the_program_has_not_lost() -> None:
    """Ctrl-Z, or a machine that is paused: the referee's own process stands still, and its clock goes on."""
    place = Path(__file__).parent
    environment = {**os.environ, "PYTHONPATH": f"{place}:{enclosure.SOURCES}"}
    done = subprocess.run([sys.executable, "-c", STOPPED], env=environment, capture_output=True, text=True, cwd=place)
    first, second = done.stdout.splitlines() or [done.stderr, ""]
    assert first == "None"
    assert "halting against greedy could not be played" in second and "stood still for 1." in second


def test_a_guest_is_not_late_while_its_referee_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    needs_enclosure()
    seconds = count()
    monkeypatch.setattr(process, "stood_still", lambda: next(seconds))
    late = replace(game(limit=Limit(time=0.1)), first=Player(f'py:"{FILES / "hostile" / "sleeps.py"}",time=0.1'))
    with pytest.raises(MachineError, match="stood still"):
        Play(late)(Stop())


def test_the_latest_match_is_the_last_one_also_when_the_clock_was_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report without a number is about the latest: not the one that a wrong clock has dated latest."""
    path = tmp_path / "games.db"
    with monkeypatch.context() as tomorrow:
        tomorrow.setattr(time, "time", lambda known=time.time: known() + 86400)
        match("greedy", "random", games=2, variant="4x4", store=path)
    match("random", "greedy", games=2, variant="4x4", store=path)
    with Store(path) as store:
        assert store.event().plan["players"][0][0] == "random"
    match("greedy", "random", games=2, variant="4x4", store=path)
    with Store(path) as store:
        assert store.event().plan["players"][0][0] == "greedy", "asked for again, it is the latest again"
