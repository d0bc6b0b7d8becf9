"""CONTRIBUTING.md: each addition that it shows, made in a copy of the package, works."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text()
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", GUIDE, re.MULTILINE | re.DOTALL))
STEP = re.compile(
    r"^(?:New file `(?P<new>[^`]*)`|In `(?P<old>[^`]*)`, after `(?P<line>[^\n]*)`):\n\n```\w*\n(?P<code>.*?)^```"
    r"|^```console\n(?P<commands>.*?)^```",
    re.MULTILINE | re.DOTALL,
)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy of the sources, in which somebody adds something."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def ran(command: str, clone: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(clone / "src")}
    command = command.replace("outflank ", f"{sys.executable} -m outflank ")
    done = subprocess.run(command, shell=True, cwd=clone, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("name", SECTIONS)
def test_what_the_guide_adds_works(name: str, clone: Path) -> None:
    steps = list(STEP.finditer(SECTIONS[name]))
    assert any(step["code"] for step in steps) and any(step["commands"] for step in steps)
    for step in steps:
        if step["new"]:
            (clone / step["new"]).write_text(step["code"])
        elif step["old"]:
            file = clone / step["old"]
            before = [line for line in file.read_text().splitlines() if line.strip() == step["line"]]
            assert len(before) == 1, step["line"]
            file.write_text(file.read_text().replace(f"{before[0]}\n", f"{before[0]}\n{step['code']}"))
        else:
            for line in step["commands"].splitlines():
                ran(line.removeprefix("$ "), clone)


def test_the_guide_has_the_five_additions() -> None:
    assert list(SECTIONS) == ["A heuristic", "A player", "A format", "A study", "A language"]
