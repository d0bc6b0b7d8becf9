"""Fits a guide to games of self-play: logistic regression for the value, softmax regression for the policy.

A stage's tables are fitted on their own, so that several can be at a time, and the result does not depend on how many.
"""

from functools import partial
from typing import Any

import numpy as np

from outflank.board.variant import Variant
from outflank.learning.alphazero.descent import descend_policies, descend_values
from outflank.learning.alphazero.games import GuidedGames
from outflank.learning.alphazero.loops import PROVEN, SEARCHED
from outflank.patterns.guides import PLIES_A_STAGE, UNITS, Guide, guide_shape
from outflank.patterns.shapes import PatternSet, require_patterns
from outflank.patterns.weights import LARGEST
from outflank.search.montecarlo.guided_kernels import RESULT_RANGE
from outflank.work.stop import Stop
from outflank.work.threads import Threads

Array = Any

RATE = 0.05
"""The size of a first correction, in logits."""
CAUTION = 1.0
"""What AdaGrad's sums begin with: the first corrections of a weight are not overbold."""
PASSES = 4
OF_SEARCH = 0.5
"""What the search's mean counts in a value's target; the rest is the game's result."""
HELD_OUT = 20
"""One game in so many is not learnt from but measured on."""


class Lessons:
    """Games as the two fits take them: targets for the value, visits for the policy, parted by stage."""

    def __init__(self, games: GuidedGames, variant: Variant) -> None:
        self.variant, self.games = variant, games
        result = (games.result.astype(np.float32) + 1) / 2
        found = np.clip((games.worth.astype(np.float32) / RESULT_RANGE + 1) / 2, 0, 1)
        share = np.where(games.kind == PROVEN, 1.0, np.where(games.kind == SEARCHED, OF_SEARCH, 0.0)).astype(np.float32)
        self.targets = share * found + (1 - share) * result
        self.starts = np.concatenate([[0], np.cumsum(games.moves, dtype=np.int64)])[:-1]
        discs = np.bitwise_count(games.own | games.opp).astype(np.int64)
        self.stage = np.minimum((discs - 4) // PLIES_A_STAGE, guide_shape(variant)[0] - 1)
        self.held = games.game % HELD_OUT == HELD_OUT - 1

    def rows(self, stage: int, held: bool, searched: bool, seed: int = 0) -> Array:
        """The positions of a stage, shuffled: to learn from or held out, all or those of thorough searches."""
        wanted = (self.stage == stage) & (self.held == held)
        if searched:
            wanted &= self.games.moves > 1
        rows = np.nonzero(wanted)[0]
        np.random.default_rng([seed, stage, searched]).shuffle(rows)
        return rows


class GuideFit:
    """Fits a guide to lessons, beginning with another one or from nothing."""

    def __init__(self, lessons: Lessons, begin: Guide | None, seed: int, passes: int = PASSES) -> None:
        self.lessons, self.begin, self.seed, self.passes = lessons, begin, seed, passes
        self.patterns: PatternSet = require_patterns(lessons.variant)
        self._powers = np.ascontiguousarray(self.patterns.powers())
        self._offsets = self.patterns.offsets().astype(np.int64)
        self._canonical = self.patterns.canonical().astype(np.int32)

    def fitted(self, jobs: int) -> Guide:
        """The new guide. It says on how many positions and searches it was fitted, and how well it foretells the games
        held out: cross entropy of the value, divergence of the policy, both in nats."""
        stages = range(guide_shape(self.lessons.variant)[0])
        # The policy takes longest: it goes first.
        with Threads(jobs) as workers:
            found = list(workers.map(partial(fit, stage) for fit in (self._policy, self._value) for stage in stages))
        policies, values = found[: len(stages)], found[len(stages) :]
        tables = [np.stack([self._stored(weights) for weights, *_ in fits]) for fits in (values, policies)]
        losses = [sum(loss for _, loss, _ in fits) for fits in (values, policies)]
        held = [max(sum(size for *_, size in fits), 1) for fits in (values, policies)]
        learnt = ~self.lessons.held
        about = {
            "positions": int(learnt.sum()),
            "searches": int((learnt & (self.lessons.games.moves > 1)).sum()),
            "value_loss": round(losses[0] / held[0], 4),
            "policy_loss": round(losses[1] / held[1], 4),
        }
        return Guide(self.lessons.variant, tables[0], tables[1], about)

    def _stored(self, weights: Array) -> Array:
        """Weights as a guide keeps them."""
        return np.clip(np.rint(weights[self._canonical] * UNITS), -LARGEST, LARGEST).astype(np.int16)

    def _value(self, stage: int, stop: Stop) -> tuple[Array, float, int]:
        """The weights of a stage, and the loss on the games held out with their number."""
        return self._descended("values", stage, False, descend_values, (self.lessons.targets,), (), stop)

    def _policy(self, stage: int, stop: Stop) -> tuple[Array, float, int]:
        visits = (self.lessons.starts, self.lessons.games.counts)
        return self._descended("policies", stage, True, descend_policies, visits, (self.lessons.variant.board,), stop)

    def _descended(
        self,
        table: str,
        stage: int,
        searched: bool,
        descend: Any,
        wanted: tuple[Array, ...],
        more: tuple[int, ...],
        stop: Stop,
    ) -> tuple[Array, float, int]:
        games, weights = self.lessons.games, np.zeros(self.patterns.weights, np.float32)
        if self.begin is not None:
            weights = getattr(self.begin, table)[stage].astype(np.float32) / UNITS
        squares = np.full_like(weights, CAUTION)
        places = (self._powers.ctypes.data, self._offsets, self._canonical, weights, squares)

        def passed(order: Array, rate: float) -> float:
            found: float = descend(games.own, games.opp, *wanted, order, *more, *places, rate)
            return found

        for number in range(self.passes):
            if stop.is_set:
                break
            passed(self.lessons.rows(stage, False, searched, self.seed * 100 + number), RATE)
        held = self.lessons.rows(stage, True, searched)
        return weights, passed(held, 0.0), len(held)
