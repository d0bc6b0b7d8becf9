"""What takes long in plain Python is answered by another process on a public server, and means the same."""

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import active_children
from pathlib import Path

import pytest

from outflank.board.position import Position
from outflank.errors import Fault
from outflank.web import games, lab, routes, thinking
from outflank.web.elsewhere import Elsewhere
from outflank.web.faults import NotFoundError
from outflank.web.lanes import BusyError
from outflank.web.schemas import KeptGames, MonteCarloLesson, Pasted, PositionIn, PositionLesson
from outflank.web.services import Services
from outflank.web.settings import Settings

START = PositionIn(board="-" * 27 + "OX------XO" + "-" * 27)
HERE, THERE = "10.0.0.1", "10.0.0.2"


def with_services(tmp_path: Path, public: bool, body: Callable[[Services], Awaitable[None]]) -> None:
    async def main() -> None:
        services = Services(Settings(state=tmp_path, public=public), 1)
        try:
            await asyncio.wait_for(body(services), 120)
        finally:
            await services.close()

    asyncio.run(main())


def missing(*_: object) -> KeptGames:
    raise NotFoundError("web.no-event")


def endless(*_: object) -> KeptGames:
    while True:
        time.sleep(0.01)


def test_a_public_server_has_it_done_by_a_process_and_goes_on_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = MonteCarloLesson(kind="montecarlo", position=START, playouts=20)
    tree = PositionLesson(kind="position", position=START, depth=2)
    lesson, searched = lab.playout_lesson(asked), lab.position_lesson(tree, None, "combined")

    async def body(services: Services) -> None:
        stuck = asyncio.create_task(services.answer(THERE, endless))
        await asyncio.sleep(0.1)
        stuck.cancel()  # whoever does not wait any more ends the process: there is one, and it is needed now
        answers = await asyncio.gather(
            services.answer(HERE, lab.playout_lesson, asked),
            services.answer(HERE, lab.position_lesson, tree, None, "combined"),
            services.answer(HERE, routes.read_text, Pasted(text="f5d6")),
            services.answer(HERE, games.listed, []),
        )
        found = [json.loads(bytes(one.body)) for one in answers]
        assert found[:2] == [lesson.model_dump(mode="json"), searched.model_dump(mode="json")]
        assert (found[2]["count"], found[3]) == (1, {"games": [], "more": False})
        with pytest.raises(NotFoundError):
            await services.answer(HERE, missing)
        with pytest.raises(Fault, match="paste"):
            await services.answer(HERE, routes.read_text, Pasted(text="rubbish"))

    def not_here(*_: object) -> None:
        pytest.fail("this process has visitors to answer")

    monkeypatch.setattr(lab, "grow", not_here)
    monkeypatch.setattr(lab, "position_tree", not_here)
    monkeypatch.setattr(routes, "detect", not_here)
    with_services(tmp_path, True, body)


def test_a_server_of_ones_own_starts_no_process_for_it(tmp_path: Path) -> None:
    async def body(services: Services) -> None:
        assert services._elsewhere is None
        answer = await services.answer(HERE, games.listed, [])
        assert json.loads(bytes(answer.body)) == {"games": [], "more": False}

    with_services(tmp_path, False, body)


def test_strangers_analyses_are_made_by_a_process_that_stays_when_nobody_waits_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = Position.start()

    async def body(services: Services) -> None:
        elsewhere = services._elsewhere
        assert elsewhere is not None
        worker = await services.lanes.run("slow", HERE, lambda: elsewhere.answer(os.getpid))
        assert worker != os.getpid()
        await services.lanes.run("slow", HERE, lambda: elsewhere.answer(thinking.warm_up))
        endless = asyncio.create_task(services.lanes.run("slow", HERE, lambda: services.values(start, 50.0, None)))
        await asyncio.sleep(1.0)
        endless.cancel()
        found = await services.lanes.run("slow", HERE, lambda: services.values(start, 30.0, 1))
        assert {hint.move for hint in found} == set(start.legal_moves)
        assert await services.lanes.run("slow", HERE, lambda: elsewhere.answer(os.getpid)) == worker

    monkeypatch.setattr(thinking, "values_of_moves", lambda *_: pytest.fail("this process has visitors to answer"))
    with_services(tmp_path, True, body)


def test_no_process_outlives_the_server_that_began_it() -> None:
    elsewhere = Elsewhere()
    elsewhere.prepare(partial(time.sleep, 100.0))
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(elsewhere.answer, partial(time.sleep, 100.0))
        while len(active_children()) < 2:
            time.sleep(0.01)
        elsewhere.close()
        with pytest.raises(BusyError):
            asked.result()
    assert not active_children()
    with pytest.raises(BusyError):
        elsewhere.answer(os.getpid)
