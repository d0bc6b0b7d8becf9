"""My games: nothing that was played is lost, whatever takes its place."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser.visitor import PHONE, Visitor

Visit = Callable[..., Visitor]


@pytest.mark.parametrize("size", [{}, PHONE])
def test_a_new_game_keeps_the_one_before(visit: Visit, size: dict[str, Any]) -> None:
    visitor = visit(**size).open()
    visitor.status("Your move")
    visitor.play("d3")
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(2)
    visitor.new_game(White="human")
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(0)
    visitor.page.locator("nav").get_by_role("link", name="My games").click()
    card = visitor.page.locator(".kept .card")
    expect(card).to_have_count(1)
    expect(card).to_contain_text("You – Casual")
    expect(card).to_contain_text("2 moves")
    expect(card.locator("svg.thumb circle")).to_have_count(6)
    found = Axe().run(visitor.page, options={"resultTypes": ["violations"]}).response["violations"]
    assert not [one["id"] for one in found if one["impact"] in ("serious", "critical")]
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    inside = card.evaluate("""card => [...card.querySelectorAll("button, button span")].every(each =>
        each.getBoundingClientRect().right <= card.getBoundingClientRect().right)""")
    assert inside, "nothing hangs over the next card"
    card.get_by_role("button", name="Analyse").click()
    expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(2)
    visitor.page.locator("nav").get_by_role("link", name="My games").click()
    card.get_by_role("button", name="Resume").click()
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(2)


def test_a_game_is_dated_and_described_as_its_reader_writes(visit: Visit) -> None:
    for locale, title, date in (
        ("en-GB", "6×6 · Fewest discs win", r"\d+ \w+ 20\d\d, \d\d:\d\d"),
        ("zh-CN", "6×6 · 子少者胜", r"20\d\d年\d+月\d+日 \d\d:\d\d"),
    ):
        visitor = visit(locale=locale).open("/?variant=reversed-6x6&moves=d5e5f5")
        expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(3)
        visitor.page.locator('nav [data-screen="games"]').click()
        card = visitor.page.locator(".kept .card").first
        expect(card).to_contain_text(title)
        expect(card).to_contain_text(re.compile(date))


def test_a_new_game_can_be_taken_back(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    visitor.play("d3")
    moves = visitor.page.locator("#play move-list button.move")
    expect(moves).to_have_count(2)
    visitor.new_game(White="human")
    expect(moves).to_have_count(0)
    visitor.page.locator(".toast").get_by_role("button", name="Back to it").click()
    expect(moves).to_have_count(2)
    visitor.page.go_back()
    expect(moves).to_have_count(0)


def test_a_second_tab_has_a_board_of_its_own(visitor: Visitor) -> None:
    visitor.sit_at(white="human", moves="f5d6")
    visitor.status("Black to move")
    other = visitor.context.new_page()
    other.goto(f"{visitor.server.url}/")
    expect(other.locator("#play .status")).to_contain_text("Your move")
    expect(other).to_have_url(re.compile("/b/"))  # before it has a board it has no moves either
    expect(other.locator("#play move-list button.move")).to_have_count(0)
    expect(other).not_to_have_url(re.compile(re.escape(visitor.page.url)))
    assert visitor.moves() == "f5d6"


def test_a_board_that_is_gone_goes_on_from_the_moves_in_its_address(visitor: Visitor) -> None:
    visitor.open("/b/nobodyhasthis?variant=othello&moves=f5d6#play")
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(2)
    assert visitor.moves() == "f5d6"


def test_my_games_in_chinese(visit: Visit) -> None:
    visitor = visit(locale="zh-CN").open("/#games")
    expect(visitor.page.get_by_role("heading", name="我的对局")).to_be_visible()
    expect(visitor.page.locator("#games-kept .none")).to_contain_text("还没有对局")


def test_a_game_is_forgotten_when_that_is_confirmed(visitor: Visitor) -> None:
    visitor.open("/?variant=othello&moves=f5#analyse")
    expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(1)
    visitor.page.locator("nav").get_by_role("link", name="My games").click()
    card = visitor.page.locator(".kept .card")
    expect(card).to_contain_text("1 move")
    expect(card).not_to_contain_text("1 moves")
    card.get_by_role("button", name="Forget").click()
    visitor.dialog.get_by_role("button", name="Cancel").click()
    visitor.page.reload()
    expect(card).to_have_count(1)
    card.get_by_role("button", name="Forget").click()
    visitor.dialog.get_by_role("button", name="Forget").click()
    expect(card).to_have_count(0)
    visitor.page.reload()
    expect(visitor.page.locator("#games-kept .none")).to_be_visible()
    expect(card).to_have_count(0)
