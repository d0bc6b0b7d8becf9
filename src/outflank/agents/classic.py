"""Players that search a tree with a heuristic: `minimax` and `alphabeta`, and what four of the five share."""

from collections.abc import Callable, Mapping
from typing import Any

from outflank.agents.agent import Agent
from outflank.agents.rating import as_long_again, by_rank
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

    def become(self, variant: Variant) -> None:
        """Gets ready for a game; some have another heuristic in each."""

    def use(self, heuristic: Heuristic) -> None:
        """Values positions by another heuristic from now on."""
        self.heuristic = heuristic
        self._search.use(heuristic)

    def start(self, variant: Variant, color: Color, seed: int) -> None:
        self.become(variant)
        self._search.prepare(variant)

    def choose(self, game: Game, limit: Limit) -> Report:
        position = game.position
        return self._search.run(position, limit if limit != UNLIMITED else self._plan(position))

    def rated(self, game: Game, report: Report, limit: Limit) -> list[Report]:
        position = game.position
        within = limit if limit != UNLIMITED else self._plan(position)
        return by_rank(self._search.root_values(position, report, as_long_again(within, report)))


class ByVariant(SearchPlayer):
    """A tree search that is another one in each game: weights are learnt for one."""

    def __init__(self, make: Callable[[Variant], SearchPlayer]) -> None:
        self._make = make
        self._become(OTHELLO)

    def _become(self, variant: Variant) -> None:
        self._variant = variant
        made = self._make(variant)
        self.heuristic, self._plan, self._search = made.heuristic, made._plan, made._search

    def become(self, variant: Variant) -> None:
        if variant != self._variant:
            self._become(variant)

    def choose(self, game: Game, limit: Limit) -> Report:
        self.become(game.variant)
        return super().choose(game, limit)


OWN, LEARNT = "own", "learnt"


def weights_from(weights: str, player: str, heuristic: str, variant: Variant) -> WeightedHeuristic:
    """A player's heuristic with the weights learnt for it in a game (`learnt`), or with those of a file."""
    found = learnt(player, variant) if weights == LEARNT else load(weights, heuristic)
    if found.name != heuristic:
        raise Fault("agent.weights-of-other", player=player, weights=weights, found=found.name, heuristic=heuristic)
    return found


def with_weights(
    weights: str,
    player: str,
    heuristic: str,
    given: Mapping[str, object],
    make: Callable[[WeightedHeuristic], SearchPlayer],
) -> SearchPlayer:
    """A player with weights from elsewhere, in each game those for it. They leave nothing to say of single ones."""
    options = entry_named(player).accepts
    for name, value in given.items():
        if value != options[name].default:
            raise Fault("agent.weights-twice", player=player, weights=weights, name=name)
    return ByVariant(lambda variant: make(weights_from(weights, player, heuristic, variant)))


def plies(depth: int) -> Callable[[Position], Limit]:
    """The plan of a player that has none: always so many plies."""
    return lambda position: Limit(depth=depth)


def minimax(heuristic: str, weights: str, deepening: bool) -> SearchPlayer:
    """Minimax without pruning."""
    return SearchPlayer(_with(weights, heuristic), plies(DEFAULT_DEPTH), "minimax", deepening=deepening)


def alphabeta(heuristic: str, weights: str, ordering: Ordering, deepening: bool) -> SearchPlayer:
    """Alpha-beta: the same move as minimax, sooner."""
    return SearchPlayer(_with(weights, heuristic), plies(DEFAULT_DEPTH), ordering=ordering, deepening=deepening)


def _with(weights: str, heuristic: str) -> Heuristic:
    """A heuristic by name, with the weights of a file where one is given."""
    if not weights:
        return find(heuristic)
    found = load(weights, heuristic)
    if found.name != heuristic:
        raise Fault("agent.weights-name", weights=weights, name=found.name)
    return found
