"""A book as a file.

    "outflank-book 1\\n"     what it is
    length, JSON            four bytes (the lowest first), then the header: the variant, how many positions, how it was
                            made, and how many bytes follow when they are unpacked
    positions               zlib, sorted; each of them
                                8 bytes   the discs of the side to move, a1 the lowest bit, stride 8, lowest byte first
                                8 bytes   the discs of the other side
                                1 byte    the level that searched it, plus 128 where its values are proven
                                1 byte    how many moves follow, the best first
                                2 bytes   for each move its square and its value, signed, in discs for the side to move
    checksum                CRC-32 of all before, four bytes

Positions are in the smallest of their symmetric forms. docs/book.md says what the values mean.
"""

import json
import struct
import zlib
from functools import cache
from pathlib import Path

from outflank.board.variant import OTHELLO, Variant
from outflank.errors import Fault
from outflank.formats.disk import read_bytes, write_bytes
from outflank.library.book.book import Book, Entry, Key

MAGIC = b"outflank-book 1\n"
ENDING = ".book"
OURS, NO_BOOK = "shipped", "none"
"""The book that comes with the package, and no book."""
SHIPPED = Path(__file__).parent.parent / "data"
PROVEN = 128
MOST_BYTES = 1 << 30
RECORD = struct.Struct("<QQBB")
MOVE = struct.Struct("<Bb")


def to_bytes(book: Book) -> bytes:
    """The file."""
    parts = []
    for key in sorted(book.entries):
        entry = book.entries[key]
        parts.append(RECORD.pack(*key, entry.level | PROVEN * entry.exact, len(entry.moves)))
        parts += [MOVE.pack(*move) for move in entry.moves]
    plain = b"".join(parts)
    header = {
        "variant": book.variant.name,
        "positions": len(book.entries),
        "bytes": len(plain),
        "about": book.about,
    }
    text = json.dumps(header, sort_keys=True).encode()
    content = b"".join((MAGIC, len(text).to_bytes(4, "little"), text, zlib.compress(plain, 9)))
    return content + zlib.crc32(content).to_bytes(4, "little")


def from_bytes(data: bytes) -> Book:
    """Reads a file."""
    if not data.startswith(MAGIC):
        raise Fault("book.not-one")
    content, checksum = data[:-4], data[-4:]
    if zlib.crc32(content).to_bytes(4, "little") != checksum:
        raise Fault("book.damaged")
    begin = len(MAGIC) + 4
    try:
        end = begin + int.from_bytes(content[begin - 4 : begin], "little")
        header = json.loads(content[begin:end])
        variant, size = Variant.named(header["variant"]), int(header["bytes"])
        if not 0 <= size <= MOST_BYTES:
            raise Fault("book.damaged")
        plain = zlib.decompressobj().decompress(content[end:], size + 1)
        return Book(variant, _entries(variant, plain), header["about"])
    except (LookupError, TypeError, ValueError, struct.error, zlib.error):
        raise Fault("book.damaged") from None


def _entries(variant: Variant, plain: bytes) -> dict[Key, Entry]:
    entries: dict[Key, Entry] = {}
    at = 0
    while at < len(plain):
        own, opp, level, count = RECORD.unpack_from(plain, at)
        at += RECORD.size
        moves = tuple(MOVE.iter_unpack(plain[at : at + count * MOVE.size]))
        at += count * MOVE.size
        if len(moves) != count or not count or own & opp or (own | opp) & ~variant.board:
            raise Fault("book.damaged")
        entries[own, opp] = Entry(level % PROVEN, level >= PROVEN, moves)
    return entries


def save(book: Book, path: str) -> int:
    """Writes the file whole or not at all; returns its size."""
    data = to_bytes(book)
    write_bytes(path, data)
    return len(data)


def load(path: str) -> Book:
    try:
        return from_bytes(read_bytes(path))
    except Fault as fault:
        raise Fault("at.file", path=path, why=fault) from None


@cache
def shipped(variant: Variant) -> Book | None:
    """The book that comes with the package for a board and an objective, whatever the start."""
    usual = Variant(variant.rows, variant.columns, objective=variant.objective)
    file = SHIPPED / f"{usual.name}{ENDING}"
    return load(str(file)) if file.is_file() else None


def open_book(name: str | Path = OURS, variant: str | Variant = OTHELLO) -> Book:
    """The book of a file or, as `shipped`, the one that comes with the package for a game."""
    if str(name) != OURS:
        return load(str(name))
    rules = Variant.named(variant)
    found = shipped(rules)
    if found is None:
        raise Fault("book.none", variant=rules)
    return found


class Shelf:
    """The book that an option names, `shipped` or a file, for whatever game is played; a file is read at once."""

    def __init__(self, name: str) -> None:
        self._shipped = name == OURS
        self._book = None if name in (OURS, NO_BOOK, "") else load(name)

    def fitting(self, variant: Variant) -> Book | None:
        """The book for a game; None where there is none."""
        book = shipped(variant) if self._shipped else self._book
        return book if book is not None and book.fits(variant) else None
