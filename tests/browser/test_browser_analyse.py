"""Analyse: values that stream in, the graph, the review, branches, and every way in and out of the page."""

import re

import pytest
from playwright.sync_api import Route, WebSocketRoute, expect

from browser.visitor import Visitor, after, drawn
from outflank import Game, Position, Variant

OPENING = "f5d6c3d3c4f4f6f3"
OUTSIDE = "f5f4e3f6g5"
"""The opening book has no such mistakes."""
LATE = "f5d6c3d3c4f4f6f3e6e7f2b4d2g6c7c5b5e1b2a1d7b6c6e8c2e2f8b7f7e3a4c1a5g3b1g8g4g5b3a3g2g1h7d1b8h6h5a6h2h4d8c8"
"""Six empties are left: everything is exact at once."""


def at_ply(visitor: Visitor, ply: int) -> None:
    current = visitor.page.locator("#analyse move-list button.move[aria-current]")
    if ply:
        expect(current).to_have_attribute("aria-label", re.compile(rf"^{ply}\. "))
    else:
        expect(current).to_have_count(0)


def opened(visitor: Visitor, moves: str, variant: str = "othello") -> Visitor:
    visitor.open(f"/?variant={variant}&moves={moves}")
    expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(len(Game.from_transcript(moves).moves))
    return visitor


def reviewed(visitor: Visitor) -> None:
    """Waits until the review, which begins by itself, has judged the whole game."""
    moves = visitor.page.locator("#analyse .summary tbody tr")
    expect(moves).to_have_count(2)
    expect(visitor.button("Review again", "analyse")).to_be_visible()


def showing(visitor: Visitor, position: Position) -> None:
    """Waits until the board shows this."""
    visitor.page.wait_for_function(
        """text => [...document.querySelectorAll('#analyse .cell')].map(cell =>
            cell.classList.contains('black') ? 'X' : cell.classList.contains('white') ? 'O' : '-').join('') === text""",
        arg=drawn(position),
    )


