"""WTHOR, the database of tournament games."""

from datetime import date

import numpy as np
import pytest
from annotated import squares_played
from hypothesis import given
from hypothesis import strategies as st
from strategies import games

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.formats import wthor
from outflank.formats.table import GameTable

DAY = date(2005, 7, 22)
FOUR_PASSES = (
    "f5d6c3g5g6f3g4c4c5f6e3h7g3b2f4c6b3h4c2b4g7h8e6d1g8d2b6h3h2f7"
    "e8g2f2e7a4f1e1b5a2d7e2a7c7d3b7c8f8g1h6a6h5a3c1d8b8h1b1a1a5a8"
)
GAME = Game.from_transcript("f5f6e6f4e3c5", Variant())

latin_names = st.text(st.characters(codec="latin-1", exclude_characters="\0"), min_size=1, max_size=19)
known = latin_names.filter(lambda name: name != wthor.UNKNOWN)


@given(st.data(), st.lists(games(st.just(Variant())), min_size=1, max_size=4))
def test_what_is_written_is_read_again(data: st.DataObject, played: list[Game]) -> None:
    for game in played:
        game.tags = data.draw(
            st.fixed_dictionaries({"Date": st.just("1997")}, optional={"Black": known, "White": known, "Event": known})
        )
    players, events = wthor.names_of(played)
    files = (wthor.write_names(players, "player", DAY), wthor.write_names(events, "tournament", DAY))
    names = [
        wthor.read_names(file, kind) if lists else []
        for file, kind, lists in zip(files, wthor.NAME_BYTES, (players, events), strict=True)
    ]
    again = wthor.read(wthor.write(played, players, events, DAY), *names)
    assert [(game.moves, game.tags) for game in again] == [(game.moves, game.tags) for game in played]


def test_the_bytes_are_as_the_format_says() -> None:
    data = wthor.write([GAME], created=DAY)
    assert data[:16] == bytes([20, 5, 7, 22, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0])
    assert len(data) == 16 + 68
    assert list(data[24:31]) == [56, 66, 65, 46, 35, 53, 0]  # f5 f6 e6 f4 e3 c5, the end


def test_the_score_is_black_s_discs_with_empties_to_the_winner() -> None:
    wiped_out = Game.from_transcript("f5f4c3c6c5d6f3c4c7")
    assert wthor.write([wiped_out])[16 + 6] == 64


def test_a_game_without_its_last_moves_keeps_the_score_that_was_stated() -> None:
    data = bytearray(wthor.write([GAME], created=DAY))
    data[16 + 6] = 44
    (game,) = wthor.read(bytes(data))
    assert game.tags == {"Result": "+24"} and not game.is_over
    assert wthor.write([game], created=DAY) == bytes(data)


def test_the_theoretical_score_is_kept() -> None:
    data = bytearray(wthor.write([GAME], created=DAY))
    data[14], data[16 + 7] = 24, 30
    (game,) = wthor.read(bytes(data))
    assert (game.tags["TheoreticalScore"], game.tags["TheoreticalEmpties"]) == ("-4", "24")
    assert wthor.write([game], created=DAY) == bytes(data)


def test_numbers_are_kept_where_no_list_of_names_is_at_hand() -> None:
    data = bytearray(wthor.write([GAME], created=DAY))
    data[16:22] = bytes([1, 0, 90, 1, 75, 3])
    (game,) = wthor.read(bytes(data))
    assert game.tags == {"EventId": "1", "BlackId": "346", "WhiteId": "843"}
    assert wthor.write([game], created=DAY) == bytes(data)


def test_passes_are_not_stored() -> None:
    passing = Game.from_transcript(FOUR_PASSES)
    assert passing.moves.count(PASS) == 4
    (again,) = wthor.read(wthor.write([passing]))
    assert squares_played(again) == squares_played(passing) and again.moves == passing.moves


