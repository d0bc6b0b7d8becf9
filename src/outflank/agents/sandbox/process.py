"""An enclosed program as the referee has it: questions in, answers out, under a deadline; and an end that is sure.

Whatever the program does, a question ends in an answer or in a `ForfeitError` with its reason. Between questions the
program stands still: it takes no processor time from its opponent.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

from outflank.agents.agent import ForfeitError
from outflank.agents.sandbox import enclosure, wire
from outflank.agents.sandbox.enclosure import Enclosure
from outflank.agents.sandbox.restrictions import MEGABYTE, Quota
from outflank.agents.sandbox.wire import Inbox, Message, WireError
from outflank.protocols.lines import ready
from outflank.search.driver import is_interrupted

GLANCE_SECONDS = 0.02
"""How often the memory of a program that works is looked at."""
LAUNCH_SECONDS = 120.0
"""For the enclosure and an interpreter with its libraries: nothing of the submission runs yet."""
FAREWELL_SECONDS = 5.0
ACCOUNT_BYTES = 4096


class LateError(ForfeitError):
    """No answer came in time; the program still works on it."""

    def __init__(self, text: str) -> None:
        super().__init__("time", text)


class StoppedError(LateError):
    """Somebody does not want the answer any more, and the program still works on it."""

    def __init__(self) -> None:
        super().__init__("it was stopped before it had an answer")


@dataclass(frozen=True)
class Usage:
    """What a process uses now, as the kernel counts it."""

    own_bytes: int
    """Memory that is its own, without files that it only maps."""
    address_space: int
    threads: int


class Enclosed:
    """A running guest."""

    def __init__(self, how: Enclosure, quota: Quota) -> None:
        self.quota = quota
        self._base = 0
        self.peak_bytes = 0
        """The most memory seen beyond that of the libraries."""
        self.last_candidate: int | None = None
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
        started = enclosure.launched(how.how)
        self._guard = started.guard
        self._requests, self._replies, self._status = started.requests, started.replies, started.status
        self._open = list(started.ends)
        try:
            for number in (self._requests, self._replies, self._status):
                os.set_blocking(number, False)
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
        raise OSError(f"the enclosure did not start: {self._guard_error() or 'no answer'}")

    def _hear_guard(self) -> bool:
        """Reads what the guard says; True when it has said all."""
        while piece := wire.read_piece(self._status):
            *lines, self._status_rest = (self._status_rest + piece).split(b"\n")
            self._told += [line.decode("utf-8", "replace").split(" ", 1) for line in lines]
        return piece == b""

    def _guard_error(self) -> str:
        return next((said for what, said in self._told if what == "error"), "")

    # Questions

    def prepare(self, message: Message) -> Message:
        """Has the guest read the submission and load its libraries. Nothing of the submission has run by then: what
        comes back is the guest's own word."""
        try:
            answer = self.ask(message, LAUNCH_SECONDS, watched=False)
        except ForfeitError:
            self._hear_guard()
            if self._guard_error():
                raise OSError(f"the enclosure did not start: {self._guard_error()}") from None
            raise
        usage = self.usage()
        if usage is None and self.isolated:
            raise OSError("the enclosure did not start: the system does not tell how much memory it uses")
        self._base = usage.own_bytes if usage else 0
        self.address_space = usage.address_space if usage else 0
        return answer

    def ask(self, message: Message, seconds: float, watched: bool = True) -> Message:
        """Sends a question and waits so long for its answer."""
        token = wire.token()
        self.last_candidate = None
        self.answered = False
        inbox = Inbox(token)
        until = time.monotonic() + seconds
        self._signal(signal.SIGCONT)
        try:
            answer = self._exchange(wire.encoded({"token": token, **message}), inbox, until, watched)
        except WireError as error:
            raise ForfeitError("crash", str(error)) from None
        except TimeoutError:
            raise LateError(f"no answer within {seconds:.3g} s") from None
        if watched:
            self._check_usage()
        self._signal(signal.SIGSTOP)
        self.answered = True
        if answer.get("kind") == "unprotected":
            raise OSError(f"the enclosure did not start: {wire.text(answer.get('text'))}")
        if answer.get("kind") != "answer":
            reason = answer.get("reason")
            kind = reason if reason in ("time", "memory") else "crash"
            failure = ForfeitError(kind, wire.text(answer.get("text")) or "it failed")
            failure.trace = wire.lines(answer.get("trace"))
            raise failure
        return answer

    def _exchange(self, data: bytes, inbox: Inbox, until: float, watched: bool) -> Message:
        while True:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if is_interrupted():
                raise StoppedError
            awake = ready(min(left, GLANCE_SECONDS), [self._replies], [self._requests] if data else [])
            if self._requests in awake:
                data = self._written(data)
            if self._replies in awake and (answer := self._received(inbox)):
                return answer
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
        for message in messages:
            if message.get("kind") == "candidate":
                self.last_candidate = wire.square(message.get("square"))
            elif message is not messages[-1]:
                raise WireError("it answered more than once")
            else:
                return message
        return None

    def _ended(self) -> ForfeitError:
        """Why the wire was cut."""
        until = time.monotonic() + FAREWELL_SECONDS
        # A program that only closed its pipes lives on.
        alive = self._handle is not None and not ready(0.2, [self._handle])
        if alive:
            return ForfeitError("crash", "it closed the wire to the referee")
        while not self._hear_guard() and time.monotonic() < until:
            ready(max(until - time.monotonic(), 0), [self._status])
        code, used = next((_numbers(said) for what, said in self._told if what == "ended"), (None, 0.0))
        if code is not None and code > 128 and self._how == "bubblewrap":
            code = 128 - code  # its way to tell of a signal
        killed = code in (-signal.SIGKILL, -signal.SIGXCPU)
        if killed and used >= self.quota.cpu_seconds - 2:
            return ForfeitError("time", f"it used {used:.0f} s of the processor")
        if killed:
            return ForfeitError("memory", "the system ended it")
        if code is not None and code < 0:
            return ForfeitError("crash", f"its process was ended by {_signal_name(-code)}")
        return ForfeitError("crash", f"its process ended by itself (exit code {code})")

    # Watching

    @property
    def _allowed_bytes(self) -> int:
        return int(self.quota.memory_megabytes * MEGABYTE)

    def usage(self) -> Usage | None:
        """What the guest uses; None where the system does not tell, or it has ended."""
        if self._account is None:
            return None
        try:
            text = os.pread(self._account, ACCOUNT_BYTES, 0)
            own = _field(text, b"\nRssAnon:") + _field(text, b"\nRssShmem:")
            return Usage(own * 1024, _field(text, b"\nVmSize:") * 1024, _field(text, b"\nThreads:"))
        except (OSError, ValueError):  # it is just ending
            return None

    def _check_usage(self) -> None:
        usage = self.usage()
        if usage is None:
            return
        self.peak_bytes = max(self.peak_bytes, usage.own_bytes - self._base)
        if self.peak_bytes > self._allowed_bytes:
            used, allowed = self.peak_bytes / MEGABYTE, self.quota.memory_megabytes
            raise ForfeitError("memory", f"it used {used:.0f} MB, more than the {allowed:g} MB allowed")
        if usage.threads > self.quota.threads:
            raise ForfeitError(
                "crash", f"it started {usage.threads} threads, more than the {self.quota.threads} allowed"
            )

    def _signal(self, which: signal.Signals) -> None:
        """To the guest, and to nobody who has its number after it."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self._handle, which)

    # The end

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

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()


def _field(text: bytes, name: bytes) -> int:
    """A number of the kernel's account of a process; a ValueError where it is not there."""
    start = text.index(name) + len(name)
    return int(text[start : text.index(b"\n", start)].split()[0])


def _numbers(said: str) -> tuple[int, float]:
    code, used = said.split()
    return int(code), float(used)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
