"""GGF, as the game server GGS writes it."""

import pytest
from annotated import annotated_games, facts
from hypothesis import given
from strategies import square_variants

from outflank.board.game import Game
from outflank.board.position import Outcome
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.formats import ggf

START = "8 ---------------------------O*------*O--------------------------- *"
SHORT = (
    "(;GM[Othello]PC[GGS/os]DT[2003.12.15_12:33:18.MST]PB[ann]PW[bob]RB[1750.2]RW[1803]TI[05:00//02:00]"
    f"TY[8]RE[?]BO[{START}]B[d3//0.01]W[c3/2.39/0.01]B[c4/-1.5];)"
)


@given(annotated_games(square_variants))
def test_what_is_written_is_read_again(game: Game) -> None:
    (again,) = ggf.read(ggf.write([game]))
    assert facts(again) == facts(game)


def test_moves_carry_the_mover_s_value_and_seconds() -> None:
    (game,) = ggf.read(SHORT)
    assert game.transcript == "d3c3c4"
    assert [(node.score, node.seconds) for node in game.line] == [(None, 0.01), (2.39, 0.01), (-1.5, None)]


def test_the_header_becomes_tags() -> None:
    (game,) = ggf.read(SHORT)
    assert game.tags == {
        "Site": "GGS/os",
        "Date": "2003.12.15_12:33:18.MST",
        "Black": "ann",
        "White": "bob",
        "BlackRating": "1750.2",
        "WhiteRating": "1803",
        "Clock": "05:00//02:00",
    }


def test_unknown_tags_come_back_under_their_own_name() -> None:
    text = SHORT.replace("TY[8]", "KB[-2]KW[+2]KM[-2]TY[8k]")
    (game,) = ggf.read(text)
    assert (game.tags["KM"], game.tags["Type"]) == ("-2", "8k")
    written = ggf.write([game])
    assert "KM[-2]" in written and "TY[8k]" in written


def test_type_a_is_the_reversed_game() -> None:
    (game,) = ggf.read(SHORT.replace("TY[8]", "TY[8a]"))
    assert game.variant == Variant.named("reversed")
    assert "TY[8a]" in ggf.write([game])


def test_a_random_start_stands_in_bo() -> None:
    board = "6 ------" + "-*****" + "--O*--" + "--*O--" + "------" + "------ O"
    (game,) = ggf.read(f"(;GM[Othello]TY[6r9]BO[{board}];)")
    assert game.position.count(Color.BLACK) == 7 and game.position.turn is Color.WHITE
    assert "TY[6r9]" in ggf.write([game])


def test_the_mirrored_start_is_known_by_its_discs() -> None:
    game = Game.from_transcript("e3", Variant.named("othello-mirrored"))
    assert ggf.read(ggf.write([game]))[0].variant == game.variant


def test_an_archive_line_holds_the_two_games_of_a_synchro_match() -> None:
    text = f"2 {SHORT.replace('TY[8]', 'TY[s8]')}{SHORT.replace('TY[8]', 'TY[s8]')}\n1 {SHORT}\n"
    assert [game.tags.get("Type") for game in ggf.read(text)] == ["s8", "s8", None]


def test_a_count_that_announces_more_games_than_there_are_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^GGF, line 2: 1 of the games that it announces are missing$"):
        ggf.read(f"1 {SHORT}\n2 {SHORT}\n")


@pytest.mark.parametrize(
    ("stated", "outcome"),
    [
        ("+64.000:r", Outcome(Color.BLACK, None, "White resigned")),
        ("-64.000:t", Outcome(Color.WHITE, None, "Black ran out of time")),
        ("+4.000:s", Outcome(Color.BLACK, None, "agreed")),
        ("0.000:s", Outcome(None, None, "agreed")),
        ("?", None),
    ],
)
def test_the_result_s_letter_says_how_a_game_ended(stated: str, outcome: Outcome | None) -> None:
    (game,) = ggf.read(SHORT.replace("RE[?]", f"RE[{stated}]"))
    assert game.outcome() == outcome
    again = ggf.write([game])
    assert ggf.read(again)[0].outcome() == outcome
    assert f"RE[{stated}]" in again or stated == "0.000:s"


def test_brackets_and_backslashes_in_names_are_escaped() -> None:
    game = Game(tags={"Black": "a]b\\", "Site": "C:\\[x]"})
    assert ggf.read(ggf.write([game]))[0].tags == game.tags


def test_passes_may_be_written_or_left_out() -> None:
    # Black's c1 leaves White without a move; GGF writes PA, and some programs leave it out.
    start = "8 *O-*O---" + "-" * 56 + " *"
    with_pass = f"(;GM[Othello]TY[8]BO[{start}]B[c1]W[PA]B[f1];)"
    games = [ggf.read(with_pass)[0], ggf.read(with_pass.replace("W[PA]", ""))[0]]
    assert [game.moves for game in games] == [[2, PASS, 5]] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SHORT.replace("B[c4/-1.5]", "B[a1]"), r"game 1 \(line 1\): move 3: a1 is not legal: Black would turn no disc"),
        (SHORT.replace("B[c4/-1.5]", "W[c4]"), r"move 3: White plays c4, but Black is to move"),
        (SHORT.replace("B[c4/-1.5]", "B[c4/x]"), r"move 3: 'x' is not a number"),
        (SHORT.replace("B[c4/-1.5]", "B[z9]"), r"move 3: 'z9' is not a square"),
        (SHORT[:-40], r"GGF, game 1, line 1: the text ends inside"),
        (SHORT[:-2], r"GGF, line 1: the text ends inside game 1"),
        (SHORT.replace("TY[8]", "TY[10]"), r"a board has 4 to 8 rows, not 10"),
        (SHORT.replace("TY[8]", "TY[6]"), r"BO\[8 …\] does not match the size of the type, 6"),
        (SHORT.replace(START, START[:-3] + "*"), r"BO has 64 marks, but needs 64 squares and the side to move"),
        (SHORT.replace("GM[Othello]", "GM[Amazons]"), r"GM is 'Amazons', not Othello"),
        (SHORT + "\nnonsense", r"GGF, line 2: a game must begin with '\(;', not with 'nonsense'"),
        ("(;GM[Othello]TY[8];)", r"BO, the start board, is missing"),
        ("", r"GGF: it has no games"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ggf.read(text)


def test_a_board_that_is_not_square_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^game 2: GGF holds only square boards, not 6x8$"):
        ggf.write([Game(), Game(Variant.named("6x8"))])
