"""Makes searched values right: what a number of discs adds for the side to move, and how far values are stretched.

A fit makes the evaluation right on the average of positions that were played. A search asks it about others: the last
side to choose picks the leaf that errs in its favour, so that values jump with the parity of the depth however well the
leaves are fitted. Here a constant for each number of discs is found that makes the values of searches of all depths
agree with each other and, near the end, with exact scores. It shifts all leaves of a search alike: values change, moves
hardly ever.

A fit also says less than it sees: of two positions that look alike it knows that one is worse, and stays between. A
search of many plies sees which, but its values are too close to zero. All weights are stretched by what they lack.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from outflank.board.variant import Variant
from outflank.learning.games.known import Known, between, known_in, met, played_in, solved
from outflank.learning.patterns.accuracy import Searched, accuracies, searched
from outflank.learning.patterns.fit import in_steps
from outflank.learning.watch import Watch
from outflank.patterns.lookup import FIRST_DISCS, stage_of
from outflank.patterns.shapes import PARITIES, PLIES_A_STAGE
from outflank.patterns.weights import LARGEST, UNITS_A_DISC, Evaluation, Weights
from outflank.search.driver import Stop, watched

Array = Any
SOLVED = (16, 17, 18, 19, 20, 21)
"""Empties of the positions of self-play that are solved: more of them take minutes, fewer say little of searches."""
SOLVED_EACH, MET_EACH = 200, 150
ASTRAY = 2
"""Random moves between a position of self-play and the one that is measured: one of each side."""
MOST_KNOWN = 1500
"""Exact positions of files that are searched: more tell no more."""
DEEPEST, DEEPEST_EXACT = 8, 10
BALANCED = 24
"""Discs up to which a position counts: in one that is decided, who moves last no longer matters, and an evaluation is
off in other ways."""
SMOOTH = 20.0
"""How alike the constants of a number of discs and the next but one are: as the certainty of a few cells says. Where
nothing was measured they stay as they are beside it."""
STEADY_FROM = 6
"""Plies from which a search has done most of what it can against the errors of single leaves."""
SEED = 4_321
"""Of the games whose positions are used: not those of `bench values`."""
HELD_OUT = 4
"""One exact position in so many is kept for the test."""


@dataclass(frozen=True)
class Cell:
    """The mean of searches of one depth from one number of empties."""

    empties: int
    depth: int
    value: float
    """Less the exact mean where that is known."""
    certainty: float
    """The inverse of its variance."""
    group: int
    """Cells of one group have one true mean, which is not known; -1 where it is."""


def balanced(found: Searched) -> Searched:
    """Those of the positions that count. What was said of them decides: the truth is hardly ever known, and to choose
    by it would make searches look as if they overdid things."""
    return found.chosen(np.abs(found.values[:, -1]) <= BALANCED)


def cells(found: Searched, exact: bool) -> list[Cell]:
    """What the searches of positions say that stay before the end."""
    errors = found.errors if exact else found.values.astype(np.float64)
    made = []
    for empties in np.unique(found.known.empties):
        there = errors[found.known.empties == empties]
        if len(there) < 2:
            continue
        for depth in range(1, min(there.shape[1], int(empties))):
            own = there[:, depth]
            # What all searches of a position have in common says nothing of how they differ.
            spread = own.var() if exact else (own - there[:, 1:].mean(axis=1)).var()
            made.append(
                Cell(
                    int(empties),
                    depth,
                    float(own.mean()),
                    len(own) / max(float(spread), 1.0),
                    -1 if exact else int(empties),
                )
            )
    return made


def lacking(found: Searched) -> float:
    """The factor by which exact scores lie further apart than what deep searches say of the same positions."""
    together, own = 0.0, 0.0
    for empties in np.unique(found.known.empties):
        there = found.known.empties == empties
        for depth in range(STEADY_FROM, min(found.values.shape[1], int(empties))):
            said = found.values[there, depth] - found.values[there, depth].mean()
            together += float(said @ found.known.value[there])
            own += float(said @ said)
    return together / own if own else 1.0


def stretched(weights: Weights, factor: float) -> Weights:
    """The weights, what a network adds to them, and the spreads of their searches, so many times as large."""
    wanted = weights.table * factor
    table, network = in_steps(wanted), weights.network and weights.network.stretched(factor)
    table[:, -PARITIES:] = np.clip(np.rint(wanted[:, -PARITIES:]), -LARGEST, LARGEST)
    about = dict(weights.provenance)
    if spreads := about.get("spreads"):  # the first coefficient is the logarithm of a factor of them all
        about["spreads"] = [round(spreads[0] + math.log(factor), 5), *spreads[1:]]
    return replace(weights, table=table, network=network, provenance=about)


def constants(found: Sequence[Cell], variant: Variant) -> Array:
    """What to add for the side to move at each number of discs: least squares, smooth from one number to the next of
    the same parity."""
    squares = variant.square_count
    unknown = sorted({cell.group for cell in found if cell.group >= 0})
    groups = {group: squares + 1 + index for index, group in enumerate(unknown)}
    width = squares + 1 + len(groups)
    rows, targets = [], []
    for cell in found:
        row, weight = np.zeros(width), np.sqrt(cell.certainty)
        row[squares - cell.empties + cell.depth] = weight * (-1) ** cell.depth
        if cell.group >= 0:
            row[groups[cell.group]] = -weight
        rows.append(row)
        targets.append(-weight * cell.value)
    for discs in range(FIRST_DISCS, squares - 1):
        row = np.zeros(width)
        row[[discs, discs + 2]] = np.sqrt(SMOOTH) * np.array([1, -1])
        rows.append(row)
        targets.append(0.0)
    solution, *_ = np.linalg.lstsq(np.array(rows), np.array(targets), rcond=None)
    return solution[: squares + 1]


def with_constants(weights: Weights, added: Array) -> Weights:
    """The weights with so much more, in discs, for each number of discs."""
    table = weights.table.copy()
    for discs in range(FIRST_DISCS, len(added)):
        stage = min(stage_of(discs, PLIES_A_STAGE), len(table) - 1)
        column = table.shape[1] - PARITIES + discs % 2
        table[stage, column] = np.clip(round(table[stage, column] + UNITS_A_DISC * added[discs]), -LARGEST, LARGEST)
    return replace(weights, table=table)


def calibrated(weights: Weights, known: Sequence[str], watch: Watch) -> Weights:
    """The weights stretched, and with constants that take the bias out of searches: of positions of the games in files,
    and of those there whose score is known; of positions of self-play where there are too few.

    One exact position in four is held out, and how far searches are off there is told, and kept with the weights.
    """
    variant = weights.variant
    most = variant.square_count - FIRST_DISCS - 4
    solvable, beyond = [one for one in SOLVED if one <= most], range(SOLVED[-1] + 1, most + 1)
    played = played_in(known, variant)

    def some(empties: Sequence[int], each: int, stop: Stop, seed: int) -> Known:
        """What people play is nearer to what is asked about than what is two random moves away from self-play; a few
        games alone are too little to measure on."""
        found = between(played, variant, empties, each, seed)
        if len(found) < each * len(empties):
            found = Known.joined([found, met(variant, weights, empties, each, stop, seed, ASTRAY)])
        return found

    def shown(what: str) -> Callable[[int, int], None]:
        return lambda done, of: watch.progress(f"calibration: {what}", done, of)

    with watched(None) as stop:
        exact = solved(some(solvable, SOLVED_EACH, stop, SEED), stop, shown("solved"))
        if known:
            exact = Known.joined([exact, known_in(known, variant, "learnt").sampled(MOST_KNOWN)])
        others = some(beyond, MET_EACH, stop, SEED + 1)
        testing = np.arange(len(exact)) % HELD_OUT == 0
        evaluation = Evaluation.of(weights)
        learnt = balanced(searched(exact.chosen(~testing), evaluation, DEEPEST_EXACT, stop, shown("exact searched")))
        nearer = balanced(searched(others, evaluation, DEEPEST, stop, shown("others searched")))
        factor = lacking(learnt)
        learnt, nearer = (replace(each, values=factor * each.values) for each in (learnt, nearer))
        added = constants([*cells(learnt, exact=True), *cells(nearer, exact=False)], variant)
        weights = with_constants(stretched(weights, factor), added)
        made = Evaluation.of(weights)
        test = balanced(searched(exact.chosen(testing), made, DEEPEST_EXACT, stop, shown("tested")))
    told = list(accuracies(test))
    watch.tell(f"calibration: {len(exact) - len(test.known):,} exact positions, {len(others):,} others")
    watch.tell(f"calibration: stretched by {factor:.3f}; held out:")
    for one in told:
        off = f"bias {one.bias:+5.2f}  spread {one.deviation:5.2f}  mean error {one.mean_error:5.2f}"
        watch.tell(f"  depth {one.depth:>2}  {off}")
    about = {
        "positions": len(exact),
        "stretched": round(factor, 4),
        "added": [round(float(one), 3) for one in added],
        "held_out": [asdict(one) for one in told],
    }
    return replace(weights, provenance={**weights.provenance, "calibration": about})
