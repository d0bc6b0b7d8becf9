"""A visitor: one browser window on the page, and the words of what people do there."""

import os
import re
from datetime import datetime, timedelta
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect
from serving import Server

from outflank import Game, Position, Variant

PATIENCE = 120_000
"""Milliseconds: a busy machine is slow, a broken page is slower."""
expect.set_options(timeout=PATIENCE)
SLOWNESS = float(os.environ.get("OUTFLANK_SLOW_PAGE", "1"))
"""How many times slower the page's scripts run, each answer of the server being late as well: a test that looks at
something once, before it is there, fails with `OUTFLANK_SLOW_PAGE=4`."""
REPLAY_PACE = 800
"""Milliseconds a move, as in analysis.js."""
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "is_mobile": True, "has_touch": True}


class Visitor:
    """What a person does on the page. Every complaint of the browser is kept, and a test fails on it."""

    def __init__(self, browser: Browser, server: Server, **options: Any) -> None:
        settings = {**DESKTOP, "locale": "en-GB", "reduced_motion": "reduce", **options}
        self.server = server
        self.context = browser.new_context(**settings)
        self.context.set_default_timeout(PATIENCE)
        self.page: Page = self.context.new_page()
        if SLOWNESS > 1:
            self._slow_down()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda line: self.complaints.append(line.text) if line.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _slow_down(self) -> None:
        browser = self.context.new_cdp_session(self.page)
        browser.send("Emulation.setCPUThrottlingRate", {"rate": SLOWNESS})
        late = {"offline": False, "latency": 50 * SLOWNESS, "downloadThroughput": -1, "uploadThroughput": -1}
        browser.send("Network.enable")
        browser.send("Network.emulateNetworkConditions", late)

    def open(self, path: str = "/") -> "Visitor":
        self.page.goto(self.server.url + path)
        return self

    def sit_at(self, **game: Any) -> "Visitor":
        """Opens the page at a board that the server has made."""
        board = self.server.new_board(**game)
        self.context.add_init_script(
            f"if (!sessionStorage.sat) {{ localStorage['outflank.play'] = {board!r}; sessionStorage.sat = 1; }}"
        )
        self.open()
        self.page.wait_for_url(f"**/b/{board}?**")  # before the server has spoken, a first game is drawn
        return self

    def close(self) -> None:
        self.context.close()
        assert not self.complaints, self.complaints

    # What there is to see
    def screen(self, name: str = "play") -> Locator:
        return self.page.locator(f"#{name}")

    def square(self, name: str, screen: str = "play") -> Locator:
        return self.page.locator(f'#{screen} [data-square="{name}"]')

    def shown(self, screen: str = "play") -> tuple[str, list[str]]:
        """The squares as X, O and -, as they are drawn, and those that are legal moves: in one look, because the next
        position may be on its way."""
        cells: list[tuple[str, str]] = self.page.eval_on_selector_all(
            f"#{screen} othello-board .cell",
            "cells => cells.map(cell => [cell.getAttribute('class'), cell.dataset.square])",
        )
        looks = [(look.split(), square) for look, square in cells]
        board = "".join("X" if "black" in look else "O" if "white" in look else "-" for look, _ in looks)
        return board, [square for look, square in looks if "legal" in look]

    def legal(self, screen: str = "play") -> list[str]:
        return self.shown(screen)[1]

    def board(self, screen: str = "play") -> str:
        return self.shown(screen)[0]

    def moves(self, screen: str = "play") -> str:
        """The moves in the list, passes left out."""
        names = self.page.locator(f"#{screen} move-list button.move .square").all_inner_texts()
        return "".join(name[:2] for name in names if name[1].isdigit())

    def counts(self) -> tuple[int, int]:
        black, white = self.page.locator("#play .seat .count").all_inner_texts()
        return int(black), int(white)

    def stop_the_clock(self) -> None:
        """From now on the page's time goes on only where a test says so."""
        self.page.clock.install()
        self.page.clock.pause_at(datetime.now() + timedelta(days=1))

    def replays_from_the_start(self) -> None:
        """A replay in Analyse, begun after `stop_the_clock`, shows move after move. By itself it would leave moves out
        where an answer of the server is late."""
        moves = self.page.locator("#analyse move-list button.move")
        current = self.page.locator("#analyse move-list button.move[aria-current]")
        expect(moves).not_to_have_count(0)
        expect(current).to_have_count(0)
        for number in (1, 2, 3):
            self.page.clock.run_for(REPLAY_PACE)
            expect(current).to_have_attribute("aria-label", re.compile(rf"^{number}\. "))

    def status(self, text: str, screen: str = "play") -> None:
        expect(self.page.locator(f"#{screen} .status")).to_contain_text(text)

    def button(self, name: str, screen: str = "play") -> Locator:
        return self.page.locator(f"#{screen}").get_by_role("button", name=name, exact=True)

    @property
    def dialog(self) -> Locator:
        return self.page.locator("dialog[open]").last

    # What there is to do
    def play(self, move: str, screen: str = "play") -> None:
        self.square(move, screen).click()

    def my_turn(self) -> bool:
        """Waits for a move to make; false when the game is over."""
        self.page.wait_for_function(
            "() => document.querySelector('dialog.result') || document.querySelector('#play .cell.legal')"
        )
        return self.page.locator("dialog.result").count() == 0

    def new_game(self, **chosen: str) -> None:
        """Through the window: what is chosen by the label of its control."""
        self.button("New game").click()
        for label, value in chosen.items():
            self.dialog.get_by_role("combobox", name=label, exact=True).select_option(value)
        self.dialog.get_by_role("button", name="Start", exact=True).click()
        expect(self.page.locator("dialog")).to_have_count(0)

    def panel(self, name: str) -> None:
        """One of the tabs of Analyse."""
        self.page.locator("#analyse").get_by_role("tab", name=name, exact=True).click()

    def paste(self, text: str) -> None:
        """As Ctrl+V does."""
        expect(self.page.locator("#play othello-board")).to_be_attached()  # nobody listens before that
        self.page.evaluate(
            """text => {
                const data = new DataTransfer();
                data.setData("text/plain", text);
                document.body.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
            }""",
            text,
        )


def drawn(position: Position) -> str:
    """A position as `Visitor.board` reads it from the screen."""
    return position.text.split()[0]


def after(moves: str, variant: str = "othello") -> Position:
    return Game.from_transcript(moves, Variant.named(variant)).position
