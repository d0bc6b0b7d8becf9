"""What a server keeps for its visitors: nobody's boards or matches go because somebody else has many."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from outflank.arena.contest import Conditions, Fixture, Player
from outflank.arena.openings import openings_named
from outflank.arena.session import pairing_fixtures
from outflank.arena.store import Store
from outflank.arena.table import Table
from outflank.board.game import Game
from outflank.board.variant import Variant
from outflank.search.limits import Limit
from outflank.web import arena, keeper, matches
from outflank.web.boards import HUMAN, Board
from outflank.web.keeper import Keeper
from outflank.web.lanes import BusyError
from outflank.web.matches import Matches, Running
from outflank.web.messages import READER
from outflank.web.players import Players
from outflank.web.schemas import MatchAsked
from outflank.web.services import Services
from outflank.web.settings import Settings
from outflank.web.viewers import Viewer

FOUR = Variant.named("4x4")
HERE, THERE = "10.0.0.1", "10.0.0.2"
GAME = "f5d6c3d3c4f4f6f3e6e7d7c6"


# Boards


def test_whoever_has_most_boards_loses_his_oldest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "MOST_BOARDS", 10)

    async def fill() -> tuple[list[bool], list[bool]]:
        kept = Keeper(tmp_path)
        few = [Board(Game(), (HUMAN, HUMAN)) for _ in range(3)]
        many = [Board(Game(), (HUMAN, HUMAN)) for _ in range(30)]
        for board in few:
            await kept.save(board, THERE)
        for board in many:
            await kept.save(board, HERE)
        await kept.save(many[0])
        kept._tidy()
        found = [[await kept.load(board.id) is not None for board in boards] for boards in (few, many)]
        kept.close()
        return found[0], found[1]

    few, many = asyncio.run(fill())
    assert few == [True] * 3
    assert many == [True] + [False] * 23 + [True] * 6, "its own oldest; the first has just been touched"


def test_boards_of_an_earlier_version_are_still_there(tmp_path: Path) -> None:
    async def load() -> list[Board | None]:
        before = Keeper(tmp_path)
        old, new = (Board(Game.from_transcript(GAME), (HUMAN, HUMAN)) for _ in range(2))
        await before.save(old)
        before.close()
        with sqlite3.connect(tmp_path / keeper.FILE) as database:
            database.execute("ALTER TABLE boards DROP COLUMN address")
            database.execute("PRAGMA user_version = 1")
        database.close()
        now = Keeper(tmp_path)
        await now.save(new, HERE)
        found = [await now.load(board.id) for board in (old, new)]
        now.close()
        return found

    assert [board is not None and board.game.transcript for board in asyncio.run(load())] == [GAME, GAME]


def test_what_a_review_had_found_is_kept_when_everybody_has_left(tmp_path: Path) -> None:
    async def look() -> None:
        services = Services.open(Settings(state=tmp_path), 1)
        room = await services.rooms.add(Board(Game.from_transcript(GAME), (HUMAN, HUMAN)), HERE)
        viewer = Viewer(HERE)
        room.enter(viewer)
        await room.hear(viewer, READER.validate_python({"type": "review", "seconds": 1}))
        while not room.board.notes:
            await asyncio.sleep(0.01)
        room.leave(viewer)
        await asyncio.gather(*room.tasks)
        board = await services.keeper.load(room.board.id)
        assert board is not None
        assert 0 < len(board.notes) < len(board.game.moves), "interrupted, and kept"
        await services.close()

    asyncio.run(look())


# Matches


def in_matches(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    body: Callable[[Matches, list[str], asyncio.Event], Awaitable[None]],
) -> None:
    """Matches that last until they are told to end; `played` has who had a turn."""

    async def main() -> None:
        played: list[str] = []
        end = asyncio.Event()

        async def play(self: Matches, match: Running) -> None:
            played.append(match.visitor)
            await end.wait()

        monkeypatch.setattr(Matches, "_play", play)
        running = Matches(tmp_path, Players(Settings()))
        try:
            await asyncio.wait_for(body(running, played, end), 60)
        finally:
            await running.close()

    asyncio.run(main())


ASKED = MatchAsked(a="greedy", b="random", games=2, variant="4x4")


def test_a_match_that_runs_is_not_forgotten_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "REMEMBERED", 4)

    async def body(running: Matches, _: list[str], end: asyncio.Event) -> None:
        async def others() -> None:
            for number in range(10):
                other = running.start(ASKED, f"{HERE} {number}")
                running.stop(other.id)
                assert other.task is not None
                await other.task

        mine = running.start(ASKED, THERE)
        await others()
        assert running.find(mine.id) is mine and mine.running
        end.set()
        assert mine.task is not None
        await mine.task
        await others()
        assert running.find(mine.id) is mine, "it has ended, but whoever has more loses his first"

    in_matches(tmp_path, monkeypatch, body)


def test_addresses_take_turns_with_their_matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(running: Matches, played: list[str], end: asyncio.Event) -> None:
        asked = [*(f"{HERE} {number}" for number in range(4)), THERE]
        begun = [running.start(ASKED, visitor) for visitor in asked]
        end.set()
        await asyncio.gather(*(match.task for match in begun if match.task is not None))
        assert played == [asked[0], THERE, *asked[1:4]]

    in_matches(tmp_path, monkeypatch, body)


def test_an_address_has_so_many_matches_waiting_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(running: Matches, _: list[str], end: asyncio.Event) -> None:
        for number in range(matches.WAITING_OF_ONE_ADDRESS):
            running.start(ASKED, f"{HERE} {number}")
        with pytest.raises(BusyError):
            running.start(ASKED, f"{HERE} another")
        assert running.start(ASKED, THERE).running

    in_matches(tmp_path, monkeypatch, body)


# Stores


def games_between(first: Player, second: Player, conditions: Conditions, pairs: int) -> list[Fixture]:
    openings = openings_named("random:2", FOUR, conditions.seed)
    return list(pairing_fixtures(first, second, pairs, conditions, openings, ()))


def test_results_are_those_of_the_players_listed_and_not_of_what_they_were(tmp_path: Path) -> None:
    now, before, other = Player("greedy", "as it is"), Player("greedy", "as it was"), Player("random")
    conditions, table = Conditions(FOUR, Limit(), "random:2", 1), Table()
    with Store(tmp_path / "class.sqlite") as store:
        contest = store.contest(conditions)
        for player, pairs in ((now, 4), (before, 3)):
            games = games_between(player, other, conditions, pairs)
            store.add(contest, [(game, table.play(game)) for game in games])
        plan = {"players": [[one.spec, one.fingerprint] for one in (now, other)], "pairs": 4, "sprt": None}
        event = store.event(contest, "match", plan)

    async def look() -> None:
        services = Services.open(Settings(state=tmp_path / "state", stores=(tmp_path / "class.sqlite",)), 1)
        try:
            found = await arena.event_report(services, HERE, "0", event.id)
            assert found.summary.games == len(found.games.id) == 8
        finally:
            await services.close()

    asyncio.run(look())


def test_looking_at_a_match_needs_no_right_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(running: Matches, _: list[str], end: asyncio.Event) -> None:
        match = running.start(ASKED, HERE)
        first, second = match.players
        fixtures = games_between(first, second, match.conditions, 1)
        with Store(running.file) as store:
            store.add(store.contest(match.conditions), [(game, Table().play(game)) for game in fixtures])
            with store._transaction():
                standing = await asyncio.to_thread(running._standing, match)
        assert (standing["games"], len(standing["recent"])) == (2, 2)

    monkeypatch.setattr("outflank.arena.store.PATIENCE", 0.2)
    in_matches(tmp_path, monkeypatch, body)
