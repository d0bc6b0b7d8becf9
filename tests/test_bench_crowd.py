"""Many boards at once. How long anybody waits is measured by `outflank bench page`, on a machine that has nothing else
to do; here nobody may be refused or forgotten, and a server may take no more than it should."""

import asyncio
from statistics import median

import pytest

from outflank.bench.crowd import crowd


def test_a_crowd_is_served_without_an_error() -> None:
    seen = asyncio.run(crowd(20, 4.0, "engine:level=1", 0.2, analysis=True))
    assert seen.errors == []
    assert len(seen.waits) > 20


@pytest.mark.slow
def test_a_hundred_boards_for_two_minutes() -> None:
    seen = asyncio.run(crowd(100, 120.0, "engine:level=1", 1.0, analysis=False))
    assert seen.errors == []
    assert seen.processor / seen.answers < 0.015  # a hundred boards that click once a second fit on two cores
    before, after = seen.memory
    assert after - before < 100 * 1024


@pytest.mark.slow
def test_a_crowd_finds_its_games_again_after_a_kill() -> None:
    seen = asyncio.run(crowd(8, 12.0, "engine:level=1", 0.2, kill=True))
    assert seen.errors == []
    assert seen.came_back == 8


@pytest.mark.slow
def test_an_analysis_at_full_strength_slows_nobody() -> None:
    seen = asyncio.run(crowd(5, 30.0, "engine:level=1", 0.5, analysis=True))
    assert seen.errors == []
    assert median(seen.waits) < 0.5  # were it not in slices, behind other boards, all would wait for its end
