"""Transcripts: the moves of a game, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import games, variants

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.formats import transcript


@given(st.data(), variants)
def test_what_is_written_is_read_again(data: st.DataObject, variant: Variant) -> None:
    played = data.draw(st.lists(games(st.just(variant)).filter(lambda game: game.transcript), min_size=1, max_size=4))
    again = transcript.read(transcript.write(played), variant)
    assert [game.moves for game in again] == [game.moves for game in played]
    assert [game.position for game in again] == [game.position for game in played]


def test_every_spelling_of_a_game_is_the_same_game() -> None:
    text = "f5d6c3\nF5D6C3\n1. f5 d6 2. c3\n f5 D6  c3 \n"
    assert [game.transcript for game in transcript.read(text)] == ["f5d6c3"] * 4


def test_all_four_first_moves_are_legal() -> None:
    assert len(transcript.read("d3\nc4\nf5\ne6\n")) == 4


def test_a_pass_may_be_written_only_where_it_is_forced() -> None:
    with pytest.raises(ValueError, match=r"^line 2: move 2: pass is not legal: White can play"):
        transcript.read("f5\nf5 pass")


def test_an_illegal_move_is_named_with_its_line_and_ply() -> None:
    with pytest.raises(ValueError, match=r"^line 3: move 5: d3 is not legal: a white disc is already there$"):
        transcript.read("f5d6\n\nf5d6c3d3d3\n")


def test_what_is_no_move_is_named() -> None:
    with pytest.raises(ValueError, match=r"^line 1: transcript: 'j9' after 2 moves is not a move$"):
        transcript.read("f5d6j9")


def test_a_line_of_ten_megabytes_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^line 1: 10,000,000 characters are too many for the transcript of a game$"):
        transcript.read("f5" * 5_000_000)


def test_a_game_from_a_position_of_its_own_is_refused() -> None:
    begun = Game(Position.start().play("f5"))
    with pytest.raises(
        ValueError, match=r"^game 2 starts from a position of its own: a file of transcripts holds only"
    ):
        transcript.write([Game(), begun])


def test_games_of_two_variants_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^game 2 is 6x6, but game 1 is othello: a file of transcripts holds only one variant$"
    ):
        transcript.write([Game(), Game(Variant.named("6x6"))])
