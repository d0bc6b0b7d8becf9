"""Thinking for many visitors: who waits for whom, and that what is replaced or unwanted ends."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from outflank.board.game import Game
from outflank.search.driver import Interruption, followed
from outflank.search.engine.engine import Engine
from outflank.search.limits import Limit, Report
from outflank.web import lanes as lanes_module
from outflank.web.lanes import WAITING, BusyError, Lanes


@pytest.fixture
def in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the order counts: a clock that stands still, so that nobody takes too long on a machine that stalls, and no
    thread that stands by."""
    monkeypatch.setattr(lanes_module, "time", SimpleNamespace(monotonic=lambda: 0.0))
    monkeypatch.setattr(lanes_module, "STANDING_BY", 0)


class Gate:
    """Work that has begun, and goes on until it is let go."""

    def __init__(self) -> None:
        self._begun, self._open = threading.Event(), threading.Event()

    def __call__(self) -> bool:
        self._begun.set()
        return self._open.wait(60)

    async def begun(self) -> None:
        assert await asyncio.to_thread(self._begun.wait, 60)

    def let_go(self) -> None:
        self._open.set()


async def asked(number: int, lanes: Lanes) -> None:
    """Waits until so many wait in the slow lane."""
    lane = lanes._lanes["slow"]
    while sum(len(queue) for visitors in list(lane._waiting.values()) for queue in visitors.values()) < number:
        await asyncio.sleep(0.005)


def run(body: Callable[[Lanes], Any], cores: int = 1) -> Any:
    async def main() -> Any:
        lanes = Lanes(cores)
        try:
            return await asyncio.wait_for(body(lanes), 120)
        finally:
            lanes.close()

    return asyncio.run(main())


@pytest.mark.usefixtures("in_order")
def test_one_visitors_slices_let_the_other_in_between() -> None:
    order: list[str] = []

    def slices(name: str, begin: threading.Event) -> Callable[[Interruption], Iterator[str]]:
        def work(_: Interruption) -> Iterator[str]:
            begin.wait(60)
            for answer in [name] * 4:
                order.append(answer)
                yield answer

        return work

    async def body(lanes: Lanes) -> None:
        begin = threading.Event()
        ended = asyncio.Semaphore(0)
        for name in ("one", "two", "three"):
            lanes.start("slow", name, slices(name, begin), lambda _: None, lambda _: ended.release())
        begin.set()
        for _ in range(3):
            await ended.acquire()

    run(body)
    assert order == ["one", "two", "three"] * 4


@pytest.mark.usefixtures("in_order")
def test_a_visitor_with_many_wishes_takes_turns_with_one_who_has_one() -> None:
    order: list[str] = []

    async def body(lanes: Lanes) -> None:
        gate = Gate()
        blocked = asyncio.create_task(lanes.run("slow", "first", gate))
        await gate.begun()
        greedy = [asyncio.create_task(lanes.run("slow", "greedy", lambda: order.append("greedy"))) for _ in range(10)]
        await asked(10, lanes)
        modest = asyncio.create_task(lanes.run("slow", "modest", lambda: order.append("modest")))
        await asked(11, lanes)
        gate.let_go()
        await asyncio.gather(blocked, modest, *greedy)

    run(body)
    assert order.index("modest") <= 1


@pytest.mark.usefixtures("in_order")
def test_whoever_invents_visitors_takes_turns_as_one_address() -> None:
    order: list[str] = []

    async def body(lanes: Lanes) -> None:
        gate = Gate()
        blocked = asyncio.create_task(lanes.run("slow", "10.0.0.9", gate))
        await gate.begun()
        names = [*(f"10.0.0.1 {number}" for number in range(20)), "10.0.0.2 a", "10.0.0.2 b"]
        wishes = [asyncio.create_task(lanes.run("slow", name, partial(order.append, name))) for name in names]
        await asked(22, lanes)
        gate.let_go()
        await asyncio.gather(blocked, *wishes)

    run(body)
    assert order[:4] == ["10.0.0.1 0", "10.0.0.2 a", "10.0.0.1 1", "10.0.0.2 b"]


def test_quick_work_does_not_wait_for_slow_work() -> None:
    async def body(lanes: Lanes) -> bool:
        gate = threading.Event()
        slow = [asyncio.create_task(lanes.run("slow", str(number), lambda: gate.wait(60))) for number in range(5)]
        await asked(3, lanes)  # and the others are at work
        answered = await lanes.run("quick", "somebody", lambda: not gate.is_set())
        gate.set()
        await asyncio.gather(*slow)
        return answered

    assert run(body)


