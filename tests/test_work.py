"""Tasks give the same results wherever they are done; workers may die, anybody may stop them, and nothing is lost.

Tasks that would last for an hour show that nobody waits for them: such a test ends, or runs into its time limit.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from outflank.work import places, processes
from outflank.work import workers as workers_module
from outflank.work.cluster import Cluster
from outflank.work.held import held
from outflank.work.places import Adaptive, threads_named, workers_named
from outflank.work.processes import Processes
from outflank.work.stop import Stop
from outflank.work.threads import Threads
from outflank.work.workers import Done, Finished, Here, Keep, Workers, perform, unkept

HOUR = 3600.0

PLACES: dict[str, Callable[[int], Workers]] = {
    "here": lambda jobs: Here(),
    "threads": Threads,
    "processes": Processes,
    "ray": lambda jobs: Cluster("ray", jobs),
}
CREWS = ["threads", "processes", "ray"]
"""Where several tasks are done at a time."""
APART = ["processes", "ray"]
"""Where a task may end its process."""


@pytest.fixture(scope="module", autouse=True)
def nodes_know_these_tasks() -> Iterator[None]:
    """A cluster of this machine, started once; Ray's processes cannot import this file."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'outflank[cluster]'")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    with Cluster("ray") as cluster:
        assert list(cluster.map([Square(2)])) == [4]
        yield


@dataclass(frozen=True)
class Square:
    number: int

    def __call__(self, stop: Stop) -> int:
        return self.number**2


def until_stopped(stop: Stop) -> int:
    """A task that only a stop ends; in another process, its death."""
    until = time.monotonic() + HOUR
    while not stop.is_set and time.monotonic() < until:
        time.sleep(0.001)
    return -1


def when_there(file: Path, stop: Stop) -> int:
    """A task that ends once there is a file, whatever else happens."""
    until = time.monotonic() + HOUR
    while not file.exists() and time.monotonic() < until:
        time.sleep(0.001)
    return 1


def wrong(stop: Stop) -> int:
    raise LookupError("nothing there")


