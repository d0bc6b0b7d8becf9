"""Other people's players: honest ones of all three interfaces play as written, hostile ones lose and leave nothing."""

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

import pytest
from conversing import Endless, Talk
from crowded import printed_by
from enclosed import (
    FILES,
    HONEST,
    HOSTILE,
    SIX,
    enclosed_by,
    game_of,
    header,
    left_behind,
    needs_enclosure,
    never_still,
)
from typer.testing import CliRunner

from outflank.agents import submission
from outflank.agents.agent import ForfeitError
from outflank.agents.sandbox import cgroups, enclosure, namespaces
from outflank.agents.sandbox.consent import ACCEPTED, accepted
from outflank.agents.sandbox.process import Enclosed
from outflank.agents.sandbox.restrictions import MEGABYTE, Quota
from outflank.agents.spec import agent
from outflank.agents.submission import Submission
from outflank.arena import referee
from outflank.arena.contest import Conditions, Fixture, Player, game_seed, secret
from outflank.arena.openings import openings_named
from outflank.arena.session import pairing_fixtures
from outflank.arena.store import Store
from outflank.arena.table import Table
from outflank.arena.tournament import Plan, Tournament
from outflank.board import compiled
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import OTHELLO, Variant
from outflank.cli.main import app
from outflank.errors import MachineError
from outflank.protocols.gtp import GtpEngine
from outflank.search.limits import Limit
from outflank.work.processes import Processes

BOTH = ("bubblewrap", "namespaces")
SAMPLE = (
    "endless_loop",
    "fork_bomb",
    "allocates_10_gb",
    "segfault",
    "closes_its_pipes",
    "reads_the_users_files",
    "leaves",
)
REFUSED_CALLS = (
    "changes_devices",
    "takes_leases",
    "hides_shared_memory",
    "clears_its_death_signal",
    "signals_an_accomplice",
    "wakes_itself",
)
"""What the kernel refuses in every enclosure, also where there are no namespaces."""


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    """Where guards make their folders: a place of our own, since tests of other files run submissions beside us."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        Path(folder).chmod(0o1777)  # nobody writes there too
        patched.setenv("TMPDIR", folder)
        yield Path(folder)


@pytest.fixture(autouse=True)
def _nothing_is_left(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    needs_enclosure()
    never_still(monkeypatch)
    resource_tracker.ensure_running()  # what Python itself keeps open is there before we count
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    yield
    assert not left_behind()
    assert len(list(Path("/proc/self/fd").iterdir())) <= descriptors  # fewer where an earlier test's are collected now
    assert not list(scratch.glob("outflank-submission-*"))


# Hostile ones


@pytest.mark.parametrize("file", HOSTILE, ids=lambda file: file.stem)
def test_a_hostile_submission_forfeits_with_the_right_reason(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if file.stem == "compiled_endless_loop":  # all of its rehearsal is a loop
        monkeypatch.setattr(submission, "REHEARSAL_SECONDS", 1.0)
    # Whoever does not lose by the time has plenty: a busy machine must not change the reason.
    time_limit = "time=0.4" if header(file, "forfeits") == "time" else "time=60"
    _, verdict, _ = game_of(file, header(file, "with") or time_limit)
    assert verdict.forfeit is not None
    assert verdict.forfeit.color is Color.BLACK
    assert verdict.forfeit.reason.startswith(tuple(header(file, "forfeits").split("|"))), verdict.forfeit.reason
    assert not Path("/tmp/outflank-was-here").exists()
    assert not Path("/usr/share/outflank-was-here").exists()


@pytest.mark.parametrize("how", BOTH)
@pytest.mark.parametrize("name", SAMPLE)
def test_each_way_of_enclosing_holds(how: str, name: str) -> None:
    file = FILES / "hostile" / f"{name}.py"
    with enclosed_by(how):
        _, verdict, _ = game_of(file, "time=0.4" if name == "endless_loop" else "time=60")
    assert verdict.forfeit is not None
    assert verdict.forfeit.reason.startswith(tuple(header(file, "forfeits").split("|"))), verdict.forfeit.reason


@pytest.mark.parametrize("how", [*BOTH, "bare"])
@pytest.mark.parametrize("name", REFUSED_CALLS)
def test_some_calls_are_refused_everywhere(how: str, name: str) -> None:
    with enclosed_by(how):
        _, verdict, _ = game_of(FILES / "hostile" / f"{name}.py")
    assert verdict.forfeit is not None
    assert verdict.forfeit.reason.startswith("forbidden: PermissionError")


PROBE = """
import ctypes, fcntl, mmap, os, socket, sys
from outflank import Report
from outflank.agents.agent import Agent

