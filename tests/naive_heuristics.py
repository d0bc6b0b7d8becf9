"""The named heuristics written out by hand from the reports, for 8x8 and its scaled tables, with the plain features.

Nothing here reads the terms that src/outflank/heuristics/named.py is made of: a wrong weight there shows as a
difference. Only the square values that are ours to choose are taken from there. `fewest` plays them under Reversed
Reversi, where discs, corners, squares, frontier and stability turn.
"""

from collections.abc import Callable, Sequence

import naive
import naive_features as plain
from naive import to_set

from outflank.heuristics.matrices import MATRICES

Table = Sequence[Sequence[float]]

STATIC = """
 4 -3  2  2  2  2 -3  4
-3 -4 -1 -1 -1 -1 -4 -3
 2 -1  1  0  0  1 -1  2
 2 -1  0  1  1  0 -1  2
 2 -1  0  1  1  0 -1  2
 2 -1  1  0  0  1 -1  2
-3 -4 -1 -1 -1 -1 -4 -3
 4 -3  2  2  2  2 -3  4
"""
DISC_SQUARES = "20 -3 11 8 / -3 -7 -4 1 / 11 -4 2 2 / 8 1 2 -3"


def quarter(text: str) -> list[list[float]]:
    """A table from its top-left quarter."""
    rows = [[float(word) for word in row.split()] for row in text.split("/")]
    half = [row + row[::-1] for row in rows]
    return half + half[::-1]


STATIC_TABLE = [[float(word) for word in row.split()] for row in STATIC.strip().splitlines()]


def squares(table: Table, own: int, opp: int, playable: int) -> float:
    rows, columns = plain.size(playable)
    fitted = plain.by_distance_to_the_rim(table, rows, columns)
    return plain.weighted_sum(fitted, own) - plain.weighted_sum(fitted, opp)


def difference(feature: Callable[[int, int, int], int], own: int, opp: int, playable: int) -> int:
    return feature(own, opp, playable) - feature(opp, own, playable)


def share(feature: Callable[[int, int, int], int], own: int, opp: int, playable: int) -> float:
    """`dynamic`'s scaling: the larger side's share in percent, negative when that is the other side."""
    mine, theirs = feature(own, opp, playable), feature(opp, own, playable)
    if mine > theirs:
        return 100 * mine / (mine + theirs)
    if mine < theirs:
        return -(100 * theirs) / (mine + theirs)
    return 0


def corner_shy(own: int, opp: int, playable: int, fewest: bool) -> float:
    turn = 1 if fewest else -1
    terms = squares(MATRICES["corner-shy"], own, opp, playable)
    terms += -12 * difference(plain.ray_stable, own, opp, playable)
    terms += difference(plain.frontier, own, opp, playable)
    return turn * terms + 8 * difference(plain.mobility, own, opp, playable)


def phased(own: int, opp: int, playable: int, fewest: bool) -> float:
    turn = -1 if fewest else 1
    discs = len(to_set(own | opp)) * 64 / len(to_set(playable))
    if discs < 20:
        weighting, liberty, stable, potential = 100.0, 1, 0, 10
    elif discs < 40:
        weighting, liberty, stable, potential = 0.8, 40, 80, 15
    else:
        weighting, liberty, stable, potential = 1.0, 30, 100, 15
    value = turn * weighting * squares(MATRICES["phased"], own, opp, playable)
    value += liberty * difference(plain.mobility, own, opp, playable)
    value += turn * stable * difference(plain.triangle_stable, own, opp, playable)
    return value - potential * difference(plain.potential_liberty, own, opp, playable)


def evaluation(number: int, own: int, opp: int, playable: int, fewest: bool) -> float:
    """`self-taught`'s three: 0.1 · score + mobility + piece values, and from the second on a bonus for corners."""
    turn = -1 if fewest else 1
    value = turn * 0.1 * difference(plain.disc_count, own, opp, playable)
    value += difference(plain.mobility, own, opp, playable)
    value += turn * squares(MATRICES["self-taught"], own, opp, playable)
    mine, theirs = plain.corners(own, opp, playable), plain.corners(opp, own, playable)
    if number == 3 and mine >= 1 and theirs >= 1:
        return value + turn * -85 * 0.2
    return value + turn * (mine - theirs) if number > 1 else value


