"""The checker: does a certificate prove what it says?

It knows the rules, the tree (`tree`), the file (`certificate`) and a plain solver of its own (`plain`), and nothing of
the engine that found the proof. For each of the two bounds it walks every reply of the other side, plays the move that
the certificate has for the claiming side, looks at every finished game on the way, and solves every leaf.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from outflank.board.compiled import load
from outflank.board.position import Position
from outflank.board.squares import square_name
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.proofs import plain
from outflank.proofs.certificate import Certificate
from outflank.proofs.plain import MOST_EMPTIES, PlainSolver
from outflank.proofs.tree import (
    NO_POSITIONS,
    Array,
    IllegalMove,
    Level,
    NoMoreMoves,
    Place,
    Written,
    line_to,
    start_of,
    walk,
)
from outflank.work.held import held
from outflank.work.stop import Stop
from outflank.work.workers import Here, Workers

PORTION = 256
"""Leaves that are solved in one task."""


@dataclass
class BoundChecked:
    """What was found of one bound."""

    claim: Fault
    positions: int = 0
    """Of the tree, leaves included."""
    leaves: int = 0
    solved: int = 0
    """Leaves that were solved: all, or those of the sample."""
    nodes: int = 0
    seconds: float = 0.0
    walk_seconds: float = 0.0
    failure: Fault | None = None
    """What is wrong, and the moves that lead there."""


@dataclass
class Verdict:
    """What the checker says."""

    certificate: Certificate
    bounds: list[BoundChecked] = field(default_factory=list)
    complete: bool = True
    """Whether every leaf was solved."""

    @property
    def failure(self) -> Fault | None:
        return next((bound.failure for bound in self.bounds if bound.failure is not None), None)

    @property
    def proved(self) -> bool:
        return self.complete and self.failure is None and len(self.bounds) == 2


@dataclass(frozen=True)
class Sample:
    """A random part of the leaves: so many of each bound, or as many as fit in so many seconds."""

    leaves: int | None = None
    seconds: float | None = None
    seed: int = 0


Progress = Callable[[BoundChecked], None]


@dataclass(frozen=True)
class Portion:
    """Some leaves with the same side to move: a task for workers."""

    variant: Variant
    positions: Array
    alpha: int
    wanted: bool

    def __str__(self) -> str:
        return f"{len(self.positions)} leaves of {self.variant}"

    def __call__(self, stop: Stop) -> tuple[int, int]:
        """How many are as claimed, from the first on; and the nodes that took."""
        solver = held(PlainSolver, self.variant)
        solver.watch(stop)
        before = solver.nodes
        return solver.as_claimed(self.positions, self.alpha, self.wanted), solver.nodes - before


def check(
    certificate: Certificate,
    workers: Workers | None = None,
    sample: Sample | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Whether the certificate proves its value: the whole of it, or with a sample of its leaves.

    It ends at the first thing that is wrong.
    """
    load(plain.as_claimed)
    verdict = Verdict(certificate, complete=sample is None)
    start = Position.start(certificate.variant)
    workers = workers or Here()
    for mover_claims in (True, False):
        verdict.bounds.append(BoundChecked(claim_of(certificate, mover_claims)))
        _check_bound(certificate, start, mover_claims, workers, sample, verdict.bounds[-1], progress)
        if verdict.bounds[-1].failure is not None:
            break
    return verdict


def claim_of(certificate: Certificate, mover_claims: bool) -> Fault:
    """One of the two bounds in words."""
    if mover_claims:
        return Fault("proof.claim-first", least=certificate.value)
    return Fault("proof.claim-second", least=-certificate.value)


