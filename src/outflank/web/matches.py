"""Matches between two players, run from the page: each in a process of its own, its games in the arena's store.

The process is `outflank match`, which loses nothing when it is stopped; how the match stands is read from the store,
as anybody else could. So a match never takes the server's interpreter, and survives it.
"""

import asyncio
import contextlib
import logging
import os
import secrets
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from outflank.arena.contest import Conditions, Player
from outflank.arena.match import MatchResult, counted
from outflank.arena.openings import openings_named
from outflank.arena.store import Store, StoredGame
from outflank.board.position import Outcome
from outflank.board.upkeep import let_oldest_go
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.search.limits import Limit
from outflank.web.faults import NO_PROBLEM, NotFoundError, told, without_folders
from outflank.web.guard import Buckets
from outflank.web.lanes import BusyError
from outflank.web.players import Players
from outflank.web.schemas import MatchAsked, finite
from outflank.web.turns import ADDRESSES, address_of
from outflank.web.views import color_name
from outflank.work.places import give_way

FILE = "matches.sqlite"
AT_ONCE = 1
"""Matches that run at a time; others wait."""
WAITING, WAITING_OF_ONE_ADDRESS = 100, 20
"""Matches that run or wait."""
MATCHES_A_SECOND, MATCHES_AT_ONCE = 0.1, 30.0
"""New matches of one address: each is a process, which takes a moment of a core even if it is stopped at once."""
REMEMBERED = 200
POLL = 0.4
RECENT = 20
NICE = 10
"""A match is the least urgent of all that a server does."""
SECONDS_TO_STOP = 5.0
LONGEST = 3600.0
"""Seconds that a match may take; it can be begun again and goes on."""

log = logging.getLogger("outflank.web")


@dataclass
class Running:
    """A match of the page."""

    id: str
    visitor: str
    asked: MatchAsked
    players: tuple[Player, Player]
    conditions: Conditions
    data: dict[str, Any] = field(default_factory=dict)
    running: bool = True
    error: dict[str, Any] | None = None
    task: "asyncio.Task[None] | None" = None
    turn: asyncio.Event = field(default_factory=asyncio.Event)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def pairs(self) -> int:
        return (self.asked.games + 1) // 2

    @property
    def address(self) -> str:
        return address_of(self.visitor)

    def tell(self) -> None:
        """Wakes everybody who waits for news."""
        self.changed.set()
        self.changed = asyncio.Event()


