"""Another program as a child process: started, spoken to line by line, and never left behind.

A child is not trusted. Its output is bounded, its errors are read so that it cannot block on them, every wait has an
end, and its whole process group is killed when we are done with it, or when we die.
"""

import os
import signal
import subprocess
import time
from collections import deque
from contextlib import suppress
from typing import Any

from outflank.errors import Fault
from outflank.protocols.lines import LONGEST_LINE, LineBuffer, plain
from outflank.work.waiting import POLLS, Source, ready

FAREWELL = 0.5
"""Seconds that a child has to end by itself once it was asked to."""
LAST_WORDS = 500
"""Bytes of its errors that are kept, to tell why it died."""
MOST_LINES = 100_000
"""Lines that may wait to be read."""
SHELL_FAILED = (126, 127)
"""Exit codes by which a shell says that it cannot run a command, or does not find it."""

# The command runs in a session of its own, beside a guard that waits for the end of a pipe only we can write to. When
# we are gone, however that happened, the guard kills the session's group. `/dev/fd` since a shell such as dash
# has no redirections from descriptors above 9.
GUARDED = '(read -r line </dev/fd/{guard}; kill -9 0) </dev/null >/dev/null 2>&1 & exec /bin/sh -c "$1"'


GROUPS = hasattr(os, "killpg")
"""Windows has no process groups: there the command alone is ended, and what it started is left to it."""


class EngineError(Fault, ChildProcessError):
    """An engine that does not behave: it ended, cannot be understood, or refuses what it was told."""


class NoProgramError(EngineError):
    """A command that the shell does not find, or may not run."""


class CannotPlayError(Fault):
    """An engine that does not know a game."""


class Child:
    """A command line of the shell, running until it is closed."""

    def __init__(self, command: str) -> None:
        self.command = command
        self._lifeline: int | None = None
        if GROUPS:
            self._lifeline, self._process = _guarded(command)
        else:
            self._process = _started(command, shell=True)
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        self._streams = [stream for stream in streams if stream is not None]
        self._stdin, self._stdout, self._stderr = (stream.fileno() for stream in self._streams)
        self._sources = {source.descriptor: source for source in map(Source, (self._stdout, self._stderr))}
        self._stdout, self._stderr = self._sources
        if POLLS:
            os.set_blocking(self._stdin, False)
        self._buffer = LineBuffer()
        self._lines: deque[str] = deque()
        self._errors = b""
        self._silent: set[int] = set()  # descriptors at their end
        self._closed = False

    @property
    def pid(self) -> int:
        """Its process, which is also its process group."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return not self._closed and self._process.poll() is None

    def send(self, line: str, deadline: float) -> None:
        """Says a line; a child that does not listen until then is a TimeoutError."""
        data = line.encode() + b"\n"
        while data:
            self._exchange(deadline, writing=True)
            try:
                data = data[os.write(self._stdin, data) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._obituary() from None

    def line(self, deadline: float) -> str:
        """The next line that it says, by then; TimeoutError where there is none, EngineError where it has ended."""
        while not self._lines or time.perf_counter() > deadline:
            if not self._lines and self._stdout in self._silent:
                raise self._obituary()
            self._exchange(deadline)
        return self._lines.popleft()

    def _exchange(self, deadline: float, writing: bool = False) -> None:
        """Waits until something can be read or written, and reads what there is."""
        reading = {self._stdout, self._stderr} - self._silent
        wanted = [self._stdin] if writing and POLLS else []
        left = deadline - time.perf_counter()
        awake = ready(0.0 if writing and not POLLS else max(left, 0.0), reading, wanted)  # a pipe may not be waited for
        if left <= 0 and not awake.intersection(wanted):
            raise TimeoutError  # the host says how long it waited
        for descriptor in awake.intersection(reading):
            data = self._sources[descriptor].read()
            if not data:
                self._silent.add(descriptor)
            elif descriptor == self._stderr:
                self._errors = (self._errors + data)[-LAST_WORDS:]
            else:
                self._lines.extend(self._buffer.feed(data))
        if self._buffer.overlong:
            raise EngineError("host.line", bytes=LONGEST_LINE)
        if len(self._lines) > MOST_LINES:
            raise EngineError("host.lines", lines=MOST_LINES)

    def _obituary(self) -> EngineError:
        """How it ended, in one line. It has closed its output; a moment later it will have an exit code."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)
        with suppress(TimeoutError, EngineError):
            while self._stderr not in self._silent:
                self._exchange(time.perf_counter() + FAREWELL / 10)
        code = self._process.returncode
        how = Fault("host.closed") if code is None else Fault("host.ended", code=code)
        if code is not None and (code < 0 or code > 128):  # a shell adds 128 to the signal that ended a command
            with suppress(ValueError):
                how = Fault("host.killed", signal=signal.Signals(-code if code < 0 else code - 128).name)
        words = plain(self._errors.decode("utf-8", "replace"))
        kind = NoProgramError if code in SHELL_FAILED else EngineError
        return kind("host.last-words", how=how, words=words) if words else kind(how.code, **how.params)

    def close(self, farewell: str = "") -> None:
        """Ends it: asked first, if it is known how, then killed with all that it started."""
        if self._closed:
            return
        self._closed = True
        if farewell:
            with suppress(EngineError, TimeoutError, OSError):
                self.send(farewell, time.perf_counter() + FAREWELL / 10)
            self._wait_for_end()
        if GROUPS:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)  # before the process is reaped: its number is still its own
        else:
            self._process.kill()
        self._process.wait()
        if self._lifeline is not None:
            os.close(self._lifeline)
        for stream in self._streams:
            with suppress(OSError):
                stream.close()

    def _wait_for_end(self) -> None:
        """Lets it end without reaping it, reading what it says meanwhile."""
        until = time.perf_counter() + FAREWELL
        while time.perf_counter() < until and self._process.returncode is None:
            if self._has_ended():
                return
            if {self._stdout, self._stderr} - self._silent:
                with suppress(TimeoutError, EngineError, OSError):
                    self._exchange(time.perf_counter() + 0.01)
            else:
                time.sleep(0.01)
            self._lines.clear()

    def _has_ended(self) -> bool:
        if not GROUPS:
            return self._process.poll() is not None
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _guarded(command: str) -> tuple[int, "subprocess.Popen[bytes]"]:
    """The command beside its guard, and the end of the pipe that the guard listens to."""
    guard, lifeline = os.pipe()
    try:
        shell = ["/bin/sh", "-c", GUARDED.format(guard=guard), "sh", command]
        return lifeline, _started(shell, pass_fds=[guard], start_new_session=True)
    except BaseException:
        os.close(lifeline)
        raise
    finally:
        os.close(guard)


def _started(command: str | list[str], **options: Any) -> "subprocess.Popen[bytes]":
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **options)
