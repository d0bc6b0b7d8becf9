"""What a file of positions holds: the columns, the same from every source, and the two forms they are written in."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from outflank.errors import Fault, MachineError
from outflank.library.games import OFFLINE, UNKNOWN, quoted
from outflank.patterns.weights import write_tables

Array = Any
SQUARES = 64
NO_MOVE, NO_RESULT, NO_VALUE = 255, UNKNOWN, -128
"""What stands in NumPy files for what is not known; Parquet has nulls."""


@dataclass(frozen=True)
class Column:
    """A column: its type, one for each square where it is `wide`, how Parquet gets it, and what it means."""

    name: str
    kind: Any
    text: str
    parquet: str = "{0}"
    wide: bool = False


COLUMNS = {
    one.name: one
    for one in (
        Column("game", np.uint32, "the number of the game, or of the position where there is no game"),
        Column("ply", np.uint8, "moves played before, passes not counted"),
        Column("turn", np.uint8, "who is to move: 0 Black, 1 White"),
        Column(
            "own", np.uint64, "the discs of the side to move: bit 0 is a1, bit 63 is h8, eight to a row on every board"
        ),
        Column("opp", np.uint64, "the other side's discs"),
        Column("legal", np.uint64, "the legal moves"),
        Column("empties", np.uint8, "empty squares"),
        Column("move", np.uint8, "the move played, as its bit", f"nullif({{0}}, {NO_MOVE})"),
        Column("value", np.float32, "what the position is worth to the side to move", "if(isnan({0}), NULL, {0})"),
        Column(
            "kind",
            np.uint8,
            "what the value is: 0 none, 1 a search's, 2 a search's but a random move was played, 3 proven",
        ),
        Column("result", np.int8, "how the game ended for the side to move, in discs", f"nullif({{0}}, {NO_RESULT})"),
        Column(
            "policy",
            np.float32,
            "the share of each square in the choice of a move; all 0 where nobody chose",
            wide=True,
        ),
        Column("move_values", np.int8, "the proven value of each move", f"nullif({{0}}, {NO_VALUE})", wide=True),
    )
}
OF_ALL_MOVES = "move_values"
"""Only the solver knows it."""


class Rows:
    """Positions as columns. A file of them is written whole or not at all, and the same rows make the same bytes."""

    def __init__(self, **columns: Array) -> None:
        self.columns = {name: _fitting(COLUMNS[name], columns[name]) for name in COLUMNS if name in columns}

    def __len__(self) -> int:
        return len(self.columns["own"])

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    def save(self, path: Path) -> None:
        if path.suffix == ".npz":
            write_tables(path, {}, **self.columns)
        else:
            self._save_parquet(path)

    def _save_parquet(self, path: Path) -> None:
        import duckdb

        flat: dict[str, Array] = {}
        chosen = []
        for name, values in self.columns.items():
            column = COLUMNS[name]
            if column.wide:
                parts = {f"{name}_{square}": np.ascontiguousarray(values[:, square]) for square in range(SQUARES)}
                flat |= parts
                chosen.append(f"[{', '.join(map(column.parquet.format, parts))}] AS {name}")
            else:
                flat[name] = values
                chosen.append(f"{column.parquet.format(name)} AS {name}")
        part = path.with_name(f".{path.name}.part")
        with duckdb.connect(":memory:", config={**OFFLINE, "threads": "1"}) as database:
            database.register("batch", flat)
            question = f"SELECT {', '.join(chosen)} FROM batch"
            try:
                database.execute(f"COPY ({question}) TO '{quoted(part)}' (FORMAT parquet, COMPRESSION zstd)")
            except duckdb.Error as error:
                raise MachineError("data.not-written", path=path, why=_reason(error)) from None
        part.replace(path)


def _fitting(column: Column, values: Array) -> Array:
    made = np.ascontiguousarray(values, column.kind)
    assert made.ndim == 1 + column.wide
    return made


def _reason(error: Exception) -> str:
    """What the system said where DuckDB could not write; else DuckDB's first line."""
    number = re.search(r'"errno":"(\d+)"', str(error))
    return os.strerror(int(number[1])).lower() if number else str(error).splitlines()[0]


def count(path: Path) -> int:
    """How many positions a file holds."""
    try:
        if path.suffix == ".npz":
            with np.load(path) as file:
                return len(file["own"])
        import duckdb

        with duckdb.connect(":memory:", config=OFFLINE) as database:
            ((found,),) = database.execute(f"SELECT count(*) FROM read_parquet('{quoted(path)}')").fetchall()
            return int(found)
    except Exception as error:
        raise Fault("data.broken", path=path, kind=type(error).__name__) from None
