"""OBF, the format of test suites."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import positions, variants

from outflank.board.position import Position
from outflank.board.squares import PASS, Color
from outflank.board.variant import Variant
from outflank.formats import obf
from outflank.formats.obf import Problem

START = "---------------------------OX------XO--------------------------- X"
scores = st.integers(-64, 64).map(float) | st.integers(-6400, 6400).map(lambda hundredths: hundredths / 100)


@given(st.data(), variants)
def test_what_is_written_is_read_again(data: st.DataObject, variant: Variant) -> None:
    position = data.draw(positions(st.just(variant)))
    moves = [PASS] if position.must_pass else position.legal_moves
    known = {move: data.draw(scores) for move in moves if data.draw(st.booleans())}
    problem = Problem(position, known, data.draw(st.none() | scores), data.draw(st.sampled_from(["", "number 40"])))
    assert obf.read(obf.write([problem]), variant) == [problem]


def test_each_move_has_its_score() -> None:
    (problem,) = obf.read(START + "; D3:+2; C4:-4; F5:+0; E6:+1.5;")
    assert problem.scores == {19: 2.0, 26: -4.0, 37: 0.0, 44: 1.5}
    assert problem.best == 2.0


def test_a_lone_score_is_the_position_s() -> None:
    (problem,) = obf.read(START + "; +6;")
    assert (problem.score, problem.best, problem.scores) == (6.0, 6.0, {})


def test_comments_empty_lines_and_fillers_are_skipped() -> None:
    (problem,) = obf.read(f"% the start\n\n{START}; D3:+2; --:-127; % why not\n")
    assert problem == Problem(Position.start(), {19: 2.0}, None, "why not")


def test_the_variant_gives_the_objective_and_the_shape() -> None:
    variant = Variant.named("reversed-4x6")
    (problem,) = obf.read(Position.start(variant).text + ";", variant)
    assert problem.position == Position.start(variant)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (START[1:] + ";", r"^OBF, line 1: board text: there are 63 squares before the side to move, not 64$"),
        (f"{START};\n{START}; A1:+2;", r"^OBF, line 2: A1 is not a legal move in the position$"),
        (f"{START}; D3:x;", r"^OBF, line 1: 'D3:x' is neither MOVE:SCORE nor a score$"),
        (f"{START}; D3:+1", r"^OBF, line 1: no ; after 'D3:\+1': the line is incomplete$"),
        (START, r"^OBF, line 1: no ; after '-{20}': the line is incomplete$"),
        ("X" * 10_000_000, r"^OBF, line 1: 10,000,000 characters are too many for a position with its scores$"),
        ("% nothing", r"^OBF: it has no positions$"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        obf.read(text)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), 1e9, 0.00001])
def test_a_score_that_the_format_cannot_hold_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match=r"^OBF cannot hold the score"):
        obf.write([Problem(Position.start(), {}, score)])


def test_the_side_to_move_may_be_white() -> None:
    (problem,) = obf.read(START[:-1] + "O; E3:+0;")
    assert problem.position.turn is Color.WHITE
