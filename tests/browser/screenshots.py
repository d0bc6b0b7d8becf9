"""The documents' pictures of the page: `PYTHONPATH=src:tests python tests/browser/screenshots.py [FOLDER]`.

Every screen is driven as a visitor would and photographed in a real Chromium; the default folder is docs/.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from PIL import Image
from playwright.sync_api import Browser, expect
from serving import Server, running_server

from browser.chromium import MISSING, chromium, executable
from browser.visitor import PHONE, Visitor
from outflank.library.building import build

DOCS = Path(__file__).parents[2] / "docs"
WTHOR = Path(__file__).parents[3] / "shared" / "data" / "wthor"
GAME = (
    "f5d6c3d3c4f4c5b3c2e3d2c6b4a3g4e6f6e2f3f2d1c1f1e1b1g5b5g6b6a4h5h3h4h6g3h2a6a5a2g2"
    "e7c7d7d8f7g7f8g8e8b7a8a7b2g1h8h7h1a1b8c8"
)
"""Level 12 against level 10: a close game with three mistakes."""
WIDE = {"viewport": {"width": 1280, "height": 800}}
ENDED = re.compile("Time is up|proven")
"""What is said of an analysis that is over."""


def main(folder: Path) -> None:
    if executable() is None:
        sys.exit(MISSING)
    with tempfile.TemporaryDirectory() as place:
        store = Path(place) / "class.db"
        players = ("random", "greedy", "alphabeta:heuristic=mobility,depth=2", "alphabeta:depth=3")
        command = [sys.executable, "-m", "outflank", "tournament", *players, "--games", "4", "--store", str(store)]
        subprocess.run(command, check=True, capture_output=True)
        with running_server(Path(place) / "state", "--store", str(store)) as server, chromium() as browser:
            pictures = (play, dark_phone, analyse, evaluation, tree, monte_carlo, match, results, chinese)
            for picture in (*pictures, train, everybody, solved, friends, games):
                picture(browser, server, folder)
        masters(folder)


def photographed(visitor: Visitor, path: Path) -> None:
    visitor.page.mouse.move(0, 0)
    visitor.page.screenshot(path=path, scale="css")  # a picture is as large as it is shown
    with Image.open(path) as picture:  # in 256 colours it looks the same, at half the size
        picture.convert("RGB").quantize(256, Image.Quantize.MEDIANCUT, kmeans=3, dither=Image.Dither.NONE).save(
            path, optimize=True
        )
    visitor.context.close()
    print(f"{path.name}: {path.stat().st_size // 1000} kB")


def play(browser: Browser, server: Server, folder: Path) -> None:
    visitor = Visitor(browser, server, **WIDE).sit_at(moves=GAME[:40], white="engine:level=8")
    visitor.status("Your move")
    photographed(visitor, folder / "page-play.png")


def dark_phone(browser: Browser, server: Server, folder: Path) -> None:
    visitor = Visitor(browser, server, **PHONE, color_scheme="dark").sit_at(
        moves="d5e5f5c5b5f6b3d2e4d6e6a6", variant="reversed-6x6", white="engine:level=4"
    )
    visitor.status("Your move")
    photographed(visitor, folder / "page-phone.png")


def analyse(browser: Browser, server: Server, folder: Path) -> None:
    visitor = Visitor(browser, server, **WIDE).open(f"/?variant=othello&moves={GAME}")
    page = visitor.page
    visitor.panel("Review")
    expect(visitor.button("Review again", "analyse")).to_be_visible(timeout=120_000)
    page.locator("#analyse move-list button.move").nth(24).click()
    visitor.button("Next mistake", "analyse").click()
    expect(page.locator("#analyse .comment")).to_contain_text("gives away")
    visitor.panel("Values")
    expect(page.locator("#analyse .told-of")).to_contain_text(ENDED, timeout=60_000)
    visitor.panel("Review")
    photographed(visitor, folder / "page-analyse.png")


def masters(folder: Path) -> None:
    """With the tournament games beside the repository; without them the picture stays as it is."""
    if not WTHOR.is_dir():
        print("page-masters.png: left out, the WTHOR files are not in ../shared/data")
        return
    with tempfile.TemporaryDirectory() as place:
        library = Path(place) / "wthor.duckdb"
        build([str(WTHOR)], library)
        with running_server(Path(place) / "state", "--library", str(library)) as server, chromium() as browser:
            visitor = Visitor(browser, server, **WIDE).open("/?variant=othello&moves=f5d6c3d3c4f4f6f3")
            expect(visitor.page.locator("#analyse .told-of")).to_contain_text(ENDED, timeout=60_000)
            visitor.panel("Masters")
            expect(visitor.page.locator(".explorer tbody tr").first).to_be_visible()
            photographed(visitor, folder / "page-masters.png")


def laboratory(browser: Browser, server: Server, part: str, **options: object) -> Visitor:
    return Visitor(browser, server, **{**WIDE, **options}).open(f"/#lab/{part}")


def evaluation(browser: Browser, server: Server, folder: Path) -> None:
    visitor = laboratory(browser, server, "heuristics")
    expect(visitor.page.locator(".features tbody tr").first).to_be_visible()
    for move in ("f5", "d6", "c3", "d3", "c4", "f4", "f6", "f3", "e6", "e7", "f2", "b4"):
        visitor.page.locator(f"#lab [data-square={move}]").click()
    expect(visitor.page.locator("#lab .cell.legal .value").first).not_to_be_empty()
    photographed(visitor, folder / "page-evaluation.png")


def tree(browser: Browser, server: Server, folder: Path) -> None:
    visitor = laboratory(browser, server, "tree")
    expect(visitor.page.locator(".tree .node")).to_have_count(13)
    visitor.page.get_by_role("slider", name="Step").fill("16")
    photographed(visitor, folder / "page-tree.png")


def monte_carlo(browser: Browser, server: Server, folder: Path) -> None:
    visitor = laboratory(browser, server, "tree", color_scheme="dark")
    visitor.page.get_by_role("combobox", name="Tree", exact=True).select_option("montecarlo")
    expect(visitor.page.locator(".tree circle.sign")).to_have_count(1)
    visitor.page.get_by_role("button", name="Last").click()
    visitor.page.evaluate("scrollTo(0, 0)")
    photographed(visitor, folder / "page-monte-carlo.png")


def match(browser: Browser, server: Server, folder: Path) -> None:
    visitor = laboratory(browser, server, "match")
    page = visitor.page
    page.get_by_role("combobox", name="First player").select_option("dynamic")
    page.get_by_role("combobox", name="Second player").select_option("phased")
    page.get_by_role("spinbutton", name="Games").fill("60")
    page.get_by_role("spinbutton", name="Seconds per move").fill("0.02")
    page.get_by_role("button", name="Start the match").click()
    expect(page.locator(".results [role=status]")).to_have_text("60 games", timeout=300_000)
    photographed(visitor, folder / "page-match.png")


def results(browser: Browser, server: Server, folder: Path) -> None:
    visitor = laboratory(browser, server, "reports")
    visitor.page.locator(".events .event").filter(has_text="Tournament").click()
    expect(visitor.page.locator(".cross")).to_be_visible()
    photographed(visitor, folder / "page-results.png")


def chinese(browser: Browser, server: Server, folder: Path) -> None:
    visitor = Visitor(browser, server, **{**WIDE, "locale": "zh-CN", "color_scheme": "dark"})
    visitor.sit_at(moves=GAME[:24], white="engine:level=4")
    visitor.status("轮到你了")
    photographed(visitor, folder / "page-chinese.png")


def train(browser: Browser, server: Server, folder: Path) -> None:
    visitor = Visitor(browser, server, **WIDE).open("/#train")
    visitor.page.locator("#train .cell.legal").last.click()
    expect(visitor.page.locator("#train .cell.best")).to_have_count(1)
    photographed(visitor, folder / "page-train.png")


def everybody(browser: Browser, server: Server, folder: Path) -> None:
    visitor = laboratory(browser, server, "players")
    expect(visitor.page.locator('[data-player="random"]')).to_be_attached()
    photographed(visitor, folder / "page-players.png")


def friends(browser: Browser, server: Server, folder: Path) -> None:
    """Ann, who has invited, and Ben, who has followed the link."""
    ann, ben = Visitor(browser, server, **WIDE).open(), Visitor(browser, server, **PHONE, color_scheme="dark")
    ann.status("Your move")
    ann.button("Invite a friend").click()
    ann.dialog.get_by_label("Your name").fill("Ann")
    ann.dialog.get_by_role("combobox", name="Clock").select_option("600+5")
    ann.dialog.get_by_role("button", name="Make the link").click()
    link = str(ann.dialog.get_by_label("Link to this board").input_value())
    ann.page.keyboard.press("Escape")
    ben.page.goto(link)
    ben.dialog.get_by_label("Your name").fill("Ben")
    ben.dialog.get_by_role("button", name="Play White").click()
    watchers = [Visitor(browser, server).open(link.removeprefix(server.url)) for _ in range(2)]
    for number in range(0, 24, 2):
        (ann, ben)[number // 2 % 2].play(GAME[number : number + 2])
        expect((ben, ann)[number // 2 % 2].page.locator("#play .status")).to_contain_text("Your move")
    expect(ann.page.locator("#play .friends")).to_contain_text("2 are watching")
    photographed(ann, folder / "page-friends.png")
    for one in (ben, *watchers):
        one.context.close()


def games(browser: Browser, server: Server, folder: Path) -> None:
    visitor = Visitor(browser, server, **WIDE).open()
    visitor.status("Your move")
    for opponent, moves in (("engine:level=1", 6), ("mini-go", 3), ("random", 9)):
        visitor.new_game(White=opponent)
        visitor.status("Your move")
        for _ in range(moves):
            if visitor.my_turn():
                visitor.play(visitor.legal()[0])
    visitor.status("Your move")
    visitor.page.locator("nav").get_by_role("link", name="My games").click()
    expect(visitor.page.locator(".kept .card")).to_have_count(3)
    visitor.page.evaluate("document.querySelector('#toasts').hidePopover()")
    photographed(visitor, folder / "page-games.png")


def solved(browser: Browser, server: Server, folder: Path) -> None:
    visitor = laboratory(browser, server, "solved")
    visitor.page.get_by_label("Board", exact=True).select_option("reversed-4x4")
    expect(visitor.page.locator("#lab .here")).to_contain_text("Black to move gets exactly")
    visitor.page.get_by_role("button", name="Perfect move").click()
    expect(visitor.page.locator("#lab .here")).to_contain_text("White to move gets exactly")
    photographed(visitor, folder / "page-solved.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS)
