"""Our side as an NBoard engine: sessions as the protocol describes them, and lines that no host should send."""

import queue
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from random import Random

import pytest
from conversing import Endless, Ponderer, Recorder, Talk, said
from hypothesis import given
from hypothesis import strategies as st

from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.squares import PASS, Color, square_name
from outflank.board.variant import Variant
from outflank.formats import ggf
from outflank.protocols.nboard import NBoardEngine, _clock
from outflank.search.limits import Clock, Limit, Report

START = "---------------------------O*------*O--------------------------- *"
GAME = f"(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[a]PW[b]RE[?]TI[15:00]TY[8]BO[8 {START}]{{}};)"


def set_game(moves: str = "") -> str:
    return "set game " + GAME.format(
        "".join(f"{'BW'[ply % 2]}[{moves[2 * ply : 2 * ply + 2]}]" for ply in range(len(moves) // 2))
    )


def lines(text: str, spec: str = "alphabeta") -> list[str]:
    return said(NBoardEngine, text, spec).splitlines()


def test_the_session_of_the_protocol_document() -> None:
    answers = lines(f"nboard 2\n{set_game('F5F6D3C5E6F7E7F4')}\nset depth 6\nping 1\ngo\n")
    assert answers[:2] == ["set myname Outflank test", "pong 1"]
    assert answers[2] == "status Thinking"
    *told, move, status = answers[3:]
    searches, stats = ([line for line in told if line.startswith(kind)] for kind in ("search", "nodestats"))
    for depth, search in enumerate(searches, 1):
        assert re.fullmatch(rf"search [A-H1-8]+ -?\d+\.\d\d 0 {depth}", search)
    assert len(searches) == 6 and len(searches) + len(stats) == len(told)
    assert all(re.fullmatch(r"nodestats \d+ \d+\.\d\d", each) for each in stats)
    assert re.fullmatch(r"=== [A-H][1-8]/-?\d+\.\d\d/\d+\.\d\d", move)
    assert searches[-1].split()[1].startswith(move[4:6])
    assert status == "status"


def moves_of(answers: list[str]) -> list[str]:
    return [line[4:6] for line in answers if line.startswith("===")]


def test_the_engine_waits_for_the_host_to_make_its_move() -> None:
    asked = lines(f"nboard 2\nset depth 2\n{set_game('F5')}\ngo\ngo\nmove F6/0.5/1.2\ngo\n")
    alone = lines(f"nboard 2\nset depth 2\n{set_game('F5F6')}\ngo\n")
    first, again, after = moves_of(asked)
    assert first == again
    assert [after] == moves_of(alone)


def test_a_player_gets_ready_when_a_game_begins_and_keeps_what_it_knows_while_it_goes_on() -> None:
    told: list[str] = []
    talk = Talk(NBoardEngine, lambda: Recorder(told))
    talk.send("nboard 2", set_game("F5"), "ping 1")
    talk.until("pong")
    clock = f"expect {Limit(clock=Clock(900.0))}"
    assert told == [clock, "start othello"]
    talk.send("go")
    talk.until("===")
    talk.send(set_game("F5F4E3"), "ping 2")
    talk.until("pong")
    assert told == [clock, "start othello", "choose f5"]
    talk.send(set_game("D3"), "ping 3")
    talk.until("pong")
    assert told == [clock, "start othello", "choose f5", clock, "start othello"]
    talk.end()


def test_a_host_of_version_1_sends_bare_moves() -> None:
    first = moves_of(lines(f"nboard 1\nset depth 3\n{set_game()}\nF5\nD6\ngo\n"))
    assert first == moves_of(lines(f"nboard 2\nset depth 3\n{set_game()}\nmove f5\nmove d6//0.2\ngo\n"))


def test_hints_rate_as_many_moves_as_asked_best_first() -> None:
    answers = lines(f"nboard 2\nset depth 3\n{set_game('F5D6')}\nhint 4\n")
    last = [line.split() for line in answers if re.match(r"search .* 0 3$", line)]
    assert len(last) == 4
    assert len({line[1][:2] for line in last}) == 4
    scores = [float(line[2]) for line in last]
    assert scores == sorted(scores, reverse=True)
    played = lines(f"nboard 2\nset depth 3\n{set_game('F5D6')}\ngo\n")
    assert scores[0] == pytest.approx(float(played[-2].split("/")[1])), "the best hint is what it plays"
    assert len([line for line in lines(f"set depth 2\n{set_game()}\nhint 1\n") if line.startswith("search")]) == 1


def test_the_engine_gives_its_own_hints() -> None:
    answers = lines(f"nboard 2\nset depth 4\n{set_game('F5')}\nhint 3\ngo\n", "engine")
    rated = [line for line in answers if re.match(r"search \S+ -?\d+\.00 0 4$", line)]
    assert {line.split()[1][:2] for line in rated} == {"D6", "F4", "F6"}
    counted = [int(line.split()[1]) for line in answers[: answers.index("status Thinking")] if "nodestats" in line]
    assert counted[0] > 0 and counted == sorted(counted)
    assert moves_of(answers)


@pytest.mark.parametrize("spec", ["engine", "alphabeta", "mcts:playouts=200", "engine:level=1"])
def test_every_kind_of_player_rates_every_move(spec: str) -> None:
    shown: list[Sequence[Report]] = []
    game = Game.from_transcript("f5d6c3")
    player = agent(spec)
    player.start(game.variant, game.position.turn, 0)
    player.hints(game, Limit(depth=3), shown.append)
    for found in shown:
        assert {report.move for report in found} == set(game.position.legal_moves)
        assert [report.score for report in found] == sorted((r.score or 0.0 for r in found), reverse=True)
        assert all(report.pv[0] == report.move for report in found)
    assert shown


@pytest.mark.parametrize("question", ["go", "hint 3", "analyze"])
def test_the_engine_is_stopped_by_a_ping(question: str) -> None:
    began = threading.Event()
    talk = Talk(NBoardEngine, lambda: Endless(began, "engine:depth=60"))
    talk.send(set_game("F5"), question)
    assert began.wait(120)
    talk.send("ping 1")
    assert talk.until("pong")[-1] == "pong 1"
    talk.end()


def test_a_search_tells_what_it_knows_while_it_goes_on() -> None:
    talk = Talk(NBoardEngine, lambda: agent("engine:depth=60"))
    talk.send("nboard 2", "go")
    depths: list[int] = []
    while len(depths) < 4:  # nothing has ended it: these come while it searches
        line = talk.line()
        assert not line.startswith("==="), "it has 60 empty squares to look at"
        if line.startswith("search "):
            depths.append(int(line.split()[4].rstrip("%")))
            assert re.fullmatch(r"nodestats [1-9]\d* \d+\.\d\d", talk.line())
    assert depths == sorted(depths)
    talk.send("ping 7")
    while not (line := talk.line()).startswith("==="):
        assert line.split()[0] in ("search", "nodestats")
    assert [talk.line(), talk.line()] == ["status", "pong 7"]
    talk.end()


@pytest.mark.parametrize("spec", ["engine", "alphabeta:deepening=yes"])
def test_a_search_tells_every_depth_once(spec: str) -> None:
    searched = [line for line in lines("set depth 8\ngo\n", spec) if line.startswith("search ")]
    assert len(searched) == len(set(searched)) > 3


def test_a_player_without_scores_gives_hints_too() -> None:
    assert sum(line.startswith("search") for line in lines("set depth 1\nhint 3\n", "random")) == 3


def near_the_end() -> Game:
    dice = Random(5)
    game = Game()
    while game.position.empties > 4:
        game.push(dice.choice(game.position.legal_moves))
    return game


def played_out(game: Game) -> Game:
    while not game.is_over:
        game.push(game.position.legal_moves[0])
    return game


def test_solved_positions_are_marked_as_exact() -> None:
    answers = lines(f"set depth 20\nset game {ggf.write([near_the_end()])}\ngo\nhint 9\n")
    assert any(re.fullmatch(r"search \S+ -?\d+\.00 0 100%", line) for line in answers)
    best = max(float(line.split()[2]) for line in answers if line.endswith("100%"))
    assert abs(best) <= 64
    assert float(next(line for line in answers if line.startswith("===")).split("/")[1]) == best


def test_analysis_goes_back_from_the_end_in_blacks_view() -> None:
    game = played_out(near_the_end())
    outcome = game.outcome()
    assert outcome is not None
    answers = [
        line.split()
        for line in lines(f"set depth 1\nset game {ggf.write([game])}\nanalyze\n")
        if line.startswith("analysis")
    ]
    assert [int(words[1]) for words in answers] == list(range(len(game.moves), -1, -1))
    assert float(answers[0][2]) == outcome.score


def just_after_a_pass() -> Game:
    dice = Random(8)
    while True:
        game = Game()
        while not game.is_over and PASS not in game.moves:
            game.push(dice.choice(game.position.legal_moves))
        if PASS in game.moves and not game.is_over:
            return game


def test_passes_are_moves_of_the_host() -> None:
    game = just_after_a_pass()
    passed = ggf.write([game]).strip()
    assert passed.endswith("[PA];)")
    due = re.sub(r"[BW]\[PA\];\)$", ";)", passed)
    answers = lines(f"set depth 1\nset game {due}\ngo\nhint 2\nmove PA\ngo\nset game {passed}\ngo\n", "greedy")
    moves = [line[4:6] for line in answers if line.startswith("===")]
    assert moves[0] == "PA" and moves[1] == moves[2] != "PA"
    assert any(line.startswith("search PA") for line in answers)


def test_after_the_end_there_is_only_a_pass() -> None:
    game = played_out(near_the_end())
    assert lines(f"set game {ggf.write([game])}\ngo\n") == ["=== PA"]


def test_what_cannot_be_done_is_a_status_and_the_unknown_is_ignored() -> None:
    answers = lines(
        "nboard 2\nset game (;GM[Go]\nmove A1\nset depth x\nset tempo 3\nset contempt 20\ndance\n\n"
        "set depth 2\nlearn\nping 7\n"
    )
    assert answers[0] == "set myname Outflank test"
    assert [line.split()[0] for line in answers[1:]] == ["status", "status", "status", "learned", "pong"]


def test_the_clock_is_the_games_time_less_what_was_spent() -> None:
    text = GAME.format("B[F5/0/100]W[D6/1.5/30]B[C3//20.5]W[D3//5]")
    game = ggf.read(text)[0]
    assert _clock(game) == Clock(900 - 120.5)
    assert _clock(ggf.read(text.replace("TI[15:00]", "TI[0]"))[0]) is None
    assert _clock(ggf.read(text.replace("TI[15:00]", "TB[1:00:00]TW[05:00//02:00]"))[0]) == Clock(3600 - 120.5)
    assert _clock(ggf.read(text.replace("TI[15:00]", "TI[01:00]"))[0]) == Clock(0.05), "it ran out: play at once"


class Timed(Recorder):
    """Writes down the time it has."""

    def choose(self, game: Game, limit: Limit) -> Report:
        self._told.append(f"{limit.clock}")
        return super().choose(game, limit)


@pytest.mark.parametrize("pass_is_told", [True, False])
def test_the_time_of_a_move_is_its_movers_when_the_other_side_must_pass(pass_is_told: bool) -> None:
    game = just_after_a_pass()
    forcing = game.pop()
    mover = game.position.turn
    before = "".join(f"{'BW'[node.mover or 0]}[{square_name(node.move or 0)}//1]" for node in game.line)
    spent = {color: sum(node.mover is color for node in game.line) for color in Color}
    game.push(forcing)
    following = next(
        square for square in game.position.legal_moves if game.position.play(square).legal_moves
    )  # after which the side that had to pass can move
    told: list[str] = []
    talk = Talk(NBoardEngine, lambda: Timed(told))
    talk.send(f"set game {GAME.format(before)}", f"move {square_name(forcing)}/0/100")
    if pass_is_told:
        talk.send("move PA//7", "go")
        talk.until("===")
        assert told[-2] == str(Clock(900.0 - spent[mover] - 100))
    talk.send(f"move {square_name(following)}/0/20", "go")
    talk.until("===")
    assert told[-2] == str(Clock(900.0 - spent[mover.other] - (7 if pass_is_told else 0)))
    talk.end()


@pytest.mark.parametrize("question", ["go", "hint 3", "analyze"])
def test_a_ping_ends_a_search_at_once(question: str) -> None:
    began = threading.Event()
    talk = Talk(NBoardEngine, lambda: Endless(began))
    talk.send("nboard 2", set_game("F5"), question)
    assert began.wait(120)
    talk.send("ping 2")
    said_before = talk.until("pong")
    assert said_before[-1] == "pong 2"
    if question == "go":
        assert any(re.match("=== [A-H][1-8]/", line) for line in said_before), "its best move so far"
    assert talk.end() == ""


@pytest.mark.parametrize("line", [set_game("F5D6"), "move D6", "D6", "set depth 3", "quit"])
def test_another_question_ends_a_search_at_once(line: str) -> None:
    began = threading.Event()
    talk = Talk(NBoardEngine, lambda: Endless(began))
    talk.send("nboard 2", set_game("F5"), "go")
    assert began.wait(120)
    talk.send("some unknown line", line)
    assert talk.until("===")
    talk.end()


def test_a_ping_that_came_with_the_question_ends_it_too() -> None:
    talk = Talk(NBoardEngine, lambda: Endless(threading.Event()))
    talk.send("nboard 2", set_game("F5"), "go", "ping 5")
    assert talk.until("pong")[-1] == "pong 5"
    talk.end()


WORDS = [
    "nboard",
    "set",
    "depth",
    "game",
    "contempt",
    "move",
    "hint",
    "go",
    "ping",
    "learn",
    "analyze",
    "2",
    "-5",
    "1e9",
    "F5",
    "d6",
    "PA",
    "F5/1.0/2",
    "F5///",
    "/",
    "nan",
    "(;",
    ";)",
    GAME.format(""),
    GAME.format("B[A1]"),
    GAME.format("B[F5]W[PA]"),
    GAME.replace("TY[8]BO[8", "TY[6a]BO[6").format(""),
    "\x00",
    "é",
    "9" * 50,
    "x" * 400,
]
ANSWERS = re.compile(r"(set myname|status|search|nodestats|===|pong|learned|analysis)( .*)?")


def hostile_lines(count: int, seed: int) -> list[bytes]:
    dice = Random(seed)
    found = []
    for _ in range(count):
        kind = dice.random()
        if kind < 0.25:
            found.append(f"move {dice.choice('abcdefgh')}{dice.randint(1, 8)}".encode())
        elif kind < 0.3:
            found.append(f"{set_game(dice.choice(['', 'F5', 'F5D6', 'F5D6C3', 'A1', 'F5F5']))}".encode())
        elif kind < 0.4:
            found.append(dice.randbytes(dice.randrange(200)).replace(b"\n", b""))
        elif kind < 0.45:
            found.append(f"set depth {dice.randint(-2, 4)}".encode())
        else:
            found.append(" ".join(dice.choice(WORDS) for _ in range(dice.randint(0, 4))).encode())
    return found


def check_answers(output: str) -> None:
    for line in output.splitlines():
        assert ANSWERS.fullmatch(line), line


def test_ten_thousand_malformed_lines_break_nothing() -> None:
    output = said(NBoardEngine, b"\n".join([*hostile_lines(10_000, 1), b"ping 4711"]))
    check_answers(output)
    assert output.endswith("pong 4711\n")


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_any_bytes_are_survived(data: list[bytes]) -> None:
    data = [line for line in data if b"quit" not in line]
    output = said(NBoardEngine, b"\n".join([*data, b"ping 5"]))
    check_answers(output)
    assert output.endswith("pong 5\n")


def test_the_program_itself_survives_ten_thousand_malformed_lines() -> None:
    sent = [*hostile_lines(10_000, 2), b"x" * 3_000_000, b"ping 4712"]
    done = subprocess.run(
        [sys.executable, "-m", "outflank", "nboard", "--agent", "random"], input=b"\n".join(sent), capture_output=True
    )
    assert done.returncode == 0
    assert done.stderr == b""
    check_answers(done.stdout.decode())
    assert done.stdout.endswith(b"pong 4712\n")


def test_other_games_come_in_ggf() -> None:
    game = Game.from_moves(["c2"], Variant.named("reversed-6x6"))
    move = lines(f"set game {ggf.write([game])}\ngo\n", "greedy")[-2][4:6].lower()
    assert move == square_name(agent("greedy").choose(game, Limit()).move)


def test_it_ponders_once_its_move_is_on_the_board() -> None:
    pondered: queue.SimpleQueue[str] = queue.SimpleQueue()
    talk = Talk(NBoardEngine, lambda: Ponderer(pondered), ponders=True)
    talk.send("nboard 2", "go")
    talk.until("=== D3")
    talk.send("move D3/0/0.01")
    assert pondered.get() == "began after d3"
    talk.send("ping 1")
    talk.until("pong 1")
    assert pondered.get() == "ended"
    assert pondered.get() == "began after d3"
    talk.end()
    assert pondered.get() == "ended"
