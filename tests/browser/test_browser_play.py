"""Play: a visitor's games, by clicks, by keys, on a phone, and through everything that interrupts a game."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from serving import Server

from browser.visitor import PHONE, Visitor, after, drawn
from outflank import Game, Position, Variant

Visit = Callable[..., Visitor]

WHITE_MUST_PASS = "XO------" + 48 * "-" + "XO------ X"
"""After Black's c1 (or c8) White has no move, and Black moves again."""


def finished(visitor: Visitor, variant: str = "othello") -> Game:
    """The game in the move list, played through: legal to its end, and as the result window tells it."""
    game = Game.from_transcript(visitor.moves(), Variant.named(variant))
    outcome = game.position.outcome()
    assert outcome is not None
    verdict = "A draw." if outcome.winner is None else f"{outcome.winner} wins by {abs(outcome.score or 0)}."
    expect(visitor.dialog.locator(".verdict")).to_have_text(verdict)
    assert visitor.counts() == (game.position.count(0), game.position.count(1))  # type: ignore[arg-type]
    assert visitor.board() == drawn(game.position)
    return game


def test_a_visitor_plays_a_whole_game_by_clicks(visitor: Visitor) -> None:
    visitor.open()
    visitor.page.get_by_role("radio", name="Beginner").check()
    visitor.status("Your move")
    while visitor.my_turn():
        visitor.play(visitor.legal()[0])
    finished(visitor)
    expect(visitor.dialog.locator("tbody td").nth(1)).to_contain_text("s")  # the time each side took
    visitor.dialog.get_by_role("button", name="Play again").click()
    visitor.status("Your move")
    assert visitor.moves() == "" and visitor.counts() == (2, 2)


