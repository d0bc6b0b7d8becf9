"""A first start, with nothing compiled: when there is a page, a board, an answer. For `outflank bench start`."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from outflank.client import Client
from outflank.errors import Fault
from outflank.work.places import cores

ADDRESS = re.compile(r"http://\S+/")
FIRST_MOVE, OPPONENT = "d3", "engine:level=4"
LOOK_SECONDS = 0.1


def first_start() -> dict[str, Any]:
    """Starts a server as `make play` does, in folders of its own; seconds since then for each step on the way."""
    with tempfile.TemporaryDirectory(prefix="outflank-start-") as folder:
        began = time.perf_counter()
        server = subprocess.Popen(
            [sys.executable, "-m", "outflank", "serve", "--port", "0", "--state", f"{folder}/state"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "OUTFLANK_CACHE": f"{folder}/cache"},
        )
        try:
            return {"processors": cores(), **dict(_steps(server, began))}
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()


def _steps(server: "subprocess.Popen[str]", began: float) -> Iterator[tuple[str, dict[str, float]]]:
    def reached(step: str) -> tuple[str, dict[str, float]]:
        seconds = time.perf_counter() - began
        return step, {"seconds": round(seconds, 2), "processor_seconds": round(_processor_seconds(server.pid), 2)}

    assert server.stdout is not None
    found = ADDRESS.search(server.stdout.readline())
    if found is None:
        raise Fault("crowd.no-server")
    with urlopen(found[0]) as page:
        page.read()
    yield reached("page")
    client = Client(found[0])
    with client.new_board(black="human", white=OPPONENT) as board:
        board.play(FIRST_MOVE)
        yield reached("board")
        board.wait()
        yield reached("answer")
    while client.get("/api/warming")["step"]:
        time.sleep(LOOK_SECONDS)
    yield reached("all")


def _processor_seconds(root: int) -> float:
    """What a process and all that it started, and that runs now, have taken; where the system does not tell: 0."""
    parents, spent = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(") ")[2].split()
            number = int(stat.parent.name)
            parents[number] = int(fields[1])
            spent[number] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # with its children that have ended
    family = {root}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(spent.get(number, 0.0) for number in family)
