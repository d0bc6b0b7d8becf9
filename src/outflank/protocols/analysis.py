"""The analysis protocol: other programs ask about many positions at once, one JSON object per line.

Queries have ids, and answers come as they are ready. One thread listens; several think, each with an engine of its own,
and take the query of the highest priority that waits. A query that limits its search by depth, nodes or level finds an
empty table, so that its answer does not depend on what was asked before it.
"""

import heapq
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from outflank import __version__
from outflank.board.position import Position
from outflank.board.squares import square_name
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.library.analysis import DEFAULT_SECONDS, Analyst, PositionAnalysis
from outflank.protocols.faults import told
from outflank.protocols.lines import LineBuffer
from outflank.protocols.queries import Id, Line, Query, Terminate, Wrong, positions, read
from outflank.search.driver import Interruption, Stop, ended_after, followed, interruptible
from outflank.search.engine.engine import STRONG, Engine
from outflank.search.engine.levels import level_numbered
from outflank.search.engine.solver import Question, Solver
from outflank.search.limits import UNLIMITED, Limit, Report
from outflank.work.waiting import Bell, Source, ready

PROTOCOL = 1
PATIENCE = 10.0
"""Seconds in which a thread must have ended: one that waits for a host that reads nothing is left behind."""
MOST_WAITING = 20_000
"""Positions that may wait; a host that sends more has to wait itself."""

Data = dict[str, Any]
Hear = Callable[[Data], None]


@dataclass(order=True)
class Task:
    """One position of a query. The highest priority goes first, and of equals the one asked first."""

    rank: tuple[int, int]
    query: Query = field(compare=False)
    turn: int = field(compare=False)
    position: Position = field(compare=False)
    interruption: Interruption = field(default_factory=Interruption, compare=False)

    @property
    def head(self) -> Data:
        """What every answer about this position begins with."""
        position = self.position
        return {
            "id": self.query.id,
            "turn": self.turn,
            "variant": position.variant.name,
            "position": position.text,
            "side": str(position.turn).lower(),
        }


class Thinker:
    """What one thread thinks with: an engine and, once it is asked for one, a solver."""

    def __init__(self, threads: int, hash_mb: float) -> None:
        self._threads, self._hash_mb = threads, hash_mb
        self._engine = Engine(threads, hash_mb)
        self._solver: Solver | None = None

    def prepare(self, variant: Variant) -> None:
        """Loads what a search needs, before any clock runs."""
        self._engine.prepare(variant)

    def answer(self, query: Query, position: Position, hear: Hear) -> Data:
        """Answers a query about a position; `hear` gets interim answers."""
        began = time.perf_counter()

        def timed(found: Data, nodes: int) -> Data:
            return {**found, "nodes": nodes, "seconds": round(time.perf_counter() - began, 3)}

        if position.is_over:
            return timed(_of_moves(PositionAnalysis(position, ()), query), 0)
        if query.want == "moves":
            if query.time is None:
                self._engine.prepare(position.variant)
            analyst = Analyst(self._engine, query.limit, query.level)
            moves = analyst.position(position, lambda found: hear(timed(_of_moves(found, query), self._engine.nodes)))
            return timed(_of_moves(moves, query), self._engine.nodes)

        def shown(report: Report) -> Data:
            return timed(_of_one(report), report.nodes)

        search = self._best if query.want == "best" else self._solved
        return shown(search(query, position, lambda report: hear(shown(report))))

    def _best(self, query: Query, position: Position, progress: Callable[[Report], None]) -> Report:
        limit, level = query.limit, STRONG if query.level is None else level_numbered(query.level)
        if limit == UNLIMITED and query.level is None:
            limit = Limit(time=DEFAULT_SECONDS)
        if limit.time is None:
            self._engine.prepare(position.variant)
        with followed(progress):
            return self._engine.choose(position, limit, level=level)

    def _solved(self, query: Query, position: Position, progress: Callable[[Report], None]) -> Report:
        self._solver = self._solver or Solver(self._hash_mb, self._threads)
        stop = Stop()
        with ended_after(query.time, stop):
            return self._solver.solve(position, Question(wld=query.want == "winner"), stop, progress)


