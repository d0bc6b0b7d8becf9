"""An engine that misbehaves in its first game and is our honest one in the next: `PROTOCOL HOW FOLDER`.

It leaves its process group in FOLDER/groups, and is told by what it finds there that it has played before.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

protocol, how, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
before = (folder / "groups").read_text() if (folder / "groups").exists() else ""
(folder / "groups").write_text(f"{before}{os.getpgrp()}\n")
if before:
    os.execv(sys.executable, [sys.executable, "-m", "outflank", protocol, "--agent", "greedy"])


def misbehave() -> None:
    if how == "silent":
        time.sleep(1000)
    elif how == "deaf":
        os.close(0)
        time.sleep(1000)
    elif how == "dies":
        sys.stderr.write("out of luck\n")
        sys.exit(3)
    elif how == "killed":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif how == "garbage":
        os.write(1, b"\x00\xff garbage\n" * 10_000)
        print("= zz\n\n=== zz/1/1", flush=True)
        time.sleep(1000)
    elif how == "endless line":
        while True:
            os.write(1, b"x" * 65536)
    elif how == "endless lines":
        while True:
            os.write(1, b"info depth 3\n" * 5000)
    elif how == "illegal":
        print("= h8\n\n=== H8/1/1" if protocol == "gtp" else "=== A1/1/1", flush=True)
        time.sleep(1000)
    elif how == "resigns":
        print("= resign\n\n=== resign", flush=True)
        time.sleep(1000)
    elif how == "loud":
        while True:
            os.write(2, b"complaint\n" * 5000)


if how == "breeds":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-c", "import signal, time; signal.signal(15, 1); time.sleep(1000)"])
    how = "silent"
for line in sys.stdin:
    word = line.split()[0]
    if word in ("genmove", "go"):
        misbehave()
    elif protocol == "gtp":
        print("=\n", flush=True)
    elif word == "ping":
        print(f"pong {line.split()[1]}", flush=True)
