"""Who goes first where many wait: whoever has taken least of late, and no address for its many names."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from outflank.web.turns import FORGOTTEN_AFTER, Taken, Turnstile


def test_what_was_taken_is_forgotten_by_and_by() -> None:
    now = 0.0
    taken = Taken(lambda: now)
    taken.add("flooder", 8.0)
    taken.add("guest", 0.5)
    assert taken.rank("flooder") == 80 > taken.rank("guest") == 5 > taken.rank("newcomer") == 0
    now = 3 * FORGOTTEN_AFTER
    assert (taken.rank("flooder"), taken.rank("guest")) == (10, 0)
    taken.add("flooder", 1.0)
    assert taken.rank("flooder") == 20


def test_little_differences_do_not_count() -> None:
    taken = Taken(lambda: 0.0)
    taken.add("one", 0.04)
    taken.add("other", 0.02)
    assert taken.rank("one") == taken.rank("other")


def through(at_once: int, body: Callable[[Turnstile, list[str]], Awaitable[None]]) -> list[str]:
    order: list[str] = []

    async def main() -> None:
        await asyncio.wait_for(body(Turnstile(at_once), order), 20)

    asyncio.run(main())
    return order


async def pass_through(turnstile: Turnstile, order: list[str], visitor: str, gate: asyncio.Event | None = None) -> None:
    async with turnstile.passed(visitor):
        order.append(visitor)
        if gate is not None:
            await gate.wait()


def test_who_has_taken_much_lets_others_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr("outflank.web.turns.time.perf_counter", lambda: float(next(clock)))

    async def body(turnstile: Turnstile, order: list[str]) -> None:
        gate = asyncio.Event()
        names = ["10.0.0.1 a", *(f"10.0.0.1 {number}" for number in range(9)), "10.0.0.2 x", "10.0.0.3 y", "10.0.0.2 z"]
        tasks = [asyncio.create_task(pass_through(turnstile, order, name, gate)) for name in names]
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*tasks)

    order = through(1, body)
    assert order[:3] == ["10.0.0.1 a", "10.0.0.2 x", "10.0.0.3 y"], "each has taken a second: then they take turns"
    assert set(order[3:5]) == {"10.0.0.1 0", "10.0.0.2 z"}


def test_so_many_are_inside_and_no_more() -> None:
    inside, most = 0, 0

    async def enter(turnstile: Turnstile, visitor: str) -> None:
        nonlocal inside, most
        async with turnstile.passed(visitor):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    async def body(turnstile: Turnstile, order: list[str]) -> None:
        await asyncio.gather(*(enter(turnstile, f"10.0.0.{number % 3}") for number in range(20)))

    through(3, body)
    assert (inside, most) == (0, 3)


@pytest.mark.parametrize("called", [False, True])
def test_who_gives_up_waiting_takes_no_place(called: bool) -> None:
    async def body(turnstile: Turnstile, order: list[str]) -> None:
        gate = asyncio.Event()
        first = asyncio.create_task(pass_through(turnstile, order, "10.0.0.1", gate))
        await asyncio.sleep(0)
        second = asyncio.create_task(pass_through(turnstile, order, "10.0.0.2"))
        await asyncio.sleep(0)
        if called:  # in the very moment in which it is cancelled
            gate.set()
            while not first.done():
                await asyncio.sleep(0)
        second.cancel()
        gate.set()
        await first
        await pass_through(turnstile, order, "10.0.0.3")
        with pytest.raises(asyncio.CancelledError):
            await second

    assert through(1, body) == ["10.0.0.1", "10.0.0.3"]


def test_who_waits_inside_for_something_else_keeps_nobody_out() -> None:
    async def main() -> list[str]:
        turnstile, gate, order = Turnstile(1, patience=0.01), asyncio.Event(), list[str]()
        first = asyncio.create_task(pass_through(turnstile, order, "10.0.0.1", gate))
        await asyncio.sleep(0)
        await asyncio.wait_for(pass_through(turnstile, order, "10.0.0.2"), 20)
        gate.set()
        await first
        await asyncio.wait_for(pass_through(turnstile, order, "10.0.0.3"), 20)
        assert turnstile._free == 1, "a place that was given up is not given up twice"
        return order

    assert asyncio.run(main()) == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
