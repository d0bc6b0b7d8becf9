"""Openings and masters' games on the page: the name beside the board, and what was played from each position."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, expect
from serving import Server, running_server
from test_library import chosen, counted, random_games, written

from browser.visitor import PHONE, Visitor, after, drawn
from outflank.board.squares import Color, square_name
from outflank.library.building import build
from outflank.library.games import Wanted

GAMES = random_games(40)
Open = Callable[..., Visitor]


@pytest.fixture(scope="module")
def masters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("masters")
    build([str(written(folder, "ggf", GAMES))], folder / "games.duckdb")
    with running_server(folder / "state", "--library", str(folder / "games.duckdb")) as running:
        yield running


@pytest.fixture
def reader(chromium: Browser, masters: Server) -> Iterator[Open]:
    """Windows on a server that has a library."""
    visitors: list[Visitor] = []

    def open_window(**options: Any) -> Visitor:
        visitors.append(Visitor(chromium, masters, **options))
        return visitors[-1]

    yield open_window
    for visitor in visitors:
        visitor.close()


def explorer(visitor: Visitor) -> Locator:
    """The tab of openings and masters, chosen where it is not."""
    tab = visitor.page.locator("#analyse [data-tab=openings]")
    if tab.get_attribute("aria-selected") != "true":
        tab.click()
    return visitor.page.locator("#analyse .explorer")


def opening(visitor: Visitor, screen: str = "analyse") -> Locator:
    return visitor.page.locator(f"#{screen} .opening")


def test_the_name_follows_the_game_on_play(visitor: Visitor) -> None:
    visitor.sit_at(black="human", white="human", moves="f5d6c3d3")
    expect(opening(visitor, "play")).to_have_text("Perpendicular")
    visitor.play("c4")
    expect(opening(visitor, "play")).to_have_text("Tiger")
    visitor.play("g5")  # nobody's opening: the name leaves
    visitor.status("Black to move")
    expect(opening(visitor, "play")).to_have_text("")
    for _ in range(2):
        visitor.button("Undo").click()
    expect(opening(visitor, "play")).to_have_text("Perpendicular")


def test_the_reversed_game_has_no_names(visitor: Visitor) -> None:
    visitor.sit_at(variant="reversed", black="human", white="human", moves="f5d6c3d3")
    visitor.play("c4")
    visitor.status("White to move")
    expect(opening(visitor, "play")).to_be_empty()


def test_without_a_library_the_moves_into_named_openings_are_shown(visitor: Visitor) -> None:
    visitor.open("/?variant=othello&moves=f5")
    rows = explorer(visitor).locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows).to_have_text(["f4Parallel", "d6Perpendicular", "f6Diagonal"])
    expect(explorer(visitor).get_by_role("heading")).to_have_text("Named openings")
    explorer(visitor).get_by_role("button", name="d6", exact=True).click()
    expect(opening(visitor)).to_have_text("Perpendicular")
    visitor.play("c7", "analyse")
    expect(explorer(visitor)).to_be_hidden()
    expect(opening(visitor)).to_be_empty()


def test_what_masters_played_and_how_it_ended(reader: Open) -> None:
    visitor = reader().open("/?variant=othello&moves=f5d6")
    total, moves = counted(GAMES, after("f5d6"))
    most = sorted(moves, key=lambda squares: (-moves[squares].games, squares))
    rows = explorer(visitor).locator("tbody tr")
    expect(explorer(visitor)).to_contain_text(f"{total.games} games, {total.first_year}–{total.last_year}")
    played = [one for one in rows.all() if one.locator("svg").count()]
    assert [one.get_by_role("button").inner_text() for one in played] == [square_name(squares[0]) for squares in most]
    first = moves[most[0]]
    expect(rows.first).to_contain_text(f"{100 * (first.share or 0):.1f} %")
    label = f"Black won {first.wins}, drawn {first.draws}, White won {first.losses}"
    expect(rows.first.get_by_role("img", name=label)).to_be_visible()
    expect(opening(visitor)).to_have_text("Perpendicular")


def test_a_move_of_the_table_is_played_and_the_table_follows(reader: Open) -> None:
    visitor = reader().open("/#analyse")
    explorer(visitor).get_by_role("button", name="f5", exact=True).click()
    expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(1)
    expect(explorer(visitor).locator("tbody tr").first).to_be_visible()
    expect(explorer(visitor).get_by_role("button", name="d6", exact=True)).to_be_visible()
    visitor.page.keyboard.press("ArrowLeft")
    expect(explorer(visitor).get_by_role("button", name="f5", exact=True)).to_be_visible()
    expect(explorer(visitor)).to_contain_text("= ")


def test_a_game_of_the_library_opens(reader: Open) -> None:
    visitor = reader().open("/#analyse")
    explorer(visitor).locator("details:not(.choice) summary").click()
    game = explorer(visitor).locator(".games button").first
    players = game.locator("span").inner_text()
    game.click()
    expect(visitor.page.locator("#analyse move-list button.move")).not_to_have_count(0)
    assert visitor.moves("analyse") in {one.transcript for one in GAMES}
    assert " – " in players
    expect(explorer(visitor).locator(".games button").first).to_be_visible()  # the list stayed open
    visitor.page.keyboard.press("End")
    expect(explorer(visitor)).to_contain_text("1 game,")


def test_a_game_opens_at_the_position_and_as_the_board_stood(reader: Open) -> None:
    visitor = reader().open("/?variant=othello&moves=d3c5")
    explorer(visitor).locator("details:not(.choice) summary").click()
    shown = visitor.board("analyse")
    explorer(visitor).locator(".games button").first.click()
    moves = visitor.page.locator("#analyse move-list button.move")
    expect(visitor.page.locator("#analyse .status .who").first).to_have_text(re.compile("Player"))
    expect(moves.nth(40)).to_be_attached()
    expect(visitor.page.locator("#analyse move-list [aria-current]")).to_have_attribute(
        "aria-label", re.compile("^2. White, c5")
    )
    assert visitor.board("analyse") == shown == drawn(after("d3c5"))
    visitor.page.keyboard.press("ArrowRight")
    expect(visitor.page.locator("#analyse move-list [aria-current]")).to_have_attribute(
        "aria-label", re.compile("^3. ")
    )


def test_the_games_of_a_player_and_of_some_years(reader: Open) -> None:
    visitor = reader().open("/?variant=othello&moves=f5")
    expect(explorer(visitor)).to_contain_text("40 games")
    explorer(visitor).locator(".choice summary").click()
    colour = explorer(visitor).get_by_role("combobox", name="Colour")
    expect(colour).to_be_disabled()
    explorer(visitor).get_by_role("combobox", name="Player").press_sequentially("player 2")
    names = explorer(visitor).locator("datalist option")
    expect(names).to_have_count(1)  # who types slowly is offered more of them on the way
    expect(names).to_have_attribute("value", "Player 2")
    colour.select_option("white")
    explorer(visitor).get_by_role("spinbutton", name="From year").fill("2004")
    explorer(visitor).get_by_role("spinbutton", name="To year").fill("2001")  # in whichever order
    left = chosen(GAMES, Wanted("player 2", Color.WHITE, 2001, 2004))
    total, _ = counted(left, after("f5"))
    games = "1 game" if total.games == 1 else f"{total.games} games"
    expect(explorer(visitor).locator("p").first).to_have_text(re.compile(f"^{games}, "))
    expect(explorer(visitor).locator(".choice summary")).to_have_text("Only games of player 2 · as White · 2001–2004")
    visitor.page.locator("#analyse move-list").click()
    visitor.page.keyboard.press("ArrowLeft")  # the choice stays from position to position
    total, _ = counted(left, after(""))
    expect(explorer(visitor).locator("p").first).to_contain_text(f"{total.games} game")
    explorer(visitor).get_by_role("button", name="All games").click()
    expect(explorer(visitor)).to_contain_text("40 games")
    expect(explorer(visitor).locator(".choice summary")).to_have_text("Choose games")


def test_where_no_game_came(reader: Open) -> None:
    visitor = reader().open("/?variant=6x6&moves=c2")
    expect(explorer(visitor)).to_contain_text("No game in the library came here.")


def test_in_chinese(reader: Open) -> None:
    visitor = reader(locale="zh-CN").open("/?variant=othello&moves=f5d6")
    expect(explorer(visitor).get_by_role("heading")).to_have_text("大师对局")
    expect(explorer(visitor).locator("thead")).to_contain_text("结果")


def test_axe_finds_nothing_serious(reader: Open) -> None:
    visitor = reader(color_scheme="dark").open("/?variant=othello&moves=f5d6")
    explorer(visitor).locator(".choice summary").click()
    explorer(visitor).locator("details:not(.choice) summary").click()
    expect(explorer(visitor).locator(".games button").first).to_be_visible()
    found = Axe().run(visitor.page, options={"resultTypes": ["violations"]}).response["violations"]
    assert not [one["id"] for one in found if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("width", [320, 390])
def test_it_fits_a_phone(reader: Open, width: int) -> None:
    visitor = reader(**{**PHONE, "viewport": {"width": width, "height": 700}}).open("/?variant=othello&moves=f5d6")
    explorer(visitor).locator(".choice summary").click()
    explorer(visitor).locator("details:not(.choice) summary").click()
    expect(explorer(visitor).locator(".games button").first).to_be_visible()
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
