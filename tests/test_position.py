"""A position is an immutable value that is valid by construction and knows the rules."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from xml.etree import ElementTree

import naive
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import late_positions, played_positions, positions, setup_positions

from outflank.board.position import Outcome, Position
from outflank.board.squares import PASS, Color, square_name, squares_of
from outflank.board.variant import OTHELLO, REVERSED, Objective, Variant

START_TEXT = "---------------------------OX------XO--------------------------- X"
EMPTY_ROW = "--------"


def names(mask: int) -> set[str]:
    return {square_name(square) for square in squares_of(mask)}


# A value


def test_a_position_cannot_be_changed() -> None:
    start = Position.start()
    for field, value in (("black", 1), ("turn", Color.WHITE), ("variant", REVERSED)):
        with pytest.raises(FrozenInstanceError):
            setattr(start, field, value)
    with pytest.raises((AttributeError, TypeError)):
        start.note = "mine"  # type: ignore[attr-defined]


@given(positions())
def test_playing_leaves_a_position_as_it_was(position: Position) -> None:
    before = position.text
    for move in position.legal_moves:
        assert position.play(move) != position
    assert position.text == before


@given(positions())
def test_equal_positions_are_equal_keys(position: Position) -> None:
    twin = Position(position.black, position.white, position.turn, position.variant)
    assert twin == position
    assert hash(twin) == hash(position)
    assert {position: 1}[twin] == 1


@given(positions())
def test_positions_differ_in_discs_turn_and_variant(position: Position) -> None:
    objective: Objective = "most" if position.variant.reversed else "fewest"
    others = [
        replace(position, turn=position.turn.other),
        replace(position, variant=replace(position.variant, objective=objective)),
    ]
    if position.empty:
        others.append(replace(position, black=position.black | 1 << next(squares_of(position.empty))))
    assert len({position, *others}) == 1 + len(others)


@given(positions())
def test_a_position_survives_pickling_and_copying(position: Position) -> None:
    assert pickle.loads(pickle.dumps(position)) == position
    assert copy.deepcopy(position) == position


def test_two_discs_cannot_share_a_square() -> None:
    with pytest.raises(ValueError, match="d3 holds both a black and a white disc"):
        Position(1 << 19, 1 << 19)


@pytest.mark.parametrize(("black", "white"), [(1 << 6, 0), (0, 1 << 48), (1 << 64, 0), (-1, 0)])
def test_no_disc_stands_outside_the_board(black: int, white: int) -> None:
    with pytest.raises(ValueError, match="outside the 6x6 board"):
        Position(black, white, Color.BLACK, Variant(6, 6))


def test_the_largest_board_has_an_outside_too() -> None:
    for beyond in (1 << 64, -1):
        with pytest.raises(ValueError, match="outside the 8x8 board"):
            Position(beyond, 0)


# Board text


def test_the_text_of_the_start() -> None:
    assert Position.start().text == START_TEXT
    assert Position.from_text(START_TEXT) == Position.start()


@given(positions())
def test_text_leads_back_to_its_position(position: Position) -> None:
    assert Position.from_text(position.text, position.variant) == position


@given(positions())
def test_a_square_board_is_known_by_the_length_of_its_text(position: Position) -> None:
    assume(position.variant.rows == position.variant.columns)
    read = Position.from_text(position.text)
    assert (read.black, read.white, read.turn) == (position.black, position.white, position.turn)
    assert read.variant == Variant(position.variant.rows, position.variant.columns)


@given(setup_positions(), st.data())
def test_every_mark_and_any_white_space_is_read(position: Position, data: st.DataObject) -> None:
    marks = {"X": "Xx*bB", "O": "OowW", "-": "-.", " ": [" ", "\n", "\t", ""]}
    drawn = "".join(data.draw(st.sampled_from(marks[mark])) for mark in position.text)
    spaced = data.draw(st.sampled_from(["", " ", "\n", " \t"])).join(drawn)
    assert Position.from_text(spaced, position.variant) == position


@given(positions())
def test_black_moves_where_the_text_does_not_say(position: Position) -> None:
    squares = position.text.split()[0]
    assert Position.from_text(squares, position.variant) == replace(position, turn=Color.BLACK)


@pytest.mark.parametrize("digit", ["0", "1", "2"])
def test_digits_are_refused_with_their_place(digit: str) -> None:
    # Two programs read 0 in opposite ways.
    with pytest.raises(ValueError, match=f"'{digit}' at square 12 is not one of X"):
        Position.from_text(START_TEXT[:11] + digit + START_TEXT[12:])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "0 marks do not make a square board"),
        ("-" * 63, "63 marks do not make a square board"),
        ("-" * 62 + " X", "63 marks do not make a square board"),
        ("-" * 66, "66 marks do not make a square board"),
        ("-" * 100 + "X", "101 marks do not make a square board"),
        ("-" * 20, "20 marks do not make a square board.*other boards need the variant"),
        ("-" * 64 + " -", "the side to move must be X or O, not '-'"),
        (START_TEXT.replace("O", "Q", 1), "'Q' at square 28"),
        ("é" + START_TEXT[1:], "'é' at square 1"),
    ],
)
def test_a_wrong_text_is_refused_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as refusal:
        Position.from_text(text)
    assert "\n" not in str(refusal.value)


def test_a_text_must_fit_the_variant_asked_for() -> None:
    with pytest.raises(ValueError, match="65 marks, but 6x6 needs 36 squares"):
        Position.from_text(START_TEXT, Variant(6, 6))
    with pytest.raises(ValueError, match="34 marks, but 5x7 needs 35 squares"):
        Position.from_text("-" * 34, Variant(5, 7))


def test_the_variant_gives_what_the_text_cannot_say() -> None:
    assert Position.from_text(START_TEXT, REVERSED) == Position.start(REVERSED)
    assert Position.from_text(Position.start(Variant(5, 7)).text, Variant(5, 7)) == Position.start(Variant(5, 7))


@given(positions())
def test_repr_is_python_that_makes_the_position(position: Position) -> None:
    assert eval(repr(position), {"Position": Position, "Variant": Variant}) == position


def test_a_position_prints_as_a_board() -> None:
    assert str(Position.start(Variant(4, 5))) == "\n".join(
        [
            "  a b c d e",
            "1 - - - - -",
            "2 - O X - -",
            "3 - X O - -",
            "4 - - - - -",
            "Black to move",
        ]
    )


def test_a_finished_game_prints_its_result() -> None:
    assert str(Position.from_text("XXXX XXXX XXXX XXX- O")).endswith("Black wins by 16")


@given(positions())
def test_every_position_prints(position: Position) -> None:
    header, *rows, state = str(position).splitlines()
    assert len(header.split()) == position.variant.columns
    assert "".join("".join(row.split()[1:]) for row in rows) == position.text.split()[0]
    assert state == str(position.outcome()) if position.is_over else state == f"{position.turn} to move"


@given(played_positions())
def test_a_notebook_shows_an_svg_board(position: Position) -> None:
    picture = ElementTree.fromstring(position._repr_svg_())
    assert picture.tag.split("}")[-1] == "svg"


def test_two_positions_have_two_pictures() -> None:
    start = Position.start()
    pictures = {position._repr_svg_() for position in (start, start.play("d3"), start.play("f5"))}
    assert len(pictures) == 3


# Rules


@given(positions())
def test_own_is_the_side_to_move(position: Position) -> None:
    discs = [position.black, position.white]
    assert [position.own, position.opp] == (discs if position.turn is Color.BLACK else discs[::-1])
    assert position.empty == position.variant.board - position.black - position.white
    assert position.empties == position.variant.square_count - position.count(Color.BLACK) - position.count(Color.WHITE)


@given(positions())
def test_legal_moves_passes_and_ends_by_the_rules(position: Position) -> None:
    choices = naive.choices(position.own, position.opp, position.variant.board)
    assert list(position.legal_moves) == [move for move in choices if move != PASS]
    assert set(squares_of(position.legal)) == set(position.legal_moves)
    assert position.must_pass == (choices == [PASS])
    assert position.is_over == (not choices)


@given(positions())
def test_playing_by_the_rules(position: Position) -> None:
    for move in naive.choices(position.own, position.opp, position.variant.board):
        after = position.play(move)
        assert (after.own, after.opp) == naive.play(position.own, position.opp, move, position.variant.board)
        assert (after.turn, after.variant) == (position.turn.other, position.variant)
        assert position.play(square_name(move)) == position.play(square_name(move).upper()) == after


@given(positions())
def test_flips_are_what_a_move_turns(position: Position) -> None:
    for move in position.legal_moves:
        assert position.flips(move) == naive.flips(position.own, position.opp, move, position.variant.board)
        assert position.flips(square_name(move)) & ~position.opp == 0


def test_a_pass_turns_nothing() -> None:
    white_passes = Position.from_text("-OXX XXXX XXXX XXXX O")
    assert white_passes.must_pass
    assert white_passes.flips("pass") == 0
    assert white_passes.play("pass") == replace(white_passes, turn=Color.BLACK)


# A legal pass, a free pass and moves that cannot be played

BLACK_MUST_PASS = "-XOO OOOO OOOO OOOO X"
OVER = "XXXX XXXX XXXX XXX- X"


@pytest.mark.parametrize(
    ("position", "move", "complaint"),
    [
        (START_TEXT, "e4", "^e4 is not legal: a black disc is already there$"),
        (START_TEXT, "d4", "^d4 is not legal: a white disc is already there$"),
        (START_TEXT, "a1", "^a1 is not legal: Black would turn no discs there$"),
        (START_TEXT.replace(" X", " O"), "d3", "^d3 is not legal: White would turn no discs there$"),
        (START_TEXT, "pass", "^pass is not legal: Black can play d3, c4, f5, e6$"),
        (START_TEXT, 18, "^c3 is not legal: Black would turn no discs there$"),
        (START_TEXT, 65, "^65 is not a square"),
        (START_TEXT, -1, "^-1 is not a square"),
        (START_TEXT, "z9", "^'z9' is not a square"),
        (START_TEXT, "", "^'' is not a square"),
        (BLACK_MUST_PASS, "a1", "^a1 is not legal: Black has no move and must pass$"),
        (BLACK_MUST_PASS, "e1", "^e1 is not legal: it is outside the 4x4 board$"),
        (OVER, "d4", "^d4 is not legal: the game is over$"),
        (OVER, "pass", "^pass is not legal: the game is over$"),
    ],
)
def test_a_move_that_cannot_be_played_is_named_with_its_reason(position: str, move: int | str, complaint: str) -> None:
    for ask in (Position.from_text(position).play, Position.from_text(position).flips):
        with pytest.raises(ValueError, match=complaint):
            ask(move)


@given(positions(), st.integers(-3, 70))
def test_exactly_the_legal_moves_can_be_played(position: Position, move: int) -> None:
    if move in naive.choices(position.own, position.opp, position.variant.board):
        position.play(move)
    else:
        with pytest.raises(ValueError, match=r"is not legal: |is not a square: "):
            position.play(move)


# Outcome


def test_empties_go_to_the_winner() -> None:
    for text, score in ((OVER, 16), ("OOOO OOOO OOOO OO-- X", -16), ("XXXX XXXX OOOO OOOO X", 0)):
        assert Position.from_text(text).outcome() == Outcome(
            Color.BLACK if score > 0 else Color.WHITE if score < 0 else None, score
        )


def test_the_empty_squares_of_a_draw_go_to_nobody() -> None:
    drawn = Position.from_text("XXXX ---- ---- OOOO X")
    assert drawn.is_over
    assert drawn.outcome() == Outcome(None, 0)


def test_a_side_that_was_wiped_out_wins_reversed_reversi() -> None:
    wiped_out = "XXXX X--- ---- ---- O"
    assert Position.from_text(wiped_out, Variant(4, 4)).outcome() == Outcome(Color.BLACK, 16)
    assert Position.from_text(wiped_out, Variant(4, 4, "fewest")).outcome() == Outcome(Color.WHITE, -16)


@given(late_positions() | setup_positions())
def test_reversed_reversi_negates_the_score(position: Position) -> None:
    assume(position.is_over)
    most = replace(position, variant=replace(position.variant, objective="most")).outcome()
    fewest = replace(position, variant=replace(position.variant, objective="fewest")).outcome()
    assert most is not None and most.score is not None
    assert fewest is not None and fewest.score == -most.score
    assert fewest.winner == (None if most.winner is None else most.winner.other)


@given(late_positions() | setup_positions())
def test_the_score_is_blacks_whoever_is_to_move(position: Position) -> None:
    outcome = position.outcome()
    assert (outcome is None) == (not position.is_over)
    if outcome is not None:
        score = naive.final_margin(position.black, position.white, position.variant.board) * position.variant.sign
        assert outcome.score == score
        assert outcome.winner == (Color.BLACK if score > 0 else Color.WHITE if score < 0 else None)
        assert replace(position, turn=position.turn.other).outcome() == outcome


def test_a_margin_is_seen_from_a_side() -> None:
    assert [Outcome(Color.WHITE, -6).margin(color) for color in Color] == [-6, 6]
    assert [Outcome(Color.WHITE, None, "Black resigned").margin(color) for color in Color] == [None, None]


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (Outcome(Color.BLACK, 12), "Black wins by 12"),
        (Outcome(Color.WHITE, -2), "White wins by 2"),
        (Outcome(None, 0), "draw"),
        (Outcome(Color.WHITE, None, "Black resigned"), "White wins (Black resigned)"),
    ],
)
def test_outcomes_in_words(outcome: Outcome, text: str) -> None:
    assert str(outcome) == text


# Symmetries


@given(positions(), st.integers(0, 7))
def test_a_symmetric_position_has_the_symmetric_moves(position: Position, which: int) -> None:
    assume(which in position.variant.symmetries)
    rows, columns = position.variant.rows, position.variant.columns
    turned = position.symmetry(which)
    assert turned.black == naive.symmetry(position.black, which, rows, columns)
    assert turned.white == naive.symmetry(position.white, which, rows, columns)
    assert (turned.turn, turned.variant) == (position.turn, position.variant)
    assert turned.legal == naive.symmetry(position.legal, which, rows, columns)
    assert turned.outcome() == position.outcome()


@given(positions())
def test_symmetric_positions_share_one_canonical_form(position: Position) -> None:
    orbit = {position.symmetry(which) for which in position.variant.symmetries}
    assert {form.canonical() for form in orbit} == {position.canonical()}
    assert position.canonical() in orbit
    assert position.symmetry(0) == position


@pytest.mark.parametrize(("name", "images"), [("", 4), ("-mirrored", 4), ("-parallel", 2)])
@pytest.mark.parametrize("size", ["4x4", "6x6", "8x8"])
def test_the_start_looks_the_same_from_several_sides(size: str, name: str, images: int) -> None:
    start = Position.start(Variant.named(size + name))
    assert sum(start.symmetry(which) == start for which in start.variant.symmetries) == images


@pytest.mark.parametrize(("variant", "which"), [(OTHELLO, 8), (OTHELLO, -1), (Variant(5, 7), 4)])
def test_a_symmetry_the_board_does_not_have_is_refused(variant: Variant, which: int) -> None:
    with pytest.raises(ValueError, match=f"{variant.rows}x{variant.columns} board has symmetries 0 to .*not {which}"):
        Position.start(variant).symmetry(which)


@given(positions())
def test_stable_discs_of_either_side(position: Position) -> None:
    board = position.variant.board
    assert position.stable(Color.BLACK) == naive.stable_discs(position.black, position.white, board)
    assert position.stable(Color.WHITE) == naive.stable_discs(position.white, position.black, board)


def test_a_taken_corner_is_stable() -> None:
    assert names(Position.from_text("XX-- O--- ---- ---- X").stable(Color.BLACK)) == {"a1", "b1"}


def test_a_board_that_is_not_square_needs_its_variant() -> None:
    text = Position.start(Variant(5, 7)).text
    with pytest.raises(
        ValueError, match="35 squares before the side to move, not 36; a board that is not square needs"
    ):
        Position.from_text(text)
    assert Position.from_text(text, Variant(5, 7)) == Position.start(Variant(5, 7))


@given(positions())
def test_twins_are_mirror_images(position: Position) -> None:
    twins = position.twins()
    assert tuple(twins) == position.legal_moves
    for move, (twin, which) in twins.items():
        assert twin <= move
        assert position.variant.mirrored(twin, which) == move
        assert position.play(twin).symmetry(which) == position.play(move)
    assert position.different_moves == tuple(sorted({twin for twin, _ in twins.values()}))


@pytest.mark.parametrize(
    ("name", "different"), [("othello", 1), ("6x6", 1), ("othello-parallel", 2), ("5x6", 4), ("5x6-parallel", 2)]
)
def test_the_first_moves_are_few(name: str, different: int) -> None:
    assert len(Position.start(Variant.named(name)).different_moves) == different
