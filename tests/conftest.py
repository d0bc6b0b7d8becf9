"""What every test shares: the same examples on every run, all the time they need, and short names of their own."""

import re

from hypothesis import settings

settings.register_profile("outflank", derandomize=True, deadline=None)
settings.load_profile("outflank")

LONGEST_NAME = 30


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
