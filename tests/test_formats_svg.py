"""The picture of a position."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import positions

from outflank.board.position import Position
from outflank.board.squares import PASS
from outflank.board.svg import CELL, MARGIN, draw
from outflank.board.variant import Variant
from outflank.formats import pictures

SVG = "{http://www.w3.org/2000/svg}"


def fills(picture: str) -> list[str]:
    return [circle.get("fill", "") for circle in ElementTree.fromstring(picture).iter(f"{SVG}circle")]


@given(positions())
def test_a_picture_is_valid_xml_with_a_disc_for_each_disc(position: Position) -> None:
    drawn = fills(draw(position))
    assert drawn.count("url(#outflank-black)") == position.black.bit_count()
    assert drawn.count("url(#outflank-white)") == position.white.bit_count()
    dot = "#fff" if position.turn else "#000"
    assert drawn.count(dot) == len(position.legal_moves)


@given(positions())
def test_a_picture_carries_its_position(position: Position) -> None:
    assert pictures.read(draw(position)) == position


@given(st.dictionaries(st.integers(0, 63), st.text(st.characters(), max_size=8), max_size=4))
def test_labels_are_escaped(marks: dict[int, str]) -> None:
    texts = [text.text or "" for text in ElementTree.fromstring(draw(Position.start(), marks=marks)).iter(f"{SVG}text")]
    labels = texts[16:]  # after the coordinates
    assert len(labels) == len(marks)
    for label, mark in zip(labels, marks.values(), strict=True):
        assert label == "".join(letter if letter.isprintable() else " " for letter in mark)


def test_the_last_move_is_marked_and_a_pass_is_not() -> None:
    position = Position.start().play("f5")
    assert fills(draw(position, last=37)).count("#e0533d") == 1
    assert fills(draw(position, last=PASS)).count("#e0533d") == 0


def test_squares_go_by_name_too() -> None:
    after = Position.start().play("f5")
    assert draw(after, last="f5", marks={"f6": "A"}) == draw(after, last=37, marks={45: "A"})
    assert (after.mark("f5"), after.mark("d4"), after.mark("a1")) == ("X", "O", "-")
    with pytest.raises(ValueError, match="'z9' is not a square"):
        draw(after, last="z9")


def test_legal_moves_can_be_left_out() -> None:
    assert "#000" not in fills(draw(Position.start(), legal=False))


def test_the_longer_side_has_the_size_asked_for() -> None:
    root = ElementTree.fromstring(draw(Position.start(Variant.named("4x8")), size=800))
    assert (root.get("width"), root.get("viewBox")) == ("800", f"0 0 {8 * CELL + 2 * MARGIN} {4 * CELL + 2 * MARGIN}")
    assert float(root.get("height", "")) < 800


def test_the_title_says_the_position_to_those_who_cannot_see_it() -> None:
    title = ElementTree.fromstring(draw(Position.start().play("f5"), last=37)).find(f"{SVG}title")
    assert title is not None
    assert title.text == "Othello board, 8x8: Black 4, White 1; White to move; last move f5"


def test_notebooks_show_the_picture() -> None:
    assert Position.start()._repr_svg_() == draw(Position.start())


def test_a_mark_outside_the_board_is_refused() -> None:
    small = Position.start(Variant.named("4x4"))
    for arguments in ({"last": 63}, {"marks": {7: "x"}}, {"last": -1}):
        with pytest.raises(ValueError, match="is outside the 4x4 board"):
            draw(small, **arguments)
    with pytest.raises(ValueError, match="at least 1 pixel"):
        draw(small, size=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<svg></svg>", r"^SVG: only whole pictures drawn by Outflank contain a position that can be read$"),
        (draw(Position.start()).replace("othello ---", "othello --"), r"^SVG: board text: there are 63 squares before"),
        (draw(Position.start())[:300], r"^SVG: only whole pictures drawn by Outflank"),
    ],
)
def test_other_pictures_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pictures.read(text)
