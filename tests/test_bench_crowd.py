"""Many boards at once. The waits are measured by `outflank bench page`; here nobody may be refused or forgotten, and
the issue's own figures are asked for by the slow test."""

import asyncio

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
    assert max(seen.waits) < 2.0
    before, after = seen.memory
    assert after - before < 100 * 1024


def test_a_crowd_finds_its_games_again_after_a_kill() -> None:
    seen = asyncio.run(crowd(8, 12.0, "engine:level=1", 0.2, kill=True))
    assert seen.errors == []
    assert seen.came_back == 8


@pytest.mark.slow
def test_an_analysis_at_full_strength_slows_nobody() -> None:
    seen = asyncio.run(crowd(5, 30.0, "engine:level=1", 0.5, analysis=True))
    assert seen.errors == []
    assert max(seen.waits) < 0.5
