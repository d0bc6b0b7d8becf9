"""Measures how well shallow searches foretell deep ones, and fits the curve that ProbCut's margins come from."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from outflank.board.variant import Variant
from outflank.errors import Fault
from outflank.learning.games.loops import value_positions
from outflank.learning.games.positions import Positions
from outflank.learning.games.scored import ScoredGames
from outflank.learning.games.searcher import GameSearcher
from outflank.learning.games.selfplay import Style
from outflank.learning.rounds import SelfPlay
from outflank.learning.watch import Watch
from outflank.patterns.weights import Evaluation, Weights
from outflank.search.driver import Stop, watched
from outflank.search.engine.deepening import SURE
from outflank.search.engine.probcut import shallower, terms

Array = Any
Differences = dict[tuple[int, int, int], list[int]]
"""Deep value minus shallow value, by empties, depth and the shallower depth."""
FEWEST = 25
"""Differences needed before a spread is believed."""
DEEPEST = 8
"""Plies that are searched without reaching the end."""
SOLVED_FROM = 18
"""Empties up to which the end is searched too: beyond, a position takes a second."""
SMALLEST, LARGEST_STEP = 8, 2
OWN_GAMES = 400
"""Games of self-play to measure on where none are given."""
A_NUMBER_OF_EMPTIES = 80
"""Positions measured for each number of empties."""


def differences(
    own: Array, opp: Array, variant: Variant, evaluation: Evaluation, deepest: int, solved_from: int, stop: Stop
) -> Differences:
    """Searches positions of one number of empties at every depth without ProbCut, and to the end where that is near."""
    found: Differences = defaultdict(list)
    empties = variant.square_count - int(own[0] | opp[0]).bit_count()
    player = GameSearcher(variant, evaluation)  # kept: its desk is what the kernel works on
    address, _ = player.ready(stop)
    values = {}
    depths = [*range(min(deepest, empties - 1) + 1), *([empties] if empties <= solved_from else [])]
    for depth in depths:
        values[depth] = np.empty(len(own), np.int8)
        value_positions(address, own, opp, depth, SURE, values[depth])
    for depth in depths[1:]:
        for shallow in {0, shallower(depth)}:
            if shallow in values:
                found[empties, depth, shallow] = (values[depth].astype(int) - values[shallow]).tolist()
    return found


def measured(
    positions: Positions,
    variant: Variant,
    evaluation: Evaluation,
    stop: Stop,
    *,
    each: int = A_NUMBER_OF_EMPTIES,
    solved_from: int = SOLVED_FROM,
    seed: int = 1,
) -> Iterator[tuple[int, Differences]]:
    """For one number of empties after the other, what was found in a sample of the positions."""
    dice = np.random.default_rng(seed)
    for empties in range(SMALLEST, variant.square_count - 8, LARGEST_STEP):
        there = np.flatnonzero(positions.discs == variant.square_count - empties)
        if len(there) >= FEWEST:
            chosen = dice.choice(there, min(each, len(there)), replace=False)
            own, opp = positions.own[chosen], positions.opp[chosen]
            yield empties, differences(own, opp, variant, evaluation, DEEPEST, solved_from, stop)


def fitted(found: Differences) -> tuple[list[float], float]:
    """The coefficients of `probcut.spread`, and by what factor a cell's spread lies off the curve on the average."""
    rows, targets, importance = [], [], []
    for (empties, depth, shallow), values in found.items():
        if len(values) >= FEWEST:
            rows.append(terms(empties, depth, shallow))
            targets.append(np.log(max(float(np.sqrt(np.mean(np.square(values)))), 0.1)))
            importance.append(np.sqrt(len(values)))
    if not rows:
        raise Fault("spreads.too-few", least=FEWEST)
    matrix, weight = np.array(rows), np.array(importance)
    solution, *_ = np.linalg.lstsq(matrix * weight[:, None], np.array(targets) * weight, rcond=None)
    off = np.exp(np.abs(matrix @ solution - targets).mean())
    return [round(float(value), 5) for value in solution], float(off)


def with_margins(weights: Weights, given: list[ScoredGames], watch: Watch) -> Weights:
    """The weights with how well their shallow searches foretell deep ones, measured on positions of the given games,
    or else of self-play with these weights."""
    variant, evaluation = weights.variant, Evaluation.of(weights)
    found: Differences = {}
    with watched(None) as stop:
        if given:
            positions = Positions.joined([Positions.of(games, of_result=1) for games in given])
        else:
            own = SelfPlay(variant, weights, Style.learning(variant, 4, 12), 77, 0, OWN_GAMES)
            positions = Positions.of(own(stop), of_result=0)
        for empties, differences_there in measured(positions, variant, evaluation, stop):
            found.update(differences_there)
            watch.progress("margins: empties", empties, variant.square_count - 10)
    coefficients, off = fitted(found)
    watch.tell(f"margins: {sum(map(len, found.values())):,} differences of searches, a factor {off:.2f} off the curve")
    return replace(weights, provenance={**weights.provenance, "spreads": coefficients})
