"""Two checkouts beside each other: what the same work costs each of them, in seconds of the processor.

    python tests/compare.py OLD/src NEW/src --rounds 5

No test, a measurement. Each task is a command of `outflank` on one thread, run in turn by the old and by the new
sources, each time in a process of its own. What such a process costs with next to nothing to do is measured too, and
taken off: what is left is the search, without the start. Only processor time counts, so that a busy machine matters
less; still, look at the ratio, which is made of runs side by side, and at its spread.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SUITES = Path(__file__).resolve().parents[2] / "shared" / "data" / "suites"
MIDDLE_GAME = "f5d6c3d3c4b3c6b6d7e8a6b5b7e6a4g5f4a8e7f6"
NEARLY_FULL = "X" * 62 + "O- X"
NODES = re.compile(r"([\d,]+) nodes")
HEURISTIC = """\
from outflank import heuristic
from outflank.features import corners, mobility

@heuristic
def edges(own, opp, board):
    return 10 * (mobility(own, opp, board) - mobility(opp, own, board)) + 100 * (
        corners(own, opp, board) - corners(opp, own, board)
    )
"""


@dataclass(frozen=True)
class Task:
    """The same command with much to do and with next to nothing."""

    name: str
    work: list[str]
    idle: list[str]
    unit: str = "nodes"
    """What its answer counts as nodes."""


@dataclass
class Times:
    """Seconds of the processor by round, and what the last answer counted."""

    work: list[float] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)
    nodes: int = 0

    def net(self, round_: int) -> float:
        return max(self.work[round_] - min(self.idle), 1e-9)

    @property
    def best(self) -> float:
        return max(min(self.work) - min(self.idle), 1e-9)


@dataclass(frozen=True)
class Compared:
    """A task as both sources did it."""

    task: Task
    old: Times
    new: Times

    @property
    def ratio(self) -> float:
        """The best of the new to the best of the old: below 1 the new one is faster."""
        return self.new.best / self.old.best

    @property
    def spread(self) -> tuple[float, float]:
        """The least and the greatest ratio of one round."""
        ratios = [self.new.net(number) / self.old.net(number) for number in range(len(self.new.work))]
        return min(ratios), max(ratios)

    def data(self) -> dict[str, object]:
        sides = {"old": self.old, "new": self.new}
        return {
            "task": self.task.name,
            **{f"{name}_seconds": times.best for name, times in sides.items()},
            **{f"{name}_nodes": times.nodes for name, times in sides.items()},
            "ratio": self.ratio,
            "spread": self.spread,
        }

    def row(self) -> str:
        least, most = self.spread
        nodes = ""
        if self.new.nodes:
            rates = " ".join(f"{times.nodes / times.best / 1e6:7.2f}" for times in (self.old, self.new))
            same = (
                "the same" if self.new.nodes == self.old.nodes else f"{self.new.nodes / self.old.nodes:.4f} times the"
            )
            nodes = f"  {rates} M {self.task.unit}/s, {same} {self.task.unit}"
        seconds = f"{self.old.best:>8.3f} {self.new.best:>8.3f}"
        return f"{self.task.name:<14} {seconds} {self.ratio:>7.3f}  {least:.3f} to {most:.3f}{nodes}"


def tasks(folder: Path, suites: Path, long: bool) -> list[Task]:
    """All there is to do; a scratch folder takes the files that the commands read."""
    mine = folder / "mine.py"
    mine.write_text(HEURISTIC)

    def move(name: str, agent: str, much: str, little: str, unit: str) -> Task:
        # Not as JSON, which has a value for every move: that is another search, which older sources do not make.
        ask = ["move", "--position", MIDDLE_GAME, "--agent"]
        return Task(name, [*ask, f"{agent}{much}"], [*ask, f"{agent}{little}"], unit)

    found = [
        Task("perft(12)", ["perft", "12"], ["perft", "1"]),
        move("playouts", "montecarlo:", "playouts=3000000", "playouts=1", "playouts"),
        move("mcts", "mcts:", "playouts=1500000", "playouts=1", "playouts"),
        move("alphazero", "alphazero:", "playouts=600000", "playouts=1", "playouts"),
        move("own heuristic", f"alphabeta:heuristic={mine}:edges,", "depth=13", "depth=1", "nodes"),
        move("engine", "engine:", "depth=26", "depth=1", "nodes"),
    ]
    idle = ["solve", NEARLY_FULL, "--json"]
    for name, file, count in (("FFO #20–39", "fforum-20-39.obf", 20), ("FFO #40–49", "fforum-40-59.obf", 10)):
        if not long and count == 10:
            continue
        if not (suites / file).is_file():
            print(f"{name} is left out: there is no {suites / file} (--suites says where)", file=sys.stderr)
        else:
            lines = [line for line in (suites / file).read_text().splitlines() if line.strip()]
            (folder / file).write_text("\n".join(lines[:count]) + "\n")
            found.append(Task(name, ["solve", str(folder / file), "--json"], idle))
    return found


def cost(source: Path, arguments: Sequence[str]) -> tuple[float, int]:
    """The processor's seconds of one command, and the nodes that its answers count."""
    environment = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen([sys.executable, "-m", "outflank", *arguments], env=environment, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"{source}: outflank {' '.join(arguments)} ended with {child.returncode}")
        out.seek(0)
        nodes = sum(_nodes(line) for line in out)
    return usage.ru_utime + usage.ru_stime, nodes


