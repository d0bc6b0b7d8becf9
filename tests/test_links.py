"""The documents hang together: every link leads somewhere, every page is in the index, and the site can be built."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
DOCUMENTS = sorted(
    [
        ROOT / "CHANGELOG.md",
        ROOT / "CONTRIBUTING.md",
        *ROOT.glob("README*.md"),
        ROOT / "src" / "outflank" / "README.md",
        *DOCS.rglob("*.md"),
    ]
)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]*))?\)")
SITE = re.compile(r"file: (\S+)")


def anchors(document: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    lost = []
    for name, anchor in LINK.findall(CODE.sub("", document.read_text())):
        target = document.parent / name if name else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(f"{name}#{anchor}")
    assert lost == []


def test_every_document_is_in_the_index_and_on_the_site() -> None:
    names = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")} - {"index"}
    linked = {name.removesuffix(".md") for name, _ in LINK.findall((DOCS / "index.md").read_text())}
    assert names <= linked
    assert set(SITE.findall((DOCS / "_toc.yml").read_text())) == names | {"reference"}


PAGES = [path for path in sorted([*DOCS.glob("*.md"), *DOCS.glob("tutorials/*.md")]) if path.name != "index.md"]
TUTORIALS = ["play", "heuristic", "player", "class", "notebook"]
"""In a newcomer's order."""


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_opens_with_what_it_is_for_and_ends_with_where_to_go_next(page: Path) -> None:
    title, blank, first, *_ = page.read_text().splitlines()
    last = page.read_text().rstrip().split("\n\n")[-1]
    assert title.startswith("# ") and blank == "" and first
    assert last.startswith("Next: ") and len(LINK.findall(last)) >= 2


def test_the_tutorials_come_first_in_a_newcomers_order() -> None:
    for contents in ("index.md", "_toc.yml"):
        named = re.findall(r"tutorials/(\w+)", (DOCS / contents).read_text())
        assert list(dict.fromkeys(named)) == TUTORIALS
    assert sorted(path.stem for path in DOCS.glob("tutorials/*.md")) == sorted(TUTORIALS)


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="sphinx is not installed: make docs installs it")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(DOCS), str(tmp_path)], check=True)
    assert "outflank.Position" in (tmp_path / "reference.html").read_text()
