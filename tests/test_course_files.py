"""Files as students hand them in, run unchanged: none of them loses through us."""

import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from enclosed import FILES, SIX, game_of, needs_enclosure, never_still

from outflank.agents import submission
from outflank.agents.agent import ForfeitError
from outflank.agents.sandbox import interfaces, older_libraries
from outflank.agents.sandbox.interfaces import NotAPlayerError, examine
from outflank.agents.sandbox.process import Enclosed
from outflank.agents.spec import agent
from outflank.agents.submission import Submission, rehearsal_positions
from outflank.arena import referee, usability
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import OTHELLO, Variant
from outflank.search.limits import Limit

COURSE = sorted((FILES / "course").iterdir())
ENCODED = {
    "byte_order_mark": ("utf-8-sig", ""),
    "gbk": ("gbk", '# -*- coding: gbk -*-\nNAME = "小黑"\nassert len(NAME) == 2\n'),
    "latin_1": ("latin-1", '# coding: latin-1\nNAME = "thé"\nassert len(NAME) == 3\n'),
}
"""How editors save a file: the encoding, and what stands above the player then."""
UNTIL_THE_END = ("deepening_4_8_s", "numba_at_import")
"""They think 4.8 s whatever they are told: on a small board their games are short."""
FOUR = Variant.named("4x4")
PLENTY = Limit(time=3)
"""To write down a candidate, on a machine that stalls meanwhile, for players that then think until they are ended."""


@pytest.fixture(autouse=True)
def _can_enclose(monkeypatch: pytest.MonkeyPatch) -> None:
    needs_enclosure()
    never_still(monkeypatch)
    monkeypatch.setattr(submission, "REHEARSAL_SECONDS", 300.0)  # a busy machine compiles for a long time


@pytest.fixture
def short_rehearsal(monkeypatch: pytest.MonkeyPatch) -> None:
    """For players of which we know that their rehearsal does not end."""
    monkeypatch.setattr(submission, "REHEARSAL_SECONDS", 0.5)


@pytest.fixture(params=[*COURSE, *ENCODED], ids=lambda one: getattr(one, "stem", one))
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of the course, and one player as several editors save it."""
    if isinstance(request.param, Path):
        return request.param
    encoding, head = ENCODED[request.param]
    saved = tmp_path / f"{request.param}.py"
    saved.write_text(head + (FILES / "honest" / "course_ai.py").read_text(), encoding=encoding)
    return saved


def test_an_honest_file_plays_to_the_end_in_little_time(file: Path) -> None:
    player = agent(f"py:{file},start=300")
    # Those who think until the end get little; the others answer at once, and a machine that stalls may not beat them.
    small = file.stem in UNTIL_THE_END
    game = Game(FOUR if small else SIX)
    try:
        verdict = referee.play(game, [player, agent("random")], [Limit(time=2 if small else 30)] * 2, 1)
    finally:
        player.close()
    assert verdict.forfeit is None
    assert game.is_over


@pytest.mark.slow
@pytest.mark.parametrize("limit", [Limit(), Limit(time=1), Limit(time=5)], ids=str)
def test_an_honest_file_plays_whole_games_of_its_course(file: Path, limit: Limit) -> None:
    for color in Color:
        player, other = agent(f"py:{file}"), agent("random")
        game = Game(Variant.named("reversed"))
        try:
            sides = [player, other] if color is Color.BLACK else [other, player]
            verdict = referee.play(game, sides, [limit, limit], 1)
        finally:
            player.close()
        assert verdict.forfeit is None or (limit == Limit() and "clock" in verdict.forfeit.reason)
        assert game.is_over


def started(file: Path, text: str, limit: Limit, variant: Variant = OTHELLO) -> Submission:
    file.write_text(text)
    player = Submission(str(file))
    player.expect(limit)
    player.start(variant, Color.BLACK, 0)
    return player


# The candidates of a player that lets nobody look

SPINS = """
import time
from numba import njit

