"""A board with those who look at it: takes their messages in turn, lets players think, and tells everybody."""

import asyncio
import contextlib
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from typing import Any

from outflank.board.squares import PASS, Color, square_name
from outflank.errors import Fault
from outflank.library.judging import JudgedMove, review
from outflank.search.driver import Interruption
from outflank.search.limits import Report
from outflank.web import thinking
from outflank.web.beginnings import Beginnings
from outflank.web.boards import HUMAN, Board, Review
from outflank.web.faults import told
from outflank.web.guard import address_of
from outflank.web.keeper import Keeper
from outflank.web.lanes import BusyError, Job, Lane, Lanes
from outflank.web.messages import Goto, Message, Move, New, Players, ReviewLine, Turn
from outflank.web.players import Players as Catalogue
from outflank.web.seats import Seats
from outflank.web.viewers import Viewer, encoded
from outflank.web.views import names, state_data

PACE = 0.35
"""Seconds at least between two moves where only players play, so that people can watch."""


log = logging.getLogger("outflank.web")


class Room:
    """A board, its viewers, and the work that is done for them."""

    def __init__(
        self, board: Board, keeper: Keeper, lanes: Lanes, players: Catalogue, beginnings: Beginnings, seats: Seats
    ) -> None:
        self.board = board
        self.viewers: set[Viewer] = set()
        self.lock = asyncio.Lock()
        self.left_at = time.monotonic()
        """When the last viewer left."""
        self._keeper, self._lanes, self._seats = keeper, lanes, seats
        self._catalogue, self._beginnings = players, beginnings
        self._move: Job | None = None
        self._move_for = -1
        self._moved_at = 0.0
        self._review: Job | None = None
        self._flag: asyncio.TimerHandle | None = None
        self._closed = False
        self.tasks: set[asyncio.Task[None]] = set()
        """What is being done and kept now."""
        self._handlers: dict[str, Callable[[Viewer, Any], Any]] = {
            "move": self._on_move,
            "goto": self._on_goto,
            "turn": self._on_turn,
            "players": self._on_players,
            "new": self._on_new,
        }
        self._changes: dict[str, Callable[[], None]] = {
            "undo": board.undo,
            "redo": board.redo,
            "pause": board.pause,
            "resume": board.resume,
            "swap": lambda: board.seat(board.players[1], board.players[0]),
            "resign": board.resign,
        }

    # Coming and going

    def enter(self, viewer: Viewer) -> None:
        self.viewers.add(viewer)
        viewer.send(state_data(self.board, thinking=self._thinking))
        self._go_on()

    def leave(self, viewer: Viewer) -> None:
        self.viewers.discard(viewer)
        viewer.stop_analysis()
        if not self.viewers:
            self.left_at = time.monotonic()
            self.stop_work()

    def stop_work(self) -> None:
        """Nobody looks: no player thinks and no review goes on. It begins again where somebody comes back."""
        self._end_review()
        if self._move is not None:
            self._move.cancel()
        self._move = None
        self._move_for = -1
        if self._flag is not None:
            self._flag.cancel()

    def close(self) -> None:
        self._closed = True
        self.stop_work()
        for viewer in self.viewers:
            viewer.stop_analysis()
        for task in self.tasks:
            task.cancel()
        self._seats.leave(self.board.id, *Color)

    # Messages

    async def hear(self, viewer: Viewer, message: Message) -> None:
        """Does what a message asks; what cannot be done is said to whoever asked."""
        try:
            if message.type == "ping":
                viewer.send({"type": "pong"})
            elif message.type == "analyse":
                viewer.analyse(self.board, self._lanes, message)
            elif message.type == "review":
                self._begin_review(viewer, message)
            elif message.type == "stop":
                viewer.stop_analysis()
                self._end_review()
            elif message.type == "force":
                self._force()
            else:
                async with self.lock:
                    before = self._sitting()
                    if message.type in self._changes:
                        self._changes[message.type]()
                    else:
                        await self._handlers[message.type](viewer, message)
                    now = self._sitting()
                    self._seats.leave(self.board.id, *(color for color in Color if now[color] != before[color]))
                    await self._changed()
        except ValueError as error:
            viewer.refuse(error, message.ref)

    def _sitting(self) -> list[tuple[str, int]]:
        """Who plays which game."""
        return [(player, self.board.seed) for player in self.board.players]

    async def _on_move(self, _: Viewer, message: Move) -> None:
        self.board.move(message.move, message.at)

    async def _on_goto(self, _: Viewer, message: Goto) -> None:
        self.board.goto(message.node)

    async def _on_turn(self, _: Viewer, message: Turn) -> None:
        self._end_review()  # what it finds out is of the board as it was
        self.board.turn(message.symmetry)

    async def _on_players(self, viewer: Viewer, message: Players) -> None:
        black, white = self.board.players
        self.board.seat(
            black if message.black is None else self._catalogue.chosen(message.black, viewer.visitor).name,
            white if message.white is None else self._catalogue.chosen(message.white, viewer.visitor).name,
        )

    async def _on_new(self, viewer: Viewer, message: New) -> None:
        begun = await self._beginnings.begin(message, viewer.visitor, self.board)
        self.stop_work()
        self.board.begin(*begun)

    async def _changed(self) -> None:
        """Keeps the board, and only then tells everybody. Where it cannot be kept, they are told that too."""
        kept = await self._kept()
        self._go_on()
        self._tell()
        if not kept:
            for viewer in self.viewers:
                viewer.refuse(Fault("web.not-kept"))

    async def _kept(self) -> bool:
        try:
            await self._keeper.save(self.board)
        except sqlite3.Error as error:
            log.error("a game cannot be kept: %s", error)
            return False
        return True

    def _tell(self) -> None:
        nodes = sorted(self.board.changed)
        self.board.changed.clear()
        whole = len(nodes) == len(self.board.nodes)
        text = encoded(state_data(self.board, None if whole else nodes, self._thinking))
        for viewer in self.viewers:
            viewer.send_text(text)

    # Players

    @property
    def _thinking(self) -> bool:
        return self._move is not None

    def _go_on(self) -> None:
        """Lets the player to move think, if there is one and it does not think already; sets the flag's alarm."""
        board = self.board
        if self._move_for != board.revision and self._move is not None:
            self._move.cancel()
            self._move = None
        spec = board.agent_to_move if self.viewers else None
        if spec is not None and self._move is None:
            self._move_for = board.revision
            self._start_move(spec)
        self._set_flag()

    def _start_move(self, name: str) -> None:
        board, revision = self.board, self.board.revision
        visitor = next(iter(self.viewers)).visitor
        try:
            # Checked again: the board may come from a server to which its owner had added other players.
            spec = self._catalogue.chosen(name, visitor).spec
        except ValueError as error:
            self._spawn(self._agent_failed(revision, error))
            return
        game, limit, seed = board.snapshot(), board.limit(), board.seed

        def work(stop: Interruption) -> Iterator[tuple[Report, float]]:
            began = time.perf_counter()
            try:
                with self._seats.taken(board.id, spec, seed, game) as seat:
                    report = thinking.choose(spec, seat, game, limit, stop)
            finally:
                if self._closed:  # meanwhile: nobody else will see that the seat was taken again
                    self._seats.leave(board.id, *Color)
            yield report, time.perf_counter() - began

        def tell(answer: tuple[Report, float]) -> None:
            self._spawn(self._agent_moved(revision, thinking.unit(spec), *answer))

        def done(error: BaseException | None) -> None:
            if error is not None:
                self._spawn(self._agent_failed(revision, error))

        lane: Lane = "quick" if thinking.is_quick(spec) else "slow"
        try:
            self._move = self._lanes.start(lane, visitor, work, tell, done)
        except BusyError:
            asyncio.get_running_loop().call_later(1.0, self._go_on)

    async def _agent_moved(self, revision: int, unit: str, report: Report, seconds: float) -> None:
        if not self.board.people:
            await asyncio.sleep(max(self._moved_at + PACE - time.monotonic(), 0.0))
        async with self.lock:
            if revision != self.board.revision:
                return
            self._move = None
            try:
                self.board.agent_moved(report, unit, seconds)
            except ValueError as error:
                name = self.board.players[self.board.position.turn]
                self.board.failed(told(Fault("web.player-stuck", player=name, why=error)))
            self._moved_at = time.monotonic()
            await self._changed()

    async def _agent_failed(self, revision: int, error: BaseException) -> None:
        async with self.lock:
            if revision != self.board.revision:
                return
            self._move = None
            name = self.board.players[self.board.position.turn]
            # Only a player that its owner added can say something here that he has not written for everybody.
            why = error if isinstance(error, ValueError) else type(error).__name__
            log.warning("%s failed: %r", name, error)
            self.board.failed(told(Fault("web.player-failed", player=name, why=why)))
            await self._changed()

    def _force(self) -> None:
        if self._move is None:
            raise Fault("web.nobody-thinks")
        self._move.stop.set()

    def _set_flag(self) -> None:
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None
        board, clocks = self.board, self.board.clocks
        turn = board.position.turn
        if clocks is None or clocks.since is None or board.game.is_over or board.players[turn] != HUMAN:
            return
        left = clocks.remaining(turn, turn)
        self._flag = asyncio.get_running_loop().call_later(left + 0.02, lambda: self._spawn(self._check_flag()))

    async def _check_flag(self) -> None:
        async with self.lock:
            if self.board.flag():
                await self._changed()

    # Review

    def _begin_review(self, viewer: Viewer, message: ReviewLine) -> None:
        self._end_review()
        line = self.board.line
        identities = [self.board.id_of(node) for node in line]
        wanted = max(sum(node.move != PASS for node in line), 1)
        game = self.board.game
        reviewed = {"count": 0}

        def work(_: Interruption) -> Iterator[JudgedMove]:
            return review(line, lambda position: thinking.values(position, message.seconds))

        def progress(done: bool) -> None:
            share = 1.0 if done else reviewed["count"] / wanted
            told = encoded({"type": "review", "done": done, "progress": share, "line": identities})
            for one in self.viewers:
                one.send_text(told)

        def tell(found: JudgedMove) -> None:
            if self.board.game is not game:
                return
            reviewed["count"] += 1
            self.board.reviewed(found.node, _as_kept(found))
            self._tell()
            progress(False)

        def done(error: BaseException | None) -> None:
            self._review = None
            if error is not None:
                log.error("review failed", exc_info=error)
                viewer.refuse(Fault("web.review-failed"), message.ref)
            progress(True)
            self._spawn(self._keep())

        progress(False)
        self._review = self._lanes.start("slow", viewer.visitor, work, tell, done)

    def _end_review(self) -> None:
        if self._review is not None:
            self._review.cancel()
            self._review = None
            text = encoded({"type": "review", "done": True, "progress": 1.0, "line": []})
            for viewer in self.viewers:
                viewer.send_text(text)
            if not self._closed:
                self._spawn(self._keep())

    async def _keep(self) -> None:
        async with self.lock:
            await self._kept()

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(self._guarded(work))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _guarded(self, work: Any) -> None:
        try:
            await work
        except Exception:
            log.exception("a board's work failed")
            for viewer in self.viewers:
                viewer.refuse(Fault("web.cannot-now"))


