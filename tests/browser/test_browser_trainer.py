"""The trainer: find the best move, see why, come back to what was missed, and play openings as masters do."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser.visitor import PHONE, Visitor
from outflank.board.position import Position
from outflank.board.squares import square_name
from outflank.library.exercises import Exercise, shipped

Visit = Callable[..., Visitor]
SIZES = pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])


def asked(visitor: Visitor) -> Exercise:
    """The exercise on the screen: the one with this board, whoever is to move."""
    expect(visitor.page.locator("#train .cell.legal").first).to_be_visible()
    board, legal = visitor.shown("train")
    return next(
        one
        for one in shipped().values()
        if one.position.text[:-2] == board and {square_name(move) for move, _ in one.values} == set(legal)
    )


def record(visitor: Visitor, name: str) -> Any:
    return visitor.page.locator(f"#train [data-record={name}] dd")


@pytest.mark.parametrize(
    ("size", "locale", "right", "again"),
    [({}, "en-GB", "Right", "You missed it before"), (PHONE, "zh-CN", "正确", "你以前答错过")],
    ids=["desktop", "phone-zh"],
)
def test_a_position_is_missed_found_and_comes_back(
    visit: Visit, size: dict[str, Any], locale: str, right: str, again: str
) -> None:
    visitor = visit(locale=locale, **size).open("/#train")
    missed = asked(visitor)
    worst, best = square_name(missed.values[-1][0]), square_name(missed.best)
    visitor.play(worst, "train")
    status = visitor.page.locator("#train .status")
    expect(status).to_contain_text(best)
    expect(visitor.square(best, "train")).to_have_class("cell empty best" + (" exact" if missed.exact else ""))
    expect(record(visitor, "streak")).to_have_text("0")
    expect(record(visitor, "again")).to_have_text("1")
    for number in range(1, 4):
        visitor.page.locator("#train .actions button").first.click()
        expect(visitor.page.locator("#train .cell.best")).to_have_count(0)
        visitor.play(square_name(asked(visitor).best), "train")
        expect(status).to_contain_text(right)
        expect(record(visitor, "streak")).to_have_text(str(number))
    visitor.page.locator("#train .actions button").first.click()
    expect(visitor.page.locator("#train .said")).to_contain_text(again)
    assert asked(visitor) == missed
    assert [each["id"] for each in Axe().run(visitor.page).response["violations"]] == []
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out"
    visitor.page.reload()
    expect(record(visitor, "best")).to_have_text("3")


def test_endings_by_empties_and_by_objective(visitor: Visitor) -> None:
    visitor.open("/#train")
    asked(visitor)
    for label, value in (("Positions", "endings"), ("Who wins", "fewest"), ("Empty squares", "few")):
        with visitor.page.expect_response("**/api/trainer/next"):  # one answer after the other: the last one counts
            visitor.page.get_by_label(label).select_option(value)
    expect(visitor.page.locator("#train .badge")).to_be_visible()
    expect(visitor.page.locator("#train .said")).to_contain_text(re.compile("solved ending, [4-7] empty"))
    exercise = asked(visitor)
    assert exercise.position.variant.reversed and 4 <= exercise.position.empties <= 7


def test_no_mistakes_yet(visitor: Visitor) -> None:
    visitor.open("/#train")
    asked(visitor)  # the first answer, before another is asked for
    visitor.page.get_by_label("Positions").select_option("mistakes")
    expect(visitor.page.locator("#train .said")).to_contain_text("Play a game to the end")


@SIZES
def test_an_opening_as_the_named_ones_go(visit: Visit, size: dict[str, Any]) -> None:
    visitor = visit(**size).open("/#train")
    asked(visitor)
    visitor.page.get_by_label("Positions").select_option("openings")
    expect(visitor.page.locator("#train .status")).to_contain_text("which moves belong to a named opening?")
    assert visitor.board("train") == Position.start().text[:-2]
    visitor.play("f5", "train")
    visitor.page.wait_for_function("() => document.querySelectorAll('#train .cell:is(.black, .white)').length === 6")
    expect(record(visitor, "streak")).to_have_text("1")
    visitor.page.get_by_label("You play").select_option("white")
    visitor.page.wait_for_function("() => document.querySelectorAll('#train .cell:is(.black, .white)').length === 5")
    assert [each["id"] for each in Axe().run(visitor.page).response["violations"]] == []


def test_an_exercise_is_opened_in_analyse(visitor: Visitor) -> None:
    visitor.open("/#train")
    exercise = asked(visitor)
    visitor.play(square_name(exercise.best), "train")
    visitor.page.locator("#train").get_by_role("button", name="Open in Analyse").click()
    expect(visitor.screen("analyse")).to_be_visible()
    visitor.page.wait_for_function(
        "count => document.querySelectorAll('#analyse .cell:is(.black, .white)').length === count",
        arg=64 - exercise.position.empties,
    )
