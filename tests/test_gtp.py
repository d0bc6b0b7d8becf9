"""Our side as a GTP engine: sessions as the protocol describes them, and lines that no host should send."""

import queue
import re
import subprocess
import sys
import threading
from pathlib import Path
from random import Random

import pytest
from conversing import Endless, Ponderer, Recorder, Talk, said
from hypothesis import given
from hypothesis import strategies as st

from outflank.agents.agent import Agent
from outflank.agents.spec import agent
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.protocols import session
from outflank.protocols.gtp import COMMANDS, GtpEngine, GtpTime
from outflank.protocols.moves import Moves
from outflank.search.limits import Clock, Limit, Report


def answers(text: str, spec: str = "greedy", variant: str = "othello") -> list[str]:
    """The frames that answer a text."""
    output = said(GtpEngine, text, spec, Variant.named(variant))
    assert output.endswith("\n\n") or not output
    return output[:-2].split("\n\n") if output else []


def test_a_session_as_the_protocol_describes_it() -> None:
    assert answers(
        "protocol_version\n1 name\n2 version\nknown_command play\nknown_command fly\n"
        "boardsize 8\nkomi 5.5\n3 clear_board\nplay black F5\n4 PLAY w d6\nplay W D6\ngenmove b\nquit\nname\n"
    ) == [
        "= 2",
        "=1 Outflank test",
        "=2 1.0",
        "= true",
        "= false",
        "=",
        "=",
        "=3",
        "=",
        "?4 unknown command PLAY",
        "=",
        answers("play b f5\nplay w d6\nreg_genmove b\n")[-1],
        "=",
    ]


def test_what_is_chosen_is_played_and_what_is_only_asked_is_not() -> None:
    asked = answers(
        "play b f5\nreg_genmove w\nreg_genmove w\ngogui-rules_side_to_move\ngenmove w\ngogui-rules_side_to_move\n"
    )
    assert asked[1] == asked[2] == asked[4]
    assert (asked[3], asked[5]) == ("= white", "= black")


def test_comments_empty_lines_control_characters_and_ids() -> None:
    assert answers(
        "# a comment\n\n   \n\t7\tname\t# who\r\n\x07pro\x01tocol_version\r\n007 name\n12\n99999999999 name\n"
    ) == [
        "=7 Outflank test",
        "= 2",
        "=007 Outflank test",
        "?12 unknown command",
        "? unknown command 99999999999",
    ]


def test_every_command_that_is_listed_is_known_and_answers() -> None:
    listed = answers("list_commands\n")[0][2:].split("\n")
    assert listed == list(COMMANDS)
    for command in listed:
        assert answers(f"known_command {command}\n") == ["= true"]
        assert len(answers(f"{command}\n")) == 1


def test_illegal_moves_and_wrong_colours_change_nothing() -> None:
    frames = answers(
        "play b a1\nplay w f4\nplay red f5\nplay b\nplay\ngenmove\ngenmove w\nplay b i9\ngogui-rules_legal_moves\n"
    )
    assert all(frame.startswith("? ") for frame in frames[:-1])
    assert "illegal move" in frames[0] and "Black is to move" in frames[1]
    assert frames[-1] == "= D3 C4 F5 E6"


def passing_game() -> list[str]:
    """The moves of a 4x4 game up to where one side has to pass, as `play` commands, and who passes."""
    dice = Random(3)
    while True:
        game = Game(Variant.named("4x4"))
        commands = []
        while not game.is_over:
            color, move = game.position.turn, dice.choice(game.position.legal_moves)
            node = game.push(move)
            commands.append(f"play {'bw'[color]} {'abcd'[move % 8]}{move // 8 + 1}")
            if game.node is not node:
                return [*commands, "bw"[game.position.turn.other]]


def test_a_pass_may_be_played_generated_or_left_out_and_is_undone_alone() -> None:
    *played, color = passing_game()
    other = {"b": "w", "w": "b"}[color]
    start = "boardsize 4\n" + "\n".join(played) + "\n"

    def after(text: str) -> list[str]:
        return answers(start + text)[len(played) + 1 :]

    assert after("gogui-rules_legal_moves\ngogui-rules_side_to_move\n")[0] == "= pass"
    assert after(f"genmove {color}\nplay {color} pass\n") == [
        "= pass",
        after(f"play {color} pass\nplay {color} pass\n")[1],
    ]
    played_out = after(f"play {color} pass\nreg_genmove {other}\n")
    assert played_out[0] == "=" and played_out[1] == after(f"reg_genmove {other}\n")[0]
    assert after(f"play {color} a1\n")[0].startswith("? illegal move")
    assert after(f"play {color} pass\nundo\ngogui-rules_legal_moves\n") == ["=", "=", "= pass"]
    boards = after("showboard\nundo\nshowboard\n")
    assert boards[0] != boards[2]


