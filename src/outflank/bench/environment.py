"""How fast learners can play: steps of the batched environment, beside pgx where that is installed, and simulations of
the tree search with an evaluator that says nothing.

By the clock and by processor time: on a shared machine, trust the second. pgx runs in a process of its own, with a
Python that has it, in turn with ours.
"""

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from outflank.board.position import Position
from outflank.board.variant import Variant
from outflank.env.batch import BatchEnv
from outflank.errors import Fault
from outflank.patterns.guides import shipped_tables
from outflank.search.limits import Limit
from outflank.search.montecarlo.guided import GuidedOptions, GuidedSearch
from outflank.search.montecarlo.network import NetworkOptions, NetworkSearch

PLAYOUTS = 20_000
"""Simulations of a search that is measured: a tree of the size that players have."""
BATCH = 64
PGX = """
import json, sys, time
import jax, jax.numpy as jnp, pgx
from pgx.experimental import auto_reset

games, seconds, steps = int(sys.argv[1]), float(sys.argv[2]), 20
env = pgx.make("othello")
step = jax.vmap(auto_reset(env.step, env.init))

@jax.jit
def play(state, key):
    def one(_, carry):
        state, key = carry
        key, choice, fresh = jax.random.split(key, 3)
        action = jax.random.categorical(choice, jnp.log(state.legal_action_mask.astype(jnp.float32)), axis=1)
        return step(state, action, jax.random.split(fresh, games)), key
    return jax.lax.fori_loop(0, steps, one, (state, key))

key = jax.random.PRNGKey(0)
state = jax.jit(jax.vmap(env.init))(jax.random.split(key, games))
state, key = jax.block_until_ready(play(state, key))
for line in sys.stdin:
    done, began, spent = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - began < seconds:
        state, key = jax.block_until_ready(play(state, key))
        done += steps * games
    print(json.dumps([done, time.perf_counter() - began, time.process_time() - spent]), flush=True)
"""


@dataclass(frozen=True)
class Rate:
    """So many a second: the best round by the clock, and the best by processor time."""

    clock: float
    processor: float


@dataclass(frozen=True)
class EnvironmentSpeed:
    """What was measured."""

    games: int
    threads: int
    bytes_per_game: float
    steps: dict[str, Rate]
    """By variant, on one thread: random legal actions, each step with masks and observations."""
    threaded: Rate
    """Othello on several threads."""
    pgx: Rate | None
    pgx_games: int
    guided: Rate
    network: Rate

    @property
    def ratio(self) -> Rate | None:
        """Our one thread to pgx on all it takes; by processor time, core to core."""
        ours = self.steps["othello"]
        return None if self.pgx is None else Rate(ours.clock / self.pgx.clock, ours.processor / self.pgx.processor)

    def to_dict(self) -> dict[str, Any]:
        ratio = self.ratio
        return {**asdict(self), "pgx_ratio": None if ratio is None else asdict(ratio)}


Round = Callable[[], tuple[int, float, float]]
"""One round of a measurement: how many, in how many seconds, by the clock and of the processor."""


def measure(games: int, seconds: float, rounds: int, threads: int, python: str, pgx_games: int) -> EnvironmentSpeed:
    """Measures all, so many rounds of so many seconds each, in turn."""
    variants = ("othello", "reversed", "6x6", "reversed-5x7")
    many = BatchEnv(games, threads=threads)
    tasks: dict[str, Round] = {name: _stepping(BatchEnv(games, name), seconds) for name in variants}
    tasks["threads"] = _stepping(many, seconds)
    tasks["guided"], tasks["network"] = _searching(_guided(), seconds), _searching(_with_network(), seconds)
    other = _Other(python, pgx_games, seconds) if python else None
    if other is not None:
        tasks["pgx"] = other.round
    try:
        found = _in_turn(tasks, rounds)
    finally:
        many.close()
        if other is not None:
            other.close()
    steps = {name: found[name] for name in variants}
    return EnvironmentSpeed(
        games,
        threads,
        many.bytes_per_game,
        steps,
        found["threads"],
        found.get("pgx"),
        pgx_games if python else 0,
        found["guided"],
        found["network"],
    )


def _in_turn(tasks: dict[str, Round], rounds: int) -> dict[str, Rate]:
    rates: dict[str, list[Rate]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            done, clock, processor = task()
            rates[name].append(Rate(done / clock, done / max(processor, 1e-9)))
    return {
        name: Rate(max(one.clock for one in each), max(one.processor for one in each)) for name, each in rates.items()
    }


def _timed(work: Callable[[], int], seconds: float) -> tuple[int, float, float]:
    done, began, spent = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - began < seconds:
        done += work()
    return done, time.perf_counter() - began, time.process_time() - spent


def _stepping(env: BatchEnv, seconds: float) -> Round:
    for _ in range(100):  # games of all ages
        env.step(env.random_actions())

    def work() -> int:
        for _ in range(10):
            env.step(env.random_actions())
        return 10 * env.games

    return lambda: _timed(work, seconds)


def _guided() -> GuidedSearch:
    search = GuidedSearch(GuidedOptions(reuse=False))
    search.guide(shipped_tables(Variant()))
    return search


def _with_network() -> NetworkSearch:
    """The same search with a network that says nothing."""
    logits, values = np.zeros((BATCH, 65), np.float32), np.zeros(BATCH, np.float32)
    return NetworkSearch(
        lambda planes, masks: (logits[: len(masks)], values[: len(masks)]), NetworkOptions(reuse=False, batch=BATCH)
    )


def _searching(search: GuidedSearch, seconds: float) -> Round:
    start = Position.start()
    search.run(start, Limit(playouts=PLAYOUTS))

    def work() -> int:
        return search.run(start, Limit(playouts=PLAYOUTS)).nodes

    return lambda: _timed(work, seconds)


class _Other:
    """pgx in another Python, which plays a round whenever it gets a line."""

    def __init__(self, python: str, games: int, seconds: float) -> None:
        command = [python, "-c", PGX, str(games), str(seconds)]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        except OSError as error:
            raise Fault("bench.no-python", python=python, why=error) from None
        self._python = python

    def round(self) -> tuple[int, float, float]:
        assert self._process.stdin is not None and self._process.stdout is not None
        line = ""
        try:
            print(file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
        except BrokenPipeError:
            pass
        if not line:
            _, errors = self._process.communicate()
            raise Fault("bench.no-pgx", python=self._python, why=(errors.strip().splitlines() or ["it ended"])[-1])
        done, clock, processor = json.loads(line)
        return done, clock, processor

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()
