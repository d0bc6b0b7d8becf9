"""How a program can be sandboxed on this machine: what is available, what is missing, and what the program may see."""

import importlib.util
import marshal
import os
import secrets
import shutil
import stat
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from outflank.errors import MachineError

try:
    import fcntl
    import resource  # noqa: F401 (what stands upon us needs it)
except ImportError:
    raise MachineError("sandbox.system", system=sys.platform) from None

from outflank.agents.sandbox import cgroups, guest, seccomp, sheet
from outflank.agents.sandbox.consent import accepted
from outflank.agents.sandbox.guard import SCRATCH
from outflank.board import compiled

SOURCES = Path(__file__).resolve().parents[3]
"""The folder that holds the package."""
PACKAGES = ("numpy", "numba", "llvmlite", "scipy")
WITHOUT_ENGINE = (
    *("__init__.py", "errors.py", "messages", "board", "work"),
    *("agents/__init__.py", "agents/agent.py", "agents/rating.py", "agents/sandbox"),
    *("search/__init__.py", "search/limits.py", "search/driver.py"),
)
"""Of Outflank, what a submission needs that may not use its engine: the rules, and what an `Agent` is."""
SYSTEM = ("/nix/store", "/etc/ld.so.cache", "/etc/alternatives")
SYSTEM_LIBRARIES = ("/usr/lib", "/usr/lib64", "/lib", "/lib64")
SHARED_PREFIXES = ("/usr", "/usr/local")
"""Where a Python lies among everything else that is installed; elsewhere its folder is its own."""
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
# What a guest imports we import too: it cannot write bytecode, and would compile itself for every game.
GUEST = f"import sys; sys.path[:0] = sys.argv[1:]; from {guest.__name__} import main; main()"

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


def require() -> Enclosure:
    """The best way there is; an error says which protections are missing, unless that was accepted. What fails is tried
    anew the next time: a machine may have been too busy to answer."""
    best = strongest()
    if best.missing and not accepted():
        strongest.cache_clear()
        raise MachineError("sandbox.none", why=best.why, missing="; or ".join(best.missing))
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
    # Bubblewrap may do more than an ordinary user; as root we do more than it, and take root's rights away.
    for how in ("namespaces", "bubblewrap") if os.geteuid() == 0 else ("bubblewrap", "namespaces"):
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
        cgroups.remove(trial.group)
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
    prints: int
    """What the guest prints."""
    sheet: int
    """A file of our own on which the guest writes what it must not have to say: see `sheet`."""
    group: str
    """The guest's control group, or ""."""

    @property
    def ends(self) -> tuple[int, ...]:
        return self.requests, self.replies, self.lifeline, self.status, self.prints, self.sheet


def launched(how: str, command: list[str] | None = None, engine: bool = True) -> Launched:
    """Starts a guest, or another program in its place, with its guard; it sees Outflank's engine or not."""
    their_requests, requests = _pipe()
    replies, their_replies = _pipe()
    their_lifeline, lifeline = _pipe()
    status, their_status = _pipe()
    prints, their_prints = _pipe()
    paper = sheet.made()
    their_sheet = fcntl.fcntl(paper, fcntl.F_DUPFD_CLOEXEC, FIRST_NUMBER)
    theirs = (their_requests, their_replies, their_lifeline, their_status, their_prints, their_sheet)
    group = f"{_groups()}/outflank-{secrets.token_hex(8)}" if _groups() else ""
    if not (group and cgroups.make(group)):
        group = ""
    try:
        guard = subprocess.Popen(
            [interpreter(), "-I", "-S", "-c", GUARD, str(SOURCES), _orders(how, command, group, theirs, engine)],
            pass_fds=theirs,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us
        )
    except BaseException:
        for number in (requests, replies, lifeline, status, prints, paper):
            os.close(number)
        cgroups.remove(group)
        raise
    finally:
        for number in theirs:
            os.close(number)
    return Launched(guard, requests, replies, lifeline, status, prints, paper, group)


_groups = cache(cgroups.place)


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


def _orders(how: str, command: list[str] | None, group: str, theirs: tuple[int, ...], engine: bool) -> str:
    """The arguments of a guard, in the order of `guard.Orders`."""
    # Without -I, which would have Python ignore its environment, and with it the fixed hashes.
    guest = [interpreter(), "-s", "-S", "-P", "-c", GUEST, *_library_folders(), str(SOURCES)]
    drop_root = os.geteuid() == 0 and _open_to_all(how == "bare")
    orders = (how, command or guest, _environment(), *_visible(engine), bubblewrap(), drop_root, group, theirs)
    return marshal.dumps(orders).hex()


@cache
def _open_to_all(with_parents: bool) -> bool:
    """Whether anybody may read what a program needs. Root may have installed it for itself alone; in a file system of
    its own the program does not pass through the folders above."""
    places = [Path(place) for place in _visible()[0]]
    above = {folder for place in places for folder in place.parents} if with_parents else set[Path]()
    passable = all(folder.stat().st_mode & stat.S_IXOTH for folder in above)
    needed = [(place, stat.S_IROTH | (stat.S_IXOTH if place.is_dir() else 0)) for place in places]
    return passable and all(place.stat().st_mode & rights == rights for place, rights in needed)


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
def _visible(engine: bool = True) -> tuple[list[str], list[tuple[str, str]]]:
    """What a program may read: the system's libraries, Python, its packages, Outflank with its engine or without, and
    its machine code; and the links that lead there."""
    links = [(str(Path(path).readlink()), path) for path in SYSTEM_LIBRARIES if Path(path).is_symlink()]
    readable = [path for path in SYSTEM if Path(path).exists()]
    outflank = SOURCES / "outflank"
    shown = [outflank] if engine else [outflank / part for part in WITHOUT_ENGINE]
    libraries = _library_folders()
    if not engine and str(SOURCES) in libraries:  # installed among them
        libraries = [one for one in libraries if one != str(SOURCES)]
        libraries += [str(one) for one in sorted(SOURCES.iterdir()) if one != outflank]
    places = [*_system_libraries(), *_python(), *libraries, *map(str, shown), str(compiled.cache_folder())]
    for place in places:
        if not any(place == known or place.startswith(f"{known}/") for known in readable):
            readable.append(place)
    return readable, links


def _system_libraries() -> Iterator[str]:
    """The folders with the C library and its loader: one for each kind of processor, or one for everything."""
    architecture = sysconfig.get_config_var("MULTIARCH") or ""
    for path in map(Path, SYSTEM_LIBRARIES):
        if path.is_symlink() or not path.is_dir():
            continue
        if architecture and (path / architecture).is_dir():
            yield str(path / architecture)
        elif any(path.glob("ld-*.so*")) or any(path.glob("libc.so*")):
            yield str(path)


def _python() -> Iterator[str]:
    """The interpreter with its standard library."""
    prefix = Path(sys.base_prefix).resolve()
    if str(prefix) not in SHARED_PREFIXES:
        yield str(prefix)
    else:
        for name in ("stdlib", "platstdlib"):
            yield str(Path(sysconfig.get_path(name, vars={"base": str(prefix), "platbase": str(prefix)})).resolve())
        library = Path(str(sysconfig.get_config_var("LIBDIR"))) / str(sysconfig.get_config_var("INSTSONAME"))
        if library.is_file():
            yield str(library)
    yield interpreter()


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
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "TMPDIR": SCRATCH,
    }
