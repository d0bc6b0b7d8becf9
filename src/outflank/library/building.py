"""Building a library: files of games in, one DuckDB file out, whole or not at all.

Everything is made in a folder beside the target and takes its place in one step, so that readers of the old library
keep it, and a build that is killed leaves nothing but that folder, which the next build removes. Positions go into the
file in the order of their keys: DuckDB then finds one by reading a single block, without an index.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from outflank import __version__
from outflank.board.position import Position
from outflank.board.squares import square_name
from outflank.board.variant import Variant
from outflank.errors import Fault, MachineError
from outflank.formats.files import game_files
from outflank.formats.tolerant import load_legal
from outflank.library.entries import Entry, Facts, agree, entries_of
from outflank.library.games import FORMAT, OFFLINE, is_library, quoted
from outflank.library.keys import MOVE_TAG, NO_MOVE, keys_along
from outflank.library.openings import opening_among

BATCH = 20_000
"""Games that are held in memory before they go to the disk."""
TOLD_EVERY = 1000
"""Games between two progress reports."""
MEMORY = "512MB"
"""What sorting may use before it goes to the disk."""

STAGE = """
    CREATE TABLE games (
        id UINTEGER, variant VARCHAR, start VARCHAR, moves VARCHAR, black VARCHAR, white VARCHAR, event VARCHAR,
        year USMALLINT, winner TINYINT, score TINYINT, opening VARCHAR, source UINTEGER
    );
    CREATE TABLE positions (key UBIGINT, next UINTEGER, game UINTEGER);
    CREATE TABLE sources (id UINTEGER, name VARCHAR, duplicates UINTEGER, illegal UINTEGER);
"""
COLUMNS = ("id", "variant", "start", "moves", "black", "white", "event", "year", "winner", "score", "opening", "source")
UNKNOWN = -128
"""Stands for a year, a winner or a score that is not known, on the way to the database."""
FINISH = """
    CREATE TABLE library.games AS SELECT * FROM games ANTI JOIN superseded USING (id) ORDER BY id;
    CREATE TABLE library.positions AS
        SELECT key, next, game FROM positions ANTI JOIN superseded ON superseded.id = game ORDER BY key, game;
    CREATE TABLE library.sources AS
        SELECT id, name, (SELECT count(*) FROM library.games WHERE source = sources.id) AS games, duplicates, illegal
        FROM sources ORDER BY id;
