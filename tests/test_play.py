"""The game at the terminal, as a person at a pipe sees it."""

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from outflank.agents.agent import Agent
from outflank.agents.roster import ROSTER, Entry
from outflank.board.game import Game
from outflank.board.squares import PASS
from outflank.board.variant import Variant
from outflank.cli.main import main
from outflank.cli.play import play
from outflank.search.limits import Limit, Report

OUTFLANK = [sys.executable, "-c", "from outflank.cli.main import main; main()"]
BLACK_PASSES = "b1c1d1a3a4a1a2d3d4c4b4"
"""A game on 4x4 whose last move leaves Black without one."""

Sit = Callable[..., str]


@pytest.fixture
def sit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sit:
    """Plays with the lines given as input and returns all that was shown."""

    def run(*lines: str, agent: str = "greedy", agent2: str = "", **options: object) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        play(agent, agent2, **{"seed": 1, **options})  # type: ignore[arg-type]
        return capsys.readouterr().out

    return run


def transcript(shown: str) -> str:
    """The moves shown at the end."""
    return shown.rstrip().splitlines()[-1].removeprefix("Transcript: ")


def answers(shown: str, line: str) -> list[str]:
    """What was shown after an input, up to the next prompt."""
    lines = shown.splitlines()
    at = next(index for index, text in enumerate(lines) if text.endswith(f"> {line}"))
    after = lines[at + 1 :]
    return after[: next((index for index, text in enumerate(after) if "> " in text), len(after))]


def test_a_person_is_black_and_the_computer_answers(sit: Sit) -> None:
    shown = sit("d3", "quit")
    assert shown.startswith("Black (you) against White (greedy), othello.")
    assert "White (greedy) plays c3: value 0, depth 1, 0." in shown
    assert "   Black (X) 3, White (O) 3: Black to move" in shown
    assert transcript(shown) == "d3c3"


def test_a_person_may_be_white(sit: Sit) -> None:
    shown = sit("quit", color="white")
    assert "Black (greedy) plays d3" in shown
    assert "White> quit" in shown


def test_legal_squares_and_the_last_move_are_marked(sit: Sit) -> None:
    assert " 3  -  -  + (X) +  -  -  -" in sit("d3", "quit", agent="").splitlines()


def test_two_people_take_turns(sit: Sit) -> None:
    shown = sit("d3", "c3", "undo", "e3", "quit", agent="")
    assert shown.startswith("Black (human) against White (human)")
    assert transcript(shown) == "d3e3"


def test_one_of_two_players_may_be_human(sit: Sit) -> None:
    assert sit("quit", agent="greedy", agent2="human").startswith("Black (greedy) against White (you)")


def test_two_players_are_watched_to_the_end(sit: Sit) -> None:
    shown = sit(agent="greedy", agent2="random", variant="4x4")
    game = Game.from_transcript(transcript(shown), Variant.named("4x4"))
    assert game.is_over
    assert f"{game.outcome()}. " in shown
    assert "Thinking time: Black (greedy) 0." in shown
    steps = re.findall(r"Black \(greedy\) plays .. ?: .*, (\d+\.\d{3}) s, (\d+\.\d{3}) s in all\n", shown)
    assert len(steps) > 3
    totals = [float(total) for _, total in steps]
    assert totals == sorted(totals)
    assert totals[-1] == pytest.approx(sum(float(step) for step, _ in steps), abs=0.001 * len(steps))


def test_a_game_repeats_itself_by_its_seed(sit: Sit) -> None:
    games = [transcript(sit(agent="random", agent2="random", seed=seed)) for seed in (5, 5, 6)]
    assert games[0] == games[1] != games[2]


def test_undo_goes_back_to_the_persons_own_last_decision(sit: Sit) -> None:
    shown = sit("d3", "b3", "undo", "moves", "quit")
    assert "Transcript: d3c3" in answers(shown, "moves")
    assert transcript(shown) == "d3c3"


