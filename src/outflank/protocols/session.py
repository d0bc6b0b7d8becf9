"""An engine's side of a conversation: lines in, lines out, and one search at a time that lines can interrupt.

One thread listens and answers; a search runs in another. While it runs, lines are read ahead and wait for their turn,
but for those that end the search.
"""

import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Protocol, TypeVar

from outflank.board.game import Game, Node
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.errors import OverdueError
from outflank.protocols.lines import LineBuffer, plain
from outflank.protocols.moves import Moves
from outflank.search.driver import Interruption, interruptible
from outflank.search.limits import Limit, Report
from outflank.work.waiting import Bell, Source, ready

PATIENCE = 10.0
"""Seconds in which an interrupted search must have returned: one that has not is left alone, with its player. Ours
take milliseconds; a player that still loads its kernels on a busy machine may take seconds."""
READ_AHEAD = 10_000
"""Lines that may wait while a search runs; a host that sends more has to wait itself."""

T = TypeVar("T")


class Player(Protocol):
    """The player: an agent, seen from a room that does not know agents."""

    def expect(self, limit: Limit) -> None: ...

    def start(self, variant: Variant, color: Color, seed: int) -> None: ...

    def choose(self, game: Game, limit: Limit) -> Report: ...

    def hints(self, game: Game, limit: Limit, show: Callable[[Sequence[Report]], None]) -> None: ...

    def ponder(self, game: Game, limit: Limit) -> None: ...

    def close(self) -> None: ...


class Seat:
    """A player as a session needs it: made when it is first asked, started for each game, made anew when it failed."""

    def __init__(
        self, make: Callable[[], Player], name: str, version: str = "", seed: int = 0, ponders: bool = False
    ) -> None:
        """`name` and `version` are for hosts; with `ponder` it thinks while the other side does."""
        self.ponders = ponders
        self._side: Color | None = None
        self.name, self.version = plain(name), version
        self._make, self._seed = make, seed
        self._player: Player | None = None
        self._started = False
        self._expected = Limit()

    def new_game(self) -> None:
        self._started, self._side = False, None

    def expect(self, limit: Limit) -> None:
        """What each move of the game will be limited to, as far as the host has said it by now."""
        self._expected = limit

    def ask(self, game: Game, question: Callable[[Player], T]) -> T:
        """The player's answer to a question about a game."""
        try:
            if self._player is None:
                self._player, self._started = self._make(), False
            if not self._started:
                self._player.expect(self._expected)
                self._player.start(game.variant, game.position.turn, self._seed)
                self._started = True
            return question(self._player)
        except BaseException:
            self.close()
            raise

    def choose(self, game: Game, limit: Limit) -> Report:
        """The player's decision."""
        self.expect(limit)
        self._side = game.position.turn
        return self.ask(game, lambda player: player.choose(game, limit))

    def waits_at(self, game: Game) -> bool:
        """Whether it has moved and the other side has to, and there is something to ponder."""
        position = game.position
        return self.ponders and self._side is position.turn.other and not game.is_over and bool(position.legal_moves)

    def ponder(self, game: Game) -> None:
        self.ask(game, lambda player: player.ponder(game, Limit()))

    def abandon(self) -> None:
        """Leaves a player that does not return to itself."""
        self._player = None

    def close(self) -> None:
        player, self._player = self._player, None
        if player is not None:
            with suppress(Exception):  # whatever it does on its way out
                player.close()