"""

SQUARE_NAMES = [square_name(square) for square in range(64)]


@dataclass
class Built:
    """What went into a library."""

    games: int = 0
    positions: int = 0
    duplicates: int = 0
    """Games that another file, or the same one, had too."""
    without_moves: int = 0
    faults: list[str] = field(default_factory=list)
    """A line on each illegal game; they are left out."""
    bytes: int = 0


def build(
    paths: str | Path | Sequence[str | Path],
    target: str | Path,
    variant: str | Variant | None = None,
    progress: Callable[[int, int, int], None] | None = None,
) -> Built:
    """Makes a library of the games of files and folders; `progress` hears of files done, files in all, and games.

    An existing library is replaced; any other file is not.
    """
    target, tell = Path(target), progress or (lambda _done, _of, _games: None)
    given = [paths] if isinstance(paths, str | Path) else paths
    rules = None if variant is None else Variant.named(variant)
    files = [file for path in given for file in game_files(str(path))]
    if target.exists() and not is_library(target):
        raise Fault("library.other-file", path=target)
    with _told(target), _workshop(target) as folder:
        with contextlib.closing(_Stage(folder / "stage.duckdb")) as stage:
            for number, file in enumerate(files):
                games, faults = load_legal(file, rules)
                for at, entry in enumerate(entries_of(games)):
                    if at % TOLD_EVERY == 0:
                        tell(number, len(files), stage.games)
                    stage.take(entry)
                stage.end_source(Path(file).name, faults)
            if not stage.games:
                raise Fault("library.no-games")
            tell(len(files), len(files), stage.games)
            made = folder / "library.duckdb"
            stage.finish(made)
            built = stage.built
        built.bytes = made.stat().st_size
        with made.open("rb") as whole:
            os.fsync(whole.fileno())
        made.replace(target)
    return built


class _Stage:
    """Games as they come in, not yet in order."""

    def __init__(self, path: Path) -> None:
        self.built = Built()
        self._database = duckdb.connect(str(path), config={**OFFLINE, "memory_limit": MEMORY})
        self._database.execute(f"SET temp_directory = '{quoted(path.parent)}'")
        self._database.execute(STAGE)
        self._rows: list[tuple[Any, ...]] = []
        self._keys: list[NDArray[np.uint64]] = []
        self._known: dict[bytes, list[tuple[int, Facts]]] = {}
        self._superseded: list[int] = []
        self._next, self._sources, self._duplicates = 0, 0, 0

    def close(self) -> None:
        self._database.close()

    @property
    def games(self) -> int:
        """How many there are, each once."""
        return self._next - len(self._superseded)

    def take(self, entry: Entry) -> None:
        if not entry.squares:
            self.built.without_moves += 1
        elif self._is_new(entry):
            self._add(entry)
        else:
            self._duplicates += 1

    def end_source(self, name: str, faults: list[str]) -> None:
        """All games of a file have been taken, but for those with faults."""
        row = (self._sources, name, self._duplicates, len(faults))
        self._database.execute("INSERT INTO sources VALUES (?, ?, ?, ?)", row)
        self.built.faults += faults
        self.built.duplicates += self._duplicates
        self._sources, self._duplicates = self._sources + 1, 0

    def _is_new(self, entry: Entry) -> bool:
        """Whether the game is not there yet; a record that says more takes the place of one that says less."""
        facts = entry.facts
        same = self._known.setdefault(entry.identity, [])
        for at, (number, known) in enumerate(same):
            if agree(facts, known):
                if sum(map(bool, facts)) <= sum(map(bool, known)):
                    return False
                self._superseded.append(number)
                self._duplicates += 1
                del same[at]
                break
        same.append((self._next, facts))
        return True

    def _add(self, entry: Entry) -> None:
        keys = keys_along(entry.start, entry.squares)
        variant = entry.start.variant
        own_start = None if entry.start == Position.start(variant) else entry.start.text
        moves = "".join(map(SQUARE_NAMES.__getitem__, entry.squares))
        opening = opening_among(variant, keys)
        people = (entry.black, entry.white, entry.event)
        result = (UNKNOWN if value is None else value for value in (entry.year, entry.winner, entry.score))
        name = None if opening is None else opening.name
        self._rows.append((self._next, variant.name, own_start, moves, *people, *result, name, self._sources))
        self._keys.append(keys)
        self._next += 1
        if len(self._rows) >= BATCH:
            self._flush()

    def _flush(self) -> None:
        if not self._rows:
            return
        numbers = np.array([row[0] for row in self._rows], np.uint32)
        lengths = [len(keys) for keys in self._keys]
        keys = np.concatenate(self._keys)
        following = np.roll(keys & np.uint64(MOVE_TAG), -1)
        following[np.cumsum(lengths) - 1] = NO_MOVE
        positions = {"key": keys, "next": following.astype(np.uint32), "game": np.repeat(numbers, lengths)}
        kinds = (np.uint32, *(object,) * 6, *(np.int32,) * 3, object, np.uint32)
        columns = zip(COLUMNS, kinds, zip(*self._rows, strict=True), strict=True)
        games = {name: np.array(values, kind) for name, kind, values in columns}
        self._database.register("batch", positions)
        self._database.execute("INSERT INTO positions SELECT * FROM batch")
        self._database.register("batch", games)
        self._database.execute(
            f"""INSERT INTO games SELECT * REPLACE (nullif(year, {UNKNOWN}) AS year,
            nullif(winner, {UNKNOWN}) AS winner, nullif(score, {UNKNOWN}) AS score) FROM batch"""
        )
        self._database.unregister("batch")
        self._rows, self._keys = [], []

    def finish(self, path: Path) -> None:
        """Writes the library: the games by number, the positions by key."""
        self._flush()
        self.built.games = self.games
        database = self._database
        database.register("gone", {"id": np.array(self._superseded, np.uint32)})
        database.execute("CREATE TABLE superseded AS SELECT id FROM gone")
        database.unregister("gone")
        database.execute(f"ATTACH '{quoted(path)}' AS library")
        database.execute(FINISH)
        (self.built.positions,) = database.execute("SELECT count(*) FROM library.positions").fetchone() or (0,)
        database.execute(
            "CREATE TABLE library.about AS SELECT ? AS format, ? AS outflank, current_date AS built",
            (FORMAT, __version__),
        )
        database.execute("DETACH library")  # writes all of it, and removes its log


@contextlib.contextmanager
def _workshop(target: Path) -> Iterator[Path]:
    """A folder beside the target, which is gone afterwards; those of builds that were killed go too."""
    if not target.parent.is_dir():
        raise Fault("library.no-folder", path=target, folder=target.parent)
    for left in target.parent.glob(f".{target.name}.*.part"):
        owner = left.name.rsplit(".", 2)[1]
        if owner.isdecimal() and not _is_running(int(owner)):
            shutil.rmtree(left, ignore_errors=True)
    folder = target.parent / f".{target.name}.{os.getpid()}.part"
    folder.mkdir(exist_ok=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


@contextlib.contextmanager
def _told(target: Path) -> Iterator[None]:
    """What goes wrong with the disk, in one line that names the library."""
    try:
        yield
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        full = "no space left" in str(error).lower() or shutil.disk_usage(target.parent).free < 1 << 20
        why = Fault("disk.full") if full else str(error).splitlines()[0]
        raise MachineError("library.not-written", path=target, why=why) from None
    except OSError as error:
        if error.errno is None:
            raise
        why = (error.strerror or str(error)).lower()
        raise MachineError("library.not-written", path=target, why=why) from None
