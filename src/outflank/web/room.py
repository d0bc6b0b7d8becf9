"""A board with its viewers: takes their messages in turn, lets players think, and sends the results to all."""

import asyncio
import contextlib
import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from outflank.board.squares import PASS, Color
from outflank.errors import Fault
from outflank.library.judging import JudgedMove, review
from outflank.search.driver import Follower, Interruption, followed
from outflank.search.limits import Report
from outflank.web import thinking
from outflank.web.beginnings import Begun, begun
from outflank.web.boards import HUMAN, Board
from outflank.web.faults import told
from outflank.web.keeper import Keeper
from outflank.web.lanes import BusyError, Job, Lane, Lanes
from outflank.web.messages import Goto, Message, Move, New, Pace, Plain, Players, ReviewLine, Sit, Turn
from outflank.web.notes import Review
from outflank.web.players import Players as Catalogue
from outflank.web.schemas import Company
from outflank.web.seats import Seats
from outflank.web.turns import Turnstile, person_of
from outflank.web.viewers import Viewer, encoded
from outflank.web.views import color_name, state_data, thinking_data

THOUGHTS_APART = 0.15
"""Seconds between two messages of how far a player has come."""
COMPANY_AFTER = 0.25
"""Seconds after which those at a shared board hear who came and who went, all at once."""
LARGE = 200
"""Nodes of a board that is shown whole, or turned, in a thread."""

Answer = TypeVar("Answer")
log = logging.getLogger("outflank.web")


