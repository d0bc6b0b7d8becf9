"""Tables of square values that change with the game, and the tables behind features made from them.

`square_weights` makes one table a feature; here each phase of a game has its own, in one feature.
"""

from collections.abc import Sequence
from typing import Any

from outflank.board.compiled import kernel
from outflank.errors import Fault
from outflank.heuristics.compiling import SIGNATURE
from outflank.heuristics.matrices import MATRICES, Matrix, SquareSum, square_weights
from outflank.heuristics.weighted import WeightedHeuristic, compiled_text

_matrices: dict[SquareSum, tuple[Matrix, ...]] = {square_weights(matrix): (matrix,) for matrix in MATRICES.values()}
"""The tables of each feature, one or one a phase."""


def square_table(matrices: Sequence[Matrix], phases: Sequence[int] = ()) -> SquareSum:
    """A feature that adds up the values of the own discs' squares, with one table, or one for each phase.

    `phases` are the disc counts, of 64, at which the next table begins to count.
    """
    if len(matrices) not in (1, len(phases) + 1):
        raise Fault("phases.tables", phases=len(phases) + 1, count=len(matrices))
    parts = [square_weights(matrix) for matrix in matrices]
    feature = parts[0] if len(parts) == 1 else _by_phase(parts, phases)
    _matrices[feature] = tuple(matrices)
    return feature


def matrices_of(feature: Any) -> tuple[Matrix, ...]:
    """The tables that a feature adds up, one or one a phase; none for any other feature."""
    return _matrices.get(feature, ())


def usual_matrix(heuristic: WeightedHeuristic) -> Matrix:
    """The first table of a heuristic that has one, in the middle of the game: what moves can be ordered by."""
    for term in heuristic.terms:
        tables = matrices_of(term.feature)
        if tables:
            return tables[len(tables) // 2]
    raise Fault("heuristic.no-table", name=heuristic.name)


def _by_phase(parts: Sequence[SquareSum], phases: Sequence[int]) -> SquareSum:
    lines = ["def function(own, opp, board):", "    discs, squares = count(own | opp), count(board)"]
    for index, begin in enumerate(phases):
        lines.append(f"    if discs * 64 < {begin} * squares:")
        lines.append(f"        return feature{index}(own, opp, board)")
    lines.append(f"    return feature{len(parts) - 1}(own, opp, board)")
    made: SquareSum = compiled_text("\n".join(lines), parts, lambda weights, key: kernel(SIGNATURE, key)(weights))
    return made
