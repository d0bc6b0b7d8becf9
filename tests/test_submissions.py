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
from functools import partial
from multiprocessing import resource_tracker
from pathlib import Path

import pytest
from conversing import Endless, Talk
from crowded import printed_by
from enclosed import FILES, HONEST, HOSTILE, SIX, enclosed_by, game_of, header, left_behind, needs_enclosure
from typer.testing import CliRunner

from outflank.agents.agent import ForfeitError
from outflank.agents.sandbox import enclosure
from outflank.agents.sandbox.consent import ACCEPTED
from outflank.agents.sandbox.restrictions import Quota
from outflank.agents.spec import agent
from outflank.agents.submission import Submission
from outflank.arena import referee
from outflank.arena.contest import Conditions, Player
from outflank.arena.openings import openings_named
from outflank.arena.store import Store
from outflank.arena.tournament import Plan, Tournament
from outflank.board import compiled
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import OTHELLO, Variant
from outflank.cli.main import app
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


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    needs_enclosure()
    resource_tracker.ensure_running()  # what Python itself keeps open is there before we count
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    folders = set(Path(tempfile.gettempdir()).glob("outflank-submission-*"))
    yield
    assert not left_behind()
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors
    assert not set(Path(tempfile.gettempdir()).glob("outflank-submission-*")) - folders


# Hostile ones


@pytest.mark.parametrize("file", HOSTILE, ids=lambda file: file.stem)
def test_a_hostile_submission_forfeits_with_the_right_reason(file: Path) -> None:
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


PROBE = """
import ctypes, os, socket, sys
from outflank import Report
from outflank.agents.agent import Agent

def attempts():
    libc = ctypes.CDLL(None, use_errno=True)
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
    for number in range(5, 64):
        yield "descriptor %d" % number, lambda: os.fstat(number)

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
    player = agent(f"py:{FILES / 'honest' / 'course_ai_until_stopped.py'},time=0.2")
    limit = Limit(time=0.2)
    game = Game(Variant.named("4x4"))
    try:
        verdict = referee.play(game, [player, agent("greedy")], [limit, limit], 3)
    finally:
        player.close()
    assert verdict.forfeit is None
    assert game.position.is_over


def test_a_candidate_counts_also_where_compiled_code_goes_on_and_on(tmp_path: Path) -> None:
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
        player.expect(Limit(time=1.0))
        player.start(OTHELLO, Color.BLACK, 0)
        assert player.choose(Game(), Limit(time=1.0)).move == 19
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
        player.expect(Limit(time=0.3))
        player.start(OTHELLO, Color.BLACK, 0)
        assert player.choose(Game(), Limit(time=0.3)).move == 19
        assert player._process is None, "its process was ended"
        assert player.choose(Game(), Limit(time=1.5)).move == 19, "and begun anew"
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
    for wanted, limit, color in (("(8, -1, 5)", Limit(), 0), ("(8, 1, 0.5)", Limit(time=0.5), 1)):
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
    with pytest.raises(ForfeitError, match="several agents"):
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
    assert began.wait(60)
    talk.send(f"2 {ending}")
    assert talk.line() == "?1 time: it was stopped before it had an answer"
    assert talk.line() == ""
    assert talk.line().startswith("=2")
    talk.end()


def test_what_a_course_ai_has_when_it_is_stopped_is_played(tmp_path: Path) -> None:
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
    assert began.wait(60)
    time.sleep(2.0)
    talk.send("stop")
    assert talk.line() == "= d3"
    talk.end()


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
        time.sleep(0.3)
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
        assert select.select([player._process._handle], [], [], 10)[0], "the kernel ends the guest"
        with pytest.raises(ForfeitError, match="crash"):
            player.choose(Game(), Limit(time=5))
    finally:
        player.close()


def test_the_processor_time_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = FILES / "hostile" / "endless_loop.py"
    player = Submission(str(file))
    monkeypatch.setattr(Submission, "_quota", lambda *_: Quota(cpu_seconds=1))
    try:
        player.start(OTHELLO, Color.BLACK, 0)
        with pytest.raises(ForfeitError, match=r"^time: it used \d s of the processor"):
            player.choose(Game(), Limit(time=300))
    finally:
        player.close()


def test_an_ordinary_user_is_protected_too(tmp_path: Path) -> None:
    """Run as root, the tests show nothing about others: here the user is nobody."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become nobody; for anybody else every test here is this one")
    nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    libraries = os.pathsep.join([*enclosure._library_folders(), str(enclosure.SOURCES)])
    kernels = tmp_path / compiled.cache_folder().name
    shutil.copytree(compiled.cache_folder(), kernels)
    files = tmp_path / "files"
    shutil.copytree(FILES, files)
    for place in (tmp_path, *tmp_path.parents, *tmp_path.rglob("*")):
        if place.is_relative_to("/tmp") and place != Path("/tmp"):
            place.chmod(0o777 if place.is_dir() else 0o666)
    environment = {"PYTHONPATH": libraries, "OUTFLANK_CACHE": str(tmp_path), "PATH": os.environ["PATH"], "HOME": "/"}
    for python in (enclosure.interpreter(), shutil.which("python3", path="/usr/bin") or ""):
        trial = [
            *nobody,
            python,
            "-c",
            f"import outflank, numba, os, sys; assert sys.version_info[:2] == {sys.version_info[:2]};"
            " assert os.access(sys.executable, os.X_OK)",
        ]
        if python and subprocess.run(trial, env=environment, capture_output=True).returncode == 0:
            break
    else:
        pytest.skip("nobody may not run any Python that has our libraries")
    command = [*nobody, python, "-m", "outflank", "match", "--games", "2", "--jobs", "1", "--variant", "6x6", "--json"]
    for name, wanted in (
        ("honest/course_player", ""),
        ("hostile/fork_bomb", "crash"),
        ("hostile/thread_bomb", "crash"),
    ):
        done = subprocess.run(
            [*command, f"py:{files / name}.py", "random"], env=environment, capture_output=True, text=True, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        assert (f'"reason": "{wanted}' if wanted else '"forfeits": []') in done.stdout


GAME = """
from enclosed import HONEST, game_of
game, verdict, _ = game_of(HONEST[0])
print(game.is_over, verdict.forfeit)
"""


def test_a_submission_plays_for_a_process_with_more_than_a_thousand_open_files() -> None:
    assert printed_by(GAME) == "True None\n"