def whole(**changes: int) -> bytes:
    """A sound file of one game with some of its bytes changed."""
    data = bytearray(wthor.write([GAME], created=DAY))
    for place, value in changes.items():
        data[int(place[1:])] = value
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (whole()[:10], r"^WTHOR: 10 bytes are fewer than the header's 16$"),
        (
            whole()[:60],
            r"the header counts 1 games \(84 bytes\), but the file has 60 bytes: 0 games and 44 bytes of another$",
        ),
        (whole(_4=2), r"^WTHOR: the header counts 2 games \(152 bytes\), but the file has 84 bytes: 1 games$"),
        (whole(_7=255), r"^WTHOR: the header counts -\d+ games$"),
        (whole(_12=10), r"^WTHOR: the games are on 10x10, but Outflank reads only 8x8$"),
        (whole(_13=1), r"^WTHOR: the file has solitaires, not games$"),
        (whole(_25=99), r"^WTHOR: game 1, move 2 \(byte 25\): 99 is not a square$"),
        (whole(_30=11), r"^game 1: move 7: a1 is not legal"),
        (whole(_32=11), r"^WTHOR: game 1, move 9 \(byte 32\): 11 comes after the end of the game$"),
        (whole(_24=11), r"^game 1: move 1: a1 is not legal: Black would turn no discs there$"),
        (whole(_22=65), r"^WTHOR: game 1 has 65 black discs, which is too many$"),
        (whole()[:4] + bytes(12), r"^WTHOR: the file has no games$"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wthor.read(data)


def test_a_list_of_names_that_was_cut_off_is_refused() -> None:
    data = wthor.write_names(["???", "Ann", "Bob"], "player", DAY)
    assert wthor.read_names(data) == ["???", "Ann", "Bob"]
    with pytest.raises(ValueError, match=r"counts 3 players \(76 bytes\), but the file has 70 bytes: 2 players and 14"):
        wthor.read_names(data[:70])


@pytest.mark.parametrize("name", ["x" * 20, "村上", "a\0b"])
def test_names_that_the_format_cannot_hold_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"WTHOR holds names of at most 19 Latin-1 characters$"):
        wthor.write_names([name])


def test_games_that_the_format_cannot_hold_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^game 2 is reversed-6x6: WTHOR holds only standard 8x8 Othello$"):
        wthor.write([GAME, Game(Variant.named("reversed-6x6"))])
    with pytest.raises(ValueError, match=r"^game 1 is reversed: WTHOR holds"):
        wthor.write([Game(Variant.named("reversed"))])
    with pytest.raises(ValueError, match=r"^game 1 starts from a position of its own: WTHOR holds only moves$"):
        wthor.write([Game(Position.start().play("f5"))])
    resigned = Game.from_transcript("f5d6")
    resigned.resign(Color.BLACK)
    with pytest.raises(ValueError, match=r"^game 1 ended early \(Black resigned\): WTHOR cannot record that$"):
        wthor.write([resigned])


def test_a_table_makes_the_games_that_push_would_make() -> None:
    rows = np.full((2, 64), 255, np.uint8)
    rows[0, :3] = 37, 43, 18
    table = GameTable(rows, Variant(), {"Black": ["Ann", ""]})
    pushed = Game.from_transcript("f5d6c3")
    assert (table[0].moves, table[0].position, table[0].tags) == (pushed.moves, pushed.position, {"Black": "Ann"})
    assert table[1].moves == [] and table[-1].tags == {}
    assert len(table[:1]) == 1 and [game.moves for game in table][1] == []
    assert table[0].pop() == 18


def test_a_table_joins_others_of_any_width() -> None:
    narrow = GameTable(np.array([[37]], np.uint8), Variant(), {"Black": ["Ann"]})
    wide = GameTable(np.array([[37, 43]], np.uint8), Variant(), {"White": ["Bob"]})
    joined = GameTable.joined([narrow, wide])
    assert [(game.transcript, game.tags) for game in joined] == [("f5", {"Black": "Ann"}), ("f5d6", {"White": "Bob"})]
