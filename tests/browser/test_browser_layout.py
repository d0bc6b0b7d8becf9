"""What one sees without scrolling, on every kind of screen; and that nothing jumps, overlaps or is cut off."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from browser.visitor import PHONE, Visitor
from outflank import Game, Variant
from outflank.board.squares import square_name

Visit = Callable[..., Visitor]
SIDEWAYS = {"viewport": {"width": 844, "height": 390}, "is_mobile": True, "has_touch": True}
GAME = "f5d6c3d3c4f4f6f3e6e7f2b4d2g6c7c5b5e1b2a1d7b6c6e8c2e2f8b7f7e3a4c1a5g3b1g8g4g5b3a3g2g1h7d1b8h6h5a6h2h4d8c8"


def box(place: Locator) -> dict[str, float]:
    expect(place).to_be_visible()  # what a screen says can be read before the screen is shown
    found = None
    while not found or not found["width"]:  # an element that is drawn anew meanwhile has no size
        found = place.bounding_box()
    return {name: round(float(found[name]), 1) for name in ("x", "y", "width", "height")}


IN_SIGHT = """height => {
    const [list, move] = ["", " button[aria-current]"].map(
        part => document.querySelector(`#analyse move-list${part}`).getBoundingClientRect());
    const seen = list.top <= move.top && move.bottom <= list.bottom + (height ? 1 : 0.1);
    return seen && (!height || list.height === height);
}"""
"""Whether the current move is seen in the list: both in one look, because a review draws the list anew."""


def in_the_window(visitor: Visitor, place: Locator) -> None:
    """Whether all of it is seen without scrolling."""
    where, size = box(place), visitor.page.viewport_size
    assert size is not None
    assert where["x"] >= 0 and where["x"] + where["width"] <= size["width"] + 1, where
    assert where["y"] >= 0 and where["y"] + where["height"] <= size["height"] + 1, where


@pytest.mark.parametrize("shape", ["8x4", "7x5", "4x8", "8x8"])
def test_a_board_of_any_shape_fits_the_window(visitor: Visitor, shape: str) -> None:
    visitor.sit_at(variant=shape, white="human")
    visitor.status("Black to move")
    in_the_window(visitor, visitor.page.locator("#play othello-board"))
    visitor.open(f"/?variant={shape}&moves=")
    expect(visitor.page.locator("#analyse .candidate").first).to_be_visible()
    in_the_window(visitor, visitor.page.locator("#analyse othello-board"))


def test_a_phone_held_sideways_shows_the_whole_board_and_both_players(visit: Visit) -> None:
    visitor = visit(**SIDEWAYS).open()
    visitor.status("Your move")
    in_the_window(visitor, visitor.page.locator("#play othello-board"))
    for seat in visitor.page.locator("#play .seat").all():
        outer = box(seat)
        for part in (seat.locator(".name"), seat.locator(".count")):
            inner = box(part)
            assert inner["width"] > 0
            assert outer["x"] <= inner["x"] and inner["x"] + inner["width"] <= outer["x"] + outer["width"]
    visitor.open(f"/?moves={GAME}")
    expect(visitor.page.locator("#analyse .candidate").first).to_be_visible()
    in_the_window(visitor, visitor.page.locator("#analyse othello-board"))


PLACES = ("#play .seat", "#play othello-board", "#play .actions button:not([hidden])", "#play .list")


def places(visitor: Visitor) -> list[Any]:
    return [box(each) for selector in PLACES for each in visitor.page.locator(selector).all()]


def test_nothing_jumps_while_the_computer_thinks(visitor: Visitor) -> None:
    visitor.sit_at(moves=GAME[:20], white="engine:time=30")
    visitor.status("Your move")
    before = places(visitor)
    visitor.play(visitor.legal()[0])
    visitor.status("is thinking")
    assert places(visitor) == before
    visitor.button("Move now").click()
    visitor.status("Your move")
    assert places(visitor) == before


def test_a_pass_does_not_move_the_board_of_a_phone(visit: Visit) -> None:
    variant, dice = Variant.named("reversed-6x6"), random.Random(0)
    while True:
        game = Game(variant)
        while not game.is_over and not any(game.position.play(move).must_pass for move in game.position.legal_moves):
            game.push(dice.choice(game.position.legal_moves))
        if not game.is_over:
            break
    move = next(move for move in game.position.legal_moves if game.position.play(move).must_pass)
    visitor = visit(**PHONE).sit_at(variant="reversed-6x6", moves=game.transcript, white="human")
    visitor.status("to move")
    before = box(visitor.page.locator("#play othello-board"))
    visitor.play(square_name(move))
    visitor.status("passes.")
    assert box(visitor.page.locator("#play othello-board")) == before
    expect(visitor.page.locator("#play .badge")).to_be_visible()


def test_board_values_and_moves_are_seen_together(visitor: Visitor) -> None:
    visitor.open(f"/?moves={GAME}")
    expect(visitor.page.locator("#analyse .candidate").first).to_be_visible()
    for part in ("othello-board", ".candidates", "value-graph", "move-list", ".steps"):
        in_the_window(visitor, visitor.page.locator(f"#analyse {part}"))
    assert visitor.page.evaluate(IN_SIGHT, None)


def test_the_windows_buttons_are_in_the_window(visit: Visit) -> None:
    for options in ({}, PHONE):
        visitor = visit(**options).open("/#analyse")
        visitor.page.get_by_role("button", name="Set up").click()
        in_the_window(visitor, visitor.dialog.get_by_role("button", name="Use this position"))


def test_a_window_opens_at_what_it_is_for(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    visitor.button("New game").click()
    expect(visitor.dialog.get_by_role("combobox", name="Black", exact=True)).to_be_focused()
    visitor.page.keyboard.press("Escape")
    visitor.button("Resign").click()
    expect(visitor.dialog.get_by_role("button", name="Keep playing")).to_be_focused()


def test_the_heat_maps_numbers_stay_in_their_squares(visitor: Visitor) -> None:
    visitor.open("/#lab/heuristics")
    expect(visitor.page.locator(".features tbody tr").first).to_be_visible()
    visitor.page.get_by_role("combobox", name="The board shows").select_option("squares")
    expect(visitor.page.locator("#lab [data-square=a1] .value")).to_have_text("+200")
    widths = visitor.page.eval_on_selector_all("#lab .cell .value", "all => all.map(one => one.getBBox().width)")
    assert max(widths) < 100, "a square is 100 wide"
    in_the_window(visitor, visitor.page.locator(".legend"))
    table = visitor.page.locator(".bench-side .scroll")
    assert table.evaluate("place => place.scrollWidth <= place.clientWidth"), "the features need no scrolling"


def test_the_trees_counts_are_seen_with_the_tree(visitor: Visitor) -> None:
    visitor.open("/#lab/tree")
    expect(visitor.page.locator(".tree .node")).to_have_count(13)
    for part in (".tree", ".tree-counts", ".sentence", ".lesson .steps"):
        in_the_window(visitor, visitor.page.locator(f"#lab {part}"))


def test_a_phone_shows_every_column_that_matters(visit: Visit) -> None:
    visitor = visit(**PHONE).open("/#lab/heuristics")
    expect(visitor.page.locator(".features tbody tr").first).to_be_visible()
    width = PHONE["viewport"]["width"]  # type: ignore[index]
    for part in (".features input[type=range]", ".features .share", ".features td.number"):
        for each in visitor.page.locator(part).all():
            where = box(each)
            assert where["x"] + where["width"] <= width, part
    visitor.open("/#lab/reports")
    visitor.page.locator(".events .event").first.click()
    expect(visitor.page.locator(".record .replay")).to_be_visible()
    for place in (
        visitor.page.locator("#games").get_by_role("button", name="Replay"),
        visitor.page.locator("#ratings tbody td").nth(1),
        visitor.page.locator("#ratings tbody td").nth(4),
    ):
        where = box(place)
        assert where["x"] + where["width"] <= width


def test_results_are_seen_to_their_last_column(visit: Visit) -> None:
    """The players' names may be long: they give way."""
    for size in ({}, PHONE, SIDEWAYS):
        visitor = visit(**size).open("/#lab/reports")
        visitor.page.locator(".events .event").first.click()
        expect(visitor.page.locator(".record .replay")).to_be_visible()
        for name in visitor.page.locator(".record :is(.name .link, .who)").all():
            name.evaluate("each => each.append('alphabeta:heuristic=mobility,depth=2 '.repeat(3))")
        ratings = visitor.page.locator("#ratings .scroll")
        assert ratings.evaluate("each => each.scrollWidth <= each.clientWidth"), size
        assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
        card = box(visitor.page.locator("#games"))
        for place in (".game .result", ".controls", ".seats b"):
            last = box(visitor.page.locator(f".record {place}").last)
            assert last["x"] + last["width"] <= card["x"] + card["width"], (size, place)


