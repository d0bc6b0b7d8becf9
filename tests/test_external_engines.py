"""Other programs as players: honest ones play as the rest do, and no other harms anybody but itself."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from conversing import OUTFLANK, Endless, Talk
from crowded import printed_by
from enclosed import never_still

from outflank import match
from outflank.agents.spec import agent, parse
from outflank.arena import referee
from outflank.arena.contest import Fixture, Opening, Player
from outflank.arena.record import GameRecord
from outflank.arena.session import check_players
from outflank.arena.table import Table
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import OTHELLO, Variant
from outflank.protocols import host
from outflank.protocols.child import CannotPlayError, Child, EngineError
from outflank.protocols.gtp import GtpEngine
from outflank.protocols.gtphost import GtpHost
from outflank.protocols.host import Host
from outflank.protocols.lines import LONGEST_LINE, LineBuffer
from outflank.protocols.nboardhost import NBoardHost
from outflank.search.limits import Clock, Limit, Report

FOUR = Variant.named("4x4")
HOSTILE = Path(__file__).parent / "hostile_engine.py"
GTP, NBOARD = f"gtp:{OUTFLANK} gtp", f"nboard:{OUTFLANK} nboard"
FFO = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


def ask(engine: Host, position: Position, limit: Limit) -> Report:
    engine.begin(position.variant)
    return engine.choose(Game(position), limit)


def wait_until_gone(group: int) -> None:
    """A killed group is gone when its last process has been reaped."""
    for _ in range(6000):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    raise AssertionError(f"the processes of group {group} are left behind")


TALKS = """
import time
from contextlib import closing
from conversing import said
from outflank.protocols.child import Child
from outflank.protocols.gtp import GtpEngine
with closing(Child("cat")) as child:
    child.send("a line", time.perf_counter() + 60)
    print(child.line(time.perf_counter() + 60))
