"""The nodes of a Ray cluster: which are there, which can do what a task needs, and which have refused one."""

import importlib
import sys
from collections.abc import Iterable
from typing import Any

from outflank import __version__
from outflank.errors import Fault, MachineError
from outflank.work.workers import Needs

TRIAL_SECONDS = 120.0
"""How long a node may take to say what it can do: it starts a process for that."""
LABEL = "ray.io/node-id"
"""By which Ray knows a node."""
GONE = object()


class Nodes:
    """What is known of them. Each is tried before it gets the first task with a need."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._strategies = importlib.import_module("ray.util.scheduling_strategies")
        self._try = ray.remote(num_cpus=0, max_retries=0)(try_on_a_node)
        self._present: dict[str, str] = {}
        """Those that are there, and how their machines are called."""
        self._tried: dict[tuple[Needs, str], MachineError | None] = {}
        self._refused: set[str] = set()
        self.cores = 1
        self.look()

    def look(self) -> None:
        """Nodes come and go."""
        nodes = [node for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        self._present = {node["NodeID"]: node["NodeManagerHostname"] for node in nodes}
        self.cores = max(int(sum(node["Resources"]["CPU"] for node in nodes)), 1)

    def note_refusal(self, node: str) -> None:
        """It gets no more, as long as others have not refused anything."""
        self._refused.add(node)

    def strategy(self, needs: Iterable[Needs]) -> Any:
        """Where Ray may do a task with these needs; None for anywhere."""
        wanted = set(needs)
        fit = set(self._present).intersection(*map(self._able, wanted))
        if not wanted and not self._refused & fit:
            return None
        return self._strategies.NodeLabelSchedulingStrategy(
            hard={LABEL: self._strategies.In(*(fit - self._refused or fit))}
        )

    def _able(self, needs: Needs) -> set[str]:
        """The nodes that can do it; an error where none can. Who cannot is named once."""
        trials = {}
        for node in self._present:
            if (needs, node) not in self._tried:
                there = self._strategies.NodeAffinitySchedulingStrategy(node, soft=False)
                trials[self._try.options(scheduling_strategy=there).remote(__version__, needs)] = node
        answered = self._ray.wait(list(trials), num_returns=len(trials), timeout=TRIAL_SECONDS)[0] if trials else []
        for trial, node in trials.items():
            refusal: MachineError | None = MachineError("cluster.no-trial", seconds=TRIAL_SECONDS)
            if trial in answered:
                try:
                    refusal = self._ray.get(trial)
                except self._ray.exceptions.RayTaskError as error:
                    raise error.cause if isinstance(error.cause, Exception) else error from None
                except self._ray.exceptions.RayError:  # it has gone meanwhile
                    continue
            self._tried[needs, node] = refusal
            if refusal is not None:
                print(Fault("cluster.unfit", node=self._present[node], why=refusal), file=sys.stderr)
        able = {node for node in self._present if self._tried.get((needs, node), GONE) is None}
        if not able:
            refusals = [self._tried.get((needs, node)) for node in self._present]
            raise MachineError("cluster.none-fit", nodes=len(refusals), why=next(filter(None, refusals), "?"))
        return able


def try_on_a_node(version: str, needs: Needs) -> MachineError | None:
    """Whether the node can do it, in a process of it."""
    if version != __version__:
        raise Fault("cluster.version", there=__version__, here=version)
    try:
        needs()
    except MachineError as error:
        return error
    return None
