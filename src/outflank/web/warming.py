"""The first compile on a machine, behind the page: another process does it, and this one follows its progress."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from outflank.board.compiled import cache_folder
from outflank.board.warming import is_complete

STEPS = ("board", "engine", "all")


class Warming:
    """What `outflank warmup` has compiled so far; nothing is left to do where it has been here before."""

    def __init__(self, tell: Callable[[str], None] = lambda line: None) -> None:
        self.step = ""
        """What is being compiled: the board's kernels, the engine's, or all others; empty once everything is there."""
        self.done = self.total = 0
        self._tell = tell
        self._reached = {step: threading.Event() for step in STEPS}
        self._process: subprocess.Popen[str] | None = None
        if is_complete():
            self._finish()
        else:
            self.step = STEPS[0]
            self._start()

    def _start(self) -> None:
        # A group of its own: Ctrl-C is for the server, which then ends this.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "outflank", "warmup", "--lines"],
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            env={**os.environ, "OUTFLANK_CACHE": str(cache_folder().parent)},
        )
        threading.Thread(target=self._listen, name="outflank-warming", daemon=True).start()

    def _listen(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        began = time.perf_counter()
        for line in self._process.stdout:
            told = json.loads(line)
            self.step, self.done, self.total = told["step"], told["done"], told["total"]
            self._tell(f"compiling for this machine, once: {self.step} {self.done}/{self.total}")
            if self.done == self.total:
                self._reached[self.step].set()
        self._tell("")
        if self.step == STEPS[-1] and self.done == self.total:
            print(f"Compiled for this machine in {time.perf_counter() - began:.0f} s.", file=sys.stderr, flush=True)
        self._finish()

    def _finish(self) -> None:
        """Also after the process has failed: a kernel is then compiled when it is needed."""
        self.step = ""
        for event in self._reached.values():
            event.set()

    def wait_for(self, step: str) -> None:
        self._reached[step].wait()

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()  # its workers end with it
