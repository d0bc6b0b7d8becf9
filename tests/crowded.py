"""Code run by a process that has more files open than `select` can name."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

MANY_FILES = """
import os, resource
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 4096) if most > 0 else 4096, most))
while os.dup(0) < 1100:
    pass
"""


def printed_by(code: str) -> str:
    """What the code prints there; an error fails the test."""
    if 0 < resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 1200:
        pytest.skip("so many files may not be opened here")
    command = [sys.executable, "-c", MANY_FILES + code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=Path(__file__).parent)
    assert done.stderr == ""
    return done.stdout
