"""A first start: the page is there and can be played on while the rest is compiled, and says quietly how far it is."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from serving import Server

from browser.visitor import PHONE, Visitor
from outflank.board.compiled import _locked, cache_folder
from outflank.board.kernels import perft
from outflank.board.warming import COMPLETE


@pytest.fixture
def almost_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Server, ExitStack]]:
    """A server for which all but one kernel is compiled; that one, once the test lets it go."""
    subprocess.run([sys.executable, "-m", "outflank", "warmup"], check=True, capture_output=True)
    lock = perft._lock_path.name  # type: ignore[attr-defined]
    folder = tmp_path / "cache" / cache_folder().name
    missing = lock.removesuffix(".lock")
    shutil.copytree(cache_folder(), folder, ignore=lambda _, names: [n for n in names if n.startswith(missing)])
    (folder / COMPLETE).unlink()
    monkeypatch.setenv("OUTFLANK_CACHE", str(tmp_path / "cache"))
    with ExitStack() as held:
        held.enter_context(_locked(folder / lock))
        with Server(tmp_path / "state") as server:
            yield server, held


SEEN: tuple[tuple[dict[str, Any], str, str], ...] = (
    ({}, "preparing the rest", "Your move"),
    ({**PHONE, "locale": "zh-CN"}, "准备其余部分", "轮到你了"),
)


def test_a_game_is_played_while_the_rest_is_compiled(
    chromium: Browser, almost_compiled: tuple[Server, ExitStack]
) -> None:
    server, held = almost_compiled
    windows = []
    for options, line, yours in SEEN:
        visitor = Visitor(chromium, server, **options).open()
        expect(visitor.page.locator("#warming")).to_contain_text(line)
        visitor.status(yours)
        visitor.play("d3")
        visitor.status(yours)
        assert len(visitor.moves()) == 4, "the engine has answered"
        assert [each["id"] for each in Axe().run(visitor.page).response["violations"]] == []
        assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        windows.append(visitor)
    held.close()
    for visitor in windows:
        expect(visitor.page.locator("#warming")).to_have_count(0)
        visitor.close()