def test_work_that_cannot_be_cut_does_not_hold_up_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.web.lanes.PATIENCE", 0.1)

    async def body(lanes: Lanes) -> bool:
        gate = Gate()
        strong = asyncio.create_task(lanes.run("slow", "strong", gate))
        await gate.begun()
        answered = [await lanes.run("slow", "other", lambda: not strong.done()) for _ in range(3)]
        gate.let_go()
        await strong
        return all(answered)

    assert run(body)


def test_as_much_runs_at_a_time_as_there_are_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes_module, "PATIENCE", 1e6)  # on a machine that stalls, nobody has taken too long

    async def body(lanes: Lanes) -> int:
        lock, running, most = threading.Lock(), 0, 0
        together = threading.Barrier(2, timeout=60)

        def step() -> None:
            nonlocal running, most
            with lock:
                running += 1
                most = max(most, running)
            together.wait()
            time.sleep(0.005)  # a third would come now
            with lock:
                running -= 1

        await asyncio.gather(*(lanes.run("slow", str(number), step) for number in range(20)))
        return most

    assert run(body, cores=2) == 2


def test_what_is_cancelled_is_never_heard_of_again() -> None:
    async def body(lanes: Lanes) -> list[str]:
        heard: list[str] = []
        gate = threading.Event()

        def work(stop: Interruption) -> Iterator[str]:
            yield "first"
            gate.wait(60)
            yield "second"

        job = lanes.start("slow", "one", work, heard.append, lambda _: heard.append("end"))
        while not heard:
            await asyncio.sleep(0.005)
        job.cancel()
        gate.set()
        await lanes.run("slow", "two", lambda: None)
        await asyncio.sleep(0.05)
        return heard

    assert run(body) == ["first"]


def test_cancelling_ends_a_compiled_search_within_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes_module, "STANDING_BY", 0)
    position = Game.from_transcript("f5d6c3d3c4f4").position

    async def body(lanes: Lanes) -> None:
        began = asyncio.Event()
        loop = asyncio.get_running_loop()

        def hear(_: Report) -> None:
            loop.call_soon_threadsafe(began.set)

        def think(_: Interruption) -> Iterator[int]:
            with followed(hear):
                move = Engine(1, 1).choose(position, Limit(depth=60)).move  # it would take years
            yield move

        job = lanes.start("slow", "one", think, lambda _: None, lambda _: None)
        await began.wait()  # it has searched to some depth
        job.cancel()
        await lanes.run("slow", "two", lambda: None)  # there is one thread: it is free again

    run(body)


def test_an_error_in_the_work_reaches_who_asked_and_the_thread_goes_on() -> None:
    async def body(lanes: Lanes) -> int:
        with pytest.raises(ZeroDivisionError):
            await lanes.run("slow", "one", lambda: 1 // 0)
        return await lanes.run("slow", "one", lambda: 7)

    assert run(body) == 7


def test_a_visitor_cannot_queue_without_end() -> None:
    async def body(lanes: Lanes) -> None:
        gate = threading.Event()
        waiting = [asyncio.create_task(lanes.run("slow", "one", lambda: gate.wait(60))) for _ in range(WAITING + 10)]
        done, _ = await asyncio.wait(waiting, timeout=0.2)
        assert done and all(isinstance(task.exception(), BusyError) for task in done)
        gate.set()
        await asyncio.gather(*waiting, return_exceptions=True)

    run(body)


def test_an_address_cannot_queue_without_end_in_the_name_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.web.lanes.WAITING_OF_ONE_ADDRESS", 5)

    async def body(lanes: Lanes) -> None:
        gate = threading.Event()
        names = [f"10.0.0.1 {number}" for number in range(20)]
        waiting = [asyncio.create_task(lanes.run("slow", name, lambda: gate.wait(60))) for name in names]
        done, _ = await asyncio.wait(waiting, timeout=0.2)
        assert done and all(isinstance(task.exception(), BusyError) for task in done)
        other = asyncio.create_task(lanes.run("slow", "10.0.0.2", lambda: 7))
        gate.set()
        assert await other == 7
        await asyncio.gather(*waiting, return_exceptions=True)

    run(body)