def test_values_stream_onto_every_legal_square(visitor: Visitor) -> None:
    opened(visitor, OPENING)
    for move in after(OPENING).legal_moves:
        name = "abcdefgh"[move % 8] + str(move // 8 + 1)
        expect(visitor.square(name, "analyse").locator(".value")).to_have_text(re.compile(r"[+−]?\d"))
    expect(visitor.page.locator("#analyse .cell.best").first).to_be_visible()
    expect(visitor.page.locator("#analyse .candidate").first).to_be_visible()
    visitor.button("Values", "analyse").click()
    expect(visitor.page.locator("#analyse .cell.legal .value").first).to_be_empty()


def test_a_search_whose_time_is_up_does_not_say_that_it_has_finished(visitor: Visitor) -> None:
    opened(visitor, OUTSIDE)
    visitor.page.get_by_label("Time for an analysis").select_option("1 s")
    expect(visitor.page.locator("#analyse .told-of")).to_have_text(re.compile(r"Time is up · depth \d+ at 73 %"))
    expect(visitor.page.locator("#analyse .candidate small").first).to_have_text(re.compile(r"@\d+ 73%"))


def test_values_of_the_book_say_so(visitor: Visitor) -> None:
    opened(visitor, "f5")
    expect(visitor.page.locator("#analyse .candidate small").first).to_have_text("book")


def test_exact_values_look_different(visitor: Visitor) -> None:
    opened(visitor, LATE)
    best = visitor.page.locator("#analyse .candidate.exact").first
    expect(best).to_contain_text("exact")
    expect(best.locator(".score")).to_have_text(re.compile(r"^[+−]?\d+$"))
    expect(visitor.page.locator("#analyse .cell.exact .value").first).to_have_text(re.compile(r"^[+−]?\d+$"))
    expect(visitor.page.locator("#analyse .bar")).to_have_attribute("aria-valuetext", re.compile("for Black"))


def test_the_principal_variation_on_the_board(visitor: Visitor) -> None:
    opened(visitor, LATE)
    expect(visitor.page.locator("#analyse .candidate.exact").first).to_be_visible()
    visitor.page.keyboard.press("i")
    numbers = visitor.page.locator("#analyse .cell.step .number")
    for number in ("1", "2"):  # the line grows with what is known of it
        expect(numbers.filter(has_text=re.compile(f"^{number}$"))).to_have_count(1)


def test_review_of_a_whole_game_and_the_graph(visitor: Visitor) -> None:
    opened(visitor, LATE)
    visitor.panel("Review")
    reviewed(visitor)
    expect(visitor.page.locator("#analyse .loss").filter(has_text="−")).not_to_have_count(0)
    expect(visitor.page.locator("#analyse .move b")).not_to_have_count(0)  # a game of random moves has its blunders

    graph = visitor.page.locator("#analyse value-graph")
    expect(graph.locator(".curve")).to_have_attribute("d", re.compile("^M"))
    plies = len(Game.from_transcript(LATE).moves)
    box = graph.bounding_box()
    assert box is not None
    left, right = box["x"] + box["width"] * 34 / 600, box["x"] + box["width"] * 592 / 600
    middle = box["y"] + box["height"] / 2
    visitor.page.mouse.click(left + (right - left) * 10 / plies, middle)
    at_ply(visitor, 10)
    assert visitor.board("analyse") == drawn(after(LATE[:20]))
    visitor.page.mouse.down()
    visitor.page.mouse.move(left + (right - left) * 16 / plies, middle, steps=4)
    visitor.page.mouse.up()
    at_ply(visitor, 16)
    graph.press("ArrowLeft")
    at_ply(visitor, 15)
    graph.press("Home")
    at_ply(visitor, 0)
    assert visitor.board("analyse") == drawn(Position.start())


def test_branches_are_kept(visitor: Visitor) -> None:
    opened(visitor, OPENING)
    visitor.page.locator("#analyse move-list button.move").nth(1).click()
    at_ply(visitor, 2)
    visitor.play("c4", "analyse")
    at_ply(visitor, 3)
    assert visitor.moves("analyse") == "f5d6c4"
    visitor.page.get_by_role("button", name="Branch: c3").click()
    at_ply(visitor, 3)
    expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(8)
    assert visitor.moves("analyse") == OPENING
    expect(visitor.page.get_by_role("button", name="Branch: c4")).to_be_visible()


def test_walking_with_buttons_and_keys(visitor: Visitor) -> None:
    opened(visitor, OPENING)
    at_ply(visitor, 8)
    visitor.button("First", "analyse").click()
    at_ply(visitor, 0)
    visitor.button("Forward", "analyse").click()
    at_ply(visitor, 1)
    visitor.button("Last", "analyse").click()
    at_ply(visitor, 8)
    visitor.page.evaluate("document.activeElement.blur()")
    visitor.page.keyboard.press("ArrowLeft")
    at_ply(visitor, 7)
    visitor.page.keyboard.press("Home")
    at_ply(visitor, 0)


@pytest.mark.parametrize("variant", ["othello", "reversed-6x6"])
def test_copy_as_anything_paste_anything(visitor: Visitor, variant: str) -> None:
    moves = OPENING if variant == "othello" else "c2d2e2"
    opened_here = f"/?variant={variant}&moves={moves}"
    visitor.open(opened_here)
    plies = len(moves) // 2
    expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(plies)
    position = after(moves, variant)
    visitor.button("Copy", "analyse").click()
    chosen = visitor.dialog.get_by_role("combobox")
    expect(chosen).to_be_visible()
    formats = chosen.locator("option").evaluate_all("all => all.map(one => one.value)")
    assert {"transcript", "board", "ggf", "sgf", "svg", "link"} <= set(formats)
    texts: dict[str, str] = {}
    box = visitor.dialog.locator("textarea")
    for name in formats:
        if chosen.input_value() != name:  # chosen anew, it would be asked for twice, and the second answer come late
            chosen.select_option(name)
        sign = {"svg": "<svg", "ggf": "(;GM[Othello]", "sgf": "(;", "link": "http"}.get(name, "")
        told = visitor.page.wait_for_function(
            "([box, sign, old]) => box.value.startsWith(sign) && box.value !== old && box.value",
            arg=[box.element_handle(), sign, list(texts.values())[-1] if texts else ""],
        )
        texts[name] = told.json_value()
    visitor.page.keyboard.press("Escape")
    for name, text in texts.items():
        visitor.button("New board", "analyse").click()
        visitor.dialog.get_by_role("button", name="Open").click()
        showing(visitor, Position.start(Variant.named(variant)))
        visitor.paste(text)
        showing(visitor, position)
        if name in ("transcript", "ggf", "sgf", "link", "gam"):
            assert visitor.moves("analyse") == moves, name
    badge = visitor.page.locator("#analyse .badge")
    expect(badge).to_be_visible() if variant.startswith("reversed") else expect(badge).to_be_hidden()


def test_the_paste_window_takes_a_file_of_several_games_and_refuses_nonsense(visitor: Visitor) -> None:
    visitor.open("/#analyse")
    visitor.button("Paste", "analyse").click()
    visitor.dialog.locator("textarea").fill("this is no game")
    visitor.dialog.get_by_role("button", name="Open").click()
    expect(visitor.page.locator(".toast.trouble")).to_be_visible()
    visitor.complaints.clear()  # the browser reports the refusal too
    games = f"{OPENING}\nf5f6e6\n".encode()
    visitor.dialog.locator("input[type=file]").set_input_files(
        {"name": "two.txt", "mimeType": "text/plain", "buffer": games}
    )
    visitor.dialog.get_by_role("button", name="Open").click()
    visitor.dialog.locator(".games button").nth(1).click()
    expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(3)
    assert visitor.moves("analyse") == "f5f6e6"


def test_edit_rotate_mirror_and_play_from_here(visitor: Visitor) -> None:
    opened(visitor, "f5f6")
    visitor.button("Rotate", "analyse").click()
    showing(visitor, after("f5f6").symmetry(5))
    expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(2)
    visitor.button("Mirror", "analyse").click()
    showing(visitor, after("f5f6").symmetry(4))
    visitor.button("Set up", "analyse").click()
    visitor.dialog.get_by_role("button", name="Start position").click()
    visitor.dialog.locator("[data-square=a1]").click()
    visitor.dialog.get_by_role("button", name="Use this position").click()
    expect(visitor.square("a1", "analyse")).to_have_attribute("aria-label", re.compile("Black"))
    expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(0)
    board = visitor.board("analyse")
    visitor.button("Play from here", "analyse").click()
    expect(visitor.square("a1")).to_be_visible()
    visitor.page.wait_for_function("() => document.querySelector('#play [data-square=a1].black')")
    assert visitor.board() == board


def test_a_played_game_is_analysed_with_one_click(visitor: Visitor) -> None:
    visitor.sit_at(moves=OPENING, black="human", white="human")
    visitor.status("Black to move")
    visitor.button("Analyse").click()
    expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(8)
    assert visitor.moves("analyse") == OPENING
    visitor.page.get_by_role("link", name="Play", exact=True).click()
    visitor.status("Black to move")


def test_analyse_clicked_before_the_server_has_spoken_opens_the_game_all_the_same(visitor: Visitor) -> None:
    visitor.sit_at(moves=OPENING, black="human", white="human")
    held: list[Route] = []
    visitor.page.route("**/api/about", lambda route: held.append(route), times=1)
    with visitor.page.expect_request("**/api/about"):
        visitor.page.reload()
    visitor.button("Analyse").click()
    held.pop().continue_()
    expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(8)


def test_a_link_that_is_wrong_says_so(visitor: Visitor) -> None:
    visitor.open("/?variant=othello&moves=a1a2")
    expect(visitor.page.locator(".toast.trouble")).to_contain_text("a1 is not legal")
    expect(visitor.page.locator("#analyse othello-board")).to_be_visible()
    visitor.complaints.clear()


def test_the_link_reopens_the_position(visitor: Visitor) -> None:
    visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(visitor, OPENING)
    visitor.page.locator("#analyse move-list button.move").nth(4).click()
    at_ply(visitor, 5)
    visitor.button("Link", "analyse").click()
    expect(visitor.page.locator(".toast")).to_have_text("Copied.")
    link = str(visitor.page.evaluate("navigator.clipboard.readText()"))
    assert link.startswith(visitor.server.url)
    visitor.page.goto("about:blank")
    visitor.page.goto(link)
    expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(5)
    assert visitor.board("analyse") == drawn(Game.from_transcript(OPENING[:10], Variant()).position)


def test_a_turned_game_keeps_its_branches(visitor: Visitor) -> None:
    opened(visitor, OPENING)
    visitor.page.locator("#analyse move-list button.move").nth(4).click()
    at_ply(visitor, 5)
    other = next(name for name in visitor.legal("analyse") if name != OPENING[10:12])
    visitor.play(other, "analyse")
    expect(visitor.page.locator("#analyse move-list button.branch")).to_have_text([OPENING[10:12]])
    before = after(OPENING[:10] + other)
    visitor.button("Mirror", "analyse").click()
    showing(visitor, before.symmetry(1))
    at_ply(visitor, 6)
    expect(visitor.page.locator("#analyse move-list button.branch")).to_have_count(1)
    visitor.button("Rotate", "analyse").click()
    showing(visitor, before.symmetry(1).symmetry(5))
    expect(visitor.page.locator("#analyse move-list button.branch")).to_have_count(1)


def test_a_finished_game_has_its_result_for_a_value(visitor: Visitor) -> None:
    game = Game.from_transcript(LATE)
    while not game.is_over:
        game.push(game.position.legal_moves[0])
    outcome = game.outcome()
    assert outcome is not None and outcome.score is not None
    opened(visitor, game.transcript)
    sign = "+" if outcome.score > 0 else "\u2212"
    told = f"{sign}{abs(outcome.score)} for Black"
    expect(visitor.page.locator("#analyse .bar")).to_have_attribute("aria-valuetext", told)
    expect(visitor.page.locator("#analyse .told-of")).to_contain_text("Game over")


def test_a_finished_game_is_not_played_on(visitor: Visitor) -> None:
    visitor.open("/?variant=othello&moves=e6f4e3f6g5d6e7f5c5")  # White is wiped out
    visitor.status("Black wins by 64", "analyse")
    expect(visitor.button("Play from here", "analyse")).to_be_disabled()
    visitor.button("Back", "analyse").click()
    expect(visitor.button("Play from here", "analyse")).to_be_enabled()


def test_what_was_known_is_not_forgotten_while_an_analysis_begins_again(visitor: Visitor) -> None:
    visitor.open()
    known = visitor.page.evaluate("""async () => {
        const { Session } = await import("/page/session.js");
        const session = new Session("test", { variant: "othello" });
        const told = (depth, done, score, exact = false) =>
            session.hear({ type: "hints", node: 0, unit: "discs", done, depth, value: null,
                           hints: [{ move: "d3", score, exact, depth, pv: ["d3"] }] });
        const seen = () => [session.hints.get(0).hints[0].score, session.hints.get(0).done];
        const all = [];
        for (const each of [[14, false, 1], [9, false, 2], [9, true, 3], [14, true, 4], [3, true, 5, true]]) {
            told(...each);
            all.push(seen());
        }
        return all;
    }""")
    assert known == [[1, False], [1, False], [1, True], [4, True], [5, True]]


def test_a_position_of_ones_own_is_copied_as_a_board(visitor: Visitor) -> None:
    visitor.open("/#analyse")
    expect(visitor.page.locator("#analyse .candidate").first).to_be_visible()
    visitor.button("Set up", "analyse").click()
    visitor.dialog.locator("[data-square=a1]").click()
    visitor.dialog.get_by_role("button", name="Use this position").click()
    expect(visitor.page.locator("#analyse .cell.black[data-square=a1]")).to_be_visible()
    visitor.button("Copy", "analyse").click()
    expect(visitor.dialog.get_by_role("combobox", name="As")).to_have_value("board")
    expect(visitor.dialog.locator("textarea")).to_have_value(re.compile("X"))
    expect(visitor.page.locator(".toast.trouble")).to_have_count(0)


def test_two_tabs_look_at_two_games(visitor: Visitor) -> None:
    opened(visitor, OPENING)
    other = visitor.context.new_page()
    other.goto(f"{visitor.server.url}/?variant=othello&moves=d3c5")
    expect(other.locator("#analyse move-list button.move")).to_have_count(2)
    visitor.page.reload()
    expect(visitor.page.locator("#analyse move-list button.move")).to_have_count(8)
    assert visitor.moves("analyse") == OPENING
    third = visitor.context.new_page()
    third.goto(f"{visitor.server.url}/#analyse")  # a new tab has a board of its own
    expect(third.locator("#analyse .candidate").first).to_be_visible()
    expect(third.locator("#analyse move-list button.move")).to_have_count(0)
    other.close()
    third.close()
    fourth = visitor.context.new_page()
    fourth.goto(f"{visitor.server.url}/#analyse")  # and where the others are closed it goes on with the last one
    expect(fourth.locator("#analyse .candidate").first).to_be_visible()


def test_a_slow_line_neither_loses_steps_nor_is_flooded(visitor: Visitor) -> None:
    said: list[str] = []

    def slow(line: WebSocketRoute) -> None:
        server = line.connect_to_server()

        def hear(text: str | bytes) -> None:
            said.append(str(text))
            server.send(text)

        def answer(text: str | bytes) -> None:
            visitor.page.wait_for_timeout(150)
            line.send(text)

        line.on_message(hear)
        server.on_message(answer)

    visitor.page.route_web_socket(re.compile("/live$"), slow)
    opened(visitor, LATE)
    plies = len(Game.from_transcript(LATE).moves)
    at_ply(visitor, plies)
    said.clear()
    visitor.page.evaluate("""() => {
        for (let press = 0; press < 20; press += 1)
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", bubbles: true }));
    }""")
    at_ply(visitor, plies - 20)
    visitor.page.wait_for_timeout(500)
    at_ply(visitor, plies - 20)
    assert sum('"goto"' in each for each in said) <= 3, said


def test_half_a_review_does_not_look_like_a_whole_one(visitor: Visitor) -> None:
    def thorough(line: WebSocketRoute) -> None:
        """A review as long as a reader can ask for: nobody is too late to stop it."""
        server = line.connect_to_server()
        line.on_message(lambda text: server.send(str(text).replace('"seconds":0.1', '"seconds":3')))

    visitor.page.route_web_socket(re.compile("/live$"), thorough)
    opened(visitor, LATE)
    visitor.panel("Review")
    expect(visitor.page.locator("#analyse .summary tbody tr")).to_have_count(2)
    visitor.button("Stop", "analyse").click()
    expect(visitor.page.locator("#analyse progress")).to_be_hidden()
    expect(visitor.page.locator("#analyse .turning")).to_have_text(re.compile(r"\d+ of 52 moves reviewed"))
