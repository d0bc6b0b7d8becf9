"""The rights that a guest gives up before it loads a submission. Once given up, they cannot be regained."""

import contextlib
import os
import resource
from typing import NamedTuple

from outflank.agents.sandbox import seccomp

MEGABYTE = 1 << 20
ROOM_MEGABYTES = 1024
"""Address space on top of the memory allowed: stacks, libraries and compilers reserve much that they never use. What
is really used, the referee watches."""


class Quota(NamedTuple):
    """What a submission may use."""

    memory_megabytes: float = 100.0
    """What it adds to an interpreter with its libraries loaded."""
    cpu_seconds: int = 300
    """Of the processor, in a whole game."""
    threads: int = 32
    open_files: int = 64
    file_megabytes: int = 16


def restrict(quota: Quota, address_space: int, isolated: bool) -> None:
    """Gives up everything beyond the quota. `address_space` is what the process uses already, in bytes."""
    used = address_space or ROOM_MEGABYTES * MEGABYTE
    space = used + int((quota.memory_megabytes + ROOM_MEGABYTES) * MEGABYTE)
    limits = {
        resource.RLIMIT_AS: space,
        resource.RLIMIT_CPU: quota.cpu_seconds,
        resource.RLIMIT_FSIZE: quota.file_megabytes * MEGABYTE,
        resource.RLIMIT_NOFILE: quota.open_files,
        resource.RLIMIT_CORE: 0,
    }
    if isolated and _counts_by_namespace():
        limits[resource.RLIMIT_NPROC] = quota.threads
    for which, most in limits.items():
        with contextlib.suppress(ValueError, OSError):  # a system may lack one, or have a lower one already
            resource.setrlimit(which, (most, most))
    if not seccomp.missing():
        seccomp.install()


def _counts_by_namespace() -> bool:
    """True where the kernel counts the threads of a namespace of users; older ones count all that the user runs, also
    outside, and would refuse the first thread. Everywhere the referee watches how many there are."""
    numbers = os.uname().release.split("-")[0].split(".")[:2]
    return all(one.isdigit() for one in numbers) and tuple(map(int, numbers)) >= (5, 14)
