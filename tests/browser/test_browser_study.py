"""Analyse as a place to stay: all of it in one window, a review that teaches, addresses that stay."""

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser.test_browser_analyse import LATE, OPENING, at_ply, opened, reviewed, showing
from browser.visitor import PHONE, Visitor, after
from outflank import Game, Position, Variant
from outflank.board.squares import PASS, square_name

Visit = Callable[..., Visitor]
PARTS = (".tools", ".heading", "othello-board", ".steps", "value-graph", ".tabs", ".panel.chosen")
SHIFTS = """() => {
    window.shifts = [];
    new PerformanceObserver(list => {
        for (const entry of list.getEntries())
            for (const { node } of entry.sources) window.shifts.push(`${node?.nodeName} ${node?.className}`);
    }).observe({ type: "layout-shift" });
}"""
"""Every shift counts, also one that follows a key."""


def finished() -> str:
    game = Game.from_transcript(LATE)
    while not game.is_over:
        game.push(game.position.legal_moves[0])
    return game.transcript


def boxes(visitor: Visitor) -> dict[str, Any]:
    return {part: visitor.page.locator(f"#analyse {part}").bounding_box() for part in PARTS}


@pytest.mark.parametrize("size", [{}, PHONE])
def test_all_of_it_is_in_one_window_and_nothing_moves(visit: Visit, size: dict[str, Any]) -> None:
    visitor = opened(visit(**size), LATE)
    expect(visitor.page.locator("#analyse .bar")).to_have_attribute("aria-valuetext", re.compile("for Black"))
    window = visitor.page.viewport_size
    assert window is not None
    visitor.panel("Review")
    expect(visitor.page.locator("#analyse").get_by_role("button", name=re.compile("Review"))).to_be_visible()
    visitor.panel("Values")
    before = boxes(visitor)
    for part, where in before.items():
        assert where and where["y"] >= 0 and where["y"] + where["height"] <= window["height"] + 1, (part, where)
    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= window["width"]
    visitor.page.evaluate(SHIFTS)
    for tab in ("Openings", "Review", "Values"):
        visitor.panel(tab)
        visitor.page.evaluate("document.activeElement.blur()")
        for ply in range(52, 40, -1):
            visitor.page.keyboard.press("ArrowLeft")
            at_ply(visitor, ply - 1)
        visitor.page.evaluate("document.querySelector('#analyse .steps').lastChild.click()")
        at_ply(visitor, 52)
        assert {name: where for name, where in boxes(visitor).items() if where} == before, tab
    assert visitor.page.evaluate("() => new Promise(done => requestAnimationFrame(() => done(window.shifts)))") == []


def test_the_graph_has_ply_numbers_and_the_values_a_legend(visitor: Visitor) -> None:
    opened(visitor, LATE)
    expect(visitor.page.locator("#analyse value-graph text.ply").last).to_have_text("50")
    expect(visitor.page.locator("#analyse .legend-of")).to_have_text(
        re.compile(r"\+4 exact · \+4\.2 estimated · @14 73%")
    )


@pytest.mark.parametrize("high", [64, 118])
@pytest.mark.parametrize(("largest", "reach"), [(0, 16), (10, 16), (30, 36), (64, 64)])
def test_the_graph_has_room_for_what_the_game_needs_and_its_labels(
    visitor: Visitor, high: int, largest: int, reach: int
) -> None:
    opened(visitor, LATE)
    labels = visitor.page.evaluate(
        """([high, largest]) => {
            const graph = document.querySelector("#analyse value-graph");
            Object.assign(graph, {high, wide: 380});
            graph.show({values: [0, largest], at: 0, marks: new Map(), most: 64, inDiscs: true, names: ["", "f5"]});
            const texts = [...graph.querySelectorAll("text:not(.ply)")];
            return texts.map(each => [each.textContent, Number(each.getAttribute("y"))]);
        }""",
        [high, largest],
    )
    assert f"+{reach}" in [text for text, _ in labels]
    places = sorted(y for _, y in labels)
    assert all(below - above >= 10 for above, below in pairwise(places)), labels


def test_an_empty_board_has_no_number_below_its_graph(visitor: Visitor) -> None:
    visitor.open("/#analyse")
    expect(visitor.page.locator("#analyse .candidate").first).to_be_visible()
    expect(visitor.page.locator("#analyse value-graph text.ply")).to_have_count(0)


