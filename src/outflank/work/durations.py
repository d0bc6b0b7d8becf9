"""Lengths of time as people write them."""

import re

from outflank.errors import Fault

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)([smhd]?)")
MOST = 1e9


def seconds_of(text: str) -> float:
    """Reads `90`, `90s`, `30m`, `2h` or `1.5d`."""
    found = DURATION.fullmatch(text.strip().lower())
    seconds = float(found[1]) * UNITS[found[2] or "s"] if found else 0.0
    if not 0 < seconds <= MOST:
        raise Fault("duration.form", text=text)
    return seconds