def _check_bound(
    certificate: Certificate,
    start: Position,
    mover_claims: bool,
    workers: Workers,
    sample: Sample | None,
    found: BoundChecked,
    progress: Progress | None,
) -> None:
    began = time.perf_counter()
    variant, least = certificate.variant, certificate.value if mover_claims else -certificate.value
    moves = certificate.moves[0 if mover_claims else 1]
    if least <= -variant.square_count:  # nobody ever loses more
        if moves:
            why = Fault("proof.moves-left", left=len(moves))
            found.failure = Fault("proof.fails-everywhere", claim=found.claim, why=why)
        return
    levels: list[Level] = []
    try:
        _walk(certificate, start, mover_claims, least, levels, found)
        found.walk_seconds = found.seconds = time.perf_counter() - began
        leaves = levels[-1]
        found.leaves = len(leaves.ours) + len(leaves.theirs)
        tasks = list(_portions(variant, leaves, least, sample))
        failing = _solve(tasks, workers, sample, found, progress, began)
        if failing is not None:
            raise _Wrong(Fault("proof.leaf"), failing, len(levels) - 1)
    except _Wrong as wrong:
        line = line_to(start, levels[: wrong.depth], wrong.place)
        told = " ".join(map(square_name, line)) or "-"
        found.failure = Fault("proof.fails", claim=found.claim, line=told, why=wrong.why)
    except _Ended as ended:
        found.failure = Fault("proof.fails-everywhere", claim=found.claim, why=ended.fault)
    found.seconds = time.perf_counter() - began


class _Wrong(Exception):  # noqa: N818
    def __init__(self, why: Fault, place: Place, depth: int) -> None:
        self.why, self.place, self.depth = why, place, depth


class _Ended(Exception):  # noqa: N818
    def __init__(self, fault: Fault) -> None:
        self.fault = fault


def _walk(
    certificate: Certificate,
    start: Position,
    mover_claims: bool,
    least: int,
    levels: list[Level],
    found: BoundChecked,
) -> None:
    """Walks the tree down to its leaves: legal moves for the claiming side, every reply, every finished game."""
    if certificate.leaves > MOST_EMPTIES:
        raise _Ended(Fault("proof.leaves", most=MOST_EMPTIES, leaves=certificate.leaves))
    moves = certificate.moves[0 if mover_claims else 1]
    written = Written(moves)
    top = start_of(start, mover_claims)
    try:
        for level in walk(certificate.variant, top, certificate.leaves, written):
            levels.append(level)
            found.positions += level.size
            low = np.nonzero(certificate.variant.sign * level.margins < least)[0]
            if len(low):
                own, opp = level.finished[low[0]]
                place = (int(own), int(opp), bool(level.finished_ours[low[0]]))
                raise _Wrong(Fault("proof.end"), place, len(levels) - 1)
    except IllegalMove as illegal:
        own, opp = levels[-1].ours[illegal.row]
        raise _Wrong(Fault("proof.illegal"), (int(own), int(opp), True), len(levels) - 1) from None
    except NoMoreMoves as end:
        raise _Ended(Fault("proof.moves-end", moves=len(moves), empties=end.empties)) from None
    if written.left:
        raise _Ended(Fault("proof.moves-left", left=written.left))
    if not levels or levels[-1].empties > certificate.leaves:
        levels.append(Level(certificate.leaves, NO_POSITIONS, NO_POSITIONS))  # every game had ended before


def _portions(variant: Variant, leaves: Level, least: int, sample: Sample | None) -> Iterator[Portion]:
    """The leaves in tasks: where the claiming side is to move it gets at least so much, where not the other side does
    not keep it below. For a sample they are in random order."""
    dice = np.random.default_rng(sample.seed) if sample else None
    for positions, alpha, wanted in ((leaves.ours, least - 1, True), (leaves.theirs, -least, False)):
        if dice is not None:
            positions = dice.permutation(positions)
            if sample and sample.leaves is not None:
                share = len(positions) / max(len(leaves.ours) + len(leaves.theirs), 1)
                positions = positions[: max(round(sample.leaves * share), 1)]
        for begin in range(0, len(positions), PORTION):
            yield Portion(variant, np.ascontiguousarray(positions[begin : begin + PORTION]), alpha, wanted)


def _solve(
    tasks: list[Portion],
    workers: Workers,
    sample: Sample | None,
    found: BoundChecked,
    progress: Progress | None,
    began: float,
) -> Place | None:
    """Solves leaves; the first that is not as claimed, if there is one."""
    if sample is not None:
        random.Random(sample.seed).shuffle(tasks)
    with closing(workers.run(enumerate(tasks))) as batches:
        for batch in batches:
            for number, (right, nodes) in batch:
                found.solved += right
                found.nodes += nodes
                if right < len(tasks[number].positions):
                    own, opp = tasks[number].positions[right]
                    return int(own), int(opp), tasks[number].wanted
            found.seconds = time.perf_counter() - began
            if progress:
                progress(found)
            if sample and sample.seconds is not None and found.seconds >= sample.seconds / 2:
                break
    return None