def test_moves_that_mirror_each_other_have_one_value(visitor: Visitor) -> None:
    visitor.open("/#analyse")
    scores = visitor.page.locator("#analyse .candidate .score")
    expect(scores).to_have_count(4)
    assert len({*scores.all_inner_texts()}) == 1


def test_rules_and_size_can_be_chosen(visitor: Visitor) -> None:
    visitor.open("/#analyse")
    visitor.button("New board", "analyse").click()
    visitor.dialog.get_by_role("combobox", name="Who wins").select_option("fewest")
    visitor.dialog.get_by_role("combobox", name="Rows").select_option("6")
    visitor.dialog.get_by_role("button", name="Open").click()
    showing(visitor, Position.start(Variant.named("reversed-6x6")))
    expect(visitor.page.locator("#analyse .badge")).to_be_visible()


@pytest.mark.parametrize("size", [{}, PHONE])
def test_a_review_begins_by_itself_and_leads_from_mistake_to_mistake(visit: Visit, size: dict[str, Any]) -> None:
    visitor = opened(visit(**size), finished())
    visitor.panel("Review")
    reviewed(visitor)
    page = visitor.page
    turning = re.compile(r"^The turning point was move \d+, (Black|White)’s ")
    expect(page.locator("#analyse .turning")).to_have_text(turning)
    expect(page.locator("#analyse .summary thead")).to_contain_text("Accuracy")
    expect(page.locator("#analyse .summary tbody tr").first).to_have_text(re.compile(r"Black\d+\.\d\d+ %"))
    visitor.button("First", "analyse").click()
    at_ply(visitor, 0)
    visitor.button("Next mistake", "analyse").click()
    comment = page.locator("#analyse .comment")
    expect(comment).to_contain_text("gives away")
    expect(page.locator("#analyse .mistakes .count")).to_have_text(re.compile(r"Mistake 1 of \d+"))
    said = re.search(r"Move (\d+), .* Better was (\w\d)", comment.inner_text())
    assert said is not None
    at_ply(visitor, int(said[1]) - 1)
    expect(visitor.square(said[2], "analyse").locator(".number")).to_have_text("1")
    visitor.button("Next mistake", "analyse").click()
    expect(page.locator("#analyse .mistakes .count")).to_have_text(re.compile(r"Mistake 2 of \d+"))
    visitor.button("Previous mistake", "analyse").click()
    expect(page.locator("#analyse .mistakes .count")).to_have_text(re.compile(r"Mistake 1 of \d+"))
    visitor.button("Last", "analyse").click()
    at_ply(visitor, len(Game.from_transcript(finished()).moves))
    visitor.button("Next mistake", "analyse").click()  # after the last one comes the first again
    expect(page.locator("#analyse .mistakes .count")).to_have_text(re.compile(r"Mistake 1 of \d+"))


def test_nothing_is_said_of_mistakes_before_a_review(visitor: Visitor) -> None:
    opened(visitor, "f5d6c3")
    visitor.panel("Review")
    expect(visitor.button("Review the game", "analyse")).to_be_enabled()
    expect(visitor.page.locator("#analyse .mistakes .count")).to_be_empty()


@pytest.mark.parametrize("size", [(1180, 800), (1280, 800), (1920, 1080), (390, 844)])
def test_the_review_is_seen_to_its_last_column_whatever_the_players_are_called(
    visit: Visit, size: tuple[int, int]
) -> None:
    visitor = visit(viewport={"width": size[0], "height": size[1]}).open("/#analyse")
    expect(visitor.page.locator("#analyse .candidate").first).to_be_visible()
    names = "PB[Bartholomew Featherstonehaugh]PW[Inoue]"
    visitor.paste(f"(;GM[Othello]{names}TY[8]{moves_of_ggf(finished())};)")
    visitor.panel("Review")
    expect(visitor.page.locator("#analyse .summary tbody th").last).to_be_visible()
    # The table is made anew with every move that is reviewed: it is found and measured in one go.
    measured = """() => {
        const panel = document.querySelector("#analyse .reviewing");
        const names = [...panel.querySelectorAll(".summary tbody th")];
        return [panel.scrollWidth <= panel.clientWidth, names.every((each) => each.clientWidth >= 50)];
    }"""
    fits, named = visitor.page.evaluate(measured)
    assert fits
    assert named, "and its row says whose it is"


