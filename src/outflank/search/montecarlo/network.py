"""Tree search with somebody's own network: the guided search of `guided`, except that an evaluator in Python says what
positions are worth and which moves are likely. docs/network.md explains it.

An evaluator is any function of two arrays, planes and masks as `outflank.env` has them, that gives a logit for every
action and a value for every row: PyTorch, JAX, ONNX or plain NumPy. `batches` collects the leaves that it is asked
about together; between two batches everything is compiled.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from outflank.board.compiled import load
from outflank.board.planes import PLANES, actions_by_square
from outflank.board.position import Position
from outflank.board.records import place_of
from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.search.driver import Stop
from outflank.search.limits import Limit
from outflank.search.montecarlo import batches
from outflank.search.montecarlo.guided import GuidedOptions, GuidedSearch
from outflank.search.montecarlo.memory import LEAF, PRIOR_AT, PRIOR_STEPS, LeafBatch, children_of

Evaluator = Callable[[NDArray[np.bool_], NDArray[np.bool_]], tuple[Any, Any]]
"""Planes (rows, 2, height, width) and masks (rows, actions) in; logits (rows, actions) and values (rows,) out.

Values are the side to move's, from -1, lost, to 1. Logits of illegal actions do not matter. The arrays that it gets are
filled anew for the next batch.
"""

DEFAULT_BATCH = 32
NODES_A_PLAYOUT = 12
"""A leaf gets its children at once: as many as a position has moves, on average and on the safe side."""


@dataclass(frozen=True)
class NetworkOptions(GuidedOptions):
    """How a search with an evaluator works; `threads` are the evaluator's own business."""

    batch: int = DEFAULT_BATCH
    """How many leaves are asked about together, at most."""
    noise: float = 0.0
    """The share of Dirichlet noise in the chances of the root's moves, for self-play."""
    concentration: float = 1.0
    """The noise's parameter: below 1 it favours few moves."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch < 1:
            raise Fault("montecarlo.least", name="batch", least=1, number=self.batch)
        if not 0 <= self.noise <= 1:
            raise Fault("montecarlo.noise", noise=self.noise)
        if not self.concentration > 0:
            raise Fault("montecarlo.concentration", concentration=self.concentration)
        if self.threads != 1:
            raise Fault("montecarlo.one-thread", threads=self.threads)


class NetworkSearch(GuidedSearch):
    """A search with its options, its evaluator and its tree. One caller at a time.

    On one seed it is repeatable if the evaluator is.
    """

    options: NetworkOptions
    nodes_a_playout = NODES_A_PLAYOUT

    def __init__(self, evaluator: Evaluator, options: NetworkOptions | None = None, seed: SupportsIndex = 0) -> None:
        super().__init__(options or NetworkOptions(), seed)
        self.evaluator = evaluator
        self.batches = 0
        """How many times the last search asked the evaluator."""
        self._guidance.asks = 1
        self._batch = LeafBatch.new()
        self._leaves = np.zeros(2 * self.options.batch, LEAF)
        self._batch.leaves, self._batch.size = place_of(self._leaves), self.options.batch
        self._lay_out(Variant())
        for kernel in (batches.collect, batches.collect_root, batches.deliver, batches.deliver_root):
            load(kernel)

    def _lay_out(self, variant: Variant) -> None:
        """Room for what the evaluator is shown; it stays while the board does."""
        size, batch = self.options.batch, self._batch
        self._planes = np.zeros((size, PLANES, variant.rows, variant.columns), np.bool_)
        self._masks = np.zeros((size, variant.square_count + 1), np.bool_)
        batch.rows, batch.columns = variant.rows, variant.columns
        batch.planes, batch.masks = place_of(self._planes), place_of(self._masks)

    def visits(self) -> NDArray[np.int64]:
        """How often each action was tried at the root of the last search: what a policy learns."""
        if self.position is None:
            raise Fault("montecarlo.not-searched")
        numbers = actions_by_square(self.position.variant)
        found = np.zeros(len(numbers), np.int64)
        for one in self.candidates():
            found[numbers[one.move]] = one.visits
        return found

    def _prepare(self, position: Position, limit: Limit, seconds: float | None, stop: Stop) -> None:
        if self._planes.shape[2:] != (position.variant.rows, position.variant.columns):
            self._lay_out(position.variant)
        super()._prepare(position, limit, seconds, stop)
        self._desk.shared = 1  # walks that wait lend their losses, as those of other threads do
        self.batches = 0
        self._open_root()

    def _open_root(self) -> None:
        """The root's moves and their chances, with noise where that is wanted."""
        places = self._desk.address, self._threads[0].address, self._batch.address
        if not children_of(self._link(self.root)):
            batches.collect_root(*places)
            logits, _ = self._answers(1)
            self._judge(batches.deliver_root(*places, logits))
        if self.options.noise:
            self._add_noise()

    def _add_noise(self) -> None:
        children = children_of(self._link(self.root))
        dice = np.random.default_rng([self.seed & 0xFFFFFFFF, self._threads[0].random[0] & 0xFFFFFFFF])
        noise = dice.dirichlet([self.options.concentration] * len(children))
        links = self._nodes["link"][children.start : children.stop]
        share, rest = self.options.noise, int(1 << int(PRIOR_AT)) - 1
        for number, link in enumerate(links.tolist()):
            prior = (1 - share) * (link >> int(PRIOR_AT)) / PRIOR_STEPS + share * noise[number]
            links[number] = link & rest | round(min(prior, 1.0) * PRIOR_STEPS) << int(PRIOR_AT)

    def _simulate(self) -> None:
        places = self._desk.address, self._threads[0].address, self._batch.address
        while waiting := batches.collect(*places):
            logits, values = self._answers(waiting)
            self._judge(batches.deliver(*places, logits, values))

    def _answers(self, rows: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """What the evaluator says of the leaves that wait. A tree with leaves that wait for ever is not kept."""
        self.batches += 1
        try:
            answer = self.evaluator(self._planes[:rows], self._masks[:rows])
            if not isinstance(answer, Sequence) or len(answer) != 2:
                raise Fault("montecarlo.evaluator-answer", kind=type(answer).__name__)
            logits, values = answer
            known = _numbers(logits), _numbers(values).reshape(-1)
            if known[0].shape != self._masks[:rows].shape or known[1].shape != (rows,):
                shapes = {"logits": np.shape(logits), "values": np.shape(values)}
                raise Fault("montecarlo.evaluator-shape", rows=rows, actions=self._masks.shape[1], **shapes)
        except BaseException:
            self.forget()
            raise
        return known

    def _judge(self, numbers: bool) -> None:
        if not numbers:
            self.forget()
            raise Fault("montecarlo.evaluator-number")

    def _notes(self) -> list[str]:
        return [f"{self.batches:,} batches"]


def _numbers(given: Any) -> NDArray[np.float32]:
    """What an evaluator gives as an array, whatever made it."""
    try:
        return np.ascontiguousarray(given, np.float32)
    except (TypeError, ValueError) as error:
        raise Fault("montecarlo.evaluator-kind", why=error) from None