def attempts():
    libc = ctypes.CDLL(None, use_errno=True)
    for number in range(5, 64):
        yield "descriptor %d" % number, lambda: os.fstat(number)
    yield "fork", lambda: os.fork()
    yield "exec", lambda: os.execv("/bin/true", ["true"])
    yield "socket", lambda: socket.socket()
    yield "unix socket", lambda: socket.socket(socket.AF_UNIX)
    yield "unshare", lambda: libc.unshare(0x10000000) and 1 / 0
    yield "mount", lambda: libc.mount(b"none", b"/scratch", b"tmpfs", 0, None) and 1 / 0
    yield "ptrace", lambda: libc.ptrace(0, 0, 0, 0) and 1 / 0
    yield "memfd", lambda: os.memfd_create("much")
    yield "shm", lambda: libc.shmget(0, 4096, 0o1600) < 0 and 1 / 0
    yield "signal others", lambda: os.kill(-1, 0)
    yield "keyring", lambda: libc.syscall(250, 0, -3, 0) < 0 and 1 / 0
    yield "raise its limits", lambda: __import__("resource").setrlimit(9, (-1, -1))
    yield "write beside", lambda: open(os.path.dirname(sys.modules["outflank"].__file__) + "/here", "w")
    yield "write into the root", lambda: open("/here", "w")
    yield "write into the kernels", lambda: open(os.environ["OUTFLANK_KERNELS"] + "/here", "w")
    yield "the user's files", lambda: os.listdir(HOME)
    yield "others' temporary files", lambda: open(SECRET)
    yield "processes", lambda: os.listdir("/proc/1")
    yield "the user's environment", lambda: os.environ["OUTFLANK_TEST_SECRET"]
    yield "its parent", lambda: 1 // os.getppid()
    yield "root", lambda: 1 // (os.getuid() == 0)
    yield "a device's mode", lambda: os.chmod("/dev/full", 0o666)
    yield "a device's time", lambda: os.utime("/dev/full")
    yield "a device's owner", lambda: os.chown("/dev/full", os.getuid(), os.getgid())
    yield "a device's attributes", lambda: os.setxattr("/dev/full", "user.outflank", b"here")
    here = os.open(".", 0)
    yield "a mode of a file of its own", lambda: os.chmod(".", 0o777)
    yield "a mode, by a descriptor", lambda: os.fchmod(here, 0o777)
    yield "a mode, from a folder", lambda: os.chmod(".", 0o777, dir_fd=here)
    yield "an owner of a file of its own", lambda: os.chown(".", os.getuid(), os.getgid())
    yield "an owner, by a descriptor", lambda: os.fchown(here, os.getuid(), os.getgid())
    yield "an owner, from a folder", lambda: os.chown(".", os.getuid(), os.getgid(), dir_fd=here)
    yield "a link's owner", lambda: os.lchown(".", os.getuid(), os.getgid())
    yield "a time of a file of its own", lambda: os.utime(".")
    yield "a time, by a descriptor", lambda: os.utime(here)
    yield "a pipe with a name", lambda: os.mkfifo("pipe")
    yield "another priority", lambda: os.nice(1)
    yield "a handle of a process", lambda: os.pidfd_open(os.getpid())
    yield "a queue for the kernel", lambda: libc.syscall(425, 8, ctypes.create_string_buffer(120)) < 0 and 1 / 0
    yield "a record's lock", lambda: fcntl.lockf(os.open(os.__file__, 0), fcntl.LOCK_SH)
    yield "a large pipe", lambda: fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)
    yield "a lease", lambda: fcntl.fcntl(os.open(os.__file__, 0), fcntl.F_SETLEASE, fcntl.F_RDLCK)
    yield "a lock", lambda: fcntl.flock(os.open(os.__file__, 0), fcntl.LOCK_SH)
    yield "shared memory", lambda: mmap.mmap(-1, 4096)
    yield "pairs of sockets", lambda: socket.socketpair()
    yield "the machine's name", lambda: 1 / (os.uname().nodename != "sandbox")
    yield "another's processors", lambda: os.sched_setaffinity(2, {0})
    yield "a limit of processor time", lambda: __import__("resource").setrlimit(0, (1, 1))
    yield "a filter of its own", lambda: libc.syscall(317, 2, 0, ctypes.create_string_buffer(16)) and 1 / 0
    yield "its death signal", lambda: libc.prctl(1, 0, 0, 0, 0) and 1 / 0
    yield "a watch", lambda: libc.inotify_init1(0) < 0 and 1 / 0
    yield "other programs", lambda: os.stat("/usr/bin/env")
    yield "what is installed", lambda: os.listdir("/usr/share")

