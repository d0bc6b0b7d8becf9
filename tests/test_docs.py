"""Every command and every Python example in the documents runs."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from enclosed import needs_enclosure

from outflank.agents import roster

ROOT = Path(__file__).resolve().parent.parent
ROOM = ROOT / "src" / "outflank"
NOT_LISTED = ("cli", "client")
"""One module a command; and what speaks to a server, two modules under one name."""
ROOMS = [path.parent for path in sorted(ROOM.glob("*/__init__.py")) if path.parent.name not in NOT_LISTED]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "tutorials").glob("*.md")])
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SAVED = re.compile(
    r"^(?:[^\n]*\. )?(?:Save|Add)\s+this\s+(?:as|to)\s+`(\S+)`:\n\n```python\n(.*?)^```", re.MULTILINE | re.DOTALL
)
"""A file that a reader writes, in one piece or in several."""
LONG_MATCH = re.compile(r"(?<=^outflank match )(.*--games )\d{3,}")
IN_CHINESE = {"classes": "class", "heuristics": "heuristic", "submissions": "player"}
"""Guides for students and teachers, and their tutorials: one page in Chinese has both."""
SETUP = ("make ", "git ")
"""What sets up the project itself is what the tests run in already."""


def commands() -> list[tuple[str, str]]:
    found = []
    for document in DOCUMENTS:
        for block in BLOCK.findall(document.read_text()):
            lines = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
            found += [(document.name, line) for line in lines if not line.startswith(SETUP)]
    return found


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that has the examples, as the repository's root has them, and what a reader saves; nothing to spoil."""
    folder = tmp_path_factory.mktemp("docs")
    if (ROOT / "examples").is_dir():
        shutil.copytree(ROOT / "examples", folder / "examples")
    for document in DOCUMENTS:
        for name, code in SAVED.findall(document.read_text()):
            with (folder / name).open("a") as file:
                file.write(f"\n\n{code}")
    return folder


@pytest.mark.parametrize(("document", "command"), commands())
def test_the_command_runs(document: str, command: str, workplace: Path) -> None:
    if document in ("submissions.md", "classes.md", "player.md", "class.md"):
        needs_enclosure()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        LONG_MATCH.sub(r"\g<1>2", command),
        shell=True,
        executable="/bin/bash",
        cwd=workplace,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{document}: {command}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_python_examples_say_what_they_print(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(roster, "ROSTER", dict(roster.ROSTER))  # what an example registers is its own
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    names: dict[str, object] = {}
    for number, block in enumerate(PYTHON.findall(document.read_text())):
        if ">>> " in block:
            name = f"{document.name}, example {number + 1}"
            example = doctest.DocTestParser().get_doctest(block, names, name, str(document), 0)
            runner.run(example, clear_globs=False)
            names |= example.globs
        else:
            exec(compile(block, str(document), "exec"), names)
    assert runner.summarize(verbose=False).failed == 0


def test_the_readme_has_commands_and_examples() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make play" in readme
    assert "make test" in readme
    assert any(document == "README.md" for document, _ in commands())
    assert ">>> " in readme


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_the_map_names_every_module(room: Path) -> None:
    """A room's own row names its modules; those of the engine have a table, and the server's are in its document."""
    text = (ROOM / "README.md").read_text()
    row = next(line for line in text.splitlines() if line.startswith(f"| `{room.name}/`"))
    where = {"search": text, "web": (ROOT / "docs" / "server.md").read_text()}.get(room.name, row)
    modules = {file.stem for file in room.rglob("*.py")} - {"__init__"}
    assert sorted(modules - set(re.findall(r"`(\w+)/?`", where))) == []


CHINESE = {"README.zh.md": ["README.md"]} | {
    f"docs/zh/{guide}.md": [f"docs/{guide}.md", f"docs/tutorials/{tutorial}.md"]
    for guide, tutorial in IN_CHINESE.items()
}


@pytest.mark.parametrize(("chinese", "english"), CHINESE.items())
def test_a_page_in_chinese_shows_the_same(chinese: str, english: list[str]) -> None:
    """Its commands and its examples are those that run here; only the words differ."""
    blocks = re.compile(r"^```(?:console|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)

    def shown(*names: str) -> list[str]:
        return [re.sub(r" +#.*", "", block) for name in names for block in blocks.findall((ROOT / name).read_text())]

    assert len(shown(chinese)) >= 3 and set(shown(chinese)) <= set(shown(*english))


def test_every_page_in_chinese_has_its_english_one() -> None:
    assert {path.stem for path in (ROOT / "docs" / "zh").glob("*.md")} == set(IN_CHINESE)


def test_the_five_go_by_name() -> None:
    """Nobody outside knows the reports by a number: what people see has the players' names, and the-five.md the
    authors'."""
    number = re.compile(r"\bseeds? 00[0-4]\b|(?<![\w.,#])00[0-4]('s\b|[:,] |：)", re.IGNORECASE)
    shown = [*DOCUMENTS, *(ROOM / "web" / "page").rglob("*.js"), *ROOM.rglob("*.py")]
    assert [f"{path.name}: {found[0]}" for path in shown if (found := number.search(path.read_text()))] == []
    five = (ROOT / "docs" / "the-five.md").read_text()
    authors = {"corner-shy": "Li Jiajun", "mini-go": "Xiaoyi Zhang", "phased": "Gao Shengdi"}
    authors |= {"self-taught": "Shi Xingyue", "dynamic": "Kent Sommer"}
    for name, author in authors.items():
        assert re.search(rf"^\| \[`{name}`\]\(#{name}\) \| \".*\".*\| {author}", five, re.MULTILINE), name
