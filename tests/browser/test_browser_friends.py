"""A game with a friend: a link, two who play, others who watch, and a server that dies in the middle."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from serving import Server

from browser.visitor import PHONE, Visitor, after, drawn

Visit = Callable[..., Visitor]


def faultless(visitor: Visitor) -> None:
    """Nothing that axe complains of, and nothing that sticks out."""
    assert [each["id"] for each in Axe().run(visitor.page).response["violations"]] == []
    assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def invitation(host: Visitor, **chosen: str) -> str:
    """Invites through the window; the path of the link."""
    host.open()
    host.status("Your move")
    expect(host.page).to_have_url(re.compile("/b/"))  # a first board that came later would take the new one's place
    host.button("Invite a friend").click()
    host.dialog.get_by_label("Your name").fill("Ann")
    for label, value in chosen.items():
        host.dialog.get_by_role("combobox", name=label, exact=True).select_option(value)
    host.dialog.get_by_role("button", name="Make the link").click()
    link = host.dialog.get_by_label("Link to this board")
    expect(link).to_have_value(re.compile(rf"^{re.escape(host.server.url)}/b/[\w-]+$"))
    address = str(link.input_value())
    host.page.keyboard.press("Escape")
    return address.removeprefix(host.server.url)


def sit(friend: Visitor, name: str, play: str, label: str) -> None:
    friend.dialog.get_by_label(label).fill(name)
    friend.dialog.get_by_role("button", name=play).click()


@pytest.mark.parametrize(
    ("size", "locale", "words"),
    [
        ({}, "en-GB", {"play": "Play White", "name": "Your name", "move": "Your move", "watching": "You are watching"}),
        (PHONE, "zh-CN", {"play": "执白", "name": "你的名字", "move": "轮到你了", "watching": "你在旁观"}),
    ],
    ids=["desktop", "phone in Chinese"],
)
def test_a_friend_follows_the_link_and_another_watches(
    visit: Visit, size: dict[str, Any], locale: str, words: dict[str, str]
) -> None:
    ann = visit()
    link = invitation(ann, Clock="300+0")
    ann.status("Waiting for your friend")
    ann.square("d3").click()
    expect(ann.page.locator("#play .notice")).to_have_text("Waiting for your friend")
    ben = visit(locale=locale, **size).open(link)
    expect(ben.dialog).to_contain_text("Ann")
    faultless(ben)
    sit(ben, "Ben", words["play"], words["name"])
    expect(ann.page.locator("#play .seat.white .name")).to_have_text("Ben")
    expect(ben.page.locator("#play .seat.black .name")).to_have_text("Ann")
    carl = visit(locale=locale, **size).open(link)
    expect(carl.page.locator("#play .friends")).to_contain_text(words["watching"])
    expect(carl.page.locator("dialog")).to_have_count(0)
    expect(ann.page.locator("#play .friends")).to_contain_text("1 is watching")
    ann.play("d3")
    ben.status(words["move"])
    assert carl.legal() == [] and ann.legal() == []
    carl.square("c3").click()
    expect(carl.page.locator("#play .notice")).to_contain_text(words["watching"])
    ben.play("c3")
    ann.status("Your move")
    expect(carl.page.locator("#play move-list button.move")).to_have_count(2)
    assert ann.board() == ben.board() == carl.board() == drawn(after("d3c3"))
    expect(ben.page.locator("#play .seat.white .clock")).to_have_text(re.compile(r"[45]:\d\d"))
    # Whoever looks back looks back alone.
    carl.page.locator("#play move-list button.move").first.click()
    expect(carl.page.locator("#play move-list button.move").first).to_have_attribute("aria-current", "true")
    assert carl.board() == drawn(after("d3")) and ann.board() == drawn(after("d3c3"))
    faultless(ben)
    faultless(carl)


def test_what_both_want_is_done_and_the_game_is_both_players(visit: Visit) -> None:
    ann, ben = visit(), visit()
    link = invitation(ann, **{"You play": "white", "Rows": "4"})
    ben.open(link)
    sit(ben, "Ben", "Play Black", "Your name")
    ben.status("Your move")
    ben.play(ben.legal()[0])
    ann.status("Your move")
    ben.button("Undo").click()
    ann.page.locator("#play .friends").get_by_role("button", name="Agree").click()
    expect(ben.page.locator("#play .seat .count").first).to_have_text("2")
    for visitor in (ann, ben):
        expect(visitor.page.locator("#play .proposal")).to_have_count(0)
    turn, other = ben, ann
    while True:
        turn.page.wait_for_function(
            "() => document.querySelector('dialog.result') || document.querySelector('#play .cell.legal')"
            " || document.querySelector('#play .status').textContent.includes('to move')"
        )
        if turn.page.locator("dialog.result").count():
            break
        if turn.legal():
            turn.play(turn.legal()[0])
        turn, other = other, turn
    expect(ann.dialog.locator("tbody th").first).to_contain_text("Ben")
    ben.dialog.get_by_role("button", name="Another game").click()
    ann.page.keyboard.press("Escape")
    ann.page.locator("#play .friends").get_by_role("button", name="Agree").click()
    expect(ann.page.locator("#play .seat.black .name")).to_have_text("Ann (you)")
    expect(ben.page.locator("#play .seat.white .name")).to_have_text("Ben (you)")
    for visitor in (ann, ben):
        visitor.page.locator("nav").get_by_role("link", name="My games").click()
        expect(visitor.page.locator(".kept .card").first).to_contain_text("Ben – Ann")
    # A game saved from there has their names.
    ann.page.locator(".kept .card").first.get_by_role("button", name="Analyse").click()
    expect(ann.page.locator("#analyse move-list button.move")).not_to_have_count(0)  # before it, nothing is copied
    ann.button("Copy", "analyse").click()
    expect(ann.dialog.locator("textarea")).not_to_have_value("")  # the first answer, before another is asked for
    ann.dialog.get_by_role("combobox", name="As").select_option("ggf")
    expect(ann.dialog.locator("textarea")).to_have_value(re.compile(r"PB\[Ben\]PW\[Ann\]"))


def test_whoever_follows_his_link_from_elsewhere_is_still_himself(visit: Visit) -> None:
    ann = visit()
    link = invitation(ann)
    ann.page.goto(ann.server.url.replace("127.0.0.1", "localhost") + "/")  # another site to the browser
    ann.page.evaluate("address => { location.href = address; }", ann.server.url + link)
    expect(ann.page.locator("#play .seat.black .name")).to_have_text("Ann (you)")


@pytest.mark.slow  # two servers; tests/test_web_friends.py has the same without a browser
def test_two_friends_find_their_game_again(chromium: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path)
    people = [Visitor(chromium, server) for _ in range(3)]
    ann, ben, carl = people
    link = invitation(ann, Clock="300+0")
    sit(ben.open(link), "Ben", "Play White", "Your name")
    ann.status("Your move")
    ann.play("d3")
    ben.status("Your move")
    expect(carl.open(link).page.locator("#play .friends")).to_contain_text("You are watching")
    server.kill()
    ben.status("Trying again")
    again = Server(tmp_path, port=server.port)
    try:
        ben.status("Your move")
        ben.play("c3")
        ann.status("Your move")
        for visitor in people:
            expect(visitor.page.locator("#play move-list button.move")).to_have_count(2)
            assert visitor.board() == drawn(after("d3c3"))
        expect(carl.page.locator("#play .friends")).to_contain_text("You are watching")
    finally:
        for visitor in people:
            visitor.context.close()
        again.stop()