@njit
def spin(turns):
    number = 0.0
    while number < turns:
        number = 1.0 + number / 2
    return number

class AI:
    def __init__(self, size, color, time_out):
        spin(1.5)
        self.candidate_list = []
    def go(self, board):
        FILL
        spin(3.0)
"""


@pytest.mark.parametrize(
    "fill",
    [
        "self.candidate_list.clear(); self.candidate_list.append((2, 3))",
        pytest.param("self.candidate_list = [(2, 3)]", marks=pytest.mark.slow),
        pytest.param("self.candidate_list += [(0, 0), (2, 3)]", marks=pytest.mark.slow),
        pytest.param("moves = [(2, 3)]; self.candidate_list = moves", marks=pytest.mark.slow),
        pytest.param("self.candidate_list.extend([(2, 3), (4, 5)]); self.candidate_list.pop()", marks=pytest.mark.slow),
        pytest.param("self.candidate_list = [(4, 5)]; self.candidate_list[-1] = (2, 3)", marks=pytest.mark.slow),
        pytest.param(
            "self.candidate_list.insert(0, (4, 5)); self.candidate_list[-1:] = [(2, 3)]", marks=pytest.mark.slow
        ),
        pytest.param(
            "self.candidate_list = [(2, 3), (4, 5)]; mine = self.candidate_list; mine.sort(reverse=True)",
            marks=pytest.mark.slow,
        ),
    ],
)
@pytest.mark.usefixtures("short_rehearsal")
def test_every_change_of_the_list_is_seen_though_compiled_code_holds_the_interpreter(tmp_path: Path, fill: str) -> None:
    player = started(tmp_path / "spins.py", SPINS.replace("FILL", fill), PLENTY)
    try:
        assert player.choose(Game(), PLENTY).move == 19
    finally:
        player.close()


@pytest.mark.usefixtures("short_rehearsal")
def test_the_last_of_a_busy_list_is_played_though_short_compiled_calls_follow_each_other(tmp_path: Path) -> None:
    text = SPINS.replace("@njit", "@njit(nogil=True)").replace("spin(3.0)", "while True: spin(1.5)")
    player = started(tmp_path / "busy.py", text.replace("FILL", "self.candidate_list = [(2, 3)]"), PLENTY)
    try:
        assert player.choose(Game(), PLENTY).move == 19
    finally:
        player.close()


def test_what_the_list_is_stays_the_players_own(tmp_path: Path) -> None:
    text = """
import copy, pickle
class AI:
    candidate_list = [(0, 0)]
    def __init__(self, size, color, time_out):
        assert self.candidate_list == [(0, 0)] and "candidate_list" not in self.__dict__
    def go(self, board):
        assert self.candidate_list is AI.candidate_list
        mine = []
        self.candidate_list = mine
        mine.append((4, 5))
        other = copy.deepcopy(self)
        other.candidate_list.append((0, 0))
        assert type(self) is AI and isinstance(self.candidate_list, list) and mine is self.candidate_list
        assert vars(pickle.loads(pickle.dumps(self))) == vars(self) == {"candidate_list": [(4, 5)]}
        self.candidate_list.append((2, 3))
        assert mine == [(4, 5), (2, 3)]
        del self.candidate_list
        self.candidate_list = mine
"""
    player = started(tmp_path / "own.py", text, Limit(time=60))
    try:
        assert player.choose(Game(), Limit(time=60)).move == 19
    finally:
        player.close()


def test_time_that_is_up_is_time_whatever_the_code_makes_of_it(tmp_path: Path) -> None:
    text = """
import time
class AI:
    def __init__(self, size, color, time_out): self.candidate_list = []
    def go(self, board):
        try:
            while True: time.sleep(0.01)
        except BaseException as error:
            raise RuntimeError("compile failed") from error
