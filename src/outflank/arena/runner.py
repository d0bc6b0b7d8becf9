"""Where games are played: one interface, whatever is behind it.

A runner takes games and gives back each with its record, in the order in which they end. It may play them anywhere, in
any order and more than once; since everything about a game follows from its fixture, the results are the same.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable
from types import TracebackType
from typing import Self

from outflank.arena.contest import Fixture
from outflank.arena.record import GameRecord
from outflank.arena.table import Table

Finished = list[tuple[Fixture, GameRecord]]
"""Games that ended at about the same time: whoever keeps them can do so at once."""


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