def test_the_laboratorys_board_is_as_large_as_the_window_lets_it_be(visit: Visit) -> None:
    for width, height, least, most in ((1280, 800, 400, 500), (1920, 1080, 620, 760), (1366, 768, 360, 460)):
        visitor = visit(viewport={"width": width, "height": height}).open("/#lab/heuristics")
        expect(visitor.page.locator(".features tbody tr").first).to_be_visible()
        board = visitor.page.locator("#lab othello-board").first
        in_the_window(visitor, board)
        assert least <= box(board)["width"] <= most
        table = visitor.page.locator("#lab .bench-side .scroll, #lab .bench-side table").first
        assert table.evaluate("each => each.scrollWidth <= each.parentElement.clientWidth"), (width, height)
        assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_laboratory_on_a_phone_held_sideways(visit: Visit) -> None:
    visitor = visit(**SIDEWAYS).open("/#lab/heuristics")
    expect(visitor.page.locator(".features tbody tr").first).to_be_visible()
    board = visitor.page.locator("#lab othello-board").first
    board.evaluate("each => each.scrollIntoView({ block: 'center' })")
    in_the_window(visitor, board)
    beside = box(visitor.page.locator("#lab .bench-side"))
    assert beside["x"] > box(board)["x"] + box(board)["width"] - 1


