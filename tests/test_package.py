"""The package as people install it: a wheel with everything in it, which needs no clone and no make."""

import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return built


def test_it_holds_what_git_holds_of_the_source(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.split("/")[0].endswith(".dist-info")}
    kept = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert names == {name.removeprefix("src/") for name in kept.splitlines()}


def test_its_readme_has_no_picture_and_no_link_that_leads_nowhere(wheel: Path) -> None:
    package = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in package.namelist() if name.endswith(".dist-info/METADATA"))
    headers, readme = package.read(metadata).decode().split("\n\n", 1)
    assert "Description-Content-Type: text/markdown" in headers and "# Outflank" in readme
    assert "one command: a gradebook" in readme and not re.search(r"\]\((?!https?:)", readme)


@pytest.mark.slow
def test_it_plays_solves_and_serves_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def ran(*command: str, said: str = "") -> str:
        done = subprocess.run(command, cwd=tmp_path, env=environment, input=said, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    ran(str(python), "-m", "pip", "install", "--quiet", str(wheel))
    outflank = str(python.with_name("outflank"))
    assert "Transcript: " in ran(outflank, "play", "engine:level=1", "greedy", "--variant", "4x4", "--seed", "1")
    assert "-10" in ran(outflank, "solve", "-----OX--XO----- X", "--variant", "4x4")
    assert "proved" in ran(outflank, "verify", "4x4")
    assert "greedy" in ran(outflank, "match", "greedy", "random", "--games", "4")
    serve = "from outflank.client import serving\nwith serving() as server: print(server.about()['version'])"
    assert ran(str(python), "-c", serve).strip() in wheel.name
