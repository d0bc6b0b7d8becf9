"""The guest: what runs inside of the enclosure. It is ours until it has given up its rights; then it loads a
submission, which shares this process and may change anything in it. So nothing here protects anybody: that is done by
the enclosure outside and by the referee, who believes no answer.

It starts anew for every game: so it imports little before it knows what the submission needs.
"""

import errno
import importlib
import importlib.util
import json
import os
import random
import signal
import sys
import threading
import time
from typing import Any, NoReturn

from outflank.agents.sandbox import interfaces
from outflank.agents.sandbox.guard import REPLIES, REQUESTS
from outflank.agents.sandbox.restrictions import Quota, restrict

Message = dict[str, Any]

GLANCE_SECONDS = 0.05
"""How often the candidates of a player that is still thinking are looked at."""
TIME_UP = signal.SIGUSR2
LONGEST_TRACE = 3000
LONGEST_TEXT = 300


class TimeUp(BaseException):
    """Raised inside of a player whose time is over."""


class _Wire:
    """Our end of the wire: a line of JSON a message."""

    def __init__(self) -> None:
        self._waiting = b""
        self._writing = threading.Lock()

    def receive(self) -> Message:
        while b"\n" not in self._waiting:
            piece = os.read(REQUESTS, 1 << 20)
            if not piece:
                os._exit(0)  # the referee has gone
            self._waiting += piece
        line, _, self._waiting = self._waiting.partition(b"\n")
        message: Message = json.loads(line)
        return message

    def send(self, message: Message) -> None:
        data = memoryview(json.dumps(message).encode() + b"\n")
        with self._writing:
            while data:
                data = data[os.write(REPLIES, data) :]


def main() -> NoReturn:
    """Gets ready, loads the submission, and asks it for moves until the referee leaves."""
    wire = _Wire()
    request = wire.receive()
    source = request["source"]
    examined = _answered(wire, request, lambda: prepare(source, request["file"], request["class"]))
    if examined is None:
        os._exit(1)
    request = wire.receive()
    try:
        restrict(Quota(**request["quota"]), request["space"], request["isolated"])
    except OSError as error:
        wire.send({"token": request["token"], "kind": "unprotected", "text": str(error)})
        os._exit(1)
    player = _answered(wire, request, lambda: _loaded(request, source, examined))
    watch = _Watch(wire)
    if isinstance(player, interfaces.CourseAI):
        watch.begin(player)
    while True:
        asked = wire.receive()
        _answered(wire, asked, lambda asked=asked: watch.decide(player, asked))


def prepare(source: str, file: str, wanted: str) -> tuple[interfaces.Examined, Message]:
    """Reads the submission without running it, and loads the libraries that it names: what they take is not counted as
    its own."""
    examined = interfaces.examine(source, file, wanted)
    interfaces.offer_course_modules()
    if "outflank" in examined.libraries:
        _borrow_kernels()
    for name in examined.libraries:
        from outflank.agents.sandbox import older_libraries

        module = importlib.import_module(name)
        if name == "numpy":
            older_libraries.complete_numpy(module)
        if name == "numba":
            older_libraries.complete_numba(module)
        if name == "outflank":
            importlib.import_module("outflank.board.game")
    return examined, {"interface": examined.interface, "class": examined.class_name}


def _borrow_kernels() -> None:
    """Lays Outflank's compiled code into a cache of our own, where it can be read but what we add stays with us."""
    theirs = os.environ["OUTFLANK_KERNELS"]
    ours = os.path.join(os.environ["OUTFLANK_CACHE"], os.path.basename(theirs))
    os.makedirs(ours, exist_ok=True)
    for name in os.listdir(theirs):
        os.symlink(os.path.join(theirs, name), os.path.join(ours, name))


def _loaded(request: Message, source: str, examined: interfaces.Examined) -> tuple[Any, Message]:
    """The player of a submission, made."""
    place = request["file"]
    with open(place, "w", encoding="utf-8") as file:
        file.write(source)
    name = place.removesuffix(".py")
    if name in sys.modules:  # a file that has the name of a library must not hide it
        name = f"submission_{name}"
    random.seed(request["setup"]["seed"])
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(request["setup"]["seed"])
    found = importlib.util.spec_from_file_location(name, os.path.abspath(place))
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    made = getattr(module, examined.class_name, None)
    if not isinstance(made, type):
        raise interfaces.NotAPlayerError(f"it has no class {examined.class_name}")
    return interfaces.ADAPTERS[examined.interface](made, request["setup"]), {}