class Matches:
    """The matches of a server."""

    def __init__(self, folder: Path, players: Players) -> None:
        self.file = folder / FILE
        self._players = players
        self._matches: dict[str, Running] = {}
        self._waiting: list[Running] = []
        self._turns: dict[str, int] = {}  # the number of the latest that an address has had
        self._playing = 0
        self._new = Buckets(MATCHES_A_SECOND, MATCHES_AT_ONCE)

    def start(self, asked: MatchAsked, visitor: str) -> Running:
        """Begins a match; the visitor's earlier one is stopped."""
        first, second = (Player.named(str(self._players.chosen(name).spec)) for name in (asked.a, asked.b))
        if "human" in (asked.a, asked.b):
            raise Fault("web.match-with-person")
        variant = Variant.named(asked.variant)
        if not self._new.take(address_of(visitor)):
            raise BusyError("web.busy")
        for match in self._matches.values():
            if match.visitor == visitor and match.running:
                self.stop(match)
        self._make_room(address_of(visitor))
        seed = secrets.randbelow(2**31) if asked.seed is None else asked.seed
        openings = openings_named(asked.openings, variant, seed).name
        conditions = Conditions(variant, Limit(time=asked.seconds), openings, seed)
        match = Running(secrets.token_urlsafe(12), visitor, asked, (first, second), conditions)
        match.data = self._data(match, MatchResult((first.spec, second.spec)), [])
        self._matches[match.id] = match
        self._waiting.append(match)
        self._give_turns()
        match.task = asyncio.get_running_loop().create_task(self._run(match))
        return match

    def _make_room(self, address: str) -> None:
        """Forgets a match that has ended, the oldest of the address that has most; one that runs stays."""
        running = Counter(match.address for match in self._matches.values() if match.running)
        if running[address] >= WAITING_OF_ONE_ADDRESS:
            raise BusyError("web.busy")
        if running.total() >= WAITING:
            self._stop_waiting(running, address)
        ended = [match for match in self._matches.values() if not match.running]
        if len(self._matches) >= REMEMBERED:
            counts = Counter(match.address for match in ended)
            del self._matches[max(ended, key=lambda match: counts[match.address]).id]

    def _stop_waiting(self, running: Counter[str], address: str) -> None:
        """Where too many wait, the latest of the address that has most gives way, if that has more than the new one."""
        greedy = max((match.address for match in self._waiting), key=running.__getitem__)
        if running[greedy] <= running[address] + 1:
            raise BusyError("web.busy")
        latest = next(match for match in reversed(self._waiting) if match.address == greedy)
        self._waiting.remove(latest)
        self.stop(latest)

    def _give_turns(self) -> None:
        """Lets the next one play: of the address that had its last turn longest ago."""
        while self._waiting and self._playing < AT_ONCE:
            match = min(self._waiting, key=lambda one: self._turns.get(one.address, 0))
            self._waiting.remove(match)
            self._turns[match.address] = 1 + max(self._turns.pop(match.address, 0), *self._turns.values(), 0)
            if len(self._turns) > ADDRESSES:
                del self._turns[next(iter(self._turns))]
            self._playing += 1
            match.turn.set()

    def find(self, identity: str) -> Running:
        if identity not in self._matches:
            raise NotFoundError("web.no-match")
        return self._matches[identity]

    @staticmethod
    def stop(match: Running) -> None:
        """What was played stays."""

        def cancel() -> None:
            if match.running and match.task is not None:
                match.task.cancel()

        # Not at once: a task that is cancelled before its first step never comes to its end.
        asyncio.get_running_loop().call_soon(cancel)

    async def close(self) -> None:
        for match in self._matches.values():
            self.stop(match)
        tasks = [match.task for match in self._matches.values() if match.task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)

    # Running one

    async def _run(self, match: Running) -> None:
        try:
            await match.turn.wait()
            await self._play(match)
        except asyncio.CancelledError:
            pass
        except ValueError as error:
            match.error = told(error)
        except Exception:
            log.exception("a match failed")
            match.error = told(Fault("web.match-failed"))
        finally:
            if match.turn.is_set():
                self._playing -= 1
            elif match in self._waiting:
                self._waiting.remove(match)
            self._give_turns()
            match.running = False
            with contextlib.suppress(Exception):
                match.data = await asyncio.to_thread(self._standing, match)
            match.data |= {"running": False, **(match.error or NO_PROBLEM)}
            match.tell()

    async def _play(self, match: Running) -> None:
        process = await asyncio.create_subprocess_exec(
            *self._command(match),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        give_way(NICE, process.pid)
        assert process.stderr is not None
        said = asyncio.create_task(process.stderr.read())
        until = time.monotonic() + LONGEST
        try:
            ended = asyncio.create_task(process.wait())
            while not ended.done() and time.monotonic() < until:
                await asyncio.wait([ended], timeout=POLL)
                data = await asyncio.to_thread(self._standing, match)
                if data != match.data:
                    match.data = data
                    match.tell()
            if ended.done() and process.returncode:
                last = (await said).decode(errors="replace").strip().splitlines()[-1:]
                raise ValueError(last[0].removeprefix("outflank: ")) if last else Fault("web.match-ended")
        finally:
            await _ended(process)
            said.cancel()
            await asyncio.to_thread(let_oldest_go)  # for weights from a page it compiles what nobody uses again

    def _command(self, match: Running) -> list[str]:
        asked, conditions = match.asked, match.conditions
        return [
            *(sys.executable, "-m", "outflank", "match", *(player.spec for player in match.players)),
            *("--games", str(asked.games), "--variant", conditions.variant.name, "--openings", asked.openings),
            *("--seed", str(conditions.seed), "--store", str(self.file), "--jobs", "1"),
            *(("--time", str(asked.seconds)) if asked.seconds is not None else ()),
        ]

    def _standing(self, match: Running) -> dict[str, Any]:
        """How a match stands, from the store; in a thread."""
        first, second = match.players
        with Store(self.file) as store:
            contest = store.contest(match.conditions)
            count, _ = counted(store, contest, first, second, match.pairs, None)
            recent = store.games(contest, between=match.players, latest=RECENT)
            return self._data(match, count.result((first.spec, second.spec)), list(recent))

    def _data(self, match: Running, result: MatchResult, recent: list[StoredGame]) -> dict[str, Any]:
        return {
            **result.to_dict(),
            "players": [self._players.shown(player.spec) for player in match.players],
            "elo": finite(result.elo),
            "id": match.id,
            "running": match.running,
            **(match.error or NO_PROBLEM),
            "scheduled": 2 * match.pairs,
            "recent": [game_data(game, self._players) for game in recent],
        }


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Asks the process to stop, as Ctrl-C does, and ends it when it does not."""
    if process.returncode is not None:
        return
    for stop in (process.terminate if os.name == "nt" else partial(process.send_signal, signal.SIGINT), process.kill):
        with contextlib.suppress(ProcessLookupError):
            stop()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), SECONDS_TO_STOP)
            return


def game_data(game: StoredGame, players: Players) -> dict[str, Any]:
    """A stored game as the page lists and replays it."""
    result = game.at.result
    black, white = (game.at.first, game.at.second) if game.at.first_color == 0 else (game.at.second, game.at.first)
    outcome = Outcome(result.winner, result.score, "" if result.forfeit is None else result.forfeit.reason)
    return {
        "number": game.at.number,
        "black": players.shown(black.spec),
        "white": players.shown(white.spec),
        "result": without_folders(str(outcome)),
        "winner": color_name(result.winner),
        "score": result.score,
        "variant": game.variant,
        "start": game.record.opening.start or None,
        "moves": game.record.moves,
        "forfeit": None if result.forfeit is None else without_folders(result.forfeit.reason),
    }
