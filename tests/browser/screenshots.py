"""The documents' pictures of the page: `PYTHONPATH=src:tests python tests/browser/screenshots.py [FOLDER]`.

Every screen is driven as a visitor would and photographed in a real Chromium; the default folder is docs/.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import Browser, expect
from serving import Server, running_server

from browser.chromium import MISSING, chromium, executable
from browser.visitor import PHONE, Visitor
from outflank.library.building import build

DOCS = Path(__file__).parents[2] / "docs"
WTHOR = Path(__file__).parents[3] / "shared" / "data" / "wthor"
GAME = "f5d6c3d3c4f4f6f3e6e7f2b4d2g6c7c5b5e1b2a1d7b6c6e8c2e2f8b7f7e3a4c1a5g3b1g8g4g5"
WIDE = {"viewport": {"width": 1280, "height": 800}}


def main(folder: Path) -> None:
    if executable() is None:
        sys.exit(MISSING)
    with tempfile.TemporaryDirectory() as place:
        store = Path(place) / "class.db"
        players = ("random", "greedy", "alphabeta:heuristic=mobility,depth=2", "alphabeta:depth=3")
        command = [sys.executable, "-m", "outflank", "tournament", *players, "--games", "4", "--store", str(store)]
        subprocess.run(command, check=True, capture_output=True)
        with running_server(Path(place) / "state", "--store", str(store)) as server, chromium() as browser:
            for picture in (play, dark_phone, analyse, evaluation, tree, monte_carlo, match, results, chinese):
                picture(browser, server, folder)
        masters(folder)


def photographed(visitor: Visitor, path: Path) -> None:
    visitor.page.mouse.move(0, 0)
    visitor.page.screenshot(path=path, scale="css")  # a picture is as large as it is shown
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
    page.get_by_role("combobox", name="Time for each move of the review").select_option("0.1")
    expect(page.locator("#analyse move-list button.move").first).to_be_visible()
    visitor.button("Review the game", "analyse").click()
    expect(page.locator("#analyse progress")).to_be_visible()
    expect(page.locator("#analyse progress")).to_be_hidden(timeout=120_000)
    page.locator("#analyse move-list button.move").nth(29).click()
    expect(page.locator("#analyse .told-of")).to_contain_text("Finished", timeout=60_000)
    page.evaluate("scrollTo(0, 0)")
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
            expect(visitor.page.locator(".explorer tbody tr").first).to_be_visible()
            expect(visitor.page.locator("#analyse .told-of")).to_contain_text("Finished", timeout=60_000)
            visitor.page.evaluate("scrollTo(0, 0)")
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
    photographed(visitor, folder / "page-monte-carlo.png")


def match(browser: Browser, server: Server, folder: Path) -> None:
    visitor = laboratory(browser, server, "match")
    page = visitor.page
    page.get_by_role("combobox", name="First player").select_option("dynamic")
    page.get_by_role("combobox", name="Second player").select_option("phased")
    page.get_by_role("spinbutton", name="Games").fill("60")
    page.get_by_role("spinbutton", name="Seconds a move").fill("0.02")
    page.get_by_role("button", name="Start the match").click()
    expect(page.locator(".results [role=status]")).to_have_text("60 games", timeout=300_000)
    photographed(visitor, folder / "page-match.png")


def results(browser: Browser, server: Server, folder: Path) -> None:
    visitor = laboratory(browser, server, "reports")
    visitor.page.locator(".events .event").first.click()
    expect(visitor.page.locator(".cross")).to_be_visible()
    photographed(visitor, folder / "page-results.png")


def chinese(browser: Browser, server: Server, folder: Path) -> None:
    visitor = Visitor(browser, server, **{**WIDE, "locale": "zh-CN", "color_scheme": "dark"})
    visitor.sit_at(moves=GAME[:24], white="engine:level=4")
    visitor.status("轮到你了")
    photographed(visitor, folder / "page-chinese.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS)