def test_undo_needs_a_decision_of_the_person(sit: Sit) -> None:
    shown = sit("undo", "quit", color="white")
    assert answers(shown, "undo") == ["there is no move of yours to take back"]
    assert transcript(shown) == "d3"


def test_redo_plays_again_what_was_taken_back(sit: Sit) -> None:
    both = transcript(sit("d3", "b3", "quit"))
    assert transcript(sit("d3", "b3", "undo", "undo", "redo", "redo", "quit")) == both
    assert answers(sit("d3", "undo", "f5", "redo", "quit"), "redo") == ["there is no move to redo"]


def test_passes_are_announced_and_undone_with_the_move_that_forced_them(sit: Sit, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text(BLACK_PASSES[:-2])
    shown = sit("b4", "undo", "quit", agent="", variant="4x4", load=str(file))
    assert "Black has no move and passes." in answers(shown, "b4")
    assert "   Black (X) 9, White (O) 6: White to move" in answers(shown, "b4")
    assert "White to move" in answers(shown, "undo")[-1]
    assert transcript(shown) == BLACK_PASSES[:-2]


def test_hints_come_from_any_agent(sit: Sit) -> None:
    assert "Hint: d3 (greedy: value +3, depth 1, 0." in sit("hint", "quit", hint="greedy")
    assert "Hint: " in sit("h", "quit", agent="", hint="random:openings=2")


def test_wrong_input_gets_one_line_and_another_chance(sit: Sit) -> None:
    shown = sit("e9", "d4", "pass", "a1", "save", "load", "swap", "redo", "d3", "quit", agent="")
    assert answers(shown, "e9") == [
        "'e9' is not a square: write a letter and a digit, such as d3, or pass; help lists the commands"
    ]
    assert answers(shown, "d4") == ["d4 is not legal: a white disc is already there"]
    assert answers(shown, "pass") == ["pass is not legal: Black can play d3, c4, f5, e6"]
    assert answers(shown, "a1") == ["a1 is not legal: Black would turn no discs there"]
    assert answers(shown, "save") == ["save needs a file: write save FILE"]
    assert answers(shown, "swap") == ["swap changes sides with a computer, but none is playing"]
    assert transcript(shown) == "d3"


def test_an_empty_line_shows_the_board_again(sit: Sit) -> None:
    assert sit("", "quit").count("a  b  c") == 2


def test_help_names_every_command(sit: Sit) -> None:
    shown = answers(sit("help", "quit"), "help")
    for command in ["undo", "redo", "hint", "save", "load", "moves", "new", "swap", "resign", "help", "quit"]:
        assert any(command in line for line in shown), command


def test_the_end_of_the_input_ends_politely(sit: Sit) -> None:
    assert transcript(sit("d3")) == "d3c3"
    assert transcript(sit()) == "no moves"


def test_resigning_loses_and_can_be_taken_back(sit: Sit) -> None:
    shown = sit("d3", "resign", "b3", "hint", "undo", "moves", "quit")
    assert "White wins (Black resigned). Black 3, White 3." in answers(shown, "resign")
    assert answers(shown, "b3") == ["the game is over: new starts another, undo takes back, quit leaves"]
    assert answers(shown, "hint") == ["the game is over: there is no move to suggest"]
    assert "The game goes on." in answers(shown, "undo")
    assert "Transcript: d3c3" in answers(shown, "moves")


def test_swap_changes_sides(sit: Sit) -> None:
    shown = sit("d3", "swap", "quit")
    assert "Black (greedy) against White (you), othello." in answers(shown, "swap")
    assert transcript(shown).startswith("d3c3")
    assert len(transcript(shown)) == 6


def test_new_begins_again_and_shows_the_game_left_behind(sit: Sit) -> None:
    shown = sit("d3", "new", "quit")
    assert answers(shown, "new")[0] == "Transcript: d3c3"
    assert transcript(shown) == "no moves"


def test_where_fewest_discs_win_it_always_says_so(sit: Sit) -> None:
    shown = sit("d3", "undo", "resign", "quit", variant="reversed")
    assert shown.count("Fewest discs win.") == shown.count("a  b  c") == 4
    assert "White wins (Black resigned). Black 2, White 2; fewest discs win." in shown
    assert "Fewest" not in sit("d3", "quit")


def test_the_result_tells_winner_margin_and_times(sit: Sit, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text(BLACK_PASSES)
    shown = sit("d2", "undo", "quit", agent="", variant="4x4", load=str(file))
    assert "White wins by 4. Black 6, White 10." in answers(shown, "d2")
    assert re.search(r"\nThinking time: Black \(human\) 0.000 s, White \(human\) \d+\.\d\d\d s\.\n", shown)
    assert transcript(shown) == BLACK_PASSES


def test_what_is_shown_in_a_pipe_is_ascii(sit: Sit) -> None:
    assert sit("d3", "hint", "help", "u", "resign", "quit", variant="reversed").isascii()


class Broken(Agent):
    """Fails in the way its option says."""

    def __init__(self, way: str = "") -> None:
        self.way = way

    def choose(self, game: Game, limit: Limit) -> Report:
        if self.way == "crash":
            raise RuntimeError("no\nidea")
        return Report(PASS if self.way == "pass" else 0)


@pytest.mark.parametrize(
    ("way", "said"), [("crash", "no idea"), ("pass", "pass is not legal"), ("", "a1 is not legal")]
)
def test_a_player_that_fails_loses_and_the_moves_stay(
    sit: Sit, monkeypatch: pytest.MonkeyPatch, way: str, said: str
) -> None:
    monkeypatch.setitem(ROSTER, "broken", Entry("broken", "Fails.", lambda: Broken(way)))
    shown = sit("d3", "undo", "quit", agent="broken")
    assert f"White (broken) failed and loses: {said}" in "\n".join(answers(shown, "d3"))
    assert "Black wins (White failed). Black 4, White 1." in answers(shown, "d3")


def test_color_is_for_a_game_against_one_player(sit: Sit) -> None:
    for players in ({"agent": ""}, {"agent": "human"}, {"agent": "greedy", "agent2": "random"}):
        with pytest.raises(ValueError, match="name one"):
            sit(color="white", **players)
    with pytest.raises(ValueError, match="black or white, not 'red'"):
        sit(color="red")


def test_the_program_plays_in_a_pipe() -> None:
    done = subprocess.run([*OUTFLANK, "play", "random"], input="d3\nundo\nquit\n", capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert done.stdout.endswith("Black> quit\nTranscript: no moves\n")


@pytest.mark.parametrize(
    "arguments", [("nobody",), ("greedy", "--load", "/nowhere/at.all"), ("--time", "0"), ("a", "b", "c")]
)
def test_a_wrong_command_line_is_one_line_and_exit_code_2(
    refused: Callable[..., str], arguments: tuple[str, ...]
) -> None:
    assert "Errno" not in refused("play", *arguments)


def test_bytes_that_are_no_text_do_not_end_a_game() -> None:
    done = subprocess.run(
        [*OUTFLANK, "play"],
        input=b"\xff\xfe\nd3\n",
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0
    assert done.stdout.endswith(b"Transcript: d3\n")


DOCUMENT = Path(__file__).parent.parent / "docs" / "playing.md"
EXAMPLES = re.findall(r"^(?:printf '(.*)' \| )?outflank (.*?)(?:  *#.*)?$", DOCUMENT.read_text(), re.MULTILINE)


@pytest.mark.parametrize(("typed", "arguments"), EXAMPLES)
def test_the_examples_of_the_document_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, typed: str, arguments: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["outflank", *shlex.split(arguments)])
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed.replace("\\n", "\n")))
    with pytest.raises(SystemExit) as exit:
        main()
    assert not exit.value.code
    assert capsys.readouterr().out


def test_the_document_has_examples() -> None:
    assert len(EXAMPLES) == 10
