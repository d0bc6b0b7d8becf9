"""The sheet: a page of memory that guest and referee share, with what a course `AI`'s list of candidates says now.

A player's compiled code may keep the interpreter from every other thread, and never return. So each change of the list
goes onto the sheet at once, where the referee reads it without asking anybody. The player can write on it what it
likes: as much as in its list.
"""

import ctypes
import mmap
import os
from typing import Any, NamedTuple

SIZE = mmap.PAGESIZE
LAST, SEEN, ODD, LISTED = 0, 1, 2, slice(8, 16)
"""The last candidate's square and one more, 0 for none; whether there is a list; whether anything in it is no square;
a bit for each square in it. The last two are written only where the whole list is wanted."""


def made() -> int:
    """A new sheet, as a descriptor. It can neither grow nor shrink where the system has such files."""
    if not hasattr(os, "memfd_create"):
        import tempfile

        with tempfile.TemporaryFile() as file:
            file.truncate(SIZE)
            return os.dup(file.fileno())
    import fcntl

    number = os.memfd_create("sheet", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.truncate(number, SIZE)
    fcntl.fcntl(number, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
    return number


def mapped(number: int) -> Any:
    """The sheet's bytes, for the guest. Not by `mmap.mmap`, which keeps the file open, where the player finds it."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long)
    address = libc.mmap(None, SIZE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, number, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    os.close(number)
    return (ctypes.c_ubyte * SIZE).from_address(address)


class Noted(NamedTuple):
    """What stands on a sheet."""

    last: int | None
    listed: list[int | None] | None
    """Every square in the list, the last one last, and None for what is none; None where there is no list."""


def read(number: int) -> Noted:
    """What the referee sees on a sheet; anything may have been written there."""
    page = os.pread(number, LISTED.stop, 0)
    last = page[LAST] - 1 if 1 <= page[LAST] <= 64 else None
    if not page[SEEN]:
        return Noted(last, None)
    mask = int.from_bytes(page[LISTED], "little")
    squares: list[int | None] = [square for square in range(64) if mask >> square & 1 and square != last]
    return Noted(last, [*([None] if page[ODD] else []), *squares, *([] if last is None else [last])])


def wipe(number: int) -> None:
    os.pwrite(number, bytes(LISTED.stop), 0)
