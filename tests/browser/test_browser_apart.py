"""Into the laboratory with one click: a player's heuristic, its tree and its playouts, where it thought."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from browser.visitor import PHONE, Visitor, after, drawn

Visit = Callable[..., Visitor]
BEFORE = "f5d6c3d3c4"
ENGLISH = ("How it thinks", "Take it apart", "Search tree")
CHINESE = ("它怎么想", "拆解分析", "搜索树")
UCB = """async player => {
    const [{grown, ucb}, asked] = await Promise.all([import('/page/lessons.js'), fetch('/api/lessons', {
        method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({
            kind: 'montecarlo', playouts: 40, c: 0.3, seed: 5, player,
            position: {variant: '6x6', board: '--------------OX----XO--------------', turn: 'black'},
        })})]);
    const {nodes, steps, guided} = await asked.json();
    return steps.map((step, index) => [
        step.ucb,
        step.ucb && Object.fromEntries(ucb(grown(steps, 4 * index).seen, nodes, 'A', 0.3, guided)
            .map(({node, mean, explore}) => [node.id, mean + explore])),
    ]);
}"""


def taken_apart(visitor: Visitor, player: str, words: tuple[str, str, str] = ENGLISH) -> Page:
    """After the player's answer to c4, by one click."""
    visitor.sit_at(moves=BEFORE[:-2], white=player)
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(4)
    visitor.play(BEFORE[-2:])
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(6)
    visitor.page.get_by_role("tab", name=words[0]).click()
    visitor.button(words[1]).click()
    expect(visitor.page.locator("#lab .choice")).not_to_be_empty()
    return visitor.page


def to_the_tree(page: Page, words: tuple[str, str, str] = ENGLISH) -> None:
    page.get_by_role("tab", name=words[2]).click()
    expect(page.locator("#lab .tree .node").first).to_be_visible()


@pytest.mark.parametrize("options", [{}, PHONE])
def test_the_bounds_of_the_root_are_seen_whole(visit: Visit, options: dict[str, object]) -> None:
    page = visit(**options).open("/#lab/tree").page
    page.get_by_role("combobox", name="Tree", exact=True).select_option("position")
    page.get_by_label("Depth").fill("4")
    page.get_by_label("Depth").press("Tab")
    page.wait_for_function("() => document.querySelectorAll('.tree .node').length > 60")
    page.get_by_role("button", name="Last").click()
    bounds = page.locator(".tree .window")
    expect(bounds.first).to_contain_text("α")
    picture = page.locator(".tree svg").bounding_box()
    for each in bounds.all():
        text = each.bounding_box()
        assert picture and text and text["x"] >= picture["x"], each.text_content()


@pytest.mark.parametrize(("options", "words"), [({}, ENGLISH), ({**PHONE, "locale": "zh-CN"}, CHINESE)])
def test_its_own_heuristic_explains_the_move_it_made(
    visit: Visit, options: dict[str, object], words: tuple[str, str, str]
) -> None:
    visitor = visit(**options)
    page = taken_apart(visitor, "dynamic:depth=3", words)
    played = visitor.moves()[-2:]
    assert visitor.board("lab") == drawn(after(BEFORE)), "the position in which it had to move"
    expect(page.locator("#lab .choice")).to_contain_text(played)
    expect(page.locator("#lab .cell.best")).to_have_attribute("data-square", played)
    expect(page.locator("#lab .features tbody tr")).to_have_count(6)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_changed_weight_may_change_the_move(visitor: Visitor) -> None:
    page = taken_apart(visitor, "dynamic:depth=3")
    played = visitor.moves()[-2:]
    corners = page.get_by_role("spinbutton", name="Weight of c: corners")
    corners.fill("802")
    corners.press("Tab")
    expect(page.locator("#lab .choice")).to_contain_text(f"With these weights: still {played}")
    for name in ("m: mobility", "f: frontier"):
        weight = page.get_by_role("spinbutton", name=f"Weight of {name}")
        weight.fill("-90")
        weight.press("Tab")
    expect(page.locator("#lab .choice")).to_have_text(re.compile(f"With these weights: [a-h][1-8] instead of {played}"))
    page.get_by_role("button", name="Reset weights").click()
    expect(page.locator("#lab .choice")).to_contain_text(f"Plays {played} here")


def test_the_engine_is_taken_apart_by_its_shapes(visitor: Visitor) -> None:
    page = taken_apart(visitor, "engine:level=10")  # the first that plays the same move whenever it is asked
    expect(page.locator("#lab .choice")).to_contain_text(f"Plays {visitor.moves()[-2:]} here")
    expect(page.locator("#lab .features.shapes tbody tr").first).to_be_visible()
    to_the_tree(page)
    visitor.page.get_by_role("button", name="Last").click()
    expect(page.locator("#lab .tree .node.best")).to_have_count(1)
    expect(page.locator("#lab .lesson-head")).to_contain_text("Only the 3 moves that look best at each node")


