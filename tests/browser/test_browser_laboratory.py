"""The laboratory: how a heuristic sees a board, a search drawn step by step, a match, and stored results."""

import re

from playwright.sync_api import expect

from browser.visitor import Visitor


def choose_tree(visitor: Visitor, name: str) -> None:
    visitor.page.get_by_role("combobox", name="Tree", exact=True).select_option(name)


def counted(visitor: Visitor, visited: int, pruned: int) -> None:
    expect(visitor.page.locator(".counter.visited b")).to_have_text(str(visited))
    expect(visitor.page.locator(".counter.pruned b")).to_have_text(str(pruned))


def test_the_feature_table_and_the_heat_map(visitor: Visitor) -> None:
    visitor.open("/#lab")
    expect(visitor.page.locator(".features tbody tr")).to_have_count(6)
    expect(visitor.page.locator("#lab .cell.legal .value").first).not_to_be_empty()
    told = visitor.server.post(
        "/api/explain",
        position={"variant": "othello", "board": "---------------------------OX------XO---------------------------",
                  "turn": "black"},
        heuristic="combined",
    )  # fmt: skip
    names = visitor.page.locator(".features th[scope=row]").all_inner_texts()
    assert names == [feature["name"] for feature in told["features"]]
    visitor.page.locator("#lab [data-square=d3]").click()
    expect(visitor.page.locator(".worth")).to_contain_text("White")
    view = visitor.page.get_by_role("combobox", name="The board shows")
    view.select_option("squares")
    expect(visitor.page.locator("#lab .tint.good").first).to_be_visible()
    assert visitor.page.locator("#lab .tint.bad").count() > 0, "beside the corners"


def test_disc_classes_are_coloured(visitor: Visitor) -> None:
    visitor.open("/#lab")
    visitor.page.get_by_role("button", name="Set up").click()
    visitor.dialog.locator("[data-square=a1]").click()
    visitor.dialog.get_by_role("button", name="Use this position").click()
    visitor.page.get_by_role("combobox", name="The board shows").select_option("classes")
    expect(visitor.page.locator("#lab .cell.kind-stable")).to_have_count(1)
    expect(visitor.page.locator("#lab [data-square=a1]")).to_have_attribute("aria-label", "a1, Black, stable")
    assert visitor.page.locator("#lab .cell[class*=kind-]").count() == 5
    visitor.page.get_by_role("combobox", name="The board shows").select_option("frontier")
    expect(visitor.page.locator("#lab .cell.frontier")).to_have_count(5)


def test_sliders_re_evaluate_at_once(visitor: Visitor) -> None:
    visitor.open("/#lab")
    for move, next_side in (("d3", "White"), ("c3", "Black")):
        visitor.page.locator(f"#lab [data-square={move}]").click()
        expect(visitor.page.locator(".worth")).to_contain_text(next_side)
    worth = visitor.page.locator(".worth b")
    row = visitor.page.locator(".features tbody tr").filter(has_text="mobility")
    slider, before = row.get_by_role("slider"), worth.inner_text()
    share = row.locator(".share .figure").inner_text()
    slider.focus()
    for _ in range(5):
        visitor.page.keyboard.press("PageDown")
    expect(worth).not_to_have_text(before)
    assert row.locator(".share .figure").inner_text() != share
    visitor.page.get_by_role("button", name="Reset weights").click()
    expect(worth).to_have_text(before)