def test_weights_are_read_to_their_last_digit(visitor: Visitor) -> None:
    visitor.open("/#lab/heuristics")
    expect(visitor.page.locator(".features tbody tr").first).to_be_visible()
    for field in visitor.page.locator(".features input[type=number]").all():
        assert field.evaluate("each => each.scrollWidth <= each.clientWidth"), field.input_value()


def test_the_bounds_stand_beside_the_branch(visitor: Visitor) -> None:
    visitor.open("/#lab/tree")
    expect(visitor.page.locator(".tree .node")).to_have_count(13)
    visitor.page.get_by_role("slider", name="Step").fill("10")
    alpha, beta = box(visitor.page.locator(".tree .window.alpha")), box(visitor.page.locator(".tree .window.beta"))
    middle = box(visitor.page.locator(".tree .node.now .sign"))
    branch = middle["x"] + middle["width"] / 2
    assert alpha["x"] + alpha["width"] < branch < beta["x"]


def test_the_current_move_stays_in_sight_when_the_cards_grow(visitor: Visitor) -> None:
    visitor.open(f"/?moves={GAME}")
    current = visitor.page.locator("#analyse move-list [aria-current]")
    expect(current).to_be_visible()
    expect(visitor.page.locator("#analyse .told-of")).to_contain_text(
        "All values are proven"
    )  # nothing else draws it anew
    visitor.page.locator("#analyse move-list").evaluate(
        "each => { each.style.flex = 'none'; each.style.height = '130px'; }"
    )
    visitor.page.wait_for_function(IN_SIGHT, arg=130)


