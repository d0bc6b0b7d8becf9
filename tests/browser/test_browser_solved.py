"""Solved boards on the page: every move's value, and the perfect line to its end."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser.visitor import PHONE, Visitor

Visit = Callable[..., Visitor]


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize(
    ("locale", "solved", "over"),
    [("en-GB", "Solved. White wins by 10", "The game is over."), ("zh-CN", "已解出。 白方胜 10 子", "对局结束。")],
)
def test_4x4_is_played_perfectly_to_its_end(
    visit: Visit, size: dict[str, Any], locale: str, solved: str, over: str
) -> None:
    visitor = visit(locale=locale, **size).open("/#lab/solved")
    expect(visitor.page.locator("#lab .worth")).to_have_text(solved)
    values = visitor.page.locator("#lab .cell.legal .value")
    assert values.all_text_contents() == ["−10"] * 4, "all four are the same move"
    assert [each["id"] for each in Axe().run(visitor.page).response["violations"]] == []
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out"
    perfect = visitor.page.locator("#lab .bench-board button").last
    here = visitor.page.locator("#lab .here")
    for _ in range(12):
        before = visitor.board("lab")
        perfect.click()
        visitor.page.wait_for_function(
            """before => before !== [...document.querySelectorAll("#lab othello-board .cell")].map(cell =>
                cell.classList.contains("black") ? "X" : cell.classList.contains("white") ? "O" : "-").join("")""",
            arg=before,
        )
        if over in here.inner_text():
            break
    expect(here).to_have_text(over)
    assert visitor.board("lab").count("O") - visitor.board("lab").count("X") == 8, "11 to 3, and two to the winner"


def test_a_larger_board_shows_what_its_certificate_holds(visitor: Visitor) -> None:
    visitor.open("/#lab/solved")
    visitor.page.locator("#lab").get_by_role("combobox", name="Board", exact=True).select_option("6x6")
    expect(visitor.page.locator("#lab .worth")).to_have_text("Solved. White wins by 4")
    expect(visitor.page.locator("#lab .here")).to_contain_text("gets exactly −4")
    expect(visitor.page.locator("#lab .perfect")).to_contain_text("Perfect play from here: ")
    expect(visitor.page.locator("#lab .cell.best .value").first).to_have_text("−4")
