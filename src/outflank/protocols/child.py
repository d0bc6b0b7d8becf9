"""Another program as a child process: started, spoken to line by line, and never left behind.

A child is a stranger. Its output is bounded, its errors are read so that it cannot block on them, every wait has an
end, and its whole process group is killed when we are done with it, or when we die.
"""

import os
import signal
import subprocess
import time
from collections import deque
from contextlib import suppress
from types import TracebackType
from typing import IO, Self

from outflank.protocols.lines import CHUNK, LONGEST_LINE, LineBuffer, plain, ready

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


class EngineError(ChildProcessError):
    """An engine that does not behave: it ended, cannot be understood, or refuses what it was told."""


class NoProgramError(EngineError):
    """A command that the shell does not find, or may not run."""


class CannotPlayError(ValueError):
    """An engine that does not know a game."""


class Child:
    """A command line of the shell, running. Use it in a `with` statement, or close it."""

    def __init__(self, command: str) -> None:
        self.command = command
        guard, self._lifeline = os.pipe()
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", GUARDED.format(guard=guard), "sh", command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[guard],
                start_new_session=True,
                bufsize=0,
            )
        except BaseException:
            os.close(self._lifeline)
            raise
        finally:
            os.close(guard)
        os.set_blocking(_pipe(self._process.stdin).fileno(), False)
        self._buffer = LineBuffer()
        self._lines: deque[str] = deque()
        self._errors = b""
        self._silent: set[int] = set()  # descriptors at their end
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

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
        stdin = _pipe(self._process.stdin).fileno()
        while data:
            self._exchange(deadline, writing=True)
            try:
                data = data[os.write(stdin, data) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._obituary() from None

    def line(self, deadline: float) -> str:
        """The next line that it says, by then; TimeoutError where there is none, EngineError where it has ended."""
        while not self._lines or time.perf_counter() > deadline:
            if not self._lines and _pipe(self._process.stdout).fileno() in self._silent:
                raise self._obituary()
            self._exchange(deadline)
        return self._lines.popleft()

    def _exchange(self, deadline: float, writing: bool = False) -> None:
        """Waits until something can be read or written, and reads what there is."""
        stdout, stderr = (_pipe(stream).fileno() for stream in (self._process.stdout, self._process.stderr))
        reading = [descriptor for descriptor in (stdout, stderr) if descriptor not in self._silent]
        wanted = [_pipe(self._process.stdin).fileno()] if writing else []
        left = deadline - time.perf_counter()
        awake = ready(max(left, 0.0), reading, wanted)
        if left <= 0 and not awake.intersection(wanted):
            raise TimeoutError("the engine does not answer")
        for descriptor in awake.intersection(reading):
            data = os.read(descriptor, CHUNK)
            if not data:
                self._silent.add(descriptor)
            elif descriptor == stderr:
                self._errors = (self._errors + data)[-LAST_WORDS:]
            else:
                self._lines.extend(self._buffer.feed(data))
        if self._buffer.overlong:
            raise EngineError(f"the engine wrote a line of more than {LONGEST_LINE:,} bytes")
        if len(self._lines) > MOST_LINES:
            raise EngineError(f"the engine wrote more than {MOST_LINES:,} lines that nobody asked for")

    def _obituary(self) -> EngineError:
        """How it ended, in one line. It has closed its output; a moment later it will have an exit code."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)
        with suppress(TimeoutError, EngineError):
            while _pipe(self._process.stderr).fileno() not in self._silent:
                self._exchange(time.perf_counter() + FAREWELL / 10)
        code = self._process.returncode
        how = "closed its output" if code is None else f"ended with exit code {code}"
        if code is not None and (code < 0 or code > 128):  # a shell adds 128 to the signal that ended a command
            with suppress(ValueError):
                how = f"was ended by {signal.Signals(-code if code < 0 else code - 128).name}"
        words = plain(self._errors.decode("utf-8", "replace"))
        kind = NoProgramError if code in SHELL_FAILED else EngineError
        return kind(f"the engine {how}" + (f": {words}" if words else ""))

    def close(self, farewell: str = "") -> None:
        """Ends it: asked first, if it is known how, then killed with all that it started."""
        if self._closed:
            return
        self._closed = True
        if farewell:
            with suppress(EngineError, TimeoutError, OSError):
                self.send(farewell, time.perf_counter() + FAREWELL / 10)
            self._wait_for_end()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)  # before the process is reaped: its number is still its own
        self._process.wait()
        os.close(self._lifeline)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError):
                _pipe(stream).close()

    def _wait_for_end(self) -> None:
        """Lets it end without reaping it, reading what it says meanwhile."""
        until = time.perf_counter() + FAREWELL
        while time.perf_counter() < until and self._process.returncode is None:
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return
            open_ends = {_pipe(s).fileno() for s in (self._process.stdout, self._process.stderr)} - self._silent
            if open_ends:
                with suppress(TimeoutError, EngineError, OSError):
                    self._exchange(time.perf_counter() + 0.01)
            else:
                time.sleep(0.01)
            self._lines.clear()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
