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
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outflank.arena.contest import Conditions
from outflank.arena.match import Match, MatchResult
from outflank.arena.openings import openings_named
from outflank.arena.store import Store, StoredGame
from outflank.board.position import Outcome
from outflank.board.variant import Variant
from outflank.search.limits import Limit
from outflank.web.players import Players, without_folders
from outflank.web.schemas import MatchAsked
from outflank.web.views import color_name, finite

FILE = "matches.sqlite"
AT_ONCE = 1
"""Matches that run at a time; others wait."""
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
    specs: tuple[str, str]
    seed: int
    variant: Variant
    openings: str
    scheduled: int
    data: dict[str, Any] = field(default_factory=dict)
    running: bool = True
    error: str | None = None
    task: "asyncio.Task[None] | None" = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

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
        self._turns = asyncio.Semaphore(AT_ONCE)

    def start(self, asked: MatchAsked, visitor: str) -> Running:
        """Begins a match; the visitor's earlier one is stopped."""
        first, second = (str(self._players.chosen(name, visitor).spec) for name in (asked.a, asked.b))
        if "human" in (asked.a, asked.b):
            raise ValueError("a match is between two players: people play on a board")
        variant = Variant.named(asked.variant)
        for match in self._matches.values():
            if match.visitor == visitor and match.running and match.task is not None:
                match.task.cancel()
        seed = secrets.randbelow(2**31) if asked.seed is None else asked.seed
        match = Running(
            secrets.token_urlsafe(12),
            visitor,
            asked,
            (first, second),
            seed,
            variant,
            asked.openings,
            2 * ((asked.games + 1) // 2),
        )
        match.data = self._data(match, MatchResult((first, second)), [])
        self._matches[match.id] = match
        while len(self._matches) > REMEMBERED:
            oldest = next(iter(self._matches))
            self._stop(self._matches.pop(oldest))
        match.task = asyncio.get_running_loop().create_task(self._run(match))
        return match

    def find(self, identity: str) -> Running | None:
        return self._matches.get(identity)

    def stop(self, identity: str) -> None:
        self._stop(self._matches[identity])

    @staticmethod
    def _stop(match: Running) -> None:
        if match.task is not None:
            match.task.cancel()

    async def close(self) -> None:
        tasks = [match.task for match in self._matches.values() if match.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # Running one

    async def _run(self, match: Running) -> None:
        try:
            async with self._turns:
                await self._play(match)
        except asyncio.CancelledError:
            pass
        except ValueError as error:
            match.error = without_folders(str(error))
        except Exception:
            log.exception("a match failed")
            match.error = "the match failed; the server's log says why"
        finally:
            match.running = False
            with contextlib.suppress(Exception):
                match.data = await asyncio.to_thread(self._standing, match)
            match.data |= {"running": False, "error": match.error}
            match.tell()

    async def _play(self, match: Running) -> None:
        process = await asyncio.create_subprocess_exec(
            *self._command(match),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
        assert process.stderr is not None
        said = asyncio.create_task(process.stderr.read())
        until = time.monotonic() + LONGEST
        try:
            ended = asyncio.create_task(process.wait())
            while not ended.done() and time.monotonic() < until:
                await asyncio.wait([ended], timeout=POLL)
                await self._look(match)
            if ended.done() and process.returncode:
                last = (await said).decode(errors="replace").strip().splitlines()[-1:]
                raise ValueError(last[0].removeprefix("outflank: ") if last else "the match ended early")
        finally:
            await _ended(process)
            said.cancel()

    def _command(self, match: Running) -> list[str]:
        asked = match.asked
        return [
            *(sys.executable, "-m", "outflank", "match", *match.specs),
            *("--games", str(asked.games), "--variant", match.variant.name, "--openings", match.openings),
            *("--seed", str(match.seed), "--store", str(self.file), "--jobs", "1"),
            *(("--time", str(asked.seconds)) if asked.seconds is not None else ()),
        ]

    async def _look(self, match: Running) -> None:
        data = await asyncio.to_thread(self._standing, match)
        if data != match.data:
            match.data = data
            match.tell()

    def _standing(self, match: Running) -> dict[str, Any]:
        """How a match stands, from the store; in a thread."""
        beginnings = openings_named(match.openings, match.variant, match.seed)
        limit = Limit(time=match.asked.seconds)
        conditions = Conditions(match.variant, limit, beginnings.name, match.seed)
        with Store(self.file) as store:
            played = Match(*match.specs, match.asked.games, conditions, beginnings, store)
            contest = store.contest(conditions)
            games = list(store.games(contest))
            return self._data(match, played.result(), games[-RECENT:])

    def _data(self, match: Running, result: MatchResult, recent: list[StoredGame]) -> dict[str, Any]:
        data = result.to_dict()
        del data["llr"]
        return {
            **data,
            "players": [self._players.shown(spec) for spec in match.specs],
            "elo": finite(result.elo),
            "superiority": result.superiority,
            "pentanomial": list(result.pentanomial),
            "id": match.id,
            "running": match.running,
            "error": match.error,
            "scheduled": match.scheduled,
            "recent": [game_data(game, self._players) for game in recent],
        }


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Asks the process to stop, as Ctrl-C does, and ends it when it does not."""
    if process.returncode is not None:
        return
    for number, patience in ((signal.SIGINT, SECONDS_TO_STOP), (signal.SIGKILL, SECONDS_TO_STOP)):
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), patience)
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


def games_of(store: Store, contest: int, members: set[str], players: Players) -> Iterator[dict[str, Any]]:
    """The games of an event, by the specs of its players."""
    for game in store.games(contest):
        if game.at.first.spec in members and game.at.second.spec in members:
            yield game_data(game, players)
