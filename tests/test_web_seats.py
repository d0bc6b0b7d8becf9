"""Players at their boards: one sits from move to move, whoever thinks for it, and leaves when it is not wanted."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from enclosed import HONEST, needs_enclosure

from outflank.agents.agent import Agent
from outflank.agents.sandbox.enclosure import Enclosure
from outflank.agents.sandbox.process import Enclosed
from outflank.agents.sandbox.restrictions import Quota
from outflank.agents.spec import Spec, parse
from outflank.board.game import Game
from outflank.board.squares import Color
from outflank.board.variant import Variant
from outflank.search.limits import Limit, Report
from outflank.web import seats as seating
from outflank.web.boards import HUMAN, Board
from outflank.web.messages import READER
from outflank.web.room import Room
from outflank.web.seats import LEAST_MEGABYTES, Seats
from outflank.web.services import Services
from outflank.web.settings import Settings
from outflank.web.viewers import Viewer

FOUR = Variant.named("4x4")
BLACK, WHITE = Color
GREEDY = parse("greedy")


class Sitter(Agent):
    """Plays the first move, and writes down what happens to it."""

    def __init__(self, log: list[str], number: int) -> None:
        self._log, self._number = log, number

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self._log.append(f"{self._number} plays {color}")

    def choose(self, game: Game, limit: Limit) -> Report:
        return Report(game.position.legal_moves[0])

    def close(self) -> None:
        self._log.append(f"{self._number} leaves")


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens to players, in order; they are numbered as they are made."""
    written: list[str] = []
    numbers = iter(range(1000))

    def make(spec: Spec) -> Agent:
        return Sitter(written, next(numbers))

    monkeypatch.setattr(seating, "agent", make)
    return written


def ask(seats: Seats, board: str, game: Game, spec: Spec = GREEDY, seed: int = 1) -> Report:
    """A move, in a thread of its own."""
    found: list[Report] = []

    def think() -> None:
        with seats.taken(board, spec, seed, game) as seat:
            found.append(seat.choose(game, Limit()))

    thread = threading.Thread(target=think)
    thread.start()
    thread.join()
    return found[0]


def farewells() -> None:
    """Waits for those who are on their way out."""
    for thread in threading.enumerate():
        if thread.name == "outflank-farewell":
            thread.join()


def test_a_tree_is_kept_from_move_to_move_in_whatever_thread() -> None:
    seats, game = Seats(), Game()
    player = parse("mcts:playouts=400")
    for _ in range(2):
        report = ask(seats, "board", game, player)
        game.push(report.move)
        ask(seats, "another board", Game(), player)
        game.push(game.position.legal_moves[0])
    assert " kept" in report.text
    seats.close()


def test_both_sides_of_a_board_have_players_of_their_own(log: list[str]) -> None:
    seats, game = Seats(), Game()
    for _ in range(4):
        game.push(ask(seats, "board", game).move)
    assert log == ["0 plays Black", "1 plays White"]
    seats.close()
    assert sorted(log[2:]) == ["0 leaves", "1 leaves"]


def test_another_player_or_another_game_on_the_board_is_another_seat(log: list[str]) -> None:
    seats = Seats()
    ask(seats, "board", Game())
    ask(seats, "board", Game(), parse("random"))
    farewells()
    ask(seats, "board", Game(), parse("random"), seed=2)
    farewells()
    assert [line for line in log if "plays" in line] == ["0 plays Black", "1 plays Black", "2 plays Black"]
    assert [line for line in log if "leaves" in line] == ["0 leaves", "1 leaves"]


def test_beyond_the_memory_for_all_the_one_not_asked_for_longest_goes(
    log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seating, "MOST_MEGABYTES", 2 * LEAST_MEGABYTES)
    seats = Seats()
    for board in ("a", "b", "a", "c", "a", "b"):
        ask(seats, board, Game())
        farewells()
    assert [line for line in log if "leaves" in line] == ["1 leaves", "2 leaves"]


