"""The referee's side of a sandboxed program: questions in, answers out, under a deadline, and a certain end.

Whatever the program does, a question ends in an answer or in a `ForfeitError` with its reason. Between questions the
program is suspended: it takes no processor time from its opponent.
"""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

from outflank.agents.agent import ForfeitError
from outflank.agents.sandbox import cgroups, enclosure, sheet, wire
from outflank.agents.sandbox.enclosure import Enclosure
from outflank.agents.sandbox.guard import SCRATCH_MEGABYTES
from outflank.agents.sandbox.restrictions import MEGABYTE, Quota
from outflank.agents.sandbox.wire import Inbox, Message, WireError
from outflank.errors import Fault, MachineError
from outflank.search.driver import is_interrupted
from outflank.work.pulse import stood_still
from outflank.work.waiting import ready

GLANCE_SECONDS = 0.02
"""How often the memory of a program that works is looked at."""
LAUNCH_SECONDS = 120.0
"""For the enclosure and an interpreter with its libraries: nothing of the submission runs yet."""
FAREWELL_SECONDS = 5.0
ROOM_MEGABYTES = 64
"""What a control group may have on top, for what the kernel keeps for its program: pages of files, tables of pages."""
ACCOUNT_BYTES = 4096
PIPE_BYTES = 1 << 20
"""What a program may print from one glance to the next before it has to wait."""
KINDS = {
    "time": "forfeit.time",
    "memory": "forfeit.memory",
    "no answer": "forfeit.no-answer",
    "forbidden": "forfeit.forbidden",
}
"""How a guest may say that it has lost."""


class LateError(ForfeitError):
    """No answer came in time; the program still works on it."""


class StoppedError(LateError):
    """Somebody does not want the answer any more, and the program still works on it."""


@dataclass(frozen=True)
class Usage:
    """What a process uses now, as the kernel counts it."""

    own_bytes: int
    """Memory that is its own, without files that it only maps."""
    address_space: int
    threads: int


