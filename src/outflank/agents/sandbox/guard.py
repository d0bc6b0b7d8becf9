"""The guard: the small process between the referee and a sandboxed program.

It encloses the program, waits, and reports how it ended. It holds one end of a lifeline, a pipe that nobody writes to:
when the referee ends in any way, so does the pipe, and the guard kills the program and removes what it left. When the
guard itself is killed, the kernel ends the program.

Started as a program of its own for every game: so it imports hardly anything.
"""

import fcntl
import os
import resource
import select
import signal
import sys

from outflank.agents.sandbox import cgroups, namespaces

MYPY = False
if MYPY:  # for the type checker alone, as in namespaces
    from typing import NoReturn

REQUESTS, REPLIES, SHEET = 3, 4, 5
"""Where the guest finds its two ends of the wire, and the sheet that it writes its candidates on."""
GLANCE_SECONDS = 0.05
SCRATCH, SCRATCH_MEGABYTES = "/scratch", 64
"""Where an enclosed program finds the only folder that it may write to."""


class Orders:
    """All that a guard has to know. `requests`, `replies`, `lifeline`, `status` and `prints` are its ends of the pipes;
    `sheet` is a file of the referee's for the guest to write on."""

    def __init__(
        self,
        how: str,
        command: list[str],
        environment: dict[str, str],
        readable: list[str],
        links: list[tuple[str, str]],
        bubblewrap: str,
        drop_root: bool,
        group: str,
        ends: tuple[int, int, int, int, int, int],
    ) -> None:
        self.how = how
        """`bubblewrap`, `namespaces` or `bare`."""
        self.command, self.environment = command, environment
        self.readable, self.links = readable, links
        self.bubblewrap = bubblewrap
        self.drop_root = drop_root
        """Whether the program becomes nobody: where root runs us, and nobody can read what it needs."""
        self.group = group
        """The control group that was made for the program, or ""."""
        self.requests, self.replies, self.lifeline, self.status, self.prints, self.sheet = ends


def main(orders: Orders) -> "NoReturn":
    """Runs one program from its first to its last breath."""
    scratch = ""
    if orders.how == "bare":
        import shutil
        import tempfile

        scratch = tempfile.mkdtemp(prefix="outflank-submission-")
    try:
        try:
            process = _started(orders, scratch)
        except OSError as error:
            _tell(orders, f"error {error}")
            os._exit(1)
        os.close(orders.requests)
        os.close(orders.replies)
        os.close(orders.prints)
        os.close(orders.sheet)
        status = _watched(orders.lifeline, process)
        if orders.how == "bare":
            _end_group(process)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        overran = int(bool(orders.group) and cgroups.overran(orders.group))
        _tell(orders, f"ended {os.waitstatus_to_exitcode(status)} {used.ru_utime + used.ru_stime:.2f} {overran}")
    finally:
        if orders.group:
            cgroups.remove(orders.group)
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)
    os._exit(0)


def _tell(orders: Orders, line: str) -> None:
    """A line to the referee, which may be gone."""
    try:
        os.write(orders.status, line.replace("\n", " ").encode() + b"\n")
    except OSError:
        return


def _started(orders: Orders, scratch: str) -> int:
    if orders.how == "bubblewrap":
        return _start_bubblewrap(orders)
    as_root = orders.how == "namespaces" and namespaces.separate(orders.drop_root)
    ready, go = os.pipe()
    arrived, arrive = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(go)
        _become_guest(orders, scratch, ready, arrive if as_root else None)
    os.close(ready)
    os.close(arrive)
    _tell(orders, f"process {process}")
    os.write(go, b"!")
    if as_root and os.read(arrived, 1):
        namespaces.map_user(str(process), namespaces.NOBODY, namespaces.NOBODY)
        os.write(go, b"!")
    os.close(arrived)
    return process  # `go` stays open: it is how the guest sees that we are there


def _become_guest(orders: Orders, scratch: str, ready: int, arrive: int | None) -> "NoReturn":
    """`ready` has a byte for every step that the guard has done. `arrive` is there where the guard is root."""
    try:
        _first_in_line(orders)
        if sys.platform == "linux":
            namespaces.die_with_parent()
        _await_guard(ready)  # or it was killed before the kernel knew that we go with it
        if orders.how == "namespaces":
            owner = "" if arrive is None else f",uid={namespaces.NOBODY},gid={namespaces.NOBODY}"
            namespaces.build_root(orders.readable, orders.links, SCRATCH, SCRATCH_MEGABYTES, owner)
        else:
            os.setsid()
            os.chdir(scratch)
        if arrive is not None:
            namespaces.leave_user()
            os.write(arrive, b"!")
            _await_guard(ready)
            namespaces.become(namespaces.INSIDE)
        elif orders.drop_root and orders.how == "bare":
            os.chown(scratch, namespaces.NOBODY, namespaces.NOBODY)
            os.setgroups([])
            namespaces.become(namespaces.NOBODY)
        if _is_gone(ready):  # while the kernel did not know whom we go with
            os._exit(1)
        environment = orders.environment if not scratch else _relocated(orders.environment, scratch)
        _lay_out_descriptors(orders)
        os.execve(orders.command[0], orders.command, environment)
    except OSError as error:
        _tell(orders, f"error {error}")
    os._exit(1)


