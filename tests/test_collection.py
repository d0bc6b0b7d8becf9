"""The suite itself: every process that collects the tests must find the same ones."""

import os
import subprocess
import sys

import pytest


def test_another_process_collects_the_same_tests(request: pytest.FixtureRequest) -> None:
    here = [item.nodeid for item in request.session.items]
    files = sorted({str(item.path) for item in request.session.items})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-o", "addopts=", "-p", "no:cacheprovider"]
    # The other process starts later and with another seed of hashes: no clock and no set may show in a name.
    environment = os.environ | {"PYTHONHASHSEED": "12345"}
    there = subprocess.run(
        [*command, *files], cwd=request.config.rootpath, env=environment, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert set(here) <= set(there)
    assert len(here) == len(set(here))
