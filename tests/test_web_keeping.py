"""What a server keeps for its visitors: nobody's boards or matches go because somebody else has many."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.requests import HTTPConnection

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
from outflank.web.schemas import MatchAsked, ReportOut
from outflank.web.services import Services
from outflank.web.settings import Settings
from outflank.web.viewers import Viewer
from outflank.web.visitors import COOKIE, NEW_AT_ONCE, Visitors

FOUR = Variant.named("4x4")
HERE, THERE = "10.0.0.1", "10.0.0.2"
GAME = "f5d6c3d3c4f4f6f3e6e7d7c6"


# Boards


def kept_boards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: dict[str, int], body: Callable[[Keeper], Awaitable[None]]
) -> None:
    for name, value in limits.items():
        monkeypatch.setattr(keeper, name, value)

    async def main() -> None:
        kept = Keeper(tmp_path)
        try:
            await body(kept)
        finally:
            kept.close()

    asyncio.run(main())


async def boards_of(kept: Keeper, owners: Iterable[str]) -> list[Board]:
    boards = [Board(Game(), (HUMAN, HUMAN)) for _ in owners]
    for board, owner in zip(boards, owners, strict=True):
        board.owner = owner
        await kept.add(board)
    return boards


async def there(kept: Keeper, boards: list[Board]) -> list[bool]:
    return [await kept.load(board.id) is not None for board in boards]


def test_whoever_begins_too_many_boards_loses_his_own_oldest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(kept: Keeper) -> None:
        (played,) = await boards_of(kept, [f"{HERE} me"])
        others = await boards_of(kept, [f"{HERE} other", THERE])
        mine = await boards_of(kept, [f"{HERE} me"] * 4)
        await kept.save(played)
        mine += await boards_of(kept, [f"{HERE} me"] * 3)
        assert await there(kept, [played, *mine]) == [True, *[False] * 3, *[True] * 4], "played on last is not oldest"
        assert await there(kept, others) == [True] * 2

    kept_boards(tmp_path, monkeypatch, {"OF_ONE_VISITOR": 5}, body)


@pytest.mark.parametrize("limit", ["OF_ONE_ADDRESS", "MOST_BOARDS"])
def test_nobody_loses_a_board_to_many_visitors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    """Twenty thousand boards of one person, each under another name, once deleted everybody's."""

    async def body(kept: Keeper) -> None:
        honest = await boards_of(kept, [f"{HERE} honest", f"{HERE} honest"])
        flood = await boards_of(kept, [f"{HERE} {number}" for number in range(8)])
        with pytest.raises(BusyError, match="too many boards"):
            await boards_of(kept, [f"{HERE} another"])
        assert await there(kept, honest + flood) == [True] * 10
        honest += await boards_of(kept, [f"{HERE} honest"])
        assert await there(kept, honest + flood) == [False] + [True] * 10, "who has some pays with his own"
        if limit == "OF_ONE_ADDRESS":
            await boards_of(kept, [THERE])

    kept_boards(tmp_path, monkeypatch, {limit: 10}, body)


def test_where_there_is_no_room_boards_that_nobody_wants_make_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body(kept: Keeper) -> None:
        boards = await boards_of(kept, [f"{HERE} {number}" for number in range(3)])
        old, unplayed, recent = boards
        await kept.save(old)
        await kept.save(recent)
        for board, days in ((old, keeper.SPARE_DAYS), (unplayed, keeper.UNPLAYED_DAYS), (recent, keeper.UNPLAYED_DAYS)):
            ago = "UPDATE boards SET touched = touched - ? WHERE id = ?"
            await kept._do(kept._database.execute, ago, (days * keeper.DAY + 60, board.id))
        await boards_of(kept, [f"{HERE} new"])
        assert await there(kept, boards) == [False, False, True]

    kept_boards(tmp_path, monkeypatch, {"OF_ONE_ADDRESS": 3}, body)


def test_a_board_that_went_while_it_was_played_is_its_owners_again(tmp_path: Path) -> None:
    async def body() -> None:
        kept = Keeper(tmp_path)
        (board,) = await boards_of(kept, [f"{HERE} me"])
        await kept.delete(board.id)
        await kept.save(board)
        found = await kept.load(board.id)
        assert found is not None and found.owner == f"{HERE} me"
        kept.close()

    asyncio.run(body())