def test_undo_goes_back_to_the_start_and_no_further() -> None:
    frames = answers("gogui-rules_board\nplay b f5\ngenmove w\nundo\nundo\ngogui-rules_board\nundo\n")
    assert frames[0] == frames[5]
    assert frames[-1] == "? cannot undo"


def test_a_game_is_played_out_and_scored() -> None:
    frames = answers(
        "final_score\n" + "genmove b\ngenmove w\n" * 20 + "final_score\ngogui-rules_final_result\n", variant="4x4"
    )
    assert frames[0] == "? the game is not over"
    assert re.fullmatch(r"= (0|[BW]\+\d+)", frames[-2])
    assert "= pass" in frames, "after the end everybody passes"
    assert frames[-1] != "="


def test_other_games_by_name_and_size() -> None:
    assert answers(
        "list_games\nset_game Othello\nset_game reversed-6x6\ngogui-rules_board_size\ngogui-rules_game_id\n"
        "set_game Go\nboardsize 19\nboardsize x\nboardsize 5\ngogui-rules_board_size\n"
    ) == [
        "= Othello\nreversed",
        "=",
        "=",
        "= 6",
        "= reversed-6x6",
        "? unsupported game 'Go'",
        "? unacceptable size",
        "? unacceptable size",
        "=",
        "= 5",
    ]
    most = answers("genmove b\nreg_genmove w\n", "alphabeta:depth=1,heuristic=parity")
    fewest = answers("set_game reversed\ngenmove b\nreg_genmove w\n", "alphabeta:depth=1,heuristic=parity")[1:]
    assert len(most) == len(fewest) == 2