def test_who_is_asked_now_is_not_sent_away(log: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seating, "MOST_MEGABYTES", LEAST_MEGABYTES)
    seats, game = Seats(), Game()
    with seats.taken("a", GREEDY, 1, game) as seat:
        ask(seats, "b", game)
        seats.leave("a", BLACK)
        seat.choose(game, Limit())
        assert not [line for line in log if line.endswith("leaves")]
    farewells()
    assert log[-1] == "1 leaves"


def test_a_player_that_failed_is_made_anew(log: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    seats, game = Seats(), Game()

    def fail(*_: object) -> Report:
        raise ValueError("no more")

    with monkeypatch.context() as patched, pytest.raises(ValueError), seats.taken("a", GREEDY, 1, game) as seat:
        patched.setattr(Sitter, "choose", fail)
        seat.choose(game, Limit())
    ask(seats, "a", game)
    assert log == ["0 plays Black", "0 leaves", "1 plays Black"]


# On the page


@pytest.fixture
def at_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[dict[str, str], Callable[[Services], Awaitable[None]]], None]]:
    """Runs something in a server without its network."""
    monkeypatch.setattr("outflank.web.boards.PACE", 0.0)

    def run(agents: dict[str, str], body: Callable[[Services], Awaitable[None]]) -> None:
        async def main() -> None:
            services = Services(Settings(state=tmp_path, agents=agents), 2)
            try:
                await asyncio.wait_for(body(services), 300)
            finally:
                await services.close()

        asyncio.run(main())

    yield run


async def opened(services: Services, black: str, white: str) -> tuple[Room, Viewer]:
    room, viewer = await services.rooms.add(Board(Game(FOUR), (black, white)), ""), Viewer("127.0.0.1")
    await room.enter(viewer)
    return room, viewer


async def until(true: Callable[[], bool]) -> None:
    began = time.monotonic()
    while not true():
        assert time.monotonic() < began + 200
        await asyncio.sleep(0.01)


def test_a_player_sits_at_its_board_until_the_board_is_deleted(log: list[str], at_a_table: Callable[..., None]) -> None:
    async def body(services: Services) -> None:
        room, viewer = await opened(services, "greedy", "greedy")
        await until(lambda: room.board.game.is_over)
        assert log == ["0 plays Black", "1 plays White"]
        await room.hear(viewer, READER.validate_python({"type": "players", "white": HUMAN}))
        farewells()
        assert log[2:] == ["1 leaves"]
        await services.rooms.delete(room.board.id)
        farewells()
        assert log[3:] == ["0 leaves"]

    at_a_table({}, body)


def test_a_new_game_has_new_players(log: list[str], at_a_table: Callable[..., None]) -> None:
    async def body(services: Services) -> None:
        room, viewer = await opened(services, "greedy", HUMAN)
        await until(lambda: bool(room.board.game.moves))
        await room.hear(viewer, READER.validate_python({"type": "new"}))
        await until(lambda: bool(room.board.game.moves))
        farewells()
        assert sorted(log) == ["0 leaves", "0 plays Black", "1 plays Black"]

    at_a_table({}, body)


def test_a_program_has_one_process_at_a_board_and_it_ends_with_the_board(
    at_a_table: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_enclosure()
    file = next(file for file in HONEST if file.stem == "our_agent")
    processes: list[Enclosed] = []

    class Watched(Enclosed):
        def __init__(self, how: Enclosure, quota: Quota, engine: bool = True) -> None:
            super().__init__(how, quota, engine)
            processes.append(self)

    monkeypatch.setattr("outflank.agents.submission.Enclosed", Watched)

    async def body(services: Services) -> None:
        room, _ = await opened(services, "mine", "random")
        await until(lambda: room.board.game.is_over)
        (process,) = processes
        assert (room.board.error, process.usage() is None) == (None, False)
        await services.rooms.delete(room.board.id)
        await asyncio.to_thread(farewells)
        assert process.usage() is None

    at_a_table({"mine": f"py:{file}"}, body)
