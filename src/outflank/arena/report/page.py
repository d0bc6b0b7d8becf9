"""The page of a report: one file with everything in it, that loads nothing and works from a disk.

Data goes in packed: what every reader needs at once, and the games in chunks that are unpacked when one is looked at.
"""

import base64
import gzip
import html
import json
import os
import re
import tempfile
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from outflank.arena.report.data import Contents

GAMES_A_CHUNK = 256
SCRIPTS = ("basics.js", "rules.js", "charts.js", "replay.js", "browser.js", "main.js")
"""In the order in which they need each other: they share one scope."""


def page(contents: Contents) -> str:
    """The HTML."""
    parts = {
        "title": html.escape(contents.summary["title"]),
        "style": _file("page.css"),
        "data": "\n".join(_data(contents)),
        "scripts": "\n".join(f"<script>\n{_file(name)}</script>" for name in SCRIPTS),
    }
    # In one go: what is put in is not looked through again, whatever a player is called.
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], _file("page.html"))


def write_page(contents: Contents, path: Path) -> int:
    """Writes the page, all of it or nothing; its size in bytes."""
    data = page(contents).encode()
    if path.is_dir():
        raise ValueError(f"{path} is a folder: name a file such as report.html")
    if not path.parent.is_dir():
        raise ValueError(f"there is no folder {path.parent} to write {path.name} into")
    handle, beside = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(beside).chmod(0o644)
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
    return len(data)


def _data(contents: Contents) -> Iterator[str]:
    yield _packed("summary", {**contents.summary, "games_a_chunk": GAMES_A_CHUNK})
    yield _packed("games", contents.games)
    for chunk, begin in enumerate(range(0, len(contents.details), GAMES_A_CHUNK)):
        yield _packed(f"details-{chunk}", contents.details[begin : begin + GAMES_A_CHUNK])


def _packed(name: str, data: Any) -> str:
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    packed = base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()
    return f'<script type="application/gzip" id="{name}">{packed}</script>'


def _file(name: str) -> str:
    return (resources.files(__package__) / name).read_text(encoding="utf-8")