def test_a_game_goes_out_and_comes_back_as_sgf(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    frames = answers(
        f"play b f5\nplay w d6\nplay b c3\nshowboard\nprintsgf {file}\nclear_board\nloadsgf {file}\n"
        f"showboard\nloadsgf {file} 2\ngogui-rules_side_to_move\nprintsgf\nloadsgf {tmp_path}\nloadsgf no\n"
    )
    assert frames[7] == frames[3]
    assert frames[6] == "= white"
    assert frames[9] == "= white", "before its second move"
    assert frames[10].startswith("= (;FF[4]GM[2]")
    assert frames[11:] == ["? cannot load file"] * 2


def test_clocks_as_hosts_tell_them() -> None:
    clocks = GtpTime()
    assert clocks.limit(Color.BLACK) == Limit()
    clocks.settings(60, 0, 0)
    assert clocks.limit(Color.BLACK) == Limit(clock=Clock(60))
    clocks.spent(Color.BLACK, 10)
    assert clocks.limit(Color.BLACK) == Limit(clock=Clock(50))
    assert clocks.limit(Color.WHITE) == Limit(clock=Clock(60))
    clocks.left(Color.WHITE, 3, 0)
    assert clocks.limit(Color.WHITE) == Limit(clock=Clock(3))
    clocks.settings(0, 10, 5)
    assert clocks.limit(Color.BLACK) == Limit(time=2)
    clocks.left(Color.BLACK, 6, 2)
    assert clocks.limit(Color.BLACK) == Limit(time=3)
    clocks.settings(0, 1, 0)
    assert clocks.limit(Color.BLACK) == Limit(), "a period without moves means no limit"
    assert answers(
        "time_settings 1 2\ntime_left b x 1\ntime_left 3 0\ntime_settings 0 0.2 1\ntime_left b 0.1 1\ngenmove b\n",
        "alphabeta",
    )[:3] == [
        "? syntax error: 3 numbers are wanted",
        "? syntax error: 2 numbers are wanted",
        "? syntax error: the colour is black or white",
    ]


def test_a_player_is_told_what_to_expect_before_its_game() -> None:
    """A course's player is told its time when it is made."""
    told: list[str] = []
    talk = Talk(GtpEngine, lambda: Recorder(told))
    talk.send("time_settings 0 5 1", "genmove b")
    assert [talk.line() for _ in range(4)] == ["=", "", "= d3", ""]
    talk.end()
    assert told[:2] == [f"expect {Limit(time=5.0)}", "start othello"]


def test_a_player_gets_ready_when_a_game_begins_and_not_on_its_clock() -> None:
    told: list[str] = []
    talk = Talk(GtpEngine, lambda: Recorder(told))
    talk.send("boardsize 6", "clear_board", "name")
    talk.until("= Outflank")
    assert told == ["start 6x6"]
    talk.send("genmove b", "genmove w", "clear_board", "name")
    talk.until("= Outflank")
    assert told == ["start 6x6", "choose ", "choose c2", "start 6x6"]
    talk.end()
    assert told[-1] == "close"


SEARCHES = ["minimax:depth=40", "alphabeta:depth=40", "mcts:playouts=1e15", "engine:depth=60"]


@pytest.mark.parametrize("spec", SEARCHES)
def test_every_kind_of_search_can_be_interrupted(spec: str) -> None:
    began = threading.Event()
    talk = Talk(GtpEngine, lambda: Endless(began, spec))
    talk.send("genmove b")
    assert began.wait(120)
    talk.send("stop")
    assert re.fullmatch("= [a-h][1-8]", talk.line())
    talk.end()


@pytest.mark.parametrize("line", ["clear_board", "# interrupt", "9 stop", "quit", "boardsize 6", "undo"])
def test_a_search_ends_at_once_when_nobody_waits_for_it(line: str) -> None:
    began = threading.Event()
    talk = Talk(GtpEngine, lambda: Endless(began))
    talk.send("5 genmove b")
    assert began.wait(120)
    talk.send(line, "known_command play")
    assert re.fullmatch("=5 [a-h][1-8]", talk.line())
    talk.end()


def test_a_search_goes_on_while_the_host_asks_other_things_and_ends_with_the_input() -> None:
    began = threading.Event()
    talk = Talk(GtpEngine, lambda: Endless(began))
    talk.send("genmove b")
    assert began.wait(120)
    talk.send("name", "# a comment", "nonsense")
    rest = talk.end()
    assert re.fullmatch(r"= [a-h][1-8]\n\n= Outflank test\n\n\? unknown command nonsense\n\n", rest)


def test_a_script_gets_whole_searches() -> None:
    deep = "alphabeta:depth=6"
    assert answers("genmove b\nclear_board\nquit\n", deep)[0] == answers("genmove b\n", deep)[0]


def test_a_player_that_fails_is_an_error_and_the_conversation_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("def broken(own, opp, board):\n    return [][own]\n")
    frames = answers("genmove b\nname\ngenmove b\nquit\n", f"alphabeta:heuristic={file}:broken,depth=1")
    assert frames[0].startswith("? ") and frames[2].startswith("? ")
    assert frames[1] == "= Outflank test"


WORDS = [
    *COMMANDS,
    "b",
    "w",
    "black",
    "f5",
    "D6",
    "pass",
    "resign",
    "1",
    "-1",
    "1e999",
    "nan",
    "0x10",
    "#",
    "=",
    "?",
    "set game",
    "\x00",
    "\x7f",
    "é",
    "漢",
    "‮",
    "\t",
    "((((",
    "'",
    '"',
    "\\",
    "%s%n",
    "9" * 30,
    "a" * 300,
]


def hostile_lines(count: int, seed: int) -> list[bytes]:
    """Commands with wrong arguments, words in any order, and bytes."""
    dice = Random(seed)
    lines = []
    for _ in range(count):
        kind = dice.random()
        if kind < 0.4:
            words = [dice.choice(list(COMMANDS)), *(dice.choice(WORDS) for _ in range(dice.randrange(4)))]
            lines.append(" ".join(words).encode())
        elif kind < 0.7:
            lines.append(
                f"{dice.choice(['', '3 '])}{dice.choice(['play b', 'play w', 'genmove b', 'genmove w', 'undo'])}"
                f" {dice.choice('abcdefghi')}{dice.randrange(10)}".encode()
            )
        elif kind < 0.8:
            lines.append(dice.randbytes(dice.randrange(200)).replace(b"\n", b""))
        else:
            lines.append(" ".join(dice.choice(WORDS) for _ in range(dice.randrange(6))).encode())
    without_end = [line for line in lines if b"quit" not in line and b"sgf" not in line]
    return without_end + [b"undo"] * (count - len(without_end))


FRAME = re.compile(r"[=?](\d{1,10})?(?: [^\n]*(?:\n[^\n]+)*)?")


def check_frames(output: str, lines: list[bytes]) -> None:
    """As many well-formed frames as there were commands, with their ids in order."""
    cleaned = [
        "".join(mark if mark.isprintable() else " " if mark == "\t" else "" for mark in text.partition("#")[0])
        for text in (line.decode("utf-8", "replace") for line in lines)
    ]
    commands = [text.strip() for text in cleaned if text.strip()]
    frames = output[:-2].split("\n\n")
    assert len(frames) == len(commands)
    for frame, command in zip(frames, commands, strict=True):
        found = FRAME.fullmatch(frame)
        assert found, frame
        number = re.match(r"([0-9]{1,10})(?:\s|$)", command)
        assert (found[1] or "") == (number[1] if number else "")


def test_ten_thousand_malformed_lines_do_not_break_the_framing() -> None:
    lines = hostile_lines(10_000, 1)
    check_frames(said(GtpEngine, b"\n".join(lines) + b"\n"), lines)


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_any_bytes_are_answered_frame_by_frame(lines: list[bytes]) -> None:
    lines = [line.replace(b"\n", b"") for line in lines]
    lines = [line for line in lines if b"quit" not in line]
    output = said(GtpEngine, b"\n".join([*lines, b"77 name"]))
    assert output.endswith("=77 Outflank test\n\n")


def test_the_program_itself_survives_ten_thousand_malformed_lines() -> None:
    lines = [*hostile_lines(10_000, 2), b"x" * 3_000_000, b"12345 name"]
    done = subprocess.run(
        [sys.executable, "-m", "outflank", "gtp", "--agent", "random"], input=b"\n".join(lines), capture_output=True
    )
    assert done.returncode == 0
    assert done.stderr == b""
    output = done.stdout.decode()
    check_frames(output, lines)
    assert output.endswith("=12345 Outflank random\n\n")


def test_what_a_player_prints_stays_out_of_the_conversation(tmp_path: Path) -> None:
    file = tmp_path / "loud.py"
    file.write_text("print('= f5')\ndef loud(own, opp, board):\n    return 1.0\n")
    done = subprocess.run(
        [sys.executable, "-m", "outflank", "gtp", "--agent", f"alphabeta:heuristic={file}:loud,depth=1"],
        input=b"name\ngenmove b\nquit\n",
        capture_output=True,
    )
    assert re.fullmatch(rb"= Outflank [^\n]*\n\n= [a-h][1-8]\n\n=\n\n", done.stdout)


def test_bad_options_are_one_line(tmp_path: Path) -> None:
    for wrong in (["--agent", "human"], ["--agent", "nobody"], ["--variant", "9x9"]):
        done = subprocess.run(
            [sys.executable, "-m", "outflank", "gtp", *wrong], capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and not done.stdout


def test_a_pass_that_is_due_belongs_to_one_side() -> None:
    moves = Moves(Game())
    with pytest.raises(ValueError, match="White plays a1, but Black is to move"):
        moves.play(0, Color.WHITE)
    with pytest.raises(ValueError, match="take back"):
        moves.undo()


class Stubborn(Agent):
    """Does not return until the test allows it, whatever it is told."""

    def __init__(self, began: threading.Event, end: threading.Event) -> None:
        self._began, self._end = began, end

    def choose(self, game: Game, limit: Limit) -> Report:
        self._began.set()
        self._end.wait()
        return Report(game.position.legal_moves[0])


def test_a_player_that_does_not_stop_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "PATIENCE", 0.05)
    began, end = threading.Event(), threading.Event()
    made: list[Agent] = []

    def make() -> Agent:
        made.append(Stubborn(began, end) if not made else agent("greedy"))
        return made[-1]

    talk = Talk(GtpEngine, make)
    talk.send("genmove b")
    assert began.wait(120)
    talk.send("stop", "genmove b")
    assert "did not stop" in talk.until("?")[-1]
    assert re.fullmatch("= [a-h][1-8]", talk.until("= ")[-1]), "another player takes its place"
    assert len(made) == 2
    end.set()
    talk.end()


# Pondering


def test_it_ponders_while_the_other_side_thinks_and_any_line_ends_that() -> None:
    pondered: queue.SimpleQueue[str] = queue.SimpleQueue()
    talk = Talk(GtpEngine, lambda: Ponderer(pondered), ponders=True)
    talk.send("genmove b")
    assert talk.until("= ") == ["= d3"]
    assert pondered.get() == "began after d3"
    talk.send("name")
    talk.until("= Outflank")
    assert pondered.get() == "ended"
    assert pondered.get() == "began after d3"  # nothing has moved: it goes on
    talk.send("play w c3")  # its own turn now: there is nothing to ponder
    talk.until("=")
    assert pondered.get() == "ended"
    talk.send("genmove b")
    talk.until("= ")
    assert pondered.get() == "began after d3c3b3"
    talk.end()
    assert pondered.get() == "ended"
    assert pondered.empty()


def test_it_does_not_ponder_unless_asked() -> None:
    pondered: queue.SimpleQueue[str] = queue.SimpleQueue()
    talk = Talk(GtpEngine, lambda: Ponderer(pondered))
    talk.send("genmove b")
    talk.until("= ")
    talk.send("name")
    talk.until("= Outflank")
    talk.end()
    assert pondered.empty()


def test_what_the_engine_ponders_it_need_not_search_again() -> None:
    player, other = agent("engine:depth=9"), agent("engine:depth=9")
    game = Game.from_transcript("f5d6c3d3c4f4f6f3e6e7")
    for each in (player, other):
        each.start(game.variant, game.position.turn, 0)
    player.ponder(game, Limit())
    game.push(other.choose(game, Limit()).move)
    other.start(game.variant, game.position.turn, 0)
    assert player.choose(game, Limit()).nodes < other.choose(game, Limit()).nodes
