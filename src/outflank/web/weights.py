"""Players with weights edited on the page: any number of them, sharing machine code.

A heuristic is compiled with its weights in it, and machine code is never freed: enough of them would fill the memory.
Here the weights are data, and a player that has moved leaves the code to the next.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from outflank.agents.agent import Agent
from outflank.agents.classic import SearchPlayer
from outflank.agents.spec import Spec, agent
from outflank.agents.wrappers import Wrapper
from outflank.board.game import Game
from outflank.board.variant import Objective, Variant
from outflank.heuristics.heuristic import Heuristic
from outflank.heuristics.named import NAMED
from outflank.heuristics.weighted import WeightedHeuristic
from outflank.search.limits import Limit, Report

if TYPE_CHECKING:
    from outflank.learning.weights.linear import Adjustable


def searcher(player: Agent) -> SearchPlayer | None:
    """The tree search of a player that has one."""
    inner = player.player if isinstance(player, Wrapper) else player
    return inner if isinstance(inner, SearchPlayer) else None


class Weights:
    """The machine code of one server. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: dict[tuple[WeightedHeuristic, Objective], list[Adjustable]] = {}
        self.made = 0
        """How many evaluations were compiled: never more than threads that think."""

    def player(self, spec: Spec) -> Agent:
        """The player that a spec names; for each move it borrows machine code."""
        made = agent(spec)
        found = searcher(made)
        if found is not None and isinstance(found.heuristic, WeightedHeuristic):
            return Borrower(made, found, found.heuristic, self)
        return made

    @contextmanager
    def lent(
        self, heuristic: WeightedHeuristic, variant: Variant, form: WeightedHeuristic | None = None
    ) -> Iterator[Heuristic]:
        """The heuristic for a variant's game, as long as it is needed. One thread at a time. `form` has the terms that
        are compiled: those of the heuristic's name, unless told."""
        from outflank.learning.weights.linear import Adjustable, Columns

        form, made_for = form or NAMED[heuristic.name], Variant(objective=variant.objective)
        with self._lock:
            free = self._free.setdefault((form, variant.objective), [])
            code = free.pop() if free else None
        if code is None:
            code = Adjustable(Columns(form, made_for, ()))
            with self._lock:
                self.made += 1
        code.set(np.array(list(_rows(heuristic, form))))
        try:
            yield Lent(heuristic, code, made_for)
        finally:
            with self._lock:
                free.append(code)


def _rows(heuristic: WeightedHeuristic, form: WeightedHeuristic) -> Iterator[list[float]]:
    """The weights of a heuristic for each phase of its form, nothing for a term that it leaves out."""
    weights = {term.name: term.weights for term in heuristic.terms}
    for phase in range(len(form.phases) + 1):
        of_terms = (weights.get(term.name, (0.0,)) for term in form.terms)
        yield [one[phase] if len(one) > 1 else one[0] for one in of_terms]


class Lent(Heuristic):
    """Borrowed machine code, on a board of any size."""

    def __init__(self, heuristic: Heuristic, code: "Adjustable", made_for: Variant) -> None:
        self.name, self.summary, self.objective = heuristic.name, heuristic.summary, heuristic.objective
        self._code, self._made_for = code, made_for

    def address(self, variant: Variant) -> int:
        return self._code.address(self._made_for)

    def value(self, own: int, opp: int, variant: Variant) -> float:
        return self._code.value(own, opp, variant)


class Borrower(Agent):
    """A player whose heuristic has machine code only while it thinks."""

    def __init__(self, made: Agent, search: SearchPlayer, heuristic: WeightedHeuristic, weights: Weights) -> None:
        self._made, self._search, self._heuristic, self._weights = made, search, heuristic, weights
        self.spec = made.spec

    def choose(self, game: Game, limit: Limit) -> Report:
        with self._weights.lent(self._heuristic, game.variant) as heuristic:
            self._search.use(heuristic)
            return self._made.choose(game, limit)
