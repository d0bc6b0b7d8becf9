"""How a program can be shut in on this machine: what there is, what is missing, and what the program may see."""

import fcntl
import importlib.util
import marshal
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from outflank.agents.sandbox import seccomp
from outflank.agents.sandbox.consent import accepted
from outflank.agents.sandbox.guard import SCRATCH
from outflank.board import compiled
from outflank.errors import Fault

SOURCES = Path(__file__).resolve().parents[3]
"""The folder that holds the package."""
PACKAGES = ("numpy", "numba", "llvmlite", "scipy")
SYSTEM = ("/usr", "/nix/store", "/etc/ld.so.cache", "/etc/alternatives")
SYSTEM_LINKS = ("/lib", "/lib32", "/lib64", "/bin", "/sbin")
PROBE_SECONDS = 20.0
FIRST_NUMBER = 10
"""Of the descriptors that the guard gets: it arranges lower ones itself."""

# The package's own __init__ loads typing, which takes longer than all that a guard does: it gets a plain one.
GUARD = """
import marshal, sys
place, orders = sys.argv[1:]
for name in ("outflank", "outflank.agents", "outflank.agents.sandbox"):
    package = sys.modules[name] = type(sys)(name)
    package.__path__ = [place + "/" + name.replace(".", "/")]
from outflank.agents.sandbox import guard
guard.main(guard.Orders(*marshal.loads(bytes.fromhex(orders))))
"""
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


def require() -> Enclosure:
    """The best way there is; a ValueError says which protections are missing, unless that was accepted."""
    best = strongest()
    if not best.safe and not accepted():
        raise Fault("sandbox.none", why=best.why, missing="; or ".join(best.missing))
    return best


@cache
def strongest() -> Enclosure:
    """The best way to shut a program in that works here: each is tried."""
    missing, reasons = [], []
    filtered = seccomp.missing()
    if filtered:
        missing.append(FROM_INSIDE)
        reasons.append(filtered)
    if sys.platform != "linux":
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
    trial = launched(how, [interpreter(), "-I", "-S", "-c", "pass"])
    try:
        trial.guard.wait(PROBE_SECONDS)
        told = os.read(trial.status, 65536).decode().splitlines()
    except subprocess.TimeoutExpired:
        return "it does not answer"
    finally:
        trial.guard.kill()
        trial.guard.wait()
        for number in trial.ends:
            os.close(number)
    for line in told:
        if line.startswith("error "):
            return line.removeprefix("error ")
    return "" if told and told[-1].startswith("ended 0 ") else "a program in it does not start"


@dataclass(frozen=True)
class Launched:
    """A guard at work, and our ends of the pipes to it and to its guest."""

    guard: "subprocess.Popen[bytes]"
    requests: int
    replies: int
    lifeline: int
    """As long as it is open, the guest lives."""
    status: int

    @property
    def ends(self) -> tuple[int, ...]:
        return self.requests, self.replies, self.lifeline, self.status


def launched(how: str, command: list[str] | None = None) -> Launched:
    """Starts a guest, or another program in its place, with its guard."""
    their_requests, requests = _pipe()
    replies, their_replies = _pipe()
    their_lifeline, lifeline = _pipe()
    status, their_status = _pipe()
    theirs = (their_requests, their_replies, their_lifeline, their_status)
    try:
        guard = subprocess.Popen(
            [interpreter(), "-I", "-S", "-c", GUARD, str(SOURCES), _orders(how, command, theirs)],
            pass_fds=theirs,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us
        )
    except BaseException:
        for number in (requests, replies, lifeline, status):
            os.close(number)
        raise
    finally:
        for number in theirs:
            os.close(number)
    return Launched(guard, requests, replies, lifeline, status)


def _pipe() -> tuple[int, int]:
    """The reading and the writing end, with numbers that the guard does not need for others."""
    reader, writer = os.pipe()
    try:
        return tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, FIRST_NUMBER) for end in (reader, writer))  # type: ignore[return-value]
    finally:
        os.close(reader)
        os.close(writer)


def bubblewrap() -> str:
    """Where bubblewrap is; "" where it is not."""
    return shutil.which("bwrap") or ""


def interpreter() -> str:
    """The Python that runs us, outside of any virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)


def _orders(how: str, command: list[str] | None, theirs: tuple[int, ...]) -> str:
    """What a guard is told, in the order of `guard.Orders`."""
    # Without -I, which would have Python ignore its environment, and with it the fixed hashes.
    guest = [interpreter(), "-s", "-S", "-P", "-c", GUEST, *_library_folders(), str(SOURCES)]
    return marshal.dumps((how, command or guest, _environment(), *_visible(), bubblewrap(), theirs)).hex()


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
            links.append((str(Path(path).readlink()), path))
        elif Path(path).exists():
            readable.append(path)
    own = [str(Path(interpreter()).parent), str(Path(sys.base_prefix).resolve())]
    places = [*own, *_library_folders(), str(SOURCES / "outflank"), str(compiled.cache_folder())]
    for place in places:
        if not any(place == known or place.startswith(f"{known}/") for known in readable):
            readable.append(place)
    return readable, links


def _environment() -> dict[str, str]:
    """Nothing of the user's own; one thread for every library, and hashes that are the same in every run."""
    alone = (
        "OPENBLAS_NUM_THREADS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    )
    return {
        **dict.fromkeys(alone, "1"),
        "HOME": SCRATCH,
        "LANG": "C.UTF-8",
        "NUMBA_CACHE_DIR": f"{SCRATCH}/numba",
        "OUTFLANK_CACHE": f"{SCRATCH}/kernels",
        "OUTFLANK_KERNELS": str(compiled.cache_folder()),
        "PATH": "/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "TMPDIR": SCRATCH,
    }
