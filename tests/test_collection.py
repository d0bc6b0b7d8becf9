"""The suite itself: every process that collects the tests must find the same ones."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NAMED_BY_THE_CLOCK = """
import time
import pytest

@pytest.mark.parametrize("now", [int(time.time())])
def test_now(now: int) -> None: ...
"""


@pytest.mark.parametrize(("source", "same"), [(NAMED_BY_THE_CLOCK, False), ("def test_it() -> None: ...", True)])
def test_two_workers_that_collect_different_tests_end_the_run(source: str, same: bool, tmp_path: Path) -> None:
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_one.py").write_text(source)
    command = [sys.executable, "-m", "pytest", "-p", "xdist", "--numprocesses", "2", "--rootdir", str(tmp_path)]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run([*command, str(tmp_path)], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode == 0) == same
    assert ("Different tests were collected" in done.stdout) != same
