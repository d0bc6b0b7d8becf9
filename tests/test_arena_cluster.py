"""The same games on a Ray cluster, also when one of its nodes dies in the middle.

The cluster has two nodes, both on this machine; starting it takes most of the time of these tests.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'outflank[cluster]'")
from ray.cluster_utils import Cluster as Nodes  # noqa: E402
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: E402
from test_arena_runner import fixtures, played, without_times  # noqa: E402

from outflank import __version__  # noqa: E402
from outflank.arena.contest import Fixture, Player  # noqa: E402
from outflank.arena.playing import Play, plays  # noqa: E402
from outflank.arena.record import GameRecord  # noqa: E402
from outflank.cli.main import main  # noqa: E402
from outflank.errors import Fault  # noqa: E402
from outflank.work.cluster import Cluster, perform_on_a_node  # noqa: E402
from outflank.work.places import workers_named  # noqa: E402
from outflank.work.processes import Processes  # noqa: E402
from outflank.work.stop import Stop  # noqa: E402
from outflank.work.workers import Done, Here, _Backlog  # noqa: E402

LONG = [Player("mcts:playouts=10000"), Player("alphabeta:depth=3")]
"""Their games last long enough for a node to die in one."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    two = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    two.add_node(num_cpus=1)
    ray.init(two.address, log_to_driver=False, logging_level="ERROR")
    yield two
    ray.shutdown()
    two.shutdown()


def test_the_same_games_on_a_cluster_as_here(cluster: Any) -> None:
    wanted = fixtures(2)
    with Here() as here:
        expected = played(here, wanted)
    with workers_named("ray") as runner:
        assert isinstance(runner, Cluster)
        found = played(runner, wanted)
    assert without_times(found) == without_times(expected)
    assert all(record.result.forfeit is None for record in found.values())
    assert ray.is_initialized(), "a cluster that was there before stays"


def wake_every_node() -> None:
    """Starts a process on each and lets it load what it needs: from then on a batch given to a node is being played."""
    for node in ray.nodes():
        there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        task = ray.remote(num_cpus=1)(perform_on_a_node).options(scheduling_strategy=there)
        ray.get(task.remote(__version__, [Play(fixtures(1, LONG)[0])]))


def end_as_a_machine_does(cluster: Any, node: Any) -> None:
    """Takes a node away with all of its processes. One that plays would otherwise send its games before it ends."""
    raylet = node.all_processes["raylet"][0].process.pid
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # ended meanwhile
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
            if parent == raylet:
                os.kill(int(entry.parent.name), signal.SIGKILL)
    cluster.remove_node(node, allow_graceful=False)


def both_at_work() -> bool:
    return bool(ray.available_resources().get("CPU", 0) == 0)


def test_a_node_that_dies_costs_only_its_unfinished_games(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lost: list[Fixture] = []

    def note(self: _Backlog, left: Any, done: Done) -> None:
        if done.death:
            lost.extend(fixture for fixture, _ in left)
        known(self, left, done)

    known = _Backlog.take_back
    monkeypatch.setattr(_Backlog, "take_back", note)
    wanted = fixtures(5, LONG)
    wake_every_node()
    games: dict[Fixture, GameRecord] = {}
    with Cluster() as runner:
        for finished in runner.run(plays(wanted, runner)):
            for fixture, record in finished:
                assert fixture not in games, "a game comes once"
                games[fixture] = record
            if cluster.worker_nodes and both_at_work():
                end_as_a_machine_does(cluster, next(iter(cluster.worker_nodes)))
    assert not cluster.worker_nodes
    assert lost, "the node died with games on it"
    assert set(games) == set(wanted)
    with Processes(1) as here:
        assert without_times(games) == without_times(played(here, wanted))


# What needs no cluster


def test_the_files_of_a_player_travel_with_its_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "mine.py"
    file.write_text("from outflank import heuristic\n@heuristic\ndef h(own, opp, board):\n    return own & 7\n")
    mine = Player.named("alphabeta:heuristic=./mine.py:h,depth=1")
    wanted = fixtures(1, [mine, Player("greedy")])
    with Here() as here:
        expected = played(here, wanted)
    sent = dict(plays(wanted, Cluster()))
    file.unlink()
    found = {fixture: play(Stop()) for fixture, play in sent.items()}
    assert without_times(found) == without_times(expected)
    assert all(record.result.forfeit is None for record in found.values())


def test_a_node_with_another_version_is_named() -> None:
    with pytest.raises(ValueError, match=r"here it is 0\.0\.0: install the same"):
        perform_on_a_node("0.0.0", [])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--on", "spark"], "--on takes ray or ray://host:port"),
        (["--on", "ray://127.0.0.1:9"], "no Ray cluster answers at ray://127.0.0.1:9"),
        (["--on", "ray://somewhere"], "usually ray://host:10001, and ray://somewhere has none"),
        (["--on", "ray", "--jobs", "0"], "--jobs is 1 or more"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(sys, "argv", ["outflank", "match", "greedy", "random", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_cluster_that_does_not_start_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Ray itself says it on a machine that is too busy."""

    def init(*_: Any, **__: Any) -> None:
        raise Exception("The current node timed out during startup.\nMore of it.")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(sys, "argv", ["outflank", "match", "greedy", "random", "--on", "ray"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert error == "outflank: Ray cannot be started on this machine: The current node timed out during startup.\n"


def test_without_ray_a_line_says_how_to_install_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setattr(sys, "argv", ["outflank", "match", "greedy", "random", "--on", "ray"])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert capsys.readouterr().err == f"outflank: {Fault('cluster.no-ray')}\n"