"""
    player = started(tmp_path / "compiles.py", text, Limit(time=0.3))
    try:
        with pytest.raises(ForfeitError, match=r"^time"):
            player.choose(Game(), Limit(time=0.3))
    finally:
        player.close()


def test_code_that_swallows_the_end_of_its_time_is_told_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission, "GRACE", 120.0)  # a busy machine takes longer than a tenth of a second to tell it
    text = """
import time
class AI:
    def __init__(self, size, color, time_out): self.candidate_list = []
    def go(self, board):
        self.candidate_list = [(2, 3)]
        try:
            while True: time.sleep(0.01)
        except:
            pass
        while True: time.sleep(0.01)
"""
    player = started(tmp_path / "swallows.py", text, PLENTY)
    try:
        assert player.choose(Game(), PLENTY).move == 19
        assert player._process is not None, "it stopped, and is asked again"
    finally:
        player.close()


# What is compiled


def test_the_first_compile_is_nobodys_time(tmp_path: Path) -> None:
    """Compiling takes seconds, and the move has less: without a rehearsal there would be no candidate."""
    player = agent(f"py:{FILES / 'course' / 'numba_at_the_first_move.py'}")
    try:
        player.expect(Limit(time=1.5))
        player.start(OTHELLO, Color.BLACK, 0)
        assert player.choose(Game(), Limit(time=1.5)).move in Position.start().legal_moves
    finally:
        player.close()


def test_a_rehearsal_leaves_everything_as_it_was(tmp_path: Path) -> None:
    text = """
import random, time
import numpy as np
from numba import njit
calls, table, kept = [], {"a": [1]}, np.zeros(3)
alias, number = calls, 0
chance = random.getstate(), np.random.get_state()[1].tolist()

@njit
def one(): return 1

class AI:
    made = 0
    history = []
    def __init__(self, size, color, time_out):
        AI.made += 1
        self.candidate_list = []
    def go(self, board):
        global number, added
        state = calls, table["a"], list(kept), number, AI.made, AI.history, "added" in globals()
        assert state == ([], [1], [0, 0, 0], 0, 1, [], False), state
        assert alias is calls and chance == (random.getstate(), np.random.get_state()[1].tolist())
        random.random(); np.random.rand(700); number += one()
        calls.append(1); table["a"].append(2); kept[0] += 1; AI.history.append(board); added = 1
        self.candidate_list = [(2, 3)]
