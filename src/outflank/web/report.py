"""A report as one file that loads nothing and works from a disk: the page's own modules and styles, with the data.

Data goes in packed: what every reader needs at once, and the games in chunks that are unpacked when one is looked at.
Modules go in whole: an import map tells the browser where each of them is in the file.
"""

import base64
import gzip
import html
import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from outflank.arena.report.data import Contents
from outflank.errors import Fault
from outflank.formats.disk import write_bytes

GAMES_A_CHUNK = 256
FIRST = "report.js"
STYLES = ("themes.css", "page.css", "board.css", "graph.css", "report.css")
IMPORTED = re.compile(r'(\bfrom |\bimport |\bimport\()"\./([\w.-]+\.js)"(?!\)\.)')
"""What a module loads, at once or later; `import("./x.js").Y` is a type in a comment."""
ICONS = re.compile(r'<svg class="unseen".*?</svg>\n', re.DOTALL)


def page(contents: Contents) -> str:
    """The HTML."""
    icons = ICONS.search(_file("page/index.html"))
    assert icons is not None
    parts = {
        "title": html.escape(contents.summary["title"]),
        "style": "".join(_file(f"page/{name}") for name in STYLES),
        "icons": icons[0],
        "data": "\n".join(_data(contents)),
        "modules": json.dumps({"imports": _modules()}, indent=0),
        "first": FIRST,
    }
    # In one go: what is put in is not looked through again, whatever a player is called.
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], _file("report.html"))


def write_page(contents: Contents, path: Path) -> int:
    """Writes the page, all of it or nothing; its size in bytes."""
    data = page(contents).encode()
    if path.is_dir():
        raise Fault("report.folder", path=path)
    if not path.parent.is_dir():
        raise Fault("folder.missing", folder=path.parent, name=path.name)
    write_bytes(str(path), data)
    return len(data)


def _modules() -> dict[str, str]:
    """The module with which a report begins and all that it imports, each by its name: an address that has its text."""
    texts: dict[str, str] = {}
    wanted = [FIRST]
    while wanted:
        name = wanted.pop()
        if name not in texts:
            text = _file(f"page/{name}")
            wanted += [found[2] for found in IMPORTED.finditer(text)]
            texts[name] = IMPORTED.sub(r'\1"\2"', text)
    return {name: f"data:text/javascript;base64,{_coded(text.encode())}" for name, text in sorted(texts.items())}


def _data(contents: Contents) -> Iterator[str]:
    yield _packed("summary", {**contents.summary, "games_a_chunk": GAMES_A_CHUNK})
    yield _packed("games", {name: column for name, column in contents.games.items() if name != "id"})  # the store's own
    for chunk, begin in enumerate(range(0, len(contents.details), GAMES_A_CHUNK)):
        yield _packed(f"details-{chunk}", contents.details[begin : begin + GAMES_A_CHUNK])


def _packed(name: str, data: Any) -> str:
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    packed = _coded(gzip.compress(text.encode(), 6, mtime=0))
    return f'<script type="application/gzip" id="data-{name}">{packed}</script>'


def _coded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
