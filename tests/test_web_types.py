"""The page's modules are typed in their comments, by the server's models; TypeScript's compiler checks them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from outflank.web import types

ROOT = Path(__file__).resolve().parent.parent
COMPILER = Path(sys.prefix) / "node" / "node_modules" / "typescript" / "bin" / "tsc"


def test_the_types_are_those_of_the_models() -> None:
    assert types.FILE.read_text() == types.declarations(), "write them anew: python -m outflank.web.types"


def test_the_types_hold() -> None:
    node = shutil.which("node", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if node is None or not COMPILER.is_file():
        pytest.skip("TypeScript's compiler is not here: `make test` fetches it where it can")
    project = ROOT / "src" / "outflank" / "web" / "jsconfig.json"
    done = subprocess.run([node, str(COMPILER), "-p", str(project)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
