"""`outflank.analysis`: what the engine finds, while it goes on, with and without asyncio."""

import asyncio
import threading

import pytest

from outflank import Game, Position, RunningAnalysis, Variant, analysis, analyze
from outflank.library.analysis import Analyst

ENDING = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"


def test_the_end_is_what_analyze_says() -> None:
    position = Game.from_transcript("f5d6c3").position
    with analysis(position, depth=7) as running:
        found = list(running)
    assert found[-1] == running.result == running.latest == analyze(position, depth=7)
    depths = [one.depth for one in found]
    assert depths == sorted(set(depths)) and depths[-1] == 7
    assert not running.is_running


def test_it_goes_on_until_it_is_stopped() -> None:
    with analysis(Position.start()) as running:
        for found in running:
            assert found.depth < 40
            if found.depth >= 4:
                assert running.is_running
                break
    assert not running.is_running, "leaving the block ends it"
    assert running.result.depth >= 4


def test_what_can_be_proven_ends_by_itself() -> None:
    assert analysis(ENDING).result.score == 18
    assert analysis(ENDING).result.is_exact
    over = Position.from_text("X" * 16, Variant.named("4x4"))
    assert list(analysis(over)) == [] and analysis(over).result.score == 16


def test_whoever_comes_late_or_again_hears_the_latest() -> None:
    running = analysis("f5d6", depth=5)
    last = running.result
    assert list(running) == [last] == list(running)


def test_limits() -> None:
    few = analyze(Game.from_transcript("f5d6").position, nodes=2000)
    assert 0 < few.depth < analyze(Game.from_transcript("f5d6").position, nodes=200_000).depth
    with pytest.raises(ValueError, match="levels go from 1 to 30"):
        analysis("f5", level=99)
    with pytest.raises(ValueError, match="1 or more"):
        analysis("f5", nodes=0)


def test_an_error_of_the_search_is_raised_where_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise MemoryError("all of it")

    monkeypatch.setattr(Analyst, "position", fails)
    running = analysis("f5", depth=2)
    with pytest.raises(MemoryError, match="all of it"):
        print(running.result)
    with pytest.raises(MemoryError, match="all of it"):
        list(running)
    with pytest.raises(MemoryError, match="all of it"):
        asyncio.run(_awaited(running))


async def _awaited(running: RunningAnalysis) -> object:
    return await running


def test_an_asynchronous_block_ends_it() -> None:
    async def main() -> RunningAnalysis:
        async with analysis(Position.start()) as running:
            async for found in running:
                if found.depth >= 4:
                    break
        return running

    running = asyncio.run(main())
    assert not running.is_running and running.result.depth >= 4


def test_several_at_once_with_asyncio_while_other_tasks_run() -> None:
    async def main() -> tuple[list[int], int, int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        other = asyncio.create_task(tick())
        one, two = await asyncio.gather(analysis("f5d6", depth=8), analysis("f5f6", depth=7))
        depths = [found.depth async for found in analysis("f5", depth=6)]
        other.cancel()
        return depths, one.depth - two.depth, ticks

    depths, difference, ticks = asyncio.run(main())
    assert depths == sorted(depths) and depths[-1] == 6 and difference == 1
    assert ticks > 10


def test_a_task_that_is_cancelled_stops_its_search() -> None:
    async def main() -> RunningAnalysis:
        running = analysis(Position.start())
        task = asyncio.ensure_future(_awaited(running))
        await asyncio.sleep(0)  # a task that was never begun awaits nothing that its end could stop
        async for found in running:
            if found.depth >= 2:
                break
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return running

    assert asyncio.run(main()).result.depth >= 2


def threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "outflank-analysis"}


@pytest.mark.parametrize("asynchronous", [False, True])
def test_whoever_leaves_a_loop_and_keeps_nothing_stops_the_search(asynchronous: bool) -> None:
    async def leave() -> None:
        async for _ in analysis(Position.start()):
            break

    before = threads()
    if asynchronous:
        asyncio.run(leave())
    else:
        for _ in analysis(Position.start()):
            break
    for thread in threads() - before:
        thread.join(60)
    assert threads() <= before