def test_boards_of_an_earlier_version_are_still_there(tmp_path: Path) -> None:
    async def load() -> list[Board | None]:
        before = Keeper(tmp_path)
        old, new = (Board(Game.from_transcript(GAME), (HUMAN, HUMAN)) for _ in range(2))
        await before.save(old)
        before.close()
        with sqlite3.connect(tmp_path / keeper.FILE) as database:
            database.execute("DROP INDEX boards_address")
            database.execute("DROP INDEX boards_visitor")
            for column in ("address", "visitor", "played"):
                database.execute(f"ALTER TABLE boards DROP COLUMN {column}")
            database.execute("DROP TABLE server")
            database.execute("PRAGMA user_version = 1")
        database.close()
        now = Keeper(tmp_path)
        new.owner = HERE
        await now.add(new)
        found = [await now.load(board.id) for board in (old, new)]
        now.close()
        return found

    assert [board is not None and board.game.transcript for board in asyncio.run(load())] == [GAME, GAME]


# Visitors


def connection(cookie: str, address: str = HERE) -> HTTPConnection:
    headers = [(b"cookie", f"{COOKIE}={cookie}".encode())] if cookie else []
    return HTTPConnection({"type": "http", "headers": headers, "client": (address, 1)})


def test_an_invented_cookie_makes_no_visitor() -> None:
    visitors = Visitors(b"key")
    cookie = visitors.cookie(HERE)
    assert cookie is not None
    assert visitors.of(connection(cookie)).startswith(f"{HERE} ")
    assert Visitors(b"key").of(connection(cookie)) == visitors.of(connection(cookie)), "after a restart too"
    for invented in ("", "me", "me.", ".", cookie[1:], f"x{cookie}", f"{cookie}x", "é.é"):
        assert visitors.of(connection(invented)) == HERE
    assert Visitors(b"another key").of(connection(cookie)) == HERE


def test_an_address_gets_so_many_cookies_and_no_more() -> None:
    visitors = Visitors(b"key")
    given = [visitors.cookie(HERE) for _ in range(2 * int(NEW_AT_ONCE))]
    assert len(set(given)) < 1.5 * NEW_AT_ONCE and given[-1] is None
    assert visitors.cookie(THERE)


def test_a_server_knows_its_visitors_after_a_restart(tmp_path: Path) -> None:
    keys = []
    for _ in range(2):
        kept = Keeper(tmp_path)
        keys.append(kept.key)
        kept.close()
    assert len(keys[0]) == 32 and keys[0] == keys[1]


def test_what_a_review_had_found_is_kept_when_everybody_has_left(tmp_path: Path) -> None:
    async def look() -> None:
        services = Services(Settings(state=tmp_path), 1)
        room = await services.rooms.add(Board(Game.from_transcript(GAME), (HUMAN, HUMAN)), HERE)
        viewer = Viewer(HERE)
        await room.enter(viewer)
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
                running.stop(other)
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


def test_no_queue_is_so_long_that_a_match_goes_or_an_address_cannot_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body(running: Matches, played: list[str], end: asyncio.Event) -> None:
        mine = running.start(ASKED, "10.1.0.1")
        await asyncio.sleep(0)
        others, refused = [], 0
        for number in range(201):
            try:
                others.append(running.start(ASKED, f"10.0.0.{number % 4} {number}"))
            except BusyError:
                refused += 1
            await asyncio.sleep(0)
        assert refused and running.find(mine.id) is mine and mine.running and played == ["10.1.0.1"]
        crowd = [running.start(ASKED, f"10.2.0.{number}") for number in range(60)]
        late = running.start(ASKED, "10.3.0.1")
        while sum(match.running for match in running._matches.values()) > matches.WAITING:
            await asyncio.sleep(0.01)
        assert all(match.running for match in (mine, late, *crowd)), "only those of whoever had many have given way"
        end.set()

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
            # Nobody's file has changed here: they play without a fingerprint, and are kept under it.
            store.add(contest, [(game, table.play(replace(game, first=Player("greedy")))) for game in games])
        plan = {"players": [[one.spec, one.fingerprint] for one in (now, other)], "pairs": 4, "sprt": None}
        store.note_event(contest, "match", plan)
        event = store.event()

    async def look() -> None:
        services = Services(Settings(state=tmp_path / "state", stores=(tmp_path / "class.sqlite",)), 1)
        try:
            answer = await arena.event_report(services, HERE, "0", event.id)
            found = ReportOut.model_validate_json(bytes(answer.body))
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
