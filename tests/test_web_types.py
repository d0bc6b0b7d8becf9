"""The page's modules are typed in their comments; TypeScript's compiler checks them, and the arena report's scripts."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECTS = ("web", "arena/report")
COMPILER = Path(sys.prefix) / "node" / "node_modules" / "typescript" / "bin" / "tsc"


@pytest.mark.parametrize("room", PROJECTS)
def test_the_types_hold(room: str) -> None:
    node = shutil.which("node", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if node is None or not COMPILER.is_file():
        pytest.skip("TypeScript's compiler is not here: `make test` fetches it where it can")
    project = ROOT / "src" / "outflank" / room / "jsconfig.json"
    done = subprocess.run([node, str(COMPILER), "-p", str(project)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