def _await_guard(ready: int) -> None:
    """Waits for the guard's next step; without a guard there is no guest."""
    if not os.read(ready, 1):
        os._exit(1)


def _is_gone(ready: int) -> bool:
    os.set_blocking(ready, False)
    try:
        return not os.read(ready, 1)
    except BlockingIOError:
        return False


def _first_in_line(orders: Orders) -> None:
    """Where the machine runs out of memory, the kernel ends a guest, and not the referee or somebody else."""
    if orders.group:
        cgroups.enter(orders.group)
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:  # no Linux, or no such file
        return


def _relocated(environment: dict[str, str], scratch: str) -> dict[str, str]:
    """The environment of a guest whose scratch folder is not at its usual place."""
    return {
        name: scratch + value.removeprefix(SCRATCH) if value.split("/")[:2] == ["", SCRATCH[1:]] else value
        for name, value in environment.items()
    }


def _lay_out_descriptors(orders: Orders) -> None:
    """The ends of the wire and the sheet at their numbers, nothing to read, the referee's pipe to print to; the rest
    closes when the guest begins. The referee gives us numbers above these, so that none is overwritten here."""
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.dup2(orders.prints, 1)
    os.dup2(orders.prints, 2)
    os.dup2(orders.requests, REQUESTS)
    os.dup2(orders.replies, REPLIES)
    os.dup2(orders.sheet, SHEET)
    for number in (orders.requests, orders.replies, orders.lifeline, orders.status, orders.prints, orders.sheet):
        os.set_inheritable(number, False)


def _start_bubblewrap(orders: Orders) -> int:
    """Bubblewrap does what `namespaces` does, also where only it may."""
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            _first_in_line(orders)
            namespaces.die_with_parent()
            information = fcntl.fcntl(writer, fcntl.F_DUPFD, SHEET + 1)
            _lay_out_descriptors(orders)
            os.execve(orders.bubblewrap, _bubblewrap_command(orders, information), orders.environment)
        except OSError as error:
            _tell(orders, f"error {error}")
        os._exit(1)
    os.close(writer)
    said = b""
    while piece := os.read(reader, 4096):
        said += piece
        if b"}" in said:
            break
    os.close(reader)
    # {"child-pid": 123, …}
    digits = said.partition(b'"child-pid":')[2].split(b",")[0].strip(b" \n}")
    if not digits.isdigit():
        os.waitpid(process, 0)
        raise OSError("bubblewrap could not make its namespaces")
    inner = int(digits)
    _tell(orders, f"process {inner}")
    return process


def _bubblewrap_command(orders: Orders, information: int) -> list[str]:
    command = [orders.bubblewrap, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    command += ["--unshare-cgroup-try", "--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"]
    inside = str(namespaces.INSIDE)
    command += ["--uid", inside, "--gid", inside, "--info-fd", str(information)]
    command += ["--hostname", namespaces.NAME.decode()]
    shown: list[str] = []
    for path in orders.readable:
        if os.path.exists(path) and not any(path.startswith(f"{other}/") for other in shown):
            command += ["--ro-bind", path, path]
            shown.append(path)
    for target, path in orders.links:
        command += ["--symlink", target, path]
    for device in namespaces.DEVICES:
        # Made read-only by bubblewrap they would be no devices; as they are, the filter of calls protects them.
        command += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    command += ["--size", str(SCRATCH_MEGABYTES << 20), "--tmpfs", SCRATCH, "--remount-ro", "/"]
    return [*command, "--chdir", SCRATCH, "--", *orders.command]


def _watched(lifeline: int, process: int) -> int:
    """Waits for the process to end, and ends it when the lifeline is cut."""
    waiting = select.poll()
    waiting.register(lifeline, select.POLLIN | select.POLLHUP)
    handle = _handle_of(process)
    if handle is not None:
        waiting.register(handle, select.POLLIN)
    while True:
        events = waiting.poll(None if handle is not None else int(GLANCE_SECONDS * 1000))
        if any(number == lifeline for number, _ in events):
            os.kill(process, signal.SIGKILL)
            return os.waitpid(process, 0)[1]
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return status


def _handle_of(process: int) -> int | None:
    try:
        return os.pidfd_open(process) if sys.platform == "linux" else None
    except OSError:  # an older kernel
        return None


def _end_group(process: int) -> None:
    """Without a namespace the best there is: what stayed in the program's session."""
    try:
        os.killpg(process, signal.SIGKILL)
    except OSError:
        return
