"""A filter of system calls, written as the kernel's BPF: what a program that chooses moves never needs is refused.

The namespaces already hide everything; the filter makes the kernel itself a smaller target, and it is what keeps a
program from starting processes, opening sockets and signalling others where there are no namespaces.
"""

import ctypes
import errno
import os
import signal
import struct
import sys
from collections.abc import Iterator, Mapping

LOAD, AND, JUMP_EQUAL, JUMP_GREATER_EQUAL, JUMP_BITS, RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS, ARGUMENT_BYTES = 0, 4, 16, 8
"""Where the kernel's description of a call has these."""
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000, 0x80000000
CLONE_THREAD = 0x10000
MAP_SHARED = 1
"""In the fourth argument of mmap."""
NEWEST = 448
"""The newest call that was looked at when the list was made. Later ones do what nobody here knows: told that there are
none, a program does without. The x32 interface's numbers lie far above, and would pass a filter of the usual ones."""
PR_SET_NO_NEW_PRIVS, SET_MODE_FILTER, ALL_THREADS = 38, 1, 1

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
COLUMN = {"x86_64": 0, "aarch64": 1}
SECCOMP = {"x86_64": 317, "aarch64": 277}

# Number on x86-64, number on ARM64 (None where it has no such call).
STARTS_PROCESSES = {"fork": (57, None), "vfork": (58, None)}
CLONE, CLONE3, MMAP = (56, 220), (435, 435), (9, 222)
SIGNALS_OTHERS = {"kill": (62, 129), "tgkill": (234, 131)}
"""Allowed towards the process itself, which its number in the first argument tells."""
ENDS = {"exit": (60, 93), "exit_group": (231, 94)}
KILLED = (128 + signal.SIGKILL, 128 + signal.SIGXCPU)
"""What bubblewrap says of a program that was killed, and so what none may say of itself: it would be nobody's fault."""
BUT_PROCESSOR = tuple(range(1, 16))
"""The limits of a process, but for that of processor time: with one of its own it could have itself killed."""
ONLY: dict[str, tuple[tuple[int, int], dict[int, tuple[int, ...]]]] = {
    # Numbers, and which arguments say what is wanted, with what may be. Descriptors: copied, passed on or not, blocking
    # or not; no lease, lock or owner, which reach whoever else has the file open.
    "fcntl": ((72, 25), {1: (0, 1, 2, 3, 4, 1030)}),
    # Is it a terminal, of which size; how much can be read; passed on or not, blocking or not.
    "ioctl": ((16, 29), {1: (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)}),
    # Names of threads and of memory, what it may do: not the signal that ends it with its guard.
    "prctl": ((157, 167), {0: (2, 3, 15, 16, 21, 23, 39, 0x53564D41)}),
    # Limits and processors of its own, and of no other process.
    "prlimit64": ((302, 261), {0: (0,), 1: BUT_PROCESSOR}),
    "setrlimit": ((160, 164), {0: BUT_PROCESSOR}),
    "sched_setaffinity": ((203, 122), {0: (0,)}),
}
REFUSED: dict[str, tuple[int | None, int | None]] = {
    # other programs, other processes
    "execve": (59, 221),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "setpriority": (141, 140),
    # a timer may send any signal, and so wake up a program that was stopped while its opponent thinks
    "timer_create": (222, 107),
    "sched_setparam": (142, 118),
    # who owns a file, who may read it, when it was written: devices and the user's own files are shared with the host
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "mknod": (133, None),
    "mknodat": (259, 33),
    # who it is
    "setuid": (105, 146),
    "setgid": (106, 144),
    "setreuid": (113, 145),
    "setregid": (114, 143),
    "setgroups": (116, 159),
    "setresuid": (117, 147),
    "setresgid": (119, 149),
    "setfsuid": (122, 151),
    "setfsgid": (123, 152),
    "capset": (126, 91),
    # signals to an accomplice through files that both can read; the whole machine's cache and disks
    "flock": (73, 32),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "mincore": (27, 232),
    "fadvise64": (221, 223),
    "sync": (162, 81),
    "syncfs": (306, 267),
    # the network, and memory that no limit counts
    "socket": (41, 198),
    "socketpair": (53, 199),
    "io_setup": (206, 0),
    "vmsplice": (278, 75),
    "tee": (276, 77),
    "remap_file_pages": (216, 234),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semctl": (66, 191),
    "msgget": (68, 186),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    # the file system's shape, and namespaces
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "fanotify_init": (300, 262),
    # the kernel and the machine
    "seccomp": (317, 277),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "personality": (135, 92),
    "modify_ldt": (154, None),
    "iopl": (172, None),
    "ioperm": (173, None),
    "uselib": (134, None),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "lookup_dcookie": (212, 18),
    "mbind": (237, 235),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "set_mempolicy": (238, 237),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
}


