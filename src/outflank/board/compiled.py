"""The one way to compile: the `kernel` decorator, and where compiled code is kept.

Every hot function of Outflank is a kernel: typed by an explicit signature, free of the interpreter
lock, and stored on disk so that only the first start on a machine compiles. Numba's own cache does
not notice a change in another file whose function was inlined or whose constant was read, so each
state of all the sources that kernels reach has a cache folder of its own, named by their hash.
"""

import atexit
import functools
import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numba
import numpy as np
from numba.core import caching, types
from numba.core.ccallback import CFunc
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.sigutils import normalize_signature
from numba.core.typeinfer import register_dispatcher
from numba.extending import intrinsic

from outflank.board.sources import Sources
from outflank.errors import Fault

PACKAGE = Path(__file__).resolve().parent.parent
UNUSED_AFTER_SECONDS = 14 * 86400

Function = TypeVar("Function", bound=Callable[..., Any])

if TYPE_CHECKING:
    # To the type checker a machine word is an int: kernels take and return Python ints when called from Python.
    def uint64(value: int) -> int: ...
    def int64(value: int) -> int: ...
    def inline(function: Callable[..., Any]) -> Callable[..., int]: ...
else:
    uint64, int64, inline = np.uint64, np.int64, intrinsic

WORDS = types.CPointer(types.uint64)
"""A pointer to 64-bit words: what kernels take instead of arrays, which cost up to nine registers a call."""
SIGNATURE_TYPES: dict[str, Any] = {"Words": WORDS}
"""What a signature may name beside Numba's own types: rows of words, and the records by their classes' names."""


def digest_of(package: Path) -> str:
    """A short name for the state of all that machine code is made of: Numba, Python, and the sources it reaches."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    sources = Sources(package)
    for module in sources.reached_from(sources.users(__name__, ("kernel", "callback", "inline", "instruction"))):
        text = sources.text(module)
        digest.update(f"\n{module} {len(text)}\n".encode() + text)
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path:
    """This version's folder of machine code; folders that nothing has used for two weeks are removed."""
    root = _writable_root()
    folder = root / digest_of(PACKAGE)
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for other in root.iterdir():
        with suppress(OSError):  # another process may be removing it too
            if other != folder and other.is_dir() and time.time() - other.stat().st_mtime > UNUSED_AFTER_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
    return folder


