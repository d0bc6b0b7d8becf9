"""Heuristics by name: those of the five, and anybody's from a file.

Where a seed prints its numbers they stand here as printed; the others are ours (docs/the-five.md says which).
"""

import difflib
from pathlib import Path

from outflank.errors import Fault
from outflank.heuristics.features import (
    corner_closeness,
    corners,
    disc_count,
    frontier,
    mobility,
    potential_corners,
    potential_liberty,
    potential_mobility,
    ray_stable,
    stable,
    triangle_stable,
    unlikely_corners,
    unstable,
)
from outflank.heuristics.files import from_file
from outflank.heuristics.heuristic import Heuristic
from outflank.heuristics.matrices import (
    MATRICES,
    Matrix,
    corner_shy_weights,
    disc_squares_weights,
    phased_weights,
    self_taught_weights,
    static_weights,
)
from outflank.heuristics.weighted import Term, WeightedHeuristic

PERCENT = 100.0


BOTH_FACTOR, BOTH_SQUARE = -85.0, 18


def both_have_corners(values: Matrix) -> float:
    """The "tiny value" for corners when both sides have some: -85 times the piece value of the square (2, 2)."""
    return BOTH_FACTOR * values[2][2]


SCORE = Term("score", disc_count, (0.1,))
MOVES = Term("mobility", mobility, (1.0,), turns=False)
PIECE_VALUES = Term("piece values", self_taught_weights, (1.0,))

HEURISTICS: tuple[WeightedHeuristic, ...] = (
    WeightedHeuristic(
        "corner-shy",
        "Squares with the corner lowest, stable discs by corner rays, frontier discs, remaining moves.",
        "fewest",
        (
            Term("squares", corner_shy_weights, (1.0,)),
            Term("stable", ray_stable, (-12.0,)),
            Term("frontier", frontier, (1.0,)),
            Term("moves", mobility, (8.0,), turns=False),
        ),
    ),
    WeightedHeuristic(
        "phased",
        "Square weights, liberty, stable discs and potential liberty, weighted in three phases.",
        "most",
        (
            Term("weighting", phased_weights, (100.0, 0.8, 1.0)),
            Term("liberty", mobility, (1.0, 40.0, 30.0), turns=False),
            Term("stable", triangle_stable, (0.0, 80.0, 100.0)),
            Term("potential liberty", potential_liberty, (-10.0, -15.0, -15.0), turns=False),
        ),
        phases=(20, 40),
    ),
    WeightedHeuristic(
        "evaluation-1",
        "The first evaluation of self-taught: score, mobility and piece values.",
        "most",
        (SCORE, MOVES, PIECE_VALUES),
    ),
    WeightedHeuristic(
        "evaluation-2",
        "The second evaluation of self-taught: score, mobility, corners captured and piece values.",
        "most",
        (SCORE, MOVES, Term("corners", corners, (1.0,)), PIECE_VALUES),
    ),
    WeightedHeuristic(
        "evaluation-3",
        "The third evaluation of self-taught: as the second, but a fixed value when both sides have corners.",
        "most",
        (
            SCORE,
            MOVES,
            Term("corners", corners, (1.0,), "unless-both", both=both_have_corners(MATRICES["self-taught"])),
            PIECE_VALUES,
        ),
    ),
    WeightedHeuristic("piece-values", "The piece values of self-taught alone.", "most", (PIECE_VALUES,)),
    WeightedHeuristic(
        "discs", "The difference in discs: what a beginner counts.", "most", (Term("discs", disc_count, (1.0,)),)
    ),
    WeightedHeuristic(
        "parity",
        "Piece parity, the larger side's share of the discs.",
        "most",
        (Term("discs", disc_count, (1.0,), "share", PERCENT),),
    ),
    WeightedHeuristic(
        "mobility",
        "Actual and potential mobility, each the larger side's share.",
        "most",
        (
            Term("mobility", mobility, (1.0,), "share", PERCENT, turns=False),
            Term("potential mobility", potential_mobility, (0.5,), "share", PERCENT, turns=False),
        ),
    ),
    WeightedHeuristic(
        "corners",
        "Corners captured, potential and unlikely.",
        "most",
        (
            Term("corners", corners, (1.0,), scale=25.0),
            Term("potential corners", potential_corners, (0.5,), scale=25.0),
            Term("unlikely corners", unlikely_corners, (-0.1,), scale=25.0),
        ),
    ),
    WeightedHeuristic(
        "stability",
        "Stable discs count for, unstable ones against, semi-stable ones not at all.",
        "most",
        (Term("stable", stable, (1.0,), scale=PERCENT / 64), Term("unstable", unstable, (-1.0,), scale=PERCENT / 64)),
    ),
    WeightedHeuristic(
        "static", "The printed table of square values of dynamic.", "most", (Term("squares", static_weights, (1.0,)),)
    ),
    WeightedHeuristic(
        "features",
        "Ours: what most of the others count, in three phases; a start for weights of your own (`outflank learn`).",
        "most",
        (
            Term("squares", disc_squares_weights, (1.0,)),
            Term("discs", disc_count, (0.0, 0.0, 1.0)),
            Term("mobility", mobility, (8.0, 8.0, 6.0), turns=False),
            Term("potential mobility", potential_mobility, (4.0, 3.0, 1.0), turns=False),
            Term("frontier", frontier, (-1.0, -1.0, 0.0)),
            Term("corners", corners, (40.0, 40.0, 30.0)),
            Term("beside empty corners", corner_closeness, (-8.0, -8.0, -4.0)),
            Term("stable", stable, (10.0, 10.0, 10.0)),
        ),
        phases=(20, 40),
    ),
    WeightedHeuristic(
        "combined",
        "The sum of dynamic: 10p + 801.724c + 382.026l + 78.922m + 74.396f + 10d.",
        "most",
        (
            Term("p: parity", disc_count, (10.0,), "share", PERCENT),
            Term("c: corners", corners, (801.724,), scale=25.0),
            Term("l: beside empty corners", corner_closeness, (382.026,), scale=-12.5),
            Term("m: mobility", mobility, (78.922,), "share", PERCENT, turns=False),
            Term("f: frontier", frontier, (74.396,), "share", -PERCENT),
            Term("d: squares", disc_squares_weights, (10.0,)),
        ),
    ),
)
NAMED: dict[str, WeightedHeuristic] = {heuristic.name: heuristic for heuristic in HEURISTICS}


def find(name: str) -> Heuristic:
    """A heuristic by its name, or from a file: `./mine.py:edges`, or `./mine.py` where it holds only one, or
    `mine.json`, the weights that `outflank learn` wrote; `learnt-phased@othello` is one that comes with Outflank."""
    if name.endswith(".json") or name.startswith("learnt-"):
        from outflank.heuristics import learnt  # it needs the names above

        return learnt.load(name) if name.endswith(".json") else learnt.shipped_as(name)
    path, _, attribute = name.rpartition(":")
    if name.endswith(".py"):
        path, attribute = name, ""
    if path.endswith(".py"):
        return from_file(Path(path), attribute)
    if name not in NAMED:
        near = difflib.get_close_matches(name, NAMED, 3, 0.5)
        advice = Fault("advice.near", names=" or ".join(near)) if near else Fault("advice.all", names=", ".join(NAMED))
        raise Fault("heuristic.unknown", name=name, advice=advice)
    return NAMED[name]