def _of_moves(found: PositionAnalysis, query: Query) -> Data:
    best, score = found.best, found.score
    if score is not None and query.want == "winner":
        score = float((score > 0) - (score < 0))
    moves = {"moves": [hint.data() for hint in found.hints[: query.top]]} if query.want == "moves" else {}
    return {
        "move": None if best is None else square_name(best.move),
        "score": None if score is None else score + 0.0,
        "exact": found.position.is_over or (bool(found.hints) and found.is_exact),
        "depth": found.depth,
        "pv": [] if best is None else [square_name(move) for move in best.pv],
        **moves,
    }


def _of_one(report: Report) -> Data:
    return {
        "move": square_name(report.move),
        "score": None if report.score is None else report.score + 0.0,
        "exact": report.exact,
        "depth": report.depth,
        "pv": [square_name(move) for move in report.pv],
    }


class AnalysisEngine:
    """A conversation, with so many positions at work at a time."""

    def __init__(
        self,
        descriptor: int,
        write: Callable[[bytes], object],
        variant: Variant,
        jobs: int = 1,
        threads: int = 1,
        hash_mb: float = 32.0,
    ) -> None:
        self._source, self._write, self._variant = Source(descriptor), write, variant
        self._thinkers = [Thinker(threads, hash_mb) for _ in range(jobs)]
        self._speaking = threading.Lock()
        self._changed = threading.Condition()
        self._waiting: list[Task] = []
        self._running: list[Task] = []
        self._left: Counter[Id] = Counter()
        """How many answers each query still has to get."""
        self._asked = 0
        self._ends = self._gone = False
        """Whether it ends when all is answered; whether nobody waits for answers any more."""
        self._over = Bell()
        """Rung once nobody hears our answers any more."""

    def run(self, output: int | None = None) -> None:
        """Listens until the input ends, and answers all that was asked by then. A host that is gone ends it at once:
        where the answers' descriptor is known, also one that is gone before any answer is ready."""
        threads = [threading.Thread(target=self._think, args=(each,), daemon=True) for each in self._thinkers]
        watching = [] if output is None else [threading.Thread(target=self._watch, args=(output,), daemon=True)]
        for thread in (*threads, *watching):
            thread.start()
        try:
            self._listen()
            self._end(at_once=False)
            for thread in threads:
                thread.join()
        except BrokenPipeError:
            pass  # the host is gone: nobody is left to answer to
        finally:
            self._end(at_once=True)
            for thread in (*threads, *watching):
                thread.join(PATIENCE)
            if not any(thread.is_alive() for thread in (*threads, *watching)):
                self._over.close()

    def _watch(self, output: int) -> None:
        """Waits for the host to hear nothing any more: a search that nobody waits for must not go on for ever."""
        if output in ready(None, [self._over.descriptor], ending=[output]):
            self._end(at_once=True)

    # Listening

    def _listen(self) -> None:
        buffer = LineBuffer()
        while self._over.descriptor not in ready(None, [self._source.descriptor, self._over.descriptor]):
            data = self._source.read()
            lines = buffer.feed(data) if data else [buffer.rest()]
            for line in lines:
                if line.strip():
                    self._hear(line)
            if not data:
                return

    def _hear(self, text: str) -> None:
        line = read(text)
        if isinstance(line, Wrong):
            self._refuse(line.id, line.why)
        elif isinstance(line, Query):
            try:
                self._accept(line)
            except Fault as error:
                self._refuse(line.id, error)
        else:
            self._act(line)

    def _accept(self, query: Query) -> None:
        found = positions(query, self._variant)
        with self._changed:
            if self._left[query.id]:
                raise Fault("analysis.id-taken", id=query.id)
            self._changed.wait_for(lambda: len(self._waiting) < MOST_WAITING or self._ends)
            if self._gone:
                return  # the host went while we read this: nobody would ever stop a search for it
            self._left[query.id] = len(found)
            for turn, position in found.items():
                self._asked += 1
                heapq.heappush(self._waiting, Task((-query.priority, self._asked), query, turn, position))
            self._changed.notify_all()

    def _act(self, line: Line) -> None:
        action = getattr(line, "action", "")
        if action == "version":
            about = {"version": __version__, "protocol": PROTOCOL, "jobs": len(self._thinkers)}
            self._say({"id": line.id, "action": action, **about, "variant": self._variant.name})
            return
        target = line.target if isinstance(line, Terminate) else None
        ended = self._terminate(lambda task: target is None or task.query.id == target)
        self._say({"id": line.id, "action": action, **({} if target is None else {"target": target}), "count": ended})

    def _terminate(self, chosen: Callable[[Task], bool]) -> int:
        """Ends what waits and what runs; what runs still says what it has found."""
        with self._changed:
            given_up = sorted(task for task in self._waiting if chosen(task))
            self._waiting = [task for task in self._waiting if not chosen(task)]
            heapq.heapify(self._waiting)
            running = [task for task in self._running if chosen(task)]
            for task in running:
                task.interruption.set()
            self._changed.notify_all()
        for task in given_up:
            known = _of_moves(PositionAnalysis(task.position, ()), task.query)
            self._finish(task, {**task.head, "done": True, "stopped": True, **known, "nodes": 0, "seconds": 0.0})
        return len(given_up) + len(running)

    # Thinking

    def _think(self, thinker: Thinker) -> None:
        with suppress(Exception):  # what fails here is told when it is asked
            thinker.prepare(self._variant)
        while (task := self._next()) is not None:
            try:
                self._finish(task, self._answer(thinker, task))
            except OSError:
                self._end(at_once=True)  # nobody hears us

    def _next(self) -> Task | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._ends)
            if not self._waiting:
                return None
            task = heapq.heappop(self._waiting)
            self._running.append(task)
            self._changed.notify_all()
            return task

    def _answer(self, thinker: Thinker, task: Task) -> Data:
        query, last = task.query, -float("inf")

        def hear(found: Data) -> None:
            nonlocal last
            now = time.perf_counter()
            if query.every is not None and now - last >= query.every and not task.interruption.is_set:
                last = now
                self._say({**task.head, "done": False, **found})

        try:
            with interruptible(task.interruption):
                found = thinker.answer(query, task.position, hear)
        except BrokenPipeError:
            raise
        except Exception as error:  # whatever goes wrong with one query, the others are answered
            return {"id": query.id, "turn": task.turn, **told(error)}
        return {**task.head, "done": True, "stopped": task.interruption.is_set, **found}

    # Answering

    def _finish(self, task: Task, answer: Data) -> None:
        """The last answer about a position. Whoever has read it finds the query ended and, after the last one, its id
        free."""
        with self._changed:
            if task in self._running:
                self._running.remove(task)
            self._left[task.query.id] -= 1
            if not self._left[task.query.id]:
                del self._left[task.query.id]
        self._say(answer)

    def _refuse(self, identity: Id | None, why: Fault) -> None:
        self._say({"id": identity, **told(why)})

    def _say(self, answer: Data) -> None:
        """Sends one line, whole and at once."""
        with self._speaking:
            self._write(json.dumps(answer).encode() + b"\n")

    def _end(self, at_once: bool) -> None:
        """Ends when all is answered, or at once."""
        with self._changed:
            if at_once:
                self._gone = True
                self._waiting.clear()
                for task in self._running:
                    task.interruption.set()
                self._over.ring()
            self._ends = True
            self._changed.notify_all()