def test_the_review_in_chinese_with_the_players_names(visit: Visit) -> None:
    visitor = visit(locale="zh-CN").open("/#analyse")
    expect(visitor.page.locator("#analyse .candidate").first).to_be_visible()
    visitor.paste(f"(;GM[Othello]PB[Tamenori]PW[Inoue]TY[8]{moves_of_ggf(finished())};)")
    visitor.panel("复盘")
    rows = visitor.page.locator("#analyse .summary tbody tr")
    expect(rows.first).to_contain_text("Tamenori")
    expect(rows.last).to_contain_text("Inoue")
    expect(visitor.page.locator("#analyse .turning")).to_contain_text(re.compile("Tamenori|Inoue"))
    serious(visitor)


def moves_of_ggf(moves: str) -> str:
    game = Game.from_transcript(moves)
    start = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
    names = [("W" if node.mover else "B", node.move) for node in game.line if node.move is not None]
    return start + "".join(f"{side}[{'PA' if move == PASS else square_name(move)}]" for side, move in names)


def serious(visitor: Visitor) -> None:
    found = Axe().run(visitor.page, options={"resultTypes": ["violations"]}).response["violations"]
    assert not [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("tab", ["Openings", "Review", "Moves"])
def test_axe_finds_nothing_serious_in_any_tab(visit: Visit, tab: str) -> None:
    visitor = opened(visit(**PHONE, color_scheme="dark"), LATE)
    visitor.panel(tab)
    serious(visitor)


def test_a_file_of_games_is_searched(visitor: Visitor) -> None:
    games = "".join(f"(;GM[Othello]PB[Player {number}]PW[Other]TY[8]{moves_of_ggf('f5d6')};)" for number in range(300))
    visitor.open("/#analyse")
    visitor.paste(games)
    rows = visitor.dialog.locator(".games li:not([hidden])")
    expect(rows).to_have_count(300)
    visitor.dialog.get_by_role("searchbox").fill("other 27")
    expect(rows).to_have_count(13)  # 27, 127, 227 and 270 to 279
    expect(visitor.dialog.get_by_role("status")).to_have_text("13 games")
    visitor.dialog.get_by_role("searchbox").fill("nobody")
    expect(visitor.dialog.get_by_role("status")).to_have_text("0 games")
    visitor.dialog.get_by_role("searchbox").fill("other 271")
    rows.get_by_role("button").click()
    expect(visitor.page.locator("#analyse .status .who").first).to_have_text("Player 271")


# Addresses


def test_the_moves_are_in_the_address_and_back_goes_back(visitor: Visitor) -> None:
    opened(visitor, OPENING)
    page = visitor.page
    expect(page).to_have_url(re.compile(rf"/\?variant=othello&moves={OPENING}#analyse$"))
    visitor.play("e6", "analyse")
    expect(page).to_have_url(re.compile(rf"moves={OPENING}e6#analyse$"))
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(re.compile(rf"moves={OPENING}e6&at=7#analyse$"))
    page.go_back()
    showing(visitor, after(OPENING))
    page.go_forward()
    showing(visitor, after(OPENING[:14]))
    visitor.paste("d3c5")
    showing(visitor, after("d3c5"))
    expect(page).to_have_url(re.compile("moves=d3c5#analyse$"))
    page.reload()
    showing(visitor, after("d3c5"))
    page.go_back()
    expect(page.locator("#analyse move-list button.move")).to_have_count(9)


def test_what_a_paste_replaced_can_be_had_back(visitor: Visitor) -> None:
    opened(visitor, OPENING)
    visitor.paste("d3c5")
    showing(visitor, after("d3c5"))
    visitor.page.locator(".toast").get_by_role("button", name="Back to it").click()
    showing(visitor, after(OPENING))


def test_the_skip_link_leads_to_the_board(visitor: Visitor) -> None:
    for screen in ("play", "analyse", "lab/heuristics"):
        visitor.open(f"/#{screen}")
        board = visitor.page.locator(f"#{screen.split('/')[0]} othello-board").first
        expect(
            visitor.page.locator("#play .chip").first
        ).to_be_attached()  # Play is built anew when it knows the players
        expect(board.locator("[tabindex='0']")).to_have_count(1)
        visitor.page.locator(".skip").press("Enter")
        expect(board.locator("[tabindex='0']")).to_be_focused()
        expect(visitor.page.locator(f"#{screen.split('/')[0]}")).to_be_visible()
