"""The guest: what runs inside of the enclosure. It is ours until it has given up its rights; then it loads a
submission, which shares this process and may change anything in it. So nothing here protects anybody: that is done by
the enclosure outside and by the referee, who believes no answer.

It starts anew for every game: so it imports little before it knows what the submission needs.
"""

import binascii
import contextlib
import errno
import importlib
import importlib.machinery
import importlib.util
import json
import os
import random
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterable
from types import ModuleType
from typing import Any, NoReturn

from outflank.agents.sandbox import interfaces, older_libraries, rehearsal, sheet
from outflank.agents.sandbox.guard import REPLIES, REQUESTS, SHEET
from outflank.agents.sandbox.restrictions import Quota, restrict
from outflank.errors import Fault

Message = dict[str, Any]

GLANCE_SECONDS = 0.05
"""How often the candidates of a player that is still thinking are looked at."""
TIME_UP = signal.SIGUSR2
PLACE = os.path.abspath("player")
"""The folder that the submission's files are laid into."""
EXAMINATION_SECONDS, EXAMINATION_BYTES = 60, 1 << 30
"""Of the processor and of address space, to read a submission: a megabyte of numbers takes a second and 0.4 GB."""
LONGEST_TRACE = 3000
LONGEST_TEXT = 300
REFUSALS = (
    *(errno.EPERM, errno.EACCES, errno.EROFS, errno.ENOSYS),  # the filter of system calls, and what is read-only
    *(errno.EAGAIN, errno.EMFILE, errno.EFBIG, errno.ENOSPC),  # processes, and quotas
)
"""Errors by which the system refuses what a submission may not do or have."""


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE, errno.EIO, errno.ENOMEM)
"""Errors by which a machine has no room to lay out a submission's files."""


class MachineFailed(Exception):  # noqa: N818 (as the next one: what happened)
    """What the machine refuses before any of the submission runs: not its fault."""


class TimeUp(BaseException):
    """Raised inside of a player whose time is over."""


class _Wire:
    """Our end of the wire: a line of JSON a message."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self._writing = threading.Lock()

    def receive(self) -> Message:
        begin = 0
        while (end := self._waiting.find(b"\n", begin)) < 0:
            begin = len(self._waiting)
            piece = os.read(REQUESTS, 1 << 20)
            if not piece:
                os._exit(0)  # the referee has gone
            self._waiting += piece
        message: Message = json.loads(self._waiting[:end])
        del self._waiting[: end + 1]
        return message

    def send(self, message: Message) -> None:
        data = memoryview(json.dumps(message).encode() + b"\n")
        with self._writing:
            while data:
                data = data[os.write(REPLIES, data) :]


def main() -> NoReturn:
    """Gets ready, loads the submission, and asks it for moves until the referee leaves."""
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # whoever is ended has printed its lines
    wire = _Wire()
    page = sheet.mapped(SHEET)
    token, examined, sources = _examined_elsewhere(wire)
    if _answered(wire, {"token": token}, lambda: prepare(examined, sources)) is None:
        os._exit(1)
    limits = wire.receive()
    if not _answered(wire, limits, lambda: _restricted(limits)):
        os._exit(1)
    request = wire.receive()
    setup = request["setup"]
    made, player = _answered(wire, request, lambda: _loaded(setup, examined)) or (None, None)
    watch = _Watch()
    if isinstance(player, interfaces.CourseAI):
        player.note_on(page)
        watch.begin(player)
    while True:
        asked = wire.receive()
        if "rehearse" in asked:
            _answered(wire, asked, lambda asked=asked: (None, _rehearsed(asked["rehearse"], made)))
        else:
            _answered(wire, asked, lambda asked=asked: watch.decide(player, asked))


def _examined_elsewhere(wire: _Wire) -> tuple[str, interfaces.Examined, list[str]]:
    """Has a child receive the submission, lay out its files and read them, without running any. The memory which that
    takes goes with the child: a long file cannot make ours look larger before the submission's own is counted."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _examine(wire, writer)
    os.close(writer)
    with open(reader) as said:
        token, result = said.readline().strip(), said.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        wire.send({"token": token, **_refused("crash", Fault("guest.killed", signal=name))})
    if not result:
        os._exit(1)
    examined, sources = json.loads(result)
    return token, interfaces.Examined(*examined), sources


def _examine(wire: _Wire, writer: int) -> NoReturn:
    resource.setrlimit(resource.RLIMIT_CPU, (EXAMINATION_SECONDS, EXAMINATION_SECONDS))
    with contextlib.suppress(ValueError, OSError):  # no such limit on some systems
        resource.setrlimit(resource.RLIMIT_AS, (EXAMINATION_BYTES, EXAMINATION_BYTES))
    request = wire.receive()
    os.write(writer, request["token"].encode() + b"\n")
    try:
        sources = _laid_out(request.pop("files"))
        examined = interfaces.examine(sources, request["class"])
        if examined.engine and not request["engine"]:
            raise interfaces.NotAPlayerError("guest.engine-banned", what=examined.engine)
        _compile(sources)
    except BaseException as error:
        wire.send({"token": request["token"], **_failure(error)})
        os._exit(0)
    os.write(writer, json.dumps([examined, list(sources)]).encode())
    os._exit(0)