print(said(GtpEngine, "genmove black\\n").split()[0])
"""


def test_both_sides_talk_in_a_process_with_more_than_a_thousand_open_files() -> None:
    assert printed_by(TALKS) == "a line\n=\n"


def test_our_gtp_engine_plays_our_nboard_engine_without_a_forfeit() -> None:
    gtp, nboard = f"{GTP} --agent alphabeta:depth=2", f"{NBOARD} --agent alphabeta"
    result = match(gtp, nboard, games=4, limit=Limit(depth=3), seed=4)
    assert result.games == 4
    assert not result.forfeits
    inside = match("alphabeta:depth=2", "alphabeta:depth=3", games=4, seed=4)
    assert (result.score, result.margin) == (inside.score, inside.margin), "protocols change nothing about the games"


def test_a_store_knows_engines_by_their_specs(tmp_path: Path) -> None:
    played: list[int] = []
    for _ in range(2):
        result = match(
            'gtp:"exit 3, now",patience=5',
            "random",
            games=2,
            store=tmp_path / "games.db",
            progress=lambda _, games: played.append(games),
        )
        assert result.games == 2
        assert {forfeit.reason.partition(":")[0] for forfeit in result.forfeits} == {"crash"}
    assert max(played) == 2, "none was played again"
    assert len(played) <= 2


@pytest.mark.parametrize("variant", ["reversed-6x6", "5x7", "reversed-4x6", "othello-mirrored", "6x6-parallel"])
def test_other_variants_through_gtp(variant: str) -> None:
    rules = Variant.named(variant)
    with_gtp, directly = agent(f"{GTP} --agent alphabeta:depth=1"), agent("alphabeta:depth=1")
    games = []
    for player in (with_gtp, directly):
        game = Game(rules)
        verdict = referee.play(game, [player, agent("greedy")], (Limit(), Limit()), 0)
        assert verdict.forfeit is None
        games.append(game.moves)
    with_gtp.close()
    assert games[0] == games[1]


def test_other_variants_through_nboard_where_the_user_says_so() -> None:
    player = agent(f"{NBOARD} --agent greedy,variants=yes")
    game = Game(Variant.named("reversed-6x6"))
    assert referee.play(game, [player, agent("random")], (Limit(), Limit()), 0).forfeit is None
    player.close()


@pytest.mark.parametrize(
    ("spec", "variant", "why"),
    [
        (f"{NBOARD} --agent greedy", "6x6", "variants=yes"),
        (f"{NBOARD} --agent greedy,variants=yes", "5x7", "square boards"),
        ("gtp:printf '=\\n\\n=\\n\\n? unacceptable size\\n\\n'; sleep 100", "6x6", "unacceptable size"),
        ("gtp:printf '=\\n\\n? what\\n\\n'; sleep 100", "reversed", "what"),
    ],
)
def test_an_engine_that_does_not_know_a_game_is_refused_before_the_match(spec: str, variant: str, why: str) -> None:
    with pytest.raises(CannotPlayError, match=why):
        check_players([Player.named(spec), Player("random")], Variant.named(variant))


def test_an_engine_that_cannot_be_started_does_not_stop_the_others() -> None:
    check_players([Player.named("gtp:no-such-program"), Player("random")], OTHELLO)


@pytest.mark.parametrize("spec", ["gtp:no-such-program", "nboard:no-such-program --agent x"])
def test_a_match_with_a_program_that_does_not_exist_is_refused(spec: str) -> None:
    with pytest.raises(ValueError, match=r"could not be started.*not found"):
        match(spec, "random", games=2)


def test_an_engine_that_floods_instead_of_answering_is_not_waited_for() -> None:
    record = game_between("gtp:yes,patience=500", "random", Table(), Limit())
    assert record.result.forfeit is not None
    assert record.result.forfeit.reason.startswith("crash: EngineError: the engine wrote more than 100,000 lines")


def test_any_position_can_be_asked_about() -> None:
    positions = [Position.from_text(FFO), Position.from_text(FFO.replace(" X", " O")), Position.start()]
    player = agent("alphabeta:depth=4")
    with (
        closing(GtpHost(f"{OUTFLANK} gtp --agent alphabeta:depth=4")) as gtp,
        closing(NBoardHost(f"{OUTFLANK} nboard --agent alphabeta")) as nboard,
    ):
        for position in positions:
            wanted = player.choose(Game(position), Limit())
            report = ask(gtp, position, Limit())
            assert report.move == wanted.move
            assert report.score is None and report.seconds > 0
            report = ask(nboard, position, Limit(depth=4))
            assert report.move == wanted.move
            assert report.score == pytest.approx(wanted.score, abs=0.005)
            assert (report.depth, report.nodes, report.pv) == (4, wanted.nodes, wanted.pv)


def test_an_engine_that_ignores_the_discs_of_a_file_is_found_out() -> None:
    deaf = "while read line; do case $line in play*) printf '? illegal move\\n\\n';; *) printf '=\\n\\n';; esac; done"
    with closing(GtpHost(deaf)) as host, pytest.raises(CannotPlayError, match="another position"):
        ask(host, Position.from_text(FFO), Limit())


def recorded(tmp_path: Path, answer: str) -> tuple[str, Path]:
    """A command that answers every line alike and writes down what it was told."""
    file = tmp_path / "told"
    return f'while read -r line; do echo "$line" >>{file}; {answer}; done', file


def test_gtp_engines_are_told_the_time(tmp_path: Path) -> None:
    command, file = recorded(tmp_path, "case $line in gen*) printf '= f5\\n\\n';; *) printf '=\\n\\n';; esac")
    for limit in (Limit(time=0.5), Limit(clock=Clock(60, 0.5)), Limit(clock=Clock(9.25)), Limit(depth=3)):
        with closing(GtpHost(command)) as host:
            ask(host, Position.start(), limit)
    told = [line for line in file.read_text().splitlines() if line.startswith("time")]
    assert told == [
        "time_settings 0.5 0.5 1",
        "time_left b 0.5 1",
        "time_settings 60 0.5 1",
        "time_left b 60 0",
        "time_settings 9.25 0 0",
        "time_left b 9.25 0",
    ]


def test_an_engine_that_reads_only_whole_seconds_gets_them(tmp_path: Path) -> None:
    command, file = recorded(
        tmp_path, "case $line in gen*) printf '= f5\\n\\n';; *.*) printf '? no\\n\\n';; *) printf '=\\n\\n';; esac"
    )
    with closing(GtpHost(command)) as host:
        assert ask(host, Position.start(), Limit(time=2.5)).move == Game().push("f5").move
    assert "time_left b 2 1" in file.read_text().splitlines()


def test_nboard_engines_are_told_depth_and_time(tmp_path: Path) -> None:
    command, file = recorded(
        tmp_path, "case $line in ping*) echo pong ${line#ping };; go) echo '=== F5 -1.00 0.0';; esac"
    )
    with closing(NBoardHost(command)) as host:
        for limit in (Limit(), Limit(depth=5), Limit(time=2), Limit(clock=Clock(90.5))):
            assert ask(host, Position.start(), limit).score == -1
    told = file.read_text().splitlines()
    assert [line for line in told if "depth" in line] == ["set depth 12", "set depth 5", "set depth 60"]
    games = [line for line in told if line.startswith("set game")]
    assert ["TI[" in line for line in games] == [False] * 5 + [True, False, True], "each after a game that only begins"
    assert "TI[01:00]" in games[5] and "TI[01:30]" in games[7]


def test_an_nboard_engine_that_thinks_too_long_is_stopped_by_a_ping() -> None:
    with closing(NBoardHost(f"{OUTFLANK} nboard --agent minimax:depth=40")) as host:
        host.begin(OTHELLO)
        assert host.choose(Game(), Limit(time=0.3)).move in Game().position.legal_moves
        assert host.choose(Game(), Limit(clock=Clock(3.0))).move in Game().position.legal_moves


def test_an_engine_behind_an_engine_can_be_interrupted() -> None:
    for spec in (f"{NBOARD} --agent minimax:depth=40", f"{GTP} --agent minimax:depth=40"):
        began = threading.Event()

        talk = Talk(GtpEngine, partial(Endless, began, spec))
        talk.send("genmove b")
        assert began.wait(120)
        talk.send("stop")
        assert talk.line().startswith("= ")
        talk.end()


# Hostile engines


def game_between(first: str, second: str, table: Table, limit: Limit) -> GameRecord:
    fixture = Fixture(Player(first), Player(second), 0, Color.BLACK, FOUR, Opening(), limit, 1)
    return table.play(fixture)


@pytest.mark.parametrize("protocol", ["gtp", "nboard"])
@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("silent", "time: the engine gave no answer"),
        ("deaf", "time: the engine gave no answer"),
        ("breeds", "time: the engine gave no answer"),
        ("loud", "time: the engine gave no answer"),
        ("endless lines", "time: the engine gave no answer"),
        ("dies", "crash: EngineError: the engine ended with exit code 3: out of luck"),
        ("killed", "crash: EngineError: the engine was ended by SIGSEGV"),
        ("endless line", f"crash: EngineError: the engine wrote a line of more than {LONGEST_LINE:,} bytes"),
        ("garbage", "illegal move: 'zz' is not a square"),
        ("illegal", "illegal move: "),
        ("resigns", "illegal move: the engine resigned"),
    ],
)
def test_a_hostile_engine_forfeits_with_its_reason_and_is_restarted(
    protocol: str, how: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never_still(monkeypatch)
    spec = f"{protocol}:\"{sys.executable} {HOSTILE} {protocol} '{how}' {tmp_path}\""
    if protocol == "nboard":
        spec += ",variants=yes"
    table = Table()
    # Whoever does not lose by the time has plenty: a busy machine must not change the reason.
    record = game_between(spec, "random", table, Limit(time=0.4 if reason.startswith("time") else 60))
    assert record.result.forfeit is not None
    assert record.result.forfeit.color is Color.BLACK
    assert record.result.forfeit.reason.startswith(reason)
    honest = protocol == "gtp" and how in ("silent", "dies", "garbage")
    if honest:
        assert game_between(spec, "random", table, Limit(time=60)).result.forfeit is None, "it is honest now"
    table.close()
    groups = {int(group) for group in (tmp_path / "groups").read_text().split()}
    assert len(groups) == 1 + honest
    for group in groups:
        wait_until_gone(group)


def test_an_engine_without_a_limit_has_its_users_patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    never_still(monkeypatch)
    spec = f'gtp:"{sys.executable} {HOSTILE} gtp silent {tmp_path}",patience=0.5'
    record = game_between(spec, "random", Table(), Limit())
    assert record.result.forfeit is not None and record.result.forfeit.reason.startswith("time")
    assert game_between("gtp:sleep 100,patience=0.2", "random", Table(), Limit()).result.forfeit is not None


@pytest.mark.parametrize("kind", [GtpHost, NBoardHost])
def test_a_program_that_never_says_anything_costs_its_patience_once(
    kind: type[Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "LEAST_PATIENCE", 0.05)
    engine = kind(f"sleep 100; : {kind.__name__}", patience=1.0)  # a command that nobody knows yet
    waited = []
    for _ in range(4):
        waited.append(engine.patience)
        with pytest.raises(TimeoutError, match="the engine gave no answer in"):
            engine.begin(OTHELLO)
    assert waited == [1.0, 0.1, 0.05, 0.05]
    assert kind(engine.command, patience=0.01).patience == 0.01, "nobody waits longer than the user wants"


def test_an_engine_that_has_moved_keeps_its_users_patience() -> None:
    engine = GtpHost(f"{OUTFLANK} gtp --agent greedy", patience=60)
    host.REPUTATION.silent(engine.command)
    assert engine.patience == 6
    with closing(engine):
        ask(engine, Position.start(), Limit())
    host.REPUTATION.silent(engine.command)
    assert engine.patience == 60


def test_an_engine_dies_with_us() -> None:
    code = (
        "import time; from outflank.protocols.child import Child\n"
        "child = Child('trap \"\" TERM HUP; sleep 1000 & sleep 1000'); print(child.pid, flush=True); time.sleep(1000)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    group = int(parent.stdout.readline())
    os.killpg(group, 0)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    wait_until_gone(group)


def test_a_child_is_spoken_to_and_ended() -> None:
    soon = time.perf_counter() + 120
    with closing(Child("cat")) as child:
        child.send("hello", soon)
        assert child.line(soon) == "hello"
        assert child.is_alive
    assert not child.is_alive
    wait_until_gone(child.pid)
    with closing(Child("exit 4")) as child, pytest.raises(EngineError, match="exit code 4"):
        child.line(soon)
    with closing(Child("sleep 100")) as child:
        with pytest.raises(TimeoutError):
            child.line(time.perf_counter() + 0.05)
        with pytest.raises(TimeoutError):  # more than a pipe holds, and nobody reads it
            child.send("x" * 1_000_000, time.perf_counter() + 0.05)
        child.close("quit")


def test_lines_are_cut_where_they_become_too_long() -> None:
    buffer = LineBuffer()
    assert buffer.feed(b"one\r\ntwo\nthr") == ["one", "two"]
    assert buffer.feed(b"ee\n\xff\n") == ["three", "�"]
    assert not buffer.overlong
    for _ in range(40):
        assert buffer.feed(b"x" * (LONGEST_LINE // 20)) == []
    assert buffer.overlong
    assert [len(line) for line in buffer.feed(b"\nshort")] == [LONGEST_LINE]
    assert buffer.rest() == "short"


@pytest.mark.parametrize(
    "spec",
    [
        'gtp:"edax -gtp, -q",patience=5,time=1',
        "nboard:cd /x && ./ntest x,depth=3",
        "gtp:sh -c 'a \"b\" c'",
        "nboard:x,patience=9,variants=yes,time=2,openings=4",
    ],
)
def test_specs_of_engines_survive_being_written(spec: str) -> None:
    assert parse(str(parse(spec))) == parse(spec)
    assert Player.named(spec) == Player.named(str(parse(spec)))