def _as_kept(found: JudgedMove) -> Review:
    return Review(
        found.value,
        found.loss,
        square_name(found.best),
        tuple(names(found.best_line)),
        found.exact,
        found.depth,
        "discs",
        found.mark,
        found.black,
    )


class Rooms:
    """The boards in use; others are in the keeper's file."""

    def __init__(self, keeper: Keeper, lanes: Lanes, players: Catalogue, beginnings: Beginnings, seats: Seats) -> None:
        self._rooms: dict[str, Room] = {}
        self._parts = keeper, lanes, players, beginnings, seats
        self._keeper = keeper
        self._loading = asyncio.Lock()

    IDLE = 300.0
    """Seconds after which a board that nobody looks at leaves the memory."""
    SWEEP_ABOVE = 200

    async def add(self, board: Board, visitor: str) -> Room:
        await self._keeper.save(board, address_of(visitor))
        room = self._rooms[board.id] = Room(board, *self._parts)
        board.changed.clear()
        self._sweep()
        return room

    async def find(self, identity: str) -> Room | None:
        if identity in self._rooms:
            return self._rooms[identity]
        async with self._loading:
            if identity not in self._rooms:
                try:
                    board = await self._keeper.load(identity)
                except (ValueError, LookupError, TypeError):
                    log.exception("a board in the file cannot be read")
                    return None
                if board is None:
                    return None
                board.changed.clear()
                self._rooms[identity] = Room(board, *self._parts)
                self._sweep()
        return self._rooms[identity]

    async def delete(self, identity: str) -> None:
        room = self._rooms.pop(identity, None)
        if room is not None:
            room.close()
            for viewer in room.viewers:
                with contextlib.suppress(asyncio.QueueFull):
                    viewer.outbox.put_nowait(None)
        await self._keeper.delete(identity)

    def _sweep(self) -> None:
        if len(self._rooms) < self.SWEEP_ABOVE:
            return
        now = time.monotonic()
        # They are in the file. Under many, those that were left first go first, however short ago.
        idle = sorted((room.left_at, name) for name, room in self._rooms.items() if not (room.viewers or room.tasks))
        keep = self.SWEEP_ABOVE // 2
        for number, (left, name) in enumerate(idle):
            if now - left > self.IDLE or len(idle) - number > keep:
                self._rooms.pop(name).close()

    async def close(self) -> None:
        for room in self._rooms.values():
            room.stop_work()
        await asyncio.gather(*(task for room in self._rooms.values() for task in room.tasks))
        for room in self._rooms.values():
            room.close()
