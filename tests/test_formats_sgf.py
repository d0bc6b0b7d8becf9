"""SGF: a game is a tree there as it is here."""

import pytest
from annotated import annotated_games, facts, tree
from hypothesis import given

from outflank.board.game import Game
from outflank.board.position import Outcome, Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.formats import sgf

HEAD = "(;FF[4]GM[2]SZ[8]"


@given(annotated_games(branches=True))
def test_what_is_written_is_read_again_with_every_variation(game: Game) -> None:
    (again,) = sgf.read(sgf.write([game]))
    assert facts(again) == facts(game)
    assert again.start == game.start
    assert tree(again) == tree(game)


def test_points_are_a1_style() -> None:
    (game,) = sgf.read(HEAD + ";B[f5];W[F6];B[e6])")
    assert game.transcript == "f5f6e6"


def test_the_first_variation_is_the_game() -> None:
    (game,) = sgf.read(HEAD + ";B[f5](;W[d6];B[c3](;W[d3])(;W[g5]))(;W[f6];B[e6])(;W[f4]))")
    assert game.transcript == "f5d6c3d3"
    assert {node.line()[-1].move for node in game.nodes() if not node.children} == {19, 38, 44, 29}


def test_a_game_that_was_taken_back_stands_where_it_was_left() -> None:
    game = Game.from_transcript("f5d6c3")
    game.pop()
    (again,) = sgf.read(sgf.write([game]))
    assert again.transcript == "f5d6"
    assert again.redo() == 18


def test_values_are_black_s_view_in_the_file_and_the_mover_s_here() -> None:
    (game,) = sgf.read(HEAD + ";B[f5]V[2];W[d6]V[2])")
    assert [node.score for node in game.line] == [2.0, -2.0]


def test_the_objective_and_the_start_stand_in_ru() -> None:
    game = Game.from_moves([], Variant.named("reversed-6x6-parallel"))
    text = sgf.write([game])
    assert "RU[reversed-6x6-parallel]" in text and "SZ[6]" in text and "AB[c4][d4]" in text
    assert sgf.read(text)[0].start == game.start


def test_a_board_that_is_not_square_has_columns_before_rows() -> None:
    game = Game(Variant.named("5x7"))
    text = sgf.write([game])
    assert "SZ[7:5]" in text
    assert sgf.read(text)[0].variant == game.variant


def test_somebody_else_s_rules_are_a_tag() -> None:
    (game,) = sgf.read(HEAD + "RU[World Othello Federation])")
    assert game.variant == Variant() and game.tags == {"RU": "World Othello Federation"}
    assert sgf.read(sgf.write([game]))[0].tags == game.tags


def test_a_set_up_may_use_rectangles_and_leave_the_side_to_its_first_move() -> None:
    (game,) = sgf.read(HEAD + "AB[b1][b2]AW[a1:a2];W[c1])")
    assert game.start == Position(1 << 1 | 1 << 9, 1 | 1 << 8, Color.WHITE)


def test_passes_are_read_in_both_spellings_or_left_out() -> None:
    # Black's c1 leaves White without a move.
    setup = HEAD + "AB[a1][d1]AW[b1][e1]PL[B];B[c1]"
    for passed in (";W[PA]", ";W[]", ""):
        (game,) = sgf.read(setup + passed + ";B[f1])")
        assert game.moves == [2, PASS, 5]


def test_comments_keep_brackets_colons_and_line_breaks() -> None:
    game = Game()
    game.push("f5", text="a] [b: c\\\nsecond line")
    assert sgf.read(sgf.write([game]))[0].line[0].text == "a] [b: c\\\nsecond line"
    (soft,) = sgf.read(HEAD + ";B[f5]C[one \\\nline])")
    assert soft.line[0].text == "one line"


@pytest.mark.parametrize(
    ("stated", "outcome"),
    [
        ("B+R", Outcome(Color.BLACK, None, "White resigned")),
        ("W+Resign", Outcome(Color.WHITE, None, "Black resigned")),
        ("W+T", Outcome(Color.WHITE, None, "Black ran out of time")),
        ("B+Forfeit", Outcome(Color.BLACK, None, "White forfeited")),
        ("?", None),
        ("B+12", None),
        ("Void", None),
    ],
)
def test_results_of_unfinished_games(stated: str, outcome: Outcome | None) -> None:
    (game,) = sgf.read(HEAD + f"RE[{stated}];B[f5])")
    assert game.outcome() == outcome
    again = sgf.read(sgf.write([game]))[0]
    assert (again.outcome(), again.tags) == (outcome, game.tags)


def test_the_result_of_a_finished_game_is_its_score() -> None:
    game = Game.from_transcript(
        "c2b4c5d2e4e3d1c1b1d5d6f4b3b2f3f2e2b6a4c6a6a2b5a5e6e5a3a1f5f6e1f1", Variant.named("6x6")
    )
    assert "RE[W+4]" in sgf.write([game])


def test_a_collection_holds_several_games_and_text_before_them() -> None:
    text = "Two games:\n" + HEAD + ";B[f5])\n" + HEAD + ";B[d3])\n"
    assert [game.transcript for game in sgf.read(text)] == ["f5", "d3"]


def test_properties_spelled_out_are_known_by_their_capitals() -> None:
    (game,) = sgf.read("(;FileFormat[3]GaMe[2]SiZe[8]PlayerBlack[ann];Black[f5])")
    assert (game.transcript, game.tags) == ("f5", {"Black": "ann"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + ";B[f5];W[a1])", r"^SGF, game 1, line 1: move 2: a1 is not legal: White would turn no discs there$"),
        (HEAD + ";B[f5];B[d6])", r"move 2: Black plays d6, but White is to move$"),
        (HEAD + ";B[dd])", r"'dd' is not a square"),
        (HEAD + ";B[f5]", r"^SGF, game 1, line 1: the text ends inside it$"),
        (HEAD + "\n;B[f5]\n;W[d", r"line 3: the text ends inside W\["),
        (HEAD + ";B[f5];AB[a1])", r"AB after the first node: only the first node may set up a board"),
        (HEAD + ";B[f5] 17)", r"'17\)' is not a property"),
        ("(;GM[1]SZ[19];B[pd])", r"GM\[1\] is not Othello, which is GM\[2\]"),
        ("(;GM[2]SZ[10])", r"a board has 4 to 8 rows, not 10"),
        ("(;GM[2]SZ[x])", r"SZ\[x\] is not a size"),
        ("(;GM[2]AB[a1]AW[a1])", r"a1 holds both a black and a white disc"),
        ("(;)", r"the first node is empty"),
        (HEAD + "())", r"a variation has no node"),
        (HEAD + ")\nrubbish", r"^SGF, game 2, line 2: a game must begin with '\(;', not with 'rubbish'$"),
        ("nothing", r"^SGF: it has no games$"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sgf.read(text)