"""
    player = started(tmp_path / "state.py", text, Limit(time=60))
    try:
        assert player.choose(Game(), Limit(time=60)).move == 19
    finally:
        player.close()


@pytest.mark.parametrize("line", ["while True: spin(3.0)", "1 / 0", "raise SystemExit"])
def test_a_rehearsal_is_nobodys_fault(tmp_path: Path, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission, "REHEARSAL_SECONDS", 1.0)
    monkeypatch.setattr(submission, "_unrehearsed", set())
    fill = f"self.candidate_list = [(2, 3)]\n        if (board != 0).sum() > 4:\n            {line}\n        return"
    player = started(tmp_path / "odd.py", SPINS.replace("FILL", fill), Limit(time=60))
    try:
        assert player.choose(Game(), Limit(time=60)).move == 19
        assert bool(submission._unrehearsed) == ("spin" in line)
    finally:
        player.close()


def test_a_new_start_is_not_rehearsed_where_there_was_nothing_to_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rehearsed: list[bool] = []
    rehearse = Submission._rehearsed

    def noted(self: Submission, *arguments: Any) -> bool:
        ended = rehearse(self, *arguments)
        rehearsed.append(self._rehearses)
        return ended

    monkeypatch.setattr(Submission, "_rehearsed", noted)
    at_import = SPINS.replace("@njit", "@njit('float64(float64)')").replace("FILL", "self.candidate_list = [(2, 3)]")
    at_a_move = SPINS.replace("        spin(1.5)\n", "").replace("FILL", "self.candidate_list = [(2, 3)]")
    for text, expected in ((at_import, [False]), (at_a_move, [True, True])):
        text = text.replace("spin(3.0)", "spin(1.5)")
        player = started(tmp_path / "compiles.py", text, Limit(time=60))
        try:
            player.close()  # as after a move at which it had to be ended
            assert player.choose(Game(), Limit(time=60)).move == 19
        finally:
            player.close()
        assert rehearsed == expected
        rehearsed.clear()


def test_a_rehearsal_shows_no_position_of_a_game() -> None:
    for color in Color:
        found = rehearsal_positions(OTHELLO, color)
        assert len(found) == 4
        assert found[-1].empties <= 6, "what is compiled for the end of a game is compiled before it"
        assert all(one.turn is color and one.legal and one != Position.start() for one in found)


# Older libraries


def test_arrays_of_one_element_are_numbers_again_and_others_are_not() -> None:
    import numpy

    older_libraries.complete_numpy(numpy, compiles=True)  # this process compiles kernels
    assert (int(numpy.array([[7]])), float(numpy.array([2.5])), float(numpy.array(3))) == (7, 2.5, 3.0)
    assert float(numpy.asmatrix([[4]])) == 4.0
    converts: tuple[Callable[..., object], ...] = (int, float)
    for convert in converts:
        with pytest.raises(TypeError):
            convert(numpy.ones(2))


# A game's starts


def test_a_submission_that_never_gets_ready_is_waited_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission, "_hung", {})
    file = tmp_path / "hangs.py"
    file.write_text("import time\ntime.sleep(1000)\nclass AI:\n    def go(self, board): pass\n")
    with pytest.raises(ForfeitError, match=r"not ready to play after 0.5 s$"):
        Submission(str(file), start=0.5).start(OTHELLO, Color.BLACK, 0)
    monkeypatch.setattr(Submission, "_loaded", None)
    with pytest.raises(ForfeitError, match=r"after 0.5 s in an earlier game, and was not tried again"):
        Submission(str(file), start=0.5).start(OTHELLO, Color.BLACK, 0)
    file.write_text(file.read_text() + "\n")
    with pytest.raises(TypeError):
        Submission(str(file), start=0.5).start(OTHELLO, Color.BLACK, 0)


STUBBORN = """
import time
time.sleep(0.5)
class AI:
    def __init__(self, size, color, time_out): pass
    def go(self, board):
        self.candidate_list = CANDIDATES
        sum(range(10**12))
"""


def test_a_new_start_within_a_game_is_on_nobodys_time_in_games_and_in_checks(tmp_path: Path) -> None:
    limit = PLENTY
    player = started(tmp_path / "stubborn.py", STUBBORN.replace("CANDIDATES", "[(2, 3)]"), limit)
    try:
        for _ in range(2):
            player.wake()
            assert player._process is not None, "it is there before its time begins"
            assert player.choose(Game(), limit).move == 19
            assert player._process is None, "it had to be ended"
        left = player._start_left
        assert player.candidates(Position.start(), limit) == ([19], 19, "")
        spent = left + (limit.time or 0) - player._start_left
        assert spent > 0.5, "starts have the seconds of one, and as much again as the moves at which it was ended"
    finally:
        player.close()


def test_who_is_ended_at_its_time_has_used_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine so busy that an hour passes until it is ended: its last candidate was there in time."""
    kill, hour, passed = Enclosed.kill, 3600.0, [0.0]

    def killed_late(self: Enclosed) -> None:
        passed[0] += hour
        kill(self)

    clock = SimpleNamespace(**vars(time) | {"perf_counter": lambda: time.perf_counter() + passed[0]})
    monkeypatch.setattr(Enclosed, "kill", killed_late)
    monkeypatch.setattr(submission, "time", clock)
    monkeypatch.setattr(referee, "time", clock)
    file = tmp_path / "stubborn.py"
    file.write_text(STUBBORN.replace("CANDIDATES", "[(0, 0)]"))
    player, limit = agent(f"py:{file},time=3"), Limit()
    game = Game(Position.from_text("-OX-OXXXOXOX-XX- X", FOUR))
    try:
        verdict = referee.play(game, [player, agent("random")], [limit, limit], 1)
    finally:
        player.close()
    assert next(one.seconds for one in verdict.decisions if one.color is Color.BLACK) < hour
    assert passed[0] >= hour