def test_a_player_without_a_tree_says_so_where_the_tree_would_be(visitor: Visitor) -> None:
    page = taken_apart(visitor, "random")
    page.get_by_role("tab", name="Search tree").click()
    expect(page.locator("#lab .sentence")).to_contain_text("does not value positions")
    visitor.complaints.clear()  # the browser reports every refusal of the server


@pytest.mark.parametrize(("options", "words"), [({}, ENGLISH), ({**PHONE, "locale": "zh-CN"}, CHINESE)])
def test_its_tree_of_this_position_has_a_board_at_every_node(
    visit: Visit, options: dict[str, object], words: tuple[str, str, str]
) -> None:
    visitor = visit(**options)
    page = taken_apart(visitor, "dynamic:depth=4", words)
    to_the_tree(page, words)
    expect(page.locator("#lab .tree .node")).to_have_count(121)
    assert visitor.board("lab") == drawn(after(BEFORE))
    page.locator("#lab .steps button").nth(3).click()
    page.locator("#lab .steps button").nth(3).click()
    line = str(page.locator("#lab .tree .edge-label").first.text_content())
    assert visitor.board("lab") == drawn(after(BEFORE + line)), "the step's node"
    page.locator('#lab .tree [data-node="A1111"]').click()
    moves = re.findall(r"[a-h]\d", page.locator("#lab .caption").inner_text())
    assert len(moves) == 4 and visitor.board("lab") == drawn(after(BEFORE + "".join(moves)))
    smallest = page.eval_on_selector_all(
        "#lab .tree text",
        """texts => Math.min(...texts.filter(text => text.textContent).map(text =>
            parseFloat(getComputedStyle(text).fontSize) * text.getCTM().a))""",
    )
    assert smallest >= 10, "letters can be read"
    sizes = page.locator("#lab .tree").evaluate("tree => [tree.scrollWidth, tree.clientWidth]")
    assert sizes[0] <= max(sizes[1], 460), "it scrolls down, hardly sideways"


def test_a_depth_that_cannot_be_drawn_is_refused_in_words_and_the_picture_stays(visitor: Visitor) -> None:
    page = visitor.open("/#lab/tree").page
    page.get_by_role("combobox", name="Tree", exact=True).select_option("position")
    expect(page.locator(".tree .node")).to_have_count(13)
    depth = page.get_by_role("spinbutton", name="Depth")
    depth.fill("7")
    depth.press("Enter")
    expect(page.locator(".toast.trouble")).to_have_text("A tree of 7 plies cannot be drawn: 4 at most.")
    expect(page.locator(".tree .node")).to_have_count(13)


def test_monte_carlo_in_four_phases_with_the_terms_of_ucb(visitor: Visitor) -> None:
    page = taken_apart(visitor, "mini-go:mode=easy")
    expect(page.locator("#lab")).to_contain_text("plays games to the end and counts")
    to_the_tree(page)
    expect(page.locator("#lab .ucb caption")).to_contain_text("c = 0.1")
    slider = page.get_by_role("slider", name="Step")
    for step, said in enumerate(("1 Select: ", "2 Expand: ", "3 Simulate: ", "4 Back-propagate: "), start=81):
        slider.fill(str(step))
        expect(page.locator("#lab .sentence")).to_contain_text(said)
        if said.startswith("3"):
            expect(page.locator("#lab .caption")).to_have_text("Where the random game ended")
    expect(page.locator("#lab .counter.visited b")).to_have_text("21")
    rows = page.locator("#lab .ucb tbody tr")
    for row in rows.all_inner_texts():
        _, _, mean, explore, both = row.split()
        assert abs(float(mean) + float(explore) - float(both)) < 0.0021


def test_alphazero_is_shown_with_the_terms_of_puct(visitor: Visitor) -> None:
    page = taken_apart(visitor, "alphazero:playouts=50")
    to_the_tree(page)
    expect(page.locator("#lab .ucb caption")).to_have_text("PUCT after –, c = 1.5")
    page.get_by_role("slider", name="Step").fill("83")
    expect(page.locator("#lab .sentence")).to_have_text(re.compile(r"3 Value: the tables expect [+−]?0\.\d\d for"))
    for row in page.locator("#lab .ucb tbody tr").all_inner_texts():
        _, _, chance, sign, mean, explore, both = row.split()
        assert sign == "%" and 0 <= int(chance) <= 100
        assert abs(float(mean) + float(explore) - float(both)) < 0.0021


@pytest.mark.parametrize("player", [None, "alphazero"])
def test_the_pages_ucb_is_the_searchs_own(visitor: Visitor, player: str | None) -> None:
    visitor.open()
    told = [step for step in visitor.page.evaluate(UCB, player) if step[0]]
    assert len(told) > 30
    for search, page in told:
        assert page == pytest.approx(search)