def _laid_out(files: dict[str, str]) -> dict[str, bytes]:
    """The submission's files in their places; its Python ones come back."""
    sources = {}
    for name, text in files.items():
        content = binascii.a2b_base64(text)
        if name.endswith(".py"):
            sources[name] = content = interfaces.readable(content)
        place = os.path.join(PLACE, name)
        try:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as file:
                file.write(content)
        except OSError as error:
            raise MachineFailed(str(error)) if error.errno in FULL else error from None
    return sources


def _compile(sources: Iterable[str]) -> None:
    """Compiles the files, as an import would: a long table in one costs more memory than it takes later on."""
    sys.dont_write_bytecode = False
    for name in sources:
        with contextlib.suppress(Exception):  # its errors are reported when it is imported
            importlib.machinery.SourceFileLoader(name, os.path.join(PLACE, name)).get_code(name)


def prepare(examined: interfaces.Examined, sources: list[str]) -> tuple[interfaces.Examined, Message]:
    """Loads the libraries that a submission names: what they take is not counted as its own."""
    interfaces.offer_course_modules(sources)
    if "outflank" in examined.libraries:
        _borrow_kernels()
    for name in examined.libraries:
        module = importlib.import_module(name)
        if name == "numpy":
            compiled = not {"numba", "outflank"}.isdisjoint(examined.libraries)
            older_libraries.complete_numpy(module, compiled, examined.small)
        if name == "numba":
            older_libraries.complete_numba(module)
        if name == "outflank":
            importlib.import_module("outflank.board.game")
    older_libraries.complete_python()
    compiles = "numba" in examined.libraries
    return examined, {"interface": examined.interface, "compiles": compiles, "engine": examined.engine}


def _borrow_kernels() -> None:
    """Lays Outflank's compiled code into a cache of our own, where it can be read but what we add stays with us."""
    theirs = os.environ["OUTFLANK_KERNELS"]
    ours = os.path.join(os.environ["OUTFLANK_CACHE"], os.path.basename(theirs))
    os.makedirs(ours, exist_ok=True)
    for name in os.listdir(theirs):
        os.symlink(os.path.join(theirs, name), os.path.join(ours, name))
    from outflank.board import compiled

    # It is of the same sources, of which we may not see all.
    compiled.digest_of = lambda package: os.path.basename(theirs)


def _restricted(limits: Message) -> tuple[bool, Message]:
    """Gives up our rights; from here on nothing that we say is believed."""
    try:
        restrict(Quota(**limits["quota"]), limits["space"], limits["isolated"])
    except OSError as error:
        raise MachineFailed(str(error)) from None
    return True, {}


def _loaded(setup: Message, examined: interfaces.Examined) -> tuple[Any, Message]:
    """What makes the player of a submission, and the player, made."""
    place = os.path.join(PLACE, examined.main)
    os.chdir(os.path.dirname(place))
    if examined.helpers:  # found as if the main file were a program; without any, a lone file hides no library
        sys.path[:0] = dict.fromkeys([os.path.dirname(place), PLACE])
    name = os.path.basename(place).removesuffix(".py")
    if name in sys.modules:  # a file that has the name of a library must not hide it
        name = f"submission_{name}"
    sys.argv = [place]  # it may read its options, and has none
    random.seed(setup["seed"])
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(setup["seed"])
    package = _package(os.path.dirname(place)) if examined.helpers else ""
    found = importlib.util.spec_from_file_location(package + name.replace(".", "_"), place)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = sys.modules[module.__name__] = module
    found.loader.exec_module(module)
    made = getattr(module, examined.class_name, None)
    if not isinstance(made, type):
        raise interfaces.NotAPlayerError("guest.no-class", name=examined.class_name)

    def maker() -> Any:
        return interfaces.ADAPTERS[examined.interface](made, setup)

    return (maker, maker()), {}


def _package(folder: str) -> str:
    """Makes a package of a folder, so that `from .rules import moves` finds what `from rules import moves` does; what
    its modules' names begin with."""
    package = ModuleType("handed_in__")
    package.__path__ = [folder]
    sys.modules[package.__name__] = package
    return f"{package.__name__}."


def _rehearsed(questions: list[Message], made: Any) -> Message:
    """Has another player like ours decide on boards of no game, for what it compiles then."""
    known = dict.fromkeys(sys.modules.values())
    files = [one for one in known if str(getattr(one, "__file__", "")).startswith(PLACE)]
    before = rehearsal.Compiling.count
    with rehearsal.as_before(files):
        rehearsal.rehearse(made, questions)
    return {"compiled": rehearsal.Compiling.count > before}


