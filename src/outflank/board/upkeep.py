"""Keeps the folder of machine code from growing without bound.

Functions made at run time have code of their own there, such as a sum with weights that somebody wrote, and there is no
end of those. Nothing that is compiled imports this, so that it may change without a compile.
"""

import re
from contextlib import suppress
from pathlib import Path

from outflank.board.compiled import cache_folder

MOST_MADE = 1000
"""Functions made at run time of which the code is kept: 40 MB."""
MADE = re.compile(r"(.+-[0-9a-f]{16}\.py\d+)\.nbi")
"""Numba's index of one: its identity stands at the end."""
CODE = re.compile(r"(.+)\.\d+\.nbc")


def let_oldest_go(folder: Path | None = None, most: int = MOST_MADE) -> int:
    """Removes the code of those beyond the most that were compiled first; says of how many. They are compiled again
    when they are needed."""
    folder = folder or cache_folder()
    files = list(folder.iterdir())
    made: dict[str, float] = {}
    for file in files:
        if found := MADE.fullmatch(file.name):
            with suppress(OSError):  # another process may be removing it too
                made[found[1]] = file.stat().st_mtime
    gone = set(sorted(made, key=made.__getitem__)[: max(len(made) - most, 0)])
    for file in files:
        found = MADE.fullmatch(file.name) or CODE.fullmatch(file.name)
        if found and found[1] in gone:
            with suppress(OSError):
                file.unlink()
    return len(gone)