def test_the_example_trees_step_by_step(visitor: Visitor) -> None:
    visitor.open("/#lab/tree")
    expect(visitor.page.locator(".tree .node")).to_have_count(13)
    counted(visitor, 0, 0)
    visitor.page.get_by_role("button", name="Forward").click()
    counted(visitor, 1, 0)
    expect(visitor.page.locator(".tree .node.now .node-id")).to_have_text("A")
    visitor.page.get_by_role("button", name="Last").click()
    counted(visitor, 11, 2)
    expect(visitor.page.locator(".tree .cut")).to_have_count(2)
    expect(visitor.page.locator(".tree .node.pruned .node-id")).to_have_text(["A22", "A23"])
    expect(visitor.page.locator(".sentence")).to_have_text("Done: the value is 3, the choice A1.")
    visitor.page.get_by_role("combobox", name="Search", exact=True).select_option("minimax")
    expect(visitor.page.locator(".tree .cut")).to_have_count(0)
    visitor.page.get_by_role("button", name="Last").click()
    counted(visitor, 13, 0)
    choose_tree(visitor, "three-replies")
    expect(visitor.page.locator(".tree .node")).to_have_count(31)
    visitor.page.get_by_role("button", name="Last").click()
    expect(visitor.page.locator(".sentence")).to_have_text("Done: the value is 20, the choice A1.")


def test_a_tree_of_ones_own_and_one_from_a_position(visitor: Visitor) -> None:
    visitor.open("/#lab/tree")
    expect(visitor.page.locator(".tree .node")).to_have_count(13)
    choose_tree(visitor, "brackets")
    brackets = visitor.page.get_by_role("textbox", name="Tree in brackets")
    brackets.fill("[[1,2],[3")
    brackets.press("Enter")
    expect(visitor.page.locator(".toast.trouble")).to_contain_text("Write the tree as lists")
    brackets.fill("[[5,6],[4,9],[7,8]]")
    brackets.press("Enter")
    expect(visitor.page.locator(".tree .node")).to_have_count(10)
    visitor.page.get_by_role("button", name="Last").click()
    counted(visitor, 9, 1)  # 4 is enough to know that the second is worse than 5
    choose_tree(visitor, "position")
    expect(visitor.page.locator(".tree .edge-label").first).to_be_visible()
    visitor.page.get_by_role("button", name="Last").click()
    expect(visitor.page.locator(".sentence")).to_contain_text(re.compile(r"the choice [a-h][1-8]"))
    visitor.page.locator("#lab [data-square=d3]").click()
    expect(visitor.page.locator(".tree .edge-label").filter(has_text=re.compile("c3|e3|c5")).first).to_be_visible()


def test_monte_carlo_grows_before_our_eyes(visitor: Visitor) -> None:
    visitor.open("/#lab/tree")
    choose_tree(visitor, "montecarlo")
    expect(visitor.page.locator(".tree circle.sign")).to_have_count(1)
    for _ in range(3 * 4):  # each in its four phases
        visitor.page.get_by_role("button", name="Forward").click()
    expect(visitor.page.locator(".counter.visited b")).to_have_text("3")
    assert visitor.page.locator(".tree circle.sign").count() > 1
    visitor.page.get_by_role("button", name="Last").click()
    expect(visitor.page.locator(".tree .node-value").first).to_have_text("60")
    expect(visitor.page.locator(".sentence")).to_contain_text("was visited most")


def test_a_match_with_live_elo(visitor: Visitor) -> None:
    visitor.open("/#lab/match")
    visitor.page.get_by_role("combobox", name="First player").select_option("greedy")
    visitor.page.get_by_role("combobox", name="Second player").select_option("random")
    visitor.page.get_by_role("combobox", name="Rows").select_option("6")
    visitor.page.get_by_role("spinbutton", name="Games").fill("20")
    visitor.page.get_by_role("button", name="Start the match").click()
    expect(visitor.page.locator(".results [role=status]")).to_have_text("20 games", timeout=180_000)
    told = visitor.page.locator(".wdl").get_attribute("aria-label") or ""
    assert sum(map(int, re.findall(r"\d+", told))) == 20
    expect(visitor.page.locator(".figures")).to_contain_text(re.compile(r"Elo \(95 %\)\s*[+−]?[\d∞–]"))
    visitor.stop_the_clock()
    visitor.page.get_by_role("button", name="Replay game 20").click()
    expect(visitor.page.locator("#analyse othello-board .cell")).to_have_count(36)
    visitor.replays_from_the_start()
    visitor.button("Replay", "analyse").click()  # it stops
    visitor.button("Last", "analyse").click()
    expect(visitor.page.locator("#analyse .status")).to_contain_text(re.compile("wins by|A draw"))