class Probe(Agent):
    def choose(self, game, limit):
        could = []
        for name, attempt in attempts():
            try:
                attempt()
            except BaseException:
                continue
            could.append(name)
        open("own", "w").write("a file of its own")
        return Report(game.position.legal_moves[0], text=", ".join(could) or "nothing")
"""


@pytest.mark.parametrize("how", BOTH)
def test_an_enclosed_program_can_do_nothing_outside(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTFLANK_TEST_SECRET", "hunter2")
    secret = tmp_path / "secret"
    secret.write_text("secret")
    home = tmp_path / "home"
    home.mkdir()
    file = tmp_path / "probe.py"
    file.write_text(PROBE.replace("HOME", repr(str(home))).replace("SECRET", repr(str(secret)), 1))
    with enclosed_by(how):
        player = agent(f"py:{file}")
        try:
            player.start(OTHELLO, Color.BLACK, 0)
            assert player.choose(Game(), Limit()).text == "nothing"
        finally:
            player.close()


def test_where_root_plays_the_guest_is_nobody_and_goes_first_when_memory_runs_out() -> None:
    player = Submission(str(FILES / "honest" / "course_player.py"))
    try:
        player.start(SIX, Color.BLACK, 0)
        assert player._process is not None
        account = Path(f"/proc/{player._process._pid}")
        user = os.geteuid() or (namespaces.NOBODY if enclosure.strongest().how == "namespaces" else 0)
        status = (account / "status").read_text()
        assert f"Uid:\t{user}\t{user}\t{user}\t{user}\n" in status
        assert "CapEff:\t0000000000000000\n" in status
        assert int((account / "oom_score_adj").read_text()) == 1000
    finally:
        player.close()


@pytest.mark.parametrize("how", [*BOTH, "bare"])
def test_where_there_are_control_groups_the_kernel_holds_the_limit(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of what the referee does not see: here it looks away."""
    if not enclosure._groups():
        pytest.skip("no control group can be made here")
    monkeypatch.setattr(Enclosed, "_check_usage", lambda self: None)
    with enclosed_by(how):
        player = Submission(str(FILES / "hostile" / "grows_at_once.py"), memory=100)
    try:
        player.start(SIX, Color.BLACK, 0)
        assert player._process is not None
        group = Path(player._process._group)
        assert str(player._process._pid) in (group / cgroups.MEMBERS).read_text().split()
        with pytest.raises(ForfeitError, match="memory: the system stopped it"):
            player.choose(Game(SIX), Limit(time=60))
    finally:
        player.close()
    assert not group.exists()


def test_a_control_group_goes_also_where_the_guard_is_killed() -> None:
    if not enclosure._groups():
        pytest.skip("no control group can be made here")
    player = Submission(str(FILES / "honest" / "course_player.py"))
    player.start(SIX, Color.BLACK, 0)
    process = player._process
    assert process is not None and process._handle is not None
    process._guard.kill()
    assert select.select([process._handle], [], [], 60)[0]
    player.close()
    assert not Path(process._group).exists()


def test_a_submission_stands_still_while_its_opponent_thinks() -> None:
    """Its threads would take the opponent's time on a busy machine."""
    player = Submission(str(FILES / "honest" / "noisy_player.py"))
    try:
        player.start(SIX, Color.BLACK, 0)
        player.choose(Game(SIX), Limit())
        assert player._process is not None
        clock = Path(f"/proc/{player._process._pid}/stat")

        def used() -> list[str]:
            return clock.read_text().rpartition(")")[2].split()[11:13]

        def stands() -> bool:
            tasks = (clock.parent / "task").glob("*/stat")
            return all(task.read_text().rpartition(")")[2].split()[0] == "T" for task in tasks)

        until = time.monotonic() + 60
        while not stands() and time.monotonic() < until:  # the kernel stops each thread when it next looks at it
            time.sleep(0.01)
        before = used()
        time.sleep(0.3)
        assert used() == before
    finally:
        player.close()


