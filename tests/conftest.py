"""What every test shares: the same examples on every run, all the time they need, and short names of their own."""

import os
import re
import signal
import sys
import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings

# No example is too slow: on a busy machine each may be, as one that stalls for a second makes the first of them.
settings.register_profile("outflank", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("outflank")

LONGEST_NAME = 30


def pytest_configure() -> None:
    """A shell that starts something in the background has it ignore Ctrl-C, and so would every program that a test
    starts and stops."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """The second worker collects a second later, and with another seed of hashes: where the clock or the order of a set
    shows in a test's name, the two find different tests, and that ends the run every time instead of now and then."""
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
        time.sleep(1.1)


def pytest_make_parametrize_id(val: object) -> str | None:
    """How a parameter shows in its test's name: as it is where that is short, else its first words.

    Bytes are only counted: what is compressed holds the time of day, and two workers that name a test differently end
    the whole run.
    """
    if isinstance(val, bytes):
        return f"{len(val)} bytes"
    if isinstance(val, str) and len(val) > LONGEST_NAME:
        words = re.sub(r"[^\w .:=/+-]+", " ", val[: 2 * LONGEST_NAME]).split()
        return " ".join(words)[:LONGEST_NAME].strip() or None
    return None


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What the program says where it refuses a command line: one line, and nothing else."""
    from outflank.cli.main import main

    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["outflank", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        assert (stopped.value.code, out, err.count("\n")) == (2, "", 1)
        assert err.startswith("outflank: ")
        return err

    return run
