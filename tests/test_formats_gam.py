"""Logistello's log book."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import games

from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.formats import gam

WIPED_OUT = "f5f4c3c6c5d6f3c4c7"  # Black takes every disc; 51 squares stay empty
SIGNED = "+f5-f4+c3-c6+c5-d6+f3-c4+c7"


@given(st.lists(games(st.just(Variant())), min_size=1, max_size=4), st.sampled_from(["", "10", "7"]))
def test_what_is_written_is_read_again(played: list[Game], count: str) -> None:
    for game in played:
        game.tags = {"Count": count} if count else {}
    again = gam.read(gam.write(played))
    assert [(game.moves, game.tags) for game in again] == [(game.moves, game.tags) for game in played]


def test_empties_go_to_nobody_in_a_log_book() -> None:
    game = Game.from_transcript(WIPED_OUT)
    outcome = game.outcome()
    assert outcome is not None and outcome.score == 64
    assert gam.write([game]) == f"{SIGNED}: +13\n"
    assert gam.read(f"{SIGNED}: +13 10\n")[0].tags == {"Count": "10"}


def test_a_result_that_the_board_does_not_show_is_kept() -> None:
    (game,) = gam.read(f"{SIGNED}: -04 10")
    assert game.tags == {"Count": "10", "Result": "-4"}
    assert gam.write([game]) == f"{SIGNED}: -04 10\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{SIGNED}: +13 10\n+f5-a1: +00 10", r"^line 2: move 2: a1 is not legal: White would turn no discs there$"),
        ("+f5+d6: +00 10", r"^line 1: move 2 has the sign \+, but White plays it$"),
        ("+f5-d6+c", r"^line 1: '\+c' after 2 moves is not a move with its sign, such as \+d3$"),
        ("+f5-d6", r"^line 1: the game must end in ': RESULT COUNT', not in '\+f5-d6'$"),
        ("+f5-d6: x", r"^line 1: the game must end in ': RESULT COUNT'"),
        ("+f5 -d6: 0", r"^line 1: ' -d6: 0' after 1 moves is not a move with its sign"),
        ("+f5   -d6: 0", r"^line 1: "),
        ("+f5é6: 0", r"^line 1: 'é6: 0' after 1 moves is not a move"),
        ("+f5-d6" * 1_600_000, r"^line 1: 9,600,000 characters are too many for a game of a log book$"),
        ("\n\n", r"^log book: it has no games$"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gam.read(text)


def test_only_standard_othello_is_held() -> None:
    with pytest.raises(ValueError, match=r"^game 2 is 6x6: a \.gam file holds only standard 8x8 Othello$"):
        gam.write([Game(), Game(Variant.named("6x6"))])
    resigned = Game.from_transcript("f5d6")
    resigned.resign(Color.WHITE)
    with pytest.raises(ValueError, match=r"^game 1 ended early \(White resigned\): a \.gam file cannot record that$"):
        gam.write([resigned])