def test_honest_results_do_not_depend_on_hostile_neighbours(tmp_path: Path) -> None:
    honest = [f"py:{FILES / 'honest' / name}.py" for name in ("course_ai", "course_player")]
    hostile = []
    for name in ("endless_loop", "grows_slowly"):
        file = FILES / "hostile" / f"{name}.py"
        hostile.append(f"py:{file},{header(file, 'with') or 'time=0.3'}")
    alone, together = (_class(tmp_path / name, specs) for name, specs in (("a", honest), ("b", honest + hostile)))
    assert len(alone) == 2
    assert alone == {key: game for key, game in together.items() if key in alone}
    lost = {key: game for key, game in together.items() if key not in alone}
    assert len(lost) == 12 - 2
    assert all(forfeit in ("time", "memory") for _, forfeit in lost.values())


def _class(store: Path, specs: list[str]) -> dict[tuple[str, str, Color], tuple[str, str | None]]:
    """The games of a class in two processes: who, the moves, and the kind of a forfeit."""
    openings = openings_named("start", SIX, 0)
    plan = Plan(tuple(map(Player.named, specs)), course=True)
    with Store(store) as kept, Processes(2) as runner:
        contest = Tournament(plan, Conditions(SIX, Limit(), openings.name, 0), openings, kept)
        contest.play(runner)
        return {
            (game.at.first.spec, game.at.second.spec, game.at.first_color): (
                game.record.moves,
                game.at.result.forfeit.reason.partition(":")[0] if game.at.result.forfeit else None,
            )
            for game in kept.games(contest._contest)
        }