class Room:
    """A board, its viewers, and the work that is done for them."""

    def __init__(
        self,
        board: Board,
        keeper: Keeper,
        lanes: Lanes,
        players: Catalogue,
        seats: Seats,
        values: thinking.Values,
        turnstile: Turnstile,
    ) -> None:
        self.board = board
        self.viewers: set[Viewer] = set()
        self.coming = 0
        """Those who are about to be viewers."""
        self.lock = asyncio.Lock()
        self.left_at = time.monotonic()
        """When the last viewer left."""
        self._keeper, self._lanes, self._catalogue, self._seats = keeper, lanes, players, seats
        self._values, self._turnstile = values, turnstile
        self._move: Job | None = None
        self._move_for = -1
        self._moved_at = 0.0
        self._review: Job | None = None
        self._flag: asyncio.TimerHandle | None = None
        self._company: asyncio.TimerHandle | None = None
        self._closed = False
        self.tasks: set[asyncio.Task[None]] = set()
        """What is being done and kept now."""

    # Coming and going

    async def enter(self, viewer: Viewer) -> None:
        self.coming += 1
        try:
            async with self.lock:
                # Who is to move thinks as soon as there is somebody to look on.
                show = partial(state_data, self.board, thinking=self.board.agent_to_move is not None)
                self._tell_company(viewer)
                viewer.send_text(await self._apart(viewer.visitor, lambda: encoded(show())))
                self.viewers.add(viewer)
        finally:
            self.coming -= 1
        self._company_changes()
        self._go_on()

    def leave(self, viewer: Viewer) -> None:
        self.viewers.discard(viewer)
        viewer.stop_analysis()
        self._company_changes()
        if not self.viewers:
            self.left_at = time.monotonic()
            self.stop_work()

    @property
    def in_use(self) -> bool:
        return bool(self.viewers or self.coming or self.tasks)

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
        if self._company is not None:
            self._company.cancel()
        for viewer in self.viewers:
            viewer.stop_analysis()
        for task in self.tasks:
            task.cancel()
        self._seats.leave(self.board.id, *Color)

    async def apart(self, visitor: str, work: Callable[[], Answer]) -> Answer:
        """What `work` makes of the board, which does not change meanwhile."""
        async with self.lock:
            return await self._apart(visitor, work)

    async def _apart(self, visitor: str, work: Callable[[], Answer]) -> Answer:
        """Works in a thread where a board is so large that the event loop, and with it everybody, would wait."""
        return work() if len(self.board.nodes) < LARGE else await self._lanes.run("quick", visitor, work)

    # Two friends and those who watch them

    def _company_changes(self) -> None:
        if self.board.friends is not None and self._company is None:
            self._company = asyncio.get_running_loop().call_later(COMPANY_AFTER, self._company_changed)

    def _company_changed(self) -> None:
        self._company = None
        self._tell_company(*self.viewers)

    def _tell_company(self, *viewers: Viewer) -> None:
        """Who plays here, who of them is there, and how many look on."""
        friends = self.board.friends
        if friends is None:
            return
        there = {person_of(viewer.visitor) for viewer in (*self.viewers, *viewers)}
        here = {color_name(color): friends.chairs[color] in there for color in Color}
        watchers = len(there.difference(friends.chairs))
        for viewer in viewers:
            side = color_name(friends.side(person_of(viewer.visitor)))
            viewer.send(Company(type="company", side=side, here=here, watchers=watchers))

    def _allow(self, viewer: Viewer, message: Message) -> tuple[bool, Color | None]:
        """Whether to do what somebody asks for, and for which side where two friends play."""
        friends, board = self.board.friends, self.board
        if friends is None and message.type == "decline":
            raise Fault("web.not-shared")
        if friends is None or isinstance(message, Sit):
            return True, None
        person = person_of(viewer.visitor)
        friends.player(person)  # or it is refused
        if message.type == "undo" and not board.can_undo:
            raise Fault("game.nothing-to-undo")
        color = friends.allow(person, message.type, board.position.turn)
        return color is not None, color

    def _permit_help(self, viewer: Viewer, alone: bool) -> None:
        """A player of two friends gets no values until the game is over; what all see, nobody else asks for."""
        friends = self.board.friends
        if friends is None:
            return
        if friends.side(person_of(viewer.visitor)) is None:
            if not alone:
                raise Fault("web.only-watching")
        elif not self.board.game.is_over:
            raise Fault("web.no-help")

    # Messages

    async def hear(self, viewer: Viewer, message: Message) -> None:
        """Does what a message asks; errors go to its sender."""
        try:
            if message.type == "ping":
                viewer.send({"type": "pong"})
            elif message.type == "analyse":
                self._permit_help(viewer, alone=True)
                viewer.analyse(self.board, self._lanes, self._values, message)
            elif message.type == "review":
                self._permit_help(viewer, alone=False)
                self._begin_review(viewer, message)
            elif message.type == "stop":
                viewer.stop_analysis()
                if self.board.friends is None or self.board.friends.side(person_of(viewer.visitor)) is not None:
                    self._end_review()
            elif message.type == "force":
                if self._move is None:
                    raise Fault("web.nobody-thinks")
                self._move.stop.set()
            else:
                async with self.lock:
                    game = await self._new_game(viewer, message) if isinstance(message, New) else None
                    async with self._turnstile.passed(viewer.visitor):
                        before = self._sitting()
                        await self._change(viewer, message, game)
                        now = self._sitting()
                        self._seats.leave(self.board.id, *(color for color in Color if now[color] != before[color]))
                        await self._changed(viewer.visitor)
        except ValueError as error:
            viewer.refuse(error, message.ref)

    def _sitting(self) -> list[tuple[str, int]]:
        """Who plays which game."""
        return [(player, self.board.seed) for player in self.board.players]

    async def _new_game(self, viewer: Viewer, message: New) -> Begun | None:
        """A balanced opening takes a while: nobody waits for it who changes another board. Two friends' next game is
        as the one before."""
        if self.board.friends is not None:
            return None
        return await begun(message, viewer.visitor, self._catalogue, self._lanes, self.board)

    async def _change(self, viewer: Viewer, message: Message, game: Begun | None) -> None:
        board = self.board
        wanted, side = self._allow(viewer, message)
        if not wanted:
            return
        match message:
            case Sit():
                board.sit(person_of(viewer.visitor), message.name)
                await self._keeper.hold(viewer.visitor, board.id)
                self._company_changes()
            case Move():
                board.move(message.move, message.at)
            case Goto():
                board.goto(message.node)
            case Turn():
                self._end_review()  # what it finds out is of the board as it was
                board.turn(await self._apart(viewer.visitor, lambda: board.turned(message.symmetry)))
            case Pace():
                board.pace = message.seconds
            case Players():
                board.seat(*self._catalogue.seated(message, board.players))
            case New() if side is not None:
                self._end_review()
                await self._archive()
                board.again()
                self._company_changes()
            case New():
                assert game is not None
                self.stop_work()
                await self._archive()
                board.begin(*game)
            case Plain(type="undo"):
                board.undo(side)
            case Plain(type="resign"):
                board.resign(side)
            case Plain(type="swap"):
                board.seat(board.players[1], board.players[0])
            case _:
                getattr(board, message.type)()  # redo, pause, resume

    async def _archive(self) -> None:
        """Keeps the game that a new one takes the place of, on a board of its own."""
        if len(self.board.nodes) > 1:
            kept = self.board.copy()
            await self._keeper.add(kept)
            await self._keeper.save(kept)  # it was played: it does not make room for others
            await self._keeper.hold("", kept.id, like=self.board.id)
            self.board.previous = kept.id

    async def _changed(self, visitor: str = "") -> None:
        """Saves the board, and only then sends it to everybody. If it cannot be saved, they are warned."""
        kept = await self._kept()
        self._go_on()
        if len(self.board.changed) < LARGE:
            self._tell()
        else:
            self._send_all(await self._apart(visitor, self._news()))
        if not kept:
            self._refuse_all(Fault("web.not-kept"))

    async def _kept(self) -> bool:
        try:
            await self._keeper.save(self.board)
        except sqlite3.Error as error:
            log.error("a game cannot be kept: %s", error)
            return False
        return True

    def _tell(self) -> None:
        self._send_all(self._news()())

    def _news(self) -> Callable[[], str]:
        """Makes the text of all changes that viewers do not have yet."""
        nodes = sorted(self.board.changed)
        self.board.changed.clear()
        whole = len(nodes) == len(self.board.nodes)
        show = partial(state_data, self.board, None if whole else nodes, self._thinking)
        return lambda: encoded(show())

    def _send_all(self, text: str) -> None:
        for viewer in self.viewers:
            viewer.send_text(text)

    def _refuse_all(self, why: Fault) -> None:
        for viewer in self.viewers:
            viewer.refuse(why)

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
            spec = self._catalogue.chosen(name).spec
        except ValueError as error:
            self._spawn(self._agent_done(revision, name, error))
            return
        game, limit, seed = board.game.so_far(), board.limit(), board.seed
        lane: Lane = "quick" if thinking.is_quick(spec) else "slow"
        follow = self._follower(revision, name, thinking.unit(spec))

        def work(stop: Interruption) -> Iterator[tuple[Report, float]]:
            began = time.perf_counter()
            try:
                with (
                    self._seats.taken(board.id, spec, seed, game) as seat,
                    followed(follow) if lane == "slow" else contextlib.nullcontext(),
                ):
                    report = thinking.choose(spec, seat, game, limit, stop)
                    seconds = time.perf_counter() - began
                    report = thinking.beside(spec, seat, game, report)
            finally:
                if self._closed:  # meanwhile: nobody else will see that the seat was taken again
                    self._seats.leave(board.id, *Color)
            yield report, seconds

        def tell(answer: tuple[Report, float]) -> None:
            self._spawn(self._agent_done(revision, name, *answer, thinking.unit(spec)))

        def done(error: BaseException | None) -> None:
            if error is not None:
                self._spawn(self._agent_done(revision, name, error))

        try:
            self._move = self._lanes.start(lane, visitor, work, tell, done)
        except BusyError:
            asyncio.get_running_loop().call_later(1.0, self._go_on)

    def _follower(self, revision: int, name: str, unit: str) -> Follower:
        """Tells everybody, now and then, what a player that thinks has found."""
        node, loop, spoken = self.board.cursor, asyncio.get_running_loop(), time.monotonic()

        def tell(report: Report) -> None:
            if revision == self.board.revision and not self._closed:
                self._send_all(encoded(thinking_data(report, node, name, unit)))

        def follow(report: Report) -> None:
            nonlocal spoken
            now = time.monotonic()
            if now - spoken >= THOUGHTS_APART:
                spoken = now
                with contextlib.suppress(RuntimeError):  # the loop has closed
                    loop.call_soon_threadsafe(tell, report)

        return follow

    async def _agent_done(
        self, revision: int, name: str, found: Report | BaseException, seconds: float = 0.0, unit: str = ""
    ) -> None:
        """Plays the move that a player has found, or stops the game where it failed or its move cannot be played."""
        if not self.board.people:
            await asyncio.sleep(max(self._moved_at + self.board.pace - time.monotonic(), 0.0))
        async with self._alone():
            if revision != self.board.revision:
                return
            self._move = None
            if isinstance(found, BaseException):
                log.warning("%s failed: %r", name, found)
                # Only a player that its owner added can say something here that he has not written for everybody.
                why = found if isinstance(found, ValueError) else type(found).__name__
                self.board.failed(told(Fault("web.player-failed", player=name, why=why)))
            else:
                try:
                    self.board.agent_moved(found, unit, seconds)
                except ValueError as error:
                    self.board.failed(told(Fault("web.player-stuck", player=name, why=error)))
            self._moved_at = time.monotonic()
            await self._changed()

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
        async with self._alone():
            if self.board.flag():
                await self._changed()

    # Review

    def _begin_review(self, viewer: Viewer, message: ReviewLine) -> None:
        if self._review is not None and not message.again:
            return  # the other one's page has begun it
        self._end_review()
        line = [node for node in self.board.line if message.again or self.board.review_of(node) is None]
        identities = [self.board.id_of(node) for node in line]
        wanted = max(sum(node.move != PASS for node in line), 1)
        game = self.board.game
        count = 0

        def work(_: Interruption) -> Iterator[JudgedMove]:
            return review(line, lambda position: thinking.judged(position, message.seconds, self._values))

        def progress(done: bool) -> None:
            share = 1.0 if done else count / wanted
            self._send_all(encoded({"type": "review", "done": done, "progress": share, "line": identities}))

        def tell(found: JudgedMove) -> None:
            nonlocal count
            if self.board.game is not game:
                return
            count += 1
            self.board.reviewed(found.node, Review.of(found))
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
            self._send_all(encoded({"type": "review", "done": True, "progress": 1.0, "line": []}))
            if not self._closed:
                self._spawn(self._keep())

    async def _keep(self) -> None:
        async with self._alone():
            await self._kept()

    @contextlib.asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Nobody else changes the board, for which its owner has to wait where he has had much."""
        async with self.lock, self._turnstile.passed(self.board.owner):
            yield

    def _spawn(self, work: Any) -> None:
        async def guarded() -> None:
            try:
                await work
            except Exception:
                log.exception("a board's work failed")
                self._refuse_all(Fault("web.cannot-now"))

        task = asyncio.get_running_loop().create_task(guarded())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