def test_discs_keep_their_colours_where_the_system_sets_all_others(visit: Visit) -> None:
    visitor = visit(forced_colors="active").open()
    visitor.status("Your move")
    colours = visitor.page.eval_on_selector_all(
        "#play .seat .pip", "all => all.map(one => getComputedStyle(one).backgroundColor)"
    )
    assert len(set(colours)) == 2, colours


@pytest.mark.parametrize("window", [{}, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
def test_the_time_for_a_review_is_written_out(visit: Visit, window: dict[str, Any], locale: str) -> None:
    visitor = visit(locale=locale, **window).open(f"/?variant=othello&moves={GAME[:12]}")
    visitor.page.locator('#analyse [data-tab="review"]').click()
    expect(visitor.page.locator("#analyse .reviewing select")).to_be_visible()
    have, want, over = visitor.page.evaluate(
        """() => {
            const time = document.querySelector("#analyse .reviewing select"), row = time.parentElement;
            const have = time.offsetWidth, over = row.scrollWidth - row.clientWidth;
            time.style = "flex: none; width: max-content";
            return [have, time.offsetWidth, over];
        }"""
    )
    assert have >= want and over <= 0


@pytest.mark.parametrize("width", [600, 700, 768, 834])
def test_a_tablet_shows_every_screen_and_the_settings(visit: Visit, width: int) -> None:
    visitor = visit(viewport={"width": width, "height": 1024}).open()
    visitor.status("Your move")
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.page.get_by_role("button", name="Settings").click()
    expect(visitor.dialog).to_be_visible()


@pytest.mark.parametrize("window", [(600, 960), (820, 1180)])
def test_a_tablet_has_undo_and_new_game_beside_the_whole_board(visit: Visit, window: tuple[int, int]) -> None:
    visitor = visit(viewport={"width": window[0], "height": window[1]}).open()
    visitor.status("Your move")
    for part in (visitor.page.locator("#play othello-board"), visitor.button("Undo"), visitor.button("New game")):
        box = part.bounding_box()
        assert box and box["y"] >= 0 and box["y"] + box["height"] <= window[1]


@pytest.mark.parametrize("window", [(1024, 640), (1280, 720), (1366, 650), (800, 600)])
def test_the_names_of_the_tools_do_not_overlap(visit: Visit, window: tuple[int, int]) -> None:
    visitor = visit(viewport={"width": window[0], "height": window[1]}).open("/#analyse")
    tools = visitor.page.locator("#analyse .tools button")
    expect(tools).to_have_count(9)
    wide = tools.evaluate_all("all => all.filter(each => each.scrollWidth > each.clientWidth).map(each => each.title)")
    assert wide == []


def test_a_player_is_looked_into_without_scrolling(visitor: Visitor) -> None:
    """All that it says of its move, and the moves it looked at first."""
    visitor.sit_at(moves="f5d6c3d3c4f4f6", black="human", white="mcts:playouts=60")
    visitor.status("Your move")
    visitor.page.get_by_role("tab", name="How it thinks").click()
    seen = visitor.page.locator("#play .thought")
    first = visitor.page.locator("#play .alternatives li").first
    expect(first).to_be_visible()
    frame, row = seen.bounding_box(), first.bounding_box()
    assert frame and row and row["y"] + row["height"] <= frame["y"] + frame["height"]


def test_a_candidate_has_one_line(visit: Visit) -> None:
    visitor = visit(**PHONE).open(f"/?variant=othello&moves={GAME[:60]}#analyse")
    candidates = visitor.page.locator("#analyse .candidate")
    expect(candidates.first.locator("small")).to_contain_text("%")
    assert candidates.evaluate_all("all => all.filter(each => each.scrollHeight > each.clientHeight).length") == 0


def test_what_can_be_done_with_an_exercise_stays_where_it_is(visitor: Visitor) -> None:
    visitor.open("/#train")
    look = visitor.button("Open in Analyse", "train")
    expect(look).to_be_disabled()
    before = look.bounding_box()
    visitor.page.locator("#train .cell.legal").first.click()
    expect(look).to_be_enabled()
    assert look.bounding_box() == before
