"""Play for newcomers: the rules, a hint that says why, what empty squares count; and that everything can be read."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from browser.visitor import PHONE, Visitor
from outflank import Game

Visit = Callable[..., Visitor]
LETTERS = """texts => Math.min(...texts.filter(text => text.textContent && text.checkVisibility()).map(text =>
    parseFloat(getComputedStyle(text).fontSize) * (text.getCTM ? text.getCTM().a : 1)))"""
REASON = """async ([start, move]) => {
    const [{reason}, {positionFrom, squareNamed, OTHELLO}] = await Promise.all(
        [import('/page/reasons.js'), import('/page/rules.js')]);
    return reason(positionFrom(start, OTHELLO), squareNamed(move));
}"""
WIPED_OUT = "e6f4e3f6g5d6e7f5c5"
"""Nine moves to 13 : 0, the shortest game there is."""


@pytest.mark.parametrize(
    ("options", "title", "sentence"),
    [({}, "How to play", "Place a disc so that it encloses"), ({**PHONE, "locale": "zh-CN"}, "怎么玩", "落子夹住对方")],
    ids=["desktop", "phone-zh"],
)
def test_the_rules_in_three_sentences_with_a_board(
    visit: Visit, options: dict[str, object], title: str, sentence: str
) -> None:
    visitor = visit(**options).open()
    visitor.button(title).click()
    expect(visitor.dialog.locator(".rules p")).to_have_count(3)
    expect(visitor.dialog.locator(".rules p").first).to_contain_text(sentence)
    expect(visitor.dialog.locator(".rules .thumbnail")).to_have_count(2)
    expect(visitor.dialog.locator(".thumbnail circle")).to_have_count(4 + 5)


@pytest.mark.parametrize(
    ("start", "move", "why"),
    [
        ("XO------" + 48 * "-" + "XO------ X", "c1", "the other side will have no move"),
        ("-OX-----" + 16 * "-" + "---OX---" + 32 * "-" + " X", "a1", "a corner can never be turned"),
    ],
)
def test_a_hint_says_why_in_plain_words(visitor: Visitor, start: str, move: str, why: str) -> None:
    visitor.open()
    assert visitor.page.evaluate(REASON, [start, move]) == why


def test_a_hint_stands_above_the_board(visitor: Visitor) -> None:
    visitor.sit_at(moves="f5d6", black="human", white="human")
    visitor.status("Black to move")
    visitor.button("Values").click()
    expect(visitor.page.locator("#play .opening")).to_have_text(re.compile(r"^Try [a-h][1-8]: \w+"))


def test_empty_squares_to_the_winner_are_said_when_it_matters(visitor: Visitor) -> None:
    game = Game.from_transcript(WIPED_OUT)
    assert game.is_over
    visitor.sit_at(moves=WIPED_OUT[:-2], black="human", white="human")
    visitor.status("Black to move")
    visitor.play(WIPED_OUT[-2:])
    expect(visitor.dialog.locator(".body")).to_contain_text("Empty squares count for the winner: 51 here.")


def test_nothing_on_a_phone_is_smaller_than_ten_pixels(visit: Visit) -> None:
    visitor = visit(**PHONE).sit_at(moves="f5d6c3d3c4", white="engine:level=4")
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(6)
    visitor.button("Values").click()
    expect(visitor.page.locator("#play .cell.legal .value").first).not_to_be_empty()
    for screen, texts in (
        ("", "#play :is(text, span, small, dd, dt, b)"),
        ("/#lab/heuristics", "#lab :is(text, span)"),
    ):
        if screen:
            visitor.open(screen)
            expect(visitor.page.locator(".features tbody tr").first).to_be_visible()
        assert visitor.page.eval_on_selector_all(texts, LETTERS) >= 10, screen


def test_the_time_of_a_move_is_whole_in_the_list(visitor: Visitor) -> None:
    visitor.sit_at(moves="f5d6c3d3", white="dynamic:depth=4")
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(4)
    visitor.play("c4")
    told = visitor.page.locator("#play move-list .told").last
    expect(told).to_have_text(re.compile(r"\d.* (µs|ms|s)$"))
    assert told.evaluate("""each => {
        each.textContent = '−12.3k 10.2 s';  // as long as they get
        return each.scrollWidth <= each.clientWidth;
    }""")


def test_what_was_taken_back_is_told_apart(visitor: Visitor) -> None:
    visitor.sit_at(moves="f5d6c3", black="human", white="human")
    visitor.status("White to move")
    visitor.button("Undo").click()
    visitor.status("Black to move")
    entries = visitor.page.locator("#play move-list button.move")
    expect(entries.nth(2)).to_have_class(re.compile("ahead"))
    expect(entries.nth(1)).not_to_have_class(re.compile("ahead"))
    expect(visitor.square("c3")).to_have_class(re.compile("again"))
    expect(visitor.square("c3")).to_have_attribute("aria-label", "c3, empty, legal, taken back")
    expect(visitor.page.locator("#play .cell.again")).to_have_count(1)


def test_the_name_of_the_opening_leaves_with_the_opening(visitor: Visitor) -> None:
    visitor.sit_at(moves="f5d6c3d3c4f4", black="human", white="human")
    expect(visitor.page.locator("#play .opening")).not_to_be_empty()
    visitor.play("c2")
    expect(visitor.page.locator("#play .opening")).to_be_empty()


def test_options_of_players_are_whole_and_without_backticks(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    visitor.button("New game").click()
    for agent in visitor.server.get("/api/about")["agents"]:
        visitor.dialog.get_by_role("combobox", name="White", exact=True).select_option(agent["name"])
        assert "`" not in visitor.dialog.inner_text(), agent["name"]
        for choice in visitor.dialog.locator(".picker .options select").all():
            assert choice.evaluate("each => each.selectedOptions[0]?.text"), agent["name"]
    visitor.page.keyboard.press("Escape")