def test_nobody_knows_the_luck_of_an_opponent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A seed that is public gives `random` away; games of submissions have one that follows from a secret, too."""
    prophet, dice = Player.named(f"py:{FILES / 'hostile' / 'predicts_its_opponent.py'}"), Player("random")
    openings = openings_named("start", SIX, 0)
    conditions = Conditions(SIX, Limit(), openings.name, 0)

    def fixtures(key: str) -> list[Fixture]:
        monkeypatch.setenv("OUTFLANK_SECRET", key)
        secret.cache_clear()
        return list(pairing_fixtures(prophet, dice, 1, conditions, openings, ()))

    fixture, _ = fixtures("a")
    try:
        assert fixtures("a")[0] == fixture, "the operator plays the same game again"
        assert fixtures("b")[0].seed != fixture.seed
        table = Table()
        known = replace(fixture, seed=game_seed(0, fixture.pair, fixture.first_color))
        assert table.play(known).result.forfeit is None
        lost = table.play(fixture).result.forfeit
        assert lost is not None and "riddle" in lost.reason
    finally:
        secret.cache_clear()


def test_each_seat_has_a_seed_of_its_own_and_the_same_one_again() -> None:
    player = Submission(str(FILES / "honest" / "course_player.py"))
    seeds = []
    for color in (Color.BLACK, Color.WHITE, Color.BLACK):
        player.start(SIX, color, 5)
        assert player._game is not None
        seeds.append(player._game[2])
    player.close()
    assert seeds[0] == seeds[2] != seeds[1]
    assert 5 not in seeds


def test_the_secret_stays_and_is_for_us_alone(tmp_path: Path) -> None:
    program = "from outflank.arena.contest import secret; print(secret().hex())"
    environment = {**os.environ, "OUTFLANK_CACHE": str(tmp_path)}
    environment.pop("OUTFLANK_SECRET", None)
    command = [sys.executable, "-c", program]
    told = [subprocess.run(command, env=environment, capture_output=True, text=True).stdout for _ in range(2)]
    assert told[0] == told[1] and len(told[0]) == 65
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    assert {path.name for path in tmp_path.iterdir() if path.is_file()} == {"secret"}


def test_a_file_that_is_replaced_during_a_game_has_no_result(tmp_path: Path) -> None:
    file = tmp_path / "player.py"
    text = (FILES / "honest" / "course_player.py").read_text()
    file.write_text(text)
    openings = openings_named("start", SIX, 0)
    first, second = (Player.named(one) for one in (f"py:{file}", "random"))
    (game, *_) = pairing_fixtures(first, second, 1, Conditions(SIX, Limit(), openings.name, 0), openings, ())
    table = Table()
    assert table.play(game).result.forfeit is None
    file.write_text(text + "\n# another")
    with pytest.raises(ValueError, match="was changed while it played"):
        table.play(game)
    file.unlink()
    with pytest.raises(ValueError, match=r"there is no file|was changed"):
        table.play(game)
    table.close()


def test_a_game_goes_on_with_the_files_that_it_began_with(tmp_path: Path) -> None:
    file = tmp_path / "player.py"
    file.write_text((FILES / "honest" / "course_player.py").read_text())
    player = Submission(str(file))
    try:
        player.start(SIX, Color.BLACK, 0)
        file.write_text("broken(")
        player.close()  # as after a move that could not be stopped
        assert player.choose(Game(SIX), Limit()).move in Game(SIX).position.legal_moves
    finally:
        player.close()


# Honest ones


@pytest.mark.parametrize("file", [one for one in HONEST if "until_stopped" not in one.stem], ids=lambda file: file.stem)
def test_an_honest_submission_plays_to_the_end(file: Path) -> None:
    game, verdict, player = game_of(file, "start=60")
    assert verdict.forfeit is None
    assert game.is_over
    assert isinstance(player, Submission)
    assert player.interface == ("AI" if "course_ai" in file.stem else "Agent" if "agent" in file.stem else "AIPlayer")


@pytest.mark.parametrize("name", ["course_ai", "course_player", "our_agent"])
def test_the_same_seed_plays_the_same_game(name: str) -> None:
    file = FILES / "honest" / f"{name}.py"
    assert game_of(file, "start=60")[0].transcript == game_of(file, "start=60")[0].transcript


def test_when_the_time_is_up_the_last_candidate_counts() -> None:
    player = agent(f"py:{FILES / 'honest' / 'course_ai_until_stopped.py'},time=2")
    limit = Limit(time=2)
    game = Game(Position.from_text("-OX-OXXXOXOX-XX- X", Variant.named("4x4")))
    try:
        verdict = referee.play(game, [player, agent("greedy")], [limit, limit], 3)
    finally:
        player.close()
    assert verdict.forfeit is None
    assert game.position.is_over


def test_a_candidate_counts_also_where_compiled_code_goes_on_and_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission, "REHEARSAL_SECONDS", 0.5)  # it does not come to an end either
    file = tmp_path / "compiled.py"
    file.write_text(
        "from numba import njit\n"
        "@njit\n"
        "def search(turns):\n"
        "    number = 0.0\n"
        "    while number < turns: number = 1.0 + number / 2\n"
        "    return number\n"
        "class AI:\n"
        "    def __init__(self, size, color, time_out):\n"
        "        search(1.5)\n"
        "        self.candidate_list = []\n"
        "    def go(self, board):\n"
        "        self.candidate_list.clear()\n"
        "        self.candidate_list.append((2, 3))\n"
        "        search(3.0)\n"
    )
    player = Submission(str(file))
    try:
        player.expect(Limit(time=3.0))
        player.start(OTHELLO, Color.BLACK, 0)
        assert player.choose(Game(), Limit(time=3.0)).move == 19
    finally:
        player.close()


def test_a_candidate_counts_also_where_the_player_cannot_be_stopped(tmp_path: Path) -> None:
    file = tmp_path / "deaf.py"
    file.write_text(
        "import signal, time\n"
        "class AI:\n"
        "    def __init__(self, size, color, time_out):\n"
        "        signal.signal(signal.SIGUSR2, signal.SIG_IGN)\n"
        "        self.candidate_list = []\n"
        "    def go(self, board):\n"
        "        signal.signal(signal.SIGUSR2, signal.SIG_IGN)\n"
        "        self.candidate_list = [(2, 3)]\n"
        "        while True: time.sleep(1)\n"
    )
    player = Submission(str(file))
    try:
        player.expect(Limit(time=3.0))
        player.start(OTHELLO, Color.BLACK, 0)
        assert player.choose(Game(), Limit(time=3.0)).move == 19
        assert player._process is None, "its process was ended"
        assert player.choose(Game(), Limit(time=3.0)).move == 19, "and begun anew"
    finally:
        player.close()


def test_the_limits_are_those_of_the_course_unless_others_are_said(tmp_path: Path) -> None:
    file = tmp_path / "asks.py"
    file.write_text(
        "class AI:\n"
        "    def __init__(self, size, color, time_out):\n"
        "        assert (size, color, time_out) == WANTED, (size, color, time_out)\n"
        "        self.candidate_list = [(2, 3)]\n"
        "    def go(self, board):\n"
        "        assert board.shape == (8, 8) and board[3][3] == board[4][4] == 1 and board[3][4] == -1\n"
    )
    text = file.read_text()
    for wanted, limit, color in (("(8, -1, 5)", Limit(), 0), ("(8, 1, 7.5)", Limit(time=7.5), 1)):
        file.write_text(text.replace("WANTED", wanted))
        player = Submission(str(file))
        try:
            player.expect(limit)
            player.start(OTHELLO, Color(color), 0)
            assert player.choose(Game(), limit).move == 19
            assert player._allowed(limit) == (limit.time or 5.0)
            player._spent = 178.0
            assert player._allowed(limit) == (limit.time or 2.0)
        finally:
            player.close()


def test_three_wrong_answers_in_a_row_lose_and_two_do_not(tmp_path: Path) -> None:
    file = tmp_path / "third.py"
    file.write_text(
        "class AIPlayer:\n"
        "    def __init__(self, color):\n"
        "        self.color, self.asked = color, 0\n"
        "    def get_move(self, board):\n"
        "        self.asked += 1\n"
        "        return 'A1' if self.asked % 3 else next(board.get_legal_actions(self.color))\n"
    )
    assert game_of(file, "start=10")[1].forfeit is None


def test_a_long_file_gets_no_memory_for_its_length(tmp_path: Path) -> None:
    """What it takes to read it is over before its own memory is counted, and is not charged to it either."""
    player = (FILES / "honest" / "course_player.py").read_text()
    bases, used = [], []
    for name, table in (("short", ""), ("long", f"TABLE = [{'1,' * 480_000}]\n"), ("comment", "#" * 960_000 + "\n")):
        file = tmp_path / f"{name}.py"
        file.write_text(table + player)
        long = Submission(str(file))
        try:
            long.start(SIX, Color.BLACK, 0)
            assert long._process is not None
            bases.append(long._process._base / MEGABYTE)
            used.append(long.memory_megabytes)
        finally:
            long.close()
    assert max(bases) - min(bases) < 1, bases
    assert max(used) < 20, used


def test_a_class_can_be_named(tmp_path: Path) -> None:
    file = tmp_path / "two.py"
    body = "(Agent):\n    def choose(self, game, limit):\n        return Report(game.position.legal_moves[{}])\n"
    file.write_text(
        "from outflank import Report\nfrom outflank.agents.agent import Agent\n"
        f"class First{body.format(0)}class Last{body.format(-1)}"
    )
    moves = []
    for name in ("First", "Last"):
        player = Submission(f"{file}:{name}")
        try:
            player.start(OTHELLO, Color.BLACK, 0)
            moves.append(player.choose(Game(), Limit()).move)
        finally:
            player.close()
    assert moves == [19, 44]
    with pytest.raises(ForfeitError, match="several players"):
        Submission(str(file)).start(OTHELLO, Color.BLACK, 0)


def test_what_is_wrong_with_a_file_is_said_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no file"):
        agent(f"py:{tmp_path / 'none.py'}")


def test_a_file_that_is_too_large_forfeits_and_stops_nobody(tmp_path: Path) -> None:
    large = tmp_path / "large.py"
    large.write_text("#" * (1 << 21))
    with pytest.raises(ForfeitError, match="crash: its file is larger than 1 MB"):
        Submission(str(large)).start(OTHELLO, Color.BLACK, 0)


@pytest.mark.parametrize("ending", ["stop", "clear_board", "quit"])
def test_a_submission_that_thinks_behind_gtp_is_stopped_at_once(tmp_path: Path, ending: str) -> None:
    file = tmp_path / "thinks.py"
    file.write_text(
        "import time\n"
        "class AIPlayer:\n"
        "    def __init__(self, color): pass\n"
        "    def get_move(self, board): time.sleep(1000)\n"
    )
    began = threading.Event()
    talk = Talk(GtpEngine, partial(Endless, began, f"py:{file}"))
    talk.send("1 genmove b")
    assert began.wait(120)
    talk.send(f"2 {ending}")
    assert talk.line() == "?1 time: it was stopped before it had an answer"
    assert talk.line() == ""
    assert talk.line().startswith("=2")
    talk.end()


def test_what_a_course_ai_has_when_it_is_stopped_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Enclosed] = []
    ask = Enclosed.ask

    def noted(self: Enclosed, *arguments: Any, **options: Any) -> Any:
        asked.append(self)
        return ask(self, *arguments, **options)

    monkeypatch.setattr(Enclosed, "ask", noted)
    file = tmp_path / "thinks.py"
    file.write_text(
        "import time\n"
        "class AI:\n"
        "    def __init__(self, size, color, time_out): pass\n"
        "    def go(self, board):\n"
        "        self.candidate_list = [(2, 3)]\n"
        "        time.sleep(1000)\n"
    )
    began = threading.Event()
    talk = Talk(GtpEngine, partial(Endless, began, f"py:{file}"))
    talk.send("genmove b")
    assert began.wait(120)
    until = time.monotonic() + 120
    while asked[-1].noted.last is None and time.monotonic() < until:  # it has not come so far yet
        time.sleep(0.01)
    talk.send("stop")
    assert talk.line() == "= d3"
    talk.end()
    asked.clear()  # who is forgotten is closed


# Without protection


def test_missing_protection_must_be_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ACCEPTED, raising=False)
    monkeypatch.setattr(enclosure, "_tried", lambda how: "not today")
    enclosure.strongest.cache_clear()
    try:
        with pytest.raises(ValueError, match=r"not today.*your files.*network.*--unsafe"):
            agent(f"py:{FILES / 'honest' / 'course_player.py'}")
        monkeypatch.setenv(ACCEPTED, "1")
        assert game_of(FILES / "honest" / "course_player.py")[1].forfeit is None
        for name in ("endless_loop", "fork_bomb", "leaves", "allocates_10_gb", "kills_everybody"):
            _, verdict, _ = game_of(FILES / "hostile" / f"{name}.py", f"time={0.4 if name == 'endless_loop' else 60}")
            assert verdict.forfeit is not None
            assert verdict.forfeit.reason.startswith(header(FILES / "hostile" / f"{name}.py", "forfeits"))
    finally:
        enclosure.strongest.cache_clear()


@pytest.mark.parametrize(("said", "meant"), [("0", False), ("no", False), ("", False), ("1", True), ("Yes", True)])
def test_only_a_yes_accepts_it(said: str, meant: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ACCEPTED, said)
    assert accepted() is meant


@pytest.mark.parametrize("command", ["match", "tournament", "check", "move", "play", "gtp", "nboard"])
def test_every_command_that_plays_has_the_same_switch(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ACCEPTED, "")
    players = [] if command in ("gtp", "nboard", "move") else ["greedy", "greedy"]
    CliRunner().invoke(app, [command, "--unsafe", "--variant", "no such game", *players])
    assert os.environ[ACCEPTED] == "1"


def test_a_mac_has_no_protection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    enclosure.strongest.cache_clear()
    try:
        best = enclosure.strongest()
        assert best.how == "bare"
        assert len(best.missing) == 3
    finally:
        enclosure.strongest.cache_clear()


# The end of everything


@pytest.mark.parametrize("how", [*BOTH, "bare"])
def test_nothing_outlives_a_referee_that_is_killed(how: str) -> None:
    with enclosed_by(how):
        pass  # or skipped
    program = (
        "from outflank.agents.sandbox import enclosure;"
        f"enclosure.strongest = lambda: enclosure.Enclosure({how!r});"
        "from outflank.agents.submission import Submission; from outflank.board.game import Game;"
        "from outflank.board.variant import OTHELLO; from outflank.board.squares import Color;"
        "from outflank.search.limits import Limit;"
        f"player = Submission({str(FILES / 'hostile' / 'ignores_signals.py')!r});"
        "player.start(OTHELLO, Color.BLACK, 0); print('ready', flush=True); player.choose(Game(), Limit(time=60))"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as referee_process:
        assert referee_process.stdout is not None
        assert referee_process.stdout.readline() == "ready\n"
        assert left_behind(0), "a guard and a guest are at work"
        referee_process.kill()
    assert not left_behind()


@pytest.mark.parametrize("how", BOTH)
def test_nothing_outlives_a_guard_that_is_killed(how: str) -> None:
    with enclosed_by(how):
        player = Submission(str(FILES / "honest" / "course_player.py"))
    try:
        player.start(OTHELLO, Color.BLACK, 0)
        assert player._process is not None
        player._process._guard.send_signal(signal.SIGKILL)
        assert player._process._handle is not None
        assert select.select([player._process._handle], [], [], 60)[0], "the kernel ends the guest"
        with pytest.raises(MachineError, match="ended from outside"):
            player.choose(Game(), Limit(time=5))
    finally:
        player.close()


def test_the_processor_time_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = FILES / "hostile" / "endless_loop.py"
    player = Submission(str(file))
    monkeypatch.setattr(Submission, "_quota", lambda *_: Quota(cpu_seconds=5))  # its libraries count
    try:
        player.start(OTHELLO, Color.BLACK, 0)
        with pytest.raises(ForfeitError, match=r"^time: it used \d+ s of processor time"):
            player.choose(Game(), Limit(time=300))
    finally:
        player.close()


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may enter; pytest's own are closed again by whoever runs it next."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def as_nobody(folder: Path) -> tuple[list[str], dict[str, str]]:
    """A Python that runs as nobody, with its environment and a copy of the files: run as root, the tests show nothing
    about others."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become nobody; for anybody else every test here is this one")
    nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    shutil.copytree(compiled.cache_folder(), folder / compiled.cache_folder().name)
    shutil.copytree(FILES, folder / FILES.name)
    shutil.copy(Path(__file__).with_name("enclosed.py"), folder)
    for place in (folder, *folder.rglob("*")):
        place.chmod(0o777 if place.is_dir() else 0o666)
    libraries = os.pathsep.join([*enclosure._library_folders(), str(enclosure.SOURCES), str(folder)])
    environment = {"PYTHONPATH": libraries, "OUTFLANK_CACHE": str(folder), "PATH": os.environ["PATH"], "HOME": "/"}
    environment["TMPDIR"] = os.environ["TMPDIR"]
    for python in (enclosure.interpreter(), shutil.which("python3", path="/usr/bin") or ""):
        trial = [
            *nobody,
            python,
            "-c",
            f"import outflank, numba, os, sys; assert sys.version_info[:2] == {sys.version_info[:2]};"
            " assert os.access(sys.executable, os.X_OK)",
        ]
        if python and subprocess.run(trial, env=environment, capture_output=True).returncode == 0:
            return [*nobody, python], environment
    pytest.skip("nobody may not run any Python that has our libraries")


