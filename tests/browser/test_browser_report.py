"""The report as a file: the page's modules without a server, in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from outflank.arena.contest import Conditions, Player
from outflank.arena.openings import openings_named
from outflank.arena.report.data import contents
from outflank.arena.report.judge import JudgeSpec
from outflank.arena.store import Store
from outflank.arena.tournament import Plan, Tournament
from outflank.board.variant import Variant
from outflank.search.limits import Limit
from outflank.web.report import write_page
from outflank.work.workers import Here

SIX = Variant.named("reversed-6x6")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    with Store() as store, Here() as workers:
        openings = openings_named("random:4", SIX, 1)
        plan = Plan(tuple(map(Player.named, ("greedy", "random", "alphabeta:depth=1"))), games=4)
        Tournament(plan, Conditions(SIX, Limit(), openings.name, 1), openings, store).play(workers)
        write_page(contents(store, store.events()[0], JudgeSpec("alphabeta:depth=1", 8)), path)
    return path


@pytest.fixture(params=["light", "dark"])
def opened(request: pytest.FixtureRequest, chromium: Browser, file: Path) -> Iterator[Page]:
    """The report on a screen; it asks nobody for anything, and the browser has nothing to complain of."""
    context = chromium.new_context(color_scheme=request.param, locale="en-GB", reduced_motion="reduce")
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda line: complaints.append(line.text) if line.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request", lambda request: complaints.append(request.url) if request.url[:5] not in ("file:", "data:") else None
    )
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-ready]")
    yield page
    context.close()
    assert not complaints


def test_a_game_is_stepped_through_and_its_address_kept(opened: Page) -> None:
    now, shown = opened.locator("p.now"), opened.locator(".record .moves [aria-current] td")
    opened.keyboard.press("Home")
    expect(now).to_contain_text("Start position")
    opened.keyboard.press("ArrowRight")
    expect(shown.first).to_have_text("1")
    opened.get_by_role("button", name="Forward").click()
    expect(shown.first).to_have_text("2")
    expect(opened).to_have_url(re.compile("#game=1&move=2$"))
    opened.keyboard.press("n")
    expect(opened.locator(".record .game").nth(1)).to_have_attribute("aria-selected", "true")
    expect(opened).to_have_url(re.compile("#game=2&"))  # its moves have been unpacked
    graph = opened.locator("value-graph")
    graph.focus()
    graph.press("End")
    expect(now).to_contain_text("The game is over.")


def test_tables_lead_to_their_games(opened: Page) -> None:
    games = opened.locator("#games .none").first
    expect(games).to_have_text("12 games")
    opened.locator("#ratings .link").first.click()
    expect(games).to_have_text("8 games")
    opened.locator("#games .pick").click()
    opened.locator("#openings .link").first.click()
    expect(games).not_to_have_text("12 games")
    opened.locator("#cross canvas").press("ArrowDown")
    opened.locator("#cross canvas").press("ArrowRight")
    opened.locator("#cross canvas").press("Enter")
    expect(games).to_have_text("4 games")
    score = opened.get_by_role("button", name="Rating", exact=True)
    score.click()
    score.click()
    expect(opened.locator("#ratings tbody td").first).to_have_text("3")


def test_light_and_dark_change_places_and_axe_is_content(opened: Page) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    before = opened.evaluate(paper)
    found = Axe().run(opened).response["violations"]
    assert not [each["id"] for each in found if each["impact"] in ("serious", "critical")]
    opened.get_by_role("button", name="Light or dark").click()
    assert opened.evaluate(paper) != before
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_it_speaks_the_readers_language(chromium: Browser, file: Path) -> None:
    context = chromium.new_context(locale="zh-CN")
    page = context.new_page()
    page.goto(f"{file.as_uri()}#game=3&move=4")
    page.wait_for_selector("html[data-ready]")
    expect(page.locator("#ratings h2")).to_have_text("等级分")
    expect(page.locator(".record .moves [aria-current] td").first).to_have_text("4")
    context.close()
