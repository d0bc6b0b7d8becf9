"""A world of its own for one process, made with the kernel's namespaces: no network, no other processes, and a file
system of which only what we name can be read and only a small scratch folder written. It needs no privileges where
the system lets users make namespaces.

Standard library only, since the guard that uses it starts anew for every game.
"""

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path

NEW_MOUNTS, NEW_CGROUPS, NEW_NAMES, NEW_IPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEW_USERS, NEW_PROCESSES, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
BIND, RECURSIVE, PRIVATE, NO_SUID, NO_DEVICES = 0x1000, 0x4000, 0x40000, 2, 4
DETACH = 2
PR_SET_PDEATHSIG, SIGKILL = 1, 9

MOUNT_SETATTR = 442
"""Its number on every processor; Linux 5.12. It makes a whole tree of mounts read-only, where a remount makes one."""
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
HERE, WHOLE_TREE = -100, 0x8000
READ_ONLY = 1

INSIDE = 1000
"""The user that a program is inside; outside it is whoever runs us."""
STAGE = "/tmp"
"""Any folder that is there: the new root is built on top of it, and nobody else sees that."""
DEVICES = ("null", "zero", "full", "random", "urandom")

_libc = ctypes.CDLL(None, use_errno=True)


def separate() -> None:
    """Moves this process out of its user, and its children to be out of every process and network there is."""
    user, group = os.geteuid(), os.getegid()
    flags = NEW_USERS | NEW_PROCESSES | NEW_NETWORK | NEW_IPC | NEW_NAMES | NEW_CGROUPS
    _checked(_libc.unshare(flags), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{INSIDE} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{INSIDE} {group} 1")


def die_with_parent() -> None:
    """The kernel kills this process when its parent ends, also by `kill -9`."""
    _checked(_libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "prctl")


def build_root(readable: Sequence[str], links: Sequence[tuple[str, str]], scratch: str, megabytes: int) -> None:
    """Gives this process a file system with these files and folders to read, at their own places, and a scratch folder
    in memory that goes with the process."""
    _checked(_libc.unshare(NEW_MOUNTS), "unshare")
    _mount("none", "/", "", RECURSIVE | PRIVATE)
    _mount("tmpfs", STAGE, "tmpfs", NO_SUID | NO_DEVICES, "size=1m,mode=0755")
    os.chdir(STAGE)
    Path("old").mkdir()
    Path("new").mkdir()
    _pivot(".", "old")
    os.chdir("/")
    _mount("tmpfs", "/new", "tmpfs", NO_SUID | NO_DEVICES, "size=4m,mode=0755")
    for path in readable:
        _show(path)
    for target, path in links:
        place = Path(f"/new{path}")
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(target)
    Path("/new/dev").mkdir(exist_ok=True)
    for device in DEVICES:
        place = Path(f"/new/dev/{device}")
        place.touch()
        _mount(f"/old/dev/{device}", str(place), "", BIND)
    Path(f"/new{scratch}").mkdir(parents=True, exist_ok=True)
    size = f"size={megabytes}m,nr_inodes={64 * megabytes},mode=0700"
    _mount("tmpfs", f"/new{scratch}", "tmpfs", NO_SUID | NO_DEVICES, size)
    _checked(_libc.umount2(b"/old", DETACH), "umount of the old root")
    os.chdir("/new")
    _pivot(".", ".")
    _checked(_libc.umount2(b".", DETACH), "umount of the stage")
    _set_attributes("/", READ_ONLY | NO_SUID, 0)
    os.chdir(scratch)


def _show(path: str) -> None:
    """Makes a file or folder readable in the new root."""
    source, place = Path(f"/old{path}"), Path(f"/new{path}")
    if not source.exists() or place.exists():
        return  # not here, or inside of a folder that is shown already
    if source.is_dir():
        place.mkdir(parents=True)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    _mount(str(source), str(place), "", BIND | RECURSIVE)
    _set_attributes(str(place), READ_ONLY | NO_SUID | NO_DEVICES, WHOLE_TREE)


class _Attributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns"))


def _set_attributes(path: str, attributes: int, flags: int) -> None:
    wanted = _Attributes(attributes, 0, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(wanted))
    result = _libc.syscall(MOUNT_SETATTR, HERE, os.fsencode(path), flags, ctypes.byref(wanted), size)
    _checked(result, f"read-only {path}")


def _mount(source: str, place: str, kind: str, flags: int, options: str = "") -> None:
    result = _libc.mount(
        os.fsencode(source),
        os.fsencode(place),
        os.fsencode(kind) if kind else None,
        ctypes.c_ulong(flags),
        os.fsencode(options) if options else None,
    )
    _checked(result, f"mount of {place}")


def _pivot(new: str, old: str) -> None:
    number = PIVOT_ROOT.get(os.uname().machine)
    if number is None:
        raise OSError(f"pivot_root is not known for {os.uname().machine}")
    _checked(_libc.syscall(number, os.fsencode(new), os.fsencode(old)), "pivot_root")


def _checked(result: int, what: str) -> None:
    if result:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
