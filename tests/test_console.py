"""The console of `self-taught`: what its author typed gives what the figures of the report show."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from outflank.agents.agent import Agent
from outflank.agents.options import Option
from outflank.agents.roster import ROSTER, Entry
from outflank.board.game import Game
from outflank.cli.play import play
from outflank.search.limits import Limit, Report

INITIAL_BOARD = """\
Player: X
X : 2
O : 2

/|012345|
-+------+
0|------|
1|------|
2|--XO--|
3|--OX--|
4|------|
5|------|
-+------+
"""

ROUND_3 = """\
>>>comp
Evaluation Function #3 -17.6231
r=0
c=2
Player: X
X : 4
O : 6

/|012345|
-+------+
0|-XOOO-|
1|--OX--|
2|--OX--|
3|--OX--|
4|------|
5|------|
-+------+
"""

Type = Callable[..., str]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Type:
    def run(*lines: str, agent: str = "greedy", **options: object) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        play(agent, **{"console": True, "seed": 1, **options})  # type: ignore[arg-type]
        return capsys.readouterr().out

    return run


class Author(Agent):
    """Gives the answers of the report's three rounds."""

    def __init__(self, evaluation: int) -> None:
        self.answers = {5: (1, 2, -0.0), 7: (0, 4, 0.3079801), 9: (0, 2, -17.62314)}

    def choose(self, game: Game, limit: Limit) -> Report:
        row, column, score = self.answers[36 - game.position.empties]
        return Report(8 * row + column, score)


def test_the_initial_board(typed: Type) -> None:
    assert typed().startswith(INITIAL_BOARD + "\n")


def test_the_six_plies_of_the_figures(typed: Type) -> None:
    plies = ["move 1 3", "move 1 2", "move 0 1", "move 0 4", "move 0 3", "move 0 2"]
    shown = typed(*plies).split(">>>")[1:]
    counts = [tuple(int(line.split()[-1]) for line in ply.splitlines()[2:4]) for ply in shown]
    assert counts == [(4, 1), (3, 3), (5, 2), (4, 4), (6, 3), (4, 6)]
    assert [ply.splitlines()[1] for ply in shown] == ["Player: O", "Player: X"] * 3


def test_the_three_rounds_against_evaluation_3(typed: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    options = (Option("evaluation", int, 3, "Which."),)
    monkeypatch.setitem(ROSTER, "author", Entry("author", "The author's.", Author, options))
    shown = typed("move 1 3", "comp", "move 0 1", "comp", "move 0 3", "comp", agent="author")
    assert "\nEvaluation Function #3 -0\nr=1\nc=2\nPlayer: X\nX : 3\nO : 3\n" in shown
    assert "\nEvaluation Function #3 0.30798\nr=0\nc=4\nPlayer: X\nX : 4\nO : 4\n" in shown
    assert ROUND_3 in shown


def test_another_agent_has_no_number(typed: Type) -> None:
    assert ">>>comp\nEvaluation: 3\nr=1\nc=3\nPlayer: O\n" in typed("comp")
    assert ">>>comp\nEvaluation: -\nr=" in typed("comp", agent="random")


def test_the_computer_can_play_both_sides_to_the_end(typed: Type) -> None:
    shown = typed(*["comp"] * 14, variant="4x4")
    assert "O passes\n" in shown or "X passes\n" in shown or shown.count("r=") == 12
    over = shown.partition(" wins!\n")
    assert over[0][-1] in "XO"
    assert over[2].startswith("Player: -\nX : ")
    assert ">>>comp\nthe game is over: new begins another, quit leaves\n" in over[2]


def test_passes_are_said(typed: Type, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("b1c1d1a3a4a1a2d3d4c4")
    shown = typed("move 3 1", "move 1 3", variant="4x4", load=str(file))
    assert ">>>move 3 1\nX passes\nPlayer: O\n" in shown
    assert ">>>move 1 3\nO wins!\nPlayer: -\nX : 6\nO : 10\n" in shown


def test_a_draw_is_a_tie(typed: Type, tmp_path: Path) -> None:
    file = tmp_path / "game.board"
    file.write_text("XXXXXXXXOOOOOOOO X")
    assert typed(variant="4x4", load=str(file)).startswith("tie!\nPlayer: -\nX : 8\nO : 8\n")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("move 6 0", "move R C: rows are 0 to 5, columns 0 to 5"),
        ("move -1 0", "move R C: rows are 0 to 5, columns 0 to 5"),
        ("move 2 2", "move 2 2 is not legal: a black disc is already there"),
        ("move 0 0", "move 0 0 is not legal: X would turn no discs there"),
        ("move 1", "'move 1' is no command: move R C (from 0), comp (the computer moves), undo, new, moves, quit"),
        ("undo", "there is no move to take back"),
        ("", "Transcript: no moves"),
    ],
)
def test_bad_input_is_answered_in_one_line(typed: Type, line: str, answer: str) -> None:
    shown = typed(line, "quit")
    if line:
        assert f">>>{line}\n{answer}\n>>>quit\n" in shown
    assert shown.endswith("Transcript: no moves\n")


def test_undo_and_new(typed: Type) -> None:
    shown = typed("move 1 3", "undo", "move 1 3", "new", "moves", "help")
    assert shown.count(INITIAL_BOARD) == 3
    assert ">>>moves\nno moves\n" in shown


def test_the_console_has_the_options_that_make_sense(typed: Type) -> None:
    assert "/|01234567|\n" in typed(variant="othello")
    assert "fewest discs win" in typed(variant="reversed-6x6")
    with pytest.raises(ValueError, match="one AGENT"):
        typed(color="white")
    with pytest.raises(ValueError, match="one AGENT"):
        typed(agent2="random")
