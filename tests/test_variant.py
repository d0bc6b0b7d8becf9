"""A variant is its size, start and objective, and has a name."""

from dataclasses import FrozenInstanceError
from pathlib import Path

import naive
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import ALL_VARIANTS, SIZES, STARTS, variants

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import PASS, Color, parse_square, square_name, squares_of
from outflank.board.variant import OTHELLO, REVERSED, Start, Variant
from outflank.formats.detect import detect
from outflank.formats.files import load


def names(mask: int) -> set[str]:
    return {square_name(square) for square in squares_of(mask)}


# Names


def test_wherever_a_variant_is_wanted_its_name_will_do(tmp_path: Path) -> None:
    six = Variant.named("reversed-6x6")
    assert Variant.named(six) is six
    assert Position.start("reversed-6x6") == Position.start(six) == Game("reversed-6x6").position
    assert Game.from_transcript("c2b2", "reversed-6x6").variant == six
    assert Game.from_moves(["c2", "b2"], "reversed-6x6").variant == six
    text = Position.start(six).text
    assert Position.from_text(text, "reversed-6x6") == Position.start(six)
    assert detect("c2b2", "reversed-6x6").games[0].variant == six
    (tmp_path / "game.txt").write_text("c2b2")
    assert load(tmp_path / "game.txt", variant="reversed-6x6").games[0].variant == six
    with pytest.raises(ValueError, match="'f5d6' is not a variant"):
        Game("f5d6")


def test_there_are_25_sizes_2_objectives_and_3_starts() -> None:
    assert len({variant.name for variant in ALL_VARIANTS}) == len(set(ALL_VARIANTS)) == 150


