"""The one way to compile: the `kernel` decorator, and where compiled code is kept.

Every hot function of Outflank is a kernel: typed by an explicit signature, free of the interpreter
lock, and stored on disk so that only the first start on a machine compiles. Numba's own cache does
not notice a change in another file whose function was inlined, so each state of the compiled
sources has a cache folder of its own, named by their hash.
"""

import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numba
import numpy as np
from numba.core import caching, types
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature
from numba.core.typeinfer import register_dispatcher
from numba.extending import intrinsic

PACKAGE = Path(__file__).resolve().parent.parent
UNUSED_AFTER_SECONDS = 14 * 86400
KERNEL = re.compile(rb"^@kernel\(", re.MULTILINE)

Function = TypeVar("Function", bound=Callable[..., Any])

if TYPE_CHECKING:
    # To the type checker a machine word is an int: kernels take and return Python ints when called from Python.
    def uint64(value: int) -> int: ...
    def int64(value: int) -> int: ...
    def inline(function: Callable[..., Any]) -> Callable[..., int]: ...
else:
    uint64, int64, inline = np.uint64, np.int64, intrinsic


def compiled_sources() -> list[Path]:
    """The files whose change must not meet old machine code: all that import this one, and it."""
    files = sorted(PACKAGE.rglob("*.py"))
    return [file for file in files if b"board.compiled" in file.read_bytes() or file == Path(__file__).resolve()]


@cache
def cache_folder() -> Path:
    """This version's folder of machine code; folders that nothing has used for two weeks are removed."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for file in compiled_sources():
        digest.update(file.read_bytes())
    root = _writable_root()
    folder = root / digest.hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for other in root.iterdir():
        with suppress(OSError):  # another process may be removing it too
            if other != folder and other.is_dir() and time.time() - other.stat().st_mtime > UNUSED_AFTER_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
    return folder


def _writable_root() -> Path:
    wanted = os.environ.get("OUTFLANK_CACHE")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    root = Path(wanted) if wanted else home / "outflank"
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            return root
    except OSError:
        # A read-only home (a container, a lab account): compile anew for this process only.
        return Path(tempfile.mkdtemp(prefix="outflank-kernels-"))


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
            raise ValueError(f"{name} is damaged")
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
            return super().load_overload(sig, target_context)
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
        self.total = 0
        self.done = 0

    def step(self, name: str, compiling: bool) -> None:
        """Counts one kernel; draws only once something really had to be compiled."""
        self.done += 1
        if not compiling or not sys.stderr.isatty():
            return
        if not self.total:
            self.total = sum(len(KERNEL.findall(file.read_bytes())) for file in compiled_sources())
        filled = self.WIDTH * min(self.done, self.total) // max(self.total, 1)
        bar = "█" * filled + "·" * (self.WIDTH - filled)
        sys.stderr.write(f"\r\x1b[KCompiling for this machine (once)  {bar}  {self.done}/{self.total}  {name}")
        sys.stderr.flush()

    def close(self) -> None:
        if self.total and sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
            self.total = 0


first_compile = _FirstCompile()


def kernel(signature: Any, identity: str = "") -> Callable[[Function], Function]:
    """Compiles a function for one explicit signature, such as ``"uint64(uint64, uint64)"``.

    A function made at run time, around tables of its own, is told apart in the cache by an `identity`: a hash of them.
    """

    def compile_for_signature(function: Function) -> Function:
        dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
        dispatcher._cache = _stored(function, identity)
        with register_dispatcher(dispatcher):  # lets a function that calls itself be typed
            dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher  # type: ignore[no-any-return]

    return compile_for_signature


def callback(signature: str, function: Callable[..., Any], identity: str = "") -> CFunc:
    """Compiles a function for callers that know it by its machine `address`; kept on disk only with an `identity`."""
    compiled = CFunc(
        function, normalize_signature(signature), locals={}, options={"nopython": True, "error_model": "numpy"}
    )
    if identity:
        compiled._cache = _stored(function, identity)
    compiled.compile()
    return compiled


def _stored(function: Callable[..., Any], identity: str) -> _KernelCache:
    if identity:
        function.cache_identity = identity  # type: ignore[attr-defined]
    stored = _KernelCache(function)
    first_compile.step(function.__name__, compiling=not stored.holds_something())
    return stored


def warm_up() -> int:
    """Compiles or loads every kernel of the package; returns how many there are."""
    import importlib

    for file in compiled_sources():
        if KERNEL.search(file.read_bytes()):
            importlib.import_module(".".join(("outflank", *file.relative_to(PACKAGE).with_suffix("").parts)))
    first_compile.close()
    return first_compile.done


WORDS = types.CPointer(types.uint64)
"""A pointer to 64-bit words: what kernels take instead of arrays, which cost up to nine registers a call."""