def test_a_stored_tournament_and_its_games(visitor: Visitor) -> None:
    visitor.open("/#lab/reports")
    visitor.page.locator(".events .event", has_text="Tournament").first.click()
    expect(visitor.page.locator("#ratings tbody tr")).to_have_count(3)
    expect(visitor.page.locator(".record .game")).to_have_count(6)
    expect(visitor.page.locator(".record othello-board .cell")).to_have_count(36)
    visitor.page.locator("#cross canvas").press("ArrowDown")
    visitor.page.locator("#cross canvas").press("ArrowRight")
    visitor.page.locator("#cross canvas").press("Enter")
    expect(visitor.page.locator("#games .pick")).to_have_count(2)
    expect(visitor.page.locator(".record .game")).to_have_count(2)
    visitor.page.locator("#games").get_by_role("button", name="Replay", exact=True).click()
    expect(visitor.page.locator("#analyse othello-board .cell")).to_have_count(36)
    assert len(visitor.moves("analyse")) > 20
    visitor.button("Replay", "analyse").click()  # it began by itself, and stops
    visitor.button("Last", "analyse").click()
    last = visitor.page.locator("#analyse move-list button.move").last
    expect(last).to_have_attribute("aria-current", "true")
    visitor.stop_the_clock()
    visitor.button("Replay", "analyse").click()  # from the end it starts again, a move at a time
    visitor.replays_from_the_start()


def test_a_replay_begins_at_the_start_and_names_the_players(visitor: Visitor) -> None:
    visitor.open("/#lab/reports")
    visitor.page.locator(".events .event").first.click()
    visitor.page.locator(".record .game").last.click()  # the last that is drawn: more are when it comes into sight
    names = visitor.page.locator(".record .game[aria-selected=true] .who")
    expect(names).to_have_count(2)
    black, white = (text.strip() for text in names.all_inner_texts())
    expect(visitor.page.locator(".record .seats .who")).to_have_text([black, white])
    visitor.stop_the_clock()
    visitor.page.locator("#games").get_by_role("button", name="Replay", exact=True).click()
    expect(visitor.page.locator("#analyse .counts .who")).to_have_text([black, white])
    expect(visitor.screen("analyse")).to_be_visible()  # its names may be there before it is
    assert visitor.page.evaluate("scrollY") == 0
    visitor.replays_from_the_start()


def test_a_match_is_found_again_after_a_reload(visitor: Visitor) -> None:
    visitor.open("/#lab/match")
    page = visitor.page
    page.get_by_role("combobox", name="First player").select_option("greedy")
    page.get_by_role("combobox", name="Second player").select_option("random")
    page.get_by_role("spinbutton", name="Games").fill("4")
    page.get_by_role("button", name="Start the match").click()
    expect(page.locator(".results h2")).to_have_text("greedy – random")
    page.reload()
    expect(page.locator(".results h2")).to_have_text("greedy – random")
    expect(page.locator(".results [role=status]")).to_have_text("4 games", timeout=180_000)


def test_minimax_has_no_bounds_to_show(visitor: Visitor) -> None:
    visitor.open("/#lab/tree")
    choose_tree(visitor, "three-replies")
    expect(visitor.page.locator(".tree .node")).to_have_count(31)
    visitor.page.get_by_role("slider", name="Step").fill("1")
    expect(visitor.page.locator(".sentence")).to_have_text("A is for the maximizing side (△).")
    expect(visitor.page.locator(".tree .window")).to_have_count(0)


def test_a_click_is_on_the_laboratorys_board_before_the_server_answers(visitor: Visitor) -> None:
    visitor.open("/#lab/heuristics")
    expect(visitor.page.locator(".features tbody tr").first).to_be_visible()
    drawn = visitor.page.evaluate("""() => {
        const cell = document.querySelector("#lab [data-square=d3]");
        cell.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        return cell.classList.contains("black");
    }""")
    assert drawn
