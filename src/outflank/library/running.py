"""An analysis that runs while its caller reads its findings: `outflank.analysis`, with and without asyncio."""

import asyncio
import threading
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import suppress
from typing import Self
from weakref import finalize

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.library.analysis import Analyst, PositionAnalysis, as_game
from outflank.search.driver import Interruption, interruptible
from outflank.search.engine.engine import DEFAULT_MEGABYTES, Engine
from outflank.search.limits import UNLIMITED, Limit

AS_DEEP_AS_IT_GETS = Limit(depth=60)


class _Search:
    """What the thread works on. It does not refer to its listeners, so that they can be collected."""

    def __init__(self, analyst: Analyst, position: Position) -> None:
        self._analyst, self._position = analyst, position
        self.interruption = Interruption()
        self.changed = threading.Condition()
        self.latest = PositionAnalysis(position, ())
        self.count = 0
        self.over = False
        self.error: Exception | None = None
        self.listeners: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def run(self) -> None:
        try:
            with interruptible(self.interruption):
                self._tell(self._analyst.position(self._position, self._tell))
        except Exception as error:
            self.error = error
        with self.changed:
            self.over = True
            self._wake()

    def _tell(self, found: PositionAnalysis) -> None:
        with self.changed:
            if found != self.latest:  # the end says once more what the last pass has said
                self.latest = found
                self.count += 1
                self._wake()

    def _wake(self) -> None:
        self.changed.notify_all()
        for loop, event in self.listeners:
            with suppress(RuntimeError):  # the loop has closed: nobody is left to hear it
                loop.call_soon_threadsafe(event.set)

    def wait(self) -> None:
        with self.changed:
            self.changed.wait_for(lambda: self.over)


class RunningAnalysis:
    """The engine as it looks deeper and deeper at a position, in a thread of its own.

    Iterating gives what each pass of the search has found, until the limit is reached, all is proven, or `stop` is
    called; `async for` does the same. A slow reader gets only the latest. `result` is the last one, and `await`
    gives it too. Leaving a `with` or `async with` block stops it, and so does whoever leaves a loop and keeps nothing
    of it.
    """

    def __init__(self, position: Position, limit: Limit, level: int | None, threads: int, hash_mb: float) -> None:
        if limit == UNLIMITED and level is None:
            limit = AS_DEEP_AS_IT_GETS
        self._search = _Search(Analyst(Engine(threads, hash_mb), limit, level), position)
        finalize(self, self._search.interruption.set)
        threading.Thread(target=self._search.run, name="outflank-analysis", daemon=True).start()

    @property
    def latest(self) -> PositionAnalysis:
        """What is known now; without any moves at first."""
        return self._search.latest

    @property
    def is_running(self) -> bool:
        return not self._search.over

    @property
    def result(self) -> PositionAnalysis:
        """What is known at the end; it waits for that."""
        self._search.wait()
        return self._at_the_end()

    def _at_the_end(self) -> PositionAnalysis:
        if self._search.error is not None:
            raise self._search.error
        return self._search.latest

    def stop(self) -> None:
        """Ends the search. What it has found stays."""
        self._search.interruption.set()

    def _repr_html_(self) -> str:
        return self.latest._repr_html_()

    def __iter__(self) -> Iterator[PositionAnalysis]:
        search, seen = self._search, 0
        while True:
            with search.changed:
                search.changed.wait_for(lambda before=seen: search.count > before or search.over)  # type: ignore[misc]
                ended, seen, found = search.count == seen, search.count, search.latest
            if ended:
                self._at_the_end()
                return
            yield found

    async def __aiter__(self) -> AsyncIterator[PositionAnalysis]:
        search, seen, event = self._search, 0, asyncio.Event()
        listener = asyncio.get_running_loop(), event
        with search.changed:
            search.listeners.append(listener)
        try:
            while True:
                event.clear()
                if search.count > seen:
                    seen = search.count
                    yield search.latest
                elif search.over:
                    self._at_the_end()
                    return
                else:
                    await event.wait()
        finally:
            with search.changed:
                search.listeners.remove(listener)

    def __await__(self) -> Generator[object, None, PositionAnalysis]:
        return self._ended().__await__()

    async def _ended(self) -> PositionAnalysis:
        try:
            async for _ in self:
                pass
        except asyncio.CancelledError:
            self.stop()
            raise
        return self.latest

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._search.wait()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.stop()
        with suppress(Exception):  # a search that failed has told whoever listened
            await self._ended()


def analysis(
    what: Position | Game | str,
    *,
    time: float | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    level: int | None = None,
    threads: int = 1,
    hash_mb: float = DEFAULT_MEGABYTES,
) -> RunningAnalysis:
    """Begins to look at a position, or at where a game stands, and goes on while the caller reads what is found.

    The limits are those of `analyze`; without any it goes on until all moves are proven or it is stopped.
    """
    position = what if isinstance(what, Position) else as_game(what).position
    return RunningAnalysis(position, Limit(time=time, depth=depth, nodes=nodes), level, threads, hash_mb)
