"""How light and how quick the page is: `PYTHONPATH=src:tests python tests/browser/measure.py`.

Prints the bytes of a first visit to each screen, the first paint of a second visit, and the time from a
click until the disc is drawn (the frame after it included). Medians of some visits.
"""

import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import Browser
from serving import Server, running_server

from browser.chromium import MISSING, chromium, executable
from browser.visitor import Visitor

VISITS = 7
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
SENT = "performance.getEntriesByType('resource').reduce((sum, each) => sum + each.transferSize, 0)"
CLICK = """() => new Promise(resolve => {
    const cell = document.querySelector('#play [data-square=d3]');
    const began = performance.now();
    cell.dispatchEvent(new MouseEvent('click', {bubbles: true}));
    const played = performance.now() - began;
    requestAnimationFrame(() => setTimeout(() => resolve([played, performance.now() - began])));
})"""
SCREENS = ("#play", "#analyse", "#lab/heuristics", "#lab/tree", "#lab/match", "#lab/reports")


def main() -> None:
    if executable() is None:
        sys.exit(MISSING)
    with tempfile.TemporaryDirectory() as place, running_server(Path(place)) as server, chromium() as browser:
        visitor = Visitor(browser, server).open()
        visitor.status("Your move")
        paints, played, drawn = [], [], []
        for _ in range(VISITS):
            visitor.open("/")
            visitor.status("Your move")
            paints.append(visitor.page.evaluate(PAINT))
            own, frame = visitor.page.evaluate(CLICK)
            played.append(own)
            drawn.append(frame)
            visitor.page.keyboard.press("Backspace")
            visitor.page.locator("#play .cell.legal[data-square=d3]").wait_for()
        print(f"first paint, warm: {statistics.median(paints):.0f} ms")
        click, frame = statistics.median(played), statistics.median(drawn)
        print(f"a click is on the board after {click:.1f} ms, drawn by {frame:.0f} ms")
        for screen in SCREENS:
            print(f"first visit to {screen}: {transferred(browser, server, screen) / 1000:.0f} kB")


def transferred(browser: Browser, server: Server, screen: str) -> float:
    """All that is sent to a browser which has never been here."""
    visitor = Visitor(browser, server).open(f"/{screen}")
    visitor.page.wait_for_load_state("networkidle")
    sent = float(visitor.page.evaluate(SENT))
    visitor.context.close()
    return sent


if __name__ == "__main__":
    main()
