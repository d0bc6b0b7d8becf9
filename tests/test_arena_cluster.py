"""The same games on a Ray cluster, also when one of its nodes dies in the middle.

The cluster has two nodes, both on this machine; starting it takes most of the time of these tests.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'outflank[cluster]'")
from enclosed import FILES, needs_enclosure  # noqa: E402
from ray.cluster_utils import Cluster as Nodes  # noqa: E402
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: E402
from test_arena_runner import fixtures, played, without_times  # noqa: E402

from outflank import __version__  # noqa: E402
from outflank.agents.sandbox import enclosure  # noqa: E402
from outflank.arena.contest import Fixture, Player  # noqa: E402
from outflank.arena.playing import Play, plays  # noqa: E402
from outflank.arena.record import GameRecord  # noqa: E402
from outflank.errors import Fault, MachineError  # noqa: E402
from outflank.work.cluster import Cluster, perform_on_a_node  # noqa: E402
from outflank.work.places import workers_named  # noqa: E402
from outflank.work.processes import Processes  # noqa: E402
from outflank.work.stop import Stop  # noqa: E402
from outflank.work.workers import Done, Here, _Backlog  # noqa: E402


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
        ray.get(task.remote(__version__, [Play(fixtures(1)[0])]))


def end_as_a_machine_does(cluster: Any, node: Any) -> None:
    """Takes a node away with all of its processes. One that plays would otherwise send its games before it ends."""
    raylet = node.all_processes["raylet"][0].process.pid
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # ended meanwhile
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
            if parent == raylet:
                os.kill(int(entry.parent.name), signal.SIGKILL)
    cluster.remove_node(node, allow_graceful=False)


def test_a_node_that_dies_costs_only_its_unfinished_games(
    cluster: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lost: list[Fixture] = []

    def note(self: _Backlog, left: Any, done: Done) -> None:
        if done.death:
            lost.extend(fixture for fixture, _ in left)
        known(self, left, done)

    known = _Backlog.take_back
    monkeypatch.setattr(_Backlog, "take_back", note)
    wanted, begun = fixtures(5), tmp_path / "begun"
    (node,) = cluster.worker_nodes
    doomed = str(node.node_id)

    @dataclass(frozen=True)
    class Held:
        """A game that the node which is to die begins, and never ends. The other node waits for that: a quick one would
        play all the games alone."""

        task: Play

        def __call__(self, stop: Stop) -> GameRecord:
            if ray.get_runtime_context().get_node_id() == doomed:
                begun.touch()
                time.sleep(600)
            while not begun.exists():
                time.sleep(0.02)
            return self.task(stop)

    def end_it() -> None:
        while not begun.exists():
            time.sleep(0.02)
        end_as_a_machine_does(cluster, node)

    wake_every_node()
    games: dict[Fixture, GameRecord] = {}
    with Cluster() as runner:
        end = threading.Thread(target=end_it, daemon=True)
        end.start()
        for finished in runner.run((fixture, Held(task)) for fixture, task in plays(wanted, runner)):
            for fixture, record in finished:
                assert fixture not in games, "a game comes once"
                games[fixture] = record
        end.join()
    assert not cluster.worker_nodes
    assert lost, "the node died with games on it"
    assert set(games) == set(wanted)
    with Processes(1) as here:
        assert without_times(games) == without_times(played(here, wanted))


NO_NAMESPACES = "echo 0 > /proc/sys/user/max_user_namespaces && exec"


@contextmanager
def node_without_namespaces(cluster: Any) -> Iterator[str]:
    """A node whose kernel gives its processes no namespaces, as on many servers: it runs in one that allows no more.
    Its number at Ray."""
    known = {node["NodeID"] for node in ray.nodes()}
    start = [str(Path(sys.executable).with_name("ray")), "start", f"--address={cluster.address}", "--num-cpus=1"]
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", f'{NO_NAMESPACES} "$@"', "sh", *start, "--block"]
    node = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        found: set[str] = set()
        while not found:
            if node.poll() is not None:
                said = node.stdout.read().decode() if node.stdout else ""
                pytest.skip(f"no such node can be made here: {said[-300:]}")
            found = {one["NodeID"] for one in ray.nodes() if one["Alive"]} - known
            time.sleep(0.1)
        yield found.pop()
    finally:
        os.killpg(node.pid, signal.SIGKILL)
        node.wait()


def test_a_node_without_namespaces_gets_no_submission_and_the_rest_plays_on(
    cluster: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    needs_enclosure()
    with node_without_namespaces(cluster) as unfit:
        player = Player.named(f'py:"{FILES / "honest" / "course_player.py"}",time=60')
        wanted = fixtures(4, [player, Player("greedy")])
        there = NodeAffinitySchedulingStrategy(unfit, soft=False)
        task = ray.remote(num_cpus=1)(perform_on_a_node).options(scheduling_strategy=there)
        refused, _ = ray.get(task.remote(__version__, [Play(wanted[0])]))
        assert isinstance(refused.error, MachineError) and "cannot be sandboxed" in str(refused.error), (
            "it really has none"
        )
        with Cluster() as runner:
            found = played(runner, wanted)
            fit = runner._nodes
            assert fit is not None
            assert unfit not in fit._able(enclosure.require)
            assert fit.strategy([]) is None, "others than submissions are played there, too"
    assert set(found) == set(wanted)
    assert all(record.result.forfeit is None for record in found.values())
    assert "is left out: a submission cannot be sandboxed on this machine" in capsys.readouterr().err


def test_where_every_node_is_without_namespaces_one_line_says_so(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_enclosure()
    with node_without_namespaces(cluster) as unfit:
        monkeypatch.setattr(ray, "nodes", lambda known=ray.nodes: [one for one in known() if one["NodeID"] == unfit])
        wanted = fixtures(1, [Player(f'py:"{FILES / "honest" / "course_player.py"}"'), Player("greedy")])
        with (
            Cluster() as runner,
            pytest.raises(MachineError, match=r"none of the 1 nodes can do this: .*cannot be sandboxed"),
        ):
            played(runner, wanted)


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
    with pytest.raises(ValueError, match=r"but this machine has 0\.0\.0: install the same version"):
        perform_on_a_node("0.0.0", [])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--on", "spark"], "--on takes ray or ray://host:port"),
        (["--on", "ray://127.0.0.1:9"], "no Ray cluster answers at ray://127.0.0.1:9"),
        (["--on", "ray://somewhere"], "usually ray://host:10001; ray://somewhere has none"),
        (["--on", "ray", "--jobs", "0"], "--jobs must be 1 or more"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    arguments: list[str], said: str, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    assert said in refused("match", "greedy", "random", *arguments)


def test_a_cluster_that_does_not_start_is_told_in_one_line(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Ray itself says it on a machine that is too busy."""

    def init(*_: Any, **__: Any) -> None:
        raise Exception("The current node timed out during startup.\nMore of it.")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    error = refused("match", "greedy", "random", "--on", "ray")
    assert error == "outflank: Ray could not be started on this machine: The current node timed out during startup.\n"


def test_without_ray_a_line_says_how_to_install_it(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert refused("match", "greedy", "random", "--on", "ray") == f"outflank: {Fault('cluster.no-ray')}\n"