def _answered(wire: _Wire, request: Message, work: Any) -> Any:
    """Does what a request wants and sends what came of it, whatever that is."""
    token = request["token"]
    result = None
    try:
        result, answer = work()
        answer = {"kind": "answer", **answer}
    except TimeUp:
        answer = {"kind": "error", "reason": "time", "text": "it had no answer when its time was over"}
    except interfaces.NotAPlayerError as error:
        answer = {"kind": "error", "reason": "crash", "text": str(error)}
    except MemoryError:
        answer = {"kind": "error", "reason": "memory", "text": "it asked for more than it may have"}
    except BaseException as error:
        reason = "memory" if isinstance(error, OSError) and error.errno == errno.ENOMEM else "crash"
        answer = {"kind": "error", "reason": reason, "text": _described(error), "trace": _trace(error)}
    wire.send({"token": token, **answer})
    return result


def _described(error: BaseException) -> str:
    """`ZeroDivisionError: division by zero (line 12)`."""
    import traceback

    try:
        said = str(error)[:LONGEST_TEXT]
    except BaseException:
        said = ""
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(_folder())
    ]
    where = f" (line {lines[-1]})" if lines else ""
    if isinstance(error, SyntaxError):
        where = ""  # its text has the line
    return f"{type(error).__name__}: {said}{where}" if said else f"{type(error).__name__}{where}"


def _trace(error: BaseException) -> str:
    """The traceback from where the submission's own code begins."""
    import traceback

    try:
        at = error.__traceback__
        while at is not None and not at.tb_frame.f_code.co_filename.startswith(_folder()):
            at = at.tb_next
        return "".join(traceback.format_exception(type(error), error, at, limit=-6, chain=False))[-LONGEST_TRACE:]
    except BaseException:
        return ""


def _folder() -> str:
    return os.getcwd()


class _Watch:
    """Looks at the candidates of a player while it thinks, and ends its thinking when the time is up: the course then
    plays the last one there is. A thread that sleeps does it; between moves the whole process stands still."""

    def __init__(self, wire: _Wire) -> None:
        self._wire = wire
        self._job: tuple[str, float] | None = None
        self._ended: tuple[str, float] | None = None
        """The job that was told that its time is over: each is told once, so that nothing strikes while we answer."""
        self._telling = threading.Lock()
        self._player: interfaces.CourseAI | None = None

    def begin(self, player: interfaces.CourseAI) -> None:
        self._player = player
        signal.signal(TIME_UP, self._end)
        threading.Thread(target=self._look, daemon=True).start()

    def decide(self, player: Any, request: Message) -> tuple[Any, Message]:
        if self._player is None:
            return player, player.decide(request)
        answer: Message | None = None
        try:
            try:
                self._job = request["token"], time.monotonic() + request["seconds"]
                answer = player.decide(request)
            finally:
                self._job = None
        except TimeUp:
            self._job = None
        with self._telling:  # from here on the thread tells nothing more of this move
            pass
        if answer is None:
            answer = {**player.standing(request["all"]), "late": True}
            if "square" not in answer:
                raise TimeUp
        return player, answer

    def _end(self, *_: object) -> None:
        job = self._job
        if job is not None and job is not self._ended:
            self._ended = job
            raise TimeUp

    def _look(self) -> None:
        seen: tuple[str, Message] | None = None
        struck: object = None
        main = threading.main_thread().ident
        assert main is not None and self._player is not None
        while True:
            job = self._job
            left = GLANCE_SECONDS
            if job is not None and job is not struck:
                left = min(GLANCE_SECONDS, max(job[1] - time.monotonic(), 0.001))
            time.sleep(left)
            if job is None:
                continue
            try:
                standing = self._player.standing()
            except Exception:  # the list is not there yet, or is being changed
                standing = {}
            with self._telling:
                if job is self._job and "square" in standing and (job[0], standing) != seen:
                    seen = job[0], standing
                    self._wire.send({"token": job[0], "kind": "candidate", "square": standing["square"]})
            if job is self._job and job is not struck and time.monotonic() >= job[1]:
                struck = job
                signal.pthread_kill(main, TIME_UP)