class Enclosed:
    """A running guest."""

    def __init__(self, how: Enclosure, quota: Quota, engine: bool = True) -> None:
        self.quota = quota
        self._base = 0
        self.peak_bytes = 0
        """The most memory seen beyond that of the libraries."""
        self.answered = False
        """True where the last question was answered, if only with an error: it can be asked another."""
        self.address_space = 0
        """What the guest takes with its libraries loaded; 0 where the system does not tell."""
        self.isolated = how.how != "bare"
        self._how = how.how
        self._told: list[list[str]] = []
        """The guard's lines, each as its first word and the rest."""
        self._status_rest = b""
        self._handle: int | None = None
        self._account: int | None = None
        started = enclosure.launched(how.how, engine=engine)
        self._guard = started.guard
        self._group = started.group
        self._requests, self._replies, self._status = started.requests, started.replies, started.status
        self._prints = started.prints
        self._printed = b""
        self._sheet = started.sheet
        self._open = list(started.ends)
        try:
            for number in (self._requests, self._replies, self._status, self._prints):
                os.set_blocking(number, False)
            if sys.platform == "linux":
                with contextlib.suppress(OSError):  # a user may have had too many of that size
                    fcntl.fcntl(self._prints, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
            self._pid = self._await_process()
            if sys.platform == "linux":
                with contextlib.suppress(OSError):
                    self._handle = os.pidfd_open(self._pid)
                    self._open.append(self._handle)
                    self._account = os.open(f"/proc/{self._pid}/status", os.O_RDONLY | os.O_CLOEXEC)
                    self._open.append(self._account)
        except BaseException:
            self.close()
            raise

    def _await_process(self) -> int:
        until = time.monotonic() + LAUNCH_SECONDS
        while time.monotonic() < until:
            ready(max(until - time.monotonic(), 0), [self._status])
            ended = self._hear_guard()
            for what, said in self._told:
                if what == "process":
                    return int(said)
            if ended:
                break
        raise MachineError("sandbox.not-started", why=self._guard_error() or Fault("sandbox.no-answer"))

    def _hear_guard(self) -> bool:
        """Reads what the guard says; True when it has said all."""
        while piece := wire.read_piece(self._status):
            *lines, self._status_rest = (self._status_rest + piece).split(b"\n")
            self._told += [line.decode("utf-8", "replace").split(" ", 1) for line in lines]
        return piece == b""

    def _guard_error(self) -> str:
        return next((said for what, said in self._told if what == "error"), "")

    @property
    def printed(self) -> str:
        """The last lines that the program printed."""
        self._hear_prints()
        return wire.last_lines(self._printed.decode("utf-8", "replace"))

    def _hear_prints(self) -> None:
        """Makes room for what the program prints. Not as soon as there is something: who prints without end shall not
        keep us busy."""
        for _ in range(PIPE_BYTES // wire.PIECE if self._open else 0):
            piece = wire.read_piece(self._prints)
            if not piece:
                break
            self._printed = (self._printed + piece)[-4 * wire.PRINTED :]

    # Questions

    def prepare(self, message: Message) -> Message:
        """Has the guest read the submission and load its libraries. Nothing of the submission has run by then: what
        comes back is the guest's own word."""
        try:
            answer = self.ask(message, LAUNCH_SECONDS, watched=False)
        except ForfeitError:
            self._hear_guard()
            if self._guard_error():
                raise MachineError("sandbox.not-started", why=self._guard_error()) from None
            raise
        usage = self.usage()
        if usage is None and self.isolated:
            raise MachineError("sandbox.not-started", why=Fault("sandbox.no-account"))
        self._base = usage.own_bytes if usage else 0
        self.address_space = usage.address_space if usage else 0
        return answer

    def confine(self, quota: Quota) -> None:
        """Has the guest give up its rights and all but a quota, before any of the submission runs."""
        self.quota = quota
        if self._group:
            more = int(quota.memory_megabytes + SCRATCH_MEGABYTES + ROOM_MEGABYTES) * MEGABYTE
            try:
                cgroups.confine(self._group, more)
            except OSError as error:
                raise MachineError("sandbox.not-started", why=error) from None
        restricted = {"quota": quota._asdict(), "space": self.address_space, "isolated": self.isolated}
        self.ask(restricted, LAUNCH_SECONDS, watched=False)

    def ask(self, message: Message, seconds: float, watched: bool = True) -> Message:
        """Sends a question and waits so long for its answer. It is watched as soon as the submission runs; what it says
        of the machine then is not believed."""
        token = wire.token()
        sheet.wipe(self._sheet)
        self.answered = False
        inbox = Inbox(token)
        still = stood_still()
        until = time.monotonic() + seconds
        self._signal(signal.SIGCONT)
        try:
            answer = self._exchange(wire.encoded({"token": token, **message}), inbox, until, watched)
        except WireError as error:
            raise ForfeitError("forfeit.forbidden", why=error) from None
        except TimeoutError:
            if stood_still() > still:
                raise MachineError("work.stood-still", seconds=stood_still() - still) from None
            raise LateError("forfeit.time", why=Fault("guest.late", seconds=seconds)) from None
        if watched:
            self._check_usage()
        self._signal(signal.SIGSTOP)
        self.answered = True
        if answer.get("kind") == "unprotected" and not watched:
            raise MachineError("sandbox.not-started", why=wire.text(answer.get("text")))
        if answer.get("kind") != "answer":
            code = KINDS.get(str(answer.get("reason")), "forfeit.crash")
            failure = ForfeitError(code, why=wire.reason(answer) or Fault("guest.failed"))
            failure.trace = wire.lines(answer.get("trace"))
            raise failure
        return answer

    def _exchange(self, data: bytes, inbox: Inbox, until: float, watched: bool) -> Message:
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if is_interrupted():
                raise StoppedError("forfeit.time", why=Fault("guest.stopped"))
            awake = ready(min(left, GLANCE_SECONDS), [self._replies], [self._requests] if data else [])
            if self._requests in awake:
                data = self._written(data)
            if self._replies in awake and (answer := self._received(inbox)):
                return answer
            self._hear_prints()
            if watched:
                self._check_usage()

    def _written(self, data: bytes) -> bytes:
        try:
            return data[os.write(self._requests, data) :]
        except BlockingIOError:
            return data
        except OSError:
            return b""  # its end is closed: what there is to say about that comes from the other pipe

    def _received(self, inbox: Inbox) -> Message | None:
        piece = wire.read_piece(self._replies)
        if piece == b"":
            raise self._ended()
        messages = inbox.add(piece or b"")
        if len(messages) > 1:
            raise WireError("wire.twice")
        return messages[0] if messages else None

    def _ended(self) -> Fault:
        """Why the wire was cut. A guard that is gone without a word was ended from outside: what it guards cannot reach
        it, where it is sandboxed. Nor can a guest kill itself: one that was killed within its quota is not at fault."""
        # A program that only closed its pipes lives on. One that dies closes them a moment before: on a machine that
        # stalls just then, that is a long moment.
        alive = self._handle is not None and not ready(FAREWELL_SECONDS, [self._handle])
        if alive:
            return ForfeitError("forfeit.crash", why=Fault("guest.closed-wire"))
        until = time.monotonic() + FAREWELL_SECONDS
        while not self._hear_guard() and time.monotonic() < until:
            ready(max(until - time.monotonic(), 0), [self._status])
        ended = next((said.split() for what, said in self._told if what == "ended"), None)
        if ended is None and self.isolated:
            return MachineError("sandbox.guard-gone")
        code, used, overran = (int(ended[0]), float(ended[1]), ended[2] == "1") if ended else (None, 0.0, False)
        if code is not None and code > 128 and self._how == "bubblewrap":
            code = 128 - code  # its way to tell of a signal
        killed = code in (-signal.SIGKILL, -signal.SIGXCPU)
        if killed and used >= self.quota.cpu_seconds - 2:
            return ForfeitError("forfeit.time", why=Fault("guest.processor", seconds=used))
        if killed and self.isolated and not overran:
            return MachineError("sandbox.killed")
        if killed:
            return ForfeitError("forfeit.memory", why=Fault("guest.system-ended"))
        if code == -signal.SIGSYS:
            return ForfeitError("forfeit.forbidden", why=Fault("guest.killed", signal="SIGSYS"))
        if code is not None and code < 0:
            return ForfeitError("forfeit.crash", why=Fault("guest.killed", signal=_signal_name(-code)))
        return ForfeitError("forfeit.crash", why=Fault("guest.ended", code=code))

    # Watching

    @property
    def noted(self) -> sheet.Noted:
        """The candidates of a course `AI` as they stand now, also while it thinks."""
        return sheet.read(self._sheet)

    def usage(self) -> Usage | None:
        """What the guest uses; None where the system does not tell, or it has ended."""
        if self._account is None:
            return None
        try:
            text = os.pread(self._account, ACCOUNT_BYTES, 0)
            # With what was moved out to a disk: a program can ask for that, to seem small.
            own = sum(_field(text, name) for name in (b"\nRssAnon:", b"\nRssShmem:", b"\nVmSwap:"))
            return Usage(own * 1024, _field(text, b"\nVmSize:") * 1024, _field(text, b"\nThreads:"))
        except (OSError, ValueError):  # it is just ending
            return None

    def _check_usage(self) -> None:
        usage = self.usage()
        if usage is None:
            return
        self.peak_bytes = max(self.peak_bytes, usage.own_bytes - self._base)
        used, allowed = self.peak_bytes / MEGABYTE, self.quota.memory_megabytes
        if used > allowed:
            raise ForfeitError("forfeit.memory", why=Fault("guest.memory", used=used, allowed=allowed))
        if usage.threads > self.quota.threads:
            why = Fault("guest.threads", threads=usage.threads, allowed=self.quota.threads)
            raise ForfeitError("forfeit.forbidden", why=why)

    def _signal(self, which: signal.Signals) -> None:
        """To the guest, and to nobody who has its number after it."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self._handle, which)

    # The end

    def kill(self) -> None:
        """Ends the guest, and waits for nothing."""
        self._signal(signal.SIGKILL)

    def close(self) -> None:
        """Ends the guest and its guard, and with them all that they have."""
        if not self._open:
            return
        self._signal(signal.SIGKILL)
        for number in self._open:
            os.close(number)  # the lifeline is one of them
        self._open, self._handle, self._account = [], None, None
        try:
            self._guard.wait(FAREWELL_SECONDS)
        except subprocess.TimeoutExpired:
            self._guard.kill()  # the kernel ends the guest with it
            self._guard.wait()
        if self._group:
            cgroups.remove(self._group)  # where the guard was killed before it could

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()


def _field(text: bytes, name: bytes) -> int:
    """A number of the kernel's account of a process; a ValueError where it is not there."""
    start = text.index(name) + len(name)
    return int(text[start : text.index(b"\n", start)].split()[0])


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