def test_an_empty_list_is_right_where_there_is_no_move_though_it_had_to_be_stopped(tmp_path: Path) -> None:
    board = next(one for one in usability.boards(OTHELLO, True) if one.kind == "pass")
    player = started(tmp_path / "stubborn.py", STUBBORN.replace("CANDIDATES", "[]"), PLENTY)
    try:
        assert player.candidates(board.position, PLENTY) == ([], None, "")
        with pytest.raises(ForfeitError, match=r"^time"):
            player.candidates(Position.start(), PLENTY)
    finally:
        player.close()


# Who plays


def test_a_class_with_the_courses_method_is_found_whatever_it_is_called() -> None:
    body = "\n    def {}(self, board): pass\n"
    for method, interface in (("go", interfaces.AI), ("get_move", interfaces.AI_PLAYER)):
        found = examine(
            {"x.py": ("class Node:\n    def grow(self): pass\nclass Mine:" + body.format(method)).encode()}, ""
        )
        assert (found.class_name, found.interface) == ("Mine", interface)
    heirs = ("class Base:" + body.format("go") + "class Best(Base): pass\n").encode()
    assert examine({"x.py": heirs}, "").class_name == "Best"
    two = ("class One:" + body.format("go") + "class Two:" + body.format("go")).encode()
    with pytest.raises(NotAPlayerError, match=r"several players \(One, Two\): name one, as py:FILE:One"):
        examine({"x.py": two}, "")
    assert examine({"x.py": two}, "Two").class_name == "Two"


# Outflank's own engine

ENGINE = "from outflank import Agent, Report, {}\nclass Mine(Agent):\n    def choose(self, game, limit): {}\n"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("from outflank import Agent, Report, Limit, Game\n", ""),
        ("from outflank.board.position import Position\nfrom outflank.search.limits import Limit\n", ""),
        ("import outflank\nx = outflank.Report\n", ""),
        ("from outflank import agent, Report\n", "outflank.agent (line 1)"),
        ("import outflank.search.engine.engine\n", "outflank.search.engine.engine (line 1)"),
        ("import outflank\nx = outflank.solve\n", "outflank.solve (line 2)"),
        ("from outflank.features import mobility\n", "outflank.features.mobility (line 1)"),
    ],
)
def test_what_a_submission_takes_from_our_engine_is_told(text: str, what: str) -> None:
    source = text + "class Mine:\n    def choose(self, game, limit): pass\n"
    assert examine({"x.py": source.encode()}, "").engine == what


def test_who_is_banned_from_our_engine_does_not_find_it_by_another_way_either(tmp_path: Path) -> None:
    file = tmp_path / "sly.py"
    look = "return Report(game.position.legal_moves[0], text=str(__import__('importlib').import_module('outflank.{}')))"
    for module, hidden in (("search.engine.engine", True), ("agents.roster", True), ("board.game", False)):
        file.write_text(ENGINE.format("Limit", look.format(module)))
        player = Submission(str(file), engine=False)
        try:
            player.start(SIX, Color.BLACK, 0)
            if hidden:
                with pytest.raises(ForfeitError, match="ModuleNotFoundError"):
                    player.choose(Game(SIX), Limit())
            else:
                assert "module" in player.choose(Game(SIX), Limit()).text
        finally:
            player.close()
    file.write_text(ENGINE.format("agent", "pass"))
    assert "engine, which is banned here: outflank.agent (line 1)" in str(game_of(file, "engine=no")[1].forfeit)
    assert game_of(FILES / "honest" / "our_agent.py", "engine=yes")[1].forfeit is None