def stability(own: int, opp: int, playable: int, fewest: bool) -> float:
    turn = -1 if fewest else 1
    counted = difference(plain.stable, own, opp, playable) - difference(plain.unstable, own, opp, playable)
    return turn * 100 / 64 * counted


def corners(own: int, opp: int, playable: int, fewest: bool) -> float:
    turn = -1 if fewest else 1
    value = 25.0 * difference(plain.corners, own, opp, playable)
    value += 12.5 * difference(plain.potential_corners, own, opp, playable)
    return turn * (value - 2.5 * difference(plain.unlikely_corners, own, opp, playable))


def mobility(own: int, opp: int, playable: int, fewest: bool) -> float:
    actual, potential = (share(feature, own, opp, playable) for feature in (plain.mobility, plain.potential_mobility))
    return actual + 0.5 * potential


def combined(own: int, opp: int, playable: int, fewest: bool) -> float:
    """`dynamic`'s formula, letter by letter."""
    turn = -1 if fewest else 1
    p = share(plain.disc_count, own, opp, playable)
    c = 25 * difference(plain.corners, own, opp, playable)
    l = -12.5 * difference(plain.corner_closeness, own, opp, playable)  # noqa: E741 (its letter in the document)
    m = share(plain.mobility, own, opp, playable)
    f = -share(lambda *boards: naive.count(naive.frontier(*boards)), own, opp, playable)
    d = squares(quarter(DISC_SQUARES), own, opp, playable)
    return turn * (10 * p + 801.724 * c + 382.026 * l) + 78.922 * m + turn * (74.396 * f + 10 * d)


def features(own: int, opp: int, playable: int, fewest: bool) -> float:
    turn = -1 if fewest else 1
    discs = len(to_set(own | opp)) * 64 / len(to_set(playable))
    count, moves, potential, frontier, corner, beside = (
        (0, 8, 4, -1, 40, -8) if discs < 20 else (0, 8, 3, -1, 40, -8) if discs < 40 else (1, 6, 1, 0, 30, -4)
    )
    value = squares(quarter(DISC_SQUARES), own, opp, playable) + 10 * difference(plain.stable, own, opp, playable)
    value += count * difference(plain.disc_count, own, opp, playable)
    value += frontier * difference(plain.frontier, own, opp, playable)
    value += corner * difference(plain.corners, own, opp, playable)
    value += beside * difference(plain.corner_closeness, own, opp, playable)
    lively = moves * difference(plain.mobility, own, opp, playable)
    return turn * value + lively + potential * difference(plain.potential_mobility, own, opp, playable)


def turned(value: float, fewest: bool) -> float:
    return -value if fewest else value


PLAIN: dict[str, Callable[[int, int, int, bool], float]] = {
    "corner-shy": corner_shy,
    "phased": phased,
    "evaluation-1": lambda *boards: evaluation(1, *boards),
    "evaluation-2": lambda *boards: evaluation(2, *boards),
    "evaluation-3": lambda *boards: evaluation(3, *boards),
    "piece-values": lambda own, opp, board, fewest: turned(squares(MATRICES["self-taught"], own, opp, board), fewest),
    "discs": lambda own, opp, board, fewest: turned(difference(plain.disc_count, own, opp, board), fewest),
    "parity": lambda own, opp, board, fewest: turned(share(plain.disc_count, own, opp, board), fewest),
    "mobility": mobility,
    "corners": corners,
    "stability": stability,
    "static": lambda own, opp, board, fewest: turned(squares(STATIC_TABLE, own, opp, board), fewest),
    "features": features,
    "combined": combined,
}
"""Each named heuristic as `(own, opp, playable, fewest)`."""
