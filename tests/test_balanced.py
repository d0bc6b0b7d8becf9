"""Lists of balanced openings: made in portions, killed without loss, and those that come with the package."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from outflank import Color, Game, Position, Variant
from outflank.arena.balanced import Judging
from outflank.arena.openings import LISTED_LEVEL, PLIES, game_from, listed, openings_named
from outflank.cli.main import app
from outflank.search.engine.engine import Engine
from outflank.search.engine.levels import level_numbered
from outflank.search.limits import UNLIMITED
from outflank.work.stop import Stop

SMALL = ["openings", "--variant", "6x6", "--level", "10", "--plies", "6"]
BOTH = [Variant(), Variant.named("reversed")]


def told(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*SMALL, *arguments, "--json"])
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def value_for_black(position: Position, level: int) -> float:
    score = Engine().choose(position, UNLIMITED, level=level_numbered(level)).score
    assert score is not None
    return score if position.turn is Color.BLACK else -score


def test_a_list_has_distinct_openings_that_a_search_calls_even(tmp_path: Path) -> None:
    file = tmp_path / "even.txt"
    found = told("--count", "20", "--within", "1", "--out", str(file))
    lines = file.read_text().split()
    assert [each["moves"] for each in found["openings"]] == lines
    variant = Variant.named("6x6")
    games = [Game.from_transcript(line, Position.start(variant)) for line in lines]
    assert len({game.position.canonical() for game in games}) == 20
    assert all(len(line) == 12 for line in lines)
    assert all(abs(each["value"]) <= 1 for each in found["openings"])
    assert [openings_named(str(file), variant, 0)[pair].moves for pair in range(20)] == lines


def test_the_judge_is_a_search_of_the_level() -> None:
    """The values are those of a player of that level, but for what a table knows from the opening before."""
    variant = Variant.named("6x6")
    lines = ("e4e3d2c1", "e4e5d5c5", "e4c5b4a3")
    found = Judging(variant, lines, 15, 30)(Stop())
    for line, value in zip(lines, found, strict=True):
        assert value is not None
        assert abs(value - value_for_black(Game.from_transcript(line, Position.start(variant)).position, 15)) <= 1
    assert Judging(variant, lines, 15, -2)(Stop()).count(None) >= 2  # a glance is enough


def test_killed_and_run_again_it_is_the_same_list_and_grows(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole.txt", tmp_path / "killed.txt"
    told("--count", "80", "--jobs", "1", "--out", str(whole))
    command = [sys.executable, "-m", "outflank", *SMALL, "--count", "80", "--jobs", "2", "--out", str(killed)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    beside = tmp_path / "killed.txt.judged-wal"
    while not (beside.exists() and beside.stat().st_size > 20_000) and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    killed.unlink(missing_ok=True)  # however fast it was
    told("--count", "40", "--jobs", "1", "--out", str(killed))
    assert killed.read_text().split() == whole.read_text().split()[:40]
    told("--count", "80", "--jobs", "2", "--out", str(killed))
    assert killed.read_bytes() == whole.read_bytes()


def test_where_there_are_no_more_the_list_is_short(tmp_path: Path) -> None:
    file = tmp_path / "few.txt"
    done = CliRunner().invoke(app, [*SMALL[:-1], "2", "--count", "50", "--within", "64", "--out", str(file)])
    assert done.exit_code == 1
    assert len(file.read_text().split()) == 3


def test_a_board_without_weights_has_no_scale(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["openings", "--variant", "4x4", "--out", str(tmp_path / "even.txt")])
    assert "its openings cannot be judged" in str(done.exception)


@pytest.mark.parametrize("variant", BOTH, ids=str)
def test_the_lists_that_come_with_the_package(variant: Variant) -> None:
    lines = listed(variant)
    assert len(lines) >= 2000
    games = [Game.from_transcript(line, Position.start(variant)) for line in lines]
    assert all(len(line) == 2 * PLIES for line in lines)
    assert len({game.position.canonical() for game in games}) == len(lines)
    for game in games[:: len(games) // 8]:
        # Weights may have changed since, and an empty table sees a little less.
        assert abs(value_for_black(game.position, LISTED_LEVEL)) <= 2


@pytest.mark.parametrize("variant", BOTH, ids=str)
def test_balanced_openings_are_of_the_list_in_an_order_by_the_seed(variant: Variant) -> None:
    count = len(listed(variant))
    one, other = openings_named("balanced", variant, 1), openings_named("balanced:8", variant, 2)
    drawn = [one[pair].moves for pair in range(count)]
    assert sorted(drawn) == sorted(listed(variant))
    assert drawn == [openings_named("balanced", variant, 1)[pair].moves for pair in range(count)]
    assert drawn[:20] != [other[pair].moves for pair in range(20)]
    assert one[count] == one[0]
    assert one.name == other.name
    assert one.name.startswith(f"balanced:8 by engine at level {LISTED_LEVEL}")
    assert openings_named("balanced:6", variant, 1).name == "balanced:6 by engine at depth 8"
    assert game_from(one[0], variant).position.turn is Color.BLACK
