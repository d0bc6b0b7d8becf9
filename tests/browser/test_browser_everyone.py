"""Made for everyone: two languages, every theme, screen readers, a light page with nothing from elsewhere."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser.visitor import PHONE, Visitor
from outflank import Position, Variant
from outflank.arena.text import duration_text, signed
from outflank.board.perft import perft
from outflank.board.position import Outcome
from outflank.board.squares import Color
from outflank.errors import Fault
from outflank.web.faults import told

Visit = Callable[..., Visitor]

PAGE = Path(__file__).parents[2] / "src/outflank/web/page"
HEAVIEST = 200_000  # bytes
SCREENS = {
    "#play": "#play .chip",
    "#analyse": "#analyse .candidate",
    "#games": "#games-kept h1",
    "#lab/heuristics": ".features tbody tr",
    "#lab/tree": ".tree .node",
    "#lab/match": ".match .setup",
    "#lab/reports": ".events .event",
    "#lab/players": ".player",
    "#lab/solved": ".proved li",
    "#train": "#train .cell.legal",
}


def texts(language: str) -> dict[str, str]:
    """The keys of a language's file with their texts."""
    source = (PAGE / f"texts.{language}.js").read_text()
    pairs = re.findall(r'^  (?:"([^"]+)"|(\w+)):\s+("(?:[^"\\]|\\.)*"),$', source, re.MULTILINE)
    return {quoted or plain: json.loads(text) for quoted, plain, text in pairs}


def test_every_text_is_in_every_language() -> None:
    english, chinese = texts("en"), texts("zh")
    assert english.keys() == chinese.keys() and len(english) > 200
    for key, text in english.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", chinese[key])), key


def test_no_text_is_missing_or_idle() -> None:
    known = texts("en")
    sources = "\n".join(file.read_text() for file in PAGE.glob("*.js") if not file.name.startswith("texts."))
    sources += (PAGE / "index.html").read_text()
    used = set(re.findall(r'say\(\s*"([^"]+)"', sources)) | set(re.findall(r'data-(?:text|label)="([^"]+)"', sources))
    assert used <= known.keys(), used - known.keys()
    families = {*re.findall(r"(?:say|known)\(`(\w+)\.\$\{", sources), "example"}
    idle = {key for key in known if key not in used and f'"{key}"' not in sources and key.split(".")[0] not in families}
    assert not idle