def _answered(wire: _Wire, request: Message, work: Any) -> Any:
    """Does what a request wants and sends what came of it, whatever that is."""
    token = request["token"]
    result = None
    try:
        result, answer = work()
        answer = {"kind": "answer", **answer}
    except BaseException as error:
        answer = _failure(error)
    wire.send({"token": token, **answer})
    return result


def _failure(error: BaseException) -> Message:
    """An error as the referee gets it."""
    if isinstance(error, MachineFailed):
        return {"kind": "unprotected", "text": str(error)}
    if isinstance(error, TimeUp):
        return _refused("time", Fault("guest.time-over"))
    if isinstance(error, interfaces.NotAPlayerError):
        return _refused("forbidden" if error.code in interfaces.FORBIDDEN else "crash", error)
    if isinstance(error, MemoryError):
        return _refused("memory", Fault("guest.asked-memory"))
    if isinstance(error, OSError) and _asks_for_processes(error):
        return {**_refused("forbidden", Fault("guest.processes")), "trace": _trace(error)}
    return {"kind": "error", "reason": _kind(error), "text": _described(error), "trace": _trace(error)}


def _asks_for_processes(error: BaseException) -> bool:
    """Whether it comes from Python's own module for processes, which says in many ways that it cannot have them."""
    import traceback

    frames = traceback.walk_tb(error.__traceback__)
    return any(str(frame.f_globals.get("__name__")).startswith("multiprocessing.") for frame, _ in frames)


def _kind(error: BaseException) -> str:
    """What a player is to blame for, whose code has failed."""
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.ENOMEM:
        return "memory"
    no_thread = isinstance(error, RuntimeError) and "start new thread" in str(error)
    return "forbidden" if number in REFUSALS or no_thread else "crash"


def _refused(reason: str, fault: Fault) -> Message:
    """An error of our own, which the referee says in words."""
    params = {name: str(value) for name, value in fault.params.items()}
    return {"kind": "error", "reason": reason, "code": fault.code, "params": params}


def _described(error: BaseException) -> str:
    """`ZeroDivisionError: division by zero (line 12)`."""
    import traceback

    try:
        said = str(error)[:LONGEST_TEXT]
    except BaseException:
        said = ""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(PLACE)]
    helper = f"{os.path.basename(frames[-1].filename)}, " if len({frame.filename for frame in frames}) > 1 else ""
    where = f" ({helper}line {frames[-1].lineno})" if frames else ""
    if isinstance(error, SyntaxError):
        where = ""  # its text has the line
    return f"{type(error).__name__}: {said}{where}" if said else f"{type(error).__name__}{where}"


def _trace(error: BaseException) -> str:
    """The traceback from where the submission's own code begins."""
    import traceback

    try:
        at = error.__traceback__
        while at is not None and not at.tb_frame.f_code.co_filename.startswith(PLACE):
            at = at.tb_next
        return "".join(traceback.format_exception(type(error), error, at, limit=-6, chain=False))[-LONGEST_TRACE:]
    except BaseException:
        return ""


class _Watch:
    """Ends the thinking of a player when its time is up: the course then plays the last candidate there is. A thread
    that sleeps does it, and looks at the list while it is at it, for changes that the list's own watch does not see;
    between moves the whole process stands still."""

    def __init__(self) -> None:
        self._job: tuple[str, float] | None = None
        self._ended: tuple[str, float] | None = None
        """The job that was told that its time is over: whatever it raises then, it was the time."""
        self._player: interfaces.CourseAI | None = None

    def begin(self, player: interfaces.CourseAI) -> None:
        self._player = player
        threading.Thread(target=self._look, daemon=True).start()

    def decide(self, player: Any, request: Message) -> tuple[Any, Message]:
        if self._player is None:
            return player, player.decide(request)
        signal.signal(TIME_UP, self._end)
        job = request["token"], time.monotonic() + request["seconds"]
        answer: Message | None = None
        try:
            self._job = job
            answer = player.decide(request)
        except BaseException:
            if self._ended is not job:
                raise
        finally:
            self._rest()
        if answer is None:
            answer = {**player.standing(request["all"]), "late": True}
            if "square" not in answer and not request["all"]:
                raise TimeUp
        return player, answer

    def _rest(self) -> None:
        """Nothing strikes any more; until then it may, here too."""
        while self._job is not None:
            with contextlib.suppress(TimeUp):
                self._job = None

    def _end(self, *_: object) -> None:
        if self._job is not None:
            self._ended = self._job
            raise TimeUp

    def _look(self) -> None:
        main = threading.main_thread().ident
        assert main is not None and self._player is not None
        while True:
            job = self._job
            left = GLANCE_SECONDS if job is None else min(GLANCE_SECONDS, max(job[1] - time.monotonic(), 0.001))
            time.sleep(left)
            if job is None or job is not self._job:
                continue
            with contextlib.suppress(Exception):  # the list is not there yet, or is being changed
                self._player.note()
            if time.monotonic() >= job[1]:
                # Again and again: code that swallows what it is told goes on with the next line.
                signal.pthread_kill(main, TIME_UP)
                time.sleep(GLANCE_SECONDS)