def test_by_keyboard_alone(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    keys = visitor.page.keyboard
    for _ in range(12):
        keys.press("Tab")
        if visitor.page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
    first = True
    while visitor.my_turn():
        move = visitor.legal()[-1]
        if first:  # with the arrows once, by name from then on
            here = str(visitor.page.evaluate("document.activeElement.dataset.square"))
            across, down = ord(move[0]) - ord(here[0]), int(move[1]) - int(here[1])
            for _ in range(abs(across)):
                keys.press("ArrowRight" if across > 0 else "ArrowLeft")
            for _ in range(abs(down)):
                keys.press("ArrowDown" if down > 0 else "ArrowUp")
            first = False
        else:
            keys.type(move)
        assert visitor.page.evaluate("document.activeElement.dataset.square") == move
        keys.press("Enter")
    finished(visitor)
    keys.press("Escape")
    expect(visitor.page.locator("dialog")).to_have_count(0)


def test_on_a_phone(visit: Visit) -> None:
    visitor = visit(**PHONE).open()
    visitor.status("Your move")
    assert visitor.page.evaluate("document.documentElement.scrollWidth") <= 390, "nothing sticks out"
    square = visitor.square("d3").bounding_box()
    assert square is not None and min(square["width"], square["height"]) >= 40, "a finger hits one square"
    while visitor.my_turn():
        visitor.square(visitor.legal()[0]).tap()
    finished(visitor)


def test_reversed_reversi_on_6x6(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    expect(visitor.page.locator("#play .badge")).to_be_hidden()
    visitor.new_game(**{"Who wins": "fewest", "Rows": "6"})
    expect(visitor.page.locator("#play othello-board .cell")).to_have_count(36)  # the badge has its text also unseen
    expect(visitor.page.locator("#play .badge")).to_be_visible()
    expect(visitor.page.locator("#play .badge")).to_have_text("Fewest discs win")
    while visitor.my_turn():
        visitor.play(visitor.legal()[0])
    game = finished(visitor, "reversed-6x6")
    outcome = game.position.outcome()
    assert outcome is not None
    if outcome.winner is not None:
        assert game.position.count(outcome.winner) < game.position.count(outcome.winner.other)
    expect(visitor.page.locator("#play .badge")).to_be_visible()


def test_a_click_is_on_the_board_before_any_reply(visitor: Visitor) -> None:
    """In the very task of the click, with the server out of reach: so long before 50 ms."""
    visitor.open()
    visitor.status("Your move")
    visitor.context.set_offline(True)
    cells = visitor.page.evaluate("""() => {
        const cell = name => document.querySelector(`#play [data-square=${name}]`);
        cell('d3').dispatchEvent(new MouseEvent('click', {bubbles: true}));
        return ['d3', 'd4'].map(name => cell(name).classList.contains('black'));
    }""")
    assert cells == [True, True]
    visitor.context.set_offline(False)
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(2)  # then no complaint is on its way
    visitor.complaints.clear()  # of the connection that was cut


def test_undo_after_a_pass_gives_the_right_side(visitor: Visitor) -> None:
    visitor.sit_at(start=WHITE_MUST_PASS, black="human", white="human")
    visitor.status("Black to move")
    visitor.play("c1")
    visitor.status("White passes. Black to move")
    assert visitor.legal() == ["c8"]
    visitor.button("Undo").click()
    expect(visitor.page.locator("#play .status")).to_have_text("Black to move")
    assert visitor.legal() == ["c1", "c8"] and visitor.counts() == (2, 2)
    visitor.button("Redo").click()
    visitor.status("White passes. Black to move")
    visitor.play("c8")
    expect(visitor.dialog.locator(".verdict")).to_have_text("Black wins by 64.")


def test_undo_redo_resign_and_swap(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    visitor.play("d3")
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(2)
    moves = visitor.moves()
    visitor.page.keyboard.press("Backspace")
    expect(visitor.button("Undo")).to_be_disabled()
    assert visitor.counts() == (2, 2)
    visitor.button("Redo").click()
    expect(visitor.button("Redo")).to_be_disabled()
    assert visitor.moves() == moves and visitor.board() == drawn(after(moves))
    visitor.button("Resign").click()
    visitor.dialog.get_by_role("button", name="Resign").click()
    expect(visitor.page.locator("dialog.result .verdict")).to_have_text("Black resigned: White wins.")
    visitor.dialog.get_by_role("button", name="Other colour").click()
    visitor.status("Your move")
    expect(visitor.page.locator("#play .seat.white .name")).to_have_text("You")
    assert visitor.moves()  # the computer has begun


def test_a_game_survives_a_reload(visitor: Visitor) -> None:
    visitor.open()
    for _ in range(3):
        assert visitor.my_turn()
        visitor.play(visitor.legal()[0])
    visitor.status("Your move")
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(6)
    board, moves = visitor.board(), visitor.moves()
    visitor.page.reload()
    visitor.status("Your move")
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(6)
    assert (visitor.board(), visitor.moves()) == (board, moves)


def test_a_game_survives_the_server(chromium: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path)
    visitor = Visitor(chromium, server).open()
    visitor.status("Your move")
    visitor.play("d3")
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(2)
    moves = visitor.moves()
    server.kill()
    visitor.status("Trying again")
    again = Server(tmp_path, port=server.port)
    try:
        visitor.status("Your move")
        assert visitor.moves() == moves
        visitor.play(visitor.legal()[0])
        expect(visitor.page.locator("#play move-list button.move")).to_have_count(4)
    finally:
        visitor.context.close()
        again.stop()


def test_a_screen_wanted_while_the_server_was_away_opens_when_it_is_back(chromium: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path)
    visitor = Visitor(chromium, server).open()
    visitor.status("Your move")
    visitor.play("d3")
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(2)
    moves = visitor.moves()
    server.kill()
    visitor.status("Trying again")
    visitor.page.evaluate("window.same = true")
    visitor.page.locator('nav [data-screen="analyse"]').click()
    expect(visitor.page.locator("#analyse .none")).to_contain_text("The server does not answer")
    again = Server(tmp_path, port=server.port)
    try:
        expect(visitor.page.locator("#analyse .status")).to_be_visible()
        assert visitor.page.evaluate("window.same"), "it was not loaded anew"
        visitor.page.locator('nav [data-screen="play"]').click()
        visitor.status("Your move")
        expect(visitor.page.locator("#play move-list button.move")).to_have_count(2)
        assert visitor.moves() == moves
    finally:
        visitor.context.close()
        again.stop()


def test_a_move_is_not_lost_where_a_window_had_to_wait_for_the_server(chromium: Browser, tmp_path: Path) -> None:
    server = Server(tmp_path)
    visitor = Visitor(chromium, server).open("/#analyse")
    expect(visitor.page.locator("#analyse .candidate").first).to_be_visible()
    server.kill()
    visitor.status("Trying again", "analyse")
    visitor.play("d3", "analyse")
    for _ in range(3):
        visitor.button("Paste", "analyse").click()
        expect(visitor.page.locator(".toast.trouble")).to_have_count(1)  # said once, however often it is asked for
    again = Server(tmp_path, port=server.port)
    try:
        expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(1)
        assert visitor.moves("analyse") == "d3"
        visitor.button("Paste", "analyse").click()
        expect(visitor.dialog).to_contain_text("A game or a position in any format")
    finally:
        visitor.context.close()
        again.stop()


def test_the_page_is_loaded_anew_once_for_a_module_that_is_not_there(visitor: Visitor) -> None:
    page = visitor.page
    page.route("**/page/games.js*", lambda route: route.fulfill(status=404))
    visitor.open()
    visitor.status("Your move")
    with page.expect_event("load"):
        page.locator('nav [data-screen="games"]').click()
    expect(page.locator(".toast.trouble")).to_be_visible()
    page.evaluate("window.same = true")
    page.locator('nav [data-screen="play"]').click()
    visitor.play("d3")
    expect(page.locator("#play move-list button.move")).to_have_count(2)
    assert page.evaluate("window.same")
    visitor.complaints.clear()  # the missing file


def test_difficulty_in_words_sets_the_opponent(visitor: Visitor) -> None:
    visitor.open()
    expect(visitor.page.locator("#play .chip").first).to_be_visible()
    words = visitor.page.locator("#play .chips:not(.modes) .chip").all_inner_texts()
    assert words[0] == "Beginner" and words[-1] == "Unbeatable" and len(words) >= 5
    visitor.page.get_by_role("radio", name="Expert").check()
    expect(visitor.page.locator("#play .seat.white .name")).to_have_text("Expert")
    visitor.play("d3")
    expect(visitor.page.locator("#play .seat.white .said")).to_contain_text("s")  # its value and its time
    visitor.status("Your move")


def test_the_modes_of_mini_go_are_one_click_away(visitor: Visitor) -> None:
    visitor.open()
    expect(visitor.page.locator("#play .chips.modes .chip")).to_have_text(["Easy", "Normal", "Hard"])
    visitor.page.get_by_role("radio", name="Easy").check()
    expect(visitor.page.locator("#play .seat.white .name")).to_have_text("mini-go · Easy")
    visitor.play("d3")
    visitor.status("Your move")
    assert visitor.page.get_by_role("radio", name="Easy").is_checked()


def test_two_agents_play_each_other(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    visitor.new_game(Black="greedy", White="random", Rows="4")
    expect(visitor.page.locator("dialog.result .verdict")).to_be_visible()
    finished(visitor, "4x4")


def test_a_position_of_ones_own_and_a_clock(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    visitor.button("New game").click()
    visitor.dialog.get_by_role("combobox", name="White", exact=True).select_option("human")
    visitor.dialog.get_by_role("combobox", name="Clock", exact=True).select_option("180+2")
    visitor.dialog.get_by_role("combobox", name="Opening", exact=True).select_option("setup")
    editor = visitor.page.locator("dialog.editor")
    editor.get_by_role("button", name="Clear").click()
    expect(editor.locator(".warning")).to_have_text("Neither side can move here.")
    editor.get_by_role("combobox", name="A click puts", exact=True).select_option("black")
    editor.locator("[data-square=a1]").click()
    editor.get_by_role("combobox", name="A click puts", exact=True).select_option("white")
    editor.locator("[data-square=b1]").click()
    editor.locator("[data-square=a2]").click()
    editor.get_by_role("button", name="Use this position").click()
    visitor.dialog.get_by_role("button", name="Start", exact=True).click()
    visitor.status("Black to move")
    assert visitor.board() == "XO------O" + 55 * "-"
    assert visitor.legal() == ["c1", "a3"]
    clock = visitor.page.locator("#play .seat.black .clock")
    expect(clock).to_have_text(re.compile(r"[23]:\d\d"))
    visitor.play("c1")
    expect(visitor.page.locator("#play .seat.white .clock")).to_have_text(re.compile(r"[23]:\d\d"))


@pytest.mark.parametrize("opening", ["random", "balanced"])
def test_an_opening_by_chance(visitor: Visitor, opening: str) -> None:
    visitor.open()
    visitor.status("Your move")
    visitor.new_game(White="human", Opening=opening)
    expect(visitor.page.locator("#play move-list button.move")).to_have_count(8)
    assert visitor.board() == drawn(after(visitor.moves()))


def test_who_runs_out_of_time_loses(visitor: Visitor) -> None:
    visitor.sit_at(clock={"seconds": 3, "increment": 0}, black="human", white="human")
    visitor.status("Black to move")
    visitor.play("d3")
    expect(visitor.page.locator("dialog.result .verdict")).to_have_text("White ran out of time: Black wins.")
    assert visitor.counts() == (4, 1)


def test_two_computers_can_be_paused(visitor: Visitor) -> None:
    visitor.sit_at(black="alphabeta:time=0.3", white="alphabeta:time=0.3")
    visitor.button("Pause").click()
    visitor.status("Paused")
    expect(visitor.button("Resume")).to_be_visible()
    visitor.button("Resume").click()
    visitor.status("is thinking")
    expect(visitor.page.locator("#play move-list button.move").nth(3)).to_be_visible()


def test_values_while_playing(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    visitor.page.keyboard.press("v")
    expect(visitor.page.locator("#play .cell.legal .value").first).not_to_be_empty()
    expect(visitor.square("d3")).to_have_attribute("aria-label", re.compile(r"^d3, empty, legal, .*\d"))


def test_the_newest_move_list_entry_goes_back_in_the_game(visitor: Visitor) -> None:
    visitor.sit_at(moves="f5d6c3d3c4", black="human", white="human")
    visitor.status("White to move")
    visitor.page.locator("#play move-list button.move").nth(1).click()
    visitor.status("Black to move")
    assert visitor.board() == drawn(after("f5d6"))
    visitor.page.locator("h1").first.focus()
    visitor.page.keyboard.press("End")
    visitor.status("White to move")
    visitor.page.keyboard.press("Home")
    visitor.status("Black to move")
    assert visitor.board() == drawn(Position.start())


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_discs_turn_over_unless_motion_is_unwelcome(visit: Visit, motion: str) -> None:
    visitor = visit(reduced_motion=motion).open()
    visitor.status("Your move")
    running = visitor.page.evaluate("""() => {
        const cell = name => document.querySelector(`#play [data-square=${name}]`);
        cell('d3').dispatchEvent(new MouseEvent('click', {bubbles: true}));
        return cell('d4').querySelector('.disc').getAnimations().length;
    }""")
    assert running == (1 if motion == "no-preference" else 0)


def test_every_listed_player_starts_a_game_as_it_is_offered(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    visitor.new_game(White="mcts")
    expect(visitor.page.locator("#play .seat.white .name")).to_have_text("mcts")
    visitor.button("New game").click()
    for agent in visitor.server.get("/api/about")["agents"]:
        visitor.dialog.get_by_role("combobox", name="White", exact=True).select_option(agent["name"])
        assert visitor.dialog.locator("form").evaluate("form => form.checkValidity()"), agent["name"]
    visitor.page.keyboard.press("Escape")


def test_a_person_who_takes_the_computers_seat_has_not_said_what_it_said(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    visitor.play("d3")
    expect(visitor.page.locator("#play .seat.white .said")).to_have_text(re.compile(r"\d (µs|ms|s)\b"))
    visitor.button("Swap sides").click()
    expect(visitor.page.locator("#play .seat.white .name")).to_have_text("You")
    expect(visitor.page.locator("#play .seat.white .said")).to_be_empty()


@pytest.mark.parametrize("size", [{}, PHONE], ids=["desktop", "phone"])
def test_a_game_that_ends_is_reviewed_and_nothing_moves(visit: Visit, size: dict[str, Any]) -> None:
    game = Game(Variant.named("5x5"))
    while not game.is_over:
        game.push(game.position.legal_moves[-1])
    visitor = visit(**size).sit_at(variant="5x5", moves=game.transcript[:-2], white="human")
    expect(visitor.page.locator("#play move-list button.move").first).to_be_visible()
    visitor.play(game.transcript[-2:])
    footer = visitor.dialog.locator("footer")
    before = footer.bounding_box()
    expect(visitor.dialog.locator(".summary tbody tr")).to_have_count(2)
    expect(visitor.dialog.locator(".turning")).to_contain_text("The turning point was move")
    assert footer.bounding_box() == before
    assert visitor.dialog.locator(".summary tbody th").all_inner_texts() == ["Black", "White"]
    visitor.page.keyboard.press("Escape")
    expect(visitor.page.locator("#play move-list .move:is(.mistake, .blunder)").first).to_be_visible()


def test_the_review_of_a_played_game_has_the_players_names(visitor: Visitor) -> None:
    game = Game(Variant.named("5x5"))
    while not game.is_over:
        game.push(game.position.legal_moves[-1])
    visitor.sit_at(variant="5x5", moves=game.transcript, white="engine:level=4")
    expect(visitor.page.locator("#play move-list button.move").first).to_be_visible()
    visitor.button("Undo").click()
    while visitor.my_turn():
        visitor.play(visitor.legal()[0])
        visitor.page.wait_for_timeout(100)
    expect(visitor.dialog.locator(".summary tbody tr")).to_have_count(2)
    assert visitor.dialog.locator(".summary tbody th").all_inner_texts() == ["You", "Casual"]


def test_a_game_too_short_for_a_review_promises_none(visitor: Visitor) -> None:
    visitor.sit_at(white="random")
    visitor.button("Resign").click()
    visitor.dialog.get_by_role("button", name="Resign").click()
    result = visitor.page.locator("dialog.result")
    expect(result).to_be_visible()
    expect(result.locator(".reviewed")).to_have_count(0)
    expect(result).not_to_contain_text("Finds what")


def test_a_copied_game_has_the_players_names(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    visitor.play("d3")
    visitor.status("Your move")
    for name, found in (
        ("", r"^(?!.*human)(?!.*PB\[).*PW\[engine:level=\d+\]"),
        ("Ada", r"PB\[Ada\]PW\[engine:level=\d+\]"),
    ):
        visitor.page.get_by_role("button", name="Settings").click()
        visitor.dialog.get_by_label("Your name").fill(name)
        visitor.page.keyboard.press("Escape")
        visitor.button("Analyse").click()
        expect(visitor.page).to_have_url(re.compile(r"/\?variant=othello&moves=\w+#analyse$"))  # the game is there
        visitor.button("Copy", "analyse").click()
        expect(visitor.dialog.locator("textarea")).not_to_have_value(
            ""
        )  # the first answer, before another is asked for
        visitor.dialog.get_by_role("combobox", name="As").select_option("ggf")
        expect(visitor.dialog.locator("textarea")).to_have_value(re.compile(found, re.DOTALL))
        visitor.page.keyboard.press("Escape")
        visitor.page.locator("nav a").first.click()