def _nodes(line: str) -> int:
    """What a line of an answer says: an object, or words for people."""
    if line.startswith("{"):
        return int(json.loads(line)["nodes"])
    told = NODES.search(line)
    return int(told[1].replace(",", "")) if told else 0


def compared(task: Task, old: Path, new: Path, rounds: int) -> Compared:
    """Both in turn; who begins changes from round to round."""
    found = Compared(task, Times(), Times())
    for number in range(rounds):
        sides = [(old, found.old), (new, found.new)]
        for source, times in sides if number % 2 == 0 else sides[::-1]:
            times.idle.append(cost(source, task.idle)[0])
            seconds, times.nodes = cost(source, task.work)
            times.work.append(seconds)
    return found


def compare(old: Path, new: Path, todo: Sequence[Task], rounds: int, tell: Callable[[Compared], None]) -> None:
    """Every task, told as soon as it is done; nothing is compiled while it is measured."""
    for source in (old, new):
        cost(source, ["warmup"])
    for task in todo:
        tell(compared(task, old, new, rounds))


def _source(text: str) -> Path:
    """The folder that holds the package: a checkout's, or its `src`."""
    for folder in (Path(text), Path(text) / "src"):
        if (folder / "outflank" / "__main__.py").is_file():
            return folder.resolve()
    raise argparse.ArgumentTypeError(f"{text} holds no outflank: give a checkout or its src")


def main() -> None:
    parser = argparse.ArgumentParser(description="What the same work costs two checkouts, in processor seconds.")
    parser.add_argument("old", type=_source, help="a checkout, or its src")
    parser.add_argument("new", type=_source)
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many")
    parser.add_argument("--suites", type=Path, default=SUITES, help="where the FFO suites are")
    parser.add_argument("--long", action="store_true", help="FFO #40–49 too")
    parser.add_argument("--only", nargs="+", metavar="TASK", help="only tasks whose name begins so")
    parser.add_argument("--json", action="store_true")
    said = parser.parse_args()
    if said.rounds < 1:
        parser.error("there is 1 round or more")
    with tempfile.TemporaryDirectory() as folder:
        todo = tasks(Path(folder), said.suites, said.long)
        if said.only:
            todo = [task for task in todo if task.name.startswith(tuple(said.only))]
        if not todo:
            parser.error("nothing to do: no task has such a name")
        if not said.json:
            print(f"{'':<14} {'old s':>8} {'new s':>8} {'new/old':>7}  spread of {said.rounds} rounds", flush=True)
        compare(
            said.old,
            said.new,
            todo,
            said.rounds,
            lambda one: print(json.dumps(one.data()) if said.json else one.row(), flush=True),
        )


if __name__ == "__main__":
    main()
