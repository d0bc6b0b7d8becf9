"""A world of its own for one process, made with the kernel's namespaces: no network, no other processes, and a file
system of which only what we name can be read and only a small scratch folder written. It needs no privileges where
the system lets users make namespaces.

The guard that uses it starts anew for every game: so it imports hardly anything.
"""

import ctypes
import os

MYPY = False
if MYPY:  # for the type checker alone: at run time typing and collections would cost more than all the rest
    from collections.abc import Sequence

NEW_MOUNTS, NEW_CGROUPS, NEW_NAMES, NEW_IPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEW_USERS, NEW_PROCESSES, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
BIND, RECURSIVE, PRIVATE, NO_SUID, NO_DEVICES, NO_PROGRAMS = 0x1000, 0x4000, 0x40000, 2, 4, 8
DETACH = 2
PR_SET_PDEATHSIG, SIGKILL = 1, 9

MOUNT_SETATTR = 442
"""Its number on every processor; Linux 5.12. It makes a whole tree of mounts read-only, where a remount makes one."""
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
HERE, WHOLE_TREE = -100, 0x8000
READ_ONLY = 1

INSIDE = 1000
"""The user that a program is inside; outside it is whoever runs us, or nobody where that is root."""
NOBODY = 65534
STAGE = "/tmp"
"""Any folder that is there: the new root is built on top of it, and nobody else sees that."""
NAME = b"sandbox"
"""What it believes the machine to be called."""
DEVICES = ("null", "zero", "full", "random", "urandom")

_libc = ctypes.CDLL(None, use_errno=True)


def separate(drop_root: bool) -> bool:
    """Moves this process's children to be out of every process and network there is, and out of its user: itself too,
    unless it is root and can give them another (`leave_user`, `map_user`). True where that is still to be done."""
    flags = NEW_PROCESSES | NEW_NETWORK | NEW_IPC | NEW_NAMES | NEW_CGROUPS
    if drop_root and _libc.unshare(flags) == 0:  # else root is not allowed to, as in some containers
        return True
    user, group = os.geteuid(), os.getegid()
    _checked(_libc.unshare(flags | NEW_USERS), "unshare")
    map_user("self", user, group)
    return False


def map_user(process: str, user: int, group: int) -> None:
    """Says who the user inside is outside."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{INSIDE} {user} 1"), ("gid_map", f"{INSIDE} {group} 1")):
        with open(f"/proc/{process}/{name}", "w") as file:
            file.write(text)


def leave_user() -> None:
    """Out of root's rights, on the way to be nobody."""
    os.setgroups([])
    _checked(_libc.unshare(NEW_USERS), "unshare")


def become(user: int) -> None:
    """Another user; the kernel forgets then with whom we die."""
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    die_with_parent()


def die_with_parent() -> None:
    """The kernel kills this process when its parent ends, also by `kill -9`."""
    _checked(_libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "prctl")


def build_root(
    readable: "Sequence[str]", links: "Sequence[tuple[str, str]]", scratch: str, megabytes: int, owner: str
) -> None:
    """Gives this process a file system with these files and folders to read, at their own places, and a scratch folder
    in memory that goes with the process; and another name of the machine."""
    _checked(_libc.unshare(NEW_MOUNTS), "unshare")
    _checked(_libc.sethostname(NAME, len(NAME)), "sethostname")
    _mount("none", "/", "", RECURSIVE | PRIVATE)
    _mount("tmpfs", STAGE, "tmpfs", NO_SUID | NO_DEVICES, "size=1m,mode=0755")
    os.chdir(STAGE)
    os.mkdir("old")
    os.mkdir("new")
    _pivot(".", "old")
    os.chdir("/")
    _mount("tmpfs", "/new", "tmpfs", NO_SUID | NO_DEVICES, "size=4m,mode=0755")
    for path in readable:
        _show(path)
    for target, path in links:
        if not os.path.lexists(f"/new{path}"):
            os.makedirs(os.path.dirname(f"/new{path}"), exist_ok=True)
            os.symlink(target, f"/new{path}")
    os.makedirs("/new/dev", exist_ok=True)
    for device in DEVICES:
        _touch(f"/new/dev/{device}")
        _mount(f"/old/dev/{device}", f"/new/dev/{device}", "", BIND)
        # A device can be written to all the same; what is said of it, who may use it, is the host's and stays.
        _set_attributes(f"/new/dev/{device}", READ_ONLY | NO_SUID | NO_PROGRAMS, 0)
    os.makedirs(f"/new{scratch}", exist_ok=True)
    size = f"size={megabytes}m,nr_inodes={64 * megabytes},mode=0700{owner}"
    _mount("tmpfs", f"/new{scratch}", "tmpfs", NO_SUID | NO_DEVICES, size)
    _checked(_libc.umount2(b"/old", DETACH), "umount of the old root")
    os.chdir("/new")
    _pivot(".", ".")
    _checked(_libc.umount2(b".", DETACH), "umount of the stage")
    _set_attributes("/", READ_ONLY | NO_SUID, 0)
    os.chdir(scratch)


def _show(path: str) -> None:
    """Makes a file or folder readable in the new root."""
    source, place = f"/old{path}", f"/new{path}"
    if not os.path.exists(source) or os.path.exists(place):
        return  # not here, or inside of a folder that is shown already
    if os.path.isdir(source):
        os.makedirs(place)
    else:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        _touch(place)
    _mount(source, place, "", BIND | RECURSIVE)
    _set_attributes(place, READ_ONLY | NO_SUID | NO_DEVICES, WHOLE_TREE)


def _touch(path: str) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


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