class OddError(Exception):
    """One that cannot be read again where it was sent to."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one + other)


def oddly_wrong(stop: Stop) -> int:
    raise OddError("nothing ", "there")


def deadly_once(file: Path, stop: Stop) -> int:
    """Ends its process the first time that it is done anywhere."""
    if not file.exists():
        file.touch()
        os._exit(3)
    return -1


def always_deadly(stop: Stop) -> int:
    os._exit(3)


def squares(numbers: range) -> dict[int, Square]:
    return {number: Square(number) for number in numbers}


def made(workers: Workers, tasks: dict[Any, Any], keep: Keep[Any, Any] = unkept) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for finished in workers.run(tasks.items(), keep):
        for key, result in finished:
            assert key not in found, "a result comes once"
            found[key] = result
    return found


# What is done


@pytest.mark.parametrize("place", PLACES)
def test_every_place_gives_the_same_and_has_it_kept_first(place: str) -> None:
    kept: dict[int, int] = {}
    with PLACES[place](2) as workers:
        for finished in workers.run(squares(range(700)).items(), kept.update):
            assert all(kept[number] == result == number**2 for number, result in finished)
        assert len(kept) == 700
        assert list(workers.map([Square(number) for number in range(50)])) == [number**2 for number in range(50)]
        assert made(workers, {}) == {}


@pytest.mark.parametrize("place", PLACES)
def test_tasks_are_asked_for_as_they_are_needed(place: str) -> None:
    with PLACES[place](2) as workers:
        batches = workers.run((number, Square(number)) for number in count())
        assert next(batches)
        batches.close()
        assert list(workers.map([Square(3)])) == [9], "it can be asked again"


@pytest.mark.parametrize("place", PLACES)
def test_two_runs_of_the_same_workers_do_not_disturb_each_other(place: str) -> None:
    with PLACES[place](2) as workers:
        endless = workers.run((number, Square(number)) for number in count())
        next(endless)
        assert list(workers.map([Square(number) for number in range(50)])) == [number**2 for number in range(50)]
        assert all(result == number**2 for number, result in next(endless))
        endless.close()


def test_who_is_patient_is_asked_for_nothing_before_the_last_result_is_told() -> None:
    told: list[int] = []

    def tasks() -> Iterator[tuple[int, Square]]:
        for number in range(6):
            assert told == list(range(number))
            yield number, Square(number)

    with Threads(1, patient=True) as workers:
        for finished in workers.run(tasks()):
            told += [key for key, _ in finished]
    assert told == list(range(6))


def test_a_batch_ends_when_its_time_is_over_or_somebody_is_in_a_hurry() -> None:
    tasks = [Square(number) for number in range(5)]
    assert perform(tasks, HOUR, Stop()).results == [0, 1, 4, 9, 16]
    assert perform(tasks, 0.0, Stop()).results == [0]
    assert perform(tasks, HOUR, Stop(), lambda: True).results == [0]


def test_what_a_worker_had_no_time_for_is_given_out_again_first() -> None:
    backlog = workers_module._Backlog(squares(range(6)).items())
    first = backlog.take(4)
    backlog.take_back(first[1:], Done([0]))
    assert [key for key, _ in backlog.take(4)] == [1, 2, 3, 4]
    assert [key for key, _ in backlog.take(4)] == [5]
    assert backlog.take(4) == []


# Stopping


@pytest.mark.parametrize("place", CREWS)
def test_what_is_finished_behind_a_slow_task_is_kept_when_it_is_stopped(place: str) -> None:
    kept: dict[int, int] = {}

    def keep(finished: Finished[int, int]) -> None:
        kept.update(finished)
        if len(kept) == 5:
            raise KeyboardInterrupt

    with PLACES[place](2) as workers, pytest.raises(KeyboardInterrupt):
        list(workers.map([until_stopped, *squares(range(1, 6)).values()], keep))
    assert kept == {number: number**2 for number in range(1, 6)}


@pytest.mark.parametrize("place", PLACES)
def test_a_stop_ends_the_run(place: str) -> None:
    stop = Stop()

    def keep(finished: Finished[int, int]) -> None:
        stop.set()

    tasks: list[tuple[int, Any]] = [(0, Square(0)), *((number, until_stopped) for number in range(1, 10))]
    with PLACES[place](2) as workers:
        assert list(workers.run(tasks, keep, stop)) == [[(0, 0)]]
        assert made(workers, squares(range(3))) == {0: 0, 1: 1, 2: 4}, "it can be asked again"


@pytest.mark.parametrize("place", PLACES)
def test_a_stop_is_noticed_while_everybody_is_at_work(place: str) -> None:
    stop = Stop()
    setting = threading.Timer(0.05, stop.set)
    setting.start()
    with PLACES[place](2) as workers:
        assert list(workers.run(((number, until_stopped) for number in range(4)), unkept, stop)) == []
    setting.join()


@pytest.mark.parametrize("place", CREWS)
def test_keeping_that_was_interrupted_is_asked_for_again(place: str) -> None:
    heard: list[str] = []

    def keep(finished: Finished[str, int]) -> None:
        heard.extend(key for key, _ in finished)
        if len(heard) == 1:
            raise KeyboardInterrupt

    with PLACES[place](1) as workers, pytest.raises(KeyboardInterrupt):
        made(workers, {"one": Square(1)}, keep)
    assert heard == ["one", "one"]


def test_what_ends_while_it_is_stopped_is_kept_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "HURRY_SECONDS", HOUR)
    kept: dict[int, int] = {}

    def keep(finished: Finished[int, int]) -> None:
        kept.update(finished)
        if not (tmp_path / "now").exists():
            (tmp_path / "now").touch()
            raise KeyboardInterrupt

    with Processes(2) as workers, pytest.raises(KeyboardInterrupt):
        made(workers, {0: Square(0), 1: partial(when_there, tmp_path / "now")}, keep)
    assert kept == {0: 0, 1: 1}


def test_no_process_is_started_before_there_is_work_and_none_is_left() -> None:
    with Processes(2) as workers:
        assert made(workers, {}) == {}
        assert workers._workers == []
        batches = workers.run((number, until_stopped if number else Square(0)) for number in range(9))
        assert next(batches) == [(0, 0)]
        pids = [worker.process.pid for worker in workers._workers]
        assert len(pids) == 2
    batches.close()
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid or 0, 0)


# What goes wrong


@pytest.mark.parametrize("place", PLACES)
def test_an_error_of_a_task_ends_the_run_and_the_rest_is_kept(place: str) -> None:
    kept: dict[int, int] = {}
    tasks: dict[int, Any] = {**squares(range(4)), 4: wrong, **squares(range(5, 9))}
    with PLACES[place](1) as workers:
        with pytest.raises(LookupError, match="nothing there"):
            made(workers, tasks, kept.update)
        assert list(workers.map([Square(3)])) == [9], "it can be asked again"
    assert kept.items() >= {0: 0, 1: 1, 2: 4, 3: 9}.items()
    assert 4 not in kept


@pytest.mark.parametrize("place", APART)
def test_an_error_that_cannot_be_sent_is_told_in_words(place: str) -> None:
    with PLACES[place](1) as workers, pytest.raises(RuntimeError, match="OddError: nothing there"):
        made(workers, {0: oddly_wrong})


@pytest.mark.parametrize("place", APART)
def test_what_a_dead_worker_had_is_done_by_others(place: str, tmp_path: Path) -> None:
    tasks: dict[int, Any] = {**squares(range(600)), 300: partial(deadly_once, tmp_path / "died")}
    with PLACES[place](2) as workers:
        assert made(workers, tasks) == {number: -1 if number == 300 else number**2 for number in range(600)}
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize("place", APART)
def test_a_task_that_always_ends_its_worker_is_an_error_that_says_so(place: str) -> None:
    kept: dict[int, int] = {}
    tasks: dict[int, Any] = {**squares(range(20)), 10: always_deadly}
    with PLACES[place](1) as workers, pytest.raises(ChildProcessError, match=r"3 processes ended .*always_deadly"):
        made(workers, tasks, kept.update)
    assert kept.items() >= {number: number**2 for number in range(10)}.items()


# What a worker holds


class Thing:
    """Writes a line when it is made and when it is closed."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._note("made")

    def close(self) -> None:
        self._note("closed")

    def _note(self, what: str) -> None:
        with self._file.open("a") as file:
            file.write(f"{what}\n")


