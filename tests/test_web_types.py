"""The page's modules are typed in their comments, and TypeScript's compiler checks them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = ROOT / "src" / "outflank" / "web" / "jsconfig.json"
COMPILER = Path(sys.prefix) / "node" / "node_modules" / "typescript" / "bin" / "tsc"


def test_the_pages_types_hold() -> None:
    node = shutil.which("node", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if node is None or not COMPILER.is_file():
        pytest.skip("TypeScript's compiler is not here: `make test` fetches it where it can")
    done = subprocess.run([node, str(COMPILER), "-p", str(PROJECT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
