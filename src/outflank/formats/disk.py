"""Bytes of a file or of standard input and output: read, and written all or not at all.

Apart from `files`, which knows every format: who keeps tables or checkpoints needs none of them.
"""

import contextlib
import gzip
import os
import sys
from collections.abc import Iterator
from pathlib import Path

STANDARD = "-"
"""The path of standard input and output."""


def read_bytes(path: str) -> bytes:
    """The bytes of a file, or of standard input for `-`."""
    if path == STANDARD:
        return sys.stdin.buffer.read()
    with _naming(path):
        return Path(path).read_bytes()


def write_bytes(path: str, data: bytes, lasting: bool = True) -> None:
    """Writes a file all or not at all: what stood there before stays until the new bytes are on the disk.

    What is not `lasting`, such as a checkpoint many times a second, need not outlive the machine's power.
    """
    if path == STANDARD:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    if path.lower().endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    with _naming(path):
        if Path(path).exists() and not Path(path).is_file():
            Path(path).write_bytes(data)  # a device or a pipe
            return
        target = Path(path).resolve()
        with _temporary_beside(target) as temporary:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                if lasting:
                    os.fsync(file.fileno())
            temporary.replace(target)


@contextlib.contextmanager
def _naming(path: str) -> Iterator[None]:
    """What goes wrong with a file, in words that begin with the name it was given."""
    try:
        yield
    except OSError as error:
        raise type(error)(f"{path}: {(error.strerror or str(error)).lower()}") from None


@contextlib.contextmanager
def _temporary_beside(target: Path) -> Iterator[Path]:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)
