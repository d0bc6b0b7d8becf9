"""Large boards and many messages: whoever has them waits for them himself."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi import WebSocketException

from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import square_name
from outflank.web import boards, live, rooms, routes
from outflank.web import room as room_module
from outflank.web.boards import HUMAN, Board
from outflank.web.connections import MESSAGES_AT_ONCE
from outflank.web.guard import Buckets
from outflank.web.live import NODES_A_MESSAGE, POLICY, WAITING, WARNINGS
from outflank.web.messages import READER
from outflank.web.room import LARGE, Room
from outflank.web.services import Services
from outflank.web.settings import Settings
from outflank.web.viewers import QUEUED_CHARACTERS, Viewer

HERE, THERE = "10.0.0.1", "10.0.0.2"


def branched(nodes: int) -> Board:
    """A board with so many nodes: every line of the first plies, one after the other."""
    board = Board(Game(), (HUMAN, HUMAN))
    at = 0
    while len(board.nodes) < nodes:
        position: Position = board.nodes[at].position
        for move in position.legal_moves:
            if len(board.nodes) < nodes:
                board.goto(at)
                board.move(square_name(move))
        at += 1
    return board


def with_services(tmp_path: Path, body: Callable[[Services], Awaitable[None]]) -> None:
    async def main() -> None:
        services = Services(Settings(state=tmp_path), 1)
        try:
            await asyncio.wait_for(body(services), 60)
        finally:
            await services.close()

    asyncio.run(main())


@pytest.mark.parametrize(("nodes", "apart"), [(LARGE - 1, False), (LARGE, True)])
def test_a_large_board_is_turned_and_shown_beside_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nodes: int, apart: bool
) -> None:
    threads: dict[str, bool] = {}

    def watched(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def watching(*arguments: Any, **options: Any) -> Any:
            threads[name] = threading.current_thread() is not threading.main_thread()
            return function(*arguments, **options)

        return watching

    async def body(services: Services) -> None:
        room = await services.rooms.add(branched(nodes), HERE)
        viewer = Viewer(HERE)
        for module in (room_module, routes):
            monkeypatch.setattr(module, "state_data", watched("shown", module.state_data))
        monkeypatch.setattr(Board, "turned", watched("turned", Board.turned))
        await room.enter(viewer)
        assert threads == {"shown": apart}
        await routes.board_state(services, HERE, room.board.id)
        assert threads.pop("shown") is apart
        await room.hear(viewer, READER.validate_python({"type": "turn", "symmetry": 3}))
        assert threads == {"turned": apart, "shown": apart}
        first, second = [json.loads(await viewer.next_text() or "") for _ in range(2)]
        assert len(first["nodes"]) == len(second["nodes"]) == nodes and first["nodes"] != second["nodes"]

    with_services(tmp_path, body)


def test_a_tree_has_so_many_nodes_and_no_more() -> None:
    board = branched(boards.MOST_NODES)
    with pytest.raises(ValueError, match="too many branches"):
        board.goto(0)
        board.move(square_name(board.position.legal_moves[0]))


def test_a_room_that_somebody_is_about_to_enter_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If it went, the next one would get another room for the same board, and one of them would be lost."""
    monkeypatch.setattr(rooms.Rooms, "SWEEP_ABOVE", 2)

    async def body(services: Services) -> None:
        room = await services.rooms.add(branched(LARGE), HERE)
        await room.lock.acquire()
        entering = asyncio.create_task(room.enter(Viewer(HERE)))
        await asyncio.sleep(0)
        for _ in range(5):
            await services.rooms.add(Board(Game(), (HUMAN, HUMAN)), THERE)
        assert await services.rooms.find(room.board.id) is room
        room.lock.release()
        await entering

    with_services(tmp_path, body)


# Messages


class Page:
    """The browser's end: says all it has at once, and does not hang up."""

    def __init__(self, said: list[dict[str, Any]]) -> None:
        self._said = [json.dumps(one) for one in said]
        self.sent: list[dict[str, Any]] = []

    async def receive(self) -> dict[str, Any]:
        await asyncio.sleep(0)
        if not self._said:
            await asyncio.Event().wait()
        return {"type": "websocket.receive", "text": self._said.pop(0)}

    async def send_text(self, text: str) -> None:
        self.sent.append(json.loads(text))


async def flooded(room: Room, page: Page, from_address: Buckets) -> WebSocketException:
    with pytest.raises(WebSocketException) as closed:
        await live._attend(page, room, Viewer(f"{HERE} me"), from_address)  # type: ignore[arg-type]
    return closed.value


def test_messages_are_counted_as_they_come_and_not_as_they_are_done(tmp_path: Path) -> None:
    """The first takes as long as it likes: those behind it wait, and beyond so many they are refused."""

    async def body(services: Services) -> None:
        room = await services.rooms.add(Board(Game(), (HUMAN, HUMAN)), HERE)
        begun = asyncio.Event()

        async def hear(*_: Any) -> None:
            begun.set()
            await over.wait()

        over = asyncio.Event()
        room.hear = hear  # type: ignore[method-assign, assignment]
        page = Page([{"type": "undo"}] * (WAITING + WARNINGS + 10))
        attending = asyncio.create_task(flooded(room, page, services.messages))
        await begun.wait()
        while sum(one["type"] == "error" for one in page.sent) < WARNINGS:
            await asyncio.sleep(0)
        over.set()
        assert (await attending).code == POLICY

    with_services(tmp_path, body)


def test_messages_of_an_address_are_counted_together_and_large_boards_more(tmp_path: Path) -> None:
    async def body(services: Services) -> None:
        small = await services.rooms.add(Board(Game(), (HUMAN, HUMAN)), HERE)
        large = await services.rooms.add(branched(4 * NODES_A_MESSAGE), HERE)
        for room, messages in ((small, 20), (large, 4)):
            from_address = Buckets(0.0, 20.0)
            await flooded(room, Page([{"type": "ping"}] * 100), from_address)
            assert from_address.take(HERE) is False and from_address.take(THERE)
            page = Page([{"type": "ping"}] * 100)
            await flooded(room, page, Buckets(0.0, 20.0))
            assert sum(one["type"] == "pong" for one in page.sent) <= messages

    assert MESSAGES_AT_ONCE > 20
    with_services(tmp_path, body)


def test_whoever_does_not_read_long_messages_is_let_go() -> None:
    viewer = Viewer(HERE)
    for _ in range(10):
        viewer.send_text("x" * 300_000)
    assert viewer.lost
    assert viewer.outbox.qsize() * 300_000 < 2 * QUEUED_CHARACTERS
