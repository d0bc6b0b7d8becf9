"""The page of players: each with a face, an idea and a strength; to play with, to take apart, to let meet."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, expect

from browser.visitor import PHONE, Visitor

Visit = Callable[..., Visitor]
ROOT = Path(__file__).parents[2]
FIVE = ("corner-shy", "mini-go", "phased", "self-taught", "dynamic")


def card(visitor: Visitor, name: str) -> Locator:
    return visitor.page.locator(f'[data-player="{name}"]')


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize(("locale", "five"), [("en-GB", "The five"), ("zh-CN", "五位棋手")])
def test_everybody_is_there(visit: Visit, size: dict[str, Any], locale: str, five: str) -> None:
    visitor = visit(locale=locale, **size).open("/#lab/players")
    expect(visitor.page.get_by_role("heading", name=five)).to_be_visible()
    for name in (*FIVE, "engine", "alphabeta", "mcts", "greedy", "random"):
        one = card(visitor, name)
        expect(one.locator("svg.portrait")).to_be_visible()
        sentences = re.findall(r"[.。]", one.locator(".idea").inner_text())
        assert len(sentences) == 2, name
        expect(one.locator(".strength")).not_to_be_empty()
    faces = visitor.page.eval_on_selector_all(".portrait", "all => all.map(one => one.innerHTML)")
    assert len(set(faces)) == len(faces), "everybody has a face of his own"
    assert "Seed" not in visitor.page.locator(".players").inner_text()
    assert [each["id"] for each in Axe().run(visitor.page).response["violations"]] == []
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out"


def test_the_five_are_as_strong_as_was_found() -> None:
    """The numbers on the page are those of the cross tables in findings.md."""
    found = (ROOT / "docs/findings.md").read_text()
    texts = (ROOT / "src/outflank/web/page/texts.en.js").read_text()
    for name in FIVE:
        ratings = re.findall(rf"^\| `{name}` \| (\S+) \[", found, re.MULTILINE)[:2]
        said = re.search(rf'"player.{name}.strength": "Elo among the five: (\S+) in Othello, (\S+) in', texts)
        assert said is not None and list(said.groups()) == ratings


def test_to_play_with(visitor: Visitor) -> None:
    visitor.open("/#lab/players")
    card(visitor, "greedy").get_by_role("button", name="Play with greedy").click()
    expect(visitor.screen("play")).to_be_visible()
    expect(visitor.page.locator("#play .seat .name").last).to_have_text("greedy")
    visitor.status("Your move")


def test_one_made_for_the_other_game_is_met_there(visitor: Visitor) -> None:
    visitor.open("/#lab/players")
    card(visitor, "corner-shy").get_by_role("button", name="Play with corner-shy").click()
    expect(visitor.page.locator("#play .badge")).to_be_visible()


def test_to_take_apart_and_to_let_meet(visitor: Visitor) -> None:
    visitor.open("/#lab/players")
    card(visitor, "phased").get_by_role("button", name="Take phased apart").click()
    expect(visitor.page.locator(".bench-side select").first).to_have_value("player phased")
    expect(visitor.page.locator(".features")).to_contain_text("liberty")
    expect(visitor.page.locator(".choice")).to_contain_text("Plays")  # its move, as it does when Play leads here
    visitor.page.get_by_role("tab", name="Search tree").click()
    expect(visitor.page.get_by_role("combobox", name="Heuristic or player")).to_have_value("player phased")
    visitor.open("/#lab/players")
    card(visitor, "dynamic").get_by_role("link", name="Let dynamic meet others").click()
    expect(visitor.page.locator(".match select").first).to_have_value("dynamic")
