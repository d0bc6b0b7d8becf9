"""A move is felt: one's own discs turn in their own time, the answer waits for them, and a click that does nothing
says why."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from browser.visitor import PHONE, Visitor, after, drawn

Visit = Callable[..., Visitor]

HEARING = """
    window.WebSocket = class extends WebSocket {
        constructor(...to) {
            super(...to);
            this.addEventListener('message', ({data}) => {
                const {type, line} = JSON.parse(data);
                if (type === 'state') document.documentElement.dataset.heard = line.length;
            });
        }
    };
"""
CLICKED = """() => {
    const cell = name => document.querySelector(`#play [data-square=${name}]`);
    cell('d3').dispatchEvent(new MouseEvent('click', {bubbles: true}));
    window.turning = cell('d4').querySelector('.disc').getAnimations();
    turning.forEach(each => each.pause());
    return turning.length;
}"""
STILL_TURNING = "() => document.querySelector('#play [data-square=d4] .disc').getAnimations().includes(turning[0])"


def moving(visit: Visit, **options: object) -> Visitor:
    """A window in which discs turn, whose clock stands still, and which keeps what the server says."""
    visitor = visit(**{"reduced_motion": "no-preference", **options})
    visitor.context.add_init_script(HEARING)
    visitor.page.clock.install()
    visitor.open()
    visitor.status("Your move" if options.get("locale") is None else "轮到你了")
    visitor.page.clock.pause_at(visitor.page.evaluate("Date.now()") + 1000)
    return visitor


def answered(visitor: Visitor) -> None:
    expect(visitor.page.locator("html")).to_have_attribute("data-heard", "2")


@pytest.mark.parametrize("options", [{}, {**PHONE, "locale": "zh-CN"}], ids=["desktop", "phone-zh"])
def test_ones_own_discs_turn_to_the_end_before_the_computers_move(visit: Visit, options: dict[str, object]) -> None:
    visitor = moving(visit, **options)
    assert visitor.page.evaluate(CLICKED) == 1
    answered(visitor)
    assert visitor.board() == drawn(after("d3")), "the answer waits"
    assert visitor.page.evaluate(STILL_TURNING), "what the server said has not ended the turn"
    visitor.page.clock.run_for(440)
    assert visitor.board() == drawn(after("d3"))
    visitor.page.clock.run_for(20)
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(2)
    assert visitor.board() == drawn(after(visitor.moves()))


def test_who_takes_the_move_back_need_not_wait(visit: Visit) -> None:
    visitor = moving(visit)
    visitor.page.evaluate(CLICKED)
    answered(visitor)
    visitor.button("Undo").click()
    expect(visitor.page.locator("#play .seat.black .count")).to_have_text("2")


def test_nothing_waits_where_motion_is_unwelcome(visit: Visit) -> None:
    visitor = moving(visit, reduced_motion="reduce")
    assert visitor.page.evaluate(CLICKED) == 0
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(2)


def test_how_long_discs_turn_is_a_setting(visit: Visit) -> None:
    visitor = visit(reduced_motion="no-preference").open()
    visitor.status("Your move")
    visitor.page.get_by_role("button", name="Settings").click()
    visitor.dialog.get_by_role("combobox", name="Discs turn over").select_option("at once")
    visitor.page.keyboard.press("Escape")
    assert visitor.page.evaluate(CLICKED) == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, ["A disc on a1 would turn nothing.", "d4 is taken.", "The game is over."]),
        ({**PHONE, "locale": "zh-CN"}, ["在 a1 落子翻不了任何棋子。", "d4 上已有棋子。", "对局已结束。"]),
    ],
    ids=["desktop", "phone-zh"],
)
def test_a_refused_click_says_why(visit: Visit, options: dict[str, object], said: list[str]) -> None:
    visitor = visit(**options).sit_at(black="human", white="human")
    expect(visitor.page.locator("#play .cell.legal")).to_have_count(4)
    notice = visitor.page.locator("#play .notice")
    for square, why in zip(("a1", "d4"), said, strict=False):
        visitor.play(square)
        expect(notice).to_have_text(why)
        expect(visitor.page.locator("#live")).to_have_text(why)
    assert visitor.board() == drawn(after(""))
    visitor.page.locator("#play .actions button").nth(4).click()  # resigns
    visitor.dialog.locator("footer .main").click()
    expect(visitor.page.locator("dialog.result")).to_be_visible()
    visitor.page.keyboard.press("Escape")
    visitor.play("d3")
    expect(notice).to_have_text(said[2])
    assert notice.evaluate("""notice => {
        notice.hidden = false;  // it goes after a moment, which may be over
        const box = notice.getBoundingClientRect();
        const board = document.querySelector("#play othello-board").getBoundingClientRect();
        return box.width > 0 && box.left >= board.left && box.right <= board.right;
    }"""), "it is on the board"


def test_while_the_computer_thinks_a_click_says_whose_turn_it_is(visitor: Visitor) -> None:
    visitor.sit_at(black="alphabeta:time=20", white="human")
    visitor.status("is thinking")
    visitor.play("d3")
    expect(visitor.page.locator("#play .notice")).to_have_text("It is alphabeta:time=20’s turn.")


def test_watching_has_speeds(visit: Visit) -> None:
    visitor = visit().sit_at(black="greedy", white="greedy", variant="6x6")
    speed = visitor.page.get_by_role("combobox", name="Speed of play")
    expect(speed).to_have_value("0.6")
    speed.select_option("Slow")
    board = visitor.page.evaluate("localStorage['outflank.play']")
    other = visit()
    other.context.add_init_script(f"localStorage['outflank.play'] = {board!r}")
    other.open()
    expect(other.page.get_by_role("combobox", name="Speed of play")).to_have_value("2")
    speed.select_option("As fast as they can")
    expect(visitor.page.locator("dialog.result")).to_be_visible()