def _writable_root() -> Path:
    wanted = os.environ.get("OUTFLANK_CACHE")
    try:
        root = Path(wanted) if wanted else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "outflank"
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return root
    except (OSError, RuntimeError):
        # A home that is read-only or is none (a container, a lab account): compile anew for this process only.
        folder = tempfile.mkdtemp(prefix="outflank-kernels-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """Places a kernel in the cache folder by module and line: the folder's name covers the sources."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._py_file = function.__code__.co_filename
        identity = getattr(function, "cache_identity", function.__code__.co_firstlineno)
        self._disambiguator = f"{function.__module__}-{identity}"

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return ""

    def get_disambiguator(self) -> str:
        return self._disambiguator

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_Locator":
        return cls(py_func)


class _KernelCacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes: ClassVar = [_Locator]


class _SealedFiles(caching.IndexDataCacheFile):  # type: ignore[misc]
    """Numba's files with a checksum at their end: LLVM ends the process when it meets damaged machine code."""

    def _dump(self, obj: Any) -> bytes:
        content: bytes = super()._dump(obj)
        return content + hashlib.sha256(content).digest()  # pickle does not read past its own end

    def _load_data(self, name: str) -> Any:
        sealed = Path(self._data_path(name)).read_bytes()
        if hashlib.sha256(sealed[:-32]).digest() != sealed[-32:]:
            raise Fault("code.damaged", name=name)
        return super()._load_data(name)


class _KernelCache(caching.Cache):  # type: ignore[misc]
    """Numba's cache, except that a damaged file is a miss and a full disk only a warning."""

    _impl_class = _KernelCacheImpl

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        place = self._impl.locator
        self._cache_file = _SealedFiles(self._cache_path, self._impl.filename_base, place.get_source_stamp())

    def holds_something(self) -> bool:
        return Path(self._cache_file._index_path).exists()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            # Numba would first load all it needs to compile anything, half a second; running takes only its runtime.
            rtsys.initialize(target_context)
            return self._load_overload(sig, target_context)
        except Exception:
            with suppress(OSError):
                self.flush()  # saving reads the index first: a damaged one would stop every start
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warnings.warn(
                f"compiled kernels cannot be kept ({error}); set OUTFLANK_CACHE to a folder with room", stacklevel=2
            )


class _FirstCompile:
    """The progress bar of the first compile, on standard error, where that is a terminal."""

    WIDTH = 28

    def __init__(self) -> None:
        self.compiled = 0

    def step(self, name: str, done: int, total: int) -> None:
        self.compiled += 1
        if sys.stderr.isatty():
            bar = ("█" * (self.WIDTH * done // total)).ljust(self.WIDTH, "·")
            sys.stderr.write(f"\r\x1b[KCompiling for this machine (once)  {bar}  {done}/{total}  {name}")
            sys.stderr.flush()

    def close(self) -> None:
        if self.compiled and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
        self.compiled = 0


_first_compile = _FirstCompile()
_kernels: "list[_Kernel]" = []


class _Kernel(CPUDispatcher):  # type: ignore[misc]
    """A function with one explicit signature, compiled or loaded when it is first needed.

    Loading costs some milliseconds a kernel, and a start needs only a few of them: those called from Python. The
    ones that these call are inside their machine code already.
    """

    def __init__(self, function: Callable[..., Any], signature: str, inlined: bool) -> None:
        options = {"nopython": True, "nogil": True, "error_model": "numpy", "forceinline": inlined}
        super().__init__(function, targetoptions=options)
        self.signature = signature
        self._cache = _KernelCache(function)
        _kernels.append(self)

    @property
    def is_made(self) -> bool:
        """Whether it is ready here, or kept on the disk."""
        return not self._can_compile or self._cache.holds_something()

    def ready(self) -> "_Kernel":
        """Makes sure that the signature, and nothing else, is compiled."""
        if not self._can_compile:  # it is: who needs it does not wait for what another thread compiles
            return self
        if not self.is_made:
            _await_crew(lambda: self.is_made)
        with _compiling:
            if self._can_compile:
                if self._cache.holds_something():
                    self._make()
                else:
                    with _locked(self._lock_path):  # another process may be at it: then this one loads what it made
                        self._make()
        return self

    def ready_unless_taken(self) -> bool:
        """The same for one of several processes that share the work: false where another one compiles it now."""
        with _locked(self._lock_path, wait=False) as mine, _compiling:
            if mine and not self.is_made:
                self._make()
                return True
        return False

    @property
    def _lock_path(self) -> Path:
        return Path(self._cache._cache_file._index_path).with_suffix(".lock")

    def _make(self) -> None:
        if not self._cache.holds_something():
            done = sum(not other._can_compile for other in _kernels)
            _first_compile.step(self.__name__, done + 1, len(_kernels))
        with register_dispatcher(self):  # lets a function that calls itself be typed
            self.compile(_parsed(self.signature))
        self.disable_compile()

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        # Numba asks for this at the first call from Python, and would compile for the types it met there.
        self.ready()
        _first_compile.close()
        return next(iter(self.overloads.values())).entry_point

    def get_call_template(self, args: Any, kws: Any) -> Any:
        # Numba asks for this when a function that calls the kernel is compiled.
        if not self.is_compiling:
            self.ready()
        return super().get_call_template(args, kws)


_compiling = threading.RLock()
CREW = "crew.lock"
POLL_SECONDS = 0.02


@contextmanager
def _locked(path: Path, wait: bool = True) -> Iterator[bool]:
    """Whether this process alone has what the file stands for. It is let go when the process dies, too; where files
    cannot be locked everybody has it, and something may be compiled twice."""
    try:
        import fcntl

        file = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
    except (ImportError, OSError):
        yield True
        return
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        except OSError:
            yield True
            return
        yield True
        path.unlink(missing_ok=True)
    finally:
        os.close(file)


@contextmanager
def crew_at_work() -> Iterator[None]:
    """While a crew compiles what is needed first, every other process waits for it instead of compiling the same in
    the midst of its own work."""
    with _locked(cache_folder() / CREW):
        yield


in_crew = False
"""Whether this process is one of the crew, which waits for nobody."""


def _await_crew(is_made: Callable[[], bool]) -> None:
    lock = cache_folder() / CREW
    while not in_crew and lock.exists() and not is_made():
        with _locked(lock, wait=False) as free:
            if free:
                return
        time.sleep(POLL_SECONDS)


def kernel(signature: str, identity: str = "", inlined: bool = False) -> Callable[[Function], Function]:
    """Compiles a function for one explicit signature, such as ``"uint64(uint64, uint64)"``.

    A function made at run time, around tables of its own, is told apart in the cache by an `identity`: a hash of them.
    An `inlined` one is always put into its callers: a call costs two hidden arguments and a check of its outcome.
    """

    def make(function: Function) -> Function:
        return _Kernel(_identified(function, identity), signature, inlined)

    return make


def callback(signature: str, function: Callable[..., Any], identity: str = "") -> CFunc:
    """Compiles a function for callers that know it by its machine `address`; kept on disk only with an `identity`."""
    options = {"nopython": True, "error_model": "numpy"}
    compiled = CFunc(
        _identified(function, identity), normalize_signature(_parsed(signature)), locals={}, options=options
    )
    if identity:
        compiled._cache = _KernelCache(function)
    with _compiling:
        compiled.compile()
    _first_compile.close()
    return compiled


def instruction(signature: str) -> Callable[[Callable[..., Any]], Callable[..., int]]:
    """Makes a function that compiled code calls of one that writes LLVM code, given a builder and the arguments."""

    def make(write: Callable[..., Any]) -> Callable[..., int]:
        @functools.wraps(write)
        def typed(typing_context: Any, *_: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                written = write(builder, *arguments)
                return context.get_dummy_value() if written is None else written

            return _parsed(signature), generate

        return inline(typed)

    return make


def _parsed(signature: str) -> Any:
    return eval(signature, {}, vars(types) | SIGNATURE_TYPES)


def _identified(function: Function, identity: str) -> Function:
    if identity:
        # Functions of one name would share one symbol in the linker: code from the cache could call another's.
        function.__name__ = function.__qualname__ = f"{function.__name__}_{identity}"
        function.cache_identity = identity  # type: ignore[attr-defined]
    return function


def load(function: Callable[..., Any]) -> None:
    """Compiles or loads a kernel now, so that its first call is not charged for it."""
    if isinstance(function, _Kernel):
        function.ready()
        _first_compile.close()
