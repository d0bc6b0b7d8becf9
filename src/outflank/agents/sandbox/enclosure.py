"""How a program can be shut in on this machine: what there is, what is missing, and what the program may see."""

import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from outflank.agents.sandbox import seccomp
from outflank.agents.sandbox.guard import SCRATCH, Orders
from outflank.board.compiled import cache_folder

ACCEPTED = "OUTFLANK_UNSAFE"
"""Set in the environment where the user has accepted missing protections: workers inherit it."""
SOURCES = Path(__file__).resolve().parents[3]
"""The folder that holds the package."""
PACKAGES = ("numpy", "numba", "llvmlite", "scipy")
SYSTEM = ("/usr", "/nix/store", "/etc/ld.so.cache", "/etc/alternatives")
SYSTEM_LINKS = ("/lib", "/lib32", "/lib64", "/bin", "/sbin")
PROBE_SECONDS = 20.0

GUARD = "import sys; sys.path.insert(0, sys.argv[1]); from outflank.agents.sandbox import guard; guard.main(sys.argv[2])"
GUEST = "import sys; sys.path[:0] = sys.argv[1:]; from outflank.agents.sandbox import guest; guest.main()"

FROM_OUTSIDE = "keep it from reading your files, writing them, using the network and leaving processes behind"
FROM_INSIDE = "keep it from starting processes"
FROM_MEMORY = "watch how much memory it uses"


@dataclass(frozen=True)
class Enclosure:
    """One way to shut a program in: `bubblewrap`, `namespaces`, or `bare` where there is neither."""

    how: str
    missing: tuple[str, ...] = ()
    """What it cannot do, in words."""
    why: str = ""

    @property
    def safe(self) -> bool:
        return not self.missing


def accept_missing_protection() -> None:
    """From now on, in this process and those it starts, submissions run as well as this machine can enclose them."""
    os.environ[ACCEPTED] = "1"


def require() -> Enclosure:
    """The best way there is; a ValueError says which protections are missing, unless that was accepted."""
    best = strongest()
    if not best.safe and not os.environ.get(ACCEPTED):
        raise ValueError(
            f"a submission cannot be shut in on this machine ({best.why}): nothing would {'; or '.join(best.missing)}."
            " Install bubblewrap, or say --unsafe to run it all the same"
        )
    return best


@cache
def strongest() -> Enclosure:
    """The best way to shut a program in that works here: each is tried."""
    missing, reasons = [], []
    filtered = seccomp.missing()
    if filtered:
        missing.append(FROM_INSIDE)
        reasons.append(filtered)
    if platform.system() != "Linux":
        return Enclosure("bare", (FROM_OUTSIDE, *missing, FROM_MEMORY), "; ".join(reasons))
    for how in ("bubblewrap", "namespaces"):
        failure = _tried(how)
        if not failure:
            return Enclosure(how, tuple(missing), "; ".join(reasons))
        reasons.append(f"{how}: {failure}")
    return Enclosure("bare", (FROM_OUTSIDE, *missing), "; ".join(reasons))


def _tried(how: str) -> str:
    """Shuts in a program that does nothing; says what went wrong."""
    if how == "bubblewrap" and not bubblewrap():
        return "not installed"
    reader, writer = os.pipe()
    lifeline, kept = os.pipe()
    nothing = os.open(os.devnull, os.O_RDWR)
    try:
        import fcntl

        numbers = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (nothing, nothing, lifeline, writer)]
        trial = orders(how, *numbers, command=[interpreter(), "-I", "-S", "-c", "pass"])
        with subprocess.Popen(
            guard_command(trial), pass_fds=numbers, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as started:
            for number in numbers:
                os.close(number)
            os.close(writer)
            writer = -1
            try:
                started.wait(PROBE_SECONDS)
            except subprocess.TimeoutExpired:
                started.kill()
                return "it does not answer"
            told = [json.loads(line) for line in os.read(reader, 65536).splitlines()]
    finally:
        for end in (reader, lifeline, kept, nothing, *([writer] if writer >= 0 else [])):
            os.close(end)
    for line in told:
        if "error" in line:
            return str(line["error"])
    return "" if told and told[-1].get("code") == 0 else "a program in it does not start"


def bubblewrap() -> str:
    """Where bubblewrap is; "" where it is not."""
    return shutil.which("bwrap") or ""


def interpreter() -> str:
    """The Python that runs us, outside of any virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)


def guard_command(wanted: Orders) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", GUARD, str(SOURCES), wanted.to_text()]


def orders(
    how: str, requests: int, replies: int, lifeline: int, status: int, command: list[str] | None = None
) -> Orders:
    """What the guard of a guest is told; the numbers are those of its ends of the pipes."""
    # Without -I, which would have Python ignore its environment, and with it the fixed hashes.
    guest = [interpreter(), "-s", "-S", "-P", "-c", GUEST, *_library_folders(), str(SOURCES)]
    readable, links = _visible()
    return Orders(
        how,
        command or guest,
        _environment(),
        readable,
        links,
        bubblewrap=bubblewrap(),
        requests=requests,
        replies=replies,
        lifeline=lifeline,
        status=status,
    )


@cache
def _library_folders() -> list[str]:
    """Where numpy, numba and what they need are installed."""
    folders = []
    for package in PACKAGES:
        found = importlib.util.find_spec(package)
        for place in found.submodule_search_locations or () if found else ():
            folders.append(str(Path(place).resolve().parent))
    return list(dict.fromkeys(folders))


@cache
def _visible() -> tuple[list[str], list[tuple[str, str]]]:
    """What a program may read: the system's programs, Python, its packages, Outflank and its machine code."""
    readable = [path for path in SYSTEM if Path(path).exists()]
    links = []
    for path in SYSTEM_LINKS:
        if Path(path).is_symlink():
            links.append((os.readlink(path), path))
        elif Path(path).exists():
            readable.append(path)
    own = [str(Path(interpreter()).parent), str(Path(sys.base_prefix).resolve())]
    places = [*own, *_library_folders(), str(SOURCES / "outflank"), str(cache_folder())]
    for place in places:
        if not any(place == known or place.startswith(f"{known}/") for known in readable):
            readable.append(place)
    return readable, links


def _environment() -> dict[str, str]:
    """Nothing of the user's own; one thread for every library, and hashes that are the same in every run."""
    alone = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    return {
        **dict.fromkeys(alone, "1"),
        "HOME": SCRATCH,
        "LANG": "C.UTF-8",
        "NUMBA_CACHE_DIR": f"{SCRATCH}/numba",
        "OUTFLANK_CACHE": f"{SCRATCH}/kernels",
        "OUTFLANK_KERNELS": str(cache_folder()),
        "PATH": "/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "TMPDIR": SCRATCH,
    }


