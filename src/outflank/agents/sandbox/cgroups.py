"""A control group for one program: the kernel itself holds the limit of its memory, whatever kind of memory that is.

Not everybody may make one: root, whoever was handed a part of the tree (`OUTFLANK_CGROUP` names it), and programs that
systemd runs for a user (`systemd-run --user --scope`). Without one the referee's watching is all there is.

The guard, which starts anew for every game, uses it too: so it imports hardly anything.
"""

import os

NAMED = "OUTFLANK_CGROUP"
TREE = "/sys/fs/cgroup"
LIMITS = ("memory.max", "memory.limit_in_bytes")
"""Of the second and of the first version of control groups."""
SWAP = {"memory.max": ("memory.swap.max", "0"), "memory.limit_in_bytes": ("memory.swappiness", "0")}
USED = {"memory.max": "memory.current", "memory.limit_in_bytes": "memory.usage_in_bytes"}
MEMBERS = "cgroup.procs"


def place() -> str:
    """The group under which groups with a limit can be made, or ""."""
    for folder in _candidates():
        trial = f"{folder}/outflank-trial-{os.getpid()}"
        if make(trial):
            usable = _limit_of(trial) != "" and os.access(f"{trial}/{MEMBERS}", os.W_OK)
            remove(trial)
            if usable:
                return folder
    return ""


def _candidates() -> list[str]:
    """Where to look: what the operator names, the group that we are in, and the one above it, since in the second
    version a group that has processes of its own hands no limits down."""
    if os.environ.get(NAMED):
        return [os.environ[NAMED]]
    found = []
    try:
        with open("/proc/self/cgroup") as file:
            lines = [line.rstrip("\n").split(":", 2) for line in file]
    except OSError:
        return []
    for _, controllers, path in lines:
        if controllers == "memory":
            found.append(f"{TREE}/memory{path}")
        elif controllers == "":
            base = TREE if os.path.exists(f"{TREE}/cgroup.controllers") else f"{TREE}/unified"
            found += [f"{base}{path}", f"{base}{os.path.dirname(path)}"]
    return [folder.rstrip("/") for folder in found]


def make(group: str) -> bool:
    try:
        os.mkdir(group)
    except OSError:
        return False
    return True


def enter(group: str) -> None:
    """This process goes into a group, and its children with it."""
    _write(f"{group}/{MEMBERS}", "0")


def confine(group: str, more_bytes: int) -> None:
    """From now on a group may have so much more memory than it has. An OSError where the kernel does not want it."""
    limit = _limit_of(group)
    with open(f"{group}/{USED[limit]}") as file:
        used = int(file.read())
    _write(f"{group}/{limit}", str(used + more_bytes))
    try:
        _write(f"{group}/{SWAP[limit][0]}", SWAP[limit][1])
    except OSError:  # there is no swap
        return


def overran(group: str) -> bool:
    """Whether a group has come to its own limit; a machine that lacks memory ends programs far below theirs."""
    for name, word in (("memory.events", "oom"), ("memory.failcnt", "")):
        try:
            with open(f"{group}/{name}") as file:
                counts = [line.split() for line in file]
        except OSError:
            continue
        return any(line[-1] != "0" for line in counts if line[0] == word or not word)
    return False


def remove(group: str) -> None:
    """Takes an empty group away, if it is there."""
    try:
        os.rmdir(group)
    except OSError:
        return


def _limit_of(group: str) -> str:
    return next((name for name in LIMITS if os.path.exists(f"{group}/{name}")), "")


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