class Session(ABC):
    """One conversation. A protocol says what its lines mean, and which of them end a search."""

    def __init__(self, descriptor: int, write: Callable[[bytes], object], seat: Seat, variant: Variant) -> None:
        self._source, self._write, self.seat = Source(descriptor), write, seat
        self.moves = Moves(Game(variant))
        self._buffer = LineBuffer()
        self._waiting: deque[str] = deque()
        self._input_ended = False
        self._speaking = threading.Lock()
        self._pondered: Node | None = None

    @abstractmethod
    def obey(self, line: str) -> bool:
        """Does what a line asks for, and answers; False ends the conversation."""

    @abstractmethod
    def is_urgent(self, line: str) -> bool:
        """Whether a line ends the search before it, also where both were sent together."""

    @abstractmethod
    def ends_search(self, line: str) -> bool:
        """Whether a line that arrives while a search runs ends it. Scripts send their lines all at once: there, each
        search takes what it needs."""

    def run(self) -> None:
        """Listens until the host says so or is gone. Whatever it sends, the conversation goes on."""
        try:
            while (line := self._next()) is not None and self.obey(line):
                pass
        except BrokenPipeError:
            pass  # the host is gone: nobody is left to answer to
        finally:
            self.seat.close()

    def say(self, text: str) -> None:
        """Sends lines, whole and at once."""
        with self._speaking:
            self._write(text.encode("utf-8", "replace"))

    def _next(self) -> str | None:
        while not self._waiting:
            if self._input_ended:
                return None
            game = self.moves.game
            if self.seat.waits_at(game) and self._pondered is not game.node:
                self._ponder(game)
            else:
                self._read()
        return self._waiting.popleft()

    def _ponder(self, game: Game) -> None:
        """Lets the player think until a line comes, whatever it says; a line that moves nothing lets it go on after.
        What fails there is told when it is asked."""
        while self._readable(0):
            self._read()
        if not self._waiting and not self._input_ended:
            interruption = Interruption()
            with suppress(Exception):
                self._think(lambda _: self.seat.ponder(game), interruption, lambda line: True)
            if not interruption.is_set:
                self._pondered = game.node  # it has thought to the end, or failed

    def _read(self) -> list[str]:
        """Reads what has come, waiting for it if need be; the new lines, which then also wait for their turn."""
        data = self._source.read()
        if data:
            lines = self._buffer.feed(data)
        else:
            self._input_ended = True
            rest = self._buffer.rest()
            lines = [rest] if rest else []
        self._waiting.extend(lines)
        return lines

    def _readable(self, seconds: float | None, *others: int) -> set[int]:
        open_to_more = not self._input_ended and len(self._waiting) < READ_AHEAD
        return ready(seconds, [*others, *[self._source.descriptor] * open_to_more])

    def think(self, work: Callable[[Interruption], T]) -> T:
        """Does work in a thread of its own, while lines may end it. Returns or raises what the work does."""
        while self._readable(0):
            self._read()
        interruption = Interruption()
        if any(map(self.is_urgent, self._waiting)):
            interruption.set()
        return self._think(work, interruption, self.ends_search)

    def _think(self, work: Callable[[Interruption], T], interruption: Interruption, ends: Callable[[str], bool]) -> T:
        answer: Future[T] = Future()
        done = Bell()

        def search() -> None:
            try:
                with interruptible(interruption):
                    answer.set_result(work(interruption))
            except BaseException as error:
                answer.set_exception(error)
            finally:
                done.ring()

        threading.Thread(target=search, name="outflank-search", daemon=True).start()
        try:
            self._listen(interruption, done.descriptor, ends)
        except BaseException:
            interruption.set()  # Ctrl-C
            raise
        finally:
            done.close()
        return answer.result()

    def prepare(self, limit: Limit) -> None:
        """Gets the player ready for a new game, before any clock runs. A failure here is reported with the next
        question."""
        self.seat.expect(limit)
        with suppress(Exception):
            self.seat.ask(self.moves.game, lambda player: None)

    def _listen(self, interruption: Interruption, done: int, ends: Callable[[str], bool]) -> None:
        """Reads lines until the search is done."""
        patience_ends = float("inf")
        while True:
            if interruption.is_set:
                patience_ends = min(patience_ends, time.perf_counter() + PATIENCE)
            wait = max(patience_ends - time.perf_counter(), 0.0)
            awake = self._readable(None if wait == float("inf") else wait, done)
            if done in awake:
                return
            if self._source.descriptor in awake and (any(map(ends, self._read())) or self._input_ended):
                interruption.set()
            if time.perf_counter() >= patience_ends:
                self.seat.abandon()
                raise OverdueError("session.not-stopped")
