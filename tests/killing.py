"""Programs that are killed in their work, for the tests of what is left: they kill themselves after so much of it,
since whoever looks from outside, or at a clock, may be too late on a machine that stalls."""

import subprocess
import sys
from pathlib import Path

IN_A_CONTEST = """
import os, signal, sys
from pathlib import Path
from outflank.arena.store import Store
from outflank.cli.main import main

games, calls, workers = int(sys.argv.pop(1)), int(sys.argv.pop(1)), Path(sys.argv.pop(1))
add, added = Store.add, 0

def counted(store, contest, finished):
    global added
    finished = list(finished)
    add(store, contest, finished)
    before, added = added, added + len(finished)
    if before < games <= added:
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
        workers.write_text(children.read_text() if children.exists() else "")
        sys.setprofile(call)

def call(*_):
    global calls
    calls -= 1
    if calls < 0:
        os.kill(os.getpid(), signal.SIGKILL)

Store.add = counted
main()
"""


def killed_in_a_contest(games: int, calls: int, arguments: list[str], folder: Path) -> tuple[int, list[int]]:
    """Runs a command, which is killed when it has put so many more games into its store and has then called so many
    functions and come back from them. Its exit code, and the workers that it had then."""
    workers = folder / "workers"
    workers.unlink(missing_ok=True)
    command = [sys.executable, "-c", IN_A_CONTEST, str(games), str(calls), str(workers), *arguments]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode, [int(one) for one in workers.read_text().split()] if workers.exists() else []
