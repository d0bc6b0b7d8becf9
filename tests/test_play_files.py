"""Saving and loading at the terminal."""

import io
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from outflank.board.game import Game
from outflank.board.variant import Variant
from outflank.cli.play import play
from outflank.cli.terminal_files import load_game, read_game, save_game

SIX = Variant.named("6x6")
Sit = Callable[..., list[str]]


@pytest.fixture
def sit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sit:
    def run(*lines: str, agent: str = "greedy", **options: str) -> list[str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        play(agent, seed=1, **options)  # type: ignore[arg-type]
        return capsys.readouterr().out.splitlines()

    return run


@pytest.mark.parametrize("name", ["game.txt", "my game", "game.ggf", "game.sgf", "game.ggf.gz"])
def test_a_saved_game_can_be_gone_on_with(sit: Sit, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    sit("d3", f"save {file}", "quit")
    assert sit("f5", f'load "{file}"', "quit")[-1] == "Transcript: d3c3"
    assert sit("quit", load=str(file))[-1] == "Transcript: d3c3"


def test_ggf_and_sgf_keep_names_values_and_resignations(sit: Sit, tmp_path: Path) -> None:
    for file in (tmp_path / "game.ggf", tmp_path / "game.sgf"):
        sit("d3", "b3", "resign", f"save {file}")
        game = load_game(file, SIX)
        assert (game.tags["Black"], game.tags["White"]) == ("human", "greedy")
        assert game.line[1].score == 0
        assert str(game.outcome()) == "White wins (Black resigned)"


def test_a_file_that_names_its_variant_brings_it(sit: Sit, tmp_path: Path) -> None:
    file = tmp_path / "six.sgf"
    save_game(Game.from_transcript("c2", SIX), file)
    assert "Black (you) against White (greedy), 6x6." in sit(f"load {file}")
    assert sit(load=str(file))[0] == "Black (you) against White (greedy), 6x6."
    with pytest.raises(ValueError, match="this is a game of 6x6, not of othello"):
        sit(load=str(file), variant="othello")


def test_a_position_can_be_played_from(sit: Sit, tmp_path: Path) -> None:
    file = tmp_path / "game.board"
    file.write_text(Game.from_transcript("d3c3").position.text)
    shown = sit("b3", load=str(file), agent="")
    assert shown[-2].startswith("Start: ---")
    assert shown[-1] == "Transcript: b3"


def test_a_file_is_never_replaced_unasked(sit: Sit, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("precious")
    shown = sit("d3", f"save {file}", "moves")
    assert f"{file}: that file already exists: choose another name, or write save! to replace it" in shown
    assert file.read_text() == "precious"
    assert f"Saved to {file}." in sit("d3", f"save! {file}")
    assert file.read_text() == "d3c3\n"


def test_a_save_that_fails_is_one_line_and_the_game_goes_on(sit: Sit, tmp_path: Path) -> None:
    nowhere = tmp_path / "no" / "such" / "folder.txt"
    shown = sit("save early.txt", "d3", f"save {nowhere}", f"save {tmp_path}", f"save {tmp_path}/x.obf/y", "moves")
    assert "early.txt: there are no moves to save yet" in shown
    assert f"{nowhere}: no such file or directory" in shown
    assert f"{tmp_path}: that is a folder: name a file" in shown
    assert shown[-1] == "Transcript: d3c3"
    assert list(tmp_path.iterdir()) == []


def test_a_save_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "game.txt"
    file.write_text("before")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"game\.txt: no space left on device"):
        save_game(Game.from_transcript("d3"), file, replace=True)
    assert file.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["game.txt"]


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        (b"", "empty"),
        (b"d3d3", "d3 is not legal: a black disc is already there"),
        (b"\x00\x01\x02", ""),
        (b"d3c3\nd3c5\n", "give one game or position"),
    ],
)
def test_a_file_that_is_no_game_is_one_line(sit: Sit, tmp_path: Path, content: bytes, answer: str) -> None:
    file = tmp_path / "game.txt"
    file.write_bytes(content)
    shown = sit("d3", f"load {file}", "moves")
    assert [answer in line for line in shown if line.startswith(f"{file}: ")] == [True]
    assert shown[-1] == "Transcript: d3c3"


def test_a_missing_file_is_one_line(sit: Sit) -> None:
    assert "/no/such.txt: no such file or directory" in sit("load /no/such.txt")


def test_a_text_must_be_of_the_variant_asked_for() -> None:
    assert read_game("c2", SIX).variant == SIX
    assert read_game("f5d6", None).variant == Variant()
    with pytest.raises(ValueError, match="these moves are legal in othello but not in 6x6"):
        read_game("f5d6", SIX)
    with pytest.raises(ValueError, match="this is a game of 6x6, not of 4x4"):
        read_game(Game(SIX).position.text, Variant.named("4x4"))


def test_without_a_variant_only_a_text_that_says_so_is_of_another_board() -> None:
    assert read_game(Game(SIX).position.text).variant == SIX
    with pytest.raises(ValueError, match="but not in othello"):
        read_game("a1")
