"""Players that search a tree with a heuristic: `minimax` and `alphabeta`, and what four of the five share."""

from collections.abc import Callable, Mapping
from typing import Any

from outflank.agents.agent import Agent
from outflank.agents.roster import entry_named
from outflank.board.game import Game
from outflank.board.position import Position
from outflank.board.squares import Color
from outflank.board.variant import OTHELLO, Variant
from outflank.errors import Fault
from outflank.heuristics.heuristic import Heuristic
from outflank.heuristics.learnt import learnt, load
from outflank.heuristics.named import find
from outflank.heuristics.weighted import WeightedHeuristic
from outflank.search.limits import UNLIMITED, Limit, Report
from outflank.search.trees.search import Algorithm, Ordering, TreeSearch

DEFAULT_DEPTH = 4


class SearchPlayer(Agent):
    """A tree search on a heuristic. `plan` is the limit it sets itself where nobody else does."""

    def __init__(
        self,
        heuristic: Heuristic,
        plan: Callable[[Position], Limit],
        algorithm: Algorithm = "alphabeta",
        ordering: Ordering = "estimate",
        **options: Any,
    ) -> None:
        self.heuristic = heuristic
        self._plan = plan
        self._search = TreeSearch(heuristic, algorithm, ordering, **options)

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self._search.prepare(variant)

    def choose(self, game: Game, limit: Limit) -> Report:
        position = game.position
        return self._search.run(position, limit if limit != UNLIMITED else self._plan(position))


class ByVariant(SearchPlayer):
    """A tree search that is another one in each game: weights are learnt for one."""

    def __init__(self, make: Callable[[Variant], SearchPlayer]) -> None:
        self._make = make
        self._become(OTHELLO)

    def _become(self, variant: Variant) -> None:
        self._variant = variant
        made = self._make(variant)
        self.heuristic, self._plan, self._search = made.heuristic, made._plan, made._search

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        if variant != self._variant:
            self._become(variant)
        super().start(variant, color, seed)

    def choose(self, game: Game, limit: Limit) -> Report:
        if game.variant != self._variant:
            self._become(game.variant)
        return super().choose(game, limit)


OWN, LEARNT = "own", "learnt"


def weights_from(weights: str, player: str, heuristic: str, variant: Variant) -> WeightedHeuristic:
    """A player's heuristic with the weights learnt for it in a game (`learnt`), or with those of a file."""
    found = learnt(player, variant) if weights == LEARNT else load(weights)
    if found.name != heuristic:
        raise Fault("agent.weights-of-other", player=player, weights=weights, found=found.name, heuristic=heuristic)
    return found


def refuse_changes(player: str, weights: str, given: Mapping[str, object]) -> None:
    """Weights from elsewhere leave nothing to say of single ones."""
    options = entry_named(player).accepts
    for name, value in given.items():
        if value != options[name].default:
            raise Fault("agent.weights-twice", player=player, weights=weights, name=name)


def fixed(position: Position) -> Limit:
    """The plan of a player that has none: a few plies."""
    return Limit(depth=DEFAULT_DEPTH)


def minimax(heuristic: str, weights: str, deepening: bool) -> SearchPlayer:
    """Minimax without pruning."""
    return SearchPlayer(_with(weights, heuristic), fixed, "minimax", deepening=deepening)


def alphabeta(heuristic: str, weights: str, ordering: Ordering, deepening: bool) -> SearchPlayer:
    """Alpha-beta: the same move as minimax, sooner."""
    return SearchPlayer(_with(weights, heuristic), fixed, ordering=ordering, deepening=deepening)


def _with(weights: str, heuristic: str) -> Heuristic:
    """A heuristic by name, with the weights of a file where one is given."""
    if not weights:
        return find(heuristic)
    found = load(weights)
    if found.name != heuristic:
        raise Fault("agent.weights-name", weights=weights, name=found.name)
    return found
