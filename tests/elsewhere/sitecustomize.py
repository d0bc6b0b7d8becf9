"""Takes from Python what Windows does not have, for every program that is started with this folder on its path.

Only what no library needs on this machine can be hidden: `subprocess` and `multiprocessing` work here as Unix does.
"""

import os
import select
import signal
import sys
from importlib.abc import MetaPathFinder

MODULES = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
NAMES = {
    os: (
        "fork",
        "getloadavg",
        "killpg",
        "nice",
        "sched_getaffinity",
        "setpriority",
        "setsid",
        "statvfs",
        "sysconf",
        "wait4",
        "waitid",
    ),
    select: ("epoll", "poll"),
    signal: ("alarm", "pthread_kill", "setitimer", "sigwait"),
}


class Missing(MetaPathFinder):
    def find_spec(self, name, path, target=None):  # type: ignore[no-untyped-def]
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Missing())
for name in MODULES:
    sys.modules.pop(name, None)
for module, names in NAMES.items():
    for name in names:
        delattr(module, name)
