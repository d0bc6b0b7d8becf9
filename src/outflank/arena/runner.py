"""Where games are played: one interface, whatever is behind it.

A runner takes games and gives back each with its record, in the order in which they end. It may play them anywhere, in
any order and more than once; since everything about a game follows from its fixture, the results are the same.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from itertools import islice
from types import TracebackType
from typing import Self

from outflank.arena.contest import Fixture
from outflank.arena.record import GameRecord
from outflank.arena.table import Table

Finished = list[tuple[Fixture, GameRecord]]
"""Games that ended at about the same time: whoever keeps them can do so at once."""

SMALLEST_BATCH, LARGEST_BATCH = 2, 256
DEATHS = 3
"""Workers that may die in the same game before the run is given up."""


class Runner(ABC):
    """Plays games. Used in a `with` statement, at the end of which nothing of it is left running."""

    @abstractmethod
    def run(self, fixtures: Iterable[Fixture]) -> Generator[Finished, None, None]:
        """Plays the games and yields them as they end. Fixtures are asked for as they are needed; closing the generator
        stops what is still being played."""

    def collect(self) -> Finished:
        """What has ended but was not yielded yet, after an interruption."""
        return []

    def close(self) -> None:  # noqa: B027 (a runner may hold nothing)
        """Ends whatever still runs."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class InProcess(Runner):
    """Plays in this process, one game after the other."""

    def __init__(self) -> None:
        self._table = Table()

    def run(self, fixtures: Iterable[Fixture]) -> Generator[Finished, None, None]:
        for fixture in fixtures:
            yield [(fixture, self._table.play(fixture))]

    def close(self) -> None:
        self._table.close()


class Backlog:
    """The games that are still to be given out to workers, for every runner that has some."""

    def __init__(self, fixtures: Iterable[Fixture]) -> None:
        self._waiting = iter(fixtures)
        self._again: deque[Fixture] = deque()
        self._deaths: dict[Fixture, int] = {}

    def take(self, size: int) -> list[Fixture]:
        """The next batch, of so many games at most; empty when there is none.

        What a dead worker left goes out game by game: should it happen again, it is clear which one it was.
        """
        return [self._again.popleft()] if self._again else list(islice(self._waiting, size))

    def lost(self, left: Sequence[Fixture], how: str) -> None:
        """Takes back what a worker that died had not sent. The first of these is the game that it died in."""
        played = left[0]
        self._deaths[played] = self._deaths.get(played, 0) + 1
        if self._deaths[played] >= DEATHS:
            raise ChildProcessError(
                f"{DEATHS} processes ended ({how}) while {played.black} played {played.white}:"
                " one of the two ends its process, or the machine lacks memory"
                " (in a script of your own, jobs need `if __name__ == '__main__':`)"
            )
        self._again.extend(left)


def next_size(size: int, seconds_a_game: float, wanted: float) -> int:
    """How many games the next batch shall have, so that it takes about the seconds wanted; it grows by steps, since
    the first games also pay for the start."""
    return max(SMALLEST_BATCH, min(int(wanted / max(seconds_a_game, 1e-6)), LARGEST_BATCH, 4 * size))
