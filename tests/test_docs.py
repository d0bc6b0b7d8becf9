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

ROOT = Path(__file__).resolve().parent.parent
ROOM = ROOT / "src" / "outflank"
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
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
    """A folder that has the examples, as the repository's root has them, and nothing to spoil."""
    folder = tmp_path_factory.mktemp("docs")
    if (ROOT / "examples").is_dir():
        shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


@pytest.mark.parametrize(("document", "command"), commands())
def test_the_command_runs(document: str, command: str, workplace: Path) -> None:
    if document == "submissions.md":
        needs_enclosure()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
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
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    names: dict[str, object] = {}
    for number, block in enumerate(PYTHON.findall(document.read_text())):
        if ">>> " in block:
            name = f"{document.name}, example {number + 1}"
            runner.run(doctest.DocTestParser().get_doctest(block, names, name, str(document), 0), clear_globs=False)
        else:
            exec(compile(block, str(document), "exec"), names)
    assert runner.summarize(verbose=False).failed == 0


def test_the_readme_has_commands_and_examples() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make play" in readme
    assert "make test" in readme
    assert any(document == "README.md" for document, _ in commands())
    assert ">>> " in readme


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
