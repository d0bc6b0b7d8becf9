"""Where games are played changes nothing about them; workers may die, and nothing is left behind."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from outflank.arena.contest import Conditions, Fixture, Player
from outflank.arena.openings import openings_named
from outflank.arena.playing import Play, plays
from outflank.arena.record import GameRecord
from outflank.arena.session import pairing_fixtures
from outflank.board.variant import Variant
from outflank.search.limits import Limit
from outflank.work import workers as workers_module
from outflank.work.processes import Processes
from outflank.work.workers import Here, Workers

SIX = Variant.named("6x6")
REPEATABLE = [
    Player("alphabeta:depth=2"),
    Player("minimax:nodes=200"),
    Player("mcts:playouts=40"),
    Player("random"),
    Player("greedy:openings=3"),
]


def fixtures(pairs: int, players: list[Player] = REPEATABLE) -> list[Fixture]:
    openings = openings_named("random:6", SIX, 2)
    conditions = Conditions(SIX, Limit(), openings.name, 2)
    return [
        fixture
        for first, second in zip(players, [*players[1:], players[0]], strict=True)
        for fixture in pairing_fixtures(first, second, pairs, conditions, openings, ())
    ]


def played(workers: Workers, wanted: list[Fixture]) -> dict[Fixture, GameRecord]:
    games: dict[Fixture, GameRecord] = {}
    for finished in workers.run(plays(wanted, workers)):
        for fixture, record in finished:
            assert fixture not in games, "a game comes once"
            games[fixture] = record
    return games


def without_times(games: dict[Fixture, GameRecord]) -> dict[Fixture, tuple[object, ...]]:
    return {
        fixture: (one.moves, one.scores, one.depths, one.nodes, one.result.winner, one.result.score, one.result.forfeit)
        for fixture, one in games.items()
    }


@pytest.fixture(scope="module")
def two() -> Iterator[Processes]:
    """Two processes, warm after the first test."""
    with Processes(2) as runner:
        yield runner


def test_the_same_games_on_one_job_and_on_two(two: Processes) -> None:
    wanted = fixtures(4)
    with Here() as one:
        expected = played(one, wanted)
    found = played(two, wanted)
    assert list(expected) == wanted
    assert set(found) == set(wanted)
    assert without_times(found) == without_times(expected)
    assert all(record.result.forfeit is None for record in found.values())


def test_a_game_is_the_same_whatever_was_played_before_it() -> None:
    wanted = fixtures(2)
    with Here() as one, Here() as other:
        assert without_times(played(one, wanted)) == without_times(played(other, wanted[::-1]))


def test_a_dead_workers_games_are_played_again(two: Processes) -> None:
    wanted = fixtures(20)
    games: dict[Fixture, GameRecord] = {}
    deaths = 0
    for finished in two.run(plays(wanted, two)):
        for fixture, record in finished:
            assert fixture not in games
            games[fixture] = record
        if deaths < 2 and len(games) > 40 * deaths:
            two._workers[deaths % len(two._workers)].process.kill()
            deaths += 1
    assert set(games) == set(wanted)
    assert deaths == 2


def test_a_game_that_always_kills_its_worker_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers_module, "DEATHS", 1)
    file = tmp_path / "deadly.py"
    file.write_text("import os\nos._exit(3)\n")
    deadly = Player(f"alphabeta:heuristic={file}:h,depth=1")
    with Processes(1) as runner, pytest.raises(ChildProcessError, match=r"exit code 3.*deadly\.py"):
        played(runner, fixtures(1, [deadly, Player("greedy")]))


def test_what_a_player_prints_does_not_reach_our_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "chatty.py"
    file.write_text(
        "from outflank import heuristic\nprint('hello from', __name__)\n"
        "@heuristic\ndef h(own, opp, board):\n    return 0.0\n"
    )
    chatty = Player(f"alphabeta:heuristic={file}:h,depth=1")
    with Processes(1) as runner:
        games = played(runner, fixtures(1, [chatty, Player("greedy")]))
    assert all(record.result.forfeit is None for record in games.values())
    out, err = capfd.readouterr()
    assert "hello" not in out
    assert "hello from" in err


def test_games_under_a_limit_of_time_are_long() -> None:
    plain = fixtures(1, [Player("greedy"), Player("random")])[0]
    assert not Play(plain).long
    assert Play(replace(plain, limit=Limit(time=1))).long
    assert Play(replace(plain, second=Player("alphabeta:time=1"))).long