@pytest.mark.parametrize("variant", ALL_VARIANTS, ids=str)
def test_a_name_leads_back_to_its_variant(variant: Variant) -> None:
    assert Variant.named(variant.name) == variant
    assert Variant.named(f"  {variant.name.upper()} ") == variant
    assert str(variant) == variant.name


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("othello", Variant()),
        ("reversed", Variant(8, 8, "fewest")),
        ("8x8", Variant()),
        ("6x6", Variant(6, 6)),
        ("othello-6x6", Variant(6, 6)),
        ("reversed-6x6", Variant(6, 6, "fewest")),
        ("5x7", Variant(rows=5, columns=7)),
        ("othello-parallel", Variant(start="parallel")),
        ("reversed-4x8-mirrored", Variant(4, 8, "fewest", "mirrored")),
        ("6x6-diagonal", Variant(6, 6)),
    ],
)
def test_names(name: str, variant: Variant) -> None:
    assert Variant.named(name) == variant


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("", "not a variant"),
        ("   ", "not a variant"),
        ("chess", "'chess' is not a variant"),
        ("reversi!", "not a variant"),
        ("6", "not a variant"),
        ("6x", "not a variant"),
        ("x6", "not a variant"),
        ("6x6x6", "not a variant"),
        ("-parallel", "not a variant"),
        ("6x6 parallel", "not a variant"),
        ("3x4", "4 to 8 rows, not 3"),
        ("4x9", "4 to 8 columns, not 9"),
        ("10x10", "4 to 8 rows, not 10"),
        ("othello-0x0", "4 to 8 rows, not 0"),
        ("6x6-sideways", "unknown start 'sideways'"),
        ("othello-4x4-reversed", "reversed goes first, as in"),
    ],
)
def test_a_bad_name_is_refused_in_one_line(name: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as refusal:
        Variant.named(name)
    assert "\n" not in str(refusal.value)


@given(st.text(alphabet="othelrvsdx4568-pai mnT\n", max_size=24))
def test_any_text_is_a_variant_or_a_one_line_error(text: str) -> None:
    try:
        variant = Variant.named(text)
    except ValueError as error:
        assert "\n" not in str(error)
    else:
        assert variant in ALL_VARIANTS


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"rows": 3}, "4 to 8 rows, not 3"),
        ({"columns": 9}, "4 to 8 columns, not 9"),
        ({"rows": 6.0}, "rows"),
        ({"rows": "6"}, "rows"),
        ({"objective": "least"}, "'most' or 'fewest' discs, not 'least'"),
        ({"start": "random"}, "diagonal, parallel, mirrored, not 'random'"),
    ],
)
def test_an_impossible_variant_cannot_be_made(fields: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Variant(**fields)  # type: ignore[arg-type]


def test_a_variant_is_an_immutable_value() -> None:
    assert Variant(6, 6) == Variant(6, 6) != Variant(6, 6, "fewest")
    assert {Variant(), OTHELLO, REVERSED, Variant(objective="fewest")} == {OTHELLO, REVERSED}
    with pytest.raises(FrozenInstanceError):
        OTHELLO.rows = 6  # type: ignore[misc]


def test_fewest_discs_negate_the_score() -> None:
    assert (OTHELLO.reversed, OTHELLO.sign) == (False, 1)
    assert (REVERSED.reversed, REVERSED.sign) == (True, -1)


# Boards


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_the_board_lies_in_the_top_left_corner(rows: int, columns: int) -> None:
    variant = Variant(rows, columns)
    assert variant.board == naive.playable_mask(rows, columns)
    assert variant.square_count == len(variant.squares) == variant.board.bit_count() == rows * columns
    last = "abcdefgh"[columns - 1]
    assert names(variant.corners) == {"a1", f"a{rows}", f"{last}1", f"{last}{rows}"}


def test_exchange_formats_number_the_squares_row_by_row() -> None:
    squares = Variant(5, 7).squares
    assert [square_name(squares[index]) for index in (0, 6, 7, 34)] == ["a1", "g1", "a2", "g5"]


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_square_boards_have_eight_symmetries_and_others_four(rows: int, columns: int) -> None:
    assert len(Variant(rows, columns).symmetries) == (8 if rows == columns else 4)


# Starts


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_start_discs_by_the_rules(rows: int, columns: int, start: Start) -> None:
    discs = Variant(rows, columns, start=start).start_discs()
    assert (discs[Color.BLACK], discs[Color.WHITE]) == naive.start(rows, columns, start)


@pytest.mark.parametrize(
    ("name", "black", "white"),
    [
        ("othello", {"e4", "d5"}, {"d4", "e5"}),
        ("othello-mirrored", {"d4", "e5"}, {"e4", "d5"}),
        ("othello-parallel", {"d5", "e5"}, {"d4", "e4"}),
        ("4x4", {"c2", "b3"}, {"b2", "c3"}),
        ("5x5", {"c2", "b3"}, {"b2", "c3"}),
        ("7x7", {"d3", "c4"}, {"c3", "d4"}),
        ("5x8", {"e2", "d3"}, {"d2", "e3"}),
        ("7x4-parallel", {"b4", "c4"}, {"b3", "c3"}),
    ],
)
def test_start_discs(name: str, black: set[str], white: set[str]) -> None:
    discs = Variant.named(name).start_discs()
    assert names(discs[Color.BLACK]) == black
    assert names(discs[Color.WHITE]) == white


def test_black_begins_on_d3_c4_f5_or_e6() -> None:
    start = Position.start()
    assert start.turn is Color.BLACK
    assert names(start.legal) == {"d3", "c4", "f5", "e6"}


@given(variants)
def test_every_variant_starts_with_a_move_and_two_discs_a_side(variant: Variant) -> None:
    start = Position.start(variant)
    assert start.legal_moves
    assert start.count(Color.BLACK) == start.count(Color.WHITE) == 2


# Squares


@pytest.mark.parametrize("square", range(65))
def test_square_names_lead_back(square: int) -> None:
    assert parse_square(square_name(square)) == square
    assert parse_square(f" {square_name(square).upper()}\n") == square


@pytest.mark.parametrize(("name", "square"), [("a1", 0), ("h1", 7), ("a8", 56), ("h8", 63), ("d3", 19), ("F5", 37)])
def test_a1_is_bit_0_and_rows_are_8_apart(name: str, square: int) -> None:
    assert parse_square(name) == square


@pytest.mark.parametrize("name", ["pass", "PASS", "pa", "ps", "--"])
def test_names_of_a_pass(name: str) -> None:
    assert parse_square(name) == PASS


@pytest.mark.parametrize("name", ["", "i1", "a9", "a0", "a", "11", "a1b2", "1a", "p", "z" * 1000, "ａ1", "a١"])
def test_what_is_no_square_is_refused_in_a_short_line(name: str) -> None:
    with pytest.raises(ValueError, match="is not a square") as refusal:
        parse_square(name)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 120


@pytest.mark.parametrize("square", [-1, 65, 1000])
def test_a_number_beyond_the_board_has_no_name(square: int) -> None:
    with pytest.raises(ValueError, match=f"{square} is not a square"):
        square_name(square)


@given(st.sets(st.integers(0, 63)))
def test_squares_of_a_mask_come_lowest_first(squares: set[int]) -> None:
    assert list(squares_of(sum(1 << square for square in squares))) == sorted(squares)


def test_colors() -> None:
    assert [(str(color), color.symbol, str(color.other)) for color in Color] == [
        ("Black", "X", "White"),
        ("White", "O", "Black"),
    ]
