"""A folder of data: portions in files of their own, and one file that says what all of them are.

Finished portions are not repeated. A run that was stopped or killed continues where it was, and makes the same files.
"""

import json
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outflank.datasets.columns import COLUMNS, OF_ALL_MOVES, Rows, count
from outflank.errors import Fault, MachineError
from outflank.learning.portions import write_text
from outflank.work.stop import Stop
from outflank.work.workers import Finished, Workers

ABOUT = "about.json"
FORMAT = 1
ENDINGS = {"parquet": (".parquet",), "numpy": (".npz",), "both": (".parquet", ".npz")}

Task = Callable[[Stop], Rows]


@dataclass(frozen=True)
class Export:
    """A folder, and what its files are: the source, its settings, and the forms they are written in."""

    folder: Path
    source: str
    settings: dict[str, Any]
    unit: str = "discs"
    form: str = "both"

    @property
    def about(self) -> dict[str, Any]:
        """What is to be known of the files. It holds all that they follow from."""
        columns = {name: one.text for name, one in COLUMNS.items() if self.source == "solve" or name != OF_ALL_MOVES}
        return {
            "format": FORMAT,
            "source": self.source,
            "unit": self.unit,
            "form": self.form,
            "settings": self.settings,
            "columns": columns,
        }

    def begin(self) -> None:
        """Makes the folder. One that is there must be of the same data."""
        text, file = json.dumps(self.about, indent=2) + "\n", self.folder / ABOUT
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not file.exists():
                if any(path.suffix != ".part" for path in self.folder.iterdir()):
                    raise Fault("data.other-folder", folder=self.folder)
                write_text(file, text)
            elif file.read_text("utf-8") != text:
                raise Fault("data.other-settings", folder=self.folder, about=ABOUT)
        except FileExistsError:
            raise Fault("data.no-folder", folder=self.folder) from None
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise MachineError("data.not-written", path=self.folder, why=why) from None

    def paths(self, number: int) -> list[Path]:
        """The files of a portion."""
        return [self.folder / f"part-{number:05}{ending}" for ending in ENDINGS[self.form]]

    def run(self, tasks: Iterable[Task], workers: Workers, progress: Callable[[int], None]) -> "Written":
        """Does what is missing; `progress` hears how many portions there are by now."""
        self.begin()
        known, made = 0, 0

        def missing() -> Iterable[tuple[int, Task]]:
            nonlocal known
            for number, task in enumerate(tasks):
                known = number + 1
                if not all(path.exists() for path in self.paths(number)):
                    yield number, task

        def keep(finished: Finished[int, Rows]) -> None:
            for number, rows in finished:
                for path in self.paths(number):
                    rows.save(path)

        with closing(workers.run(missing(), keep)) as batches:
            for finished in batches:
                made += len(finished)
                progress(made)
        for left in self.folder.glob(".*.part"):
            left.unlink(missing_ok=True)  # what a run that was killed had begun to write
        files = [path for number in range(known) for path in self.paths(number)]
        positions = sum(count(self.paths(number)[0]) for number in range(known))
        return Written(known, made, positions, sum(path.stat().st_size for path in files))


@dataclass(frozen=True)
class Written:
    """What a folder holds after a run."""

    portions: int
    made: int
    """Those that were not there before."""
    positions: int
    bytes: int