def with_thing(file: Path, stop: Stop) -> int:
    return id(held(Thing, file))


@pytest.mark.parametrize("place", ["here", "threads", "processes"])
def test_a_worker_holds_what_took_long_to_make_until_it_ends(place: str, tmp_path: Path) -> None:
    files = [tmp_path / "one", tmp_path / "other"]
    with PLACES[place](1) as workers:
        for file in files:
            assert len(set(workers.map([partial(with_thing, file)] * 9))) == 1
            assert file.read_text() == "made\n"
    assert [file.read_text() for file in files] == ["made\nclosed\n"] * 2


# Which workers fit


def test_workers_by_name() -> None:
    assert isinstance(workers_named(jobs=1), Here)
    assert isinstance(workers_named(jobs=3), Processes)
    assert isinstance(workers_named(), Adaptive)
    assert isinstance(workers_named("ray", 2), Cluster)
    assert isinstance(threads_named("", 1), Threads)
    assert isinstance(threads_named("ray", 1), Cluster)
    for on in ("", "ray"):
        with pytest.raises(ValueError, match="--jobs must be 1 or more"):
            workers_named(on, 0)
    with pytest.raises(ValueError, match="--on takes ray"):
        workers_named("spark")


@dataclass(frozen=True)
class Where:
    """Tells in which process it is done."""

    long: bool = False

    def __call__(self, stop: Stop) -> int:
        return os.getpid()


def test_short_work_stays_here_and_long_work_goes_to_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    me = os.getpid()
    monkeypatch.setattr(places, "SOON", HOUR)
    with Adaptive(2) as workers:
        assert set(workers.map([Where()] * 5)) == {me}
        one, two, *rest = workers.map([Where(), Where(), Where(long=True), Where()])
        assert {one, two} == {me}
        assert me not in rest
    monkeypatch.setattr(places, "SOON", 0.0)
    with Adaptive(2) as workers:
        assert me not in set(workers.map([Where()] * 5))
    with Adaptive(1) as workers:
        assert set(workers.map([Where(long=True)] * 2)) == {me}