class _Program:
    """BPF as it is written: instructions of eight bytes. Jumps count the instructions to skip."""

    def __init__(self) -> None:
        self.code = b""

    def add(self, code: int, value: int, if_true: int = 0, if_false: int = 0) -> None:
        self.code += struct.pack("=HBBI", code, if_true, if_false, value)

    def refuse(self, number: int, error: int) -> None:
        self.add(JUMP_EQUAL, number, 0, 1)
        self.add(RETURN, REFUSE | error)

    def load(self, argument: int) -> None:
        """The lower half of an argument, which has all that is asked for here."""
        self.add(LOAD, ARGUMENTS + ARGUMENT_BYTES * argument)

    def allow_only(self, number: int, wanted: Mapping[int, tuple[int, ...]]) -> None:
        """Refuses a call unless each of these arguments has one of its values."""
        self.add(JUMP_EQUAL, number, 0, sum(len(values) + 2 for values in wanted.values()) + 1)
        for argument, values in wanted.items():
            self.load(argument)
            for at, value in enumerate(values):
                self.add(JUMP_EQUAL, value, len(values) - at, 0)
            self.add(RETURN, REFUSE | errno.EPERM)
        self.add(RETURN, ALLOW)


def program(machine: str, process: int) -> bytes:
    """The filter for a machine's kind of processor and the process of this number."""
    column = COLUMN[machine]
    written = _Program()
    written.add(LOAD, ARCHITECTURE)
    written.add(JUMP_EQUAL, ARCHITECTURES[machine], 1, 0)
    written.add(RETURN, KILL)
    written.add(LOAD, NUMBER)
    written.add(JUMP_GREATER_EQUAL, NEWEST + 1, 0, 1)
    written.add(RETURN, REFUSE | errno.ENOSYS)
    for number in _numbers(STARTS_PROCESSES, column):
        written.refuse(number, errno.EAGAIN)
    # Flags of clone3 lie in memory where no filter can look; told that there is none, the C library uses clone.
    written.refuse(CLONE3[column], errno.ENOSYS)
    for number in _numbers(REFUSED, column):
        written.refuse(number, errno.EPERM)
    written.add(JUMP_EQUAL, CLONE[column], 0, 4)
    written.load(0)
    written.add(JUMP_BITS, CLONE_THREAD, 1, 0)
    written.add(RETURN, REFUSE | errno.EAGAIN)
    written.add(RETURN, ALLOW)
    # Pages of shared memory that a process lets go of stay in memory, and are counted to nobody. A file or /dev/zero
    # that is mapped to be read could be made writable later: so there is no shared memory at all.
    written.add(JUMP_EQUAL, MMAP[column], 0, 4)
    written.load(3)
    written.add(JUMP_BITS, MAP_SHARED, 0, 1)
    written.add(RETURN, REFUSE | errno.EPERM)
    written.add(RETURN, ALLOW)
    for number in _numbers(SIGNALS_OTHERS, column):
        written.allow_only(number, {0: (process,)})
    for numbers, wanted in ONLY.values():
        written.allow_only(numbers[column], wanted)
    for number in _numbers(ENDS, column):
        written.add(JUMP_EQUAL, number, 0, len(KILLED) + 4)
        written.load(0)
        written.add(AND, 0xFF)
        for left, status in enumerate(KILLED):
            written.add(JUMP_EQUAL, status, len(KILLED) - left, 0)
        written.add(RETURN, ALLOW)
        written.add(RETURN, KILL)
    written.add(RETURN, ALLOW)
    return written.code


def _numbers(calls: Mapping[str, tuple[int | None, int | None]], column: int) -> Iterator[int]:
    for numbers in calls.values():
        number = numbers[column]
        if number is not None:
            yield number


def missing() -> str:
    """Why the filter cannot be used on this machine; "" where it can."""
    if sys.platform != "linux":
        return f"{os.uname().sysname} has no seccomp"
    if os.uname().machine not in ARCHITECTURES:
        return f"there is no filter for {os.uname().machine}"
    return ""


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def install() -> None:
    """Puts this process, with all of its threads, under the filter for good; an OSError where the kernel will not."""
    machine = os.uname().machine
    code = program(machine, os.getpid())
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs")
    wanted = _Filter(len(code) // 8, code)
    if libc.syscall(SECCOMP[machine], SET_MODE_FILTER, ALL_THREADS, ctypes.byref(wanted)):
        raise OSError(ctypes.get_errno(), "seccomp")