def test_an_ordinary_user_is_protected_too(public: Path) -> None:
    python, environment = as_nobody(public)
    command = [*python, "-m", "outflank", "match", "--games", "2", "--jobs", "1", "--variant", "6x6", "--json"]
    for name, wanted in (
        ("honest/course_player", ""),
        ("hostile/fork_bomb", "forbidden"),
        ("hostile/thread_bomb", "forbidden"),
    ):
        player = f"py:{public / FILES.name / name}.py"
        done = subprocess.run([*command, player, "random"], env=environment, capture_output=True, text=True, cwd=public)
        assert done.returncode == 0, done.stderr
        assert (f'"reason": "{wanted}' if wanted else '"forfeits": []') in done.stdout


ORDINARY = """
import sys
from enclosed import FILES, enclosed_by, game_of
for how in ("namespaces", "bare"):
    with enclosed_by(how):
        for name in sys.argv[1:]:
            print(how, name, game_of(FILES / "hostile" / f"{name}.py")[1].forfeit.reason[:26])
"""


def test_the_same_calls_are_refused_to_an_ordinary_user(public: Path) -> None:
    python, environment = as_nobody(public)
    done = subprocess.run(
        [*python, "-c", ORDINARY, *REFUSED_CALLS], env=environment, capture_output=True, text=True, cwd=public
    )
    assert done.stdout.splitlines() == [
        f"{how} {name} forbidden: PermissionError" for how in ("namespaces", "bare") for name in REFUSED_CALLS
    ], done.stderr


WHO = """
import sys
from pathlib import Path
from enclosed import FILES, SIX, enclosed_by
from outflank.agents.submission import Submission
from outflank.board.squares import Color
for how in sys.argv[1:]:
    with enclosed_by(how):
        player = Submission(str(FILES / "honest" / "course_player.py"))
        player.start(SIX, Color.BLACK, 0)
        print(how, Path(f"/proc/{player._process._pid}/status").read_text().partition("Uid:")[2].split()[0])
        player.close()
"""


def test_root_is_dropped_as_far_as_others_can_read_what_a_guest_needs(public: Path) -> None:
    python, environment = as_nobody(public)
    command = [python[-1], "-c", WHO, "namespaces", "bare"]

    def users() -> list[str]:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=public)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    assert users() == ["namespaces 65534", "bare 65534"]
    (public / compiled.cache_folder().name).chmod(0o700)
    assert users() == ["namespaces 0", "bare 0"], "a guest that could not import anything would lose every game"


GAME = """
from enclosed import HONEST, game_of
game, verdict, _ = game_of(HONEST[0])
print(game.is_over, verdict.forfeit)
"""


def test_a_submission_plays_for_a_process_with_more_than_a_thousand_open_files() -> None:
    assert printed_by(GAME) == "True None\n"
