"""One server and one browser for all tests here; a new window for each.

Both end with this folder: Playwright keeps an event loop in the main thread, where other tests start their own.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="playwright is not installed: make test installs it")

from playwright.sync_api import Browser
from serving import Server, running_server

from browser.chromium import MISSING, chromium, executable
from browser.visitor import Visitor

PLAYERS = ("random", "greedy", "alphabeta:depth=1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if executable() is None:
        for item in items:
            if Path(__file__).parent in item.path.parents and "chromium" in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.skip(reason=MISSING))


@pytest.fixture(name="chromium", scope="package")
def _chromium() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """With a tournament to look at."""
    folder = tmp_path_factory.mktemp("page")
    store = folder / "class.db"
    command = [sys.executable, "-m", "outflank", "tournament", *PLAYERS, "--variant", "6x6", "--store", str(store)]
    subprocess.run(command, check=True, capture_output=True)
    with running_server(folder / "state", "--store", str(store)) as running:
        yield running


@pytest.fixture
def visit(chromium: Browser, server: Server) -> Iterator[Callable[..., Visitor]]:
    """Opens windows and closes them again; a complaint of the browser fails the test."""
    visitors: list[Visitor] = []

    def open_window(**options: Any) -> Visitor:
        visitors.append(Visitor(chromium, server, **options))
        return visitors[-1]

    yield open_window
    for visitor in visitors:
        visitor.close()


@pytest.fixture
def visitor(visit: Callable[..., Visitor]) -> Visitor:
    return visit()