def test_the_whole_page_in_chinese(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    visitor.page.get_by_role("button", name="Settings").click()
    visitor.dialog.get_by_role("combobox", name="Language").select_option("zh")
    visitor.status("轮到你了")
    expect(visitor.page.locator("html")).to_have_attribute("lang", "zh-Hans")
    assert visitor.page.locator("nav a").all_inner_texts() == ["对局", "分析", "我的对局", "练习", "实验室"]
    expect(visitor.square("d3")).to_have_attribute("aria-label", "d3, 空, 可落子")
    for screen in screens(visitor):
        shown = visitor.page.locator("main > section:not([hidden])").get_by_role("button").all_inner_texts()
        english = [text for text in shown if re.search("[A-Za-z]{4}", text) and "Elo" not in text]
        assert not [text for text in english if text in texts("en").values()], screen


def test_what_the_server_describes_is_in_chinese_too(visit: Visit) -> None:
    visitor = visit(locale="zh-CN").open()
    visitor.status("轮到你了")
    about = visitor.server.get("/api/about")
    told = {agent["summary"] for agent in about["agents"]} | {one["summary"] for one in about["heuristics"]}
    told |= {option["help"] for agent in about["agents"] for option in agent["options"]}
    told |= {term["name"] for one in about["heuristics"] for term in one["terms"]}
    heard = visitor.page.evaluate(
        "async all => { const { heard } = await import('/page/language.js'); return all.map(heard); }", sorted(told)
    )
    english = [text for text, known in zip(sorted(told), heard, strict=True) if text and text == known]
    assert not english, "say it in words.zh.js"
    visitor.page.evaluate("async () => (await import('/page/errors.js')).loadErrors()")  # the page does not wait for it
    visitor.paste("hello world")
    visitor.complaints.clear()  # the browser notes that the server refused it
    expect(visitor.page.locator(".toast.trouble")).to_contain_text("'hello world' 不是棋谱")
    visitor.complaints.clear()
    visitor.paste("f5d6")
    expect(visitor.page.locator(".toast:not(.trouble)")).to_have_text("识别为：着法 · 2 手")


WORDS = {
    "Black wins by 12": "黑方胜 12 子",
    "4 players, round-robin": "4 名棋手，循环赛",
    "toString": "toString",
    "nobody ever said this": "nobody ever said this",
}
BLACK = Color.BLACK.word
ILLEGAL = Fault("at.move", number=5, why=Fault("move.illegal", square="d3", why=Fault("move.on-black")))
TOO_MUCH = Fault("form.wrong", where="weights.parity.0", why=Fault("form.at-most", le=1000000))
ERRORS = (
    (Fault("web.not-your-turn", color=BLACK, player="random", side=BLACK), "轮到黑方，而黑方由 random 执。"),
    (Fault("ggf.property", game=2, why=ILLEGAL), "GGF 第 2 局，第 5 手：d3 不是合法着法：那里已有黑子。"),
    (
        Fault("at.line", line=3, why=Fault("square.name", text="a9")),
        "第 3 行：'a9' 不是格子：请写一个字母和一个数字，如 d3，或 pass。",
    ),
    (Fault("game.over-by", outcome=Outcome(Color.BLACK, 12).word), "对局已结束：黑方胜 12 子。"),
    (TOO_MUCH, "weights.parity.0：最大为 1000000。"),
    (Fault("web.player-failed", player="wreck", why=OSError("it broke")), "wreck 出错：it broke"),
    (ValueError("nobody ever said this"), "nobody ever said this"),
)


def test_one_error_within_another_is_in_chinese(visit: Visit) -> None:
    visitor = visit(locale="zh-CN").open()
    visitor.status("轮到你了")
    said = "async all => all.map((await import('/page/language.js')).heard)"
    assert visitor.page.evaluate(said, list(WORDS)) == list(WORDS.values())
    problems = [told(error) for error, _ in ERRORS]
    said = """async all => {
        const { explained, loadErrors } = await import('/page/errors.js');
        await loadErrors();  // the page does not wait for it
        return all.map(explained);
    }"""
    assert visitor.page.evaluate(said, problems) == [chinese for _, chinese in ERRORS]
    visitor.paste("(;GM[Othello]TY[8]BO[8 --- *];)")
    toast = visitor.page.locator(".toast.trouble")
    expect(toast.last).to_have_text("GGF，第 1 局（第 1 行）：BO 有 4 个记号，而应是 64 格加轮到谁。")
    visitor.paste("(;GM[2]FF[4]SZ[8]B[zz])")
    expect(toast.last).to_contain_text("SGF，第 1 局，第 1 行：'zz' 不是格子")
    visitor.complaints.clear()
    visitor.open("/#lab/reports")
    expect(visitor.page.locator(".events .event b").first).to_have_text("3 名棋手，循环赛")


def test_the_browsers_language_is_followed(visit: Visit) -> None:
    visit(locale="zh-CN").open().status("轮到你了")
    visit(locale="fr-FR").open().status("Your move")


def test_axe_finds_nothing_serious_on_any_screen_light_or_dark(visitor: Visitor) -> None:
    axe = Axe()
    for screen in screens(visitor):
        if screen == "#lab/reports":
            visitor.page.locator(SCREENS[screen]).first.click()
            expect(visitor.page.locator(".record .replay")).to_be_visible()
        in_both_themes(axe, visitor, screen)
    visitor.page.evaluate("location.hash = '#play'")
    for opener in ("New game", "Settings", "Invite a friend"):
        visitor.page.get_by_role("button", name=opener, exact=True).click()
        expect(visitor.dialog).to_be_visible()
        in_both_themes(axe, visitor, opener)
        visitor.page.keyboard.press("Escape")


def screens(visitor: Visitor) -> Iterator[str]:
    """All of them in one window, one after the other."""
    visitor.open()
    for screen, ready in SCREENS.items():
        visitor.page.evaluate("hash => { location.hash = hash; }", screen)
        expect(visitor.page.locator(ready).first).to_be_visible()
        yield screen


def in_both_themes(axe: Axe, visitor: Visitor, where: str) -> None:
    """What a theme changes is colours, so the second one needs no other rule."""
    serious(axe, visitor, where)
    visitor.page.emulate_media(color_scheme="dark")
    serious(axe, visitor, f"{where}, dark", "color-contrast")
    visitor.page.emulate_media(color_scheme="light")


@pytest.mark.parametrize("theme", ["contrast", "dark"])
def test_axe_in_high_contrast_and_for_the_colour_blind(visit: Visit, theme: str) -> None:
    visitor = visit()
    palette = {"contrast": "standard", "dark": "colourblind"}[theme]
    chosen = json.dumps({"theme": theme, "palette": palette})
    visitor.context.add_init_script(f"localStorage['outflank.settings'] = {chosen!r}")
    for screen in ("#play", "#lab/tree"):
        visitor.open(f"/{screen}")
        expect(visitor.page.locator(SCREENS[screen]).first).to_be_visible()
        expect(visitor.page.locator("html")).to_have_attribute("data-theme", theme)
        serious(Axe(), visitor, screen)


def serious(axe: Axe, visitor: Visitor, where: str, *rules: str) -> None:
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    shown = {"exclude": [["main > [hidden]"]]}  # the other screens have their turn
    response = axe.run(visitor.page, shown, options).response
    found = [one for one in response["violations"] if one["impact"] in ("serious", "critical")]
    told = [(one["id"], [node["html"][:160] for node in one["nodes"][:3]]) for one in found]
    assert not told, (where, told)


def test_what_a_screen_reader_hears(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    grid = visitor.page.locator("#play [role=grid]")
    expect(grid).to_have_attribute("aria-label", "Board. Your move")
    expect(grid.locator("[role=row]")).to_have_count(8)
    expect(grid.locator("[role=gridcell]")).to_have_count(64)
    expect(grid.locator("[tabindex='0']")).to_have_count(1)
    expect(visitor.square("d3")).to_have_attribute("aria-label", "d3, empty, legal")
    expect(visitor.square("e4")).to_have_attribute("aria-label", "e4, Black")
    visitor.play("d3")
    expect(visitor.page.locator("#live")).to_contain_text(re.compile(r"White plays [a-h][1-8]\. Your move"))
    visitor.button("Analyse").click()
    expect(visitor.page.locator("#live")).to_contain_text(re.compile(r"2\. [a-h][1-8]\. Black to move"))


def test_nothing_sticks_out_on_a_small_phone(visit: Visit) -> None:
    visitor = visit(**{**PHONE, "viewport": {"width": 360, "height": 640}})
    for screen in screens(visitor):
        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= 360, screen


def test_every_address_that_the_server_knows(visitor: Visitor) -> None:
    board = visitor.server.new_board(moves="f5", black="human", white="human")
    visitor.open(f"/b/{board}").status("White to move")
    assert visitor.moves() == "f5"
    visitor.open("/arena")
    expect(visitor.page.get_by_role("button", name="Start the match")).to_be_visible()
    visitor.open("/lab")
    expect(visitor.page.locator("#lab othello-board")).to_be_visible()


def test_shortcut_letters_can_be_turned_off(visitor: Visitor) -> None:
    visitor.open()
    visitor.status("Your move")
    visitor.page.keyboard.press("?")
    expect(visitor.dialog.locator("kbd").first).to_be_visible()
    visitor.page.keyboard.press("Escape")
    visitor.page.keyboard.press("l")
    expect(visitor.page).to_have_url(re.compile("#lab"))
    visitor.page.get_by_role("button", name="Settings").click()
    visitor.dialog.get_by_text("Single-letter shortcuts").click()
    visitor.page.keyboard.press("Escape")
    visitor.page.keyboard.press("p")
    expect(visitor.page).to_have_url(re.compile("#lab"))


def test_the_page_is_light_and_all_its_own(visitor: Visitor) -> None:
    assert [*screens(visitor)] == [*SCREENS]
    origin = urlsplit(visitor.server.url).netloc
    assert {urlsplit(url).netloc for url in visitor.requests} == {origin}
    sent = visitor.page.evaluate("""() => performance.getEntriesByType('resource').length""")
    assert sent > 5
    files = [PAGE / urlsplit(url).path.removeprefix("/page/") for url in visitor.requests if "/page/" in url]
    assert len({*files}) > 20 and all(file.is_file() for file in files)
    whole = sum(len(visitor.server.http.get(f"/page/{file.name}").content) for file in PAGE.iterdir())
    assert whole > 50_000
    transferred = visitor.page.evaluate(
        """async names => {
        let sum = 0;
        for (const name of names) {
            const address = new URL(`/page/${name}`, location).href;
            performance.clearResourceTimings();
            await (await fetch(address, {cache: "reload"})).text();
            let [entry] = performance.getEntriesByName(address);
            for (; !entry; [entry] = performance.getEntriesByName(address))  // it may be noted after the answer
                await new Promise(requestAnimationFrame);
            sum += entry.transferSize;
        }
        return sum;
    }""",
        sorted(file.name for file in PAGE.iterdir()),
    )
    assert 10_000 < transferred < HEAVIEST


def test_numbers_are_rounded_as_the_command_line_rounds_them(visitor: Visitor) -> None:
    visitor.open()
    numbers = [(number / 32, digits) for number in range(0, 4000, 7) for digits in (0, 1, 2)]
    numbers += [(0.45, 1), (2.675, 2), (1234.5, 0), (31.25, 1), (99.95, 1)]
    times = [4e-6, 5e-5, 0.00035, 0.00123, 0.0099, 0.0125, 0.5, 0.9996, 1.0, 1.44, 9.94, 12.5, 75.0]
    said = visitor.page.evaluate(
        """async ([numbers, times]) => {
            const { measured, rounded, signed } = await import("/page/language.js");
            return [numbers.map(each => rounded(...each)), numbers.map(([value, digits]) => signed(-value, digits)),
                    times.map(measured)];
        }""",
        [numbers, times],
    )
    assert said[0] == [f"{value:.{digits}f}" for value, digits in numbers]
    shown = [signed(-value, digits).replace("-", "−") for value, digits in numbers]
    assert said[1] == [text.replace("+", "") if float(text.replace("−", "-")) == 0 else text for text in shown]
    assert said[2] == [duration_text(seconds) for seconds in times]


@pytest.mark.parametrize(
    ("variant", "depth"), [("othello", 5), ("6x6", 5), ("reversed-4x5-mirrored", 6), ("5x7-parallel", 5), ("4x4", 7)]
)
def test_the_pages_rules_are_the_engines(visitor: Visitor, variant: str, depth: int) -> None:
    visitor.open()
    counted = visitor.page.evaluate(
        """async ([name, depth]) => {
            const rules = await import("/page/rules.js");
            const variant = rules.variantNamed(name);
            const start = rules.startOf(variant);
            return [rules.perft(start, depth), rules.variantName(variant), rules.textOf(start)];
        }""",
        [variant, depth],
    )
    start = Position.start(Variant.named(variant))
    assert counted == [perft(start, depth), Variant.named(variant).name, start.text]
