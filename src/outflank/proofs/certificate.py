"""The file that holds a proof: which board, which value, and the claiming side's moves for each of the two bounds.

    "outflank-proof 1\\n"   what it is
    length, JSON           four bytes (the lowest first), then the header
    moves, moves           LZMA, one for each bound, their lengths in the header
    checksums              CRC-32, four bytes for each 1,024 of the bytes before

A move is one byte, the square, in the order in which `tree.walk` asks for it: level by level, positions sorted. The
leaves are not listed: they are the positions in which the walk ends, and all have the bound that is claimed.
"""

import json
import lzma
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.formats.disk import read_bytes, write_bytes

MAGIC = b"outflank-proof 1\n"
BLOCK = 1024
"""Bytes with a checksum of their own, so that a wrong byte is found where it is."""
MOST_MOVES = 1 << 28
ENDING = ".proof"
SHIPPED = Path(__file__).parent / "data"
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9, "dict_size": 1 << 24}]


@dataclass(frozen=True)
class Certificate:
    """A proof that the first player's value is this one, if both play best."""

    variant: Variant
    value: int
    leaves: int
    """Empty squares at which the moves end and the checker solves."""
    moves: tuple[bytes, bytes]
    """Those of the first player, who gets at least the value, and of the second, who gives no more."""
    about: dict[str, Any]
    """How it was made; no part of the proof."""

    def to_bytes(self) -> bytes:
        """The file."""
        packed = [lzma.compress(each, lzma.FORMAT_XZ, lzma.CHECK_NONE, filters=FILTERS) for each in self.moves]
        header = {
            "variant": self.variant.name,
            "value": self.value,
            "leaves": self.leaves,
            "moves": [len(each) for each in self.moves],
            "packed": [len(each) for each in packed],
            "about": self.about,
        }
        text = json.dumps(header, sort_keys=True).encode()
        content = b"".join((MAGIC, len(text).to_bytes(4, "little"), text, *packed))
        return content + b"".join(_checksums(content))

    @classmethod
    def from_bytes(cls, data: bytes) -> "Certificate":
        """Reads a file; a wrong byte is refused with its place."""
        if not data.startswith(MAGIC):
            raise Fault("proof.no-certificate")
        blocks = -(-len(data) // (BLOCK + 4))
        content, sums = data[: len(data) - 4 * blocks], data[len(data) - 4 * blocks :]
        for number, checksum in enumerate(_checksums(content)):
            if checksum != sums[4 * number : 4 * number + 4]:
                first = number * BLOCK
                raise Fault("proof.damaged", first=first, last=min(first + BLOCK, len(content)) - 1)
        begin = len(MAGIC) + 4
        try:
            end = begin + int.from_bytes(content[begin - 4 : begin], "little")
            header = json.loads(content[begin:end])
            first, second = header["packed"]
            counts = header["moves"]
            moves = (
                _unpacked(content[end : end + first], counts[0]),
                _unpacked(content[end + first : end + first + second], counts[1]),
            )
            return cls(
                Variant.named(header["variant"]), int(header["value"]), int(header["leaves"]), moves, header["about"]
            )
        except (LookupError, TypeError, ValueError, lzma.LZMAError, EOFError) as error:
            raise Fault("proof.form", why=error) from None

    def save(self, path: str) -> int:
        """Writes the file whole or not at all; returns its size."""
        data = self.to_bytes()
        write_bytes(path, data)
        return len(data)

    @classmethod
    def load(cls, path: str) -> "Certificate":
        try:
            return cls.from_bytes(read_bytes(path))
        except Fault as fault:
            raise Fault("at.file", path=path, why=fault) from None


def shipped() -> dict[str, Path]:
    """The certificates that come with the package, by the names of their variants."""
    return {file.name.removesuffix(ENDING): file for file in sorted(SHIPPED.glob(f"*{ENDING}"))}


def _checksums(content: bytes) -> Iterator[bytes]:
    for begin in range(0, len(content), BLOCK):
        yield zlib.crc32(content[begin : begin + BLOCK]).to_bytes(4, "little")


def _unpacked(packed: bytes, count: int) -> bytes:
    """The moves; never more than were announced, whatever the file holds."""
    if not 0 <= count <= MOST_MOVES:
        raise Fault("proof.too-many-moves", count=count, most=MOST_MOVES)
    moves = lzma.LZMADecompressor(lzma.FORMAT_XZ).decompress(packed, max_length=count + 1)
    if len(moves) != count:
        raise Fault("proof.other-moves", count=count)
    return moves
