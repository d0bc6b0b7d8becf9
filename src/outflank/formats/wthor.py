"""WTHOR, the FFO's database of tournament games: `.wtb` games, `.jou` names of players, `.trn` of tournaments.

All three are little-endian records after a header of 16 bytes. Passes are not stored. A game may lack its
last moves; its score is then what was stated (the tag `Result`). The theoretical score, Black's with best
play from so many empties on, is kept as the tags TheoreticalScore and TheoreticalEmpties.
"""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from outflank.board.game import Game
from outflank.board.variant import OTHELLO
from outflank.errors import Fault
from outflank.formats import results
from outflank.formats.table import NONE, GameTable

HEADER = struct.Struct("<4B i HH 4B")
RECORD = np.dtype(
    [("event", "<u2"), ("black", "<u2"), ("white", "<u2"), ("discs", "u1"), ("theory", "u1"), ("moves", "u1", 60)]
)
PLAYER_BYTES, TOURNAMENT_BYTES = 20, 26
NAME_BYTES = {"player": PLAYER_BYTES, "tournament": TOURNAMENT_BYTES}
UNKNOWN = "???"
"""The first name of a list: unknown players."""

# From the byte of a move, 10 · row + column from one, to its square; 0 ends a game, 254 stands for no square.
NO_SQUARE = 254
SQUARE_OF = np.full(256, NO_SQUARE, np.uint8)
SQUARE_OF[0] = NONE
BYTE_OF = np.zeros(256, np.uint8)
for _square in range(64):
    BYTE_OF[_square] = 10 * (_square // 8 + 1) + _square % 8 + 1
    SQUARE_OF[BYTE_OF[_square]] = _square


@dataclass(frozen=True)
class Header:
    """What a WTHOR file says of itself."""

    created: date | None
    games: int
    names: int
    year: int
    theory_empties: int

    @classmethod
    def read(cls, data: bytes) -> "Header":
        if len(data) < HEADER.size:
            raise Fault("wthor.too-short", bytes=len(data), size=HEADER.size)
        century, year, month, day, games, names, played, size, kind, empties, _ = HEADER.unpack_from(data)
        if games < 0:
            raise Fault("wthor.count", games=games)
        if size not in (0, 8):
            raise Fault("wthor.size", rows=size, columns=size)
        if kind:
            raise Fault("wthor.solitaires") if kind == 1 else Fault("wthor.type", type=kind)
        try:
            created = date(100 * century + year, month, day)
        except ValueError:
            created = None
        return cls(created, games, names, played, empties)

    def pack(self) -> bytes:
        made = self.created or date.today()
        century, year = divmod(made.year, 100)
        counts = (self.games, self.names, self.year)
        return HEADER.pack(
            century, year, made.month, made.day, *counts, 8 if self.games else 0, 0, self.theory_empties, 0
        )


def is_likely(data: bytes) -> bool:
    """True for bytes that begin like a WTHOR file: a date of creation, and one count that is not zero."""
    if len(data) < HEADER.size:
        return False
    century, year, month, day, games, names, *_ = HEADER.unpack_from(data)
    return century in (19, 20) and year < 100 and 1 <= month <= 12 and 1 <= day <= 31 and (games == 0) != (names == 0)


def read(data: bytes, players: Sequence[str] = (), tournaments: Sequence[str] = ()) -> GameTable:
    """The games of a .wtb file, all of them legal; names come from the .jou and .trn that belong to it."""
    return decode(data, players, tournaments).check()


def decode(data: bytes, players: Sequence[str] = (), tournaments: Sequence[str] = ()) -> GameTable:
    """The games of a .wtb file as they stand there, legal or not."""
    header = Header.read(data)
    _check_size(data, header.games, RECORD.itemsize, "games")
    records = np.frombuffer(data, RECORD, offset=HEADER.size)
    squares = SQUARE_OF[records["moves"]]
    _check_records(records, squares)
    columns = {
        **_names(records["black"], players, "Black"),
        **_names(records["white"], players, "White"),
        **_names(records["event"], tournaments, "Event"),
        "Date": [str(header.year) if header.year else ""] * len(records),
    }
    if header.theory_empties:
        columns["TheoreticalScore"] = [results.margin_text(2 * discs - 64) for discs in records["theory"].tolist()]
        columns["TheoreticalEmpties"] = [str(header.theory_empties)] * len(records)
    table = GameTable(squares, OTHELLO, columns)
    table.keep_stated([2 * discs - 64 for discs in records["discs"].tolist()], table.margins)
    return table


def _check_size(data: bytes, count: int, each: int, what: str) -> None:
    expected = HEADER.size + each * count
    if len(data) == expected:
        if not count:
            raise Fault("wthor.empty", what=what)
        return
    whole, rest = divmod(len(data) - HEADER.size, each)
    found = {"count": count, "what": what, "expected": expected, "bytes": len(data), "whole": whole}
    raise Fault("wthor.length-rest", rest=rest, **found) if rest else Fault("wthor.length", **found)


def _check_records(records: "NDArray[np.void]", squares: NDArray[np.uint8]) -> None:
    """Bytes that no WTHOR game has: a move that is no square, a move after the end, more than 64 discs."""
    for field, what in (("discs", "black discs"), ("theory", "black discs in theory")):
        wrong = np.flatnonzero(records[field] > 64)
        if wrong.size:
            raise Fault("wthor.discs", number=wrong[0] + 1, count=records[field][wrong[0]], what=what)
    ended = squares == NONE
    faults = (squares == NO_SQUARE) | (~ended & np.logical_or.accumulate(ended, axis=1))
    places = np.argwhere(faults)
    if places.size:
        game, ply = places[0].tolist()
        at = HEADER.size + RECORD.itemsize * game + 8 + ply
        code = "wthor.no-square" if squares[game, ply] == NO_SQUARE else "wthor.after-end"
        raise Fault(code, game=game + 1, move=ply + 1, at=at, value=records["moves"][game, ply])


def _names(indices: "NDArray[np.uint16]", names: Sequence[str], tag: str) -> dict[str, list[str]]:
    """A column of names; numbers instead, as `BlackId`, where no list has them (0 is nobody)."""
    numbers: list[int] = indices.tolist()
    named = [names[number] if number < len(names) else "" for number in numbers]
    return {
        tag: ["" if name == UNKNOWN else name for name in named],
        f"{tag}Id": [str(number) if number and not name else "" for name, number in zip(named, numbers, strict=True)],
    }


def read_names(data: bytes, kind: str = "player") -> list[str]:
    """The names of a .jou file, or of a .trn file where the kind is "tournament"."""
    header = Header.read(data)
    width = NAME_BYTES[kind]
    _check_size(data, header.names, width, f"{kind}s")
    fields = (data[at : at + width] for at in range(HEADER.size, len(data), width))
    return [field.partition(b"\0")[0].decode("latin-1") for field in fields]


def write_names(names: Sequence[str], kind: str = "player", created: date | None = None) -> bytes:
    """A .jou or .trn file."""
    width = NAME_BYTES[kind]
    if len(names) > 0xFFFF:
        raise Fault("wthor.too-many-names", kind=kind, count=len(names))
    fields = []
    for name in names:
        try:
            field = name.encode("latin-1")
        except UnicodeEncodeError:
            field = b"\0"
        if len(field) >= width or b"\0" in field:
            raise Fault("wthor.name", kind=kind, name=name[:40], most=width - 1)
        fields.append(field.ljust(width, b"\0"))
    return Header(created, 0, len(names), 0, 0).pack() + b"".join(fields)


def names_of(games: Sequence[Game]) -> tuple[list[str], list[str]]:
    """The players and the tournaments of some games, the unknown one first; empty where none is named."""
    table = GameTable.of_othello(games, "WTHOR")
    return _distinct([*table.column("Black"), *table.column("White")]), _distinct(table.column("Event"))


def _distinct(names: Iterable[str]) -> list[str]:
    known = dict.fromkeys(name for name in names if name)
    known.pop(UNKNOWN, None)
    return [UNKNOWN, *known] if known else []


def write(
    games: Sequence[Game], players: Sequence[str] = (), tournaments: Sequence[str] = (), created: date | None = None
) -> bytes:
    """A .wtb file: standard Othello from its start, one year, not ended early; the rest is refused.

    The name lists are those of `names_of`, to be written beside it; without them only numbers are kept.
    """
    table = GameTable.of_othello(games, "WTHOR")
    records = np.zeros(len(table), RECORD)
    width = min(60, table.squares.shape[1])
    records["moves"][:, :width] = BYTE_OF[table.squares[:, :width]]
    for index, score in enumerate(scores := table.stated_scores(table.margins)):
        if score % 2:
            raise Fault("wthor.odd-result", number=index + 1, score=score)
    records["discs"] = (np.array(scores, np.int64) + 64) // 2
    for field, tag, names in (
        ("black", "Black", players),
        ("white", "White", players),
        ("event", "Event", tournaments),
    ):
        records[field] = _numbers(table, tag, names)
    empties = _theory(table, records)
    years = {day[:4] for day in table.column("Date")}
    year = int(years.pop()) if len(years) == 1 and next(iter(years)).isdecimal() else 0
    return Header(created, len(table), 0, year, empties).pack() + records.tobytes()


def _numbers(table: GameTable, tag: str, names: Sequence[str]) -> list[int]:
    """The record numbers of names; without a list of names, the numbers that an earlier file gave."""
    if names:
        index_of = {name: index for index, name in enumerate(names)}
        return [index_of.get(name, 0) for name in table.column(tag)]
    given = (number if number.isdecimal() and len(number) < 6 else "0" for number in table.column(f"{tag}Id"))
    return [int(number) if int(number) <= 0xFFFF else 0 for number in given]


def _theory(table: GameTable, records: "NDArray[np.void]") -> int:
    """Fills in the theoretical scores where every game has one from the same number of empties; returns that."""
    empties, scores = set(table.column("TheoreticalEmpties")), table.column("TheoreticalScore")
    known = empties.pop() if len(empties) == 1 else ""
    margins = [results.margin_of(score) for score in scores]
    if not (known.isdecimal() and 0 < int(known) < 61):
        return 0
    for index, margin in enumerate(margins):
        if margin is None or margin % 2 or abs(margin) > 64:
            raise Fault("wthor.odd-theory", number=index + 1, score=scores[index])
        records["theory"][index] = (int(margin) + 64) // 2
    return int(known)
